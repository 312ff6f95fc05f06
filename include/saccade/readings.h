#pragma once

#include "saccade/hash.h"
#include "saccade/key_database.h"
#include "saccade/multi_head.h"
#include "saccade/rank.h"
#include "saccade/trans.h"
#include "saccade/tree.h"

/// Readings are what a policy can compute from attention beside importance: Implicit Attention for Pixels (Choromanski
/// et al. 2021).
///
///     rank     r = (1/N) P A, the scores of tokens; the best or the drawn ones are kept           A = Q' K'^T
///     trans    LN(P V + P A V): N tokens become l                                                 Q' = phi(queries)
///                                                                                                 K' = phi(keys)
/// P [l, N] is learned, or a row of ones. A is never built: every product takes time linear in N, over blocks of
/// features that stay in the cache. Readings need the linear forms of attention, which are those with features
/// (sac_attention_feature_size > 0).
///
/// Tokens are planar as in attention.h: queries and keys [D, stride], values [V, stride] float32. A reading's result
/// has one row for each token kept, as a controller takes it: [l, V]. D key_size, F feature size, N tokens, V
/// value_size, l rows.
///
/// Functions do not allocate and cannot fail; sizes and pointers are asserted. Results are the same at every CPU level.
///
/// This header includes all readings; each has a header of its own.
