#include "base/error.h"
#include "base/memory.h"
#include "evolve/common.h"
#include "evolve/strategies/ascent.h"
#include "evolve/strategies/pairs.h"
#include "evolve/strategies/shape.h"
#include "evolve/vector.h"

/// openai-es: evolution strategies after Salimans et al. 2017 (arXiv:1703.03864). With centred ranks u and P pairs,
///
///     g = (sum_k (u_2k - u_2k+1) e_k / (2 P) - l2 m) / sigma        m moves along g (step.h)

typedef struct openai_config
{
    sac_common common; // first: SAC_COMMON_OPTIONS counts on it
    sac_ascent_config step;
    double l2;
} openai_config;

static const sac_option options[] = {
    SAC_COMMON_OPTIONS("256", "candidates in a generation, even; 0: 4 + 3 ln n", "0.02",
                       "standard deviation of the candidates"),
    SAC_ASCENT_OPTIONS(openai_config, "adam", "0.01", "step of the optimizer", "0.9"),
    {"l2", SAC_OPTION_REAL, offsetof(openai_config, l2), "0.005", 0, 1e6, NULL, "pull of the mean towards zero"},
    {0},
};

typedef struct openai
{
    sac_common common;
    double l2;
    sac_pairs pairs;
    sac_ascent step;
    double *gradient; // [n]
} openai;

static sac_status create(sac_search *search, const void *config)
{
    const openai_config *c = config;
    openai *s = SAC_NEW(openai);
    if (!s) return sac_fail_memory("a search");
    search->self = s;
    s->common = c->common;
    s->l2 = c->l2;
    SAC_TRY(sac_common_create(search, &c->common, 2));
    SAC_TRY(sac_pairs_create(&s->pairs, search));
    SAC_TRY(sac_ascent_create(&s->step, &c->step, 0.01, search->dimension));
    s->gradient = SAC_NEW_ARRAY(double, (size_t)search->dimension);
    return s->gradient ? SAC_OK : sac_fail_memory("a search");
}

static void destroy(void *self)
{
    openai *s = self;
    if (!s) return;
    sac_pairs_destroy(&s->pairs);
    sac_ascent_destroy(&s->step);
    sac_free(s->gradient);
    sac_free(s);
}

static sac_status prepare(sac_search *search)
{
    openai *s = search->self;
    sac_pairs_draw(&s->pairs, search);
    return SAC_OK;
}

static void ask(const sac_search *search, int index, float *x)
{
    const openai *s = search->self;
    sac_pairs_ask(&s->pairs, search, index, x);
}

static sac_status tell(sac_search *search, const int *order, const double *x)
{
    openai *s = search->self;
    sac_pairs *pairs = &s->pairs;
    size_t n = (size_t)search->dimension;
    if (x) sac_pairs_replace(pairs, search, x);
    sac_shape_ranks(search, order, pairs->shaped);
    for (int k = 0; k < pairs->count; k++)
        pairs->weights[k] = sac_pairs_half(pairs, k) / (pairs->count * search->sigma);
    sac_vector_combine(s->gradient, pairs->weights, pairs->noise, pairs->count, n);
    // the pull keeps parameters from outgrowing the noise, whose size is fixed
    sac_vector_add(s->gradient, -s->l2 / search->sigma, search->mean, n);
    sac_ascent_move(&s->step, search, s->gradient);
    sac_common_move_sigma(search, &s->common);
    return SAC_OK;
}

static void state(sac_search *search, sac_search_array *arrays, int capacity, int *count)
{
    openai *s = search->self;
    sac_ascent_state(&s->step, search, arrays, capacity, count);
}

static void constants(sac_search *search, sac_search_array *arrays, int capacity, int *count)
{
    openai *s = search->self;
    sac_search_add_array(arrays, capacity, count, "shaped", s->pairs.shaped, (size_t)search->population);
    sac_search_add_array(arrays, capacity, count, "gradient", s->gradient, (size_t)search->dimension);
}

static sac_status restored(sac_search *search)
{
    const openai *s = search->self;
    return sac_ascent_restored(&s->step, search);
}

const sac_search_method sac_openai_es = {
    .name = "openai-es",
    .summary = "mirrored noise of a fixed size, centred ranks, Adam: robust to noise once there is a signal",
    .options = options,
    .config_size = sizeof(openai_config),
    .create = create,
    .destroy = destroy,
    .prepare = prepare,
    .ask = ask,
    .tell = tell,
    .stop = sac_common_stop,
    .state = state,
    .constants = constants,
    .restored = restored,
};
