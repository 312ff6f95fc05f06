#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/text.h"
#include "files/atomic.h"
#include "learn/learn.h"
#include "saccade/learn.h"
#include "train/distill/distill.h"

/// The learner that has a teacher.

enum
{
    FIT_STREAM = 0x666974 ///< of the run's seed
};

static const char header[] = "generation,share,teacher_episodes,frames,loss_first,loss_last,student_mean,teacher_mean";

// --- creation ------------------------------------------------------------------------------------------------------

static sac_status read_options(sac_run *r)
{
    sac_distill *d = sac_distill_of(r);
    const sac_section *settings = &r->task->search_settings;
    SAC_TRY(sac_options_read(sac_distill_option_table, &d->options, settings->settings, settings->count,
                             "search of distill"));
    return sac_distill_read_shares(d->options.share, d->shares, &d->share_count);
}

// The settings of sac_fit that the options give. Threads and seed are the run's.
static sac_fit_def fit_def_of(const sac_distill *d)
{
    const sac_distill_options *o = &d->options;
    sac_fit_def def = sac_fit_default_def();
    def.optimiser = o->optimiser;
    def.rate = o->rate;
    def.last_rate = o->last_rate;
    def.decay = o->decay;
    def.largest_norm = o->largest_norm;
    def.huber = o->huber;
    def.spread = o->spread;
    def.softness = strcmp(o->loss, "soft") == 0 ? o->softness : 0;
    def.total_steps = (uint64_t)o->fall * (uint64_t)o->fit_steps;
    def.batch = o->batch;
    def.steps = o->steps;
    def.lead = o->lead;
    def.slices = o->slices;
    def.measure = o->measure;
    def.choosing = strcmp(o->choosing, "soft") == 0    ? SAC_CHOOSE_SOFT
                   : strcmp(o->choosing, "fixed") == 0 ? SAC_CHOOSE_FIXED
                                                       : SAC_CHOOSE_STRAIGHT;
    def.flip = o->flip[0] ? d->flip : NULL;
    def.temperature = o->temperature;
    def.last_temperature = o->last_temperature;
    return def;
}

// What is spread over bins needs bins: sac_fit says so too, and here it is said in the task's words.
static sac_status check_spread(const sac_run *r)
{
    const sac_policy_def *def = sac_policy_get_def(r->policy);
    const double spread = sac_distill_of(r)->options.spread;
    for (int i = 0; spread > 0 && i < def->setting_count; i++)
        if (strcmp(def->settings[i].key, "spelling") == 0 && strcmp(def->settings[i].value, "decimals") == 0)
            return sac_fail(SAC_ERROR_ARGUMENT,
                            "search.spread is %g, and the policy says its numbers digit by digit (policy.spelling: "
                            "decimals), whose neighbours are not alike; expected 0",
                            spread);
    return SAC_OK;
}

// the fit begins where training does
static sac_status create_fit(sac_run *r)
{
    sac_distill *d = sac_distill_of(r);
    const sac_policy_def *shape = sac_policy_get_def(r->policy);
    sac_fit_array first;
    if (d->options.flip[0])
        SAC_TRY(sac_distill_read_flip(d->options.flip, d->flip,
                                      shape->action_choices ? shape->action_choices : shape->action_size));
    sac_fit_def def = fit_def_of(d);
    def.threads = r->def->threads;
    def.seed = sac_mix_seed(r->task->train.seed, FIT_STREAM, 0);
    SAC_TRY(sac_fit_create(&d->fit, r->policy, &def));
    const size_t count = (size_t)sac_policy_parameter_count(r->policy);
    memset(r->vector, 0, count * sizeof(float));
    SAC_TRY(sac_run_draw_start(r, r->vector));
    if (!sac_fit_array_at(d->fit, 0, &first)) return sac_fail(SAC_ERROR_ARGUMENT, "a fit without parameters");
    memcpy(first.numbers, r->vector, count * sizeof(float));
    return sac_run_set_start(r, r->vector);
}

// where what a choice costs is learned, the teacher has to say it and the student to weigh each choice
static sac_status choose_loss(sac_run *r)
{
    sac_distill *d = sac_distill_of(r);
    const sac_policy_def *def = sac_policy_get_def(r->policy);
    if (strcmp(d->options.loss, "labels") == 0) return SAC_OK;
    if (!sac_play_says_costs(d->teacher))
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "search.loss: %s needs a teacher that can say what each choice costs, which %s cannot",
                        d->options.loss, d->teacher ? sac_policy_kind(d->teacher) : "a file of demonstrations");
    d->costs = def->action_choices;
    return SAC_OK;
}

static sac_status create(sac_run *r)
{
    r->learned = SAC_NEW(sac_distill);
    if (!r->learned) return sac_fail_memory("a learner");
    SAC_TRY(read_options(r));
    SAC_TRY(sac_distill_load(r));
    SAC_TRY(choose_loss(r));
    SAC_TRY(check_spread(r));
    SAC_TRY(create_fit(r));
    return sac_run_reserve_units(r, (size_t)sac_distill_of(r)->options.episodes);
}

static void destroy(sac_run *r)
{
    sac_distill *d = r->learned;
    if (!d) return;
    (void)sac_rows_close(d->rows); // each row is flushed when it is written
    sac_fit_destroy(d->fit);
    sac_recorder_destroy(d->recorder);
    sac_dataset_destroy(d->dataset);
    sac_demonstrations_close(d->shown);
    sac_policy_destroy(d->teacher);
    sac_free(d->shown_starts);
    sac_free(d->pushes);
    sac_free(d->firsts);
    sac_free(d->vectors);
    sac_free(d);
}

// --- what rounds need ----------------------------------------------------------------------------------------------

// the world's part of each input of the student, and the column in which the recorder keeps it
static sac_status find_parts(sac_run *r, const sac_env *env)
{
    sac_distill *d = sac_distill_of(r);
    const sac_policy_def *def = sac_policy_get_def(r->policy);
    int parts[SAC_MAX_PARTS];
    SAC_TRY(sac_policy_fits(r->policy, env, parts));
    for (int i = 0; i < def->input_count; i++) d->parts |= UINT32_C(1) << parts[i];
    for (int i = 0; i < def->input_count; i++)
    {
        d->columns[i] = __builtin_popcount(d->parts & ((UINT32_C(1) << parts[i]) - 1));
        d->sizes[i] = sac_space_bytes(&def->inputs[i]);
    }
    return SAC_OK;
}

static sac_status create_rollouts(sac_run *r)
{
    const sac_env_def env = sac_task_env_def(r->task);
    return sac_rollouts_create_def(&r->rollouts, &(sac_rollouts_def){.policy = r->policy,
                                                                     .adviser = sac_distill_of(r)->teacher,
                                                                     .env = &env,
                                                                     .comm = r->comm,
                                                                     .threads = r->def->threads,
                                                                     .lanes = r->task->train.lanes});
}

static sac_status create_data(sac_run *r, const sac_env *env)
{
    sac_distill *d = sac_distill_of(r);
    const sac_policy_def *def = sac_policy_get_def(r->policy);
    // a rank on another machine may not see the run folder
    char beside[SAC_PATH_SIZE];
    SAC_TRY(sac_join_path(beside, access(r->def->run_dir, W_OK) == 0 ? r->def->run_dir : "/tmp", "frames"));
    SAC_TRY(find_parts(r, env));
    d->pushes = SAC_NEW_ARRAY(sac_distill_push, (size_t)d->options.episodes);
    if (!d->pushes) return sac_fail_memory("a round");
    SAC_TRY(sac_recorder_create(&d->recorder, &(sac_recorder_def){.spec = sac_env_get_spec(env),
                                                                  .parts = d->parts,
                                                                  .advice = true,
                                                                  .costs = d->costs > 0,
                                                                  .units = d->options.episodes,
                                                                  .live = r->def->threads * r->task->train.lanes,
                                                                  .beside = beside}));
    return sac_dataset_create(&d->dataset, &(sac_dataset_def){.parts = def->inputs,
                                                              .part_count = def->input_count,
                                                              .action = def->action_size,
                                                              .costs = d->costs,
                                                              .capacity = d->options.keep,
                                                              .memory = (size_t)d->options.memory << 20,
                                                              .beside = beside});
}

static sac_status prepare(sac_run *r)
{
    sac_env *env;
    const sac_env_def def = sac_task_env_def(r->task);
    SAC_TRY(create_rollouts(r));
    if (!sac_distill_of(r)->teacher) return SAC_OK;
    SAC_TRY(sac_env_create(&env, &def));
    sac_status status = create_data(r, env);
    sac_env_destroy(env);
    return status;
}

// --- rounds that can be played again -------------------------------------------------------------------------------

static sac_status reserve_rounds(sac_distill *d, int count, size_t parameters)
{
    if (count <= d->round_room) return SAC_OK;
    const size_t room = (size_t)count + (size_t)count / 2 + 4;
    int64_t *firsts = SAC_NEW_ARRAY(int64_t, room);
    float *vectors = SAC_NEW_MATRIX(float, room, parameters);
    if (!firsts || !vectors)
    {
        sac_free(firsts);
        sac_free(vectors);
        return sac_fail_memory("the rounds that are kept");
    }
    if (d->round_room > 0)
    {
        memcpy(firsts, d->firsts, sizeof *firsts * (size_t)d->round_count);
        memcpy(vectors, d->vectors, sizeof *vectors * parameters * (size_t)d->round_count);
    }
    sac_free(d->firsts);
    sac_free(d->vectors);
    d->firsts = firsts;
    d->vectors = vectors;
    d->round_room = (int)room;
    return SAC_OK;
}

sac_status sac_distill_remember(sac_run *r, int64_t first, const float *student)
{
    sac_distill *d = sac_distill_of(r);
    const size_t parameters = (size_t)sac_policy_parameter_count(r->policy);
    SAC_TRY(reserve_rounds(d, d->round_count + 1, parameters));
    d->firsts[d->round_count] = first;
    memcpy(d->vectors + (size_t)d->round_count * parameters, student, parameters * sizeof(float));
    d->round_count++;
    // those of which no frame is left
    const int64_t oldest = sac_dataset_next(d->dataset) - d->options.keep;
    int gone = 0;
    while (gone + 1 < d->round_count && d->firsts[gone + 1] <= oldest) gone++;
    d->round_count -= gone;
    memmove(d->firsts, d->firsts + gone, sizeof *d->firsts * (size_t)d->round_count);
    memmove(d->vectors, d->vectors + (size_t)gone * parameters,
            sizeof *d->vectors * parameters * (size_t)d->round_count);
    return SAC_OK;
}

// the data as they were: the rounds whose frames are kept are played again
static sac_status replay(sac_run *r)
{
    sac_distill *d = sac_distill_of(r);
    if (!d->teacher || d->round_count == 0) return SAC_OK;
    const size_t parameters = (size_t)sac_policy_parameter_count(r->policy);
    const uint64_t oldest = r->state.generation - (uint64_t)d->round_count;
    const int64_t next = d->numbers[SAC_DISTILL_NEXT];
    sac_log(SAC_LOG_INFO, "playing %d round%s again for the frames that are kept", d->round_count,
            sac_plural(d->round_count));
    sac_dataset_restart(d->dataset, d->firsts[0]);
    for (int i = 0; i < d->round_count; i++)
    {
        sac_distill_round came;
        SAC_TRY(sac_distill_collect(r, oldest + (uint64_t)i, d->vectors + (size_t)i * parameters, &came));
    }
    if (sac_dataset_next(d->dataset) == next) return SAC_OK;
    return sac_fail(SAC_ERROR_ENVIRONMENT,
                    "the rounds that were played again have %" PRId64 " frames, and had %" PRId64
                    " before: the world or the teacher is another one now",
                    sac_dataset_next(d->dataset) - d->firsts[0], next - d->firsts[0]);
}

// A fit measures the policy's normaliser, which evaluations and files take from the numbers that are not trained.
static void take_measured(sac_run *r)
{
    const float *parameters = sac_fit_parameters(sac_distill_of(r)->fit);
    for (int i = 0; r->tuned.rest && i < r->tuned.total; i++)
        if (r->tuned.factor[i] == 0) r->tuned.rest[i] = parameters[i];
}

static sac_status begin(sac_run *r)
{
    sac_distill *d = sac_distill_of(r);
    take_measured(r);
    SAC_TRY(prepare(r));
    if (sac_run_writes(r))
        SAC_TRY(sac_rows_open(&d->rows, r->def->run_dir, "distill.csv", header, r->state.generation,
                              r->state.generation == 0));
    return replay(r);
}

// --- a generation --------------------------------------------------------------------------------------------------

static void sum_up_shown(const sac_demonstrations *shown, sac_distill_round *came)
{
    double squares = 0, sum = 0;
    *came = (sac_distill_round){.taught = shown->episode_count, .best = -INFINITY, .student = NAN};
    for (int i = 0; i < shown->episode_count; i++) sum += shown->returns[i];
    came->mean = came->teacher = sum / shown->episode_count;
    for (int i = 0; i < shown->episode_count; i++)
    {
        squares += (shown->returns[i] - came->mean) * (shown->returns[i] - came->mean);
        came->best = fmax(came->best, shown->returns[i]);
    }
    came->std = shown->episode_count > 1 ? sqrt(squares / (shown->episode_count - 1)) : 0;
}

// the round's episodes, or those of the file; nothing but its frames is new until all has succeeded
static sac_status collect(sac_run *r, sac_examples *examples, sac_distill_round *came)
{
    sac_distill *d = sac_distill_of(r);
    if (d->shown)
    {
        const sac_demonstrations *shown = sac_demonstrations_get(d->shown);
        sum_up_shown(shown, came);
        *examples = (sac_examples){.count = (int)shown->frame_count,
                                   .actions = shown->actions,
                                   .starts = d->shown_starts,
                                   .parts = d->shown_parts};
        return SAC_OK;
    }
    const int64_t first = sac_dataset_next(d->dataset);
    const float *student = sac_fit_parameters(d->fit);
    SAC_TRY(sac_distill_collect(r, r->state.generation, student, came));
    SAC_TRY(sac_run_report_bad(r, SAC_ROUND_TRAINING, d->options.episodes));
    if (sac_dataset_next(d->dataset) == first)
        return sac_fail(SAC_ERROR_ENVIRONMENT, "no episode of round %" PRIu64 " has a return that is a number: %s",
                        r->state.generation + 1, r->first_bad);
    SAC_TRY(sac_distill_remember(r, first, student));
    *examples = sac_dataset_examples(d->dataset);
    return SAC_OK;
}

static sac_status write_row(sac_run *r, const sac_examples *examples, const sac_distill_round *came)
{
    sac_distill *d = sac_distill_of(r);
    if (!sac_run_writes(r)) return SAC_OK;
    const int episodes = d->shown ? came->taught : d->options.episodes;
    return sac_rows_add(d->rows, r->state.generation + 1, "%.6g,%d,%d,%.9g,%.9g,%.6f,%.6f",
                        (double)came->taught / episodes, came->taught, examples->count, d->loss[0], d->loss[1],
                        came->student, came->teacher);
}

static sac_status advance(sac_run *r)
{
    sac_distill *d = sac_distill_of(r);
    sac_examples examples = {0};
    sac_distill_round came = {0};
    r->first_bad[0] = 0;
    SAC_TRY(collect(r, &examples, &came));
    sac_phases_end_rollouts(&r->phases, r->rollouts);
    SAC_TRY(sac_fit_run(d->fit, &examples, (uint64_t)d->options.fit_steps, d->loss));
    r->state.steps += came.steps;
    r->state.best = came.best;
    r->state.mean = came.mean;
    r->state.std = came.std;
    sac_run_update_average(r, sac_fit_parameters(d->fit));
    take_measured(r);
    snprintf(r->note, sizeof r->note, "loss %.3g -> %.3g over %d frames, %d of %d by the teacher", d->loss[0],
             d->loss[1], examples.count, came.taught, d->shown ? came.taught : d->options.episodes);
    return write_row(r, &examples, &came);
}

static double rate(const sac_run *r)
{
    const sac_distill *d = sac_distill_of(r);
    const sac_fit_def def = fit_def_of(d);
    uint64_t steps, calls;
    sac_fit_counters(d->fit, &steps, &calls);
    return def.rate * sac_schedule(steps, def.warm_steps, def.total_steps, def.last_rate);
}

// --- checkpoints ---------------------------------------------------------------------------------------------------

static int list_arrays(void *self, sac_kept_array *arrays, int capacity)
{
    const sac_run *r = self;
    sac_distill *d = sac_distill_of(r);
    uint64_t steps, calls;
    sac_fit_counters(d->fit, &steps, &calls);
    d->numbers[SAC_DISTILL_ROUNDS] = d->round_count;
    if (d->dataset) d->numbers[SAC_DISTILL_NEXT] = sac_dataset_next(d->dataset);
    d->numbers[SAC_DISTILL_STEPS] = (int64_t)steps;
    d->numbers[SAC_DISTILL_CALLS] = (int64_t)calls;
    d->numbers[SAC_DISTILL_TEACHER] = (int64_t)d->teacher_hash;
    const size_t parameters = (size_t)sac_policy_parameter_count(r->policy), rounds = (size_t)d->round_count;
    sac_kept_array list[SAC_MAX_KEPT_ARRAYS] = {{"numbers", SAC_I64, d->numbers, SAC_DISTILL_NUMBERS},
                                                {"firsts", SAC_I64, d->firsts, rounds},
                                                {"vectors", SAC_F32, d->vectors, rounds * parameters}};
    int count = 3;
    sac_fit_array array;
    for (int i = 0; sac_fit_array_at(d->fit, i, &array); i++)
        list[count++] = (sac_kept_array){array.name, SAC_F32, array.numbers, parameters};
    for (int i = 0; i < count && i < capacity; i++) arrays[i] = list[i];
    return count;
}

static sac_status reshape(void *self)
{
    const sac_run *r = self;
    sac_distill *d = sac_distill_of(r);
    const int64_t rounds = d->numbers[SAC_DISTILL_ROUNDS];
    if (rounds < 0 || rounds > d->options.keep)
        return sac_fail(SAC_ERROR_FORMAT, "the checkpoint: %" PRId64 " rounds, expected 0 to %d", rounds,
                        d->options.keep);
    SAC_TRY(reserve_rounds(d, (int)rounds, (size_t)sac_policy_parameter_count(r->policy)));
    d->round_count = (int)rounds;
    return SAC_OK;
}

static sac_status restored(void *self)
{
    const sac_run *r = self;
    sac_distill *d = sac_distill_of(r);
    if ((uint64_t)d->numbers[SAC_DISTILL_TEACHER] != d->teacher_hash)
        return sac_fail(SAC_ERROR_ARGUMENT, "%.300s: the run was started with other %s; use another --run",
                        d->shown ? r->task->teacher.demonstrations : r->task->teacher.policy,
                        d->shown ? "demonstrations" : "parameters of the teacher");
    sac_fit_set_counters(d->fit, (uint64_t)d->numbers[SAC_DISTILL_STEPS], (uint64_t)d->numbers[SAC_DISTILL_CALLS]);
    return SAC_OK;
}

static sac_kept kept(const sac_run *r)
{
    return (sac_kept){.self = (void *)r,
                      .section = "distill",
                      .arrays = list_arrays,
                      .shape = "numbers",
                      .reshape = reshape,
                      .restored = restored};
}

const sac_learner sac_distill_learner = {.create = create,
                                         .destroy = destroy,
                                         .restore = sac_run_read_checkpoint,
                                         .begin = begin,
                                         .advance = advance,
                                         .sigma = rate,
                                         .kept = kept};
