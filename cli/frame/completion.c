#include <stdio.h>
#include <string.h>

#include "frame/words.h"

/// Completion for the shells, from the same tables as --help: subcommands, their options with what they mean, worlds,
/// variants and fields where those belong, files elsewhere.

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

static void say_word(const char *word)
{
    printf("%s ", word);
}

// colons separate the parts of what zsh's _arguments is told
static void say_escaped(const char *word)
{
    print_quoted(word, ":");
    putchar(' ');
}

// --- bash -------------------------------------------------------------------------------------------------------

static void print_bash_words(void)
{
    for (int kind = CLI_WORDS_WORLDS; kind < CLI_WORDS_COUNT; kind++)
    {
        printf("    local words_%d='", kind);
        cli_list_words((cli_words)kind, say_word);
        puts("'");
    }
}

// one line for each flag and operand that is no file
static void print_bash_values(const cli_command *command)
{
    for (const cli_flag *flag = cli_flags(command); flag->name; flag++)
    {
        cli_words kind = cli_words_of_flag(flag);
        if (!flag->metavar || flag->metavar[0] == '[' || kind == CLI_WORDS_FILES) continue;
        printf("        '%s --%s') files= ", command->name, flag->name);
        if (kind > CLI_WORDS_NONE) printf("values=$words_%d ", (int)kind);
        puts(";;");
    }
    cli_words kind = cli_words_of_operand(command->positionals, strcspn(command->positionals, " "));
    if (kind > CLI_WORDS_NONE)
        printf("        '%s '*) ((COMP_CWORD == 2)) && files= values=$words_%d ;;\n", command->name, (int)kind);
}

static void print_bash(void)
{
    puts(
        "_saccade()\n{\n    local word=${COMP_WORDS[COMP_CWORD]} last=${COMP_WORDS[COMP_CWORD-1]} words=--help values= "
        "files=1");
    print_bash_words();
    fputs("    COMPREPLY=()\n    if ((COMP_CWORD == 1)); then\n        words='", stdout);
    for (int i = 0; cli_commands[i]; i++) printf("%s ", cli_commands[i]->name);
    puts("--help --version'\n    else\n        case ${COMP_WORDS[1]} in");
    for (int i = 0; cli_commands[i]; i++)
    {
        printf("        %s) words='--help", cli_commands[i]->name);
        for (const cli_flag *flag = cli_flags(cli_commands[i]); flag->name; flag++) printf(" --%s", flag->name);
        puts("' ;;");
    }
    puts("        esac\n        case \"${COMP_WORDS[1]} $last\" in");
    for (int i = 0; cli_commands[i]; i++) print_bash_values(cli_commands[i]);
    puts("        esac\n    fi\n"
         "    if [[ $word == -* || $COMP_CWORD == 1 ]]; then\n"
         "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
         "    elif [[ -n $values ]]; then\n"
         "        mapfile -t COMPREPLY < <(compgen -W \"$values\" -- \"$word\")\n"
         "        [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null\n"
         "    elif [[ -n $files ]]; then\n"
         "        mapfile -t COMPREPLY < <(compgen -f -- \"$word\")\n"
         "    fi\n    return 0\n}\ncomplete -o filenames -F _saccade saccade");
}

// --- zsh --------------------------------------------------------------------------------------------------------

// Prints what comes behind a value's name: files, words in parentheses, or nothing
static void print_zsh_action(cli_words kind)
{
    if (kind == CLI_WORDS_FILES)
        fputs(":_files", stdout);
    else if (kind == CLI_WORDS_NONE)
        fputs(": ", stdout);
    else
    {
        fputs(":(", stdout);
        cli_list_words(kind, say_escaped);
        putchar(')');
    }
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
        const cli_command *command = cli_commands[i];
        printf("    %s) _arguments '--help[what it does]'", command->name);
        for (const cli_flag *flag = cli_flags(command); flag->name; flag++)
        {
            printf(" \\\n        '%s--%s%s[", flag->repeated ? "*" : "", flag->name, flag->metavar ? "=" : "");
            print_quoted(flag->help, "[]:\\");
            putchar(']');
            if (flag->metavar)
            {
                putchar(':');
                print_quoted(flag->metavar, ":\\");
                print_zsh_action(cli_words_of_flag(flag));
            }
            putchar('\'');
        }
        fputs(" '*:argument", stdout);
        print_zsh_action(cli_words_of_operand(command->positionals, strcspn(command->positionals, " ")));
        puts("' ;;");
    }
    puts("    esac\n}\nif [[ $funcstack[1] == _saccade ]]; then _saccade \"$@\"; else compdef _saccade saccade; fi");
}

// --- fish -------------------------------------------------------------------------------------------------------

static void print_fish_value(cli_words kind)
{
    if (kind == CLI_WORDS_FILES)
        fputs("-r -F ", stdout);
    else
        fputs("-x ", stdout);
    if (kind <= CLI_WORDS_NONE) return;
    fputs("-a '", stdout);
    cli_list_words(kind, say_word);
    fputs("' ", stdout);
}

static void print_fish(void)
{
    for (int i = 0; cli_commands[i]; i++)
    {
        const char *name = cli_commands[i]->name, *operands = cli_commands[i]->positionals;
        printf("complete -c saccade -f -n __fish_use_subcommand -a %s -d '", name);
        print_quoted(cli_commands[i]->summary, "\\");
        puts("'");
        cli_words kind = cli_words_of_operand(operands, strcspn(operands, " "));
        if (kind > CLI_WORDS_NONE)
        {
            printf("complete -c saccade -n '__fish_seen_subcommand_from %s' -f -a '", name);
            cli_list_words(kind, say_word);
            puts("'");
        }
        for (const cli_flag *flag = cli_flags(cli_commands[i]); flag->name; flag++)
        {
            printf("complete -c saccade -n '__fish_seen_subcommand_from %s' -l %s ", name, flag->name);
            if (flag->metavar) print_fish_value(cli_words_of_flag(flag));
            fputs("-d '", stdout);
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
