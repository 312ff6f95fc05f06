#include <inttypes.h>
#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/random.h"
#include "base/series.h"
#include "policy/kind.h"
#include "ppo/learner.h"

/// The updates: epochs of minibatches of sequences in an order that is drawn.

enum
{
    ORDER = 3 ///< a stream of the learner's seed
};

/// A sequence of a rollout.
typedef struct place
{
    const sac_ppo_group *group;
    int lane, chunk;
} place;

// sequences are numbered by group, then by chunk, then by lane
static place place_of(const sac_ppo *p, int sequence)
{
    const int whole = SAC_PPO_LANES * sac_ppo_sequences(p), group = sequence / whole;
    const sac_ppo_group *g = &p->groups[group];
    const int within = sequence - group * whole;
    return (place){g, within % g->lanes, within / g->lanes};
}

static ptrdiff_t row_of(const sac_ppo *p, const place *at, int t)
{
    return ((ptrdiff_t)at->chunk * p->sequence + t) * at->group->lanes + at->lane;
}

static void draw_order(sac_ppo *p, int sequences, int epoch)
{
    sac_stream stream = sac_stream_create(sac_mix_seed(p->seed, ORDER, 0), p->iteration, (uint64_t)epoch);
    for (int i = 0; i < sequences; i++) p->order[i] = i;
    for (int i = sequences - 1; i > 0; i--)
    {
        int j = (int)sac_stream_below(&stream, (uint32_t)i + 1), kept = p->order[i];
        p->order[i] = p->order[j];
        p->order[j] = kept;
    }
}

// --- a slice ---

// one sequence's rows into column `column` of `columns`
static void gather(const sac_ppo *p, sac_ppo_room *room, const place *at, int column, int columns)
{
    const sac_ppo_rollout *r = &at->group->rollout;
    const size_t size = (size_t)p->head.size, hidden = (size_t)p->hidden, told = (size_t)p->told;
    const int inputs = sac_policy_get_def(p->policy)->input_count;
    for (int t = 0; t < p->sequence; t++)
    {
        const ptrdiff_t row = row_of(p, at, t), to = (ptrdiff_t)t * columns + column;
        sac_ppo_point(p, r, row, room->policy_parts + to * inputs, room->critic_parts + to * p->critic.input_count);
        if (p->fixed_told > 0) room->told[to] = r->told + row * p->fixed_told;
        memcpy(room->drawn + to * p->head.size, r->drawn + row * p->head.size, size * sizeof(float));
        room->starts[to] = r->starts[row];
        room->old[to] = r->likelihood[row];
        room->old_values[to] = r->values[row];
        room->targets[to] = r->targets[row];
        room->counts[to] = r->counts[row];
        room->advantages[to] = (float)(((double)r->advantages[row] - p->mean) / p->deviation);
    }
    const size_t state = (size_t)at->chunk * (size_t)at->group->lanes + (size_t)at->lane;
    memcpy(room->hidden + (size_t)column * hidden, r->hidden + state * hidden, hidden * sizeof(float));
    memcpy(room->cell + (size_t)column * hidden, r->cell + state * hidden, hidden * sizeof(float));
    memcpy(room->before + (size_t)column * told, r->before + state * told, told * sizeof(float));
}

static double run_slice(void *user, const sac_learn *l, const sac_slice *slice, float *gradient)
{
    sac_ppo *p = user;
    sac_ppo_room *room = &p->rooms[slice->thread];
    const int frames = slice->count * p->sequence;
    for (int i = 0; i < slice->count; i++)
    {
        const place at = place_of(p, p->order[p->minibatch_first + slice->first + i]);
        gather(p, room, &at, i, slice->count);
    }
    const sac_batch batch = {.steps = p->sequence,
                             .sequences = slice->count,
                             .starts = room->starts,
                             .hidden = p->hidden ? room->hidden : NULL,
                             .cell = p->hidden ? room->cell : NULL,
                             .before = p->told ? room->before : NULL,
                             .temperature = 1,
                             .parts = room->policy_parts,
                             .told = p->fixed_told > 0 ? room->told : NULL};
    sac_batch value;
    const float *logs = p->x + p->policy_count + p->critic_count;
    // forward changes the states, and backward asks only what it has kept
    sac_gradient_forward(p->gradient, room->outputs, p->x, &batch, room->policy_workspace);
    sac_action_head_scale(&p->head, room->outputs, frames);
    sac_ppo_value(p, room, sac_gradient_inputs(p->gradient, &batch, room->policy_workspace), frames, NULL, room->values,
                  &value);

    const sac_ppo_rows rows = {.head = &p->head,
                               .count = frames,
                               .drawn = room->drawn,
                               .outputs = room->outputs,
                               .logs = logs,
                               .old = room->old,
                               .advantages = room->advantages,
                               .values = room->values,
                               .old_values = room->old_values,
                               .targets = room->targets,
                               .counts = room->counts,
                               .share = p->share,
                               .clip = p->config.clip,
                               .value = p->config.value,
                               .entropy = p->config.entropy,
                               .clip_value = p->config.clip_value};
    sac_ppo_sums sums = {0};
    sac_ppo_loss(&rows, l, &sums, room->doutputs, room->dvalues, gradient + p->policy_count + p->critic_count,
                 room->loss_workspace);
    memcpy(gradient + p->count, &sums, sizeof sums);
    sac_action_head_scale(&p->head, room->doutputs, frames);
    sac_gradient_backward(p->gradient, gradient, room->doutputs, p->x, &batch, room->policy_workspace);
    sac_gradient_backward(p->critic.gradient, gradient + p->policy_count, room->dvalues, p->x + p->policy_count, &value,
                          room->critic_workspace);
    return 0;
}

// --- a minibatch ---

// Measures how many rows count, and the mean and deviation of their advantages.
static void measure(sac_ppo *p, int first, int sequences)
{
    double count = 0, sum = 0, squares = 0;
    for (int i = 0; i < sequences; i++)
    {
        const place at = place_of(p, p->order[first + i]);
        const sac_ppo_rollout *r = &at.group->rollout;
        for (int t = 0; t < p->sequence; t++)
        {
            const ptrdiff_t row = row_of(p, &at, t);
            if (!r->counts[row]) continue;
            const double advantage = (double)r->advantages[row];
            count++;
            sum += advantage;
            squares += advantage * advantage;
        }
    }
    p->share = count > 0 ? 1 / count : 0;
    p->mean = 0;
    p->deviation = 1;
    if (p->config.normalise_advantages) sac_ppo_normalise(&p->mean, &p->deviation, count, sum, squares);
}

static void keep_above_floor(sac_ppo *p)
{
    float *logs = p->x + p->policy_count + p->critic_count;
    if (!(p->config.deviation_floor > 0)) return;
    const float least = (float)sac_series_log(p->config.deviation_floor);
    for (int i = 0; i < p->head.logs; i++)
        if (logs[i] < least) logs[i] = least;
}

static void add_sums(sac_ppo_sums *to, const sac_ppo_sums *from, double share)
{
    to->policy += share * from->policy;
    to->value += share * from->value;
    to->entropy += share * from->entropy;
    to->divergence += share * from->divergence;
    to->clipped += share * from->clipped;
}

static sac_status fail_diverged(const sac_ppo *p, const char *whose, const char *what)
{
    return sac_fail(SAC_ERROR_DIVERGED,
                    "ppo diverged: after step %" PRIu64 " of the optimiser, the %s %s is not finite; try a search.rate "
                    "below %g or a smaller search.largest_norm",
                    sac_optimiser_steps(p->optimiser), whose, what, p->config.rate);
}

// Once a parameter is not finite, no later step makes it a number again.
static sac_status check_parameters(const sac_ppo *p)
{
    const float *critic = p->x + p->policy_count, *logs = critic + p->critic_count;
    const sac_policy_tensor *broken = sac_policy_broken_tensor(p->policy, p->x);
    if (broken) return fail_diverged(p, "policy's", broken->name);
    broken = sac_policy_broken_tensor(p->critic.policy, critic);
    if (broken) return fail_diverged(p, "critic's", broken->name);
    for (int i = 0; i < p->head.logs; i++)
        if (!isfinite(logs[i])) return fail_diverged(p, "actions'", "deviation");
    return SAC_OK;
}

// the sums of the minibatch, times its share, and the gradient's length
static sac_status take_minibatch(sac_ppo *p, int first, int sequences, sac_ppo_sums *sums, double *norm)
{
    sac_ppo_sums total = {0};
    sac_status status = SAC_OK;
    if (p->interrupt && *p->interrupt) status = sac_fail(SAC_ERROR_INTERRUPTED, "interrupted");
    p->minibatch_first = first;
    measure(p, first, sequences);
    SAC_TRY(sac_ppo_sum_slices(p, status, sequences, run_slice));
    for (int i = 0; i < p->config.slices; i++)
    {
        sac_ppo_sums s;
        memcpy(&s, sac_slices_gradients(p->slices) + (size_t)i * (p->count + SAC_PPO_BESIDE) + p->count, sizeof s);
        add_sums(&total, &s, p->share);
    }
    for (size_t i = 0; i < p->count; i++)
        if (!p->trained[i]) p->sums[i] = 0;
    *norm = sac_optimiser_step(p->optimiser, &p->rooms[0].l, p->x, p->sums);
    keep_above_floor(p);
    *sums = total;
    return check_parameters(p);
}

/// What is summed over minibatches.
typedef struct tally
{
    sac_ppo_sums sums;
    double norm; ///< of the gradient
    int minibatches;
} tally;

// @return the mean divergence of the epoch's minibatches
static sac_status run_epoch(sac_ppo *p, int epoch, int sequences, tally *all, double *divergence)
{
    const int size = p->config.minibatch / p->sequence > 0 ? p->config.minibatch / p->sequence : 1;
    int count = 0;
    *divergence = 0;
    draw_order(p, sequences, epoch);
    for (int first = 0; first < sequences; first += size, count++)
    {
        const int taken = sequences - first < size ? sequences - first : size;
        sac_ppo_sums s;
        double norm;
        SAC_TRY(take_minibatch(p, first, taken, &s, &norm));
        add_sums(&all->sums, &s, 1);
        all->norm += norm;
        *divergence += s.divergence;
    }
    *divergence /= count;
    all->minibatches += count;
    return SAC_OK;
}

sac_status sac_ppo_update(sac_ppo *p, sac_ppo_report *report)
{
    tally all = {0};
    const int sequences = p->config.worlds * sac_ppo_sequences(p);
    double share = 1;
    if (p->config.anneal && p->iterations > 0)
        share = p->iteration < p->iterations ? 1 - (double)p->iteration / (double)p->iterations : 0;
    report->rate = p->config.rate * share;
    sac_optimiser_set_rate(p->optimiser, report->rate);
    for (report->epochs = 0; report->epochs < p->config.epochs; report->epochs++)
    {
        double divergence;
        SAC_TRY(run_epoch(p, report->epochs, sequences, &all, &divergence));
        if (p->config.target_kl > 0 && divergence > p->config.target_kl) break;
    }
    report->policy_loss = all.sums.policy / all.minibatches;
    report->value_loss = all.sums.value / all.minibatches;
    report->entropy = all.sums.entropy / all.minibatches;
    report->divergence = all.sums.divergence / all.minibatches;
    report->clipped = all.sums.clipped / all.minibatches;
    report->norm = all.norm / all.minibatches;
    return SAC_OK;
}
