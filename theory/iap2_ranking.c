#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "map.h"
#include "papers.h"
#include "random.h"
#include "saccade/readings.h"

/// Choromanski et al. 2021 (Unlocking Pixels, second version), lemma 4.2: which tokens IAP-rank picks; and equation 3,
/// the orders of IAP-trans.

enum
{
    CASES = 300,
    MAX_TOKENS = 128,
    MAX_SIZE = 16,
    MAX_FEATURES = 64,
    TOP = 10
};

typedef struct scene
{
    int size, count;
    double queries[MAX_TOKENS * MAX_SIZE], keys[MAX_TOKENS * MAX_SIZE];
    double z[MAX_FEATURES], brute[MAX_TOKENS], dots[MAX_TOKENS], lengths[MAX_TOKENS], cosines[MAX_TOKENS];
    double z_length;
} scene;

// How many of the cases broke each statement.
typedef struct failures
{
    int dot, angle, positive_angle, smallest_cosine, library;
    double length; // largest relative difference of |phi(k)| from exp(sqrt(d) / 2)
} failures;

// Whether two rankings pick tokens of the same scores, rank by rank, up to rounding.
static bool picks_agree(const double *scores, const int *a, const int *b, double rounding)
{
    for (int i = 0; i < TOP; i++)
        if (fabs(scores[a[i]] - scores[b[i]]) > rounding) return false;
    return true;
}

// Compute scores by the explicit matrix A, by z, and by the angle to z.
static void score(scene *s, theory_map *map)
{
    theory_map_take(map, SAC_QUERIES, s->queries, s->count);
    theory_map_take(map, SAC_KEYS, s->keys, s->count);
    for (int k = 0; k < s->count; k++)
    {
        s->brute[k] = 0;
        for (int q = 0; q < s->count; q++) s->brute[k] += theory_map_dot(map, SAC_QUERIES, q, SAC_KEYS, k) / s->count;
    }
    theory_map_sum(map, s->z, SAC_QUERIES, s->count);
    theory_map_against(map, s->dots, s->lengths, s->z, SAC_KEYS, s->count);
    double square = 0;
    for (int f = 0; f < map->features; f++) square += s->z[f] * s->z[f];
    s->z_length = sqrt(square);
    for (int k = 0; k < s->count; k++) s->cosines[k] = s->dots[k] / (s->z_length * s->lengths[k]);
}

static sac_status library_picks(int *top, const scene *s, const theory_map *map)
{
    float *importance = SAC_NEW_ARRAY(float, MAX_TOKENS);
    float *queries = SAC_NEW_MATRIX(float, MAX_TOKENS, MAX_SIZE), *keys = SAC_NEW_MATRIX(float, MAX_TOKENS, MAX_SIZE);
    sac_status status = importance && queries && keys ? SAC_OK : sac_fail_memory("a ranking");
    for (int i = 0; status == SAC_OK && i < s->count; i++)
        for (int d = 0; d < s->size; d++)
        {
            queries[d * MAX_TOKENS + i] = (float)s->queries[i * s->size + d];
            keys[d * MAX_TOKENS + i] = (float)s->keys[i * s->size + d];
        }
    if (status == SAC_OK)
    {
        sac_attention_importance(map->attention, importance, queries, keys, s->count, MAX_TOKENS, map->workspace);
        sac_attention_top(map->attention, top, TOP, importance, s->count);
    }
    sac_free(importance);
    sac_free(queries);
    sac_free(keys);
    return status;
}

static sac_status check_case(failures *f, scene *s, theory_map *map, bool trig)
{
    score(s, map);
    int by_brute[TOP], by_dot[TOP], by_angle[TOP], by_least[TOP], by_library[TOP];
    double negative[MAX_TOKENS], scale = 0;
    for (int k = 0; k < s->count; k++)
    {
        negative[k] = -s->cosines[k];
        scale = fmax(scale, s->z_length * s->lengths[k] / s->count);
    }
    theory_top(by_brute, TOP, s->brute, s->count);
    theory_top(by_dot, TOP, s->dots, s->count);
    theory_top(by_angle, TOP, s->cosines, s->count); // the smallest angles have the largest cosines
    theory_top(by_least, TOP, negative, s->count);
    // The features are float32, so their lengths, by which the angle divides, are equal only to 1e-6.
    bool angle = picks_agree(s->brute, by_brute, by_angle, 1e-6 * scale);
    if (!trig)
    {
        f->positive_angle += !angle;
        return SAC_OK;
    }
    SAC_TRY(library_picks(by_library, s, map));
    f->dot += !picks_agree(s->brute, by_brute, by_dot, 1e-12 * scale);
    f->angle += !angle;
    f->smallest_cosine += !picks_agree(s->brute, by_brute, by_least, 1e-6 * scale);
    // Sums are float32 too, with one rounding for each addition.
    f->library += !picks_agree(s->brute, by_brute, by_library, (s->count + map->features) * 6e-8 * scale);
    for (int k = 0; k < s->count; k++) f->length = fmax(f->length, fabs(s->lengths[k] / exp(sqrt(s->size) / 2) - 1));
    return SAC_OK;
}

static sac_status run_cases(failures *f, scene *s)
{
    static const int sizes[] = {2, 4, 8, 16};
    *f = (failures){0};
    sac_stream stream = sac_stream_create(7, 0, 0);
    for (int i = 0; i < 2 * CASES; i++)
    {
        bool trig = i < CASES;
        s->size = sizes[sac_stream_below(&stream, 4)];
        s->count = 16 + (int)sac_stream_below(&stream, MAX_TOKENS - 15);
        theory_gaussian(s->queries, s->count, s->size, 7, (uint64_t)(2 * i));
        theory_gaussian(s->keys, s->count, s->size, 7, (uint64_t)(2 * i + 1));
        sac_attention_def def =
            // the number of features is 8, 16 or 32
            theory_def(trig ? "trig" : "positive", s->size, 8 << sac_stream_below(&stream, 3));
        def.scale = 0;
        def.normalise = def.orthogonal = true;
        def.seed = (uint64_t)i;
        theory_map map;
        sac_status status = theory_map_create(&map, &def, MAX_TOKENS);
        if (status == SAC_OK) status = check_case(f, s, &map, trig);
        theory_map_destroy(&map);
        SAC_TRY(status);
    }
    return SAC_OK;
}

sac_status theory_iap2_ranking(theory_report *report)
{
    failures f = {0};
    scene *s = SAC_NEW(scene);
    sac_status status = s ? run_cases(&f, s) : sac_fail_memory("a ranking");
    sac_free(s);
    SAC_TRY(status);

    theory_row *row =
        theory_claim(report, THEORY_PRINTED, "the top 10 by r are the top 10 by z.phi(k), z = sum phi(q)");
    theory_predict(row, "0 of %d random cases differ", CASES);
    theory_measure(row, "%d differ", f.dot);
    theory_judge(row, f.dot == 0);
    row = theory_claim(report, THEORY_PRINTED, "trig features, normalised: they have the smallest angles to z");
    theory_predict(row, "0 of %d differ; |phi(k)| = exp(sqrt(d) / 2) to 1e-6", CASES);
    theory_measure(row, "%d differ; |phi(k)| to %.0e", f.angle, f.length);
    theory_judge(row, f.angle == 0 && f.length <= 1e-6);
    row = theory_claim(report, THEORY_FURTHER, "importance and top of the library pick the same");
    theory_predict(row, "0 of %d differ, up to float32 rounding of a score", CASES);
    theory_measure(row, "%d differ", f.library);
    theory_judge(row, f.library == 0);
    row = theory_claim(report, THEORY_FURTHER, "with positive features the angle picks others");
    theory_predict(row, "more than half of %d differ", CASES);
    theory_measure(row, "%d differ", f.positive_angle);
    theory_judge(row, f.positive_angle > CASES / 2);
    row = theory_claim(report, THEORY_FURTHER, "the proof's last line, 'smallest cos', should read smallest angle");
    theory_predict(row, "picks by smallest cosine differ in all %d", CASES);
    theory_measure(row, "%d differ", f.smallest_cosine);
    theory_judge(row, f.smallest_cosine == CASES);
    return SAC_OK;
}
