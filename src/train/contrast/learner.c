#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "policy/finder/finder.h"
#include "train/contrast/contrast.h"

/// The learner that contrasts pictures and captions.

enum
{
    BATCH_STREAM = 0x62617463 ///< of the run's seed
};

static const char header[] = "generation,loss_first,loss_last,temperature,rate";

// --- creation ---

static sac_status create_optimiser(sac_run *r, sac_contrast *c)
{
    const sac_contrast_options *o = &c->options;
    sac_optimiser_def def = sac_optimiser_default_def();
    (void)sac_optimiser_find(&def.kind, o->optimiser); // the options have checked it
    def.rate = o->rate;
    def.decay = o->decay;
    def.last_rate = o->last_rate;
    def.steps = (uint64_t)r->task->train.generations * (uint64_t)o->fit_steps;
    return sac_optimiser_create(&c->optimiser, &def, (size_t)sac_policy_parameter_count(r->policy));
}

static sac_status create_batch(sac_contrast *c)
{
    const words_encoder *e = c->encoder;
    const size_t batch = (size_t)c->options.batch, patches = batch * (size_t)e->count, size = (size_t)e->size;
    c->batch = (contrast_batch){.members = SAC_NEW_ARRAY(int, batch),
                                .shown = SAC_NEW_ARRAY(int, patches),
                                .captions = SAC_NEW_ARRAY(int, (size_t)c->names),
                                .bags = SAC_NEW_MATRIX(float, batch, (size_t)e->words),
                                .keys = SAC_NEW_MATRIX(float, patches, size),
                                .queries = SAC_NEW_MATRIX(float, batch, size),
                                .lengths = SAC_NEW_ARRAY(float, batch),
                                .dkeys = SAC_NEW_MATRIX(float, patches, size),
                                .dqueries = SAC_NEW_MATRIX(float, batch, size),
                                .kept = SAC_NEW_MATRIX(float, batch, e->kept),
                                .logits = SAC_NEW_MATRIX(float, patches, batch),
                                .slopes = SAC_NEW_MATRIX(float, patches, batch)};
    const contrast_batch *b = &c->batch;
    return b->members && b->shown && b->captions && b->bags && b->keys && b->queries && b->lengths && b->dkeys &&
                   b->dqueries && b->kept && b->logits && b->slopes
               ? SAC_OK
               : sac_fail_memory("a minibatch");
}

static sac_status create_rooms(sac_contrast *c)
{
    const int threads = sac_threads_count(c->threads);
    c->scratch = SAC_NEW_ARRAY(void *, (size_t)threads);
    c->rooms = SAC_NEW_ARRAY(float *, (size_t)threads);
    bool whole = c->scratch && c->rooms;
    for (int i = 0; whole && i < threads; i++)
    {
        c->scratch[i] = sac_alloc(SAC_LEARN_SCRATCH);
        c->rooms[i] = SAC_NEW_ARRAY(float, c->encoder->room);
        whole = c->scratch[i] && c->rooms[i];
    }
    return whole ? SAC_OK : sac_fail_memory("a learner");
}

static sac_status start(sac_run *r, sac_contrast *c)
{
    const size_t count = (size_t)sac_policy_parameter_count(r->policy);
    c->parameters = SAC_NEW_ARRAY(float, count);
    c->gradient = SAC_NEW_ARRAY(float, count);
    if (!c->parameters || !c->gradient) return sac_fail_memory("a learner");
    memset(r->vector, 0, count * sizeof(float));
    SAC_TRY(sac_run_draw_start(r, r->vector));
    memcpy(c->parameters, r->vector, count * sizeof(float));
    SAC_TRY(sac_run_set_start(r, r->vector));
    if (r->tuned.count == r->tuned.total) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT, "train.tune: search.method: contrast trains all parameters; leave it out");
}

static sac_status create(sac_run *r)
{
    sac_contrast *c = r->learned = SAC_NEW(sac_contrast);
    if (!c) return sac_fail_memory("a learner");
    const sac_section *settings = &r->task->search_settings;
    SAC_TRY(sac_options_read(sac_contrast_option_table, &c->options, settings->settings, settings->count,
                             "search of contrast"));
    c->encoder = sac_finder_encoder(r->policy);
    if (!c->encoder)
        return sac_fail(SAC_ERROR_ARGUMENT, "search.method: contrast trains the encoder of a finder, not %s",
                        sac_policy_kind(r->policy));
    SAC_TRY(sac_threads_create(&c->threads, r->def->threads));
    SAC_TRY(
        sac_slices_create(&c->slices, c->threads, c->options.slices, (size_t)sac_policy_parameter_count(r->policy)));
    SAC_TRY(create_rooms(c));
    SAC_TRY(sac_contrast_open(r));
    SAC_TRY(create_batch(c));
    SAC_TRY(create_optimiser(r, c));
    return start(r, c);
}

static void destroy_batch(contrast_batch *b)
{
    void *const all[] = {b->members, b->shown, b->captions, b->bags, b->keys,   b->queries,
                         b->lengths, b->dkeys, b->dqueries, b->kept, b->logits, b->slopes};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) sac_free(all[i]);
}

static void destroy(sac_run *r)
{
    sac_contrast *c = r->learned;
    if (!c) return;
    (void)sac_rows_close(c->rows); // each row is flushed when it is written
    for (int i = 0; c->threads && i < sac_threads_count(c->threads); i++)
    {
        if (c->scratch) sac_free(c->scratch[i]);
        if (c->rooms) sac_free(c->rooms[i]);
    }
    sac_free(c->scratch);
    sac_free(c->rooms);
    sac_contrast_close(c);
    destroy_batch(&c->batch);
    sac_optimiser_destroy(c->optimiser);
    sac_slices_destroy(c->slices);
    sac_threads_destroy(c->threads);
    sac_free(c->parameters);
    sac_free(c->gradient);
    sac_free(c);
}

static sac_status begin(sac_run *r)
{
    const sac_env_def env = sac_task_env_def(r->task);
    if (sac_run_writes(r))
        SAC_TRY(sac_rows_open(&sac_contrast_of(r)->rows, r->def->run_dir, "contrast.csv", header, r->state.generation,
                              r->state.generation == 0));
    return sac_rollouts_create_def(&r->rollouts, &(sac_rollouts_def){.policy = r->policy,
                                                                     .env = &env,
                                                                     .comm = r->comm,
                                                                     .threads = r->def->threads,
                                                                     .lanes = r->task->train.lanes});
}

// --- a generation ---

static double rate(const sac_run *r)
{
    const sac_contrast *c = sac_contrast_of(r);
    const uint64_t steps = (uint64_t)r->task->train.generations * (uint64_t)c->options.fit_steps;
    return c->options.rate * sac_schedule(sac_optimiser_steps(c->optimiser), 0, steps, c->options.last_rate);
}

static sac_status tell(sac_run *r, double sum, double least)
{
    sac_contrast *c = sac_contrast_of(r);
    const int steps = c->options.fit_steps;
    const double temperature = (double)sac_words_temperature(c->encoder, c->parameters);
    if (!isfinite(sum)) return sac_fail(SAC_ERROR_DIVERGED, "the loss is not finite any more");
    r->state.steps += (uint64_t)c->options.pictures;
    r->state.best = -least;
    r->state.mean = -sum / steps;
    r->state.std = 0;
    snprintf(r->learning, sizeof r->learning, "loss %.3g, temperature %.3g", sum / steps, temperature);
    memcpy(r->vector, c->parameters, (size_t)r->tuned.total * sizeof *r->vector);
    sac_tuned_gather(&r->tuned, r->vector);
    sac_run_update_average(r, r->vector);
    if (!sac_run_writes(r)) return SAC_OK;
    return sac_rows_add(c->rows, r->state.generation + 1, "%.9g,%.9g,%.9g,%.9g", c->loss[0], c->loss[1], temperature,
                        rate(r));
}

// An interrupt comes between generations, of which each takes seconds.
static sac_status advance(sac_run *r)
{
    sac_contrast *c = sac_contrast_of(r);
    const uint64_t seed = sac_mix_seed(r->task->train.seed, BATCH_STREAM, 0);
    double sum = 0, least = INFINITY;
    SAC_TRY(sac_contrast_draw(r, r->state.generation));
    for (int i = 0; i < c->options.fit_steps; i++)
    {
        const double loss = sac_contrast_step(c, seed, sac_optimiser_steps(c->optimiser));
        if (i == 0) c->loss[0] = loss;
        c->loss[1] = loss;
        least = fmin(least, loss);
        sum += loss;
    }
    return tell(r, sum, least);
}

// --- checkpoints ---

static int list_arrays(void *self, sac_kept_array *arrays, int capacity)
{
    const sac_run *r = self;
    sac_contrast *c = sac_contrast_of(r);
    const size_t count = (size_t)sac_policy_parameter_count(r->policy);
    sac_optimiser_array moments[SAC_OPTIMISER_ARRAYS];
    const int moment_count = sac_optimiser_list(c->optimiser, moments);
    sac_kept_array list[SAC_MAX_KEPT_ARRAYS] = {{"steps", SAC_I64, &c->steps, 1},
                                                {"parameters", SAC_F32, c->parameters, count}};
    int all = 2;
    c->steps = (int64_t)sac_optimiser_steps(c->optimiser);
    for (int i = 0; i < moment_count; i++)
        list[all++] = (sac_kept_array){moments[i].name, SAC_F32, moments[i].numbers, count};
    for (int i = 0; i < all && i < capacity; i++) arrays[i] = list[i];
    return all;
}

static sac_status restored(void *self)
{
    const sac_run *r = self;
    sac_contrast *c = sac_contrast_of(r);
    if (c->steps < 0) return sac_fail(SAC_ERROR_FORMAT, "the checkpoint: a negative number of steps");
    sac_optimiser_set_steps(c->optimiser, (uint64_t)c->steps);
    return SAC_OK;
}

static sac_kept kept(const sac_run *r)
{
    return (sac_kept){.self = (void *)r, .section = "contrast", .arrays = list_arrays, .restored = restored};
}

const sac_learner sac_contrast_learner = {.create = create,
                                          .destroy = destroy,
                                          .restore = sac_run_read_checkpoint,
                                          .begin = begin,
                                          .advance = advance,
                                          .sigma = rate,
                                          .kept = kept};
