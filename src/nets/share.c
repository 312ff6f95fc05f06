#include "nets/share.h"

#include "base/error.h"
#include "nets/node.h"

/// Values are taken in the order in which they are begun. Each goes to the free buffer that is the least too large,
/// else to the one that is the least too small, which grows, else to a new one.

_Static_assert(SAC_NET_VALUES == NET_NODES + 1, "a value a node, and the input");

typedef struct span
{
    int begin, end; // nodes, in the order in which they run; the end is the last at which it is needed
} span;

typedef struct search
{
    sac_net_share *share;
    int until[NET_NODES + 1]; // of each buffer: the end of what lies there
} search;

static void own_buffer(search *s, int value, size_t size, int until)
{
    sac_net_share *share = s->share;
    share->buffer[value] = share->count;
    share->size[share->count] = size;
    s->until[share->count++] = until;
}

static int best_buffer(const search *s, size_t size, int begin)
{
    int best = NET_NONE;
    for (int i = 0; i < s->share->count; i++)
    {
        if (s->until[i] >= begin) continue;
        const size_t there = s->share->size[i], other = best == NET_NONE ? 0 : s->share->size[best];
        const bool fits = there >= size, fitted = other >= size;
        if (best == NET_NONE || (fits && (!fitted || there < other)) || (!fits && !fitted && there > other)) best = i;
    }
    return best;
}

static void place(search *s, int value, size_t size, span life)
{
    const int i = best_buffer(s, size, life.begin);
    if (i == NET_NONE)
    {
        own_buffer(s, value, size, life.end);
        return;
    }
    s->share->buffer[value] = i;
    if (s->share->size[i] < size) s->share->size[i] = size;
    s->until[i] = life.end;
}

static int last_reader(const sac_net *net, int value)
{
    int last = NET_NONE;
    for (int i = 0; i < net->node_count; i++)
        if (net->nodes[i].in[0] == value || net->nodes[i].in[1] == value) last = i;
    return last;
}

void sac_net_share_values(sac_net_share *share, const sac_net *net)
{
    search s = {.share = share};
    share->count = 0;
    own_buffer(&s, 0, net_size(&net->values[0]), net->node_count);
    own_buffer(&s, net->value_count - 1, net_size(&net->values[net->value_count - 1]), net->node_count);
    for (int i = 0; i < net->node_count; i++)
    {
        const int value = net->nodes[i].out, last = last_reader(net, value);
        if (value == net->value_count - 1) continue;
        place(&s, value, net_size(&net->values[value]), (span){i, last > i ? last : i});
    }
}

void sac_net_share_gradients(sac_net_share *share, const sac_net *net)
{
    search s = {.share = share};
    share->count = 0;
    share->buffer[0] = NET_NONE;
    // backward runs the nodes from the last to the first, so that node i is at time node_count - i; the loss is at 0
    for (int time = 0; time <= net->node_count; time++)
        for (int i = 0; i < net->node_count; i++)
        {
            const int value = net->nodes[i].out, last = last_reader(net, value);
            const int begin = last == NET_NONE ? 0 : net->node_count - last;
            if (begin == time) place(&s, value, net_size(&net->values[value]), (span){begin, net->node_count - i});
        }
}

void sac_net_share_nothing(sac_net_share *share, const sac_net *net)
{
    search s = {.share = share};
    share->count = 0;
    for (int i = 0; i < net->value_count; i++) own_buffer(&s, i, net_size(&net->values[i]), 0);
}
