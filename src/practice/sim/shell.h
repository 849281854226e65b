/* shell.h: the shell's inside: variables, expansion, evaluation. Flavours differ in what they say, not in what they do.
 */
#ifndef KT_PRACTICE_SIM_SHELL_H
#define KT_PRACTICE_SIM_SHELL_H

#include "base/map.h"
#include "practice/sim/applet.h"
#include "practice/sim/kernel.h"
#include "practice/sim/shell_parse.h"

enum { SHELL_VARIABLES = 4096, SHELL_VALUE = 1 << 20, SHELL_WORDS = 65536, SHELL_SIGNALS = 65, SHELL_STACK = 48 << 10 /* bytes that must be left to go on deeper */ };
enum shell_flavour { SHELL_ASH, SHELL_DASH, SHELL_BASH };

struct variable {
    char *value; /* NULL: declared only */
    bool exported, read_only;
};
struct local { /* what a function's local hid */
    struct local *next;
    char *name;
    struct variable *hidden; /* NULL: there was none */
};
struct function {
    struct script *script;
    struct node *body;
};
struct job { /* in the background */
    struct job *next;
    int pid, number;
    bool ended;
    int status;
    char *text;
};
enum shell_leave { LEAVE_NOT, LEAVE_BREAK, LEAVE_CONTINUE, LEAVE_RETURN, LEAVE_LINE /* of an interactive shell, after an error */, LEAVE_SHELL };

struct shell {
    struct task *task;
    enum shell_flavour flavour;
    char *name;                 /* $0 */
    const char *said;           /* what messages begin with: "sh" */
    const char *builtin;        /* the one that runs now, named in messages; NULL: none */
    struct script *script;      /* whose tree is evaluated; borrowed */
    struct map variables;       /* of struct variable */
    struct map functions;       /* of struct function */
    struct map aliases;         /* of strings */
    struct vec positional;      /* strings */
    struct local *locals;
    int function_depth, loop_depth, depth;
    bool option[128];           /* by letter: e u x f n v a C i m ... */
    bool pipefail;
    int status;
    int main_pid;               /* $$ */
    int last_background;        /* $! */
    enum shell_leave leave;
    int leave_count;
    char *traps[SHELL_SIGNALS]; /* NULL: default; "": ignored; [0]: at the end */
    uint64_t caught;            /* signals whose traps are to be run */
    bool in_trap, subshell, script_file; /* script_file: messages name the line */
    bool tested;                /* set -e does not look at what runs now */
    int substituted;            /* the last command substitution's status */
    struct job *jobs;
    size_t getopts_at;
    int line, command_line;
    unsigned random;
    int64_t started_ms;
};

/* ---- variables ---- */

bool shell_init(struct shell *shell, struct task *task);
void shell_free(struct shell *shell);
/* A subshell's copy, for another task. NULL: no memory. */
struct shell *shell_copy(struct shell *shell);
const char *shell_get(struct shell *shell, const char *name);         /* NULL: unset */
bool shell_set(struct shell *shell, const char *name, const char *value); /* false: told (read only, no memory) */
bool shell_set_bytes(struct shell *shell, const char *name, const char *value, size_t length);
bool shell_unset(struct shell *shell, const char *name);
bool shell_export(struct shell *shell, const char *name, bool exported, bool read_only);
bool shell_make_local(struct shell *shell, const char *name);
void shell_end_locals(struct shell *shell, struct local *until);
char **shell_environment(struct shell *shell); /* task_free_strings */

/* ---- messages ---- */

void shell_say(struct shell *shell, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The same, and the shell ends (an interactive one: the line): errors in expansions and of special builtins. Returns the status. */
int shell_fail(struct shell *shell, int status, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- expansion ---- */

enum { EXPAND_SPLIT = 1, EXPAND_GLOB = 2, EXPAND_PATTERN = 4 /* quoted characters get a backslash */, EXPAND_ASSIGN = 8 /* tildes after : too */ };
bool shell_expand(struct shell *shell, const struct word *word, unsigned flags, struct vec *out); /* appends fields */
char *shell_expand_one(struct shell *shell, const struct word *word, unsigned flags); /* the caller frees; NULL: it was told */
bool shell_arithmetic(struct shell *shell, const char *text, int64_t *out);
bool shell_match(const char *pattern, const char *text, size_t length); /* whole */
bool shell_glob(struct shell *shell, const char *pattern, struct vec *out); /* sorted; nothing added where nothing matches */
/* What a command wrote, without the newlines at the end. */
char *shell_substitute(struct shell *shell, struct node *command);
const char *shell_special(struct shell *shell, const char *name, char buffer[static 32]); /* $?, $#, LINENO ... ; NULL: none of these */

/* ---- evaluation ---- */

enum { EVAL_TESTED = 1 /* set -e does not look */, EVAL_LAST = 2 /* nothing comes after: a program may take the shell's place */ };
int shell_eval(struct shell *shell, struct node *node, unsigned flags);
int shell_run_source(struct shell *shell, struct shell_source *source, bool interactive, unsigned flags);
int shell_run_text(struct shell *shell, const char *text, unsigned flags); /* eval, traps */
void shell_run_traps(struct shell *shell);
void shell_leave(struct shell *shell, enum shell_leave leave, int count);
/* Runs a node in a child; *pid of it. fds as in struct spawn. */
int shell_fork(struct shell *shell, struct node *node, unsigned flags, struct handle **fds, bool background, bool new_group);
int shell_wait_for(struct shell *shell, int pid); /* its status */
void shell_tell_death(struct shell *shell, int signal); /* "Terminated" to descriptor 2 */
int shell_eval_simple(struct shell *shell, struct node *node, unsigned flags);
/* A command whose words are known; NULL-terminated. functions: they count too. */
int shell_run_words(struct shell *shell, int argc, char **argv, unsigned flags, bool functions);
int shell_exec_words(struct shell *shell, char **argv); /* in the shell's place; returns only where it cannot be */
void shell_foreground(struct shell *shell, int group);  /* whom keys interrupt */
int shell_exit_trap(struct shell *shell, int status);   /* runs the trap on EXIT; the status after it */

struct saved_fds {
    struct handle *handles[TASK_FDS];
    uint32_t changed, close_on_exec;
};
bool shell_redirect(struct shell *shell, const struct redirect *redirects, struct saved_fds *saved); /* false: told, put back */
void shell_restore(struct shell *shell, struct saved_fds *saved);
void shell_keep(struct saved_fds *saved);

/* ---- builtins ---- */

struct shell_builtin {
    const char *name;
    int (*fn)(struct shell *shell, int argc, char **argv);
    bool special; /* its errors end the shell, assignments before it stay */
    int (*program)(struct task *task, int argc, char **argv); /* instead of fn: an applet that the shell runs itself */
};
struct shell_builtin_table {
    const struct shell_builtin *builtins;
    size_t count;
};
extern const struct shell_builtin_table shell_builtins_control, shell_builtins_state, shell_builtins_io;
const struct shell_builtin *shell_builtin(const char *name);
int shell_test(struct task *task, int argc, char **argv);      /* test, [ */
int shell_double_test(struct shell *shell, const struct word *words);
int shell_printf(struct task *task, int argc, char **argv);
int shell_echo(struct task *task, int argc, char **argv);
int shell_signal_number(const char *name);                     /* "TERM", "SIGTERM", "15", "EXIT"; -1 */
const char *shell_signal_name(int signal);                     /* "TERM"; NULL */
int shell_kill(struct task *task, int argc, char **argv);
void shell_print_quoted(struct task *task, const char *text);  /* so that it can be read again */
char *shell_quoted(const char *text, bool always);             /* the same as a string */

/* ---- at a terminal ---- */

struct shell_history {
    struct vec lines;
};
/* A line as it was typed, with its newline, appended. False: the end (Ctrl-D); *interrupted: Ctrl-C. */
bool shell_edit_line(struct shell *shell, struct shell_history *history, const char *prompt, struct buf *out, bool *interrupted);
char *shell_prompt(struct shell *shell, const char *variable);

#endif
