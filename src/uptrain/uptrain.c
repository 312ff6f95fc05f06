#include "uptrain/uptrain.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "policy/action_tokens/rt.h"
#include "policy/kind.h"
#include "policy/point_cloud/pct.h"

/// Up-training as a whole: pictures, the first phase, and the rounds of the second.

enum
{
    CHUNK = 25, // steps of the second phase between two looks at the interrupt
};

// One up-training under way.
typedef struct training
{
    const sac_policy *teacher;
    const sac_env_def *env;
    const sac_uptrain_def *def;
    sac_uptrain_result *result;
    sac_policy *twin; // the architecture
    bool has_memory;
    bool in_layers;      // it has no first phase, because its maps are layers that learn in the second
    uint64_t tune_steps; // in use
    sac_fit *fit;
    sac_lesson lesson;
    float *parameters;
} training;

static bool matches(const training *t)
{
    return !t->in_layers && !t->def->random && t->def->match_steps > 0;
}

// rounds of both phases whose pictures the new policy drives through
static int own_rounds(const training *t)
{
    return (matches(t) ? t->def->match_rounds - 1 : 0) + (t->tune_steps > 0 ? t->def->rounds - 1 : 0);
}

// Drive until there are enough pictures for `round` of these rounds. The teacher drives for half of the pictures, or
// for all where the new policy never does.
static sac_status drive(training *t, const sac_policy *driver, int round)
{
    const sac_uptrain_def *def = t->def;
    const int rounds = own_rounds(t), first = rounds > 0 ? def->frames / 2 : def->frames;
    const int count = round > 0 ? first + (int)((int64_t)(def->frames - first) * round / rounds) : first;
    return sac_lesson_drive(&t->lesson, driver, t->teacher, t->env, def->first_episode, count, def->interrupt);
}

// the new policy drives
static sac_status drive_itself(training *t, const float *parameters, int round)
{
    sac_policy *driver;
    SAC_TRY(sac_policy_create_with(&driver, t->twin, parameters));
    sac_status status = drive(t, driver, round);
    sac_policy_destroy(driver);
    return status;
}

// The rounds after the first begin where that one ended, so they take a smaller rate and fewer steps.
static sac_status match_round(training *t, int round)
{
    enum
    {
        LESS = 4
    };
    sac_uptrain_def def = *t->def;
    sac_uptrain_result *all = t->result, one = {0};
    if (round > 0)
    {
        SAC_TRY(drive_itself(t, t->parameters, round));
        def.match_rate /= LESS;
        def.match_steps = (def.match_steps + LESS - 1) / LESS;
    }
    SAC_TRY(sac_uptrain_match(t->twin, t->parameters, t->teacher, &t->lesson, &def, &one));
    if (round == 0) all->match_first = one.match_first, all->kept_first = one.kept_first;
    all->match_last = one.match_last;
    all->kept_last = one.kept_last;
    return SAC_OK;
}

static sac_status match(training *t)
{
    SAC_TRY(drive(t, t->teacher, 0));
    for (int round = 0; matches(t) && round < t->def->match_rounds; round++) SAC_TRY(match_round(t, round));
    return SAC_OK;
}

// a fit that starts at the parameters of the first phase
static sac_status create_fit(training *t)
{
    sac_policy *start;
    sac_fit_def def = sac_fit_default_def();
    def.rate = t->def->tune_rate;
    def.total_steps = t->tune_steps;
    def.batch = t->def->tune_batch                                        ? t->def->tune_batch
                : t->has_memory || t->twin->ops == &sac_action_tokens_ops ? 8
                                                                          : 64;
    def.largest_norm = 1;
    def.threads = t->def->threads;
    def.seed = t->def->seed;
    SAC_TRY(sac_policy_create_with(&start, t->twin, t->parameters));
    sac_policy_destroy(t->twin);
    t->twin = start;
    return sac_fit_create(&t->fit, t->twin, &def);
}

// A first phase that has not learned may be the reason.
static sac_status fail_tuning(const sac_uptrain_result *result, sac_status status)
{
    if (!(result->match_last >= result->match_first)) return sac_fail_in(status, "the second phase of up-training");
    return sac_fail_in(status,
                       "the second phase of up-training, after a first one whose loss went from %.3g to %.3g, which a "
                       "smaller match_rate mends",
                       result->match_first, result->match_last);
}

static sac_status fit_round(training *t, int round)
{
    const sac_uptrain_def *def = t->def;
    const sac_examples examples = sac_lesson_examples(&t->lesson);
    const uint64_t rounds = (uint64_t)def->rounds, at = t->tune_steps * (uint64_t)round / rounds;
    const uint64_t end = t->tune_steps * ((uint64_t)round + 1) / rounds;
    double first = NAN, loss[2] = {NAN, NAN};
    for (uint64_t step = at; step < end; step += CHUNK)
    {
        if (def->interrupt && *def->interrupt) return sac_fail(SAC_ERROR_INTERRUPTED, "up-training was interrupted");
        sac_status status = sac_fit_run(t->fit, &examples, end - step < CHUNK ? end - step : CHUNK, loss);
        SAC_TRY(status == SAC_ERROR_DIVERGED ? fail_tuning(t->result, status) : status);
        if (isnan(first)) first = loss[0];
    }
    if (round == 0) t->result->tune_first = first;
    t->result->tune_last = loss[1];
    if (def->progress) def->progress(def->user, "tune", end, t->tune_steps, loss[1]);
    return SAC_OK;
}

static sac_status tune(training *t)
{
    if (t->tune_steps == 0) return SAC_OK;
    SAC_TRY(create_fit(t));
    for (int round = 0; round < t->def->rounds; round++)
    {
        // the teacher says what it would do
        const int before = own_rounds(t) - (t->def->rounds - 1);
        if (round > 0) SAC_TRY(drive_itself(t, sac_fit_parameters(t->fit), before + round));
        SAC_TRY(fit_round(t, round));
    }
    memcpy(t->parameters, sac_fit_parameters(t->fit),
           (size_t)sac_policy_parameter_count(t->twin) * sizeof *t->parameters);
    return SAC_OK;
}

static sac_status train(training *t, sac_policy **out)
{
    const size_t count = (size_t)sac_policy_parameter_count(t->twin);
    t->parameters = SAC_NEW_ARRAY(float, count);
    if (!t->parameters) return sac_fail_memory("up-training");
    memcpy(t->parameters, sac_policy_parameters(t->twin), count * sizeof *t->parameters);
    SAC_TRY(sac_lesson_create(&t->lesson, t->teacher, t->def->frames));
    SAC_TRY(match(t));
    SAC_TRY(tune(t));
    t->result->frames = t->lesson.count;
    t->result->episodes = t->lesson.episodes;
    t->result->steps = t->lesson.steps;
    return sac_policy_create_with(out, t->twin, t->parameters);
}

// of each token in the new policy
static int features_of(const training *t)
{
    const sac_policy *twin = t->twin;
    if (twin->ops == &sac_action_tokens_ops) return ((const sac_rt *)twin->self)->features;
    if (twin->ops == &sac_point_cloud_ops) return ((const sac_pct *)twin->self)->features;
    return t->def->features;
}

// Checks that there is a gradient, before any episode is driven.
static sac_status check_gradient(training *t)
{
    sac_gradient *gradient;
    sac_gradient_def def = sac_gradient_default_def();
    SAC_TRY(sac_gradient_create(&gradient, t->twin, &def));
    t->has_memory = sac_gradient_hidden_size(gradient) > 0;
    t->in_layers = sac_uptrain_in_layers(t->twin);
    t->result->features = features_of(t);
    t->tune_steps = sac_uptrain_steps(t->def, t->twin, t->has_memory);
    sac_gradient_destroy(gradient);
    return SAC_OK;
}

sac_status sac_uptrain(sac_policy **out, const sac_policy *policy, const sac_env_def *env, const sac_uptrain_def *def,
                       sac_uptrain_result *result)
{
    *out = NULL;
    sac_uptrain_result own;
    const sac_uptrain_def settled = sac_uptrain_settle(def, policy);
    training t = {.teacher = policy, .env = env, .def = &settled, .result = result ? result : &own};
    *t.result = (sac_uptrain_result){.match_first = NAN,
                                     .match_last = NAN,
                                     .kept_first = NAN,
                                     .kept_last = NAN,
                                     .tune_first = NAN,
                                     .tune_last = NAN};
    SAC_TRY(sac_uptrain_twin(&t.twin, policy, def));
    sac_status status = check_gradient(&t);
    if (status == SAC_OK) status = train(&t, out);
    sac_fit_destroy(t.fit);
    sac_policy_destroy(t.twin);
    sac_lesson_clear(&t.lesson);
    sac_free(t.parameters);
    return status;
}
