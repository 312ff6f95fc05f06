#pragma once

#include "saccade/base.h"

/// Attention over image tokens. It gives either the importance of each token (how much attention the token receives) or
/// an output.
///
///     A_ij = the attention of query i to key j        importance[j] = c sum_i A_ij        out[i] = sum_j A_ij v[j]
///
///     softmax    A_ij = exp(scale q_i.k_j) / sum_j exp(scale q_i.k_j), c = 1: importances sum to N; undivided:
///                A_ij = exp(scale q_i.k_j), c = 1 / N: the kernel that positive, trig and hybrid estimate
///
/// Linear forms have A_ij = phi(q_i).phi(k_j) and c = 1 / N. Their outputs are divided by sum_j A_ij unless the def
/// says otherwise; with divide_all each row of A is divided by its sum in every reading, and c = 1 as in softmax:
///
///     relu       phi(x) = max(0, x) or max(0, W x)
///     positive   phi(x) = exp(W y - |y|^2 / 2) / sqrt(M), y = sqrt(scale) x: an unbiased estimate of exp(scale q.k)
///     trig       phi(x) = exp(|y|^2 / 2) (sin W y, cos W y) / sqrt(M), sines and cosines in turn: another one, exact
///                for equal tokens, where positive is exact for opposite ones; |y|^2 / 2 below 88
///     hybrid     both, weighed by the angle between the tokens: K_ang(q, k) = 1 - 2 angle / pi, estimated by the signs
///                of R directions; A = ((1 + K_ang) trig + (1 - K_ang) positive) / 2, F = 3 M (1 + R), see hybrid.c
///     sara-*     phi(x) = v f(G y), f = relu, exp or square; G is drawn, given, or the identity, v given or 1
///
/// Tokens are planar: queries and keys are [D, stride] float32 with the N tokens in the first columns, so that one
/// instruction serves one dimension of many tokens. N tokens, D = key_size, M = feature_count, F the size of phi, V
/// values a token.
///
/// Softmax takes time N^2, where N counts only the columns that differ if few do: equal (query, key) pairs are found
/// and counted. Linear forms take time N M D. No form builds an N x N matrix. Equal columns get equal bits, whatever
/// their positions are. Results are the same on every machine and CPU level.
///
/// An attention is immutable once created, so threads may share it, each with its own workspace. Only
/// sac_attention_create allocates.

/// What to create. Start from sac_attention_default_def().
typedef struct sac_attention_def
{
    const char *form;        ///< a name of sac_attention_form_at, default "softmax"
    int key_size;            ///< D in 1..256, no default
    int feature_count;       ///< M in 0..4096, default 16; relu, sara-*: 0 takes the tokens themselves (W = G = I)
    int direction_count;     ///< hybrid: R in 1..64, default 5
    double scale;            ///< of q.k; default 0: 1/sqrt(D), or sqrt(D) where normalise is set; relu and sara-*: 1
    bool normalise;          ///< divide each query and key by its length first (zero stays zero), default false
    bool orthogonal;         ///< rows of W are orthogonal in blocks of D, default true; false: independent
    uint64_t seed;           ///< draws W, G and directions, standard normal, the same on every machine; default 1
    const float *projection; ///< W or G [M, D] given instead of drawn, copied; default NULL
    const float *key_projection; ///< sara-*: G of the keys [M, D], where it is another; copied; default NULL
    const float *feature_gains;  ///< sara-*: v [M], or [D] where feature_count is 0; copied; default NULL: 1
    const float *directions;     ///< hybrid: [R, D] given instead of drawn, copied; default NULL
    bool divide;     ///< output: divide each row by the sum of its attention, default true; softmax: in all readings
    bool divide_all; ///< linear forms whose features are never negative (all but trig and hybrid): importance, row and
                     ///< trans divide rows of A by their sums, too, default false. The readings rank, tree, hash and
                     ///< camera take A as it is
    double epsilon;  ///< of an output: added to that sum, default 0; a sum of zero gives a row of zeros
    uint32_t internal; ///< marks a def that came from the default; do not set
} sac_attention_def;

typedef struct sac_attention sac_attention;

SAC_API sac_attention_def sac_attention_default_def(void);

/// List the forms: the name of the i-th form and a line about it (`summary` may be NULL); NULL past the end.
SAC_API const char *sac_attention_form_at(int index, const char **summary);

/// Create an attention.
/// @param[out] out  owned by the caller, released by sac_attention_destroy; NULL on failure
/// @param      def  copied; may be discarded after the call
/// @return SAC_OK, SAC_ERROR_ARGUMENT (sac_last_error names the field) or SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_attention_create(sac_attention **out, const sac_attention_def *def);

/// Destroy an attention. NULL is ignored.
SAC_API void sac_attention_destroy(sac_attention *attention);

/// Bytes that the functions below need as workspace for up to `token_count` tokens.
SAC_API size_t sac_attention_workspace_size(const sac_attention *attention, int token_count);

/// How much attention each token receives. Cannot fail; sizes and pointers are asserted. A NaN in a query or key makes
/// importances NaN and has no other effect.
/// @param[out] importance  [token_count]; must not overlap an input
/// @param      queries     [D, stride]
/// @param      keys        [D, stride]
/// @param      stride      >= token_count; columns past token_count are not read
/// @param      workspace   sac_attention_workspace_size bytes, 64-byte aligned, contents ignored
SAC_API void sac_attention_importance(const sac_attention *attention, float *importance, const float *queries,
                                      const float *keys, int token_count, int stride, void *workspace);

/// Compute one row of A: the attention of query `row` to every key, in time N D or N M D. It is meant for people and
/// tests.
/// @param[out] weights  [token_count]
SAC_API void sac_attention_row(const sac_attention *attention, float *weights, int row, const float *queries,
                               const float *keys, int token_count, int stride, void *workspace);

/// The two sides of attention.
typedef enum sac_attention_side
{
    SAC_QUERIES,
    SAC_KEYS
} sac_attention_side;

/// F, how many numbers phi gives for a token; 0 for forms that are not linear.
SAC_API int sac_attention_feature_size(const sac_attention *attention);

/// Compute phi of the tokens of one side, scale and normalisation included, so that A_ij = phi(q_i).phi(k_j). Only for
/// linear forms.
/// @param[out] features   [F, features_stride]
/// @param      x          [D, stride]
/// @param      workspace  sac_attention_workspace_size bytes, 64-byte aligned
SAC_API void sac_attention_features(const sac_attention *attention, sac_attention_side side, float *features,
                                    int features_stride, const float *x, int token_count, int stride, void *workspace);

/// Bytes that sac_attention_output needs as workspace for up to `token_count` queries and as many keys with
/// `value_size` values each.
SAC_API size_t sac_attention_output_workspace_size(const sac_attention *attention, int token_count, int value_size);

/// Compute what each query gathers: out[i] = sum_j A_ij v[j], divided by sum_j A_ij + epsilon where def.divide is set.
/// Linear forms take time (query_count + key_count) F (D + V), softmax query_count key_count (D + V).
/// @param[out] out        [V, out_stride]; must not overlap an input
/// @param      queries    [D, query_stride]
/// @param      keys       [D, key_stride]
/// @param      values     [V, key_stride]
/// @param      key_count  >= 1
/// @param      workspace  sac_attention_output_workspace_size bytes, 64-byte aligned, contents ignored
SAC_API void sac_attention_output(const sac_attention *attention, float *out, int out_stride, const float *queries,
                                  int query_count, int query_stride, const float *keys, const float *values,
                                  int key_count, int key_stride, int value_size, void *workspace);

/// Find the indices of the k most important tokens, most important first. Of equal tokens the lower index comes first,
/// and NaN comes last.
/// @param[out] top  [k]
/// @param      k    1..128, at most `count`
SAC_API void sac_attention_top(const sac_attention *attention, int *top, int k, const float *importance, int count);
