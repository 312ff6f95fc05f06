#include <math.h>
#include <string.h>

#include "base/series.h"
#include "kernels/elementary.h"
#include "words/encoder.h"

/// The contrast of patches and captions, see encoder.h. Sums run in the order of patches and captions, in doubles.

// A: which patches of all a caption means. Adds the slope of each logit, times `share`.
static double contrast_patches(const words_batch *b, int caption, double share)
{
    float largest = -INFINITY;
    double all = 0, right = 0;
    for (int p = 0; p < b->patches; p++)
        if (b->shown[p] != WORDS_HALF) largest = fmaxf(largest, b->logits[(ptrdiff_t)p * b->captions + caption]);
    for (int p = 0; p < b->patches; p++)
    {
        if (b->shown[p] == WORDS_HALF) continue;
        const double power = (double)sac_exp(b->logits[(ptrdiff_t)p * b->captions + caption] - largest);
        all += power;
        if (b->shown[p] == caption) right += power;
    }
    if (right < 1e-30) right = 1e-30; // its patches are so far off that floats cannot tell how far
    for (int p = 0; p < b->patches; p++)
    {
        if (b->shown[p] == WORDS_HALF) continue;
        const ptrdiff_t at = (ptrdiff_t)p * b->captions + caption;
        const double power = (double)sac_exp(b->logits[at] - largest);
        b->slopes[at] += (float)(share * (power / all - (b->shown[p] == caption ? power / right : 0)));
    }
    return -sac_series_log(right / all);
}

// B: which caption of all a patch shows.
static double contrast_captions(const words_batch *b, int patch, double share)
{
    const float *logits = b->logits + (ptrdiff_t)patch * b->captions;
    float *slopes = b->slopes + (ptrdiff_t)patch * b->captions, largest = -INFINITY;
    double all = 0;
    for (int c = 0; c < b->captions; c++) largest = fmaxf(largest, logits[c]);
    for (int c = 0; c < b->captions; c++) all += (double)sac_exp(logits[c] - largest);
    for (int c = 0; c < b->captions; c++)
        slopes[c] += (float)(share * ((double)sac_exp(logits[c] - largest) / all - (c == b->shown[patch])));
    return sac_series_log(all) - (double)(logits[b->shown[patch]] - largest);
}

static int count_shown(const words_batch *b, int caption)
{
    int count = 0;
    for (int p = 0; p < b->patches; p++) count += caption < 0 ? b->shown[p] >= 0 : b->shown[p] == caption;
    return count;
}

double sac_words_loss(const words_encoder *e, const sac_learn *l, const words_batch *b, float temperature, float *dkeys,
                      float *dqueries, float *dt)
{
    const size_t numbers = (size_t)b->patches * (size_t)b->captions;
    const int all = count_shown(b, -1);
    int captions = 0;
    double patches_loss = 0, captions_loss = 0, slope = 0;
    l->linear_forward(l, b->logits, b->keys, b->queries, NULL, b->patches, e->size, b->captions, SAC_ACTIVATION_NONE);
    for (size_t i = 0; i < numbers; i++) b->logits[i] *= temperature;
    memset(b->slopes, 0, numbers * sizeof *b->slopes);
    for (int c = 0; c < b->captions; c++) captions += count_shown(b, c) > 0;
    for (int c = 0; c < b->captions; c++)
        if (count_shown(b, c) > 0) patches_loss += contrast_patches(b, c, 0.5 / captions) / captions;
    for (int p = 0; p < b->patches; p++)
        if (b->shown[p] >= 0) captions_loss += contrast_captions(b, p, 0.5 / all) / all;
    // q.k = T times a cosine, whose slope in t is itself
    for (size_t i = 0; i < numbers; i++)
    {
        slope += (double)b->slopes[i] * (double)b->logits[i];
        b->slopes[i] *= temperature;
    }
    *dt = (float)slope;
    memset(dqueries, 0, (size_t)b->captions * (size_t)e->size * sizeof *dqueries);
    l->linear_backward(l, dkeys, dqueries, NULL, b->slopes, b->keys, b->queries, b->patches, e->size, b->captions);
    return (patches_loss + captions_loss) / 2;
}
