#pragma once

#include "saccade/readings.h"
#include "test.h"

/// Tokens of many sizes under every linear form, with their features as numbers to reckon with.

enum
{
    SCENE_MAX_TOKENS = 1100, // more than two blocks of features
    SCENE_MAX_SIZE = 16,
    SCENE_MAX_FEATURES = 128,
    SCENE_MAX_VALUES = 24
};

/// One rounding of a float. A sum of n products is off by at most (n + 1) of them times the sum of magnitudes, in
/// whatever order it is added.
#define ROUNDING (1.0 / (1 << 24))

typedef struct scene
{
    sac_attention *attention;
    int n, stride, d, f, v;
    float queries[SCENE_MAX_SIZE * (SCENE_MAX_TOKENS + 3)], keys[SCENE_MAX_SIZE * (SCENE_MAX_TOKENS + 3)];
    float values[SCENE_MAX_VALUES * (SCENE_MAX_TOKENS + 3)];
    float phi_q[SCENE_MAX_FEATURES * SCENE_MAX_TOKENS], phi_k[SCENE_MAX_FEATURES * SCENE_MAX_TOKENS]; // [F, n]
} scene;

/// The forms that have features.
static inline const char *scene_form(int index)
{
    const char *name;
    for (int i = 0; (name = sac_attention_form_at(i, NULL)); i++)
    {
        sac_attention *attention;
        sac_attention_def def = sac_attention_default_def();
        def.form = name;
        def.key_size = 2;
        def.feature_count = 2;
        assert_ok(sac_attention_create(&attention, &def));
        bool linear = sac_attention_feature_size(attention) > 0;
        sac_attention_destroy(attention);
        if (linear && index-- == 0) return name;
    }
    return NULL;
}

static inline void *scene_memory(size_t size)
{
    void *memory = aligned_alloc(64, (size + 64) / 64 * 64);
    assert_non_null(memory);
    memset(memory, 0xa5, size); // contents are ignored
    return memory;
}

/// n tokens of d dimensions and v values; m features of the form.
static inline void scene_open(scene *s, const char *form, int n, int d, int m, int v, bool normalise)
{
    sac_attention_def def = sac_attention_default_def();
    def.form = form;
    def.key_size = d;
    def.feature_count = m;
    def.normalise = normalise;
    assert_ok(sac_attention_create(&s->attention, &def));
    s->n = n, s->stride = n + 3, s->d = d, s->v = v;
    s->f = sac_attention_feature_size(s->attention);
    assert_true(n <= SCENE_MAX_TOKENS && d <= SCENE_MAX_SIZE && v <= SCENE_MAX_VALUES && s->f <= SCENE_MAX_FEATURES);
    fill_uniform(s->queries, (size_t)(d * s->stride), 1);
    fill_uniform(s->keys, (size_t)(d * s->stride), 2);
    fill_uniform(s->values, (size_t)(v * s->stride), 3);
    void *workspace = scene_memory(sac_attention_workspace_size(s->attention, n));
    sac_attention_features(s->attention, SAC_QUERIES, s->phi_q, n, s->queries, n, s->stride, workspace);
    sac_attention_features(s->attention, SAC_KEYS, s->phi_k, n, s->keys, n, s->stride, workspace);
    free(workspace);
}

static inline void scene_close(scene *s)
{
    sac_attention_destroy(s->attention);
}

/// z = P Q' in double, and the same of magnitudes.
static inline void scene_summary(const scene *s, const float *weights, double *z, double *size)
{
    for (int f = 0; f < s->f; f++)
    {
        z[f] = size[f] = 0;
        for (int i = 0; i < s->n; i++)
        {
            double term = (weights ? (double)weights[i] : 1.0) * (double)s->phi_q[f * s->n + i];
            z[f] += term, size[f] += fabs(term);
        }
    }
}

/// r = z.phi(k_j), and the same of magnitudes.
static inline double scene_score(const scene *s, const double *z, const double *size, int j, double *magnitude)
{
    double score = 0;
    *magnitude = 0;
    for (int f = 0; f < s->f; f++)
    {
        score += z[f] * (double)s->phi_k[f * s->n + j];
        *magnitude += size[f] * fabs((double)s->phi_k[f * s->n + j]);
    }
    return score;
}

/// Chi-square of counts against expected shares; the caller compares with the quantile of its degrees of freedom.
static inline double chi_square(const int *counts, const double *shares, int kinds, int draws)
{
    double sum = 0;
    for (int i = 0; i < kinds; i++)
    {
        double expected = shares[i] * draws;
        assert_true(expected >= 5); // below, the sum is no chi-square
        sum += (counts[i] - expected) * (counts[i] - expected) / expected;
    }
    return sum;
}
