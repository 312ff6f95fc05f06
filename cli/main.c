#include <ctype.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "files/variable.h"
#include "frame/args.h"
#include "frame/shrunk.h"

static const char *command_name(const void *user, int index)
{
    (void)user;
    return cli_commands[index] ? cli_commands[index]->name : NULL;
}

static void print_help(void)
{
    puts("saccade: vision policies that look at the world through attention\n\nusage: saccade COMMAND ...\n");
    for (int i = 0; cli_commands[i]; i++) printf("  %-10s %s\n", cli_commands[i]->name, cli_commands[i]->summary);
    puts("\nPaths such as tasks/toy.yaml and zoo/car-racing/linear.safetensors are those of this folder, or, where it "
         "has none,\nthe installed ones; 'saccade tasks' and 'saccade zoo' list them.");
    puts("\n'saccade COMMAND --help' says more; 'saccade --version' the version.");
}

static void print_command_help(const cli_command *command)
{
    printf("usage: saccade %s%s%s [options]\n\n%s\n\n", command->name, *command->positionals ? " " : "",
           command->positionals, command->summary);
    for (const cli_flag *flag = cli_flags(command); flag->name; flag++)
    {
        char left[64];
        snprintf(left, sizeof left, "--%s%s%s", flag->name, flag->metavar ? " " : "",
                 flag->metavar ? flag->metavar : "");
        printf("  %-24s %s%s\n", left, flag->help, flag->repeated ? " (may be repeated)" : "");
    }
    char variable[96];
    const cli_flag *first = cli_flags(command);
    size_t length = (size_t)snprintf(variable, sizeof variable, "SACCADE_%s_%s", command->name, first->name);
    for (size_t i = 0; i < length; i++)
        variable[i] = variable[i] == '-' ? '_' : (char)toupper((unsigned char)variable[i]);
    printf("\nEnvironment variables do the same: %s=%s\n", variable, first->metavar ? first->metavar : "1");
}

// A level that is misspelt would be ignored by the library, which prints nothing. @return whether it is known
static bool check_cpu_level(void)
{
    const char *given = getenv("SACCADE_CPU");
    bool known = !given || !*given;
    for (int i = 0; !known && i <= SAC_CPU_AVX512; i++)
        known = strcmp(given, sac_cpu_level_name((sac_cpu_level)i)) == 0;
    if (!known) cli_usage("SACCADE_CPU is '%.80s', expected one of: scalar, neon, avx2, avx512", given);
    return known;
}

static int run(int argc, char **argv)
{
    if (!check_cpu_level()) return CLI_USAGE;
    sac_status status = sac_check_variables();
    if (status != SAC_OK) return cli_fail(status);
    if (argc < 2)
    {
        print_help();
        return CLI_USAGE;
    }
    if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0)
    {
        print_help();
        return CLI_OK;
    }
    if (strcmp(argv[1], "--version") == 0)
    {
        printf("saccade %s\n", sac_version());
        return CLI_OK;
    }
    if (strcmp(argv[1], "--man") == 0)
    {
        cli_print_manual();
        return CLI_OK;
    }
    if (strcmp(argv[1], "--completion") == 0) return cli_print_completion(argv[2]);
    for (int i = 0; cli_commands[i]; i++)
    {
        if (strcmp(argv[1], cli_commands[i]->name) != 0) continue;
        for (int a = 2; a < argc; a++)
            if (strcmp(argv[a], "--help") == 0)
            {
                print_command_help(cli_commands[i]);
                return CLI_OK;
            }
        static cli_args args;
        if (!cli_parse(&args, cli_commands[i], argc - 2, argv + 2)) return CLI_USAGE;
        int code = cli_open_plugins(&args);
        return code == CLI_OK ? cli_commands[i]->run(&args) : code;
    }
    return cli_usage("unknown command '%.80s'%s (see 'saccade --help')", argv[1],
                     sac_did_you_mean(sac_nearest(argv[1], command_name, NULL)));
}

// What was printed must have arrived, on a full disk too: what a script reads is either whole or said to be broken.
static int check_output(int code)
{
    bool failed = ferror(stdout) != 0;
    errno = 0;
    failed = fflush(stdout) != 0 || failed;
    failed = fclose(stdout) != 0 || failed;
    // after another failure, whose line is there already, one more says nothing new
    if (!failed || code != CLI_OK) return code;
    fprintf(stderr, "saccade: the output cannot be written%s%s\n", errno ? ": " : "", errno ? strerror(errno) : "");
    return CLI_FAILURE;
}

int main(int argc, char **argv)
{
    cli_watch_mapped_files();
    return check_output(run(argc, argv));
}
