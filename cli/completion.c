#include <stdio.h>
#include <string.h>

#include "cli.h"

/// Completion for the shells, from the same tables as --help: subcommands, their options with what they mean, files.

// text between single quotes; letters of `escaped` get a backslash
static void print_quoted(const char *text, const char *escaped)
{
    for (; *text; text++)
    {
        if (*text == '\'')
        {
            fputs("'\\''", stdout);
            continue;
        }
        if (strchr(escaped, *text)) putchar('\\');
        putchar(*text);
    }
}

static void print_bash(void)
{
    puts("_saccade()\n{\n    local word=${COMP_WORDS[COMP_CWORD]} words=--help\n    COMPREPLY=()");
    fputs("    if ((COMP_CWORD == 1)); then\n        words='", stdout);
    for (int i = 0; cli_commands[i]; i++) printf("%s ", cli_commands[i]->name);
    puts("--help --version'\n    else\n        case ${COMP_WORDS[1]} in");
    for (int i = 0; cli_commands[i]; i++)
    {
        printf("        %s) words='--help", cli_commands[i]->name);
        for (const cli_flag *flag = cli_flags(cli_commands[i]); flag->name; flag++) printf(" --%s", flag->name);
        puts("' ;;");
    }
    puts("        esac\n    fi\n"
         "    if [[ $word == -* || $COMP_CWORD == 1 ]]; then\n"
         "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
         "    else\n"
         "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
         "    fi\n}\ncomplete -o filenames -F _saccade saccade");
}

static void print_zsh(void)
{
    puts("#compdef saccade\n_saccade()\n{\n    if ((CURRENT == 2)); then\n        local -a commands=(");
    for (int i = 0; cli_commands[i]; i++)
    {
        printf("            '%s:", cli_commands[i]->name);
        print_quoted(cli_commands[i]->summary, ":");
        puts("'");
    }
    puts("        )\n        _describe command commands\n        return\n    fi\n    local command=$words[2]\n"
         "    shift words\n    ((CURRENT--))\n    case $command in");
    for (int i = 0; cli_commands[i]; i++)
    {
        printf("    %s) _arguments '--help[what it does]'", cli_commands[i]->name);
        for (const cli_flag *flag = cli_flags(cli_commands[i]); flag->name; flag++)
        {
            printf(" \\\n        '%s--%s%s[", flag->repeated ? "*" : "", flag->name, flag->metavar ? "=" : "");
            print_quoted(flag->help, "[]:\\");
            putchar(']');
            if (flag->metavar)
            {
                putchar(':');
                print_quoted(flag->metavar, ":\\");
                fputs(":_files", stdout);
            }
            putchar('\'');
        }
        puts(" '*:file:_files' ;;");
    }
    puts("    esac\n}\nif [[ $funcstack[1] == _saccade ]]; then _saccade \"$@\"; else compdef _saccade saccade; fi");
}

static void print_fish(void)
{
    for (int i = 0; cli_commands[i]; i++)
    {
        const char *name = cli_commands[i]->name;
        printf("complete -c saccade -f -n __fish_use_subcommand -a %s -d '", name);
        print_quoted(cli_commands[i]->summary, "\\");
        puts("'");
        for (const cli_flag *flag = cli_flags(cli_commands[i]); flag->name; flag++)
        {
            printf("complete -c saccade -n '__fish_seen_subcommand_from %s' -l %s %s-d '", name, flag->name,
                   flag->metavar ? "-r " : "");
            print_quoted(flag->help, "\\");
            puts("'");
        }
    }
}

int cli_print_completion(const char *shell)
{
    static const struct
    {
        const char *shell;
        void (*print)(void);
    } shells[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    for (size_t i = 0; i < sizeof shells / sizeof *shells; i++)
        if (shell && strcmp(shell, shells[i].shell) == 0)
        {
            shells[i].print();
            return CLI_OK;
        }
    return cli_usage("--completion needs a shell: bash, zsh or fish");
}
