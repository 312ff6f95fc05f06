#include "saccade/camera.h"

#include <string.h>

#include "attention/form.h"
#include "base/error.h"
#include "base/memory.h"

enum
{
    COOKIE = 0xca3e4a,
    // bytes of tokens in a block, so that they stay in the first-level cache beside the projection's sums
    BLOCK_BYTES = 1 << 14,
};

struct sac_camera
{
    sac_attention *attention;      // when folded, its map takes u itself
    sac_projection *projection[2]; // one for each side
    sac_grid grid;
    bool folded;
    int outputs;                  // of a projection: D, or M when folded
    int block_rows, token_stride; // rows of patches that are computed at a time, and columns of their tokens
};

sac_camera_def sac_camera_default_def(void)
{
    return (sac_camera_def){.attention = sac_attention_default_def(), .patch = 1, .stride = 1, .internal = COOKIE};
}

// Multiply W and the projection of one side: out [M, size], bias [M].
// In double, because the product takes the place of two roundings that the way by keys and queries would have.
static void multiply(float *out, float *bias, const sac_features *f, const float *weights, const float *given, int size)
{
    for (int m = 0; m < f->count; m++)
    {
        const float *w = f->matrix + m * f->size;
        double sum = 0;
        for (int d = 0; given && d < f->size; d++) sum += (double)w[d] * (double)given[d];
        bias[m] = (float)sum;
        for (int i = 0; i < size; i++)
        {
            sum = 0;
            for (int d = 0; d < f->size; d++) sum += (double)w[d] * (double)weights[d * size + i];
            out[m * size + i] = (float)sum;
        }
    }
}

static sac_status project(sac_camera *c, const sac_camera_def *def, sac_attention_side side)
{
    sac_features *f = &c->attention->features[side];
    int size = def->patch * def->patch * def->channels;
    sac_projection_def projection = sac_projection_default_def();
    projection.height = def->height, projection.width = def->width, projection.channels = def->channels;
    projection.order = def->order;
    projection.patch = def->patch, projection.stride = def->stride;
    projection.outputs = c->outputs;
    projection.weights = side == SAC_QUERIES ? def->query_weights : def->key_weights;
    projection.bias = side == SAC_QUERIES ? def->query_bias : def->key_bias;
    if (!c->folded) return sac_projection_create(&c->projection[side], &projection);

    float *weights = SAC_NEW_MATRIX(float, (size_t)c->outputs, (size_t)size);
    float *bias = SAC_NEW_ARRAY(float, (size_t)c->outputs);
    sac_status status = weights && bias ? SAC_OK : sac_fail_memory("a camera");
    if (status == SAC_OK)
    {
        multiply(weights, bias, f, projection.weights, projection.bias, size);
        projection.weights = weights, projection.bias = bias;
        status = sac_projection_create(&c->projection[side], &projection);
        sac_free((void *)f->matrix);
        *f = (sac_features){.count = f->count, .size = f->count, .factor = 1};
    }
    sac_free(weights);
    sac_free(bias);
    return status;
}

static sac_status check(const sac_camera_def *def)
{
    if (def->internal != COOKIE)
        return sac_fail(SAC_ERROR_ARGUMENT, "camera: the def does not come from sac_camera_default_def()");
    if (!def->query_weights || !def->key_weights)
        return sac_fail(SAC_ERROR_ARGUMENT, "camera: %s are missing",
                        def->query_weights ? "key_weights" : "query_weights");
    if (def->patch < 1 || def->patch > 256 || def->channels < 1 || def->channels > 64)
        return sac_fail(SAC_ERROR_ARGUMENT, "camera: patch is %d and channels is %d, expected 1 to 256 and 1 to 64",
                        def->patch, def->channels);
    return SAC_OK;
}

// Folding saves work where M P multiplications replace D P + M D. Then the map must work without a matrix.
static bool folds(const sac_attention *a, int patch_size)
{
    const sac_features *f = &a->features[SAC_QUERIES];
    int64_t m = f->count, d = f->size, p = patch_size;
    return f->matrix && a->form->map->has_raw_kernels && !a->normalise && m * p <= d * p + m * d;
}

static sac_status make(sac_camera *c, const sac_camera_def *def)
{
    SAC_TRY(sac_attention_create(&c->attention, &def->attention));
    if (!c->attention->form->map)
        return sac_fail(SAC_ERROR_ARGUMENT, "camera: %s is not a linear form", c->attention->form->name);
    if (c->attention->divide_all)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "camera: divide_all is set, but a camera does not divide rows by their sums");
    c->folded = folds(c->attention, def->patch * def->patch * def->channels);
    c->outputs = c->folded ? c->attention->features[SAC_QUERIES].count : c->attention->key_size;
    SAC_TRY(project(c, def, SAC_QUERIES));
    SAC_TRY(project(c, def, SAC_KEYS));
    c->grid = sac_projection_grid(c->projection[SAC_QUERIES]);

    int rows = BLOCK_BYTES / (c->outputs * c->grid.columns * (int)sizeof(float));
    if (rows < 1) rows = 1;
    c->block_rows = rows < c->grid.rows ? rows : c->grid.rows;
    c->token_stride = sac_round_up(c->block_rows * c->grid.columns);
    return SAC_OK;
}

sac_status sac_camera_create(sac_camera **out, const sac_camera_def *def)
{
    *out = NULL;
    SAC_TRY(check(def));
    sac_camera *c = SAC_NEW(sac_camera);
    if (!c) return sac_fail_memory("a camera");
    sac_status status = make(c, def);
    if (status != SAC_OK)
    {
        sac_camera_destroy(c);
        return status;
    }
    *out = c;
    return SAC_OK;
}

void sac_camera_destroy(sac_camera *camera)
{
    if (!camera) return;
    sac_attention_destroy(camera->attention);
    sac_projection_destroy(camera->projection[SAC_QUERIES]);
    sac_projection_destroy(camera->projection[SAC_KEYS]);
    sac_free(camera);
}

sac_grid sac_camera_grid(const sac_camera *camera)
{
    return camera->grid;
}

bool sac_camera_is_folded(const sac_camera *camera)
{
    return camera->folded;
}

typedef struct parts
{
    float *tokens; // [outputs, token_stride]
    void *projection;
    sac_linear_parts linear;
} parts;

static void split(parts *p, const sac_camera *c, sac_workspace *workspace)
{
    p->tokens = sac_take(workspace, (size_t)c->outputs * (size_t)c->token_stride, sizeof(float));
    p->projection = sac_take(workspace, sac_projection_workspace_size(c->projection[SAC_QUERIES]), 1);
    sac_linear_split(&p->linear, c->attention, 0, workspace);
}

size_t sac_camera_workspace_size(const sac_camera *camera)
{
    sac_workspace workspace = {0};
    parts p;
    split(&p, camera, &workspace);
    return workspace.used;
}

void sac_camera_importance(const sac_camera *camera, float *importance, const sac_image *image, void *workspace)
{
    SAC_ASSERT((uintptr_t)workspace % 64 == 0);
    const sac_camera *c = camera;
    parts p;
    split(&p, c, &(sac_workspace){.memory = workspace});
    sac_linear_start(c->attention, &p.linear);
    for (int side = SAC_QUERIES; side <= SAC_KEYS; side++)
    {
        for (int row = 0; row < c->grid.rows; row += c->block_rows)
        {
            int rows = c->grid.rows - row < c->block_rows ? c->grid.rows - row : c->block_rows;
            int count = rows * c->grid.columns;
            sac_projection_run_rows(c->projection[side], p.tokens, c->token_stride, image, row, rows, p.projection);
            if (side == SAC_QUERIES)
                sac_linear_add(c->attention, &p.linear, SAC_QUERIES, p.tokens, count, c->token_stride);
            else
                sac_linear_score(c->attention, &p.linear, SAC_KEYS, importance + row * c->grid.columns, p.tokens, count,
                                 c->token_stride);
        }
        if (side == SAC_QUERIES) sac_linear_finish(c->attention, &p.linear, 1.0 / c->grid.count);
    }
}

void sac_camera_top(const sac_camera *camera, int *top, int k, const float *importance)
{
    sac_attention_top(camera->attention, top, k, importance, camera->grid.count);
}
