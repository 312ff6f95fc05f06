#include <string.h>

#include "cli.h"
#include "saccade/view.h"

/// saccade plot: training curves of one run or of several, seeds of one task as median and quartiles.

enum
{
    MAX_RUNS = 256
};

static const cli_flag flags[] = {
    {"out", "F.svg", "where to; .svg or .png; default curve.svg", false},
    {"x", "AXIS", "steps (default), minutes or generations", false},
    {"each", NULL, "a line for every run, also where runs differ in their seed alone", false},
    {"title", "TEXT", "default: the name of the run", false},
    {0},
};

static int run(const cli_args *args)
{
    static const char *const axes[] = {"steps", "minutes", "generations"};
    const char *axis = cli_value(args, "x"), *out = cli_value(args, "out");
    int x = 0;
    while (axis && x < 3 && strcmp(axes[x], axis) != 0) x++;
    if (x == 3) return cli_usage("plot: --x is '%.80s', expected steps, minutes or generations", axis);
    const char *runs[MAX_RUNS];
    int count = 0;
    while (count < MAX_RUNS && cli_positional(args, count)) runs[count] = cli_positional(args, count), count++;
    // several seeds of one task are one line, unless asked otherwise
    bool medians = !cli_has(args, "each") && sac_plot_has_seeds(runs, count);
    sac_status status = (medians ? sac_plot_medians : sac_plot_curves)(
        runs, count, (sac_curve_x)x, cli_value(args, "title"), out ? out : "curve.svg");
    return status == SAC_OK ? CLI_OK : cli_fail(status);
}

const cli_command cli_plot = {
    "plot", "RUN...",
    "training curves of runs (folders or metrics.csv) as SVG or PNG; seeds of one task as their median", flags, run};
