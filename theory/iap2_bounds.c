#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "map.h"
#include "papers.h"
#include "random.h"

/// Choromanski et al. 2021 (Unlocking Pixels, second version), theorem 4.4: how many features keep scores near those of
/// brute-force attention.

enum
{
    MAX_SIZE = 16,
    TOKENS = 64,
    DRAWS = 20
};

static const double chance = 0.1; // p

// ---- trigonometric features, queries and keys in a ball

// log(2^8 (sqrt(d) diam tau^a / eps)^2 / p): by claim 1 of Rahimi and Recht (2007) this is m eps^2 / (4 (d + 2) tau^2).
static double mended_count(int d, double radius, double eps)
{
    double tau = exp(radius * radius / sqrt(d)), diameter = 2 * radius * pow(d, -0.25);
    double odds = 8 * log(2) + 2 * log(sqrt(d) * diameter * tau / eps) - log(chance);
    return ceil(4 * (d + 2) * tau * tau / (eps * eps) * odds);
}

static double printed_count(int d, double radius, double eps)
{
    double square = radius * radius;
    double odds = 10 + log(square * sqrt(d) / (chance * eps * eps)) + square / sqrt(d);
    return ceil(4 * (d + 2) * odds / (eps * eps));
}

// Find the largest difference between the scores of m features and of brute-force attention.
static sac_status score_miss(double *miss, int d, double m, const double *queries, int query_count, const double *keys,
                             int key_count, uint64_t seed)
{
    static double estimates[TOKENS * TOKENS];
    sac_attention_def def = theory_def("trig", d, 1);
    def.scale = 1 / sqrt(d);
    SAC_TRY(theory_kernels(estimates, &def, (long)m, queries, query_count, keys, key_count, seed));
    *miss = 0;
    for (int k = 0; k < key_count; k++)
    {
        double difference = 0;
        for (int q = 0; q < query_count; q++)
        {
            double dot = 0;
            for (int i = 0; i < d; i++) dot += queries[q * d + i] * keys[k * d + i];
            difference += (estimates[q * key_count + k] - exp(def.scale * dot)) / query_count;
        }
        *miss = fmax(*miss, fabs(difference));
    }
    return SAC_OK;
}

// Count the draws in which the scores miss by more than eps. In the adversarial case every query is x, and the keys are
// x and -x, of length R; otherwise all are random points of that length.
static sac_status count_misses(int *misses, double *worst, int d, double radius, double eps, double m, int draws,
                               bool adversarial)
{
    *misses = 0, *worst = 0;
    for (int i = 0; i < draws; i++)
    {
        double queries[TOKENS * MAX_SIZE], keys[TOKENS * MAX_SIZE], miss;
        int query_count = adversarial ? 1 : TOKENS, key_count = adversarial ? 2 : TOKENS;
        uint64_t index = (uint64_t)i;
        theory_sphere(queries, query_count, d, radius, 11, 2 * index);
        theory_sphere(keys, key_count, d, radius, 11, 2 * index + 1);
        for (int j = 0; adversarial && j < d; j++) keys[j] = queries[j], keys[d + j] = -queries[j];
        SAC_TRY(score_miss(&miss, d, m, queries, query_count, keys, key_count, sac_mix_seed(12, index, (uint64_t)m)));
        *worst = fmax(*worst, miss);
        *misses += miss > eps;
    }
    return SAC_OK;
}

// Check one setting at the printed m, with both kinds of points.
static sac_status check_printed(theory_row *row, int d, double radius, bool *holds)
{
    double m = printed_count(d, radius, 0.5), worst[2];
    int misses[2];
    for (int kind = 0; kind < 2; kind++)
        SAC_TRY(count_misses(&misses[kind], &worst[kind], d, radius, 0.5, m, DRAWS, kind == 1));
    theory_measure(row, "%sd=%d R=%.0f m=%.0f: %d, %d", *row->measured ? "; " : "", d, radius, m, misses[0], misses[1]);
    int most = theory_most_failures(DRAWS, chance);
    *holds = *holds && misses[0] <= most && misses[1] <= most;
    return SAC_OK;
}

static sac_status check_mended(theory_row *row, int d, double radius, int draws, bool *holds)
{
    double m = mended_count(d, radius, 0.5), worst;
    int misses;
    SAC_TRY(count_misses(&misses, &worst, d, radius, 0.5, m, draws, true));
    theory_measure(row, "%sd=%d R=%.0f m=%.3g: %d of %d, worst miss %.2g", *row->measured ? "; " : "", d, radius, m,
                   misses, draws, worst);
    *holds = *holds && misses <= theory_most_failures(draws, chance);
    return SAC_OK;
}

sac_status theory_iap2_trig(theory_report *report)
{
    bool small = true, large = true, mended = true;
    theory_row *row = theory_claim(report, THEORY_PRINTED,
                                   "trig features, points in a ball of radius R: with the m stated, scores are within "
                                   "eps with probability 1 - p");
    theory_predict(row, "eps = 0.5, p = 0.1: at most %d of %d draws miss (random points, adversarial)",
                   theory_most_failures(DRAWS, chance), DRAWS);
    for (int radius = 3; radius <= 4; radius++) SAC_TRY(check_printed(row, 4, radius, &large));
    SAC_TRY(check_printed(row, 16, 4, &large));
    theory_judge(row, large);

    row = theory_claim(report, THEORY_FURTHER, "it holds for R <= 2");
    theory_predict(row, "the same");
    for (int radius = 1; radius <= 2; radius++) SAC_TRY(check_printed(row, 4, radius, &small));
    theory_judge(row, small);

    row =
        theory_claim(report, THEORY_MENDED,
                     "tau = exp(R^2 / sqrt d) multiplies m as tau^2: m = 4 (d + 2) tau^2 / eps^2 log(2^8 (sqrt d diam "
                     "tau / eps)^2 / p)");
    theory_predict(row, "at most the share p of draws misses, adversarial points (p draws + 3 s.d.)");
    SAC_TRY(check_mended(row, 4, 2, DRAWS, &mended));
    SAC_TRY(check_mended(row, 4, 3, 4, &mended));
    theory_judge(row, mended);
    return SAC_OK;
}

// ---- positive features, normalised, keys far from every query

enum
{
    POSITIVE_DRAWS = 200,
    MAX_KEYS = 8
};

typedef struct far_keys
{
    int d, keys;
    double alpha, eps;
} far_keys;

static const far_keys settings[] = {{4, 1, 0.3, 0.02},  {4, 8, 0.3, 0.02}, {4, 8, 0.3, 0.3}, {16, 1, 0.5, 0.01},
                                    {16, 4, 0.5, 0.05}, {4, 1, 1, 0.1},    {4, 8, 1, 0.1}};

enum
{
    SETTINGS = sizeof settings / sizeof *settings
};

// Equation 6 with |P|^`power` I, I = 1.
static double positive_count(const far_keys *s, int power)
{
    double root = sqrt(s->d), sine = pow(sin(s->alpha / 2), 2);
    double variance = exp(8 * root * sine - 2 * root) * -expm1(-4 * root * sine);
    return ceil(pow(s->keys, power) / (chance * s->eps * s->eps) * variance);
}

// Draw one query, and keys at the angle pi - alpha from it, all of length d^(1/4).
static void place_cone(const far_keys *s, double *query, double *keys, uint64_t index)
{
    double directions[MAX_KEYS * MAX_SIZE], length = pow(s->d, 0.25);
    theory_sphere(directions, s->keys, s->d - 1, length * sin(s->alpha), 13, index);
    for (int i = 0; i < s->d; i++) query[i] = i == 0 ? length : 0;
    for (int k = 0; k < s->keys; k++)
        for (int i = 0; i < s->d; i++)
            keys[k * s->d + i] = i == 0 ? -length * cos(s->alpha) : directions[k * (s->d - 1) + i - 1];
}

// Count the draws in which any key's score is above eps, above eps and the true bound, or further than eps from the
// truth.
typedef struct counts
{
    int above, above_bound, apart;
} counts;

static sac_status count_scores(counts *c, const far_keys *s, int power)
{
    *c = (counts){0};
    double bound = exp(-sqrt(s->d) * cos(s->alpha));
    sac_attention_def def = theory_def("positive", s->d, 1);
    for (int i = 0; i < POSITIVE_DRAWS; i++)
    {
        double query[MAX_SIZE], keys[MAX_KEYS * MAX_SIZE], scores[MAX_KEYS];
        place_cone(s, query, keys, (uint64_t)i);
        SAC_TRY(theory_kernels(scores, &def, (long)positive_count(s, power), query, 1, keys, s->keys,
                               sac_mix_seed(14, (uint64_t)(s - settings), (uint64_t)i)));
        double most = 0, apart = 0;
        for (int k = 0; k < s->keys; k++) most = fmax(most, scores[k]), apart = fmax(apart, fabs(scores[k] - bound));
        c->above += most > s->eps;
        c->above_bound += most > s->eps + bound;
        c->apart += apart > s->eps;
    }
    return SAC_OK;
}

sac_status theory_iap2_positive(theory_report *report)
{
    int most = theory_most_failures(POSITIVE_DRAWS, chance);
    theory_row *printed =
        theory_claim(report, THEORY_PRINTED,
                     "positive features, normalised, keys at angles from pi - alpha on: with the m of "
                     "Eq. 6 their scores are at most eps");
    theory_predict(printed, "p = 0.1: in at most %d of %d draws above eps, %d settings", most, POSITIVE_DRAWS,
                   SETTINGS);
    theory_row *mended =
        theory_claim(report, THEORY_MENDED, "they are at most eps + exp(-sqrt(d) cos(alpha)), the bound of the truth");
    theory_predict(mended, "at most %d of %d", most, POSITIVE_DRAWS);
    theory_row *fewer = theory_claim(report, THEORY_FURTHER,
                                     "|P| I in place of |P|^2 I in Eq. 6 is enough for |r' - r| <= eps (Chebyshev over "
                                     "|P| keys)");
    theory_predict(fewer, "at most %d of %d further than eps", most, POSITIVE_DRAWS);
    bool all[3] = {true, true, true};
    for (int i = 0; i < SETTINGS; i++)
    {
        counts squared, plain;
        SAC_TRY(count_scores(&squared, &settings[i], 2));
        SAC_TRY(count_scores(&plain, &settings[i], 1));
        theory_measure(printed, "%s%d", i ? ", " : "", squared.above);
        theory_measure(mended, "%s%d", i ? ", " : "", squared.above_bound);
        theory_measure(fewer, "%s%d", i ? ", " : "", plain.apart);
        all[0] = all[0] && squared.above <= most;
        all[1] = all[1] && squared.above_bound <= most;
        all[2] = all[2] && plain.apart <= most;
    }
    theory_judge(printed, all[0]);
    theory_judge(mended, all[1]);
    theory_judge(fewer, all[2]);
    return SAC_OK;
}
