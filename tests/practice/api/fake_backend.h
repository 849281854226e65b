/* fake_backend.h: somebody who runs Pods, for tests of what is between him and clients (backend.h). Whatever the Pod and the container are called, the same things run in it:
 *
 *     exec    echo WORDS; cat; yes; exit N; stuck (reads nothing); size (tells each size of its terminal); sh (a prompt; `exit N`); tar (x keeps what it is sent, c sends it);
 *             test (fails); others are not found. Words behind `late` begin 50 ms later.
 *     attach  says "attached" and goes on like cat
 *     log     lines "line 1" to "line N"; followed, another each 20 ms, 5 of them; previous: refused; container "long": 4 MiB
 *     ports   80: HTTP that shows the request; 8081: HTTP in chunks; 8082: an upgrade, then echo; 8083: a redirect; 8084: closes at once; 8085: large; 7: echo; 9: takes nothing; others are refused
 */
#ifndef KT_TESTS_FAKE_BACKEND_H
#define KT_TESTS_FAKE_BACKEND_H

#include "loop/loop.h"
#include "practice/api/backend.h"

struct fake;

struct fake *fake_new(struct loop *loop);
void fake_free(struct fake *fake);
const struct backend *fake_backend(const struct fake *fake);
/* Handles that are open. */
int fake_open(const struct fake *fake);
/* Bytes that `yes` and the large answers have got rid of. */
size_t fake_flooded(const struct fake *fake);
/* The last exec: "stdin=1 stdout=1 stderr=0 tty=0 container=c", and what was written to its input; ended: 1 after its half was closed. */
const char *fake_asked(const struct fake *fake);
const char *fake_input(const struct fake *fake, size_t *length, bool *ended);

#endif
