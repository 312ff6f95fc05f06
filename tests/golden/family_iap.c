#include <string.h>

#include "base/error.h"
#include "golden.h"
#include "saccade/readings.h"
#include "saccade/tokens.h"

// IAP-rank, IAP-trans, cross attention, hashing and the tree, over one image's tokens

// sizes as in the file, and planar copies of what it holds
typedef struct scene
{
    golden *g;
    sac_status status;
    int n, c, d, m, v, rows, top, bits, draws, depth; // top: rows of P, or all tokens where there are fewer
    const float *in_x, *in_next, *in_values, *w_query, *w_key, *w, *p1, *p, *gamma, *beta, *hash, *uniform;
    float *positions, *queries, *keys, *next, *values; // [.., n]
    sac_attention *positive, *trig;
    void *workspace;
} scene;

static void *take(scene *s, size_t count, size_t size)
{
    return golden_scratch(s->g, &s->status, count, size);
}

static float *floats(scene *s, int rows, int columns)
{
    return take(s, (size_t)rows * (size_t)columns, sizeof(float));
}

static float *output(scene *s, const char *name, int rows, int columns)
{
    int64_t shape[] = {rows, columns};
    return columns ? golden_output(s->g, &s->status, name, SAC_F32, 2, shape)
                   : golden_output(s->g, &s->status, name, SAC_F32, 1, shape);
}

// [rows, columns] -> [columns, rows]
static void transpose(float *out, const float *in, int rows, int columns)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) out[c * rows + r] = in[r * columns + c];
}

static sac_status read_inputs(scene *s)
{
    const sac_tensor *x, *w, *values, *p, *hash, *uniform;
#define INPUT(name, rank, tensor, ...) \
    golden_input(s->g, &s->status, name, rank, (const int64_t[]){__VA_ARGS__}, tensor)
    s->in_x = INPUT("X", 2, &x, GOLDEN_ANY, GOLDEN_ANY);
    s->w = INPUT("W", 2, &w, GOLDEN_ANY, GOLDEN_ANY);
    SAC_TRY(s->status);
    s->n = (int)x->shape[0], s->c = (int)x->shape[1], s->m = (int)w->shape[0], s->d = (int)w->shape[1];
    s->in_values = INPUT("V", 2, &values, s->n, GOLDEN_ANY);
    s->p = INPUT("P", 2, &p, GOLDEN_ANY, s->n);
    s->hash = INPUT("lsh_G", 2, &hash, GOLDEN_ANY, 2 * s->m);
    s->uniform = INPUT("tree_u", 2, &uniform, GOLDEN_ANY, GOLDEN_ANY_OR_NONE); // one token: a tree without levels
    SAC_TRY(s->status);
    s->v = (int)values->shape[1], s->rows = (int)p->shape[0], s->bits = (int)hash->shape[0];
    s->top = s->rows < s->n ? s->rows : s->n;
    s->draws = (int)uniform->shape[0], s->depth = (int)uniform->shape[1];
    s->in_next = INPUT("X_next", 2, NULL, s->n, s->c);
    s->w_query = INPUT("W_Q", 2, NULL, s->c, s->d);
    s->w_key = INPUT("W_K", 2, NULL, s->c, s->d);
    s->p1 = INPUT("p1", 1, NULL, s->n);
    s->gamma = INPUT("gamma", 1, NULL, s->v);
    s->beta = INPUT("beta", 1, NULL, s->v);
#undef INPUT
    return s->status;
}

// tokens with their positions -> queries or keys, planar and as the file has them
static void project(scene *s, float *planar, const char *name, const float *tokens, const float *weights)
{
    float *x = floats(s, s->c, s->n), *w = floats(s, s->d, s->c);
    float *out = name ? output(s, name, s->n, s->d) : NULL;
    if (s->status != SAC_OK) return;
    transpose(x, tokens, s->n, s->c);
    transpose(w, weights, s->c, s->d);
    sac_tokens_add(x, s->n, s->positions, s->n, s->c, s->n);
    sac_linear(planar, s->n, w, NULL, s->d, x, s->c, s->n, s->n);
    if (out) transpose(out, planar, s->d, s->n);
}

static sac_status make_tokens(scene *s)
{
    float *pe = output(s, "PE", s->n, s->c);
    s->positions = floats(s, s->c, s->n);
    s->queries = floats(s, s->d, s->n);
    s->keys = floats(s, s->d, s->n);
    s->next = floats(s, s->d, s->n);
    s->values = floats(s, s->v, s->n);
    SAC_TRY(s->status);
    sac_positions_flat(s->positions, s->n, s->c, s->n);
    transpose(pe, s->positions, s->c, s->n);
    transpose(s->values, s->in_values, s->n, s->v);
    project(s, s->queries, "Q", s->in_x, s->w_query);
    project(s, s->keys, "K", s->in_x, s->w_key);
    project(s, s->next, NULL, s->in_next, s->w_query);
    return s->status;
}

static sac_status make_attentions(scene *s)
{
    sac_attention_def def = sac_attention_default_def();
    def.form = "positive";
    def.key_size = s->d;
    def.feature_count = s->m;
    def.normalise = true;
    def.projection = s->w;
    SAC_TRY(sac_attention_create(&s->positive, &def));
    def.form = "trig";
    SAC_TRY(sac_attention_create(&s->trig, &def));
    size_t size = sac_rank_workspace_size(s->positive), other = sac_rank_workspace_size(s->trig);
    s->workspace = take(s, size > other ? size : other, 1);
    return s->status;
}

// scores of all queries by `weights`
static void score(scene *s, const sac_attention *a, float *scores, const float *weights)
{
    float *z = floats(s, 1, sac_attention_feature_size(a));
    if (s->status != SAC_OK) return;
    sac_rank_summary(a, z, weights, 1, s->n, s->queries, s->n, s->n, s->workspace);
    sac_rank_scores(a, scores, s->n, z, 1, s->n, s->keys, s->n, s->n, s->workspace);
}

static sac_status rank(scene *s)
{
    float *r = output(s, "r_exp", s->n, 0), *learned = output(s, "r_exp_learned", s->n, 0);
    float *r_trig = output(s, "r_trig", s->n, 0), *probabilities = output(s, "sampling_probs", s->n, 0);
    float *taken = output(s, "rank_nomask", s->top, s->v), *masked = output(s, "rank_mask", s->n, s->v);
    int32_t *idx = golden_output(s->g, &s->status, "idx", SAC_I32, 1, (const int64_t[]){s->top});
    float *planar = floats(s, s->v, s->n);
    int *top = take(s, (size_t)s->top, sizeof(int));
    SAC_TRY(s->status);
    score(s, s->positive, r, NULL);
    score(s, s->positive, learned, s->p1);
    score(s, s->trig, r_trig, NULL);
    SAC_TRY(s->status);
    SAC_TRY(golden_top(s->g, s->positive, top, s->top, r, s->n));
    for (int i = 0; i < s->top; i++) idx[i] = top[i];
    sac_rank_take(taken, top, s->top, s->values, s->v, s->n);
    sac_rank_mask(planar, s->n, top, s->top, s->values, s->v, s->n, s->n);
    transpose(masked, planar, s->v, s->n);
    sac_rank_probabilities(s->positive, probabilities, r, s->n);
    return SAC_OK;
}

static sac_status trans(scene *s)
{
    float *plain = output(s, "trans", s->rows, s->v), *block = output(s, "trans_block", s->rows, s->v);
    sac_trans t = {
        .attention = s->positive, .rows = s->rows, .value_size = s->v, .projection = s->p, .projection_stride = s->n};
    void *workspace = take(s, sac_trans_workspace_size(&t), 1);
    SAC_TRY(s->status);
    sac_trans_run(&t, plain, s->queries, s->keys, s->values, s->n, s->n, workspace);
    t.residual = true;
    t.gain = s->gamma;
    t.bias = s->beta;
    sac_trans_run(&t, block, s->queries, s->keys, s->values, s->n, s->n, workspace);
    return SAC_OK;
}

// the next frame's queries, and the last one's keys
static sac_status cross(scene *s)
{
    float *r = output(s, "r_cross_next", s->n, 0), *z = floats(s, 1, s->m);
    SAC_TRY(s->status);
    sac_key_database_def def = sac_key_database_default_def();
    def.attention = s->positive;
    def.capacity = s->n;
    def.period = 2;
    sac_key_database *database;
    SAC_TRY(sac_key_database_create(&database, &def));
    for (int frame = 0; frame < 2; frame++)
        if (sac_key_database_frame(database)) sac_key_database_refresh(database, s->keys, s->n, s->n);
    sac_rank_summary(s->positive, z, NULL, 1, 0, s->next, s->n, s->n, s->workspace);
    sac_key_database_scores(database, r, s->n, z, 1, s->n);
    sac_key_database_destroy(database);
    return SAC_OK;
}

// words [words, n] -> bytes [n, bytes], the lowest bits first
static void write_bytes(uint8_t *out, const uint32_t *words, int bytes, int n)
{
    for (int i = 0; i < n; i++)
        for (int b = 0; b < bytes; b++) *out++ = (uint8_t)(words[b / 4 * n + i] >> (b % 4 * 8));
}

static sac_status hash_tokens(scene *s, const sac_hash *hash)
{
    int bytes = (s->bits + 7) / 8, f = 2 * s->m, n = s->n;
    float *z = output(s, "lsh_z", f, 0), *theta = output(s, "lsh_theta", n, 0), *r = output(s, "lsh_scores", n, 0);
    uint8_t *key_bytes = golden_output(s->g, &s->status, "lsh_bits_keys", SAC_U8, 2, (const int64_t[]){n, bytes});
    uint8_t *z_bytes = golden_output(s->g, &s->status, "lsh_bits_z", SAC_U8, 1, (const int64_t[]){bytes});
    float *features = floats(s, f, n);
    uint32_t *bits = take(s, (size_t)(sac_hash_words(hash) * n), sizeof *bits);
    uint32_t *query = take(s, (size_t)sac_hash_words(hash), sizeof *query);
    int32_t *distances = take(s, (size_t)n, sizeof *distances);
    SAC_TRY(s->status);
    sac_rank_summary(s->trig, z, NULL, 1, 0, s->queries, n, n, s->workspace);
    sac_attention_features(s->trig, SAC_KEYS, features, n, s->keys, n, n, s->workspace);
    sac_hash_bits(hash, bits, n, features, n, n);
    sac_hash_bits(hash, query, 1, z, 1, 1);
    sac_hash_distances(hash, distances, bits, n, query, n);
    sac_hash_scores(hash, theta, r, distances, sac_hash_length(s->trig, z, n), n);
    write_bytes(key_bytes, bits, bytes, n);
    write_bytes(z_bytes, query, bytes, 1);
    return SAC_OK;
}

static sac_status hashing(scene *s)
{
    sac_hash *hash;
    SAC_TRY(sac_hash_create(&hash, s->bits, 2 * s->m, 0, s->hash));
    sac_status status = hash_tokens(s, hash);
    sac_hash_destroy(hash);
    return status;
}

static sac_status tree(scene *s)
{
    int nodes = (int)(sac_tree_size(s->positive, s->n) / (size_t)s->m);
    float *f = output(s, "tree_f", nodes, s->m), *z_mean = output(s, "tree_zprime", s->m, 0);
    float *by_mean = output(s, "tree_probs_zprime", s->n, 0), *by_sum = output(s, "tree_probs_rank", s->n, 0);
    int32_t *draws = golden_output(s->g, &s->status, "tree_draws", SAC_I32, 1, (const int64_t[]){s->draws});
    float *z_sum = floats(s, 1, s->m);
    double *uniform = take(s, (size_t)s->depth, sizeof *uniform);
    SAC_TRY(s->status);
    sac_tree t = sac_tree_create(s->positive, f, s->keys, s->n, s->n, s->workspace);
    if (sac_tree_depth(&t) > s->depth)
        return sac_fail(SAC_ERROR_FORMAT, "tree_u has %d levels, expected %d or more", s->depth, sac_tree_depth(&t));
    sac_rank_mean_query(s->positive, z_mean, s->queries, s->n, s->n, s->workspace);
    sac_rank_summary(s->positive, z_sum, NULL, 1, 0, s->queries, s->n, s->n, s->workspace);
    sac_tree_probabilities(&t, by_mean, z_mean);
    sac_tree_probabilities(&t, by_sum, z_sum);
    for (int i = 0; i < s->draws; i++)
    {
        for (int k = 0; k < s->depth; k++) uniform[k] = (double)s->uniform[i * s->depth + k];
        draws[i] = sac_tree_draw(&t, z_mean, uniform);
    }
    return SAC_OK;
}

static sac_status run(golden *g)
{
    scene s = {.g = g};
    sac_status (*const steps[])(scene *) = {read_inputs, make_tokens, make_attentions, rank,
                                            trans,       cross,       hashing,         tree};
    sac_status status = SAC_OK;
    for (size_t i = 0; status == SAC_OK && i < sizeof steps / sizeof *steps; i++) status = steps[i](&s);
    sac_attention_destroy(s.positive);
    sac_attention_destroy(s.trig);
    return status;
}

const golden_family golden_iap = {"iap", run};
