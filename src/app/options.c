/* options.c: the command line, its help and its completion, all from the same two tables. */
#include <stdio.h>
#include <string.h>

#include "app/internal.h"
#include "base/lang.h"
#include "base/mem.h"

const struct option_spec option_specs[OPTION_COUNT] = {
    [OPTION_KUBECONFIG] = {"--kubeconfig", 0, "FILE", N_("use this kubeconfig"), true, NULL},
    [OPTION_CONTEXT] = {"--context", 0, "NAME", N_("use this context of it"), true, NULL},
    [OPTION_NAMESPACE] = {"--namespace", 'n', "NAME", N_("work in this namespace"), true, NULL},
    [OPTION_PRACTICE] = {"--practice", 0, NULL, N_("use the practice cluster even when there is a kubeconfig"), true, NULL},
    [OPTION_YES] = {"--yes", 'y', NULL, N_("do not ask before creating things in a cluster for the first time"), true, NULL},
    [OPTION_PACK] = {"--pack", 0, "DIR", N_("lessons from this folder instead of the built-in course"), true, NULL},
    [OPTION_LANG] = {"--lang", 0, "en|zh", N_("language"), true, "en|zh"},
    [OPTION_COLOR] = {"--color", 0, "WHEN", N_("colour: auto, always or never"), true, "auto|always|never"},
    [OPTION_VERBOSE] = {"--verbose", 'v', NULL, N_("say every request on stderr (never credentials)"), true, NULL},
    [OPTION_HELP] = {"--help", 'h', NULL, N_("show this help"), true, NULL},
    [OPTION_OUTPUT] = {"--output", 'o', "FORMAT[=FILE]", N_("text, json or junit; may be given several times"), false, "text|json|junit"},
    [OPTION_WAIT] = {"--wait", 0, "DURATION", N_("give what is not yet so this much time (30s, 2m)"), false, NULL},
    [OPTION_PACE] = {"--pace", 0, "slow|fast|key", N_("how fast it goes on; key waits for Enter"), false, "slow|fast|key"},
    [OPTION_KEEP] = {"--keep", 0, NULL, N_("leave what was made"), false, NULL},
    [OPTION_ALL] = {"--all", 0, NULL, N_("every lesson"), false, NULL},
    [OPTION_EPHEMERAL] = {"--ephemeral", 0, NULL, N_("keep nothing on disk"), false, NULL},
    [OPTION_IDLE] = {"--idle", 0, "DURATION", N_("end when nothing was asked for so long (30m)"), false, NULL},
    [OPTION_PORT] = {"--port", 0, "PORT", N_("serve at this port"), false, NULL},
    [OPTION_NODES] = {"--nodes", 0, "N", N_("so many nodes (1)"), false, NULL},
    [OPTION_SPEED] = {"--speed", 0, "F", N_("pulling images and starting containers goes F times as fast; 0: at once"), false, NULL},
    [OPTION_CLOCK_RATE] = {"--clock-rate", 0, "F", N_("the cluster's clock goes F times as fast"), false, NULL},
    [OPTION_API_ONLY] = {"--api-only", 0, NULL, N_("only the API server: objects are kept, nothing runs"), false, NULL},
    [OPTION_MERGE] = {"--merge", 0, NULL, N_("write it into your own kubeconfig, as context kubetutor"), false, NULL},
    [OPTION_MUTANTS] = {"--mutants", 0, NULL, N_("prove, too, that wrong states are refused"), false, NULL},
};

/* What an option is to one command, where that differs. */
static const struct special_option {
    const char *command;
    size_t option;
    struct option_spec spec;
} special_options[] = {
    {"list", OPTION_OUTPUT, {"--output", 'o', "FORMAT", N_("text, json or names"), false, "text|json|names"}},
};

static const struct option_spec *spec_for(const struct command *command, size_t option)
{
    for (size_t i = 0; command != NULL && i < sizeof special_options / sizeof *special_options; i++)
        if (special_options[i].option == option && strcmp(special_options[i].command, command->name) == 0)
            return &special_options[i].spec;
    return &option_specs[option];
}

/* A sentence about what somebody typed, made safe: it may hold anything. */
static void say(const char *format, const char *a, const char *b)
{
    char *text = mem_printf(format, a, b);
    print_safe(stderr, "kubetutor: %s\n", text != NULL ? text : _("out of memory"));
    mem_free(text);
}

int say_usage(const char *format, const char *detail)
{
    say(format, detail, "");
    return EXIT_USAGE;
}

static bool complain(const char *format, const char *a, const char *b)
{
    say(format, a, b);
    fprintf(stderr, "%s\n", _("try: kubetutor --help"));
    return false;
}

static const struct option_spec *find_option(const char *name, size_t length)
{
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option_spec *spec = &option_specs[i];
        if (length == 2 && name[0] == '-' && spec->letter != 0 && name[1] == spec->letter)
            return spec;
        if (strlen(spec->name) == length && memcmp(spec->name, name, length) == 0)
            return spec;
    }
    return NULL;
}

static bool take_value(struct app *app, size_t id, const char *value)
{
    app->values[id] = value;
    return id != OPTION_OUTPUT || vec_push(&app->outputs, (void *)(uintptr_t)value);
}

/* --name value, --name=value, -n value, -nvalue. *i moves past a value. */
static bool parse_option(struct app *app, int argc, char **argv, int *i)
{
    const char *word = argv[*i], *equals = strncmp(word, "--", 2) == 0 ? strchr(word, '=') : NULL;
    size_t length = equals != NULL ? (size_t)(equals - word) : strlen(word);
    const char *attached = equals != NULL ? equals + 1 : NULL;
    if (word[1] != '-' && length > 2) {
        attached = word + 2;
        length = 2;
    }
    const struct option_spec *spec = find_option(word, length);
    if (spec == NULL)
        return complain(_("unknown option %s%s"), word, "");
    size_t id = (size_t)(spec - option_specs);
    if (spec->value == NULL) {
        if (attached != NULL)
            return complain(_("option %s takes no value%s"), spec->name, "");
        return take_value(app, id, "");
    }
    if (attached == NULL && *i + 1 >= argc)
        return complain(_("option %s wants a value: %s"), spec->name, spec->value);
    return take_value(app, id, attached != NULL ? attached : argv[++*i]);
}

/* A DNS label, as names of namespaces are. */
static bool is_label(const char *name)
{
    static const char letters[] = "abcdefghijklmnopqrstuvwxyz0123456789-";
    size_t length = strlen(name);
    return length > 0 && length <= 63 && name[strspn(name, letters)] == '\0' && name[0] != '-' && name[length - 1] != '-';
}

static bool options_fit(const struct app *app)
{
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (app->values[i] != NULL && !option_specs[i].global && (app->command->options & OPTION_BIT(i)) == 0)
            return complain(_("%s does not take the option %s"), app->command->name, option_specs[i].name);
    int count = (int)app->arguments.length;
    if (app->values[OPTION_HELP] != NULL)
        return true;
    if (app->values[OPTION_NAMESPACE] != NULL && !is_label(app->values[OPTION_NAMESPACE]))
        return complain(_("\"%s\" is no name of a namespace: small letters, digits and -, at most 63"), app->values[OPTION_NAMESPACE], "");
    if (count < app->command->least)
        return complain(_("%s wants: %s"), app->command->name, app->command->arguments);
    if (app->command->most >= 0 && count > app->command->most)
        return complain(_("%s takes no argument \"%s\""), app->command->name, app->arguments.items[app->command->most]);
    return true;
}

bool options_parse(struct app *app, int argc, char **argv)
{
    bool only_words = false;
    for (int i = 1; i < argc; i++) {
        if (!only_words && strcmp(argv[i], "--") == 0) {
            only_words = true;
            continue;
        }
        if (!only_words && argv[i][0] == '-' && argv[i][1] != '\0') {
            if (!parse_option(app, argc, argv, &i))
                return false;
            continue;
        }
        const struct command *found = NULL;
        for (size_t c = 0; app->command == NULL && app->arguments.length == 0 && c < command_count && found == NULL; c++)
            if (strcmp(commands[c].name, argv[i]) == 0)
                found = &commands[c];
        if (found != NULL)
            app->command = found;
        else if (!vec_push(&app->arguments, argv[i]))
            return complain(_("too many arguments%s%s"), "", "");
    }
    if (app->command == NULL)
        app->command = &commands[0]; /* learn */
    return options_fit(app);
}

/* The options of a command alone, or (NULL) of every command. */
static void print_options(const struct command *command)
{
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option_spec *spec = spec_for(command, i);
        if (spec->global != (command == NULL) || (command != NULL && (command->options & OPTION_BIT(i)) == 0))
            continue;
        char left[64];
        snprintf(left, sizeof left, "%c%c%s %s%s%s", spec->letter != 0 ? '-' : ' ', spec->letter != 0 ? spec->letter : ' ', spec->letter != 0 ? "," : " ", spec->name,
                 spec->value != NULL ? " " : "", spec->value != NULL ? spec->value : "");
        printf("  %-30s %s\n", left, _(spec->help));
    }
}

static void print_command(const struct command *command)
{
    char left[96];
    snprintf(left, sizeof left, "%s%s%s", command->name, command->arguments[0] != '\0' ? " " : "", command->arguments);
    printf("  %-30s %s%s\n", left, strlen(left) > 30 ? "\n                                 " : "", _(command->help));
}

void print_help(const struct app *app, const struct command *command)
{
    if (command == NULL || (command == &commands[0] && app->arguments.length == 0)) {
        printf("%s\n\n%s\n", _("kubetutor teaches Kubernetes on a live cluster."), _("Usage: kubetutor [LESSON | COMMAND] [OPTIONS]"));
        printf("\n%s\n", _("Commands:"));
        for (size_t i = 0; i < command_count; i++)
            if (!commands[i].hidden)
                print_command(&commands[i]);
        printf("\n%s\n", _("Options of every command:"));
        print_options(NULL);
        printf("\n%s\n", _("kubetutor COMMAND --help tells more, with examples."));
        return;
    }
    printf("%s kubetutor %s%s%s%s\n\n%s\n", _("Usage:"), command->name, command->arguments[0] != '\0' ? " " : "", command->arguments, command->options != 0 ? _(" [OPTIONS]") : "",
           _(command->help));
    if (command->options != 0) {
        printf("\n%s\n", _("Options:"));
        print_options(command);
    }
    printf("\n%s\n", _("Options of every command:"));
    print_options(NULL);
    if (command->examples != NULL)
        printf("\n%s\n%s", _("Examples:"), command->examples);
}

/* ---- completion ---- */

static void print_words(const char *separator)
{
    for (size_t i = 0; i < command_count; i++)
        if (!commands[i].hidden)
            printf("%s%s", i > 0 ? separator : "", commands[i].name);
}

static void print_options_of(unsigned mask)
{
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (option_specs[i].global || (mask & OPTION_BIT(i)) != 0)
            printf("%s ", option_specs[i].name);
}

static void print_choices(const char *choices)
{
    for (const char *c = choices; *c != '\0'; c++)
        putchar(*c == '|' ? ' ' : *c);
}

/* The values of an option, as a branch of bash's case; command "*": of any. */
static void print_bash_values(const char *command, const struct option_spec *spec)
{
    printf("    %s:%s", command, spec->name);
    if (spec->letter != 0)
        printf("|%s:-%c", command, spec->letter);
    printf(") COMPREPLY=($(compgen -W '");
    print_choices(spec->choices);
    printf("' -- \"$word\")); return ;;\n");
}

static void print_bash(void)
{
    printf("_kubetutor() {\n  local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command= w\n  COMPREPLY=()\n"
           "  local value=\n  for w in \"${COMP_WORDS[@]:1:COMP_CWORD-1}\"; do\n    if [ -n \"$value\" ]; then value=; continue; fi\n    case $w in\n");
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (option_specs[i].value != NULL) {
            printf("      %s", option_specs[i].name);
            if (option_specs[i].letter != 0)
                printf("|-%c", option_specs[i].letter);
            printf(") value=1 ;;\n");
        }
    printf("      -*) ;;\n      *) command=$w; break ;;\n    esac\n  done\n  case $command:$before in\n");
    for (size_t i = 0; i < sizeof special_options / sizeof *special_options; i++)
        print_bash_values(special_options[i].command, &special_options[i].spec);
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (option_specs[i].choices != NULL)
            print_bash_values("*", &option_specs[i]);
    printf("    *:--kubeconfig) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n    *:--pack) COMPREPLY=($(compgen -d -- \"$word\")); return ;;\n  esac\n"
           "  if [[ $word == -* ]]; then\n    case $command in\n");
    for (size_t i = 0; i < command_count; i++) {
        printf("      %s) COMPREPLY=($(compgen -W '", commands[i].name);
        print_options_of(commands[i].options);
        printf("' -- \"$word\")) ;;\n");
    }
    printf("      *) COMPREPLY=($(compgen -W '");
    print_options_of(0);
    printf("' -- \"$word\")) ;;\n    esac\n  elif [ -z \"$command\" ]; then\n    COMPREPLY=($(compgen -W \"");
    print_words(" ");
    printf(" $(kubetutor list -o names 2>/dev/null)\" -- \"$word\"))\n  else\n    COMPREPLY=($(compgen -W \"$(kubetutor list -o names 2>/dev/null)\" -- \"$word\"))\n  fi\n}\n"
           "complete -F _kubetutor kubetutor\n");
}

static void print_zsh(void)
{
    printf("#compdef kubetutor\nautoload -U +X bashcompinit && bashcompinit\n");
    print_bash();
}

/* In single quotes, as fish reads them. */
static void print_quoted(const char *text)
{
    putchar('\'');
    for (; *text != '\0'; text++)
        printf("%s%c", *text == '\'' || *text == '\\' ? "\\" : "", *text);
    putchar('\'');
}

static void print_fish_option(const struct option_spec *spec)
{
    printf(" -l %s%s", spec->name + 2, spec->value != NULL ? " -r" : "");
    if (spec->letter != 0)
        printf(" -s %c", spec->letter);
    if (spec->choices != NULL) {
        printf(" -f -a '");
        print_choices(spec->choices);
        printf("'");
    }
    printf(" -d ");
    print_quoted(spec->help);
    printf("\n");
}

static void print_fish(void)
{
    for (size_t i = 0; i < command_count; i++)
        if (!commands[i].hidden) {
            printf("complete -c kubetutor -n __fish_use_subcommand -f -a %s -d ", commands[i].name);
            print_quoted(commands[i].help);
            printf("\n");
        }
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        printf("complete -c kubetutor");
        if (!option_specs[i].global) {
            printf(" -n '__fish_seen_subcommand_from");
            for (size_t c = 0; c < command_count; c++)
                if ((commands[c].options & OPTION_BIT(i)) != 0 && spec_for(&commands[c], i) == &option_specs[i])
                    printf(" %s", commands[c].name);
            printf("'");
        }
        print_fish_option(&option_specs[i]);
    }
    for (size_t i = 0; i < sizeof special_options / sizeof *special_options; i++) {
        printf("complete -c kubetutor -n '__fish_seen_subcommand_from %s'", special_options[i].command);
        print_fish_option(&special_options[i].spec);
    }
    printf("complete -c kubetutor -n 'not __fish_use_subcommand' -f -a '(kubetutor list -o names 2>/dev/null)'\n");
}

void print_completion(const char *shell)
{
    if (strcmp(shell, "bash") == 0)
        print_bash();
    else if (strcmp(shell, "zsh") == 0)
        print_zsh();
    else
        print_fish();
}
