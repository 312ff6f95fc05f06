#include "curves/attention.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "saccade/rank.h"

const bench_form bench_forms[] = {
    {"softmax", "softmax", BENCH_IMPORTANCE, 16, false, 0},
    {"softmax-output", "softmax", BENCH_OUTPUT, 16, false, 0},
    {"relu", "relu", BENCH_IMPORTANCE, 0, false, 0},
    {"relu-output", "relu", BENCH_OUTPUT, 0, false, 0},
    {"positive", "positive", BENCH_IMPORTANCE, 16, false, 0},
    {"positive-output", "positive", BENCH_OUTPUT, 16, false, 0},
    {"trig", "trig", BENCH_IMPORTANCE, 16, false, 0},
    {"hybrid", "hybrid", BENCH_IMPORTANCE, 10, false, 0},
    {"hybrid-output", "hybrid", BENCH_OUTPUT, 10, false, 0},
    {"sara-relu", "sara-relu", BENCH_IMPORTANCE, 16, false, 0},
    // this scale keeps exp(G x) within the range of floats
    {"sara-exp", "sara-exp", BENCH_IMPORTANCE, 16, false, 1.0 / 16},
    {"sara-square", "sara-square", BENCH_IMPORTANCE, 16, false, 0},
    {"rank", "relu", BENCH_RANK, 0, false, 0},
    {"trans", "relu", BENCH_TRANS, 0, false, 0},
    {"hash", "trig", BENCH_HASH, 16, true, 0},
    {"hash-kept", "trig", BENCH_HASH_KEPT, 16, true, 0},
    {0},
};

enum
{
    QUERIES,
    KEYS,
    VALUES,
    WEIGHTS,
    DIRECTIONS,
    ROWS,
    HASH,
    STEP = 65536, // the numbers of a row of P, or of another matrix, begin this far after those of the last
    MOST_FEATURES = 16,
    DIRECTION_COUNT = 5,
};

const bench_form *bench_form_named(const char *name)
{
    const bench_form *form = bench_forms;
    while (form->name && strcmp(form->name, name) != 0) form++;
    return form->name ? form : NULL;
}

float bench_number(int kind, size_t index)
{
    // Hash the index by splitmix64.
    uint64_t z = ((uint64_t)index + 1 + ((uint64_t)kind << 40)) * 0x9E3779B97F4A7C15;
    z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9;
    z = (z ^ z >> 27) * 0x94D049BB133111EB;
    z ^= z >> 31;
    return ((float)(z >> 40) * 0x1p-24f * 2 - 1) * 1.7320508f;
}

static void fill_rows(float *out, int stride, int kind, int rows, int columns)
{
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++) out[(size_t)r * stride + c] = bench_number(kind, (size_t)r * STEP + c);
}

// Write tokens, which are drawn one after the other, as planes.
static void fill_planes(float *out, int stride, int kind, int size, int tokens)
{
    for (int n = 0; n < tokens; n++)
        for (int d = 0; d < size; d++) out[(size_t)d * stride + n] = bench_number(kind, (size_t)n * size + d);
}

static sac_status create_attention(bench_scene *s)
{
    float weights[MOST_FEATURES * BENCH_KEY_SIZE], directions[DIRECTION_COUNT * BENCH_KEY_SIZE];
    fill_rows(weights, BENCH_KEY_SIZE, WEIGHTS, MOST_FEATURES, BENCH_KEY_SIZE);
    fill_rows(directions, BENCH_KEY_SIZE, DIRECTIONS, DIRECTION_COUNT, BENCH_KEY_SIZE);
    sac_attention_def def = sac_attention_default_def();
    def.form = s->form->form;
    def.key_size = BENCH_KEY_SIZE;
    def.feature_count = s->form->features;
    def.direction_count = DIRECTION_COUNT;
    def.normalise = s->form->normalise;
    def.scale = s->form->scale;
    if (def.feature_count > 0 && strcmp(def.form, "softmax") != 0) def.projection = weights;
    if (strcmp(def.form, "hybrid") == 0) def.directions = directions;
    return sac_attention_create(&s->attention, &def);
}

static bool hashes(const bench_scene *s)
{
    return s->form->reading == BENCH_HASH || s->form->reading == BENCH_HASH_KEPT;
}

static sac_status create_database(bench_scene *s)
{
    int size = sac_attention_feature_size(s->attention);
    float *g = SAC_NEW_MATRIX(float, (size_t)BENCH_BITS, (size_t)size);
    if (!g) return sac_fail_memory("the bits of a bench");
    fill_rows(g, size, HASH, BENCH_BITS, size);
    sac_key_database_def def = sac_key_database_default_def();
    def.attention = s->attention;
    def.capacity = s->tokens;
    def.hash_bits = BENCH_BITS;
    def.hash_projection = g;
    sac_status status = sac_key_database_create(&s->database, &def);
    sac_free(g);
    if (status == SAC_OK) sac_key_database_refresh(s->database, s->keys, s->tokens, s->stride);
    return status;
}

static size_t workspace_size(bench_scene *s)
{
    switch (s->form->reading)
    {
    case BENCH_IMPORTANCE: return sac_attention_workspace_size(s->attention, s->tokens);
    case BENCH_OUTPUT: return sac_attention_output_workspace_size(s->attention, s->tokens, BENCH_VALUE_SIZE);
    case BENCH_TRANS: return sac_trans_workspace_size(&s->trans);
    default: return sac_rank_workspace_size(s->attention);
    }
}

// Count what the database took: features, bits and a distance for each key, and its own workspace.
static size_t database_size(const bench_scene *s)
{
    size_t numbers = (size_t)sac_attention_feature_size(s->attention) + BENCH_BITS / 32 + 1;
    return numbers * (size_t)s->stride * 4 + sac_rank_workspace_size(s->attention);
}

static sac_status create_memory(bench_scene *s)
{
    static const float ones[BENCH_VALUE_SIZE] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    static const float zeros[BENCH_VALUE_SIZE] = {0};
    size_t stride = (size_t)s->stride, f = (size_t)sac_attention_feature_size(s->attention);
    s->queries = SAC_NEW_MATRIX(float, BENCH_KEY_SIZE, stride);
    s->keys = SAC_NEW_MATRIX(float, BENCH_KEY_SIZE, stride);
    s->values = SAC_NEW_MATRIX(float, BENCH_VALUE_SIZE, stride);
    s->rows = SAC_NEW_MATRIX(float, BENCH_KEPT, stride);
    s->result = SAC_NEW_MATRIX(float, BENCH_VALUE_SIZE, stride);
    s->z = SAC_NEW_ARRAY(float, 1 + BENCH_RANKS * f);
    s->trans = (sac_trans){.attention = s->attention,
                           .rows = BENCH_KEPT,
                           .value_size = BENCH_VALUE_SIZE,
                           .projection = s->rows,
                           .projection_stride = s->stride,
                           .residual = true,
                           .gain = ones,
                           .bias = zeros};
    size_t size = workspace_size(s);
    s->workspace = sac_alloc(size);
    s->memory = size + (hashes(s) ? database_size(s) : 0);
    bool has_all = s->queries && s->keys && s->values && s->rows && s->result && s->z && s->workspace;
    return has_all ? SAC_OK : sac_fail_memory("the tokens of a bench");
}

sac_status bench_scene_create(bench_scene *scene, const bench_form *form, int tokens)
{
    // The stride is an odd number of cache lines, because planes a power of two apart would share few sets of the
    // cache.
    *scene = (bench_scene){.form = form, .tokens = tokens, .stride = ((tokens + 15) / 16 | 1) * 16};
    sac_status status = create_attention(scene);
    if (status == SAC_OK) status = create_memory(scene);
    if (status == SAC_OK)
    {
        fill_planes(scene->queries, scene->stride, QUERIES, BENCH_KEY_SIZE, tokens);
        fill_planes(scene->keys, scene->stride, KEYS, BENCH_KEY_SIZE, tokens);
        fill_planes(scene->values, scene->stride, VALUES, BENCH_VALUE_SIZE, tokens);
        fill_rows(scene->rows, scene->stride, ROWS, BENCH_KEPT, tokens);
        if (hashes(scene)) status = create_database(scene);
    }
    if (status != SAC_OK) bench_scene_destroy(scene);
    return status;
}

void bench_scene_destroy(bench_scene *scene)
{
    sac_key_database_destroy(scene->database);
    sac_attention_destroy(scene->attention);
    sac_free(scene->queries);
    sac_free(scene->keys);
    sac_free(scene->values);
    sac_free(scene->rows);
    sac_free(scene->result);
    sac_free(scene->z);
    sac_free(scene->workspace);
    *scene = (bench_scene){0};
}

void bench_scene_run(void *scene)
{
    bench_scene *s = scene;
    const sac_attention *a = s->attention;
    int n = s->tokens, stride = s->stride;
    switch (s->form->reading)
    {
    case BENCH_IMPORTANCE: sac_attention_importance(a, s->result, s->queries, s->keys, n, stride, s->workspace); break;
    case BENCH_OUTPUT:
        sac_attention_output(a, s->result, stride, s->queries, n, stride, s->keys, s->values, n, stride,
                             BENCH_VALUE_SIZE, s->workspace);
        break;
    case BENCH_RANK:
        sac_rank_summary(a, s->z, s->rows, BENCH_RANKS, stride, s->queries, n, stride, s->workspace);
        sac_rank_scores(a, s->result, stride, s->z, BENCH_RANKS, n, s->keys, n, stride, s->workspace);
        break;
    case BENCH_TRANS:
        sac_trans_run(&s->trans, s->result, s->queries, s->keys, s->values, n, stride, s->workspace);
        break;
    case BENCH_HASH:
        sac_key_database_refresh(s->database, s->keys, n, stride);
        // fall through
    case BENCH_HASH_KEPT:
        sac_rank_summary(a, s->z, NULL, 1, 0, s->queries, n, stride, s->workspace);
        sac_key_database_hash_scores(s->database, s->result, s->z, n);
        break;
    }
}

void bench_scene_answer(const bench_scene *scene, double *answer)
{
    // All answers begin with these numbers: an output's first token, a row of scores, a row of trans.
    bool planar = scene->form->reading == BENCH_OUTPUT;
    for (int i = 0; i < BENCH_SHOWN; i++) answer[i] = (double)scene->result[planar ? i * scene->stride : i];
}

double bench_scene_tolerance(const bench_scene *scene, const double *answer)
{
    double most = 0;
    for (int i = 0; i < BENCH_SHOWN; i++) most = fmax(most, fabs(answer[i]));
    // The slope of the cosine is at most 1, so a bit that flips by rounding moves a score by its share of half a turn.
    double length = hashes(scene) ? (double)sac_hash_length(scene->attention, scene->z, scene->tokens) : 0;
    return 1e-3 * most + 2 * 3.1416 / BENCH_BITS * length;
}
