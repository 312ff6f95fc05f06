#include "test.h"
#include "uptrain/choice.h"

// the divergence of choices: against the plain formula and its differences in double

enum
{
    N = 23,
    K = 5
};

static const double temperature = 0.5;

// the formula over doubles, written out
static double formula(const double *scores, const double *targets, const int *top)
{
    double z[2][N], loss = 0;
    for (int side = 0; side < 2; side++)
    {
        const double *x = side ? targets : scores;
        double mean = 0, square = 0;
        for (int n = 0; n < N; n++) mean += x[n] / N;
        for (int n = 0; n < N; n++) square += (x[n] - mean) * (x[n] - mean) / N;
        for (int n = 0; n < N; n++) z[side][n] = (x[n] - mean) / sqrt(square) / temperature;
    }
    for (int k = 0; k < K; k++)
    {
        bool gone[N] = {false};
        double sums[2] = {0};
        for (int j = 0; j < k; j++) gone[top[j]] = true;
        for (int side = 0; side < 2; side++)
            for (int n = 0; n < N; n++) sums[side] += gone[n] ? 0 : exp(z[side][n]);
        for (int n = 0; n < N; n++)
        {
            if (gone[n]) continue;
            double p = exp(z[0][n]) / sums[0], wanted = exp(z[1][n]) / sums[1];
            loss += wanted * log(wanted / p) / K;
        }
    }
    return loss;
}

static void best(int *top, const double *targets)
{
    bool gone[N] = {false};
    for (int k = 0; k < K; k++)
    {
        top[k] = -1;
        for (int n = 0; n < N; n++)
            if (!gone[n] && (top[k] < 0 || targets[n] > targets[top[k]])) top[k] = n;
        gone[top[k]] = true;
    }
}

typedef struct scene
{
    float scores[N], targets[N], dscores[N];
    double exact[N], wanted[N];
    int top[K];
} scene;

static scene make(uint64_t seed)
{
    scene s;
    fill_uniform(s.scores, N, seed);
    fill_uniform(s.targets, N, seed + 100);
    for (int n = 0; n < N; n++)
    {
        s.scores[n] = s.scores[n] * s.scores[n] * 3 + 1, s.targets[n] = expf(3 * s.targets[n]); // as scores are spread
        s.exact[n] = (double)s.scores[n], s.wanted[n] = (double)s.targets[n];
    }
    best(s.top, s.wanted);
    return s;
}

TEST(loss_and_gradient_are_those_of_the_formula)
{
    const sac_kernels kernels = sac_kernels_create(sac_get_cpu_level());
    sac_choice choice;
    assert_ok(sac_choice_create(&choice, N, K));
    for (uint64_t seed = 1; seed < 9; seed++)
    {
        scene s = make(seed);
        double loss = sac_choice_loss(&choice, &kernels, s.dscores, s.scores, s.targets, 0.7), largest = 0;
        // shares are floats: each is off by a few of their roundings, and the loss by as much of its terms
        assert_near(loss, 0.7 * formula(s.exact, s.wanted, s.top), 1e-5);
        double expected[N];
        for (int n = 0; n < N; n++)
        {
            double x = s.exact[n], step = 1e-5; // whose error is of the square of it
            s.exact[n] = x + step;
            double above = formula(s.exact, s.wanted, s.top);
            s.exact[n] = x - step;
            expected[n] = 0.7 * (above - formula(s.exact, s.wanted, s.top)) / (2 * step);
            s.exact[n] = x;
            largest = fmax(largest, fabs(expected[n]));
        }
        for (int n = 0; n < N; n++) assert_near(s.dscores[n], expected[n], 1e-5 * largest);
    }
    sac_choice_destroy(&choice);
}

TEST(units_and_constants_do_not_matter)
{
    const sac_kernels kernels = sac_kernels_create(sac_get_cpu_level());
    sac_choice choice;
    assert_ok(sac_choice_create(&choice, N, K));
    scene s = make(3);
    for (int n = 0; n < N; n++) s.scores[n] = 16 * s.targets[n] - 4;
    assert_near(sac_choice_loss(&choice, &kernels, s.dscores, s.scores, s.targets, 1), 0, 1e-5);
    // where all targets, or all scores, are alike there is nothing to learn
    for (int n = 0; n < N; n++) s.targets[n] = 2;
    assert_near(sac_choice_loss(&choice, &kernels, s.dscores, s.scores, s.targets, 1), 0, 0);
    for (int n = 0; n < N; n++) assert_true(s.dscores[n] == 0);
    s = make(4);
    for (int n = 0; n < N; n++) s.scores[n] = 2;
    assert_true(sac_choice_loss(&choice, &kernels, s.dscores, s.scores, s.targets, 1) > 0);
    for (int n = 0; n < N; n++) assert_true(s.dscores[n] == 0);
    sac_choice_destroy(&choice);
}

// all patches are kept, so that the last choice has but one
TEST(all_may_be_kept)
{
    const sac_kernels kernels = sac_kernels_create(sac_get_cpu_level());
    sac_choice choice;
    assert_ok(sac_choice_create(&choice, 4, 4));
    float scores[] = {1, 2, 3, 4}, targets[] = {4, 3, 1, 2}, dscores[4];
    assert_true(isfinite(sac_choice_loss(&choice, &kernels, dscores, scores, targets, 1)));
    for (int n = 0; n < 4; n++) assert_true(isfinite(dscores[n]));
    sac_choice_destroy(&choice);
}

TESTS(loss_and_gradient_are_those_of_the_formula, units_and_constants_do_not_matter, all_may_be_kept)
