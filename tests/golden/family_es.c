#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "golden.h"
#include "saccade/evolve.h"

// one generation of each gradient method, and three of CMA-ES, in double precision

enum
{
    MAX_SETTINGS = 8
};

// theta, the directions, their returns, and the settings that the cases share
typedef struct scene
{
    int n, pairs;
    const double *theta, *directions, *plus, *minus;
    double rate, sigma, top;
    double *points, *fitness; // [2 pairs, n], [2 pairs]
} scene;

static sac_status read_scene(golden *g, scene *s)
{
    sac_status status = SAC_OK;
    const sac_tensor *directions;
    s->directions = golden_doubles(g, &status, "delta", 2, (const int64_t[]){GOLDEN_ANY, GOLDEN_ANY}, &directions);
    SAC_TRY(status);
    s->pairs = (int)directions->shape[0];
    s->n = (int)directions->shape[1];
    s->theta = golden_doubles(g, &status, "theta", 1, &directions->shape[1], NULL);
    s->plus = golden_doubles(g, &status, "r_plus", 1, &directions->shape[0], NULL);
    s->minus = golden_doubles(g, &status, "r_minus", 1, &directions->shape[0], NULL);
    const double *hyper = golden_doubles(g, &status, "hyper_lr_sigma_top", 1, (const int64_t[]){3}, NULL);
    s->points = golden_scratch(g, &status, 2 * sac_tensor_count(directions), sizeof *s->points);
    s->fitness = golden_scratch(g, &status, 2 * (size_t)s->pairs, sizeof *s->fitness);
    if (status == SAC_OK) s->rate = hyper[0], s->sigma = hyper[1], s->top = hyper[2];
    return status;
}

// a search of `n` parameters by settings such as "population=16 sigma=0.3"
static sac_status open_search(sac_search **search, const char *method, int n, const char *text)
{
    char words[256], *save = NULL;
    snprintf(words, sizeof words, "%s", text);
    sac_setting settings[MAX_SETTINGS];
    int count = 0;
    for (char *word = strtok_r(words, " ", &save); word && count < MAX_SETTINGS; word = strtok_r(NULL, " ", &save))
    {
        char *equals = strchr(word, '=');
        *equals = 0;
        settings[count++] = (sac_setting){word, equals + 1};
    }
    return sac_search_create(
        search, &(sac_search_def){.method = method, .settings = settings, .setting_count = count, .dimension = n});
}

static const sac_search_array *array_of(sac_search *search, const char *name)
{
    static sac_search_array arrays[32];
    int count = sac_search_state(search, arrays, SAC_MAX_SEARCH_ARRAYS);
    count += sac_search_constants(search, arrays + count, 32 - count);
    for (int i = 0; i < count; i++)
        if (strcmp(arrays[i].name, name) == 0) return &arrays[i];
    return NULL;
}

static sac_status set_mean(sac_search *search, const double *mean, int n)
{
    memcpy(array_of(search, "mean")->data, mean, (size_t)n * sizeof *mean);
    return sac_search_restored(search);
}

// an array of the search as an output [count]
static sac_status put(golden *g, sac_search *search, const char *array, const char *name)
{
    sac_status status = SAC_OK;
    const sac_search_array *found = array_of(search, array);
    if (!found) return sac_fail(SAC_ERROR_FORMAT, "the search has no array '%s'", array);
    double *out = golden_output(g, &status, name, SAC_F64, 1, (const int64_t[]){(int64_t)found->count});
    if (out) memcpy(out, found->data, found->count * sizeof *out);
    return status;
}

// tell the scene's returns at the search's mean, with the directions' coordinates in order or from last to first
static sac_status tell_scene(sac_search *search, const scene *s, bool reversed)
{
    double *x = s->points, *fitness = s->fitness;
    const double *mean = array_of(search, "mean")->data;
    for (int k = 0; k < s->pairs; k++)
    {
        fitness[2 * k] = s->plus[k];
        fitness[2 * k + 1] = s->minus[k];
        for (int i = 0; i < s->n; i++)
        {
            double e = s->sigma * s->directions[k * s->n + (reversed ? s->n - 1 - i : i)];
            x[2 * k * s->n + i] = mean[i] + e;
            x[(2 * k + 1) * s->n + i] = mean[i] - e;
        }
    }
    return sac_search_tell_with(search, fitness, x);
}

// one way of picking directions and of normalising, told once; the index of directions only from the first of a pick
static sac_status sense_once(golden *g, sac_search *search, const scene *s, const char *const names[3])
{
    SAC_TRY(set_mean(search, s->theta, s->n));
    SAC_TRY(tell_scene(search, s, false));
    SAC_TRY(put(g, search, "mean", names[0]));
    SAC_TRY(put(g, search, "gradient", names[1]));
    if (!names[2]) return SAC_OK;
    sac_status status = SAC_OK;
    const sac_search_array *kept = array_of(search, "kept");
    int32_t *index = golden_output(g, &status, names[2], SAC_I32, 1, (const int64_t[]){(int64_t)kept->count});
    for (size_t i = 0; index && i < kept->count; i++) index[i] = (int32_t)kept->data[i];
    return status;
}

static sac_status run_sensing(golden *g, const scene *s)
{
    static const struct
    {
        const char *method, *settings;
        const char *names[3];
    } cases[] = {
        // ARS V1-t is the first
        {"ars", "", {"bgs_max_std_theta", "bgs_max_std_grad", "bgs_max_idx"}},
        {"bgs", "pick=max normalise=sigma", {"bgs_max_sigma_theta", "bgs_max_sigma_grad", NULL}},
        {"bgs", "", {"bgs_absdiff_std_theta", "bgs_absdiff_std_grad", "bgs_absdiff_idx"}},
        {"bgs", "normalise=sigma", {"bgs_absdiff_sigma_theta", "bgs_absdiff_sigma_grad", NULL}},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        char text[256];
        snprintf(text, sizeof text, "population=%d sigma=%.17g rate=%.17g top=%.17g %s", 2 * s->pairs, s->sigma,
                 s->rate, s->top, cases[i].settings);
        sac_search *search;
        SAC_TRY(open_search(&search, cases[i].method, s->n, text));
        sac_status status = sense_once(g, search, s, cases[i].names);
        sac_search_destroy(search);
        SAC_TRY(status);
    }
    return SAC_OK;
}

// [2, pairs]: first the ranks of the candidates at +, then those at -
static sac_status put_ranks(golden *g, sac_search *search, int pairs)
{
    sac_status status = SAC_OK;
    const sac_search_array *shaped = array_of(search, "shaped");
    double *ranks = golden_output(g, &status, "ranks", SAC_F64, 2, (const int64_t[]){2, pairs});
    for (int k = 0; ranks && k < pairs; k++)
    {
        ranks[k] = shaped->data[2 * k];
        ranks[pairs + k] = shaped->data[2 * k + 1];
    }
    return status;
}

static sac_status run_sgd(golden *g, sac_search *search, const scene *s)
{
    SAC_TRY(set_mean(search, s->theta, s->n));
    SAC_TRY(tell_scene(search, s, false));
    SAC_TRY(put_ranks(g, search, s->pairs));
    SAC_TRY(put(g, search, "gradient", "es_grad"));
    return put(g, search, "mean", "es_sgd_lr0p01");
}

static sac_status run_adam(golden *g, sac_search *search, const scene *s)
{
    SAC_TRY(set_mean(search, s->theta, s->n));
    SAC_TRY(tell_scene(search, s, false));
    SAC_TRY(put(g, search, "mean", "adam1_theta"));
    SAC_TRY(tell_scene(search, s, true));
    SAC_TRY(put(g, search, "mean", "adam2_theta_with_reversed_grad"));
    SAC_TRY(put(g, search, "velocity", "adam2_m"));
    return put(g, search, "squares", "adam2_v");
}

// both forms step by 0.01
static sac_status run_openai(golden *g, const scene *s)
{
    static const struct
    {
        const char *settings;
        sac_status (*run)(golden *g, sac_search *search, const scene *s);
    } cases[] = {{"optimizer=sgd momentum=0", run_sgd}, {"optimizer=adam", run_adam}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        char text[256];
        snprintf(text, sizeof text, "population=%d sigma=%.17g rate=0.01 l2=0 %s", 2 * s->pairs, s->sigma,
                 cases[i].settings);
        sac_search *search;
        SAC_TRY(open_search(&search, "openai-es", s->n, text));
        sac_status status = cases[i].run(g, search, s);
        sac_search_destroy(search);
        SAC_TRY(status);
    }
    return SAC_OK;
}

static sac_status put_constants(golden *g, sac_search *search)
{
    static const char *const names[] = {"mu_eff", "c_c", "c_sigma", "c_1", "c_mu", "damping", "chi_n"};
    sac_status status = SAC_OK;
    double *constants = golden_output(g, &status, "cma_const", SAC_F64, 1, (const int64_t[]){7});
    int32_t *mu = golden_output(g, &status, "cma_mu", SAC_I32, 1, (const int64_t[]){1});
    SAC_TRY(status);
    for (int i = 0; i < 7; i++) constants[i] = *array_of(search, names[i])->data;
    const sac_search_array *weights = array_of(search, "weights");
    for (size_t i = 0; i < weights->count; i++) *mu += weights->data[i] > 0;
    return put(g, search, "weights", "cma_w");
}

// C is kept as its lower triangle
static void copy_covariance(double *out, const double *lower, int n)
{
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) out[i * n + j] = j <= i ? lower[i * n + j] : lower[j * n + i];
}

static sac_status run_generations(golden *g, sac_search *search, const sac_tensor *tensor, const double *points,
                                  const double *values)
{
    int generations = (int)tensor->shape[0], population = (int)tensor->shape[1], n = (int)tensor->shape[2];
    sac_status status = SAC_OK;
    double *fitness = golden_scratch(g, &status, (size_t)population, sizeof *fitness);
    const int64_t rows[] = {generations, n}, squares[] = {generations, n, n};
    double *mean = golden_output(g, &status, "cma_m", SAC_F64, 2, rows);
    double *sigma = golden_output(g, &status, "cma_sigma", SAC_F64, 1, rows);
    double *path_c = golden_output(g, &status, "cma_pc", SAC_F64, 2, rows);
    double *path_sigma = golden_output(g, &status, "cma_ps", SAC_F64, 2, rows);
    double *covariance = golden_output(g, &status, "cma_C", SAC_F64, 3, squares);
    for (int t = 0; status == SAC_OK && t < generations; t++)
    {
        for (int i = 0; i < population; i++) fitness[i] = -values[t * population + i]; // the case minimises
        SAC_TRY(sac_search_tell_with(search, fitness, points + (size_t)t * (size_t)population * (size_t)n));
        size_t row = (size_t)n * sizeof(double);
        memcpy(mean + t * n, array_of(search, "mean")->data, row);
        memcpy(path_c + t * n, array_of(search, "path_c")->data, row);
        memcpy(path_sigma + t * n, array_of(search, "path_sigma")->data, row);
        sigma[t] = *array_of(search, "sigma")->data;
        copy_covariance(covariance + t * n * n, array_of(search, "covariance")->data, n);
    }
    return status;
}

static sac_status run_cma(golden *g, const scene *s)
{
    sac_status status = SAC_OK;
    const sac_tensor *tensor;
    const int64_t shape[] = {GOLDEN_ANY, GOLDEN_ANY, s->n};
    const double *points = golden_doubles(g, &status, "cma_X", 3, shape, &tensor);
    SAC_TRY(status);
    const double *values = golden_doubles(g, &status, "cma_f", 2, tensor->shape, NULL);
    double sigma;
    SAC_TRY(status);
    SAC_TRY(golden_number(g, "cma_sigma0", &sigma));

    char text[256];
    snprintf(text, sizeof text, "population=%d sigma=%.17g update_gap=1", (int)tensor->shape[1], sigma);
    sac_search *search;
    SAC_TRY(open_search(&search, "cma-es", s->n, text));
    status = set_mean(search, s->theta, s->n);
    if (status == SAC_OK) status = put_constants(g, search);
    if (status == SAC_OK) status = run_generations(g, search, tensor, points, values);
    sac_search_destroy(search);
    return status;
}

static sac_status run(golden *g)
{
    scene s;
    SAC_TRY(read_scene(g, &s));
    SAC_TRY(run_sensing(g, &s));
    SAC_TRY(run_openai(g, &s));
    return run_cma(g, &s);
}

const golden_family golden_es = {"es", run};
