#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "papers.h"
#include "random.h"
#include "saccade/hash.h"
#include "scene.h"

/// Choromanski et al. 2021 (Unlocking Pixels, second version), theorem 4.3, first part: scores from the signs of random
/// projections of trigonometric features.

enum
{
    M = 16
};

static const double pi = 3.141592653589793;

// ---- how many bits

static double printed_bits(double p, double eps, int count)
{
    return ceil(2 / (p * eps * eps) * log(count));
}

static double mended_bits(double p, double eps, int count)
{
    return ceil(2 / (eps * eps) * (log(count) + log(2 / p)));
}

static double error_bound(int d, double eps)
{
    return exp(sqrt(d)) * pi / 2 * eps;
}

// ---- the angle (equation 14)

static sac_status measure_angles(double *worst)
{
    enum
    {
        BITS = 65536,
        SIZE = 2 * M
    };
    double x[SIZE], y[SIZE];
    float vectors[2 * SIZE];
    uint32_t *bits = SAC_NEW_ARRAY(uint32_t, BITS / 32 * 2), *query = SAC_NEW_ARRAY(uint32_t, BITS / 32);
    sac_hash *hash = NULL;
    sac_status status = bits && query ? SAC_OK : sac_fail_memory("bits");
    if (status == SAC_OK) status = sac_hash_create(&hash, BITS, SIZE, 5, NULL);
    *worst = 0;
    for (int i = 1; status == SAC_OK && i < 10; i++)
    {
        double share = i / 10.0;
        int32_t distance[2];
        theory_pair(x, y, SIZE, 1, 1, share * pi, 33, (uint64_t)i);
        for (int f = 0; f < SIZE; f++) vectors[2 * f] = (float)x[f], vectors[2 * f + 1] = (float)y[f];
        sac_hash_bits(hash, bits, 2, vectors, 2, 2);
        for (int w = 0; w < sac_hash_words(hash); w++) query[w] = bits[2 * w];
        sac_hash_distances(hash, distance, bits, 2, query, 2);
        *worst = fmax(*worst, fabs((double)distance[1] / BITS - share) / sqrt(share * (1 - share) / BITS));
    }
    sac_hash_destroy(hash);
    sac_free(bits);
    sac_free(query);
    return status;
}

// ---- the scores

// Count the draws in which any score is off by more than the bound. *median is that of the worst error over the bound,
// and *spread that of the scores.
static sac_status count_misses(int *misses, double *median, double *spread, theory_scene *scene, int d, int count,
                               double eps, int bits, int draws)
{
    float exact[THEORY_TOKENS], hashed[THEORY_TOKENS];
    double ratios[256];
    SAC_ASSERT(draws <= 256);
    *misses = 0, *spread = 0;
    for (int i = 0; i < draws; i++)
    {
        uint64_t seed = 1000 + (uint64_t)i;
        theory_scene_draw(scene, d, count, THEORY_MEAN, seed);
        SAC_TRY(theory_scene_importance(scene, exact, "trig", M, 0, seed));
        SAC_TRY(theory_scene_hash(scene, hashed, M, bits, seed));
        double worst = 0, low = INFINITY, high = -INFINITY;
        for (int k = 0; k < count; k++)
        {
            worst = fmax(worst, fabs((double)hashed[k] - (double)exact[k]));
            low = fmin(low, (double)exact[k]), high = fmax(high, (double)exact[k]);
        }
        double ratio = worst / error_bound(d, eps);
        *misses += ratio > 1;
        *spread += (high - low) / draws;
        int place = i; // insertion keeps the list in order
        for (; place > 0 && ratios[place - 1] > ratio; place--) ratios[place] = ratios[place - 1];
        ratios[place] = ratio;
    }
    *median = ratios[draws / 2];
    return SAC_OK;
}

typedef struct setting
{
    int d, count;
    double eps, p;
} setting;

static const setting settings[] = {{4, 529, 0.2, 0.1},  {4, 529, 0.1, 0.1},  {4, 529, 0.2, 0.9},
                                   {4, 64, 0.2, 0.1},   {4, 64, 0.1, 0.1},   {4, 64, 0.2, 0.9},
                                   {16, 529, 0.2, 0.1}, {16, 529, 0.1, 0.1}, {16, 529, 0.2, 0.9}};

enum
{
    SETTINGS = sizeof settings / sizeof *settings,
    DRAWS = 20
};

static sac_status check_settings(theory_row *row, theory_scene *scene, bool printed)
{
    int worst_misses = 0;
    double low = INFINITY, high = 0;
    bool holds = true;
    for (int i = 0; i < SETTINGS; i++)
    {
        const setting *s = &settings[i];
        int misses, bits = (int)(printed ? printed_bits(s->p, s->eps, s->count) : mended_bits(s->p, s->eps, s->count));
        double median, spread;
        SAC_TRY(count_misses(&misses, &median, &spread, scene, s->d, s->count, s->eps, bits, DRAWS));
        worst_misses = misses > worst_misses ? misses : worst_misses;
        low = fmin(low, median), high = fmax(high, median);
        holds = holds && misses <= theory_most_failures(DRAWS, s->p);
    }
    theory_measure(row, "at most %d of %d draws miss; median error %.2f to %.2f of the bound", worst_misses, DRAWS, low,
                   high);
    theory_judge(row, holds);
    return SAC_OK;
}

static sac_status check_hashing(theory_report *report, theory_scene *scene)
{
    double worst;
    theory_row *row = theory_claim(report, THEORY_PRINTED, "E psi(x).psi(y) = 1 - 2 angle / pi (Eq. 14)");
    theory_predict(row, "65536 bits at 9 angles: within 4 s.e.");
    SAC_TRY(measure_angles(&worst));
    theory_measure(row, "worst %.1f s.e.", worst);
    theory_judge(row, worst <= 4);
    row = theory_claim(report, THEORY_PRINTED,
                       "scores from the m' bits stated are within exp(sqrt d) pi/2 eps with probability 1 - p");
    theory_predict(row, "d = 4, 16; L = 64, 529; eps = 0.1, 0.2; p = 0.1, 0.9: misses as p allows (+ 3 s.d.)");
    SAC_TRY(check_settings(row, scene, true));
    row = theory_claim(report, THEORY_FURTHER, "the bits of the proof, 2/eps^2 (log LI + log 2/p), do as well");
    theory_predict(row, "the same");
    return check_settings(row, scene, false);
}

// ---- the printed number of bits, and that of the proof

static sac_status check_bits(theory_report *report, theory_scene *scene)
{
    const double p = 0.1, eps = 0.2;
    const int draws = 200, most = theory_most_failures(draws, p);
    int misses;
    double median, spread;
    int bits = (int)fmax(1, printed_bits(p, eps, 1));
    theory_row *row = theory_claim(report, THEORY_PRINTED, "m' = 2/(p eps^2) (log L + log I) bits are enough");
    theory_predict(row, "L = I = 1, eps = 0.2, p = 0.1, d = 4 (m' >= %.0f: one bit): at most %d of %d draws miss",
                   printed_bits(p, eps, 1), most, draws);
    SAC_TRY(count_misses(&misses, &median, &spread, scene, 4, 1, eps, bits, draws));
    theory_measure(row, "%d miss", misses);
    theory_judge(row, misses <= most);
    row = theory_claim(report, THEORY_MENDED, "m' = 2/eps^2 (log L + log I + log 2/p), which the proof gives");
    bits = (int)mended_bits(p, eps, 1);
    theory_predict(row, "%d bits: at most %d of %d miss", bits, most, draws);
    SAC_TRY(count_misses(&misses, &median, &spread, scene, 4, 1, eps, bits, draws));
    theory_measure(row, "%d miss", misses);
    theory_judge(row, misses <= most);
    row = theory_claim(report, THEORY_FURTHER, "at L = 529, p = 0.1 the number stated is far too large");
    theory_predict(row, "more than 5 times the proof's");
    double stated = printed_bits(p, eps, 529), proved = mended_bits(p, eps, 529);
    theory_measure(row, "%.0f against %.0f: %.1f times", stated, proved, stated / proved);
    theory_judge(row, stated > 5 * proved);
    return SAC_OK;
}

// ---- whether hashing pays

static sac_status check_speed(theory_report *report, theory_scene *scene)
{
    int bits = (int)mended_bits(0.1, 0.2, 529), misses;
    double median, spread, bound = error_bound(4, 0.2);
    theory_row *row = theory_claim(report, THEORY_PRINTED, "O(L m') in place of O(L m) ranks faster");
    theory_predict(row, "m' below 2m = %d numbers a key (m = 16, eps = 0.2, p = 0.1, L = 529)", 2 * M);
    theory_measure(row, "m' = %d", bits);
    theory_judge(row, bits < 2 * M);
    row = theory_claim(report, THEORY_MENDED, "bits packed into words and counted are fewer bytes than the features");
    theory_predict(row, "below %d bytes a key", 2 * M * (int)sizeof(float));
    int bytes = (bits + 31) / 32 * (int)sizeof(uint32_t);
    theory_measure(row, "%d bytes", bytes);
    theory_judge(row, bytes < 2 * M * (int)sizeof(float));

    row = theory_claim(report, THEORY_FURTHER, "that error bound says little about the ranking");
    theory_predict(row, "it is more than half of the spread of all scores, d = 4");
    SAC_TRY(count_misses(&misses, &median, &spread, scene, 4, 529, 0.2, bits, DRAWS));
    theory_measure(row, "bound %.2f, spread %.2f", bound, spread);
    theory_judge(row, bound > spread / 2);

    row = theory_claim(report, THEORY_FURTHER, "top 10 of brute force found by bits (d = 4, L = 529, trig m = 16)");
    theory_predict(row, "rises over 64, 256, 1024, 4096 bits; 64 find less than half of what the features do");
    static const int counts[] = {64, 256, 1024, 4096};
    double recalls[5];
    bool rises = true;
    for (int i = 0; i < 5; i++)
    {
        SAC_TRY(theory_recall(&recalls[i], &(theory_scorer){"trig", M, 0, i < 4 ? counts[i] : 0}, 4, THEORY_MEAN, 40));
        rises = rises && (i == 0 || i == 4 || recalls[i] > recalls[i - 1]);
    }
    theory_measure(row, "%.2f, %.2f, %.2f, %.2f; features %.2f", recalls[0], recalls[1], recalls[2], recalls[3],
                   recalls[4]);
    theory_judge(row, rises && recalls[0] < recalls[4] / 2);
    return SAC_OK;
}

// ---- the theorems, each with a scene

static sac_status with_scene(theory_report *report, sac_status (*check)(theory_report *, theory_scene *))
{
    theory_scene *scene = SAC_NEW(theory_scene);
    sac_status status = scene ? check(report, scene) : sac_fail_memory("a scene");
    sac_free(scene);
    return status;
}

sac_status theory_iap2_hashing(theory_report *report)
{
    return with_scene(report, check_hashing);
}

sac_status theory_iap2_bits(theory_report *report)
{
    return with_scene(report, check_bits);
}

sac_status theory_iap2_speed(theory_report *report)
{
    return with_scene(report, check_speed);
}
