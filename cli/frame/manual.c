#include <stdio.h>

#include "cli.h"

/// The manual page, from the same tables as --help: nothing can be in one and not in the other.

// text as roff: backslashes and leading dots are commands there, a plain dash may break a line
static void print_text(const char *text)
{
    if (*text == '.' || *text == '\'') fputs("\\&", stdout);
    for (; *text; text++)
    {
        if (*text == '\\')
            fputs("\\e", stdout);
        else if (*text == '-')
            fputs("\\-", stdout);
        else
            putchar(*text);
    }
}

static void print_command(const cli_command *command)
{
    printf(".SS \"");
    print_text(command->name);
    if (*command->positionals) putchar(' ');
    print_text(command->positionals);
    puts("\"");
    print_text(command->summary);
    puts("");
    for (const cli_flag *flag = cli_flags(command); flag->name; flag++)
    {
        fputs(".TP\n.B ", stdout);
        print_text("--");
        print_text(flag->name);
        if (flag->metavar) printf(" \\fI%s\\fR", flag->metavar);
        puts("");
        print_text(flag->help);
        puts(flag->repeated ? " (may be repeated)" : "");
    }
}

void cli_print_manual(void)
{
    printf(".TH SACCADE 1 \"\" \"saccade %s\" \"User Commands\"\n", sac_version());
    puts(".SH NAME\nsaccade \\- vision policies that look at the world through attention");
    puts(".SH SYNOPSIS\n.B saccade\n.I COMMAND\n[options] ...");
    puts(".SH DESCRIPTION\nTrains, runs, inspects and ships vision policies of a few thousand parameters that see the\n"
         "world through an attention bottleneck. Every command explains itself with\n.BR \\-\\-help .");
    puts(".SH COMMANDS");
    for (int i = 0; cli_commands[i]; i++) print_command(cli_commands[i]);
    puts(".SH EXIT STATUS\n0 when all went well, 1 when something failed, 2 when the command line is wrong. The reason "
         "is\n"
         "one line on standard error.");
    puts(".SH ENVIRONMENT\n.TP\n.B SACCADE_COMMAND_OPTION\nan option of a command, such as SACCADE_TRAIN_THREADS=2; a "
         "switch takes 1 or 0, what may be\nrepeated stands between semicolons; an empty\none is none; the command "
         "line overrules it\n.TP\n.B "
         "SACCADE_CPU\nlimits the instruction set: scalar, neon, avx2, avx512\n"
         ".TP\n.B SACCADE_PLUGINS\nshared objects with worlds and policies of your own, as by\n.B \\-\\-plugin ,\n"
         "colons between them\n"
         ".TP\n.B SACCADE_ZOO\nthe folder of trained policies\n"
         ".TP\n.B SACCADE_PYTHON\nthe Python that worlds of other makers (gym:..., take-cover) run in\n"
         ".TP\n.B SACCADE_MODULES\nanother folder with the parts that are opened when they are needed (saccade-film.so "
         "and the others)\n"
         ".TP\n.B SACCADE_MODELS\nthe folder of the control suite's models\n"
         ".TP\n.B SACCADE_MUJOCO\nthe folder of MuJoCo's library, as of the Python package mujoco\n"
         ".TP\n.B SACCADE_PEERS\nthe Python that\n.B bench\nfinds its peers in");
    puts(".PP\nA variable that names a file or a folder is refused when it is set and empty; leave it unset for "
         "the\ndefault.");
}
