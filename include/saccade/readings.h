#pragma once

#include "saccade/attention.h"

/// What a policy reads from attention, beside importance: Implicit Attention for Pixels.
///
///     rank     r = (1/N) P A, the scores of tokens; the best or the drawn ones are kept           A = Q' K'^T
///     trans    LN(P V + P A V): N tokens become l                                                 Q' = phi(queries)
///                                                                                                 K' = phi(keys)
/// P [l, N] is learned, or a row of ones. No form of A is ever built: every product takes time linear in N, over blocks
/// of features that stay in the cache. All of it is for the linear forms of attention, those with features
/// (sac_attention_feature_size > 0).
///
/// Tokens are planar as in attention.h: queries and keys [D, stride], values [V, stride] float32. What comes out of a
/// reading is one row a token kept, as a controller reads it: [l, V]. D key_size, F feature size, N tokens, V
/// value_size, l rows.
///
/// Functions do not allocate and cannot fail; sizes and pointers are asserted. Results are the same at every CPU level.

// ---------------------------------------------------------------------------------------------------------------------
// rank: scores

/// Bytes of workspace for the functions of this section, for any number of tokens and rows; 64-byte aligned.
SAC_API size_t sac_rank_workspace_size(const sac_attention *attention);

/// What the queries amount to: z = P Q'.
/// @param[out] z        [rows, F]
/// @param      weights  P [rows, weight_stride]; NULL: one row of ones, so that z = sum_i phi(q_i)
/// @param      queries  [D, stride]
SAC_API void sac_rank_summary(const sac_attention *attention, float *z, const float *weights, int rows,
                              int weight_stride, const float *queries, int token_count, int stride, void *workspace);

/// What they think of the keys: r = z K'^T / query_count.
/// @param[out] scores       [rows, score_stride]
/// @param      z            [rows, F]
/// @param      query_count  of the queries that z sums over
SAC_API void sac_rank_scores(const sac_attention *attention, float *scores, int score_stride, const float *z, int rows,
                             int query_count, const float *keys, int token_count, int stride, void *workspace);

/// The one query z' = phi(mean_i q_i) instead of the sum of all: q_i as the form sees them, scaled and normalised. What
/// is drawn by it has another distribution than the scores have, see sac_tree_draw.
/// @param[out] z  [F]
SAC_API void sac_rank_mean_query(const sac_attention *attention, float *z, const float *queries, int token_count,
                                 int stride, void *workspace);

// ---------------------------------------------------------------------------------------------------------------------
// rank: which tokens are kept. sac_attention_top takes the best ones.

/// softmax(scores): what softmax sampling draws from. NaN scores get probability 0.
/// @param[out] probabilities  [count]; may be scores
SAC_API void sac_rank_probabilities(const sac_attention *attention, float *probabilities, const float *scores,
                                    int count);

/// Draw `kept` different tokens, one after the other, each with its share of what is left. Time kept * count.
/// @param[out]    chosen         [kept] in order of drawing
/// @param[in,out] probabilities  [count], >= 0, any sum; those drawn become -1. Where no positive one is left, the
///                               lowest index comes next
/// @param         uniform        [kept] in 0 <= u < 1: drawing is a pure function of them
SAC_API void sac_rank_draw(int *chosen, int kept, float *probabilities, int count, const double *uniform);

/// The values of the kept tokens alone, in their order (no masking).
/// @param[out] out     [kept, V]
/// @param      values  [V, stride]
SAC_API void sac_rank_take(float *out, const int *chosen, int kept, const float *values, int value_size, int stride);

/// All values, zero where a token was not kept (masking).
/// @param[out] out  [V, out_stride]; not the values themselves
SAC_API void sac_rank_mask(float *out, int out_stride, const int *chosen, int kept, const float *values, int value_size,
                           int token_count, int stride);

// ---------------------------------------------------------------------------------------------------------------------
// rank: drawing in time log N, from keys that change less often than queries

/// A binary tree over the features of N keys: a node holds the sum of its leaves, so that a walk from the root reaches
/// leaf j with probability z.phi(k_j) / sum_i z.phi(k_i). The products must not be negative: relu and positive
/// features.
typedef struct sac_tree
{
    float *nodes; ///< [2 leaves, F], the caller's: a heap, root 1, children 2i and 2i + 1, key j at leaves + j
    int feature_size, token_count;
    int leaves; ///< the power of two >= N; those past N are zero
} sac_tree;

/// Floats that the nodes take.
SAC_API size_t sac_tree_size(const sac_attention *attention, int token_count);

/// Build the tree over keys, in time N F.
/// @param nodes      [sac_tree_size]; the tree points to them
/// @param workspace  sac_rank_workspace_size
SAC_API sac_tree sac_tree_create(const sac_attention *attention, float *nodes, const float *keys, int token_count,
                                 int stride, void *workspace);

/// Levels of the tree: numbers that one draw consumes.
SAC_API int sac_tree_depth(const sac_tree *tree);

/// Draw a token: at each node the left child with probability f(left).z / (f(left).z + f(right).z). With z = sum_i
/// phi(q_i) this draws in proportion to the scores; with z' of sac_rank_mean_query in proportion to z'.phi(k_j), which
/// is what one mean query attends to and may be far from the scores.
/// @param z        [F]
/// @param uniform  [sac_tree_depth] in 0 <= u < 1
/// @return 0..N-1, always, also where numbers are NaN
SAC_API int sac_tree_draw(const sac_tree *tree, const float *z, const double *uniform);

/// Draw `kept` <= N different tokens. The tree is changed meanwhile, and holds the same bits afterwards. Where none
/// with a positive probability is left, the lowest index comes next.
/// @param[out] chosen   [kept]
/// @param      uniform  [kept, sac_tree_depth]
/// @param      scratch  [kept, F]
SAC_API void sac_tree_draw_several(sac_tree *tree, int *chosen, int kept, const float *z, const double *uniform,
                                   float *scratch);

/// The probability of every token, as draws have it: the product of the choices on its way. In time N F.
/// @param[out] probabilities  [N]
SAC_API void sac_tree_probabilities(const sac_tree *tree, float *probabilities, const float *z);

/// Replace the features of one key, in time F log N.
/// @param features  [F]; NULL: zero, so that it is not drawn any more
SAC_API void sac_tree_set(sac_tree *tree, int token, const float *features);

// ---------------------------------------------------------------------------------------------------------------------
// rank: scores from bits

/// Sign hashing: bit b of x is whether (G x)_b >= 0. Vectors at an angle theta differ in theta / pi of the bits, so
/// that bits tell scores up to their common length. Trigonometric features of normalised keys have one length.
typedef struct sac_hash sac_hash;

/// @param[out] out     NULL on failure
/// @param bit_count    1..65536
/// @param size         of a vector, F in 1..65536
/// @param seed         draws G [bit_count, size], standard normal
/// @param projection   G given instead, copied; NULL: drawn
/// @return SAC_ERROR_ARGUMENT or SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_hash_create(sac_hash **out, int bit_count, int size, uint64_t seed,
                                               const float *projection);
SAC_API void sac_hash_destroy(sac_hash *hash); ///< NULL is ignored

/// 32-bit words that the bits of one vector take.
SAC_API int sac_hash_words(const sac_hash *hash);

/// The bits of vectors: bit b of vector n is bits[b / 32 * bits_stride + n] >> b % 32 & 1; those past the last are 0.
/// @param[out] bits  [words, bits_stride]
/// @param      x     [F, stride]
SAC_API void sac_hash_bits(const sac_hash *hash, uint32_t *bits, int bits_stride, const float *x, int count,
                           int stride);

/// In how many bits vectors differ from one.
/// @param[out] distances  [count]
/// @param      bits       [words, bits_stride]
/// @param      query      [words]: a vector's bits with stride 1
SAC_API void sac_hash_distances(const sac_hash *hash, int32_t *distances, const uint32_t *bits, int bits_stride,
                                const uint32_t *query, int count);

/// The angle theta = pi distance / bit_count, and the score length * cos(theta).
/// @param[out] angles  [count] radians; NULL: not wanted
/// @param[out] scores  [count]; NULL: not wanted
/// @param      length  |z| |phi(k)| / N, see sac_hash_length
SAC_API void sac_hash_scores(const sac_hash *hash, float *angles, float *scores, const int32_t *distances, float length,
                             int count);

/// |z| exp(|k|^2 / 2) / query_count for normalised keys of the form trig: |k|^2 is the attention's scale.
SAC_API float sac_hash_length(const sac_attention *attention, const float *z, int query_count);

// ---------------------------------------------------------------------------------------------------------------------
// rank: cross attention with keys that are refreshed every n frames

/// Keys kept as features, so that a frame in between costs its queries alone; with a tree or with bits where wanted.
typedef struct sac_key_database sac_key_database;

/// What to create. Start from sac_key_database_default_def().
typedef struct sac_key_database_def
{
    const sac_attention *attention; ///< a linear form; must outlive the database
    int capacity;                   ///< most keys, no default
    int period;                     ///< frames from one refresh to the next, default 1
    bool tree;                      ///< whether tokens can be drawn
    int hash_bits;                  ///< bits a key for scores by hashing; 0, the default: none
    uint64_t hash_seed;             ///< draws the hash, default 1
    const float *hash_projection;   ///< G [hash_bits, F] given instead; copied; default NULL
    uint32_t internal;              ///< marks a def that came from the default; do not set
} sac_key_database_def;

SAC_API sac_key_database_def sac_key_database_default_def(void);

/// @param[out] out  released by sac_key_database_destroy; NULL on failure
/// @return SAC_ERROR_ARGUMENT or SAC_ERROR_MEMORY. Nothing else allocates
SAC_API SAC_CHECKED sac_status sac_key_database_create(sac_key_database **out, const sac_key_database_def *def);
SAC_API void sac_key_database_destroy(sac_key_database *database); ///< NULL is ignored

/// Start an episode: no keys, and the next frame is due.
SAC_API void sac_key_database_reset(sac_key_database *database);

/// Begin a frame. True in the first and in every period-th frame from there: sac_key_database_refresh is to be called.
SAC_API bool sac_key_database_frame(sac_key_database *database);

/// Take new keys [D, stride], token_count <= capacity.
SAC_API void sac_key_database_refresh(sac_key_database *database, const float *keys, int token_count, int stride);

/// The number of keys that it holds.
SAC_API int sac_key_database_count(const sac_key_database *database);

/// r = z K'^T / query_count from the kept features; as sac_rank_scores, in time rows N F.
SAC_API void sac_key_database_scores(const sac_key_database *database, float *scores, int score_stride, const float *z,
                                     int rows, int query_count);

/// The same from bits, in time N hash_bits / 32: for trigonometric features of normalised keys.
SAC_API void sac_key_database_hash_scores(sac_key_database *database, float *scores, const float *z, int query_count);

/// The tree, to draw from; NULL where the def has none, and before the first refresh.
SAC_API sac_tree *sac_key_database_tree(sac_key_database *database);

// ---------------------------------------------------------------------------------------------------------------------
// trans

/// The order in which P Q' K'^T V is multiplied. All give the same numbers up to rounding.
typedef enum sac_trans_order
{
    SAC_TRANS_CHEAPEST, ///< whichever takes the fewest multiplications for the shapes
    SAC_TRANS_LEFT,     ///< ((P Q') K'^T) V: l N (2F + V)
    SAC_TRANS_RIGHT,    ///< P (Q' (K'^T V)): N V (2F + l)
    SAC_TRANS_MIDDLE,   ///< (P Q') (K'^T V): N F (l + V) + l F V
} sac_trans_order;

/// The order's name: "cheapest", "left", "right", "middle"; NULL past the end.
SAC_API const char *sac_trans_order_name(int order);

/// Multiplications that an order takes, features not counted.
SAC_API double sac_trans_cost(sac_trans_order order, int rows, int feature_size, int token_count, int value_size);

/// The cheapest of left, right and middle; the first of equals.
SAC_API sac_trans_order sac_trans_cheapest(int rows, int feature_size, int token_count, int value_size);

/// A block: out = LN(P V + P A V). Filled in by the caller, who owns the arrays; zero is a good value for all but the
/// first five.
typedef struct sac_trans
{
    const sac_attention *attention; ///< a linear form
    int rows;                       ///< l >= 1
    int value_size;                 ///< V >= 1
    const float *projection;        ///< P [l, projection_stride]
    int projection_stride;          ///< >= N
    bool residual;                  ///< add P V
    const float *gain, *bias;       ///< [V] of the layer norm; gain NULL: none
    float epsilon;                  ///< of the layer norm, added to the variance; 0: 1e-5
    sac_trans_order order;
} sac_trans;

/// Bytes of workspace for sac_trans_run.
SAC_API size_t sac_trans_workspace_size(const sac_trans *trans);

/// @param[out] out        [l, V]
/// @param      queries    [D, stride]
/// @param      keys       [D, stride]
/// @param      values     [V, stride]
/// @param      workspace  64-byte aligned
SAC_API void sac_trans_run(const sac_trans *trans, float *out, const float *queries, const float *keys,
                           const float *values, int token_count, int stride, void *workspace);

/// Each row to mean 0 and variance 1, then times gain plus bias.
/// @param[out] out      [rows, size]; may be x
/// @param      gain     [size]
/// @param      bias     [size]
/// @param      epsilon  added to the variance (biased)
SAC_API void sac_layer_norm(float *out, const float *x, int rows, int size, const float *gain, const float *bias,
                            float epsilon);

// ---------------------------------------------------------------------------------------------------------------------
// several heads

/// H attentions side by side: head h reads rows h D.. of queries [H D, stride] and keys [H D, stride]. Heads may be one
/// attention several times; all have the same D.
typedef struct sac_multi_head
{
    const sac_attention *const *heads; ///< [count], the caller's
    int count;
} sac_multi_head;

/// Bytes of workspace for both functions below.
SAC_API size_t sac_multi_head_workspace_size(const sac_multi_head *multi, int token_count, int value_size);

/// The mean of the heads' importance. @param[out] importance [token_count]
SAC_API void sac_multi_head_importance(const sac_multi_head *multi, float *importance, const float *queries,
                                       const float *keys, int token_count, int stride, void *workspace);

/// The heads' outputs one below the other, as sac_attention_output gives them: head h reads rows h V.. of values and
/// writes rows h V.. of out. The product with an output matrix is the caller's, see sac_linear.
/// @param[out] out     [H V, out_stride]
/// @param      values  [H V, stride]
SAC_API void sac_multi_head_output(const sac_multi_head *multi, float *out, int out_stride, const float *queries,
                                   const float *keys, const float *values, int value_size, int token_count, int stride,
                                   void *workspace);

/// A linear layer on planar tokens: out = weights x + bias, such as tokens to queries.
/// @param[out] out      [outputs, out_stride]; must not overlap x
/// @param      weights  [outputs, inputs]
/// @param      bias     [outputs]; NULL: none
/// @param      x        [inputs, stride]
SAC_API void sac_linear(float *out, int out_stride, const float *weights, const float *bias, int outputs,
                        const float *x, int inputs, int token_count, int stride);
