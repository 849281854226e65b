/* programs.h: the tables of programs; each is in the file of its subject. A new one is named here and in programs.c.
 */
#ifndef KT_PRACTICE_SIM_PROGRAMS_H
#define KT_PRACTICE_SIM_PROGRAMS_H

#include "practice/sim/kernel.h"

struct program_table {
    const struct program *programs;
    size_t count;
};
extern const struct program_table programs_shell;  /* sh, and busybox, which is all of them by its argv[0] */
extern const struct program_table programs_basic;  /* echo, true, test, printf, env, sleep ... */
extern const struct program_table programs_copy;   /* cp, mv, rm, ln */
extern const struct program_table programs_files;  /* mkdir, touch, chmod, du ... */
extern const struct program_table programs_list;   /* ls, stat */
extern const struct program_table programs_find;   /* find, xargs */
extern const struct program_table programs_text;   /* cat, head, tail, wc, tee ... */
extern const struct program_table programs_sort;   /* sort, uniq, cut, tr */
extern const struct program_table programs_grep;
extern const struct program_table programs_sed;
extern const struct program_table programs_system; /* ps, date, id, df ... */
extern const struct program_table programs_bytes;  /* base64, sums, dd, hexdump */
extern const struct program_table programs_tar;
extern const struct program_table programs_net;    /* wget, curl, nc */
extern const struct program_table programs_names;  /* nslookup, getent, ping */
extern const struct program_table programs_server; /* nginx, redis-server, pause ...: what images run */

#endif
