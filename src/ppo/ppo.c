#include "ppo/ppo.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/series.h"
#include "ppo/learner.h"
#include "saccade/play.h"

/// The learner's life, and an iteration of it.

enum
{
    MEMORY_STEPS = 32,
    DRAW = 4 ///< a stream of the learner's seed
};

// --- creation ---

static sac_status choose_lengths(sac_ppo *p)
{
    const sac_ppo_config *c = &p->config;
    p->steps = c->steps;
    p->sequence = c->sequence;
    if (p->sequence == 0)
    {
        p->sequence = p->hidden && p->steps > MEMORY_STEPS ? MEMORY_STEPS : p->hidden ? p->steps : 1;
        while (p->steps % p->sequence != 0) p->sequence--;
    }
    if (p->steps % p->sequence != 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "search.sequence is %d, expected a divisor of search.steps, which is %d",
                        p->sequence, p->steps);
    const int sequences = c->worlds * sac_ppo_sequences(p);
    int batch = c->minibatch / p->sequence > 0 ? c->minibatch / p->sequence : 1;
    if (batch > sequences) batch = sequences;
    p->slice_sequences = (batch + c->slices - 1) / c->slices;
    p->frames = p->slice_sequences * p->sequence;
    if (p->frames < SAC_PPO_LANES) p->frames = SAC_PPO_LANES;
    return SAC_OK;
}

// Finds the parts of the world that the policy or the critic sees.
static void choose_parts(sac_ppo *p, const sac_env_spec *spec)
{
    p->part_count = spec->observation_count;
    for (int i = 0; i < sac_policy_get_def(p->policy)->input_count; i++)
        p->part_bytes[p->inputs[i]] = sac_space_bytes(&spec->observations[p->inputs[i]]);
    for (int i = 0; i < p->critic.input_count; i++)
        p->part_bytes[p->critic.inputs[i]] = sac_space_bytes(&spec->observations[p->critic.inputs[i]]);
}

static sac_status look_at_world(sac_ppo *p, const sac_env *env)
{
    const sac_env_spec *spec = sac_env_get_spec(env);
    const sac_gradient_def def = sac_gradient_default_def();
    SAC_TRY(sac_policy_fits(p->policy, env, p->inputs));
    SAC_TRY(sac_gradient_create(&p->gradient, p->policy, &def));
    if (p->gradient->parts.rt || p->gradient->parts.pct)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "ppo: policies of kind %s do not learn by reward; they learn from a teacher (saccade distill) "
                        "or by evolution",
                        sac_policy_kind(p->policy));
    SAC_TRY(sac_action_head_plan(&p->head, p->policy, p->gradient->outputs, p->config.logit_scale));
    SAC_TRY(sac_ppo_create_critic(&p->critic, &p->config, env, p->gradient, p->policy));
    SAC_TRY(sac_ppo_choose_costs(p, env));
    p->actions = spec->action_size;
    p->max_steps = spec->max_steps;
    p->hidden = sac_gradient_hidden_size(p->gradient);
    p->told = p->gradient->parts.actor->motion ? p->gradient->told : 0;
    choose_parts(p, spec);
    return SAC_OK;
}

static sac_status draw_start(sac_ppo *p, const sac_ppo_def *def)
{
    float *critic = p->x + p->policy_count, *logs = critic + p->critic_count;
    const uint64_t seed = sac_mix_seed(p->seed, DRAW, 0);
    memcpy(p->x, def->start, p->policy_count * sizeof *p->x);
    if (def->fresh && p->config.orthogonal) SAC_TRY(sac_ppo_draw(p->policy, seed, 0.01, p->x));
    sac_policy_draw(p->critic.policy, seed, critic);
    SAC_TRY(sac_ppo_draw(p->critic.policy, sac_mix_seed(seed, 1, 0), 1, critic));
    for (int i = 0; i < p->head.logs; i++) logs[i] = (float)sac_series_log(p->config.deviation);
    return SAC_OK;
}

static void mark_trained(sac_ppo *p, const sac_ppo_def *def)
{
    memset(p->trained, 1, p->count);
    if (def->trained) memcpy(p->trained, def->trained, p->policy_count);
}

// Where nothing before the controller is trained, what the controller is told of a frame stays the same.
static void choose_what_to_keep(sac_ppo *p)
{
    const size_t first = p->gradient->parts.actor->controller.first;
    if (first > 0 && !memchr(p->trained, 1, first)) p->fixed_told = p->gradient->told;
}

static sac_status create_parameters(sac_ppo *p, const sac_ppo_def *def)
{
    p->policy_count = (size_t)sac_policy_parameter_count(p->policy);
    p->critic_count = (size_t)sac_policy_parameter_count(p->critic.policy);
    p->count = p->policy_count + p->critic_count + (size_t)p->head.logs;
    p->x = SAC_NEW_ARRAY(float, p->count);
    p->sums = SAC_NEW_ARRAY(float, p->count);
    p->kept = SAC_NEW_MATRIX(float, 3, p->count);
    p->trained = SAC_NEW_ARRAY(uint8_t, p->count);
    p->order = SAC_NEW_MATRIX(int, (size_t)p->config.worlds, (size_t)sac_ppo_sequences(p));
    if (!p->x || !p->sums || !p->kept || !p->trained || !p->order) return sac_fail_memory("the parameters of ppo");
    SAC_TRY(draw_start(p, def));
    mark_trained(p, def);
    choose_what_to_keep(p);
    sac_optimiser_def optimiser = sac_optimiser_default_def();
    optimiser.rate = p->config.rate;
    optimiser.epsilon = p->config.epsilon;
    optimiser.largest_norm = p->config.largest_norm;
    return sac_optimiser_create(&p->optimiser, &optimiser, p->count);
}

static sac_status create(sac_ppo *p, const sac_ppo_def *def)
{
    SAC_TRY(sac_options_read(sac_ppo_options, &p->config, def->settings, def->setting_count, "search of ppo"));
    sac_env *env;
    SAC_TRY(sac_env_create(&env, def->env));
    sac_status status = look_at_world(p, env);
    sac_env_destroy(env);
    SAC_TRY(status);
    SAC_TRY(choose_lengths(p));
    SAC_TRY(create_parameters(p, def));
    SAC_TRY(sac_threads_create(&p->threads, def->threads));
    SAC_TRY(sac_slices_create_beside(&p->slices, p->threads, p->config.slices, p->count, SAC_PPO_BESIDE));
    SAC_TRY(sac_ppo_create_rooms(p));
    SAC_TRY(sac_ppo_create_groups(p, def->env));
    return sac_ppo_create_exchange(p);
}

sac_status sac_ppo_create(sac_ppo **out, const sac_ppo_def *def)
{
    *out = NULL;
    sac_ppo *p = SAC_NEW(sac_ppo);
    if (!p) return sac_fail_memory("ppo");
    p->policy = def->policy;
    p->seed = def->seed;
    p->iterations = def->iterations;
    p->comm = def->comm;
    p->interrupt = def->interrupt;
    p->thread_count = def->threads;
    pthread_mutex_init(&p->mutex, NULL);
    sac_status status = create(p, def);
    if (status != SAC_OK)
    {
        sac_ppo_destroy(p);
        return status;
    }
    *out = p;
    return SAC_OK;
}

void sac_ppo_destroy(sac_ppo *p)
{
    if (!p) return;
    sac_ppo_destroy_exchange(p);
    sac_ppo_destroy_groups(p);
    sac_ppo_destroy_rooms(p);
    sac_slices_destroy(p->slices);
    sac_threads_destroy(p->threads);
    sac_optimiser_destroy(p->optimiser);
    sac_ppo_destroy_critic(&p->critic);
    sac_action_head_clear(&p->head);
    sac_gradient_destroy(p->gradient);
    sac_free(p->x);
    sac_free(p->sums);
    sac_free(p->kept);
    sac_free(p->trained);
    sac_free(p->order);
    pthread_mutex_destroy(&p->mutex);
    sac_free(p);
}

bool sac_ppo_anneals(const sac_ppo *p)
{
    return p->config.anneal && p->iterations > 0;
}

const float *sac_ppo_parameters(const sac_ppo *p)
{
    return p->x;
}

// --- an iteration ---

// parameters and moments, so that an iteration that is broken off can be taken back
static void keep(sac_ppo *p, bool back)
{
    sac_optimiser_array arrays[SAC_OPTIMISER_ARRAYS];
    (void)sac_optimiser_list(p->optimiser, arrays);
    float *const live[] = {p->x, arrays[0].numbers, arrays[1].numbers};
    for (size_t i = 0; i < sizeof live / sizeof *live; i++)
    {
        float *kept = p->kept + i * p->count;
        memcpy(back ? live[i] : kept, back ? kept : live[i], p->count * sizeof *kept);
    }
}

// Adds what was seen to the normalisers and to the reward's scale, in the order of groups.
static void measure(sac_ppo *p, sac_normaliser *normaliser, sac_moments *returns, sac_ppo_report *report)
{
    sac_normaliser_begin(normaliser);
    sac_normaliser_begin(&p->critic.normaliser);
    for (int i = 0; i < p->group_count; i++)
    {
        const sac_ppo_rollout *r = &p->groups[i].rollout;
        const int steps = p->steps * p->groups[i].lanes;
        if (normaliser->size > 0) sac_normaliser_add(normaliser, steps, r->normaliser_sums);
        if (p->critic.normaliser.size > 0) sac_normaliser_add(&p->critic.normaliser, steps, r->critic_sums);
        sac_moments_add(returns, r->return_sums[0], r->return_sums[1], r->return_sums[2]);
        report->bad_rewards += (uint64_t)r->return_sums[3];
        report->steps += (uint64_t)steps;
    }
}

static void scale_rewards(const sac_ppo *p, sac_ppo_rollout *r, int lanes, const sac_moments *returns)
{
    const double factor = 1 / sac_moments_deviation(returns), most = p->config.reward_clip;
    for (int i = 0; p->config.scale_rewards && i < p->steps * lanes; i++)
    {
        double reward = factor * (double)r->rewards[i];
        if (most > 0) reward = fmin(fmax(reward, -most), most);
        r->rewards[i] = (float)reward;
    }
}

static void estimate_advantages(sac_ppo *p, const sac_moments *returns)
{
    for (int i = 0; i < p->group_count; i++)
    {
        sac_ppo_rollout *r = &p->groups[i].rollout;
        scale_rewards(p, r, p->groups[i].lanes, returns);
        sac_gae(&(sac_gae_def){.steps = p->steps,
                               .worlds = p->groups[i].lanes,
                               .gamma = p->config.gamma,
                               .lambda = p->config.lambda,
                               .rewards = r->rewards,
                               .values = r->values,
                               .last = r->last,
                               .ends = r->ends},
                r->advantages, r->targets);
    }
}

// Returns the share of the targets' variance that the critic had known when it drove.
static double explain(const sac_ppo *p)
{
    sac_moments targets = {0}, errors = {0};
    for (int i = 0; i < p->group_count; i++)
    {
        const sac_ppo_rollout *r = &p->groups[i].rollout;
        const int count = p->steps * p->groups[i].lanes;
        double sums[4] = {0};
        for (int k = 0; k < count; k++)
        {
            const double target = (double)r->targets[k], error = target - (double)r->values[k];
            sums[0] += target;
            sums[1] += target * target;
            sums[2] += error;
            sums[3] += error * error;
        }
        sac_moments_add(&targets, count, sums[0], sums[1]);
        sac_moments_add(&errors, count, sums[2], sums[3]);
    }
    return targets.squares > 0 ? 1 - errors.squares / targets.squares : NAN;
}

static void commit(sac_ppo *p, sac_normaliser *normaliser, const sac_moments *returns)
{
    sac_normaliser_commit(normaliser);
    sac_normaliser_commit(&p->critic.normaliser);
    sac_normaliser_write(normaliser, p->policy, p->x);
    sac_normaliser_write(&p->critic.normaliser, p->critic.policy, p->x + p->policy_count);
    p->returns = *returns;
    sac_ppo_commit_worlds(p);
}

// over worlds whose first episode has ended
static void summarise(const sac_ppo *p, sac_ppo_report *report)
{
    double count = 0, sum = 0, squares = 0, best = -INFINITY;
    for (int i = 0; i < p->config.worlds; i++)
    {
        const double last = p->worlds[i].last_return;
        if (isnan(last)) continue;
        count++;
        sum += last;
        best = fmax(best, last);
    }
    report->mean = count > 0 ? sum / count : NAN;
    report->best = count > 0 ? best : NAN;
    for (int i = 0; i < p->config.worlds; i++)
    {
        const double off = p->worlds[i].last_return - report->mean;
        if (!isnan(off)) squares += off * off;
    }
    report->std = count > 1 ? sqrt(squares / (count - 1)) : count > 0 ? 0 : NAN;
}

double sac_ppo_deviation(const sac_ppo *p)
{
    const float *logs = p->x + p->policy_count + p->critic_count;
    double deviation = 0;
    for (int i = 0; i < p->head.logs; i++) deviation += sac_series_exp((double)logs[i]) / p->head.logs;
    return p->head.logs > 0 ? deviation : NAN;
}

static sac_status iterate(sac_ppo *p, sac_normaliser *normaliser, sac_ppo_report *report)
{
    sac_moments returns = p->returns;
    const bool first = returns.count == 0;
    const double begin = sac_clock();
    SAC_TRY(sac_ppo_share(p, sac_ppo_drive(p)));
    report->rollout = sac_clock() - begin;
    measure(p, normaliser, &returns, report);
    estimate_advantages(p, &returns);
    report->explained = explain(p);
    // Before normalisers and the reward's scale are measured, an update would teach the wrong things.
    if (!first) SAC_TRY(sac_ppo_update(p, report));
    commit(p, normaliser, &returns);
    summarise(p, report);
    return SAC_OK;
}

sac_status sac_ppo_iterate(sac_ppo *p, uint64_t iteration, sac_normaliser *normaliser, sac_ppo_report *report)
{
    const uint64_t steps = sac_optimiser_steps(p->optimiser);
    *report = (sac_ppo_report){.policy_loss = NAN,
                               .value_loss = NAN,
                               .divergence = NAN,
                               .clipped = NAN,
                               .norm = NAN,
                               .explained = NAN,
                               .entropy = NAN};
    p->iteration = iteration;
    SAC_TRY(sac_ppo_reserve(p));
    keep(p, false);
    sac_status status = iterate(p, normaliser, report);
    if (status != SAC_OK)
    {
        keep(p, true);
        sac_optimiser_set_steps(p->optimiser, steps);
    }
    for (int i = 0; i < p->thread_count; i++)
    {
        report->acting += p->rooms[i].acting;
        report->stepping += p->rooms[i].stepping;
    }
    return status;
}

// --- state ---

int sac_ppo_state(sac_ppo *p, sac_ppo_array arrays[SAC_PPO_ARRAYS])
{
    const size_t worlds = (size_t)p->config.worlds;
    sac_optimiser_array moments[SAC_OPTIMISER_ARRAYS];
    (void)sac_optimiser_list(p->optimiser, moments);
    double total = 0;
    for (size_t i = 0; i < worlds; i++) total += p->lengths[i];
    p->numbers[0] = (double)sac_optimiser_steps(p->optimiser);
    p->numbers[1] = p->returns.count;
    p->numbers[2] = p->returns.mean;
    p->numbers[3] = p->returns.squares;
    const sac_ppo_array list[] = {
        {"numbers", SAC_F64, p->numbers, 4},
        {"parameters", SAC_F32, p->x, p->count},
        {"first_moment", SAC_F32, moments[0].numbers, p->count},
        {"second_moment", SAC_F32, moments[1].numbers, p->count},
        {"critic_filter", SAC_F64, p->critic.normaliser.numbers, sac_normaliser_count(&p->critic.normaliser)},
        {"worlds", SAC_F64, p->worlds, worlds * SAC_PPO_WORLD_NUMBERS},
        {"lengths", SAC_F64, p->lengths, worlds},
        {"actions", SAC_F32, p->history, (size_t)total * (size_t)p->actions},
        {"hidden", SAC_F32, p->hidden_state, worlds * (size_t)p->hidden},
        {"cell", SAC_F32, p->cell_state, worlds * (size_t)p->hidden},
        {"before", SAC_F32, p->before_state, worlds * (size_t)p->told},
    };
    memcpy(arrays, list, sizeof list);
    return sizeof list / sizeof *list;
}

static sac_status check_worlds(const sac_ppo *p)
{
    for (int i = 0; i < p->config.worlds; i++)
    {
        const sac_ppo_world *w = &p->worlds[i];
        if (!(w->episode >= 0 && w->episode <= 0x1p53) || w->steps != p->lengths[i] || !(w->push >= 0) ||
            !isfinite(w->discounted))
            return sac_fail(SAC_ERROR_FORMAT, "ppo: the state's numbers of world %d cannot be", i);
    }
    return SAC_OK;
}

sac_status sac_ppo_restored(sac_ppo *p)
{
    for (size_t i = 0; i < p->count; i++)
        if (!isfinite(p->x[i]))
            return sac_fail(SAC_ERROR_FORMAT, "ppo: the state's parameters[%zu] is not a finite number", i);
    for (int i = 0; i < 4; i++)
        if (!isfinite(p->numbers[i]) || (i != 2 && p->numbers[i] < 0))
            return sac_fail(SAC_ERROR_FORMAT, "ppo: the state's numbers[%d] is %g", i, p->numbers[i]);
    sac_optimiser_set_steps(p->optimiser, (uint64_t)p->numbers[0]);
    p->returns = (sac_moments){p->numbers[1], p->numbers[2], p->numbers[3]};
    return check_worlds(p);
}
