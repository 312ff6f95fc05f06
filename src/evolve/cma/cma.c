#include "evolve/cma/cma.h"

#include <math.h>
#include <stdlib.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/series.h"

static double sum_of(const double *x, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += x[i];
    return sum;
}

// Compute the variance-effective number of weights: (sum w)^2 / sum w^2.
static double effective(const double *weights, int count)
{
    double squares = 0, sum = sum_of(weights, count);
    for (int i = 0; i < count; i++) squares += weights[i] * weights[i];
    return squares > 0 ? sum * sum / squares : 0;
}

static void scale(double *x, int count, double factor)
{
    for (int i = 0; i < count; i++) x[i] *= factor;
}

// The weights are ln((lambda + 1) / 2) - ln i; the positive ones are scaled to sum 1, and the negative ones to sum -1.
// The logarithmic weights of Hansen 2016 (A Tutorial), before the negative ones get their size below.
static void set_weights(sac_cma *cma)
{
    double middle = sac_series_log((cma->population + 1) / 2.0);
    for (int i = 0; i < cma->population; i++) cma->weights[i] = middle - sac_series_log(i + 1.0);
    cma->mu = cma->population / 2;
    scale(cma->weights, cma->mu, 1 / sum_of(cma->weights, cma->mu));
    int rest = cma->population - cma->mu;
    scale(cma->weights + cma->mu, rest, -1 / sum_of(cma->weights + cma->mu, rest));
    cma->mu_eff = effective(cma->weights, cma->mu);
}

// Scale the negative weights to the sum -(1 + c_1 / c_mu), or to less where C could lose positive definiteness or
// mu_eff is small.
// The three bounds are the tutorial's alpha_mu-, alpha_posdef- and alpha_mu_eff-.
static void set_negative_weights(sac_cma *cma)
{
    double *negative = cma->weights + cma->mu;
    int count = cma->population - cma->mu;
    double effective_negative = effective(negative, count);
    double size = 0;
    if (cma->config.active && cma->c_mu > 0)
    {
        size = 1 + cma->c_1 / cma->c_mu;
        size = fmin(size, (1 - cma->c_1 - cma->c_mu) / cma->c_mu / cma->dimension);
        size = fmax(0, fmin(size, 1 + 2 * effective_negative / (cma->mu_eff + 2)));
    }
    scale(negative, count, size);
}

// Compute E|N(0, I)| = sqrt(2) Gamma((n + 1) / 2) / Gamma(n / 2) by its recursion from n to n + 2, which cannot
// overflow.
static double expected_length(int n)
{
    double length = n % 2 ? 0.79788456080286536 : 1.2533141373155003; // sqrt(2 / pi), sqrt(pi / 2)
    for (int i = n % 2 ? 1 : 2; i < n; i += 2) length *= (i + 1.0) / i;
    return length;
}

static void set_constants(sac_cma *cma, double rate)
{
    double n = cma->dimension, mu = cma->mu_eff;
    rate *= cma->config.covariance_rate;
    cma->c_sigma = fmin(0.5, (mu + 2) / (n + mu + 3));
    double inner = fmax(1, 3 * (1 - sac_series_exp(-0.69314718055994531 * n / 9)));
    double large = 2 * fmax(0, inner * sqrt((mu - 1) / (n + 1)) - 1);
    cma->damping = (1 + large + cma->c_sigma) * cma->config.csa_damping;
    cma->c_c = (4 + mu / n) / (n + 4 + 2 * mu / n);
    cma->c_1 = fmin(1, rate * fmin(1, cma->population / 6.0) * 2 / ((n + 1.3) * (n + 1.3) + mu));
    cma->c_mu = fmin(1 - cma->c_1, rate * 2 * (0.25 + mu + 1 / mu - 2) / ((n + 2) * (n + 2) + mu));
    cma->chi_n = expected_length(cma->dimension);
}

sac_status sac_cma_create(sac_cma *cma, sac_search *search, const sac_cma_config *config, double rate)
{
    cma->config = *config;
    cma->dimension = search->dimension;
    SAC_TRY(sac_common_create(search, &config->common, 1));
    cma->population = search->population;
    search->mirrored = config->mirrored && search->population % 2 == 0;

    size_t n = (size_t)cma->dimension;
    cma->weights = SAC_NEW_ARRAY(double, (size_t)cma->population);
    cma->path_sigma = SAC_NEW_ARRAY(double, n);
    cma->path_c = SAC_NEW_ARRAY(double, n);
    cma->step = SAC_NEW_ARRAY(double, n);
    cma->white = SAC_NEW_ARRAY(double, n);
    if (!cma->weights || !cma->path_sigma || !cma->path_c || !cma->step || !cma->white)
        return sac_fail_memory("a search");
    set_weights(cma);
    set_constants(cma, rate);
    set_negative_weights(cma);
    return SAC_OK;
}

void sac_cma_destroy(sac_cma *cma)
{
    sac_free(cma->weights);
    sac_free(cma->path_sigma);
    sac_free(cma->path_c);
    sac_free(cma->step);
    sac_free(cma->white);
}

void sac_cma_noise(const sac_cma *cma, const sac_search *search, int index, double *z)
{
    bool mirrored = cma->config.mirrored;
    uint64_t individual = (uint64_t)(mirrored ? index / 2 : index);
    sac_normals(z, (size_t)cma->dimension, search->seed, (uint64_t)search->generation, individual);
    if (mirrored && index % 2 == 1)
        for (int i = 0; i < cma->dimension; i++) z[i] = -z[i];
}

double sac_cma_negative_factor(const sac_cma *cma, double squared_length)
{
    double length = sqrt(squared_length) + 1e-9;
    return cma->dimension / (length * length);
}

// Tell whether the path is no longer than chance makes it. Only then may p_c add the step, so that a long path does not
// inflate C.
static bool is_not_stalled(const sac_cma *cma, double generation)
{
    double squares = 0, n = cma->dimension;
    for (int i = 0; i < cma->dimension; i++) squares += cma->path_sigma[i] * cma->path_sigma[i];
    // The path begins at zero, and its expected squared length grows as 1 - (1 - c_sigma)^(2 g).
    double grown = 1 - sac_series_exp(2 * generation * sac_series_log(1 - cma->c_sigma));
    return squares / grown / n < 2 + 4 / (n + 1);
}

double sac_cma_move(sac_cma *cma, sac_search *search)
{
    int n = cma->dimension;
    double reach = cma->config.c_mean * search->sigma;
    // these factors keep the paths standard normal where selection is random, and so their lengths comparable
    double rate_sigma = sqrt(cma->c_sigma * (2 - cma->c_sigma) * cma->mu_eff);
    double rate_c = sqrt(cma->c_c * (2 - cma->c_c) * cma->mu_eff);
    for (int i = 0; i < n; i++) search->mean[i] += reach * cma->step[i];
    for (int i = 0; i < n; i++)
        cma->path_sigma[i] = (1 - cma->c_sigma) * cma->path_sigma[i] + rate_sigma * cma->white[i];

    bool moves = is_not_stalled(cma, search->generation + 1);
    if (!moves) rate_c = 0;
    for (int i = 0; i < n; i++) cma->path_c[i] = (1 - cma->c_c) * cma->path_c[i] + rate_c * cma->step[i];
    return moves ? cma->c_1 : cma->c_1 * (1 - cma->c_c * (2 - cma->c_c));
}

// Adapt sigma by the length of the path.
static double path_change(const sac_cma *cma)
{
    double squares = 0;
    for (int i = 0; i < cma->dimension; i++) squares += cma->path_sigma[i] * cma->path_sigma[i];
    // cumulative step-size adaptation: longer than chance means steps in one direction, so sigma grows
    double change = cma->c_sigma / cma->damping * (sqrt(squares) / cma->chi_n - 1);
    return fmax(-1, fmin(1, change));
}

double sac_cma_reach(const sac_cma *cma, double squared_length)
{
    double squares = 0;
    for (int i = 0; i < cma->dimension; i++) squares += cma->white[i] * cma->white[i];
    return squares > 0 ? sqrt(squared_length / squares) : 0;
}

// Adapt sigma by the ranks of the two candidates on the line of the last move, with pycma's constants.
static double line_change(sac_cma *cma, const sac_search *search, const int *order)
{
    int ahead = 0, behind = 0;
    for (int k = 0; k < cma->population; k++)
    {
        if (order[k] == 0) ahead = k;
        if (order[k] == 1) behind = k;
    }
    // the difference of the ranks of the two, as a share of the population
    double won = search->fitness[0] == search->fitness[1] ? 0 : (behind - ahead) / (cma->population - 1.0);
    cma->lead = 0.7 * cma->lead + 0.3 * copysign(sqrt(fabs(won)), won);
    double n = cma->dimension;
    return cma->lead / (0.7 + 2 * sac_series_log(n) + 2 * sac_series_log(fmax(1, cma->population - n)));
}

void sac_cma_move_sigma(sac_cma *cma, sac_search *search, const int *order)
{
    double change = cma->config.two_point ? line_change(cma, search, order) : cma->config.csa ? path_change(cma) : 0;
    search->sigma *= sac_series_exp(change);
    sac_common_move_sigma(search, &cma->config.common);
}

double sac_cma_rescale(sac_cma *cma, sac_search *search, double largest)
{
    if (largest > 0x1p-20 && largest < 0x1p20) return 1;
    int exponent;
    frexp(largest, &exponent);
    if (!isfinite(largest) || abs(exponent) > 400) return 1; // the search stops soon for this reason
    double factor = ldexp(1, exponent);
    search->sigma *= factor;
    for (int i = 0; i < cma->dimension; i++) cma->path_c[i] /= factor;
    return factor;
}

double sac_cma_keep(const sac_cma *cma, double c_1)
{
    return 1 - c_1 - cma->c_mu * sum_of(cma->weights, cma->population);
}

void sac_cma_state(sac_cma *cma, sac_search_array *arrays, int capacity, int *count)
{
    sac_search_add_array(arrays, capacity, count, "path_sigma", cma->path_sigma, (size_t)cma->dimension);
    sac_search_add_array(arrays, capacity, count, "path_c", cma->path_c, (size_t)cma->dimension);
    if (!cma->config.two_point) return;
    sac_search_add_array(arrays, capacity, count, "step", cma->step, (size_t)cma->dimension);
    sac_search_add_array(arrays, capacity, count, "lead", &cma->lead, 1);
}

void sac_cma_constants(sac_search *search, sac_search_array *arrays, int capacity, int *count)
{
    sac_cma *cma = search->self;
    sac_search_add_array(arrays, capacity, count, "weights", cma->weights, (size_t)cma->population);
    sac_search_add_array(arrays, capacity, count, "mu_eff", &cma->mu_eff, 1);
    sac_search_add_array(arrays, capacity, count, "c_c", &cma->c_c, 1);
    sac_search_add_array(arrays, capacity, count, "c_sigma", &cma->c_sigma, 1);
    sac_search_add_array(arrays, capacity, count, "c_1", &cma->c_1, 1);
    sac_search_add_array(arrays, capacity, count, "c_mu", &cma->c_mu, 1);
    sac_search_add_array(arrays, capacity, count, "damping", &cma->damping, 1);
    sac_search_add_array(arrays, capacity, count, "chi_n", &cma->chi_n, 1);
}

const char *sac_cma_stop(const sac_search *search, double largest, double smallest)
{
    if (!isfinite(largest) || !isfinite(smallest)) return "numerical trouble: the covariance is not finite";
    if (search->sigma * largest < 1e-12) return "the step size is below 1e-12 along every axis";
    if (largest > 1e7 * smallest) return "the covariance has a condition number above 1e14";
    return NULL;
}
