#include <string.h>

#include "gradient/gradient.h"

/// What is told of the frames [F, told] to the controller's inputs: the numbers of vectors behind what was read,
/// motion, and a normaliser whose numbers are fixed.

// Returns what was told of the frame before. NULL: an episode begins.
static float *before(const sac_pass *p, float *told, int frame)
{
    const sac_batch *b = p->batch;
    if (b->starts && b->starts[frame]) return NULL;
    if (frame >= b->sequences) return told + (ptrdiff_t)(frame - b->sequences) * p->g->told;
    return NULL;
}

static const float *row_before(const sac_pass *p, int frame)
{
    const float *row = before(p, p->room.told, frame);
    const sac_batch *b = p->batch;
    if (row || !b->before || frame >= b->sequences || (b->starts && b->starts[frame])) return row;
    return b->before + (ptrdiff_t)frame * p->g->told;
}

static void normalise(const sac_pass *p, float *inputs)
{
    const sac_policy *policy = p->g->policy;
    const float *mean = p->parameters + policy->normaliser_mean, *inverse_deviation = p->room.inverse_deviation;
    for (int i = 0; i < policy->normaliser_size; i++)
        inputs[i] = sac_actor_normalise(p->g->parts.actor, inputs[i], mean[i], inverse_deviation[i]);
}

void sac_told_vectors(sac_pass *p)
{
    const int read = p->g->parts.actor->read_count;
    for (int frame = 0; p->g->policy->vector_size > 0 && frame < p->frames; frame++)
    {
        const void *one;
        sac_actor_tell_vectors(p->room.told + (ptrdiff_t)frame * p->g->told + read, &p->g->policy->def,
                               sac_pass_inputs(p, frame, &one));
    }
}

// sums what the normaliser is told
static void note_seen(const sac_pass *p, const float *inputs)
{
    const int size = p->g->policy->normaliser_size;
    for (int i = 0; i < size; i++)
    {
        p->batch->seen[i] += (double)inputs[i];
        p->batch->seen[size + i] += (double)inputs[i] * (double)inputs[i];
    }
}

void sac_told_forward(sac_pass *p)
{
    const sac_gradient *g = p->g;
    const int told = g->told;
    const float *deviation = p->parameters + g->policy->normaliser_deviation;
    for (int i = 0; i < g->policy->normaliser_size; i++)
        p->room.inverse_deviation[i] = deviation[i] > 0 ? 1 / deviation[i] : 1;
    for (int frame = 0; frame < p->frames; frame++)
    {
        const float *now = p->room.told + (ptrdiff_t)frame * told, *last = row_before(p, frame);
        float *inputs = p->room.inputs + (ptrdiff_t)frame * g->inputs;
        memcpy(inputs, now, (size_t)told * sizeof *inputs);
        for (int i = 0; g->inputs > told && i < told; i++) inputs[told + i] = last ? now[i] - last[i] : 0;
        if (p->batch->seen && frame >= p->batch->seen_lead * p->batch->sequences) note_seen(p, inputs);
        normalise(p, inputs);
    }
    const float *last = p->room.told + (ptrdiff_t)(p->frames - p->batch->sequences) * told;
    if (p->batch->before) memcpy(p->batch->before, last, (size_t)told * (size_t)p->batch->sequences * sizeof *last);
}

void sac_told_backward(sac_pass *p)
{
    const sac_gradient *g = p->g;
    const int told = g->told;
    memset(p->room.dtold, 0, (size_t)p->frames * (size_t)told * sizeof(float));
    for (int frame = 0; frame < p->frames; frame++)
    {
        float *dinputs = p->room.dinputs + (ptrdiff_t)frame * g->inputs, *now = p->room.dtold + (ptrdiff_t)frame * told;
        float *last = before(p, p->room.dtold, frame);
        const float *inputs = p->room.inputs + (ptrdiff_t)frame * g->inputs, limit = g->parts.actor->limit;
        // gradient with respect to x of (x - mean) inverse_deviation, which is 0 where that was cut
        for (int i = 0; i < g->policy->normaliser_size; i++)
            dinputs[i] *= inputs[i] > -limit && inputs[i] < limit ? p->room.inverse_deviation[i] : 0;
        for (int i = 0; i < told; i++) now[i] += dinputs[i];
        // gradient with respect to now and last of now - last, which is zero in an episode's first step
        bool moves = g->inputs > told && row_before(p, frame);
        for (int i = 0; moves && i < told; i++) now[i] += dinputs[told + i];
        for (int i = 0; moves && last && i < told; i++) last[i] -= dinputs[told + i];
    }
}
