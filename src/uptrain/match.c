#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "gradient/gradient.h"
#include "learn/optimiser.h"
#include "learn/slices.h"
#include "uptrain/choice.h"
#include "uptrain/uptrain.h"

/// The first phase: what linear attention gives of a picture learns to be what softmax gives. Only G and v learn.
///
/// In iap-trans, what attention gives are the tokens that the controller is told, and the loss is the square of their
/// difference in units of their variance. Where K patches are kept, it is not the scores that count but which of them
/// are the highest: there the loss is the divergence of the choices (choice.h).

enum
{
    SLICES = 8,
    PROBES = 256, // pictures on which the kept patches are compared
};

// The arrays in which one thread works.
typedef struct room
{
    const uint8_t **frames; // [batch]
    float *out, *dout;      // [batch, size]
    void *workspace;
    sac_choice choice;
} room;

typedef struct match
{
    const sac_policy *student;
    const sac_uptrain_def *def;
    const sac_lesson *lesson;
    sac_gradient *gradient, *teacher;
    sac_optimiser *optimiser;
    sac_threads *threads;
    sac_slices *slices;
    room *rooms;       // [threads]
    int size;          // numbers that attention gives of a picture
    int kept;          // K; 0: iap-trans
    float *targets;    // [count, size]
    float *units;      // [count] one over the variance of a picture's targets, times size; 0: all are alike
    float *parameters; // the student's
    float *sums;       // [parameters]
    int *order;        // [count]
    unsigned char *scratch;
    const int *chosen; // [batch] pictures of the step
    int batch;
} match;

static size_t largest_of(size_t a, size_t b)
{
    return a > b ? a : b;
}

static const uint8_t *picture(const match *m, int index)
{
    return (const uint8_t *)m->lesson->parts[0] + (size_t)index * m->lesson->sizes[0];
}

static sac_status create_rooms(match *m)
{
    const int most = (m->def->match_batch + SLICES - 1) / SLICES;
    const size_t size = (size_t)m->size;
    // The outputs of softmax are computed one picture at a time.
    const size_t bytes =
        largest_of(sac_gradient_workspace_size(m->gradient, 1, most), sac_gradient_workspace_size(m->teacher, 1, 1));
    m->rooms = SAC_NEW_ARRAY(room, (size_t)m->def->threads);
    if (!m->rooms) return sac_fail_memory("the first phase of up-training");
    for (int i = 0; i < m->def->threads; i++)
    {
        room *r = &m->rooms[i];
        r->frames = SAC_NEW_ARRAY(const uint8_t *, (size_t)most);
        r->out = SAC_NEW_MATRIX(float, (size_t)most, size);
        r->dout = SAC_NEW_MATRIX(float, (size_t)most, size);
        r->workspace = sac_alloc(bytes);
        SAC_TRY(sac_choice_create(&r->choice, m->size, m->kept));
        if (!r->frames || !r->out || !r->dout || !r->workspace)
            return sac_fail_memory("the first phase of up-training");
    }
    return SAC_OK;
}

static sac_status create(match *m, const sac_policy *teacher)
{
    const size_t count = (size_t)m->lesson->count, parameters = (size_t)sac_policy_parameter_count(m->student);
    sac_gradient_def def = sac_gradient_default_def();
    sac_optimiser_def steps = sac_optimiser_default_def();
    steps.rate = m->def->match_rate;
    steps.steps = m->def->match_steps;
    steps.largest_norm = 0.1; // a picture whose patches are nearly alike has a steep loss
    SAC_TRY(sac_gradient_create(&m->gradient, m->student, &def));
    SAC_TRY(sac_gradient_create(&m->teacher, teacher, &def));
    SAC_TRY(sac_optimiser_create(&m->optimiser, &steps, parameters));
    SAC_TRY(sac_threads_create(&m->threads, m->def->threads));
    SAC_TRY(sac_slices_create(&m->slices, m->threads, SLICES, parameters));
    m->size = sac_attended_size(m->gradient);
    m->kept = m->gradient->parts.reading == SAC_PARTS_TRANS ? 0 : m->gradient->parts.agent->config.top;
    m->targets = SAC_NEW_MATRIX(float, count, (size_t)m->size);
    m->units = SAC_NEW_ARRAY(float, count);
    m->sums = SAC_NEW_ARRAY(float, parameters);
    m->order = SAC_NEW_ARRAY(int, count);
    m->scratch = sac_alloc(SAC_LEARN_SCRATCH);
    if (!m->targets || !m->units || !m->sums || !m->order || !m->scratch)
        return sac_fail_memory("the first phase of up-training");
    return create_rooms(m);
}

static void destroy(match *m)
{
    for (int i = 0; m->rooms && i < m->def->threads; i++)
    {
        sac_free(m->rooms[i].frames);
        sac_free(m->rooms[i].out);
        sac_free(m->rooms[i].dout);
        sac_free(m->rooms[i].workspace);
        sac_choice_destroy(&m->rooms[i].choice);
    }
    sac_free(m->rooms);
    sac_free(m->scratch);
    sac_free(m->order);
    sac_free(m->sums);
    sac_free(m->units);
    sac_free(m->targets);
    sac_slices_destroy(m->slices);
    sac_threads_destroy(m->threads);
    sac_optimiser_destroy(m->optimiser);
    sac_gradient_destroy(m->teacher);
    sac_gradient_destroy(m->gradient);
}

// --- what softmax gives ---

static void set_unit(match *m, int index)
{
    const float *target = m->targets + (size_t)index * (size_t)m->size;
    double mean = 0, variance = 0;
    for (int i = 0; i < m->size; i++) mean += (double)target[i] / m->size;
    for (int i = 0; i < m->size; i++) variance += ((double)target[i] - mean) * ((double)target[i] - mean);
    m->units[index] = variance > 0 ? (float)(1 / variance) : 0;
}

static void find_targets(void *user, int thread)
{
    match *m = user;
    room *r = &m->rooms[thread];
    for (int i = thread; i < m->lesson->count; i += m->def->threads)
    {
        const uint8_t *frame = picture(m, i);
        const sac_batch batch = {.steps = 1, .sequences = 1, .frames = &frame, .temperature = 1};
        sac_attended_forward(m->teacher, m->targets + (size_t)i * (size_t)m->size,
                             sac_policy_parameters(m->teacher->policy), &batch, r->workspace);
        set_unit(m, i);
    }
}

// --- the loss ---

static double loss_of(const match *m, room *r, int index, int row, double share)
{
    const float *target = m->targets + (size_t)index * (size_t)m->size;
    const float *out = r->out + (size_t)row * (size_t)m->size;
    float *dout = r->dout + (size_t)row * (size_t)m->size;
    if (m->kept) return sac_choice_loss(&r->choice, &m->gradient->parts.agent->kernels, dout, out, target, share);
    const float unit = m->units[index] * (float)share;
    double loss = 0;
    for (int i = 0; i < m->size; i++)
    {
        float difference = out[i] - target[i];
        loss += (double)(difference * difference) * (double)unit;
        dout[i] = 2 * difference * unit;
    }
    return loss;
}

static double run_slice(void *user, const sac_learn *l, const sac_slice *slice, float *gradient)
{
    (void)l;
    match *m = user;
    room *r = &m->rooms[slice->thread];
    const sac_batch batch = {.steps = 1, .sequences = slice->count, .frames = r->frames, .temperature = 1};
    const int *chosen = m->chosen + slice->first;
    double loss = 0;
    for (int i = 0; i < slice->count; i++) r->frames[i] = picture(m, chosen[i]);
    sac_attended_forward(m->gradient, r->out, m->parameters, &batch, r->workspace);
    for (int i = 0; i < slice->count; i++) loss += loss_of(m, r, chosen[i], i, 1.0 / m->batch);
    sac_attended_backward(m->gradient, gradient, r->dout, m->parameters, &batch, r->workspace);
    return loss;
}

// only G and v learn here
static void keep_maps(const match *m)
{
    for (int i = 0; i < sac_policy_tensor_count(m->student); i++)
    {
        const sac_policy_tensor *tensor = sac_policy_tensor_at(m->student, i);
        if (strncmp(tensor->name, "attention.", 10) != 0)
            memset(m->sums + tensor->offset, 0, sac_policy_tensor_size(tensor) * sizeof *m->sums);
    }
}

// --- steps ---

// the pictures of a step, from an order that is drawn anew when it is used up
static void choose(match *m, uint64_t step)
{
    const int count = m->lesson->count, per_round = count / m->batch;
    const int place = (int)(step % (uint64_t)per_round);
    if (place == 0)
    {
        sac_stream stream = sac_stream_create(m->def->seed, step / (uint64_t)per_round, 7);
        for (int i = 0; i < count; i++) m->order[i] = i;
        for (int i = count - 1; i > 0; i--)
        {
            int j = (int)sac_stream_below(&stream, (uint32_t)i + 1), kept = m->order[i];
            m->order[i] = m->order[j];
            m->order[j] = kept;
        }
    }
    m->chosen = m->order + place * m->batch;
}

static sac_status check_step(const match *m, uint64_t step)
{
    const sac_policy_tensor *broken = sac_policy_broken_tensor(m->student, m->parameters);
    if (!broken) return SAC_OK;
    return sac_fail(SAC_ERROR_DIVERGED,
                    "the first phase of up-training diverged: after step %" PRIu64 ", %s is not finite; try a "
                    "match_rate below %g",
                    step, broken->name, m->def->match_rate);
}

static sac_status run_steps(match *m, sac_uptrain_result *result)
{
    const sac_uptrain_def *def = m->def;
    const sac_learn l = sac_learn_create(m->scratch);
    const uint64_t steps = def->match_steps, tenth = steps >= 10 ? steps / 10 : 1;
    result->match_first = result->match_last = 0;
    for (uint64_t i = 0; i < steps; i++)
    {
        if (def->interrupt && *def->interrupt) return sac_fail(SAC_ERROR_INTERRUPTED, "up-training was interrupted");
        choose(m, i);
        double loss = sac_slices_run(m->slices, m->sums, m->batch, run_slice, m);
        keep_maps(m);
        sac_optimiser_step(m->optimiser, &l, m->parameters, m->sums);
        SAC_TRY(check_step(m, i + 1));
        if (i < tenth) result->match_first += loss / (double)tenth;
        if (i >= steps - tenth) result->match_last += loss / (double)tenth;
        if (def->progress && tenth > 0 && (i + 1) % tenth == 0) def->progress(def->user, "match", i + 1, steps, loss);
    }
    return SAC_OK;
}

// share of the patches that softmax keeps which the student keeps, too; NaN where none are kept
static double kept_share(match *m)
{
    const sac_agent *a = m->gradient->parts.agent;
    int top[SAC_MAX_TOP], expected[SAC_MAX_TOP], same = 0, seen = 0;
    const int kept = m->kept, apart = m->lesson->count / PROBES > 0 ? m->lesson->count / PROBES : 1;
    if (!kept) return NAN;
    for (int i = 0; i < m->lesson->count; i += apart, seen += kept)
    {
        const uint8_t *frame = picture(m, i);
        const sac_batch batch = {.steps = 1, .sequences = 1, .frames = &frame, .temperature = 1};
        sac_attended_forward(m->gradient, m->rooms[0].out, m->parameters, &batch, m->rooms[0].workspace);
        a->kernels.top(top, kept, m->rooms[0].out, m->size);
        a->kernels.top(expected, kept, m->targets + (size_t)i * (size_t)m->size, m->size);
        for (int j = 0; j < kept * kept; j++) same += top[j / kept] == expected[j % kept];
    }
    return seen > 0 ? (double)same / seen : NAN;
}

sac_status sac_uptrain_match(const sac_policy *student, float *parameters, const sac_policy *teacher,
                             const sac_lesson *lesson, const sac_uptrain_def *def, sac_uptrain_result *result)
{
    match m = {.student = student, .def = def, .lesson = lesson, .parameters = parameters};
    m.batch = def->match_batch < lesson->count ? def->match_batch : lesson->count;
    sac_status status = create(&m, teacher);
    if (status == SAC_OK)
    {
        sac_threads_run(m.threads, find_targets, &m);
        result->kept_first = kept_share(&m);
        status = run_steps(&m, result);
        result->kept_last = kept_share(&m);
    }
    destroy(&m);
    return status;
}
