#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "ppo/ppo.h"
#include "run/rows.h"
#include "train/run.h"

/// The learner that learns by reward: an iteration of PPO is a generation.

typedef struct reward
{
    sac_ppo *ppo;
    sac_ppo_report report; ///< of the last iteration; its times are those of all
    uint8_t *trained;      ///< [parameters]
    sac_rows *rows;        ///< rank 0
} reward;

static const char header[] =
    "generation,epochs,rate,policy_loss,value_loss,explained,entropy,divergence,clipped,gradient_norm";

// --- creation ---

// A task for PPO must leave these settings of evolution at their defaults.
static sac_status check_settings(const sac_task *task)
{
    const sac_task_train *t = &task->train;
    const struct
    {
        const char *name;
        bool set;
    } others[] = {
        {"episodes", t->episodes != 1},
        {"race", t->race != 0},
        {"screen", t->screen != 0},
        {"common_episodes", !t->common_episodes},
        {"fitness", strcmp(t->fitness, "return") != 0},
        {"steps", t->steps != 0},
        {"patience", t->patience != 0},
        {"restart_after", t->restart_after != 0},
        {"stages", task->stage_count > 0},
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (others[i].set)
            return sac_fail(SAC_ERROR_ARGUMENT,
                            "train.%s is for evolution, and search.method: ppo has no candidates; leave it out",
                            others[i].name);
    return SAC_OK;
}

// Marks the parameters that learn: those that train.tune names, without the factors that scale a search's steps
static sac_status mark_trained(const sac_run *r, uint8_t *trained)
{
    const sac_tuned *tuned = &r->tuned;
    for (int i = 0; i < tuned->total; i++)
    {
        const float factor = tuned->index ? tuned->factor[i] : 1;
        if (factor != 0 && factor != 1)
            return sac_fail(SAC_ERROR_ARGUMENT,
                            "train.tune: the factor %g scales the steps of a search, and search.method: ppo has none",
                            (double)factor);
        trained[i] = factor != 0;
    }
    return SAC_OK;
}

static sac_status create_ppo(sac_run *r, reward *w)
{
    const size_t count = (size_t)sac_policy_parameter_count(r->policy);
    const sac_env_def env = sac_task_env_def(r->task);
    float *start = SAC_NEW_ARRAY(float, count);
    w->trained = SAC_NEW_ARRAY(uint8_t, count);
    sac_status status = start && w->trained ? sac_run_draw_start(r, start) : sac_fail_memory("the start");
    float *gathered = SAC_NEW_ARRAY(float, count);
    if (status == SAC_OK && !gathered) status = sac_fail_memory("the start");
    if (status == SAC_OK) memcpy(gathered, start, count * sizeof *start);
    if (status == SAC_OK) status = sac_run_set_start(r, gathered);
    if (status == SAC_OK) status = mark_trained(r, w->trained);
    const sac_ppo_def def = {.policy = r->policy,
                             .env = &env,
                             .settings = r->task->search_settings.settings,
                             .setting_count = r->task->search_settings.count,
                             .start = start,
                             .fresh = strcmp(r->task->train.start, "draw") == 0,
                             .trained = w->trained,
                             .seed = sac_mix_seed(r->task->train.seed, SAC_RUN_NOISE, 0),
                             .iterations = (uint64_t)r->task->train.generations,
                             .comm = r->comm,
                             .threads = r->def->threads,
                             .interrupt = r->def->interrupt};
    if (status == SAC_OK) status = sac_ppo_create(&w->ppo, &def);
    sac_free(start);
    sac_free(gathered);
    return status;
}

// The running average starts at the learner's first parameters, because the learner may have drawn the controller anew.
static sac_status begin_run(sac_run *r)
{
    const reward *w = r->learned;
    memcpy(r->vector, sac_ppo_parameters(w->ppo), (size_t)r->tuned.total * sizeof *r->vector);
    return sac_run_set_start(r, r->vector);
}

static sac_status check_rate(const sac_run *r, const sac_ppo *ppo)
{
    const uint64_t asked = sac_run_generations(r), rated = (uint64_t)r->task->train.generations;
    if (asked <= rated || !sac_ppo_anneals(ppo)) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT,
                    "%" PRIu64 " generations: search.anneal lets the rate fall to 0 with generation %" PRIu64
                    ", the task's train.generations, and what comes after it learns nothing; set "
                    "train.generations=%" PRIu64 " for a longer training, or search.anneal=false",
                    asked, rated, asked);
}

static sac_status create(sac_run *r)
{
    SAC_TRY(check_settings(r->task));
    reward *w = r->learned = SAC_NEW(reward);
    if (!w) return sac_fail_memory("ppo");
    SAC_TRY(create_ppo(r, w));
    SAC_TRY(check_rate(r, w->ppo));
    return begin_run(r);
}

static void destroy(sac_run *r)
{
    reward *w = r->learned;
    if (!w) return;
    (void)sac_rows_close(w->rows); // each row is flushed when it is written
    sac_ppo_destroy(w->ppo);
    sac_free(w->trained);
    sac_free(w);
}

static sac_status begin(sac_run *r)
{
    reward *w = r->learned;
    if (sac_run_writes(r))
        SAC_TRY(sac_rows_open(&w->rows, r->def->run_dir, "reward.csv", header, r->state.generation,
                              r->state.generation == 0));
    return sac_ppo_begin(w->ppo);
}

// --- a generation ---

// Rollout time is split between agent and world in the proportion that the threads measured.
static void end_phase(sac_run *r, const sac_ppo_report *before, const sac_ppo_report *now)
{
    const double acted = now->acting - before->acting, both = acted + now->stepping - before->stepping;
    const double all = now->rollout;
    r->phases.seconds[SAC_PHASE_AGENT] += both > 0 ? all * acted / both : 0;
    r->phases.seconds[SAC_PHASE_WORLD] += both > 0 ? all * (1 - acted / both) : 0;
    r->phases.seconds[SAC_PHASE_SEARCH] -= both > 0 ? all : 0; // the time of the whole iteration is added later
}

static sac_status write_row(sac_run *r, const sac_ppo_report *p)
{
    const reward *w = r->learned;
    if (!sac_run_writes(r)) return SAC_OK;
    return sac_rows_add(w->rows, r->state.generation + 1, "%d,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g", p->epochs,
                        p->rate, p->policy_loss, p->value_loss, p->explained, p->entropy, p->divergence, p->clipped,
                        p->norm);
}

// Writes the board's line: the numbers that people look at first when learning goes wrong.
static void describe(sac_run *r, const sac_ppo_report *p)
{
    r->learning[0] = 0;
    if (isnan(p->divergence)) return;
    snprintf(r->learning, sizeof r->learning,
             "divergence %.3g, %.0f%% clipped, policy loss %.2g, value loss %.2g, critic explains %.1f%%, entropy %.3g",
             p->divergence, 100 * p->clipped, p->policy_loss, p->value_loss, 100 * p->explained, p->entropy);
}

static sac_status advance(sac_run *r)
{
    reward *w = r->learned;
    sac_ppo_report report;
    SAC_TRY(sac_ppo_iterate(w->ppo, r->state.generation, &r->normaliser, &report));
    end_phase(r, &w->report, &report);
    w->report = report;
    r->state.steps += report.steps;
    r->state.best = report.best;
    r->state.mean = report.mean;
    r->state.std = report.std;
    r->bad_episodes += report.bad_rewards;
    if (r->tuned.rest) sac_normaliser_write(&r->normaliser, r->policy, r->tuned.rest);
    memcpy(r->vector, sac_ppo_parameters(w->ppo), (size_t)r->tuned.total * sizeof *r->vector);
    sac_tuned_gather(&r->tuned, r->vector);
    sac_run_update_average(r, r->vector);
    describe(r, &report);
    return write_row(r, &report);
}

static double sigma(const sac_run *r)
{
    return sac_ppo_deviation(((const reward *)r->learned)->ppo);
}

// --- checkpoints ---

static int list_arrays(void *self, sac_kept_array *arrays, int capacity)
{
    sac_ppo_array list[SAC_PPO_ARRAYS];
    int count = sac_ppo_state(self, list);
    for (int i = 0; i < count && i < capacity; i++)
        arrays[i] = (sac_kept_array){list[i].name, list[i].dtype, list[i].data, list[i].count};
    return count;
}

static sac_status reshape(void *self)
{
    return sac_ppo_reshape(self);
}

static sac_status restored(void *self)
{
    return sac_ppo_restored(self);
}

static sac_kept kept(const sac_run *r)
{
    return (sac_kept){.self = ((reward *)r->learned)->ppo,
                      .section = "ppo",
                      .arrays = list_arrays,
                      .shape = "lengths",
                      .reshape = reshape,
                      .restored = restored};
}

const sac_learner sac_ppo_learner = {.create = create,
                                     .destroy = destroy,
                                     .restore = sac_run_read_checkpoint,
                                     .begin = begin,
                                     .advance = advance,
                                     .sigma = sigma,
                                     .kept = kept};
