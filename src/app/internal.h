/* internal.h: what the commands share. */
#ifndef KT_APP_INTERNAL_H
#define KT_APP_INTERNAL_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "app/session.h"
#include "base/error.h"
#include "base/vec.h"
#include "lesson/course.h"
#include "lesson/run.h"
#include "loop/loop.h"
#include "store/progress.h"

enum exit_code { EXIT_OK = 0, EXIT_FAILED = 1, EXIT_USAGE = 2, EXIT_LESSON = 3, EXIT_CLUSTER = 4, EXIT_INTERRUPTED = 130 };

/* ---- options.c ---- */

enum option_id {
    OPTION_KUBECONFIG, OPTION_CONTEXT, OPTION_NAMESPACE, OPTION_PRACTICE, OPTION_YES, OPTION_PACK, OPTION_LANG, OPTION_COLOR, OPTION_VERBOSE, OPTION_HELP,
    OPTION_OUTPUT, OPTION_WAIT, OPTION_PACE, OPTION_KEEP, OPTION_ALL, OPTION_MUTANTS, OPTION_EPHEMERAL, OPTION_IDLE, OPTION_PORT,
    OPTION_MERGE, OPTION_NODES, OPTION_SPEED, OPTION_CLOCK_RATE, OPTION_API_ONLY, OPTION_COUNT,
};
struct option_spec {
    const char *name;  /* "--kubeconfig" */
    char letter;       /* 'n' for -n, or 0 */
    const char *value; /* what its value is called in help, NULL: it has none */
    const char *help;  /* message id */
    bool global;
    const char *choices; /* "slow|fast|key" for completion, or NULL */
};
extern const struct option_spec option_specs[OPTION_COUNT];

struct command;
struct app {
    const struct command *command;
    const char *values[OPTION_COUNT]; /* the last value given, "" for one without; NULL: not given. Borrowed from argv */
    struct vec outputs;               /* every -o, borrowed */
    struct vec arguments;             /* the rest, borrowed */
    bool colour_out, colour_err;      /* after --color, NO_COLOR and isatty */
    struct log log;
    struct loop *loop;
    char *data_folder; /* where lessons/ and assets/ are */
    char *pack;        /* the course's folder */
    struct progress *progress;
    struct error warning; /* progress is not kept, and why */
    struct session *session;
    struct course *course;
    struct loop_event *signals[3];
    bool interrupted;
    bool done; /* what loop_until waits for */
};

struct command {
    const char *name;
    const char *arguments; /* "LESSON[/STEP]" */
    const char *help;      /* one line, message id */
    const char *examples;  /* lines, not translated */
    unsigned options;      /* bits: 1 << option_id */
    int (*run)(struct app *app);
    int least, most;       /* arguments; most -1: any number */
    bool hidden;
};
extern const struct command commands[];
extern const size_t command_count;
#define OPTION_BIT(id) (1u << (id))

/* Parses argv into app; false: a message was printed, exit code 2. */
bool options_parse(struct app *app, int argc, char **argv);
/* Says what is wrong with the command line (one %s, for detail, which may be anything) and returns EXIT_USAGE. */
int say_usage(const char *format, const char *detail);
void print_help(const struct app *app, const struct command *command);
void print_completion(const char *shell);

/* ---- paths.c ---- */

/* The folder that holds lessons/: $KUBETUTOR_DATA, the source tree of a program in build/PRESET/, else where it was installed. The caller frees. */
char *find_data_folder(struct error *err);
/* The folder with the catalogues, or NULL. The caller frees. */
char *find_catalogues(void);
/* ~/kubetutor/LESSON, made, with the lesson's files in it: a file that the learner changed is never overwritten (the new one is put beside it as NAME.new).
 * The caller frees. NULL with err: the folder cannot be made; the lesson still works without. */
char *work_folder(const char *lesson_folder, const char *lesson, struct error *err);

/* May the pack's lessons run commands on this machine (k:sh)? The built-in course, and folders that stand in $XDG_CONFIG_HOME/kubetutor/trusted-packs, a path a line. */
bool pack_is_trusted(const struct app *app);

/* ---- shell.c ---- */

/* Writes ~/kubetutor/shell for a cluster (its uid) and namespace; the newest tutor's stands there, each has an overlay kubeconfig of its own. Its path; the
 * caller frees. NULL with err (ERROR_EXISTS: a file stands there that is not ours): the lesson works without. */
char *write_shell(const struct kube_config *config, const char *cluster, const char *ns, struct error *err);

/* ---- follow.c ---- */

enum followed { FOLLOWED, FOLLOW_INTERRUPTED, FOLLOW_LATE, FOLLOW_LOST };
/* How long a step may take: --wait, else three minutes. False: a message was printed, usage. */
bool step_time(const struct app *app, int64_t *ms);
/* Runs the loop until the run is in one of these phases (bits: 1 << run_phase) or, where `solved` is given, until that is true. It ends earlier, with err,
 * when ms are over, or when the cluster was out of reach for 20 s. tick (NULL: none) is called at least every second. */
enum followed follow(struct app *app, struct lesson_run *run, unsigned phases, const bool *solved, int64_t ms, void (*tick)(void *data, int64_t since), void *data,
                     struct error *err) __attribute__((warn_unused_result));
int say_followed(const struct app *app, enum followed followed, const struct error *err); /* says err, if it is there; the exit code */
void say_left(struct app *app, const char *lesson); /* what a clean-up that failed leaves behind, by the ledger */
const struct expectation *first_failing(const struct verdict *verdict); /* NULL: none; so may the verdict be */

/* ---- app.c ---- */

/* Says an error on stderr, with where, cause and what to try, and returns the exit code that it means. */
int say_error(const struct app *app, const struct error *err);
int exit_code_of(const struct error *err);
bool app_course(struct app *app, struct error *err);                    /* loads the course */
bool app_session(struct app *app, bool writes, struct error *err);      /* opens the session and waits for it */
bool app_wait(struct app *app, int64_t ms);                             /* until app->done, or interrupted; true if done */
/* "nginx/create" -> lesson and step (NULL: none), borrowed pieces of a copy that the caller frees. False: no memory. */
struct lesson_name {
    char *lesson, *step;
};
bool lesson_name_parse(const char *text, struct lesson_name *name);
void lesson_name_free(struct lesson_name *name);
/* A lesson without a cluster, to describe it; unknown names get the nearest one told. */
struct lesson *app_lesson(struct app *app, const char *lesson, struct error *err);
/* A run of a lesson in the session, with the lesson found by name (near names are told). */
struct lesson_run *app_run(struct app *app, const char *lesson, bool ledger, void (*listener)(void *data, enum run_event event), void *data, struct error *err);
/* The index of a step by its id; -1 with err when there is none. */
int app_step(const struct lesson *lesson, const char *step, struct error *err);
/* Prints text safely on a stream; lesson Markdown rendered to the terminal's width. */
void print_markdown(const struct app *app, const char *markdown, bool to_stderr);
void print_safe(FILE *to, const char *format, const char *text); /* format has one %s, for text */
void print_verdict(const struct app *app, const struct verdict *verdict);
int terminal_columns(void);
/* Fills in what a report says of command and cluster; and writes it to every -o, text to stdout without any. */
struct report;
void app_begin_report(struct app *app, const char *command, struct report *report);
bool app_outputs_fit(const struct app *app); /* false: a message was printed, usage */
bool app_write_reports(struct app *app, const struct report *report, struct error *err);

/* ---- commands, one file a subject ---- */
int command_learn(struct app *app);
int command_list(struct app *app);
int command_show(struct app *app);
int command_play(struct app *app);
int command_check(struct app *app);
int command_solve(struct app *app);
int command_reset(struct app *app);
int command_selftest(struct app *app);
int command_lint(struct app *app);
int command_new(struct app *app);
int command_progress(struct app *app);
int command_doctor(struct app *app);
int command_cluster(struct app *app);
int cluster_serve(struct app *app); /* of command_cluster; a file of its own */
int command_completion(struct app *app);
int command_help(struct app *app);
int command_version(struct app *app);

#endif
