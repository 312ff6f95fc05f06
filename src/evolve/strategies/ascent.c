#include "evolve/strategies/ascent.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/series.h"
#include "evolve/vector.h"

static const double keep_squares = 0.999;

sac_status sac_ascent_create(sac_ascent *ascent, const sac_ascent_config *config, double rate, int n)
{
    ascent->rule = strcmp(config->optimizer, "adam") == 0  ? SAC_ASCENT_ADAM
                   : strcmp(config->optimizer, "sgd") == 0 ? SAC_ASCENT_SGD
                                                           : SAC_ASCENT_CLIPUP;
    ascent->momentum = config->momentum;
    ascent->rate = config->rate > 0 ? config->rate : rate;
    ascent->rate_decay = config->rate_decay;
    ascent->rate_floor = config->rate_floor;
    ascent->velocity = SAC_NEW_ARRAY(double, (size_t)n);
    if (ascent->rule == SAC_ASCENT_ADAM) ascent->squares = SAC_NEW_ARRAY(double, (size_t)n);
    return ascent->velocity && (ascent->squares || ascent->rule != SAC_ASCENT_ADAM) ? SAC_OK
                                                                                    : sac_fail_memory("a search");
}

void sac_ascent_destroy(sac_ascent *ascent)
{
    sac_free(ascent->velocity);
    sac_free(ascent->squares);
}

// Compute b^t by its series, with 0^t = 0.
static double power(double b, double t)
{
    return b > 0 ? sac_series_exp(t * sac_series_log(b)) : 0;
}

static void move_adam(sac_ascent *s, double *mean, const double *gradient, int n)
{
    double b = s->momentum, c = keep_squares;
    // both averages begin at zero; these factors take that bias away (Kingma and Ba 2015, section 3)
    double rate = s->rate * sqrt(1 - power(c, s->count)) / (1 - power(b, s->count));
    for (int i = 0; i < n; i++)
    {
        double g = gradient[i];
        s->velocity[i] = b * s->velocity[i] + (1 - b) * g;
        s->squares[i] = c * s->squares[i] + (1 - c) * g * g;
        mean[i] += rate * s->velocity[i] / (sqrt(s->squares[i]) + 1e-8);
    }
}

// Momentum as an average: the weights 1 - b, b (1 - b), ... add up to 1, so momentum does not lengthen the step.
static void move_sgd(sac_ascent *s, double *mean, const double *gradient, int n)
{
    for (int i = 0; i < n; i++)
    {
        s->velocity[i] = s->momentum * s->velocity[i] + (1 - s->momentum) * gradient[i];
        mean[i] += s->rate * s->velocity[i];
    }
}

// ClipUp (Toklu, Liskowski and Srivastava 2020): every push is as long as the rate, and the speed is cut at twice the
// rate, so that neither follows the scale of the returns.
static void move_clipup(sac_ascent *s, double *mean, const double *gradient, int n)
{
    double length = sqrt(sac_vector_dot(gradient, gradient, (size_t)n));
    double push = length > 0 ? s->rate / length : 0; // only the gradient's direction counts
    for (int i = 0; i < n; i++) s->velocity[i] = s->momentum * s->velocity[i] + push * gradient[i];
    double speed = sqrt(sac_vector_dot(s->velocity, s->velocity, (size_t)n)), most = 2 * s->rate;
    for (int i = 0; i < n; i++)
    {
        if (speed > most) s->velocity[i] *= most / speed;
        mean[i] += s->velocity[i];
    }
}

void sac_ascent_move(sac_ascent *ascent, sac_search *search, const double *gradient)
{
    static void (*const moves[])(sac_ascent *, double *, const double *, int) = {move_adam, move_sgd, move_clipup};
    ascent->count++;
    moves[ascent->rule](ascent, search->mean, gradient, search->dimension);
    ascent->rate = fmax(ascent->rate * ascent->rate_decay, ascent->rate_floor);
}

void sac_ascent_state(sac_ascent *ascent, const sac_search *search, sac_search_array *arrays, int capacity, int *count)
{
    size_t n = (size_t)search->dimension;
    sac_search_add_array(arrays, capacity, count, "steps", &ascent->count, 1);
    sac_search_add_array(arrays, capacity, count, "rate", &ascent->rate, 1);
    sac_search_add_array(arrays, capacity, count, "velocity", ascent->velocity, n);
    if (ascent->squares) sac_search_add_array(arrays, capacity, count, "squares", ascent->squares, n);
}

sac_status sac_ascent_restored(const sac_ascent *ascent, const sac_search *search)
{
    const char *name = search->method->name;
    if (ascent->count < 0 || ascent->count > search->generation || ascent->rate < 0)
        return sac_fail(SAC_ERROR_FORMAT,
                        "%s: the state's steps is %g and rate %g, expected 0 to the generation and no "
                        "less than 0",
                        name, ascent->count, ascent->rate);
    for (int i = 0; ascent->squares && i < search->dimension; i++)
        if (ascent->squares[i] < 0)
            return sac_fail(SAC_ERROR_FORMAT, "%s: the state's squares[%d] is %g, expected no less than 0", name, i,
                            ascent->squares[i]);
    return SAC_OK;
}
