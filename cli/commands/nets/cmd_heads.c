#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/text.h"
#include "cli.h"
#include "commands/nets/heads_over.h"
#include "files/atomic.h"
#include "files/json.h"

/// saccade heads: what the heads of an attention net have learned to look at, and whether they are a convolution.

enum
{
    MAX_PICTURES = 100000,
    MAX_REACH = 512,
    MAX_LAYER = 1000
};

static const cli_flag flags[] = {
    {"out", "FILE.svg", "draw centres and spreads, a panel a layer, or into FILE.png", false},
    {"layer", "L", "for --out: this layer over training, a panel a net that the run kept, nine at most", false},
    {"video", "F.mp4", "write a film over training, a frame a net that the run kept (evaluation.keep)", false},
    {"frames", "DIR", "write the film as PNG images into a folder", false},
    {"fps", "N", "frames per second of the film, default 4", false},
    {"csv", "F.csv", "write a row a head, of every net that the run kept or else of the last one", false},
    {"reach", "N", "tokens from the middle of a panel to its edge; default half the picture, 7.5 at most", false},
    {"pictures", "N", "test pictures that encodings with content are measured over, default 32", false},
    {"set", "data.KEY=VALUE", "where the test pictures lie: data.folder, data.format, data.limit", true},
    {"json", NULL, "print one JSON object a head", false},
    {0},
};

// ---- what is printed

static void print_counts(const sac_head_seen *seen, int heads)
{
    int counts[SAC_HEAD_KINDS] = {0}, degenerate = 0;
    for (int h = 0; h < heads; h++)
    {
        counts[seen[h].kind]++;
        degenerate += sac_head_is_degenerate(seen[h].kind);
    }
    printf("layer %d:", seen->layer);
    for (int k = 0; k < SAC_HEAD_KINDS; k++)
        if (counts[k] > 0) printf(" %d %s,", counts[k], sac_head_kind_name((sac_head_kind)k));
    printf(" %d of %d degenerate\n", degenerate, heads);
}

static void print(const sac_heads_seen *g)
{
    printf("%d layer%s of %d head%s over %d x %d tokens", g->layers, sac_plural(g->layers), g->heads,
           sac_plural(g->heads), g->rows, g->columns);
    if (g->pictures > 0) printf("; attention is the mean over %d picture%s", g->pictures, sac_plural(g->pictures));
    printf("\n%5s %4s %7s %7s %7s %8s %6s %7s  %s\n", "layer", "head", "row", "column", "spread", "shift", "off",
           "share", "kind");
    for (int i = 0; i < g->layers * g->heads; i++)
    {
        const sac_head_seen *h = &g->seen[i];
        char shift[32];
        snprintf(shift, sizeof shift, "%d,%d", h->shift[0], h->shift[1]);
        printf("%5d %4d %7.2f %7.2f %7.3g %8s %6.2f %6.1f%%  %s\n", h->layer, h->head, h->centre[0], h->centre[1],
               h->spread, shift, h->off, 100 * h->share, sac_head_kind_name(h->kind));
    }
    for (int l = 0; l < g->layers; l++) print_counts(g->seen + (ptrdiff_t)l * g->heads, g->heads);
}

static sac_status print_json(const sac_heads_seen *g)
{
    for (int i = 0; i < g->layers * g->heads; i++)
    {
        const sac_head_seen *h = &g->seen[i];
        SAC_TRY(sac_json_print(
            stdout, json_pack("{s:i, s:i, s:[o, o], s:[o, o, o], s:o, s:[i, i], s:f, s:f, s:s, s:b}", "layer", h->layer,
                              "head", h->head, "centre", sac_json_number(h->centre[0]), sac_json_number(h->centre[1]),
                              "covariance", sac_json_number(h->covariance[0]), sac_json_number(h->covariance[1]),
                              sac_json_number(h->covariance[2]), "spread", sac_json_number(h->spread), "shift",
                              h->shift[0], h->shift[1], "off", h->off, "share", h->share, "kind",
                              sac_head_kind_name(h->kind), "degenerate", sac_head_is_degenerate(h->kind))));
    }
    return SAC_OK;
}

// ---- what is asked for

static const char *data_key(const void *unused, int index)
{
    static const char *const keys[] = {"data.folder", "data.format", "data.limit", NULL};
    (void)unused;
    return keys[index];
}

// @return an exit code
static int check_settings(const cli_heads_plan *plan)
{
    for (int i = 0; i < plan->setting_count; i++)
    {
        int k = 0;
        while (data_key(NULL, k) && strcmp(data_key(NULL, k), plan->settings[i].key) != 0) k++;
        if (!data_key(NULL, k))
            return cli_usage("heads: --set %.80s: expected data.folder, data.format or data.limit%s",
                             plan->settings[i].key,
                             sac_did_you_mean(sac_nearest(plan->settings[i].key, data_key, NULL)));
    }
    return CLI_OK;
}

// options that would do nothing @return an exit code
static int check_options(const cli_args *args, const cli_heads_plan *plan)
{
    const bool film = plan->video || plan->frames, picture = cli_value(args, "out") != NULL;
    if (plan->layer >= 0 && !picture)
        return cli_usage("heads: --layer is for the picture of a layer over training: give --out FILE.svg, too");
    if (cli_has(args, "fps") && !film)
        return cli_usage("heads: --fps is for a film: give --video F.mp4 or --frames DIR, too");
    if (cli_has(args, "reach") && !film && !picture)
        return cli_usage(
            "heads: --reach is for what is drawn: give --out FILE.svg, --video F.mp4 or --frames DIR, too");
    return CLI_OK;
}

static bool read_plan(const cli_args *args, cli_heads_plan *plan)
{
    bool ok = true;
    plan->pictures = (int)cli_integer(args, "pictures", SAC_HEAD_PICTURES, 1, MAX_PICTURES, &ok);
    plan->frames_per_second = (int)cli_integer(args, "fps", 4, 1, 1000, &ok);
    plan->reach = (double)cli_integer(args, "reach", 0, 1, MAX_REACH, &ok);
    plan->layer = cli_has(args, "layer") ? (int)cli_integer(args, "layer", 0, 0, MAX_LAYER, &ok) : -1;
    plan->video = cli_value(args, "video");
    plan->frames = cli_value(args, "frames");
    plan->table = cli_value(args, "csv");
    plan->setting_count = cli_settings(args, "set", &plan->settings);
    return ok && plan->setting_count >= 0 && check_settings(plan) == CLI_OK && check_options(args, plan) == CLI_OK;
}

static sac_status look(const cli_args *args, const cli_heads_plan *plan, const cli_nets *nets, const char *net)
{
    sac_heads_seen seen;
    SAC_TRY(cli_heads_load(&seen, net, plan));
    sac_status status = SAC_OK;
    const char *picture = cli_value(args, "out");
    if (picture && plan->layer >= 0)
        status = cli_heads_draw_layer(nets, plan, plan->layer, picture);
    else if (picture)
        status = cli_heads_draw(&seen, plan, "Where heads look", picture);
    const bool over = nets->count > 0 && (plan->video || plan->frames || plan->table);
    if (status == SAC_OK && over) status = cli_heads_over(nets, plan);
    if (status == SAC_OK && plan->table && !over) status = cli_heads_table(&seen, plan->table);
    if (status == SAC_OK && cli_has(args, "json"))
        status = print_json(&seen);
    else if (status == SAC_OK)
        print(&seen);
    sac_heads_seen_clear(&seen);
    return status;
}

// The last net of a run: the one that was evaluated last or, where none was so far, the newest that was kept, of which
// a line says so.
static sac_status find_last(char net[SAC_PATH_SIZE], const char *run, const cli_nets *nets)
{
    SAC_TRY(sac_join_path(net, run, "net.safetensors"));
    if (access(net, F_OK) == 0) return SAC_OK;
    if (nets->count == 0)
        return sac_fail(SAC_ERROR_FILE,
                        "%.400s holds no net: net.safetensors comes with the first evaluation of a fit, and nets in "
                        "nets/ with evaluation.keep",
                        run);
    SAC_TRY(cli_nets_path(net, nets, nets->count - 1));
    fprintf(stderr,
            "saccade: %s has no net.safetensors so far; this is the newest net that it kept, after epoch %" PRIu64 "\n",
            run, nets->epochs[nets->count - 1]);
    return SAC_OK;
}

static int run(const cli_args *args)
{
    cli_heads_plan plan = {0};
    cli_nets nets = {0};
    const char *path = cli_positional(args, 0);
    char net[SAC_PATH_SIZE];
    if (!read_plan(args, &plan)) return CLI_USAGE;
    const bool is_run = sac_is_folder(path);
    if (!is_run) snprintf(net, sizeof net, "%s", path);
    sac_status status = is_run ? cli_nets_find(&nets, path) : SAC_OK;
    if (status == SAC_OK && (plan.video || plan.frames || plan.layer >= 0) && nets.count == 0)
    {
        cli_nets_clear(&nets);
        return cli_usage("heads: %s needs a run whose nets were kept: saccade fit TASK.yaml --set "
                         "evaluation.keep=1, then saccade heads RUN --video F.mp4",
                         plan.layer >= 0 ? "--layer" : "a film");
    }
    if (status == SAC_OK && is_run) status = find_last(net, path, &nets);
    if (status == SAC_OK) status = look(args, &plan, &nets, net);
    cli_nets_clear(&nets);
    return status == SAC_OK ? CLI_OK : cli_fail(status);
}

const cli_command cli_heads = {"heads", "RUN|NET.safetensors",
                               "where the heads of an attention net look, as a table, a picture, a film over training",
                               flags, run};
