#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "map.h"
#include "papers.h"
#include "random.h"
#include "saccade/rank.h"
#include "saccade/tree.h"

/// Choromanski et al. 2021 (Unlocking Pixels, second version), theorem 4.3, second part: sampling by a tree over
/// positive features.

enum
{
    SIZE = 4,
    MAX_TOKENS = 128,
    TOKENS = 64,
    DRAWS = 20,
    MAX_FEATURES = 4096
};

static const double root = 1.4142135623730951; // d^(1/4): the length of normalised queries and keys

typedef struct scene
{
    double queries[MAX_TOKENS * SIZE], keys[MAX_TOKENS * SIZE];
    float tokens[SIZE * MAX_TOKENS]; // the keys, planar
    double direct[MAX_TOKENS];
    float probabilities[MAX_TOKENS], z_floats[MAX_FEATURES];
    double z[MAX_FEATURES];
} scene;

static void place(scene *s, int count, uint64_t index)
{
    theory_sphere(s->queries, count, SIZE, root, 21, 2 * index);
    theory_sphere(s->keys, count, SIZE, root, 21, 2 * index + 1);
    for (int i = 0; i < count; i++)
        for (int d = 0; d < SIZE; d++) s->tokens[d * MAX_TOKENS + i] = (float)s->keys[i * SIZE + d];
}

static void divide_by_sum(double *values, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += values[i];
    for (int i = 0; i < count; i++) values[i] /= sum;
}

static double total_variation(const double *a, const double *b, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += fabs(a[i] - b[i]);
    return sum / 2;
}

// Compute the tree's probabilities for z, and z.phi(k) over their sum, directly from the features.
static sac_status run_tree(scene *s, theory_map *map, int count)
{
    float *nodes = SAC_NEW_ARRAY(float, sac_tree_size(map->attention, count));
    void *workspace = sac_alloc(sac_rank_workspace_size(map->attention));
    sac_status status = nodes && workspace ? SAC_OK : sac_fail_memory("a tree");
    if (status == SAC_OK)
    {
        sac_tree tree = sac_tree_create(map->attention, nodes, s->tokens, count, MAX_TOKENS, workspace);
        for (int f = 0; f < map->features; f++) s->z_floats[f] = (float)s->z[f];
        sac_tree_probabilities(&tree, s->probabilities, s->z_floats);
        theory_map_take(map, SAC_KEYS, s->keys, count);
        theory_map_against(map, s->direct, NULL, s->z, SAC_KEYS, count);
        divide_by_sum(s->direct, count);
    }
    sac_free(nodes);
    sac_free(workspace);
    return status;
}

// Check that z = sum phi(q) draws in proportion to r: the worst relative difference of a leaf over L = 1, 5, 8, 100.
static sac_status check_leaves(scene *s, double *worst)
{
    static const int counts[] = {1, 5, 8, 100};
    *worst = 0;
    for (int i = 0; i < 4; i++)
    {
        place(s, counts[i], 100 + (uint64_t)i);
        sac_attention_def def = theory_def("positive", SIZE, 16);
        theory_map map;
        sac_status status = theory_map_create(&map, &def, MAX_TOKENS);
        if (status == SAC_OK)
        {
            theory_map_take(&map, SAC_QUERIES, s->queries, counts[i]);
            theory_map_sum(&map, s->z, SAC_QUERIES, counts[i]);
            status = run_tree(s, &map, counts[i]);
        }
        theory_map_destroy(&map);
        SAC_TRY(status);
        for (int k = 0; k < counts[i]; k++) *worst = fmax(*worst, fabs((double)s->probabilities[k] / s->direct[k] - 1));
    }
    return SAC_OK;
}

// Measure distances of distributions, averaged over draws: of the tree's distribution by z' = phi(scale sum q) from its
// target softmax(k.(scale sum q)), and of that target from r / sum r.
typedef struct distances
{
    theory_moments length, from_target, target_from_r;
} distances;

static void targets(const scene *s, double *target, double *r, const double *sum)
{
    for (int k = 0; k < TOKENS; k++)
    {
        target[k] = r[k] = 0;
        for (int d = 0; d < SIZE; d++) target[k] += s->keys[k * SIZE + d] * sum[d];
        target[k] = exp(target[k]);
        for (int q = 0; q < TOKENS; q++)
        {
            double dot = 0;
            for (int d = 0; d < SIZE; d++) dot += s->keys[k * SIZE + d] * s->queries[q * SIZE + d];
            r[k] += exp(dot);
        }
    }
    divide_by_sum(target, TOKENS);
    divide_by_sum(r, TOKENS);
}

static sac_status draw_distances(scene *s, distances *out, double scale, int m)
{
    *out = (distances){0};
    for (int i = 0; i < DRAWS; i++)
    {
        double sum[SIZE] = {0}, target[TOKENS], r[TOKENS], drawn[TOKENS], square = 0;
        place(s, TOKENS, (uint64_t)i);
        for (int q = 0; q < TOKENS; q++)
            for (int d = 0; d < SIZE; d++) sum[d] += scale * s->queries[q * SIZE + d];
        for (int d = 0; d < SIZE; d++) square += sum[d] * sum[d];
        targets(s, target, r, sum);
        sac_attention_def def = theory_def("positive", SIZE, m);
        def.orthogonal = true;
        def.seed = (uint64_t)i;
        theory_map map;
        sac_status status = theory_map_create(&map, &def, MAX_TOKENS);
        if (status == SAC_OK)
        {
            theory_map_take(&map, SAC_QUERIES, sum, 1);
            theory_map_sum(&map, s->z, SAC_QUERIES, 1);
            // phi(sum q) is as small as exp(-|sum q|^2 / 2). No probability depends on this factor, so it is left out.
            for (int f = 0; f < map.features; f++) s->z[f] *= exp(square / 2);
            status = run_tree(s, &map, TOKENS);
        }
        theory_map_destroy(&map);
        SAC_TRY(status);
        for (int k = 0; k < TOKENS; k++) drawn[k] = (double)s->probabilities[k];
        theory_add(&out->length, sqrt(square));
        theory_add(&out->from_target, total_variation(drawn, target, TOKENS));
        theory_add(&out->target_from_r, total_variation(target, r, TOKENS));
    }
    return SAC_OK;
}

static sac_status check_bias(theory_report *report, scene *s)
{
    static const double scales[] = {1.0 / 64, 0.25, 1};
    static const int counts[] = {16, 256, 4096};
    theory_row *row = theory_claim(report, THEORY_PRINTED,
                                   "the bias of its draws goes to 0 as m grows (z' = phi(sum q), 64 keys and queries, "
                                   "normalised, d = 4)");
    theory_predict(row, "distance from softmax(k.sum q) falls with m, and where |sum q| < 1 by 2.5 or more a factor of "
                        "16, as 1/sqrt(m) does");
    theory_row *far = theory_claim(
        report, THEORY_FURTHER, "with all 64 queries it is far from there, and what it goes to is far from r / sum r");
    theory_predict(far, "both total variations above 0.25 at m = 4096");
    bool holds = true;
    for (int i = 0; i < 3; i++)
    {
        double before = 0;
        distances d;
        for (int j = 0; j < 3; j++)
        {
            SAC_TRY(draw_distances(s, &d, scales[i], counts[j]));
            double now = d.from_target.mean, least = d.length.mean < 1 ? 2.5 : 1;
            if (j == 0) theory_measure(row, "%s|sum q| = %.2f:", i ? "; " : "", d.length.mean);
            theory_measure(row, " %.3f", now);
            holds = holds && (j == 0 || now * least < before);
            before = now;
        }
        if (i < 2) continue;
        theory_measure(far, "|sum q| = %.1f: %.2f and %.2f", d.length.mean, d.from_target.mean, d.target_from_r.mean);
        theory_judge(far, d.from_target.mean > 0.25 && d.target_from_r.mean > 0.25);
    }
    theory_judge(row, holds);
    return SAC_OK;
}

static sac_status check_all(theory_report *report, scene *s)
{
    double worst;
    SAC_TRY(check_leaves(s, &worst));
    theory_row *row = theory_claim(report, THEORY_PRINTED,
                                   "the choices of Eq. 21 lead to leaf i with probability "
                                   "z'.phi(k_i) / sum_j z'.phi(k_j)");
    theory_predict(row, "every leaf to 1e-5 (float32), L = 1, 5, 8, 100");
    theory_measure(row, "worst relative difference %.0e", worst);
    theory_judge(row, worst <= 1e-5);
    SAC_TRY(check_bias(report, s));
    row =
        theory_claim(report, THEORY_FURTHER, "z = sum phi(q) in place of z' draws in proportion to the estimate of r");
    theory_predict(row, "no bias: r / sum r of the same features to 1e-5");
    theory_measure(row, "worst relative difference %.0e", worst);
    theory_judge(row, worst <= 1e-5);
    return SAC_OK;
}

sac_status theory_iap2_tree(theory_report *report)
{
    scene *s = SAC_NEW(scene);
    sac_status status = s ? check_all(report, s) : sac_fail_memory("a tree");
    sac_free(s);
    return status;
}
