#pragma once

#include "nets/net.h"

/// Which values of a net, or which gradients, can lie in the same memory because one is done with before the other is
/// begun. A slice of a minibatch has a part of its own in each buffer, so slices that are at different nodes never
/// meet.

enum
{
    SAC_NET_VALUES = 513 ///< of a net, at most
};

typedef struct sac_net_share
{
    int buffer[SAC_NET_VALUES];  ///< of each value; -1: none
    size_t size[SAC_NET_VALUES]; ///< floats a sample of each buffer: of the largest that lies there
    int count;
} sac_net_share;

/// Values in forward: one lives from its node to the last node that reads it. The input and the output have buffers of
/// their own.
void sac_net_share_values(sac_net_share *share, const sac_net *net);

/// Gradients in backward: one lives from the last node that reads the value to the value's own node. The input has
/// none.
void sac_net_share_gradients(sac_net_share *share, const sac_net *net);

/// No value shares memory with another.
void sac_net_share_nothing(sac_net_share *share, const sac_net *net);
