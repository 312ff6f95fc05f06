#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "policy/kind.h"

/// A planner for any world that can be saved and whose actions are numbers: it draws plans around the one that it has,
/// tries each out in a copy of the world, goes on from those that earn most, and does the first action of what comes
/// of it, anew in each step. With one elite this is predictive sampling (Howell et al. 2022). With more it goes on from
/// their mean, as the cross-entropy method does, which would fit the deviations as well. It sees no picture, so it
/// makes teachers.
///
/// A plan is a line through `knots` points that are evenly spread over its `horizon` actions.

typedef struct sampler_config
{
    int samples, rounds, elites, horizon, knots;
    double deviation;
} sampler_config;

enum
{
    MOST_SAMPLES = 4096,
    MOST_ROUNDS = 64,
    MOST_ACTIONS = 1024,
    SCALES = 5 // a sample's deviation is the largest one, or a half, a quarter, an eighth or a sixteenth of it
};

static const sac_option options[] = {
    {"samples", SAC_OPTION_INT, offsetof(sampler_config, samples), "64", 1, MOST_SAMPLES, NULL,
     "plans that are tried out in a round, the one that it has among them"},
    {"rounds", SAC_OPTION_INT, offsetof(sampler_config, rounds), "1", 1, MOST_ROUNDS, NULL,
     "how often plans are drawn for an action, each time around what came of the last"},
    {"elites", SAC_OPTION_INT, offsetof(sampler_config, elites), "1", 1, MOST_SAMPLES, NULL,
     "the best plans of a round, whose mean is the plan that it goes on with; at most samples"},
    {"horizon", SAC_OPTION_INT, offsetof(sampler_config, horizon), "40", 1, MOST_ACTIONS, NULL,
     "actions that a plan looks ahead"},
    {"knots", SAC_OPTION_INT, offsetof(sampler_config, knots), "5", 1, MOST_ACTIONS, NULL,
     "points of a plan, between which its actions lie on lines; at most horizon"},
    {"deviation", SAC_OPTION_REAL, offsetof(sampler_config, deviation), "1", 0, 10, NULL,
     "the largest of five, each half as large as the last, of what is drawn, in halves of an action's range"},
    {0},
};

typedef struct sampler
{
    size_t weight; // offset of what `deviation` is scaled by, less 1
} sampler;

typedef struct sampler_state
{
    sac_policy_state base; // first
    double deviation;
    float *plan;     // [knots, action_size] that it has
    float *drawn;    // [samples, knots, action_size]
    float *actions;  // [horizon, action_size] of the plan that is tried out
    double *noise;   // [knots * action_size]
    double *returns; // [samples]
    uint64_t decisions;
} sampler_state;

static size_t plan_size(const sampler_state *s)
{
    const sampler_config *config = s->base.policy->config;
    return (size_t)config->knots * (size_t)s->base.policy->def.action_size;
}

static sac_status create(sac_policy *policy)
{
    const sampler_config *config = policy->config;
    const int one = 1;
    if (policy->def.action_choices)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "policy: a sampler draws numbers, and the actions of this world are choices");
    if (config->knots > config->horizon)
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: knots is %d, and a plan of horizon %d has no more than %d",
                        config->knots, config->horizon, config->horizon);
    if (config->elites > config->samples)
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: elites is %d, and of samples %d no more than %d are tried out",
                        config->elites, config->samples, config->samples);
    sampler *p = SAC_NEW(sampler);
    if (!p) return sac_fail_memory("a policy");
    policy->self = p; // destroyed with the policy
    return sac_policy_add_tensor(policy, "plan.deviation", 0, 1, &one, &p->weight);
}

static void destroy(void *self)
{
    sac_free(self);
}

static void place(sac_policy_state *base, sac_workspace *workspace)
{
    sampler_state *s = (sampler_state *)base;
    const sampler_config *config = base->policy->config;
    const size_t size = plan_size(s), samples = (size_t)config->samples;
    s->plan = sac_take(workspace, size, sizeof *s->plan);
    s->returns = sac_take_scratch(workspace, samples, sizeof *s->returns);
    s->noise = sac_take_scratch(workspace, size, sizeof *s->noise);
    s->drawn = sac_take_scratch(workspace, samples * size, sizeof *s->drawn);
    s->actions = sac_take_scratch(workspace, (size_t)config->horizon * (size_t)base->policy->def.action_size,
                                  sizeof *s->actions);
}

static void set_parameters(sac_policy_state *base, const float *parameters)
{
    sampler_state *s = (sampler_state *)base;
    const sampler_config *config = base->policy->config;
    const double factor = 1 + (double)parameters[((const sampler *)base->policy->self)->weight];
    s->deviation = isfinite(factor) ? config->deviation * factor : config->deviation;
}

// An episode begins with the plan to do as little as can be.
static void reset(sac_policy_state *base)
{
    sampler_state *s = (sampler_state *)base;
    const sac_policy_def *def = &base->policy->def;
    const size_t size = plan_size(s);
    s->decisions = 0;
    for (size_t i = 0; i < size; i++) s->plan[i] = 0;
    for (size_t i = 0; i < size; i += (size_t)def->action_size) sac_policy_bound(def, s->plan + i);
}

// One number of a plan at a time in actions, which may lie between two of its points or beyond the last.
static float at(const sampler_state *s, const float *plan, double time, size_t index)
{
    const sampler_config *config = s->base.policy->config;
    const size_t width = (size_t)s->base.policy->def.action_size;
    if (config->knots == 1) return plan[index];
    const double place = time * (config->knots - 1) / (config->horizon - 1);
    const int last = config->knots - 1;
    const int knot = place < last ? (int)place : last - 1;
    const double part = place < last ? place - knot : 1;
    const float *from = plan + (size_t)knot * width + index;
    return (float)((1 - part) * (double)from[0] + part * (double)from[width]);
}

// An action may have been done since the last decision: what the plan says of the next one is what it now says of the
// first.
static void go_on(sampler_state *s)
{
    if (s->decisions++ == 0) return;
    const sampler_config *config = s->base.policy->config;
    const size_t width = (size_t)s->base.policy->def.action_size;
    const double apart = config->knots == 1 ? 0 : (double)(config->horizon - 1) / (config->knots - 1);
    for (int k = 0; k < config->knots; k++) // a later point is read before it is written
        for (size_t i = 0; i < width; i++) s->plan[(size_t)k * width + i] = at(s, s->plan, k * apart + 1, i);
}

// Draws a plan around the one that it has: about half of its numbers are others, by much in some samples and by little
// in others, because what mends a plan is mostly a small change or one of a few numbers.
static void draw(sampler_state *s, float *out, int round, int sample)
{
    const sac_policy_def *def = &s->base.policy->def;
    const size_t width = (size_t)def->action_size, size = plan_size(s);
    sac_stream random = sac_stream_create((uint64_t)round, s->decisions, (uint64_t)sample);
    const double deviation = ldexp(s->deviation, -(sample % SCALES));
    sac_normals(s->noise, size, (uint64_t)round, s->decisions, (uint64_t)sample);
    for (size_t i = 0; i < size; i++)
    {
        const double low = (double)def->action_low[i % width], high = (double)def->action_high[i % width];
        const bool changed = sac_stream_below(&random, 2) == 1;
        out[i] = (float)((double)s->plan[i] + (changed ? deviation * (high - low) / 2 * s->noise[i] : 0));
    }
    for (size_t i = 0; i < size; i += width) sac_policy_bound(def, out + i);
}

static sac_status try_plan(sampler_state *s, const sac_trial *trial, const float *plan, double *earned)
{
    const sampler_config *config = s->base.policy->config;
    const size_t width = (size_t)s->base.policy->def.action_size;
    for (int t = 0; t < config->horizon; t++)
        for (size_t i = 0; i < width; i++) s->actions[(size_t)t * width + i] = at(s, plan, t, i);
    return trial->run(trial->self, s->actions, config->horizon, earned);
}

// The mean of the plans that earned most; of equal ones those that were drawn first.
static void keep_best(sampler_state *s)
{
    const sampler_config *config = s->base.policy->config;
    const size_t size = plan_size(s);
    for (size_t i = 0; i < size; i++) s->noise[i] = 0;
    for (int e = 0; e < config->elites; e++)
    {
        int best = 0;
        for (int k = 1; k < config->samples; k++)
            if (s->returns[k] > s->returns[best]) best = k;
        s->returns[best] = -INFINITY;
        const float *plan = s->drawn + (size_t)best * size;
        for (size_t i = 0; i < size; i++) s->noise[i] += (double)plan[i] / config->elites;
    }
    for (size_t i = 0; i < size; i++) s->plan[i] = (float)s->noise[i];
}

static void do_first(const sampler_state *s, float *action)
{
    memcpy(action, s->plan, (size_t)s->base.policy->def.action_size * sizeof *action);
}

static sac_status search(sac_policy_state *base, const sac_trial *trial, const void *const *inputs, float *action)
{
    (void)inputs; // the copy of the world says all there is to know
    sampler_state *s = (sampler_state *)base;
    const sampler_config *config = base->policy->config;
    const size_t size = plan_size(s);
    go_on(s);
    for (int round = 0; round < config->rounds; round++)
    {
        memcpy(s->drawn, s->plan, size * sizeof *s->plan);
        for (int k = 1; k < config->samples; k++) draw(s, s->drawn + (size_t)k * size, round, k);
        for (int k = 0; k < config->samples; k++)
            SAC_TRY(try_plan(s, trial, s->drawn + (size_t)k * size, &s->returns[k]));
        keep_best(s);
    }
    do_first(s, action);
    return SAC_OK;
}

// Where there is no world to try anything out in, it does what it has planned.
static void act(sac_policy_state *base, const void *const *inputs, float *action)
{
    (void)inputs;
    sampler_state *s = (sampler_state *)base;
    go_on(s);
    do_first(s, action);
}

const sac_policy_ops sac_sampler_ops = {.name = "sampler",
                                        .options = options,
                                        .config_size = sizeof(sampler_config),
                                        .taste = SAC_TASTE_NUMBERS,
                                        .create = create,
                                        .destroy = destroy,
                                        .state_size = sizeof(sampler_state),
                                        .place = place,
                                        .set_parameters = set_parameters,
                                        .reset = reset,
                                        .act = act,
                                        .search = search};
