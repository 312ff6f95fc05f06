#include "gradient/examples.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "gradient/flip.h"

static size_t picture_size(const sac_gradient *g)
{
    return sac_space_bytes(&g->policy->def.inputs[g->policy->image]);
}

sac_status sac_fit_room_create(sac_fit_room *room, const sac_gradient *gradient, int steps, int sequences, bool flips)
{
    const size_t frames = (size_t)steps * (size_t)sequences, outputs = (size_t)gradient->outputs;
    const int action = gradient->policy->def.action_size;
    if (flips && !(room->pictures = SAC_NEW_MATRIX(uint8_t, frames, picture_size(gradient))))
        return sac_fail_memory("a fit's flipped pictures");
    if (gradient->parts.rt)
    {
        room->said = SAC_NEW_MATRIX(float, frames, (size_t)action);
        room->actions = SAC_NEW_ARRAY(const float *, frames);
        room->labels = SAC_NEW_ARRAY(int, (size_t)gradient->parts.rt->tokens);
        if (!room->said || !room->actions || !room->labels) return sac_fail_memory("a fit's actions");
    }
    room->flipped = SAC_NEW_ARRAY(float, (size_t)(gradient->outputs > action ? gradient->outputs : action));
    room->parts = SAC_NEW_MATRIX(const void *, frames, (size_t)gradient->policy->def.input_count);
    room->starts = SAC_NEW_ARRAY(uint8_t, frames);
    room->told = SAC_NEW_ARRAY(const float *, frames);
    room->outputs = SAC_NEW_MATRIX(float, frames, outputs);
    room->doutputs = SAC_NEW_MATRIX(float, frames, outputs);
    room->targets = SAC_NEW_ARRAY(float, outputs);
    room->workspace = sac_alloc(sac_gradient_workspace_size(gradient, steps, sequences));
    if (room->parts && room->starts && room->told && room->outputs && room->doutputs && room->targets &&
        room->flipped && room->workspace)
        return SAC_OK;
    return sac_fail_memory("a fit's minibatch"); // the fit's destroy releases what was allocated
}

void sac_fit_room_destroy(sac_fit_room *room)
{
    sac_free(room->parts);
    sac_free(room->said);
    sac_free(room->labels);
    sac_free(room->actions);
    sac_free(room->starts);
    sac_free(room->told);
    sac_free(room->outputs);
    sac_free(room->doutputs);
    sac_free(room->targets);
    sac_free(room->flipped);
    sac_free(room->pictures);
    sac_free(room->workspace);
}

// --- examples ---

static sac_status check_action(const sac_policy_def *def, const float *action, int row)
{
    for (int i = 0; i < def->action_size; i++)
        if (!isfinite(action[i]))
            return sac_fail(SAC_ERROR_ARGUMENT, "fit: action %d of example %d is not a finite number", i, row);
    if (!def->action_choices) return SAC_OK;
    if (action[0] >= 0 && action[0] < (float)def->action_choices && floorf(action[0]) == action[0]) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT, "fit: the action of example %d is %g, expected a choice 0..%d", row,
                    (double)action[0], def->action_choices - 1);
}

// Tells whether the controller's outputs are logits of choices.
static bool has_logits(const sac_gradient *g)
{
    return g->policy->def.action_choices > 0 && !g->parts.actor->threshold && !g->parts.rt;
}

static sac_status check_costs(const sac_fit_batch *batch)
{
    const sac_examples *e = batch->examples;
    if (!e->costs) return SAC_OK;
    if (!has_logits(batch->gradient))
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "fit: costs are for policies that put out a number for each choice (choice: argmax)");
    const int choices = batch->gradient->outputs;
    for (int i = 0; i < e->count; i++)
        for (int c = 0; c < choices; c++)
            if (!isfinite(e->costs[(ptrdiff_t)i * choices + c]))
                return sac_fail(SAC_ERROR_ARGUMENT, "fit: the cost of choice %d in example %d is not a finite number",
                                c, i);
    return SAC_OK;
}

sac_status sac_fit_check(const sac_fit_batch *batch)
{
    const sac_examples *e = batch->examples;
    const sac_policy_def *def = &batch->gradient->policy->def;
    if (!(e->parts || e->observations) || !e->actions)
        return sac_fail(SAC_ERROR_ARGUMENT, "fit: examples without %s", e->actions ? "observations" : "actions");
    if (!e->parts && !sac_policy_takes_one_picture(batch->gradient->policy))
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "fit: the policy takes %d parts, of which '%.60s' is the first, so the examples must list them "
                        "(parts)",
                        def->input_count, def->inputs[0].name);
    for (int i = 0; e->parts && i < def->input_count; i++)
        if (!e->parts[i])
            return sac_fail(SAC_ERROR_ARGUMENT, "fit: examples without the part '%.60s'", def->inputs[i].name);
    if (e->count < batch->steps)
        return sac_fail(SAC_ERROR_ARGUMENT, "fit: %d examples are fewer than the %d frames of a sequence", e->count,
                        batch->steps);
    SAC_TRY(check_costs(batch));
    double total = 0;
    for (int i = 0; i < e->count; i++)
    {
        SAC_TRY(check_action(def, e->actions + (ptrdiff_t)i * def->action_size, i));
        if (!e->weights) continue;
        if (!(e->weights[i] >= 0) || !isfinite(e->weights[i]))
            return sac_fail(SAC_ERROR_ARGUMENT, "fit: the weight of example %d is %g, expected 0 or more", i,
                            (double)e->weights[i]);
        total += (double)e->weights[i];
    }
    if (e->weights && total == 0) return sac_fail(SAC_ERROR_ARGUMENT, "fit: all weights are 0");
    return SAC_OK;
}

static double weight_of(const sac_examples *e, int example)
{
    return e->weights ? (double)e->weights[example] : 1;
}

// --- the loss ---

double sac_fit_share(const sac_fit_batch *batch, int sequences)
{
    double total = 0;
    for (int i = 0; i < sequences; i++)
        for (int t = 0; t < batch->steps; t++) total += weight_of(batch->examples, batch->first[i] + t);
    const sac_gradient *g = batch->gradient;
    if (g->parts.rt)
        total *= g->parts.rt->tokens;
    else if (!has_logits(g))
        total *= g->outputs;
    return total > 0 ? 1 / total : 0;
}

// half the range of an output, in whose units it is compared
static float unit_of(const sac_gradient *g, int output)
{
    const sac_policy_def *def = &g->policy->def;
    if (def->action_choices) return 1;
    float half = (def->action_high[output] - def->action_low[output]) / 2;
    return half > 0 && isfinite(half) ? half : 1;
}

static void set_targets(const sac_gradient *g, const float *action, float *targets)
{
    static const float middles[] = {0, -2.0f / 3.0f, 2.0f / 3.0f}; // of the ranges in which a choice is made
    for (int o = 0; o < g->outputs; o++)
        targets[o] = g->parts.actor->threshold ? middles[(int)action[0]] : action[o] / unit_of(g, o);
}

// what the teacher did, or what choices cost, as it is or flipped
static const float *action_of(const sac_fit_batch *b, const sac_fit_room *room, int example, bool flipped)
{
    const sac_policy_def *def = &b->gradient->policy->def;
    const float *action = b->examples->actions + (ptrdiff_t)example * def->action_size;
    if (!flipped) return action;
    for (int i = 0; i < def->action_size; i++)
        room->flipped[i] = def->action_choices ? (float)b->flip[(int)action[i]] : (float)b->flip[i] * action[i];
    return room->flipped;
}

static const float *costs_of(const sac_fit_batch *b, const sac_fit_room *room, int example, bool flipped)
{
    const int choices = b->gradient->outputs;
    const float *costs = b->examples->costs + (ptrdiff_t)example * choices;
    if (!flipped) return costs;
    for (int i = 0; i < choices; i++) room->flipped[b->flip[i]] = costs[i];
    return room->flipped;
}

static double loss_of_costs(const sac_fit_batch *b, const sac_fit_room *room, const sac_learn *l, int example,
                            bool flipped, ptrdiff_t at)
{
    const int choices = b->gradient->outputs;
    const float *costs = costs_of(b, room, example, flipped);
    const float *outputs = room->outputs + at * choices;
    float *doutputs = room->doutputs + at * choices;
    const double share = b->share * weight_of(b->examples, example);
    double loss;
    if (b->softness > 0)
    {
        for (int o = 0; o < choices; o++) room->targets[o] = -costs[o] / (float)b->softness;
        l->categorical_loss(l, &loss, doutputs, outputs, room->targets, 1, choices, share);
    }
    else
        l->expected_cost_loss(l, &loss, doutputs, outputs, costs, 1, choices, share);
    return loss;
}

// Logits of a normal distribution around a number, at the bins of its dimension (Imani and White 2018).
static void set_spread(const sac_gradient *g, float number, int dimension, double spread, float *targets)
{
    const sac_policy_def *def = &g->policy->def;
    const int bins = g->parts.rt->bins;
    const double low = (double)def->action_low[dimension], high = (double)def->action_high[dimension];
    const double place = (fmin(fmax((double)number, low), high) - low) / (high - low) * (bins - 1);
    for (int b = 0; b < bins; b++) targets[b] = (float)(-(b - place) * (b - place) / (2 * spread * spread));
}

// The cross entropy of an action's tokens, or the divergence from what is spread around its bins.
static double loss_of_tokens(const sac_fit_batch *b, const sac_fit_room *room, const sac_learn *l, int example,
                             ptrdiff_t at)
{
    const sac_gradient *g = b->gradient;
    const sac_rt *rt = g->parts.rt;
    const bool spreads =
        b->spread > 0 && !g->policy->def.action_choices; // one token a number: sac_fit_create checks it
    const double share = b->share * weight_of(b->examples, example);
    double total = 0;
    sac_rt_spell(rt, &g->policy->def, room->labels, room->actions[at]);
    for (int a = 0; a < rt->tokens; a++)
    {
        const ptrdiff_t first = at * g->outputs + (ptrdiff_t)a * rt->bins;
        float *outputs = room->outputs + first, *doutputs = room->doutputs + first;
        double loss;
        if (spreads)
        {
            set_spread(g, room->actions[at][a], a, b->spread, room->targets);
            l->categorical_loss(l, &loss, doutputs, outputs, room->targets, 1, rt->bins, share);
        }
        else
            l->cross_entropy_loss(l, &loss, doutputs, outputs, &room->labels[a], 1, rt->bins, share);
        total += loss;
    }
    return total;
}

// returns the loss of one frame and writes its gradient to doutputs
static double loss_of(const sac_fit_batch *b, const sac_fit_room *room, const sac_learn *l, int example, bool flipped,
                      ptrdiff_t at)
{
    const sac_gradient *g = b->gradient;
    const sac_examples *e = b->examples;
    const double share = b->share * weight_of(e, example);
    float *outputs = room->outputs + at * g->outputs, *doutputs = room->doutputs + at * g->outputs;
    double loss;
    if (e->costs) return loss_of_costs(b, room, l, example, flipped, at);
    if (g->parts.rt) return loss_of_tokens(b, room, l, example, at);
    const float *action = action_of(b, room, example, flipped);
    if (has_logits(g))
    {
        const int label = (int)action[0];
        l->cross_entropy_loss(l, &loss, doutputs, outputs, &label, 1, g->outputs, share);
        return loss;
    }
    set_targets(g, action, room->targets);
    for (int o = 0; o < g->outputs; o++) outputs[o] /= unit_of(g, o);
    if (b->huber > 0)
        l->huber_loss(l, &loss, doutputs, outputs, room->targets, (float)b->huber, (size_t)g->outputs, share);
    else
        l->square_loss(l, &loss, doutputs, outputs, room->targets, (size_t)g->outputs, share);
    for (int o = 0; o < g->outputs; o++) doutputs[o] /= unit_of(g, o);
    return loss;
}

// --- slices ---

// Puts a frame's picture from right to left in the place of the one that was set.
static void flip_frame(const sac_gradient *g, const sac_fit_room *room, int at)
{
    uint8_t *picture = room->pictures + (size_t)at * picture_size(g);
    sac_flip_picture(g, picture, room->parts[at]);
    room->parts[at] = picture;
}

static void set_parts(const sac_fit_batch *b, const sac_fit_room *room, int at, int example)
{
    const sac_examples *e = b->examples;
    const sac_policy_def *def = &b->gradient->policy->def;
    for (int k = 0; k < def->input_count; k++)
    {
        const uint8_t *all = e->parts ? e->parts[k] : e->observations;
        room->parts[(ptrdiff_t)at * def->input_count + k] = all + (size_t)example * sac_space_bytes(&def->inputs[k]);
    }
}

// What the teacher did in a frame, which a policy that says its actions by tokens is given token by token.
static void set_said(const sac_fit_batch *b, const sac_fit_room *room, int at, int example, bool flipped)
{
    const int size = b->gradient->policy->def.action_size;
    float *said = room->said + (ptrdiff_t)at * size;
    memcpy(said, action_of(b, room, example, flipped), (size_t)size * sizeof *said);
    room->actions[at] = said;
}

// Sets the frames and starts of a sequence whose first output that counts is of example `first`. Frames before the
// first example repeat it and are masked by starts: each begins an episode, so that nothing of them is remembered.
static void set_sequence(const sac_fit_batch *b, const sac_fit_room *room, int sequence, int sequences, int first,
                         bool flipped)
{
    const sac_examples *e = b->examples;
    for (int t = 0; t < b->lead + b->steps; t++)
    {
        int example = first - b->lead + t, at = t * sequences + sequence;
        set_parts(b, room, at, example > 0 ? example : 0);
        if (b->told) room->told[at] = b->told + (ptrdiff_t)(example > 0 ? example : 0) * b->gradient->told;
        if (flipped) flip_frame(b->gradient, room, at);
        if (room->actions) set_said(b, room, at, example > 0 ? example : 0, flipped);
        room->starts[at] = example <= 0 || (e->starts && e->starts[example]);
    }
}

void sac_fit_tell(const sac_fit_batch *b, const sac_fit_room *room, int first, int count, float *told)
{
    const sac_batch batch = {.steps = 1, .sequences = count, .parts = room->parts, .temperature = b->temperature};
    const size_t size = (size_t)b->gradient->told;
    for (int i = 0; i < count; i++) set_parts(b, room, i, first + i);
    sac_gradient_forward(b->gradient, room->outputs, b->parameters, &batch, room->workspace);
    memcpy(told + (size_t)first * size, sac_gradient_told(b->gradient, &batch, room->workspace),
           (size_t)count * size * sizeof *told);
}

void sac_fit_see(const sac_fit_batch *b, const sac_fit_room *room, int first, int sequences, double *seen)
{
    const sac_batch batch = {.steps = b->lead + b->steps,
                             .sequences = sequences,
                             .parts = room->parts,
                             .starts = room->starts,
                             .told = b->told ? room->told : NULL,
                             .temperature = b->temperature,
                             .seen = seen,
                             .seen_lead = b->lead};
    for (int i = 0; i < sequences; i++) set_sequence(b, room, i, sequences, b->first[first + i], false);
    sac_gradient_forward(b->gradient, room->outputs, b->parameters, &batch, room->workspace);
}

double sac_fit_slice(const sac_fit_batch *b, const sac_fit_room *room, const sac_learn *l, int first, int sequences,
                     float *gradient)
{
    const sac_batch batch = {.steps = b->lead + b->steps,
                             .sequences = sequences,
                             .parts = room->parts,
                             .starts = room->starts,
                             .told = b->told ? room->told : NULL,
                             .actions = room->actions,
                             .temperature = b->temperature};
    const uint8_t *flipped = b->flip ? b->flipped + first : NULL;
    for (int i = 0; i < sequences; i++) set_sequence(b, room, i, sequences, b->first[first + i], flipped && flipped[i]);
    sac_gradient_forward(b->gradient, room->outputs, b->parameters, &batch, room->workspace);

    double loss = 0;
    memset(room->doutputs, 0,
           (size_t)batch.steps * (size_t)sequences * (size_t)b->gradient->outputs * sizeof *room->doutputs);
    for (int t = 0; t < b->steps; t++)
        for (int i = 0; i < sequences; i++)
            loss += loss_of(b, room, l, b->first[first + i] + t, flipped && flipped[i],
                            (ptrdiff_t)(b->lead + t) * sequences + i);
    sac_gradient_backward(b->gradient, gradient, room->doutputs, b->parameters, &batch, room->workspace);
    return loss;
}
