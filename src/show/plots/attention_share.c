#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "saccade/attention_plots.h"
#include "saccade/plot.h"

enum
{
    SHOWN = 59 // ranks in the plot: its axis ends at 60
};

struct sac_attention_share
{
    int patches, kept;
    int64_t frames;
    float *sorted;  // [N]
    double *mean;   // [N], mean over frames of the share at each rank
    double *total;  // [N], mean over frames of the sum of shares up to each rank
    double *square; // [N], sum of squared distances from that mean
};

sac_status sac_attention_share_create(sac_attention_share **out, int patches)
{
    SAC_ASSERT(patches >= 1);
    *out = NULL;
    sac_attention_share *s = SAC_NEW(sac_attention_share);
    if (!s) return sac_fail_memory("attention shares");
    size_t n = (size_t)patches;
    s->patches = patches;
    s->sorted = SAC_NEW_ARRAY(float, n);
    s->mean = SAC_NEW_ARRAY(double, 3 * n);
    if (!s->sorted || !s->mean)
    {
        sac_attention_share_destroy(s);
        return sac_fail_memory("attention shares");
    }
    s->total = s->mean + n;
    s->square = s->total + n;
    *out = s;
    return SAC_OK;
}

void sac_attention_share_destroy(sac_attention_share *share)
{
    if (!share) return;
    sac_free(share->sorted);
    sac_free(share->mean);
    sac_free(share);
}

static int falling(const void *a, const void *b)
{
    float x = *(const float *)a, y = *(const float *)b;
    return (x < y) - (x > y);
}

void sac_attention_share_add(sac_attention_share *s, const sac_gaze *gaze)
{
    SAC_ASSERT(gaze->rows * gaze->columns == s->patches);
    const float *shown = sac_gaze_shown(gaze);
    double all = 0, total = 0;
    for (int i = 0; i < s->patches; i++) all += (double)shown[i];
    if (!(all > 0) || !isfinite(all)) return;
    memcpy(s->sorted, shown, (size_t)s->patches * sizeof *s->sorted);
    qsort(s->sorted, (size_t)s->patches, sizeof *s->sorted, falling);
    s->kept = gaze->kept;
    s->frames++;
    // Welford's running mean and sum of squares.
    for (int i = 0; i < s->patches; i++)
    {
        double part = (double)s->sorted[i] / all;
        total += part;
        double step = total - s->total[i];
        s->mean[i] += (part - s->mean[i]) / (double)s->frames;
        s->total[i] += step / (double)s->frames;
        s->square[i] += step * (total - s->total[i]);
    }
}

const double *sac_attention_share_mean(sac_attention_share *share)
{
    return share->frames ? share->mean : NULL;
}

sac_status sac_attention_share_plot(sac_attention_share *s, const char *title, const char *path)
{
    if (!s->frames) return sac_fail(SAC_ERROR_ARGUMENT, "plot '%.200s': no frame with attention was seen", path);
    int shown = s->patches < SHOWN ? s->patches : SHOWN;
    double rank[SHOWN], part[SHOWN], total[SHOWN], spread[SHOWN];
    for (int i = 0; i < shown; i++)
    {
        rank[i] = i + 1;
        part[i] = 100 * s->mean[i];
        total[i] = 100 * s->total[i];
        spread[i] = s->frames > 1 ? 100 * sqrt(s->square[i] / (double)(s->frames - 1)) : 0;
    }
    sac_plot_line lines[] = {
        {.name = "of one patch", .x = rank, .y = part, .count = shown, .color = 1, .bars = true},
        {.name = "of all patches up to it, \xc2\xb1 one standard deviation between frames",
         .x = rank,
         .y = total,
         .spread = spread,
         .count = shown},
    };
    sac_plot plot = {.title = title,
                     .subtitle = "share of all attention",
                     .x_label = "patches, the most important first",
                     .y_label = "share of attention, %",
                     .lines = lines,
                     .line_count = 2,
                     .mark_x = s->kept > 0 ? s->kept : NAN,
                     .mark_name = "what the controller gets",
                     .from_zero = true};
    return sac_plot_write(&plot, path);
}
