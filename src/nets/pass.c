#include "nets/pass.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/workspace.h"
#include "nets/node.h"
#include "nets/share.h"

/// Nodes over slices. Neighbours that need no sum over all slices run one after the other without the threads waiting
/// for each other, so that a slice's values stay in the cache.

typedef struct phase
{
    int from, to;     // nodes from <= i < to, or backward, from > i >= to
    int measured;     // whose sums are taken at the end; NET_NONE: none
    bool back, start; // the losses come first
} phase;

struct sac_net_pass
{
    sac_net_pass_def def;
    net_pass p;
    sac_slices *sums;
    unsigned char *memory;
    const int *labels;
    double share; // of a sample in the loss
    double *losses;
    int *rights;
    double *times; // [threads, nodes, 2]: forward, backward
    size_t *sizes; // [parts] bytes that processes tell each other; of one alone NULL
    sac_status verdict;
    phase now;
};

// --- memory ---

// arrays whose values are `share`d, of all slices
static void cut_shared(sac_net_pass *s, sac_workspace *w, const sac_net_share *share, float **arrays, size_t *steps)
{
    float *buffers[NET_NODES + 1];
    for (int i = 0; i < share->count; i++)
        buffers[i] = sac_take(w, (size_t)s->def.samples * share->size[i], sizeof(float));
    for (int i = 0; i < s->def.net->value_count; i++)
    {
        const int buffer = share->buffer[i];
        arrays[i] = buffer == NET_NONE ? NULL : buffers[buffer];
        steps[i] = buffer == NET_NONE ? 0 : share->size[buffer];
    }
}

static void cut_values(sac_net_pass *s, sac_workspace *w)
{
    const sac_net *net = s->def.net;
    sac_net_share share;
    if (s->def.backward || s->def.all_values)
        sac_net_share_nothing(&share, net);
    else
        sac_net_share_values(&share, net);
    cut_shared(s, w, &share, s->p.values, s->p.value_steps);
    if (!s->def.backward) return;
    sac_net_share_gradients(&share, net);
    cut_shared(s, w, &share, s->p.gradients, s->p.gradient_steps);
}

// what backward reads of each node; without it one piece of memory for all nodes
static void cut_kept(sac_net_pass *s, sac_workspace *w)
{
    const sac_net *net = s->def.net;
    const size_t samples = (size_t)s->def.samples;
    size_t most = 0;
    for (int i = 0; i < net->node_count; i++)
        if (net->nodes[i].kept > most) most = net->nodes[i].kept;
    float *all = s->def.backward ? NULL : sac_take(w, samples * most, sizeof(float));
    for (int i = 0; i < net->node_count; i++)
    {
        const size_t kept = net->nodes[i].kept;
        s->p.kept[i] = s->def.backward ? sac_take(w, samples * kept, sizeof(float)) : all;
        s->p.kept_steps[i] = s->def.backward ? kept : most;
    }
}

static void cut(sac_net_pass *s, sac_workspace *w)
{
    const sac_net *net = s->def.net;
    const size_t slices = (size_t)s->def.slices, threads = (size_t)sac_threads_count(s->def.threads);
    size_t workspace = (size_t)net->values[net->value_count - 1].channels;
    cut_values(s, w);
    cut_kept(s, w);
    for (int i = 0; i < net->node_count; i++)
    {
        const net_node *n = &net->nodes[i];
        s->p.shared[i] = sac_take(w, n->shared, sizeof(float));
        s->p.sliced_size[i] = (n->sliced + 63) / 64 * 64;
        s->p.sliced[i] = sac_take(w, slices * s->p.sliced_size[i], 1);
        if (n->workspace > workspace) workspace = n->workspace;
    }
    s->losses = sac_take(w, slices, sizeof *s->losses);
    s->rights = sac_take(w, slices, sizeof *s->rights);
    s->times = sac_take(w, s->def.profile ? threads * (size_t)net->node_count * 2 : 0, sizeof *s->times);
    s->p.tables = sac_take(w, threads, sizeof *s->p.tables);
    s->p.workspaces = sac_take(w, threads, sizeof *s->p.workspaces);
    for (size_t i = 0; i < threads; i++)
    {
        void *scratch = sac_take(w, SAC_LEARN_SCRATCH, 1), *room = sac_take(w, workspace, sizeof(float));
        if (!w->memory) continue;
        s->p.tables[i] = sac_learn_create(scratch);
        s->p.workspaces[i] = room;
    }
}

static sac_status create(sac_net_pass *s)
{
    const sac_net *net = s->def.net;
    const int parts = s->def.exchange.parts;
    s->sizes = parts > 1 ? SAC_NEW_ARRAY(size_t, (size_t)parts) : NULL;
    if (parts > 1 && !s->sizes) return sac_fail_memory("a net's minibatch");
    sac_workspace measured = {0};
    cut(s, &measured);
    s->memory = sac_alloc(measured.used);
    if (!s->memory) return sac_fail_memory("a net's minibatch");
    cut(s, &(sac_workspace){.memory = s->memory});
    if (!s->def.backward) return SAC_OK;
    SAC_TRY(sac_slices_create(&s->sums, s->def.threads, s->def.slices, net->parameters));
    s->p.slice_gradients = sac_slices_gradients(s->sums);
    return SAC_OK;
}

sac_status sac_net_pass_create(sac_net_pass **out, const sac_net_pass_def *def)
{
    *out = NULL;
    sac_net_pass *s = SAC_NEW(sac_net_pass);
    if (!s) return sac_fail_memory("a net's minibatch");
    s->def = *def;
    s->p.net = def->net;
    s->p.slices = def->slices;
    s->p.momentum = def->momentum;
    sac_status status = create(s);
    if (status != SAC_OK)
    {
        sac_net_pass_destroy(s);
        return status;
    }
    *out = s;
    return SAC_OK;
}

void sac_net_pass_destroy(sac_net_pass *s)
{
    if (!s) return;
    sac_slices_destroy(s->sums);
    sac_free(s->memory);
    sac_free(s->sizes);
    sac_free(s);
}

float *sac_net_pass_input(sac_net_pass *s)
{
    return s->p.values[0];
}

const float *sac_net_pass_output(const sac_net_pass *s)
{
    return s->p.values[s->def.net->value_count - 1];
}

const float *sac_net_pass_value(const sac_net_pass *s, int value)
{
    SAC_ASSERT(s->def.backward || s->def.all_values);
    return s->p.values[value];
}

// --- running ---

// the first slice of a process's part; of part `parts` it is the number of slices
static int first_slice(const sac_net_pass *s, int part)
{
    const int parts = s->def.exchange.parts;
    return parts > 1 ? (int)((int64_t)s->def.slices * part / parts) : s->def.slices * (part > 0);
}

// the slices that this process runs: in training its part, else all
static void own_slices(const sac_net_pass *s, int *from, int *to)
{
    const bool some = s->p.training && s->sizes;
    *from = some ? first_slice(s, s->def.exchange.part) : 0;
    *to = some ? first_slice(s, s->def.exchange.part + 1) : s->def.slices;
}

// Lets every process have what all have computed, `size` bytes a slice.
static void exchange(sac_net_pass *s, void *all, size_t size)
{
    const sac_net_exchange *e = &s->def.exchange;
    if (!s->sizes || !s->p.training || s->verdict != SAC_OK) return;
    for (int i = 0; i < e->parts; i++) s->sizes[i] = (size_t)(first_slice(s, i + 1) - first_slice(s, i)) * size;
    s->verdict = e->gather(e->user, all, s->sizes);
}

static sac_slice part_of(const sac_net_pass *s, int index, int thread)
{
    const int64_t samples = s->p.samples;
    const int first = (int)(samples * index / s->def.slices), end = (int)(samples * (index + 1) / s->def.slices);
    return (sac_slice){index, thread, first, end - first};
}

int sac_net_largest(const float *x, int count)
{
    int best = 0;
    for (int i = 1; i < count; i++)
        if (x[i] > x[best]) best = i;
    return best;
}

// the loss of a slice, and the gradient where training goes on
static void judge(sac_net_pass *s, const sac_slice *part)
{
    const int last = s->def.net->value_count - 1, classes = s->def.net->values[last].channels;
    const float *out = net_value(&s->p, last, part);
    // an evaluation wants no gradient, but the loss writes one: into the workspace, which no node uses any more
    float *dout = s->p.training ? net_gradient(&s->p, last, part) : s->p.workspaces[part->thread];
    const sac_learn *l = &s->p.tables[part->thread];
    s->losses[part->index] = 0;
    s->rights[part->index] = 0;
    for (int i = 0; i < part->count; i++, out += classes)
    {
        const int label = s->labels[part->first + i];
        double loss;
        l->cross_entropy_loss(l, &loss, dout, out, &label, 1, classes, s->share);
        s->losses[part->index] += loss / s->share;
        s->rights[part->index] += sac_net_largest(out, classes) == label;
        if (s->p.training) dout += classes;
    }
}

// one function of one node, whose time is taken where that is asked for
static void run_node(sac_net_pass *s, int node, const sac_slice *part,
                     void (*run)(const net_pass *p, const net_node *n, const sac_slice *part))
{
    const net_node *n = &s->def.net->nodes[node];
    if (!run) return;
    const double begin = s->def.profile ? sac_clock() : 0;
    run(&s->p, n, part);
    if (!s->def.profile) return;
    s->times[(part->thread * s->def.net->node_count + node) * 2 + s->now.back] += sac_clock() - begin;
}

static void run_part(sac_net_pass *s, const sac_slice *part)
{
    const net_node *nodes = s->def.net->nodes;
    const phase *now = &s->now;
    if (now->start && s->labels) judge(s, part);
    if (!now->back)
        for (int i = now->from; i < now->to; i++) run_node(s, i, part, nodes[i].op->forward);
    else
        for (int i = now->from - 1; i >= now->to; i--) run_node(s, i, part, nodes[i].op->backward);
    if (now->measured == NET_NONE) return;
    const net_op *op = nodes[now->measured].op;
    run_node(s, now->measured, part, now->back ? op->measure_back : op->measure);
}

static void run_thread(void *user, int thread)
{
    sac_net_pass *s = user;
    int from, to;
    own_slices(s, &from, &to);
    for (int i = from + thread; i < to; i += sac_threads_count(s->def.threads))
    {
        const sac_slice part = part_of(s, i, thread);
        if (part.count > 0) run_part(s, &part);
    }
}

static void run_phase(sac_net_pass *s, phase now)
{
    s->now = now;
    if (now.from != now.to || now.measured != NET_NONE || now.start) sac_threads_run(s->def.threads, run_thread, s);
    if (now.measured != NET_NONE) exchange(s, s->p.sliced[now.measured], s->p.sliced_size[now.measured]);
}

static void clear_sliced(const sac_net_pass *s, int node)
{
    memset(s->p.sliced[node], 0, (size_t)s->def.slices * s->p.sliced_size[node]);
}

static void forward(sac_net_pass *s)
{
    const sac_net *net = s->def.net;
    int from = 0;
    for (int i = 0; i < net->node_count; i++)
    {
        const net_node *n = &net->nodes[i];
        if (n->op->prepare) n->op->prepare(&s->p, n);
        if (!n->op->join) continue;
        const bool measures = s->p.training && n->op->measure;
        if (measures)
        {
            clear_sliced(s, i);
            run_phase(s, (phase){.from = from, .to = i, .measured = i});
            from = i;
        }
        n->op->join(&s->p, n);
    }
    run_phase(s, (phase){.from = from, .to = net->node_count, .measured = NET_NONE});
}

static void clear_gradient(void *user, int thread)
{
    sac_net_pass *s = user;
    const size_t count = s->def.net->parameters;
    for (int i = thread; i < s->def.slices; i += sac_threads_count(s->def.threads))
        memset(s->p.slice_gradients + (size_t)i * count, 0, count * sizeof(float));
}

static void backward(sac_net_pass *s, float *gradient)
{
    const sac_net *net = s->def.net;
    sac_threads_run(s->def.threads, clear_gradient, s);
    int from = net->node_count;
    bool start = true;
    for (int i = net->node_count - 1; i >= 0; i--)
    {
        const net_node *n = &net->nodes[i];
        if (n->sliced) clear_sliced(s, i);
        if (!n->op->measure_back) continue;
        run_phase(s, (phase){.from = from, .to = i + 1, .measured = i, .back = true, .start = start});
        from = i + 1;
        start = false;
        n->op->join_back(&s->p, n);
    }
    run_phase(s, (phase){.from = from, .to = 0, .measured = NET_NONE, .back = true, .start = start});
    exchange(s, s->p.slice_gradients, net->parameters * sizeof *s->p.slice_gradients);
    sac_slices_add(s->sums, gradient);
    s->p.sum = gradient;
    for (int i = 0; i < net->node_count; i++)
    {
        const net_node *n = &net->nodes[i];
        if (!n->op->finish) continue;
        if (n->sliced && !n->op->measure_back) exchange(s, s->p.sliced[i], s->p.sliced_size[i]);
        n->op->finish(&s->p, n);
    }
}

static sac_net_outcome outcome_of(const sac_net_pass *s)
{
    sac_net_outcome o = {0};
    for (int i = 0; s->labels && i < s->def.slices; i++)
    {
        const sac_slice part = part_of(s, i, 0);
        if (part.count == 0) continue;
        o.loss += s->losses[i];
        o.right += s->rights[i];
    }
    return o;
}

sac_net_outcome sac_net_pass_train(sac_net_pass *s, float *gradient, const float *parameters, float *measured,
                                   const int *labels, int samples, uint64_t draw)
{
    SAC_ASSERT(s->def.backward && labels && samples >= 1 && samples <= s->def.samples);
    s->p.parameters = parameters;
    s->p.measured = measured;
    s->p.training = true;
    s->p.draw = draw;
    s->p.samples = samples;
    s->labels = labels;
    s->share = 1.0 / samples;
    s->verdict = SAC_OK;
    forward(s);
    backward(s, gradient);
    exchange(s, s->losses, sizeof *s->losses);
    exchange(s, s->rights, sizeof *s->rights);
    return outcome_of(s);
}

void sac_net_pass_part(const sac_net_pass *s, int samples, int *first, int *end)
{
    const int part = s->def.exchange.part;
    const int from = s->sizes ? first_slice(s, part) : 0, to = s->sizes ? first_slice(s, part + 1) : s->def.slices;
    *first = (int)((int64_t)samples * from / s->def.slices);
    *end = (int)((int64_t)samples * to / s->def.slices);
}

sac_status sac_net_pass_verdict(const sac_net_pass *s)
{
    return s->verdict;
}

sac_net_outcome sac_net_pass_evaluate(sac_net_pass *s, const float *parameters, const float *measured,
                                      const int *labels, int samples)
{
    SAC_ASSERT(samples >= 1 && samples <= s->def.samples);
    s->p.parameters = parameters;
    s->p.measured = (float *)measured; // which is only read
    s->p.training = false;
    s->p.samples = samples;
    s->labels = labels;
    s->share = 1;
    forward(s);
    run_phase(s, (phase){.measured = NET_NONE, .start = labels != NULL});
    return outcome_of(s);
}

int sac_net_pass_times(const sac_net_pass *s, sac_net_time times[SAC_NET_KINDS])
{
    const sac_net *net = s->def.net;
    int count = 0;
    for (int i = 0; s->def.profile && i < net->node_count; i++)
    {
        int at = 0;
        while (at < count && strcmp(times[at].kind, net->nodes[i].op->name) != 0) at++;
        SAC_ASSERT(at < SAC_NET_KINDS);
        if (at == count) times[count++] = (sac_net_time){.kind = net->nodes[i].op->name};
        for (int thread = 0; thread < sac_threads_count(s->def.threads); thread++)
        {
            const double *taken = s->times + ((ptrdiff_t)thread * net->node_count + i) * 2;
            times[at].forward += taken[0];
            times[at].backward += taken[1];
        }
    }
    return count;
}
