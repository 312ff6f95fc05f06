#include <stdio.h>

#include "cli.h"
#include "saccade/dash.h"

/// saccade report: a run as one HTML file.

static const cli_flag flags[] = {
    {"out", "F.html", "where to; default report.html", false},
    {"seed", "S", "of the episode that is shown; default 0", false},
    {"frames", "N", "of that episode at most; default 250; 0: none", false},
    {"command", "TEXT", "the command that trained the run; default: put together from its task", false},
    {0},
};

static int run(const cli_args *args)
{
    bool ok = true;
    uint64_t seed, last;
    cli_range(args, "seed", "0", &seed, &last, &ok);
    int frames = (int)cli_integer(args, "frames", 250, 0, 10000, &ok);
    if (!ok) return CLI_USAGE;
    if (seed != last) return cli_usage("report: --seed takes one seed");
    const char *out = cli_value(args, "out") ? cli_value(args, "out") : "report.html";
    const sac_report_def def = {.seed = seed, .frames = frames, .command = cli_value(args, "command")};
    sac_status status = sac_report_write(cli_positional(args, 0), &def, out);
    if (status != SAC_OK) return cli_fail(status);
    puts(out);
    return CLI_OK;
}

const cli_command cli_report = {"report", "RUN", "a run as one HTML file: card, curves, an episode, how to repeat it",
                                flags, run};
