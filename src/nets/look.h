#pragma once

#include "nets/net.h"

/// Where the heads of an attention net look: as their parameters say, and from one token over a picture.

/// The layers of heads of a net, in order: the value of a layer's node, or -1 beyond the last. vit has none.
int sac_net_look_layer(const sac_net *net, int layer);

/// Heads of a layer, and the tokens that they look at, row by row.
int sac_net_look_heads(const sac_net *net, int layer);
sac_net_shape sac_net_look_tokens(const sac_net *net, int layer);

/// Whether what heads see depends on the picture: relative-content and transformer-xl.
bool sac_net_looks_at_content(const sac_net *net, int layer);

/// The Gaussian of a head of a quadratic encoding: where it looks, key minus query in tokens (row, column), which is
/// -mu, and the precision S = (a b; b c) of -1/2 (x - mu)^T S (x - mu).
/// @return false: another encoding, whose attention has no such form
bool sac_net_look_form(const sac_net *net, int layer, int head, const float *parameters, double place[2],
                       double precision[3]);

/// The attention of one token, in double.
/// @param[out] attention       [tokens], sums to 1
/// @param      query           the token that looks
/// @param      queries_keys    the picture's value at sac_net_look_asked, [tokens, 2 H D]; NULL where heads do not look
///                             at content
void sac_net_look(const sac_net *net, int layer, int head, const float *parameters, const float *queries_keys,
                  int query, double *attention);

/// The value of queries and keys of a layer whose heads look at content.
int sac_net_look_asked(const sac_net *net, int layer);
