#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/series.h"
#include "base/text.h"
#include "gradient/examples.h"
#include "gradient/flip.h"
#include "learn/optimiser.h"
#include "learn/slices.h"

/// Training on examples: minibatches in an order that is drawn, slices over threads, an optimiser.

enum
{
    FIT_COOKIE = 0x0f17f17,
    FLIP_STREAM = 0x6d6972, ///< of the seed
    MEMORY_STEPS = 32,
    SPEECH_STEPS = 8, // of policies that attend to a history of frames: each is encoded once for all of them
    MEMORY_LEAD = 8
};

struct sac_fit
{
    const sac_policy *policy;
    sac_fit_def def;
    sac_gradient *gradient;
    sac_optimiser *optimiser;
    sac_threads *threads;
    sac_slices *slices;
    sac_fit_room *rooms; // a thread's each
    float *parameters, *sums;
    double *seen;           // [slices, 2 F] of the normaliser, where it is measured
    unsigned char *scratch; // of the table of layers that the optimiser uses
    uint64_t calls;
    int *flip; // NULL: none
    // These belong to the step that is being taken.
    uint8_t *flipped; // [batch]
    float *told;      // [N, told_size] of the examples; NULL: it changes
    sac_fit_batch batch;
};

sac_fit_def sac_fit_default_def(void)
{
    return (sac_fit_def){.optimiser = "adam",
                         .rate = 1e-3,
                         .momentum = 0.9,
                         .beta1 = 0.9,
                         .beta2 = 0.999,
                         .batch = 64,
                         .lead = -1,
                         .temperature = 1,
                         .slices = 8,
                         .threads = 1,
                         .seed = 1,
                         .internal = FIT_COOKIE};
}

// --- checks ---

static sac_status check_whole(const char *field, int value, int least, int most)
{
    if (value >= least && value <= most) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT, "fit: %s is %d, expected %d to %d", field, value, least, most);
}

static sac_status check_real(const char *field, double value, double most)
{
    if (value >= 0 && value <= most) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT, "fit: %s is %g, expected 0 to %g", field, value, most);
}

static sac_status find_optimiser(const char *name, sac_optimiser_kind *kind)
{
    if (name && sac_optimiser_find(kind, name)) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT, "fit: optimiser is '%.80s', expected adam, adamw or sgd%s", name ? name : "",
                    name ? sac_did_you_mean(sac_nearest_of(name, sac_optimiser_names)) : "");
}

static sac_status check(const sac_fit_def *def)
{
    if (def->internal != FIT_COOKIE)
        return sac_fail(SAC_ERROR_ARGUMENT, "fit: the def does not come from sac_fit_default_def()");
    SAC_TRY(check_real("rate", def->rate, 1e3));
    SAC_TRY(check_real("momentum", def->momentum, 1));
    SAC_TRY(check_real("beta1", def->beta1, 0.999999));
    SAC_TRY(check_real("beta2", def->beta2, 0.999999));
    SAC_TRY(check_real("decay", def->decay, 1e3));
    SAC_TRY(check_real("largest_norm", def->largest_norm, 1e9));
    SAC_TRY(check_real("average", def->average, 0.999999));
    SAC_TRY(check_real("last_rate", def->last_rate, 1));
    SAC_TRY(check_real("huber", def->huber, 1e9));
    SAC_TRY(check_real("spread", def->spread, 1e6));
    SAC_TRY(check_real("softness", def->softness, 1e9));
    SAC_TRY(check_real("temperature", def->temperature, 1e6));
    SAC_TRY(check_real("last_temperature", def->last_temperature, 1e6));
    SAC_TRY(check_whole("batch", def->batch, 1, 1 << 20));
    SAC_TRY(check_whole("steps", def->steps, 0, 1 << 16));
    SAC_TRY(check_whole("lead", def->lead, -1, 1 << 16));
    SAC_TRY(check_whole("measure", def->measure, 0, 1 << 30));
    SAC_TRY(check_whole("slices", def->slices, 1, 1024));
    SAC_TRY(check_whole("threads", def->threads, 1, 1024));
    if (def->temperature > 0) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT, "fit: temperature is 0, expected more");
}

// --- creation ---

static sac_status create_optimiser(sac_fit *fit)
{
    const sac_fit_def *d = &fit->def;
    sac_optimiser_def def = sac_optimiser_default_def();
    SAC_TRY(find_optimiser(d->optimiser, &def.kind));
    fit->def.optimiser = sac_optimiser_names[def.kind];
    def.rate = d->rate;
    def.momentum = d->momentum;
    def.beta1 = d->beta1;
    def.beta2 = d->beta2;
    def.decay = d->decay;
    def.largest_norm = d->largest_norm;
    def.average = d->average;
    def.warm_steps = d->warm_steps;
    def.steps = d->total_steps;
    def.last_rate = d->last_rate;
    return sac_optimiser_create(&fit->optimiser, &def, (size_t)sac_policy_parameter_count(fit->policy));
}

// Decides how long sequences are, where the caller does not say.
static void choose_lengths(sac_fit *fit)
{
    const sac_actor *a = fit->gradient->parts.actor;
    const sac_rt *rt = fit->gradient->parts.rt;
    if (rt && fit->def.steps == 0) fit->def.steps = SPEECH_STEPS;
    if (rt && fit->def.lead < 0) fit->def.lead = rt->config.history - 1;
    if (fit->def.steps == 0) fit->def.steps = a->controller.has_cell ? MEMORY_STEPS : 1;
    if (fit->def.lead < 0) fit->def.lead = a->controller.has_cell ? MEMORY_LEAD : a->motion ? 1 : 0;
}

// What is spread over bins needs bins.
static sac_status check_spread(const sac_fit *fit)
{
    const sac_rt *rt = fit->gradient->parts.rt;
    if (!rt || rt->whole == 0 || fit->def.spread == 0) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT,
                    "fit: spread is %g, and the policy says its numbers digit by digit (spelling: decimals), whose "
                    "neighbours are not alike; expected 0",
                    fit->def.spread);
}

// numbers by which a slice measures the normaliser
static size_t seen_size(const sac_fit *fit)
{
    return fit->def.measure > 0 ? 2 * (size_t)fit->policy->normaliser_size : 0;
}

static sac_status create_flip(sac_fit *fit)
{
    if (!fit->def.flip) return SAC_OK;
    const sac_policy_def *def = &fit->policy->def;
    const size_t count = (size_t)(def->action_choices ? def->action_choices : def->action_size);
    SAC_TRY(sac_flip_check(fit->gradient, fit->def.flip));
    fit->flip = SAC_NEW_ARRAY(int, count);
    fit->flipped = SAC_NEW_ARRAY(uint8_t, (size_t)fit->def.batch);
    if (!fit->flip || !fit->flipped) return sac_fail_memory("a fit");
    memcpy(fit->flip, fit->def.flip, count * sizeof *fit->flip);
    fit->def.flip = fit->flip;
    return SAC_OK;
}

static sac_status create_rooms(sac_fit *fit)
{
    const int most = (fit->def.batch + fit->def.slices - 1) / fit->def.slices; // sequences in a slice
    const size_t parameters = (size_t)sac_policy_parameter_count(fit->policy);
    fit->parameters = SAC_NEW_ARRAY(float, parameters);
    fit->sums = SAC_NEW_ARRAY(float, parameters);
    fit->scratch = sac_alloc(SAC_LEARN_SCRATCH);
    fit->batch.first = SAC_NEW_ARRAY(int, (size_t)fit->def.batch);
    fit->rooms = SAC_NEW_ARRAY(sac_fit_room, (size_t)fit->def.threads);
    fit->seen = SAC_NEW_MATRIX(double, (size_t)fit->def.slices, seen_size(fit));
    if (!fit->parameters || !fit->sums || !fit->seen || !fit->scratch || !fit->batch.first || !fit->rooms)
        return sac_fail_memory("a fit");
    memcpy(fit->parameters, sac_policy_parameters(fit->policy), parameters * sizeof(float));
    for (int i = 0; i < fit->def.threads; i++)
        SAC_TRY(sac_fit_room_create(&fit->rooms[i], fit->gradient, fit->def.lead + fit->def.steps, most,
                                    fit->flip != NULL));
    return SAC_OK;
}

static sac_status create(sac_fit *fit)
{
    sac_gradient_def def = sac_gradient_default_def();
    def.choosing = fit->def.choosing;
    SAC_TRY(sac_gradient_create(&fit->gradient, fit->policy, &def));
    SAC_TRY(check_spread(fit));
    choose_lengths(fit);
    SAC_TRY(create_flip(fit));
    SAC_TRY(create_optimiser(fit));
    SAC_TRY(sac_threads_create(&fit->threads, fit->def.threads));
    SAC_TRY(sac_slices_create(&fit->slices, fit->threads, fit->def.slices,
                              (size_t)sac_policy_parameter_count(fit->policy)));
    return create_rooms(fit);
}

sac_status sac_fit_create(sac_fit **out, const sac_policy *policy, const sac_fit_def *def)
{
    *out = NULL;
    SAC_TRY(check(def));
    sac_fit *fit = SAC_NEW(sac_fit);
    if (!fit) return sac_fail_memory("a fit");
    fit->policy = policy;
    fit->def = *def;
    sac_status status = create(fit);
    if (status != SAC_OK)
    {
        sac_fit_destroy(fit);
        return status;
    }
    *out = fit;
    return SAC_OK;
}

void sac_fit_destroy(sac_fit *fit)
{
    if (!fit) return;
    for (int i = 0; fit->rooms && i < fit->def.threads; i++) sac_fit_room_destroy(&fit->rooms[i]);
    sac_free(fit->rooms);
    sac_free(fit->batch.first);
    sac_free(fit->flipped);
    sac_free(fit->flip);
    sac_free(fit->scratch);
    sac_free(fit->seen);
    sac_free(fit->sums);
    sac_free(fit->parameters);
    sac_slices_destroy(fit->slices);
    sac_threads_destroy(fit->threads);
    sac_optimiser_destroy(fit->optimiser);
    sac_gradient_destroy(fit->gradient);
    sac_free(fit);
}

// --- steps ---

static double run_slice(void *user, const sac_learn *l, const sac_slice *slice, float *gradient)
{
    sac_fit *fit = user;
    return sac_fit_slice(&fit->batch, &fit->rooms[slice->thread], l, slice->first, slice->count, gradient);
}

// the temperature of a step: from the first to the last by a constant factor a step
static double temperature_at(const sac_fit *fit, uint64_t step)
{
    const sac_fit_def *d = &fit->def;
    if (!(d->last_temperature > 0) || d->total_steps == 0) return d->temperature;
    double part = step < d->total_steps ? (double)step / (double)d->total_steps : 1;
    return d->temperature * sac_series_exp(part * sac_series_log(d->last_temperature / d->temperature));
}

// the order of sequences: where each begins, Fisher and Yates
static void shuffle(int *order, int count, uint64_t seed, uint64_t call, uint64_t round)
{
    sac_stream stream = sac_stream_create(seed, call, round);
    for (int i = 0; i < count; i++) order[i] = i;
    for (int i = count - 1; i > 0; i--)
    {
        int j = (int)sac_stream_below(&stream, (uint32_t)i + 1), kept = order[i];
        order[i] = order[j];
        order[j] = kept;
    }
}

// Each round (epoch) shifts the cuts between sequences by this random offset.
static int phase_of(const sac_fit *fit, int count, uint64_t round)
{
    int spare = count % fit->def.steps;
    sac_stream stream = sac_stream_create(fit->def.seed, fit->calls, ~round);
    return (int)sac_stream_below(&stream, (uint32_t)spare + 1);
}

typedef struct walk
{
    int *order;
    int sequences, at, phase;
    uint64_t round;
} walk;

static void begin_round(const sac_fit *fit, walk *w, int count)
{
    shuffle(w->order, w->sequences, fit->def.seed, fit->calls, w->round);
    w->phase = phase_of(fit, count, w->round);
    w->at = 0;
    w->round++;
}

// the next minibatch, smaller where fewer examples are left of this round
static int take_batch(sac_fit *fit, walk *w, int count)
{
    if (w->at == w->sequences) begin_round(fit, w, count);
    int size = w->sequences - w->at < fit->def.batch ? w->sequences - w->at : fit->def.batch;
    for (int i = 0; i < size; i++) fit->batch.first[i] = w->phase + w->order[w->at++] * fit->def.steps;
    return size;
}

// --- the normaliser ---

static double see_slice(void *user, const sac_learn *l, const sac_slice *slice, float *gradient)
{
    sac_fit *fit = user;
    (void)l;
    (void)gradient;
    sac_fit_see(&fit->batch, &fit->rooms[slice->thread], slice->first, slice->count,
                fit->seen + (size_t)slice->index * seen_size(fit));
    return 0;
}

static void set_normaliser(sac_fit *fit, double count)
{
    const size_t size = seen_size(fit), half = size / 2;
    for (size_t i = 0; i < half; i++)
    {
        double sum = 0, squares = 0;
        for (int s = 0; s < fit->def.slices; s++)
        {
            sum += fit->seen[(size_t)s * size + i];
            squares += fit->seen[(size_t)s * size + half + i];
        }
        const double mean = sum / count, variance = squares / count - mean * mean;
        sac_policy_set_normaliser(fit->policy, fit->parameters, (int)i, mean, variance > 0 ? sqrt(variance) : 0);
    }
}

// measures the normaliser by the first sequences of the order that is drawn
static void measure(sac_fit *fit, const walk *w)
{
    const int size = w->sequences < fit->def.measure ? w->sequences : fit->def.measure;
    if (seen_size(fit) == 0) return;
    memset(fit->seen, 0, (size_t)fit->def.slices * seen_size(fit) * sizeof *fit->seen);
    for (int at = 0; at < size; at += fit->def.batch)
    {
        const int some = size - at < fit->def.batch ? size - at : fit->def.batch;
        for (int i = 0; i < some; i++) fit->batch.first[i] = w->phase + w->order[at + i] * fit->def.steps;
        sac_slices_run(fit->slices, fit->sums, some, see_slice, fit);
    }
    set_normaliser(fit, (double)size * fit->def.steps);
}

// --- what is told ---

// Tells whether what is told of an example is the same in every step: patches that are kept by attention that does not
// learn, and of which no learned values are told. Decay would change parameters that have no gradient.
static bool tells_the_same(const sac_fit *fit)
{
    const sac_gradient *g = fit->gradient;
    if (g->parts.reading != SAC_PARTS_RANK || g->choosing != SAC_CHOOSE_FIXED) return false;
    return sac_kept_values_at(g->parts.agent) < 0 && fit->def.decay == 0 && !fit->flip;
}

static double tell_slice(void *user, const sac_learn *l, const sac_slice *slice, float *gradient)
{
    const sac_fit *fit = user;
    (void)l;
    (void)gradient;
    sac_fit_tell(&fit->batch, &fit->rooms[slice->thread], fit->batch.first[0] + slice->first, slice->count, fit->told);
    return 0;
}

// looks once at every example, where that is enough
static sac_status tell(sac_fit *fit)
{
    const int count = fit->batch.examples->count;
    if (!tells_the_same(fit)) return SAC_OK;
    fit->told = SAC_NEW_MATRIX(float, (size_t)count, (size_t)fit->gradient->told);
    if (!fit->told) return sac_fail_memory("what is told of examples");
    for (int at = 0; at < count; at += fit->def.batch)
    {
        fit->batch.first[0] = at;
        sac_slices_run(fit->slices, fit->sums, count - at < fit->def.batch ? count - at : fit->def.batch, tell_slice,
                       fit);
    }
    fit->batch.told = fit->told;
    return SAC_OK;
}

static void forget(sac_fit *fit)
{
    sac_free(fit->told);
    fit->told = NULL;
    fit->batch.told = NULL;
}

static sac_status check_measured(const sac_fit *fit)
{
    const sac_policy_tensor *broken = sac_policy_broken_tensor(fit->policy, fit->parameters);
    if (!broken) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT,
                    "fit: %s is not finite before the first step: the start or the examples hold numbers that are not",
                    broken->name);
}

// Once a parameter is not finite, no later step makes it a number again.
static sac_status check_step(const sac_fit *fit)
{
    const sac_policy_tensor *broken = sac_policy_broken_tensor(fit->policy, fit->parameters);
    if (!broken) return SAC_OK;
    return sac_fail(SAC_ERROR_DIVERGED,
                    "the fit diverged: after step %" PRIu64
                    " of the optimiser, %s is not finite; try a rate below %g%s",
                    sac_optimiser_steps(fit->optimiser), broken->name, fit->def.rate,
                    fit->def.largest_norm > 0 ? "" : " or a largest_norm, which shortens gradients");
}

// Draws which sequences of a step are learned from right to left.
static void draw_flipped(sac_fit *fit, int size)
{
    if (!fit->flip) return;
    sac_stream stream = sac_stream_create(fit->def.seed, FLIP_STREAM, sac_optimiser_steps(fit->optimiser));
    for (int i = 0; i < size; i++) fit->flipped[i] = sac_stream_below(&stream, 2) == 1;
}

static double take_step(sac_fit *fit, walk *w, const sac_examples *examples)
{
    const sac_learn l = sac_learn_create(fit->scratch);
    int size = take_batch(fit, w, examples->count);
    draw_flipped(fit, size);
    fit->batch.temperature = temperature_at(fit, sac_optimiser_steps(fit->optimiser));
    fit->batch.share = sac_fit_share(&fit->batch, size);
    double loss = sac_slices_run(fit->slices, fit->sums, size, run_slice, fit);
    sac_optimiser_step(fit->optimiser, &l, fit->parameters, fit->sums);
    return loss;
}

sac_status sac_fit_run(sac_fit *fit, const sac_examples *examples, uint64_t steps, double *loss)
{
    fit->batch = (sac_fit_batch){.gradient = fit->gradient,
                                 .parameters = fit->parameters,
                                 .examples = examples,
                                 .steps = fit->def.steps,
                                 .lead = fit->def.lead,
                                 .huber = fit->def.huber,
                                 .softness = fit->def.softness,
                                 .spread = fit->def.spread,
                                 .flip = fit->flip,
                                 .flipped = fit->flipped,
                                 .first = fit->batch.first};
    SAC_TRY(sac_fit_check(&fit->batch));
    walk w = {.sequences = examples->count / fit->def.steps};
    w.order = SAC_NEW_ARRAY(int, (size_t)w.sequences);
    if (!w.order) return sac_fail_memory("the order of examples");
    begin_round(fit, &w, examples->count);
    fit->batch.temperature = temperature_at(fit, sac_optimiser_steps(fit->optimiser));
    sac_status status = tell(fit);
    if (status == SAC_OK) measure(fit, &w);
    if (status == SAC_OK) status = check_measured(fit);
    if (steps == 0) steps = ((uint64_t)w.sequences + (uint64_t)fit->def.batch - 1) / (uint64_t)fit->def.batch;
    const uint64_t tenth = steps >= 10 ? steps / 10 : 1;
    double first = 0, last = 0;
    for (uint64_t i = 0; status == SAC_OK && i < steps; i++)
    {
        double now = take_step(fit, &w, examples);
        status = check_step(fit);
        if (i < tenth) first += now / (double)tenth;
        if (i >= steps - tenth) last += now / (double)tenth;
    }
    fit->calls++;
    forget(fit);
    sac_free(w.order);
    if (loss) loss[0] = first, loss[1] = last;
    return status;
}

// --- state ---

const float *sac_fit_parameters(const sac_fit *fit)
{
    return fit->parameters;
}

const float *sac_fit_average(const sac_fit *fit)
{
    return sac_optimiser_average(fit->optimiser);
}

bool sac_fit_array_at(sac_fit *fit, int index, sac_fit_array *out)
{
    sac_optimiser_array arrays[SAC_OPTIMISER_ARRAYS];
    int count = sac_optimiser_list(fit->optimiser, arrays);
    if (index < 0 || index > count) return false;
    if (index == 0)
        *out = (sac_fit_array){"parameters", fit->parameters};
    else
        *out = (sac_fit_array){arrays[index - 1].name, arrays[index - 1].numbers};
    return true;
}

void sac_fit_counters(const sac_fit *fit, uint64_t *steps, uint64_t *calls)
{
    *steps = sac_optimiser_steps(fit->optimiser);
    *calls = fit->calls;
}

void sac_fit_set_counters(sac_fit *fit, uint64_t steps, uint64_t calls)
{
    sac_optimiser_set_steps(fit->optimiser, steps);
    fit->calls = calls;
}
