#include <string.h>

#include "cli.h"
#include "saccade/result_plots.h"
#include "target.h"

/// saccade plot: what runs, or a table of another subcommand, look like.

enum
{
    MAX_FILES = 256
};

static const cli_flag flags[] = {
    {"out", "F.svg", "where to; .svg or .png; default plot.svg", false},
    {"title", "TEXT", "default: what is drawn", false},
    {"x", "AXIS", "of runs: steps (default), minutes or generations", false},
    {"each", NULL, "of runs: a line for every one, also where they differ in their seed alone", false},
    {"env", "ID", "of generalise: the world, where the tables have several", false},
    {"memory", NULL, "of bench attention: memory in place of time", false},
    {0},
};

static int plot_runs(const cli_args *args, const char *const *files, int count, const char *out)
{
    static const char *const axes[] = {"steps", "minutes", "generations"};
    const char *axis = cli_value(args, "x");
    int x = 0;
    while (axis && x < 3 && strcmp(axes[x], axis) != 0) x++;
    if (x == 3) return cli_usage("plot: --x is '%.80s', expected steps, minutes or generations", axis);
    // several seeds of one task are one line, unless asked otherwise
    bool medians = !cli_has(args, "each") && sac_plot_has_seeds(files, count);
    sac_status status =
        (medians ? sac_plot_medians : sac_plot_curves)(files, count, (sac_curve_x)x, cli_value(args, "title"), out);
    return status == SAC_OK ? CLI_OK : cli_fail(status);
}

// a flag that is for other files says so, rather than being passed over
static const char *misplaced(const cli_args *args, sac_plot_kind kind)
{
    if (kind != SAC_PLOT_RUN && cli_has(args, "x")) return "--x is for runs";
    if (kind != SAC_PLOT_RUN && cli_has(args, "each")) return "--each is for runs";
    if (kind != SAC_PLOT_GENERALISATION && cli_has(args, "env")) return "--env is for tables of generalise";
    if (kind != SAC_PLOT_KERNELS && cli_has(args, "memory")) return "--memory is for tables of bench attention";
    return NULL;
}

static int run(const cli_args *args)
{
    const char *files[MAX_FILES] = {cli_positional(args, 0)}, *title = cli_value(args, "title"),
               *out = cli_value(args, "out");
    if (!out) out = "plot.svg";
    int count = 1; // the first is there: the command line was checked
    sac_plot_kind kind = SAC_PLOT_RUN, other;
    while (count < MAX_FILES && cli_positional(args, count)) files[count] = cli_positional(args, count), count++;
    sac_status status = sac_plot_kind_of(&kind, files[0]);
    for (int i = 1; status == SAC_OK && i < count; i++)
    {
        status = sac_plot_kind_of(&other, files[i]);
        if (status == SAC_OK && other != kind)
            return cli_usage("plot: %s and %s do not go together", files[0], files[i]);
    }
    if (status != SAC_OK) return cli_fail(status);
    if (misplaced(args, kind)) return cli_usage("plot: %s", misplaced(args, kind));
    const int code = cli_check_out(args, "out");
    if (code != CLI_OK) return code;
    if (kind == SAC_PLOT_RUN) return plot_runs(args, files, count, out);
    if (kind == SAC_PLOT_FIT)
    {
        status = sac_plot_fits(files, count, title, out);
        return status == SAC_OK ? CLI_OK : cli_fail(status);
    }
    if (kind != SAC_PLOT_GENERALISATION && count > 1) return cli_usage("plot: one table at a time");
    if (kind == SAC_PLOT_GENERALISATION)
        status = sac_plot_generalisation(files, count, cli_value(args, "env"), title, out);
    else if (kind == SAC_PLOT_IMPORTANCE)
        status = sac_plot_importance(files[0], title, out);
    else if (kind == SAC_PLOT_ATTENTION)
        status = sac_plot_attention(files[0], title, out);
    else
        status = sac_plot_kernels(files[0], cli_has(args, "memory"), title, out);
    return status == SAC_OK ? CLI_OK : cli_fail(status);
}

const cli_command cli_plot = {
    "plot", "FILE...", "runs, or a table of generalise, attend, watch --attention or bench attention, as SVG or PNG",
    flags, run};
