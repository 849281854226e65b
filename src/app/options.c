/* options.c: the command line, its help and its completion, all from the same two tables. */
#include <stdio.h>
#include <string.h>

#include "app/internal.h"
#include "base/lang.h"

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
    [OPTION_MUTANTS] = {"--mutants", 0, NULL, N_("prove, too, that wrong states are refused"), false, NULL},
};

static bool complain(const char *format, const char *a, const char *b)
{
    fprintf(stderr, "kubetutor: ");
    fprintf(stderr, format, a, b);
    fprintf(stderr, "\n%s\n", _("try: kubetutor --help"));
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

static bool options_fit(const struct app *app)
{
    for (size_t i = 0; i < OPTION_COUNT; i++)
        if (app->values[i] != NULL && !option_specs[i].global && (app->command->options & OPTION_BIT(i)) == 0)
            return complain(_("%s does not take the option %s"), app->command->name, option_specs[i].name);
    int count = (int)app->arguments.length;
    if (app->values[OPTION_HELP] != NULL)
        return true;
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

static void print_options(unsigned mask, bool global)
{
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option_spec *spec = &option_specs[i];
        if (spec->global != global || (!global && (mask & OPTION_BIT(i)) == 0))
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
        print_options(0, true);
        printf("\n%s\n", _("kubetutor COMMAND --help tells more, with examples."));
        return;
    }
    printf("%s kubetutor %s%s%s%s\n\n%s\n", _("Usage:"), command->name, command->arguments[0] != '\0' ? " " : "", command->arguments, command->options != 0 ? _(" [OPTIONS]") : "",
           _(command->help));
    if (command->options != 0) {
        printf("\n%s\n", _("Options:"));
        print_options(command->options, false);
    }
    printf("\n%s\n", _("Options of every command:"));
    print_options(0, true);
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
    printf("      -*) ;;\n      *) command=$w; break ;;\n    esac\n  done\n  case $before in\n");
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option_spec *spec = &option_specs[i];
        if (spec->choices != NULL) {
            printf("    %s) COMPREPLY=($(compgen -W '", spec->name);
            for (const char *c = spec->choices; *c != '\0'; c++)
                putchar(*c == '|' ? ' ' : *c);
            printf("' -- \"$word\")); return ;;\n");
        }
    }
    printf("    --kubeconfig) COMPREPLY=($(compgen -f -- \"$word\")); return ;;\n    --pack) COMPREPLY=($(compgen -d -- \"$word\")); return ;;\n  esac\n"
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

static void print_fish(void)
{
    for (size_t i = 0; i < command_count; i++)
        if (!commands[i].hidden) {
            printf("complete -c kubetutor -n __fish_use_subcommand -f -a %s -d ", commands[i].name);
            print_quoted(commands[i].help);
            printf("\n");
        }
    for (size_t i = 0; i < OPTION_COUNT; i++) {
        const struct option_spec *spec = &option_specs[i];
        printf("complete -c kubetutor -l %s%s", spec->name + 2, spec->value != NULL ? " -r" : "");
        if (spec->letter != 0)
            printf(" -s %c", spec->letter);
        if (!spec->global) {
            printf(" -n '__fish_seen_subcommand_from");
            for (size_t c = 0; c < command_count; c++)
                if ((commands[c].options & OPTION_BIT(i)) != 0)
                    printf(" %s", commands[c].name);
            printf("'");
        }
        printf(" -d ");
        print_quoted(spec->help);
        printf("\n");
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
