#include "attention/heads/heads.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

/// Gaussian heads over the pixels of an image.

enum
{
    COOKIE = 0x4ead5,
    MAX_SIDE = 4096,
    MAX_HEADS = 256
};

static const double max_target = 1e6, max_precision = 1e9;

sac_heads_def sac_heads_default_def(void)
{
    return (sac_heads_def){.internal = COOKIE};
}

static sac_status check_head(const sac_head *head, int index)
{
    double a = head->precision[0], b = head->precision[1], c = head->precision[2];
    if (!(fabs(head->target[0]) <= max_target && fabs(head->target[1]) <= max_target))
        return sac_fail(SAC_ERROR_ARGUMENT, "heads: the target of head %d is %g, %g; expected at most %g", index,
                        head->target[0], head->target[1], max_target);
    if (a == (double)INFINITY && b == 0 && c == (double)INFINITY) return SAC_OK;
    if (!(a >= 0 && c >= 0 && a <= max_precision && c <= max_precision && b * b <= a * c * (1 + 1e-12)))
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "heads: the precision of head %d is (%g, %g, %g), expected 0 <= a, c <= %g and b^2 <= a c, or "
                        "INFINITY, 0, INFINITY",
                        index, a, b, c, max_precision);
    return SAC_OK;
}

static sac_status check(const sac_heads_def *def)
{
    if (def->internal != COOKIE)
        return sac_fail(SAC_ERROR_ARGUMENT, "heads: the def does not come from sac_heads_default_def()");
    if (def->height < 1 || def->height > MAX_SIDE || def->width < 1 || def->width > MAX_SIDE)
        return sac_fail(SAC_ERROR_ARGUMENT, "heads: height and width are %d and %d, expected 1 to %d", def->height,
                        def->width, MAX_SIDE);
    if (def->count < 1 || def->count > MAX_HEADS)
        return sac_fail(SAC_ERROR_ARGUMENT, "heads: count is %d, expected 1 to %d", def->count, MAX_HEADS);
    if (!def->heads) return sac_fail(SAC_ERROR_ARGUMENT, "heads: heads are missing");
    for (int i = 0; i < def->count; i++) SAC_TRY(check_head(&def->heads[i], i));
    return SAC_OK;
}

// Find the keys that 16 queries, from `query` on, attend to.
static void find_span(const sac_band *band, int query, int *first, int *span)
{
    int low = band->size, high = 0;
    for (int i = query; i < query + SAC_LANES && i < band->size; i++)
    {
        if (band->first[i] < low) low = band->first[i];
        if (band->first[i] + band->count[i] > high) high = band->first[i] + band->count[i];
    }
    *first = low;
    *span = high - low;
}

// Write the columns' bands as matrices for the mix kernel, which computes 16 queries at a time: a block is the weights
// of 16 queries over all keys that any of them attends to, with zeros elsewhere.
static sac_status make_blocks(sac_head_plan *plan)
{
    const sac_band *band = &plan->columns;
    size_t count = (size_t)(band->size + SAC_LANES - 1) / SAC_LANES, total = 0;
    plan->block_start = SAC_NEW_ARRAY(size_t, count);
    plan->block_first = SAC_NEW_ARRAY(int, count);
    plan->block_span = SAC_NEW_ARRAY(int, count);
    if (!plan->block_start || !plan->block_first || !plan->block_span) return sac_fail_memory("Gaussian heads");
    for (size_t b = 0; b < count; b++)
    {
        find_span(band, (int)b * SAC_LANES, &plan->block_first[b], &plan->block_span[b]);
        plan->block_start[b] = total;
        total += (size_t)plan->block_span[b] * SAC_LANES;
    }
    plan->blocks = SAC_NEW_ARRAY(float, total);
    if (!plan->blocks) return sac_fail_memory("Gaussian heads");
    for (int i = 0; i < band->size; i++)
    {
        size_t b = (size_t)(i / SAC_LANES);
        float *block = plan->blocks + plan->block_start[b] + i % SAC_LANES;
        for (int t = 0; t < band->count[i]; t++)
            block[(band->first[i] + t - plan->block_first[b]) * SAC_LANES] = band->weights[band->start[i] + (size_t)t];
    }
    return SAC_OK;
}

static sac_status make_plans(sac_heads *heads, const sac_head *list)
{
    for (int h = 0; h < heads->count; h++)
    {
        sac_head_plan *plan = &heads->plans[h];
        plan->head = list[h];
        if (!sac_head_is_separable(&list[h]))
        {
            SAC_TRY(sac_inside_create(&plan->inside, heads, &list[h]));
            continue;
        }
        SAC_TRY(sac_band_create(&plan->rows, heads->height, list[h].precision[0], list[h].target[0]));
        SAC_TRY(sac_band_create(&plan->columns, heads->width, list[h].precision[2], list[h].target[1]));
        SAC_TRY(make_blocks(plan));
    }
    return SAC_OK;
}

sac_status sac_heads_create(sac_heads **out, const sac_heads_def *def)
{
    *out = NULL;
    SAC_TRY(check(def));
    sac_heads *heads = SAC_NEW(sac_heads);
    if (!heads) return sac_fail_memory("Gaussian heads");
    heads->kernels = sac_kernels_create(sac_get_cpu_level());
    heads->height = def->height;
    heads->width = def->width;
    heads->count = def->count;
    heads->plans = SAC_NEW_ARRAY(sac_head_plan, (size_t)def->count);
    sac_status status = heads->plans ? make_plans(heads, def->heads) : sac_fail_memory("Gaussian heads");
    if (status != SAC_OK)
    {
        sac_heads_destroy(heads);
        return status;
    }
    *out = heads;
    return SAC_OK;
}

void sac_heads_destroy(sac_heads *heads)
{
    if (!heads) return;
    for (int h = 0; heads->plans && h < heads->count; h++)
    {
        sac_head_plan *plan = &heads->plans[h];
        sac_band_destroy(&plan->rows);
        sac_band_destroy(&plan->columns);
        sac_inside_destroy(&plan->inside);
        sac_free(plan->blocks);
        sac_free(plan->block_start);
        sac_free(plan->block_first);
        sac_free(plan->block_span);
    }
    sac_free(heads->plans);
    sac_free(heads);
}
