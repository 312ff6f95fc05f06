#include "commands/nets/heads_over.h"

#include <dirent.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "files/atomic.h"
#include "saccade/film.h"
#include "saccade/plot.h"

// ---- the nets of a run

static int by_number(const void *a, const void *b)
{
    const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static sac_status list(cli_nets *nets, DIR *folder)
{
    for (const struct dirent *entry; (entry = readdir(folder));)
    {
        uint64_t epoch;
        int end = 0;
        if (sscanf(entry->d_name, "%6" SCNu64 ".safetensors%n", &epoch, &end) != 1 || end == 0 || entry->d_name[end])
            continue;
        if (nets->count == CLI_NETS)
            return sac_fail(SAC_ERROR_ARGUMENT, "%.400s/nets holds more than %d nets", nets->run, (int)CLI_NETS);
        nets->epochs[nets->count++] = epoch;
    }
    qsort(nets->epochs, (size_t)nets->count, sizeof *nets->epochs, by_number);
    return SAC_OK;
}

sac_status cli_nets_find(cli_nets *nets, const char *run)
{
    char path[SAC_PATH_SIZE];
    *nets = (cli_nets){0};
    snprintf(nets->run, sizeof nets->run, "%s", run);
    SAC_TRY(sac_join_path(path, run, "nets"));
    DIR *folder = opendir(path);
    if (!folder) return SAC_OK;
    nets->epochs = SAC_NEW_ARRAY(uint64_t, CLI_NETS);
    sac_status status = nets->epochs ? list(nets, folder) : sac_fail_memory("the nets of a run");
    closedir(folder);
    if (status != SAC_OK) cli_nets_clear(nets);
    return status;
}

void cli_nets_clear(cli_nets *nets)
{
    sac_free(nets->epochs);
    nets->epochs = NULL;
    nets->count = 0;
}

sac_status cli_nets_path(char path[SAC_PATH_SIZE], const cli_nets *nets, int index)
{
    char name[40];
    snprintf(name, sizeof name, "nets/%06" PRIu64 ".safetensors", nets->epochs[index]);
    return sac_join_path(path, nets->run, name);
}

sac_status cli_heads_load(sac_heads_seen *out, const char *path, const cli_heads_plan *plan)
{
    sac_trained_net net;
    *out = (sac_heads_seen){0};
    SAC_TRY(sac_trained_net_load(&net, path, plan->settings, plan->setting_count));
    sac_status status = sac_heads_see(out, &net, NULL, plan->pictures, path);
    sac_trained_net_clear(&net);
    return status;
}

static sac_status load_kept(sac_heads_seen *out, const cli_nets *nets, int index, const cli_heads_plan *plan)
{
    char path[SAC_PATH_SIZE];
    SAC_TRY(cli_nets_path(path, nets, index));
    return cli_heads_load(out, path, plan);
}

// ---- pictures

enum
{
    PANELS = 64
};

typedef struct sheet
{
    sac_ellipse *ellipses; // [layers, heads]
    sac_ellipse_panel panels[PANELS];
    char names[PANELS][128], title[256];
    sac_ellipse_plot plot;
} sheet;

// Half the picture, so that shifts by one token are still seen well in large ones.
static double reach_of(const sac_heads_seen *seen, const cli_heads_plan *plan)
{
    const int side = seen->rows > seen->columns ? seen->rows : seen->columns;
    return plan->reach > 0 ? plan->reach : fmin(side / 2.0 + 0.5, 7.5);
}

// The heads of a layer in a panel, whose name begins with `word` and a number.
static void fill_panel(sheet *s, int panel, const sac_head_seen *seen, int heads, const char *word, uint64_t number)
{
    sac_ellipse *ellipses = s->ellipses + (ptrdiff_t)panel * heads;
    int shifts = 0, degenerate = 0, beyond = 0;
    for (int i = 0; i < heads; i++)
    {
        const sac_head_seen *h = &seen[i];
        shifts += h->kind == SAC_HEAD_SHIFT;
        beyond += !(fabs(h->centre[0]) <= s->plot.reach && fabs(h->centre[1]) <= s->plot.reach);
        degenerate += sac_head_is_degenerate(h->kind);
        ellipses[i] = (sac_ellipse){.x = h->centre[1],
                                    .y = h->centre[0],
                                    .covariance = {h->covariance[2], h->covariance[1], h->covariance[0]},
                                    .color = h->head,
                                    .number = h->head,
                                    .faint = sac_head_is_degenerate(h->kind)};
    }
    char *name = s->names[panel];
    const int end = snprintf(name, sizeof s->names[panel], "%s %" PRIu64 ": %d shift%s, %d degenerate", word, number,
                             shifts, sac_plural(shifts), degenerate);
    if (beyond > 0) snprintf(name + end, sizeof s->names[panel] - (size_t)end, ", %d out", beyond);
    s->panels[panel] = (sac_ellipse_panel){s->names[panel], ellipses, heads};
}

static void fill(sheet *s, const sac_heads_seen *seen)
{
    for (int l = 0; l < seen->layers; l++)
        fill_panel(s, l, seen->seen + (ptrdiff_t)l * seen->heads, seen->heads, "layer", (uint64_t)l);
}

static sac_status make_sheet(sheet **out, const sac_heads_seen *seen, const cli_heads_plan *plan, int panels)
{
    sheet *s = SAC_NEW(sheet);
    *out = s;
    if (!s) return sac_fail_memory("a picture of heads");
    *s = (sheet){.ellipses = SAC_NEW_ARRAY(sac_ellipse, (size_t)panels * (size_t)seen->heads)};
    if (!s->ellipses) return sac_fail_memory("a picture of heads");
    s->plot = (sac_ellipse_plot){.title = s->title,
                                 .subtitle = "one and two deviations of attention, in tokens; pale: degenerate; out: "
                                             "beyond the edge",
                                 .panels = s->panels,
                                 .panel_count = panels,
                                 .reach = reach_of(seen, plan)};
    return SAC_OK;
}

static void destroy_sheet(sheet *s)
{
    if (s) sac_free(s->ellipses);
    sac_free(s);
}

sac_status cli_heads_draw(const sac_heads_seen *seen, const cli_heads_plan *plan, const char *title, const char *path)
{
    sheet *s;
    sac_status status = make_sheet(&s, seen, plan, seen->layers);
    if (status == SAC_OK)
    {
        snprintf(s->title, sizeof s->title, "%.200s", title);
        fill(s, seen);
        status = sac_ellipse_plot_write(&s->plot, path);
    }
    destroy_sheet(s);
    return status;
}

static sac_status check_layer(const sac_heads_seen *seen, int layer)
{
    if (layer < seen->layers) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT, "there is no layer %d: the net has layers 0 to %d", layer, seen->layers - 1);
}

sac_status cli_heads_draw_layer(const cli_nets *nets, const cli_heads_plan *plan, int layer, const char *path)
{
    sheet *s = NULL;
    const int panels = nets->count < CLI_PANELS ? nets->count : CLI_PANELS;
    sac_status status = SAC_OK;
    for (int p = 0; p < panels && status == SAC_OK; p++)
    {
        const int at = panels > 1 ? (p * (nets->count - 1) + (panels - 1) / 2) / (panels - 1) : 0;
        sac_heads_seen seen;
        status = load_kept(&seen, nets, at, plan);
        if (status == SAC_OK) status = check_layer(&seen, layer);
        if (status == SAC_OK && p == 0) status = make_sheet(&s, &seen, plan, panels);
        if (status == SAC_OK)
            fill_panel(s, p, seen.seen + (ptrdiff_t)layer * seen.heads, seen.heads, "epoch", nets->epochs[at]);
        sac_heads_seen_clear(&seen);
    }
    if (status == SAC_OK)
    {
        snprintf(s->title, sizeof s->title, "Where the heads of layer %d look over training", layer);
        status = sac_ellipse_plot_write(&s->plot, path);
    }
    destroy_sheet(s);
    return status;
}

// ---- the table

static sac_status write_header(sac_atomic *file)
{
    char line[SAC_HEAD_TEXT];
    const int length = snprintf(line, sizeof line, "epoch,%s\n", sac_head_columns);
    return sac_atomic_write(file, line, (size_t)length);
}

static sac_status write_rows(sac_atomic *file, const sac_heads_seen *seen, const char *epoch)
{
    for (int i = 0; i < seen->layers * seen->heads; i++)
    {
        char head[SAC_HEAD_TEXT], line[SAC_HEAD_TEXT + 32];
        sac_head_print(head, &seen->seen[i]);
        const int length = snprintf(line, sizeof line, "%s,%s\n", epoch, head);
        SAC_TRY(sac_atomic_write(file, line, (size_t)length));
    }
    return SAC_OK;
}

sac_status cli_heads_table(const sac_heads_seen *seen, const char *path)
{
    sac_atomic file = {0};
    SAC_TRY(sac_atomic_begin(&file, path));
    sac_status status = write_header(&file);
    if (status == SAC_OK) status = write_rows(&file, seen, "");
    if (status == SAC_OK) return sac_atomic_commit(&file);
    sac_atomic_abort(&file);
    return status;
}

// ---- over training

typedef struct over
{
    const cli_nets *nets;
    const cli_heads_plan *plan;
    sac_film *video, *images;
    sac_atomic file;
    sheet *sheet;
    uint8_t *rgb;
} over;

static sac_status begin(over *o, const sac_heads_seen *first)
{
    const cli_heads_plan *plan = o->plan;
    int height, width;
    if (plan->table)
    {
        SAC_TRY(sac_atomic_begin(&o->file, plan->table));
        SAC_TRY(write_header(&o->file));
    }
    if (!plan->video && !plan->frames) return SAC_OK;
    SAC_TRY(make_sheet(&o->sheet, first, plan, first->layers));
    sac_ellipse_plot_size(first->layers, &height, &width);
    o->rgb = SAC_NEW_MATRIX(uint8_t, (size_t)height, 3 * (size_t)width);
    if (!o->rgb) return sac_fail_memory("a film");
    if (plan->video) SAC_TRY(sac_film_create(&o->video, plan->video, width, height, plan->frames_per_second));
    return plan->frames ? sac_film_create_images(&o->images, plan->frames, width, height) : SAC_OK;
}

static sac_status add(over *o, const sac_heads_seen *seen, uint64_t epoch)
{
    char number[24];
    snprintf(number, sizeof number, "%" PRIu64, epoch);
    if (o->plan->table) SAC_TRY(write_rows(&o->file, seen, number));
    if (!o->sheet) return SAC_OK;
    snprintf(o->sheet->title, sizeof o->sheet->title, "Where heads look after epoch %s", number);
    fill(o->sheet, seen);
    SAC_TRY(sac_ellipse_plot_draw(&o->sheet->plot, o->rgb));
    if (o->video) SAC_TRY(sac_film_add(o->video, o->rgb));
    return o->images ? sac_film_add(o->images, o->rgb) : SAC_OK;
}

static sac_status add_all(over *o)
{
    for (int i = 0; i < o->nets->count; i++)
    {
        sac_heads_seen seen;
        SAC_TRY(load_kept(&seen, o->nets, i, o->plan));
        sac_status status = i == 0 ? begin(o, &seen) : SAC_OK;
        if (status == SAC_OK) status = add(o, &seen, o->nets->epochs[i]);
        sac_heads_seen_clear(&seen);
        SAC_TRY(status);
    }
    if (o->video) SAC_TRY(sac_film_finish(o->video));
    if (o->images) SAC_TRY(sac_film_finish(o->images));
    return o->plan->table ? sac_atomic_commit(&o->file) : SAC_OK;
}

sac_status cli_heads_over(const cli_nets *nets, const cli_heads_plan *plan)
{
    over o = {.nets = nets, .plan = plan};
    sac_status status = add_all(&o);
    if (status != SAC_OK) sac_atomic_abort(&o.file);
    sac_film_destroy(o.video);
    sac_film_destroy(o.images);
    destroy_sheet(o.sheet);
    sac_free(o.rgb);
    return status;
}
