#include <stdio.h>

#include "base/error.h"
#include "nets/node.h"

/// Building nets: nodes and tensors in lists.

void sac_net_fail(sac_net *net, sac_status status)
{
    if (net->status == SAC_OK) net->status = status;
}

net_node *sac_net_add(sac_net *net, const net_op *op, const char *name, int in, int beside, sac_net_shape out)
{
    if (net->node_count == NET_NODES)
    {
        sac_net_fail(net, sac_fail(SAC_ERROR_ARGUMENT, "net: more than %d nodes", (int)NET_NODES));
        net->node_count--, net->value_count--;
    }
    if (out.rows < 1 || out.columns < 1 || out.channels < 1)
        sac_net_fail(net, sac_fail(SAC_ERROR_ARGUMENT, "net: the pictures are too small for %.40s", name));
    net_node *n = &net->nodes[net->node_count++];
    *n = (net_node){.op = op, .in = {in, beside}, .out = net->value_count++};
    snprintf(n->name, sizeof n->name, "%s", name);
    net->values[n->out] = out;
    return n;
}

void sac_net_give(sac_net *net, net_node *node, int index, const char *name, int rows, int columns, sac_net_start start,
                  double spread, bool decays)
{
    if (net->tensor_count == NET_TENSORS)
    {
        sac_net_fail(net, sac_fail(SAC_ERROR_ARGUMENT, "net: more than %d tensors", (int)NET_TENSORS));
        net->tensor_count--;
    }
    sac_net_tensor *t = &net->tensors[net->tensor_count];
    *t = (sac_net_tensor){.count = (size_t)rows * (size_t)(columns ? columns : 1),
                          .rank = columns ? 2 : 1,
                          .shape = {rows, columns},
                          .start = start,
                          .spread = spread,
                          .decays = decays};
    snprintf(t->name, sizeof t->name, "%s.%s", node->name, name);
    node->tensors[index] = net->tensor_count++;
}
