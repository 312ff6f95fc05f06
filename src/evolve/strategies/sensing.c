#include "evolve/strategies/sensing.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "evolve/strategies/shape.h"
#include "evolve/vector.h"

typedef struct direction
{
    double score;
    int pair;
} direction;

typedef struct sensing
{
    sac_common common;
    sac_pairs pairs;
    sac_ascent step;
    int used; // b, the directions in use
    bool by_difference, by_sigma, orthogonal;
    direction *directions; // [pairs], best first
    double *kept;          // [b], the pairs in the last gradient, best first
    double *gradient;      // [n]
} sensing;

sac_status sac_sensing_create(sac_search *search, const void *config)
{
    const sac_sensing_config *c = config;
    sensing *s = SAC_NEW(sensing);
    if (!s) return sac_fail_memory("a search");
    search->self = s;
    s->common = c->common;
    s->by_difference = strcmp(c->pick, "difference") == 0;
    s->by_sigma = strcmp(c->normalise, "sigma") == 0;
    s->orthogonal = c->orthogonal;
    SAC_TRY(sac_common_create(search, &c->common, 2));
    SAC_TRY(sac_pairs_create(&s->pairs, search));
    SAC_TRY(sac_ascent_create(&s->step, &c->step, 0.02, search->dimension));
    // Rounding keeps a share such as 0.3 of 50 at 15, whatever the last bit of 0.3 is.
    s->used = (int)ceil(c->top * s->pairs.count - 1e-9);
    if (s->used < 1) s->used = 1;
    s->directions = SAC_NEW_ARRAY(direction, (size_t)s->pairs.count);
    s->kept = SAC_NEW_ARRAY(double, (size_t)s->used);
    s->gradient = SAC_NEW_ARRAY(double, (size_t)search->dimension);
    return s->directions && s->kept && s->gradient ? SAC_OK : sac_fail_memory("a search");
}

void sac_sensing_destroy(void *self)
{
    sensing *s = self;
    if (!s) return;
    sac_pairs_destroy(&s->pairs);
    sac_ascent_destroy(&s->step);
    sac_free(s->directions);
    sac_free(s->kept);
    sac_free(s->gradient);
    sac_free(s);
}

sac_status sac_sensing_prepare(sac_search *search)
{
    sensing *s = search->self;
    sac_pairs_draw(&s->pairs, search);
    if (s->orthogonal) sac_pairs_orthogonalise(&s->pairs, search->dimension);
    return SAC_OK;
}

void sac_sensing_ask(const sac_search *search, int index, float *x)
{
    const sensing *s = search->self;
    sac_pairs_ask(&s->pairs, search, index, x);
}

static int compare_directions(const void *a, const void *b)
{
    const direction *left = a, *right = b;
    if (left->score > right->score) return -1;
    if (left->score < right->score) return 1;
    return (left->pair > right->pair) - (left->pair < right->pair);
}

// ARS V1-t (Mania, Guy and Recht 2018): directions are ranked by the better of their two returns, max(r+, r-).
static void pick_directions(sensing *s)
{
    const double *r = s->pairs.shaped;
    for (int k = 0; k < s->pairs.count; k++)
    {
        double plus = r[2 * k], minus = r[2 * k + 1];
        s->directions[k] = (direction){s->by_difference ? fabs(plus - minus) : fmax(plus, minus), k};
    }
    qsort(s->directions, (size_t)s->pairs.count, sizeof *s->directions, compare_directions);
    for (int k = 0; k < s->used; k++) s->kept[k] = s->directions[k].pair;
}

// Compute the standard deviation of the returns of the directions in use.
static double deviation(const sensing *s)
{
    double sum = 0, squares = 0;
    for (int k = 0; k < s->used; k++) sum += sac_pairs_mean(&s->pairs, s->directions[k].pair);
    double mean = sum / s->used;
    for (int k = 0; k < s->used; k++)
    {
        const double *r = s->pairs.shaped + (size_t)(2 * s->directions[k].pair);
        squares += (r[0] - mean) * (r[0] - mean) + (r[1] - mean) * (r[1] - mean);
    }
    return sqrt(squares / (2 * s->used));
}

sac_status sac_sensing_tell(sac_search *search, const int *order, const double *x)
{
    sensing *s = search->self;
    sac_pairs *pairs = &s->pairs;
    (void)order; // this method uses the returns themselves, not their order
    if (x) sac_pairs_replace(pairs, search, x);
    sac_shape_values(search, pairs->shaped);
    pick_directions(s);
    // by the deviation, as in ARS, steps shrink where returns differ much; by sigma the sum estimates the gradient
    double scale = s->used * (s->by_sigma ? 2 * search->sigma : deviation(s));
    memset(pairs->weights, 0, (size_t)pairs->count * sizeof *pairs->weights);
    for (int k = 0; k < s->used && scale > 0 && isfinite(scale); k++)
    {
        int pair = s->directions[k].pair;
        pairs->weights[pair] = 2 * sac_pairs_half(pairs, pair) / scale;
    }
    sac_vector_combine(s->gradient, pairs->weights, pairs->noise, pairs->count, (size_t)search->dimension);
    sac_ascent_move(&s->step, search, s->gradient);
    sac_common_move_sigma(search, &s->common);
    return SAC_OK;
}

void sac_sensing_state(sac_search *search, sac_search_array *arrays, int capacity, int *count)
{
    sensing *s = search->self;
    sac_ascent_state(&s->step, search, arrays, capacity, count);
}

void sac_sensing_constants(sac_search *search, sac_search_array *arrays, int capacity, int *count)
{
    sensing *s = search->self;
    sac_search_add_array(arrays, capacity, count, "kept", s->kept, (size_t)s->used);
    sac_search_add_array(arrays, capacity, count, "gradient", s->gradient, (size_t)search->dimension);
}

sac_status sac_sensing_restored(sac_search *search)
{
    const sensing *s = search->self;
    return sac_ascent_restored(&s->step, search);
}
