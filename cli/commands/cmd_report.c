#include <stdio.h>

#include "cli.h"
#include "saccade/dash.h"
#include "saccade/run.h"

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
    sac_run_summary summary;
    sac_status status = sac_run_summarise(&summary, cli_positional(args, 0));
    if (status != SAC_OK) return cli_fail(status);
    if (summary.net[0] && (cli_has(args, "seed") || cli_has(args, "frames")))
        return cli_usage("report: --seed and --frames are for episodes, and %.400s is a run of 'saccade fit'",
                         cli_positional(args, 0));
    const char *out = cli_value(args, "out") ? cli_value(args, "out") : "report.html";
    const sac_report_def def = {.seed = seed, .frames = frames, .command = cli_value(args, "command")};
    status = sac_report_write(cli_positional(args, 0), &def, out);
    if (status != SAC_OK) return cli_fail(status);
    puts(out);
    return CLI_OK;
}

const cli_command cli_report = {
    "report", "RUN", "a run as one HTML file: card, curves, an episode or the page of a net, how to repeat it", flags,
    run};
