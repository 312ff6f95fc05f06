#include <math.h>
#include <string.h>

#include "attention/form.h"
#include "attention/heads/heads.h"
#include "base/error.h"

/// Logits, rows of attention, mixtures of pixels and whole layers of heads. The work goes on a few image rows at a
/// time, so that intermediate results stay in the cache.

enum
{
    BLOCK_ROWS = 4
};

typedef struct scratch
{
    float *rows;            // [channels, BLOCK_ROWS, width]: image rows after the pass along the columns; or one row
    sac_head_window window; // of one query
    float *sums;            // [channels + 1]
    float *mixed;           // of a layer: [heads * channels + 1, BLOCK_ROWS, width], the last is ones
    float *weights;         // of a layer: [outputs, heads * channels + 1], the last is the bias
} scratch;

static scratch take_scratch(const sac_heads *heads, int most, sac_workspace *workspace)
{
    size_t block = (size_t)BLOCK_ROWS * (size_t)heads->width, channels = (size_t)most;
    size_t all = (size_t)heads->count * channels + 1;
    scratch s;
    s.rows = sac_take(workspace, channels * block, sizeof(float));
    s.window.first = sac_take(workspace, (size_t)heads->height, sizeof(int));
    s.window.count = sac_take(workspace, (size_t)heads->height, sizeof(int));
    s.window.weights = sac_take(workspace, (size_t)heads->height * (size_t)heads->width, sizeof(float));
    s.sums = sac_take(workspace, channels + 1, sizeof(float));
    s.mixed = sac_take(workspace, all * block, sizeof(float));
    s.weights = sac_take(workspace, channels * all, sizeof(float));
    return s;
}

size_t sac_heads_workspace_size(const sac_heads *heads, int channels)
{
    sac_workspace workspace = {0};
    take_scratch(heads, channels > 0 ? channels : 1, &workspace);
    return workspace.used;
}

void sac_heads_logits(const sac_heads *heads, int head, float *logits, int query)
{
    SAC_ASSERT(head >= 0 && head < heads->count && query >= 0 && query < heads->height * heads->width);
    const sac_head *h = &heads->plans[head].head;
    const double *s = h->precision;
    for (int j = 0; j < heads->height * heads->width; j++)
    {
        int rows = query / heads->width - j / heads->width, columns = query % heads->width - j % heads->width;
        double x1 = rows - h->target[0], x2 = columns - h->target[1];
        double cross = s[1] == 0 ? 0 : 2 * s[1] * x1 * x2;
        // Infinity times 0 would be NaN, but a distance of zero costs nothing even at infinite precision.
        double square = (x1 == 0 ? 0 : s[0] * x1 * x1) + (x2 == 0 ? 0 : s[2] * x2 * x2);
        logits[j] = (float)(-0.5 * (square + cross));
    }
}

static void separable_row(const sac_heads *heads, const sac_head_plan *plan, float *weights, int query)
{
    int y = query / heads->width, x = query % heads->width;
    const float *rows = plan->rows.weights + plan->rows.start[y];
    const float *columns = plan->columns.weights + plan->columns.start[x];
    for (int r = 0; r < plan->rows.count[y]; r++)
        for (int c = 0; c < plan->columns.count[x]; c++)
            weights[(plan->rows.first[y] + r) * heads->width + plan->columns.first[x] + c] = rows[r] * columns[c];
}

void sac_heads_row(const sac_heads *heads, int head, float *weights, int query, void *workspace)
{
    SAC_ASSERT(head >= 0 && head < heads->count && query >= 0 && query < heads->height * heads->width);
    SAC_ASSERT((uintptr_t)workspace % 64 == 0);
    const sac_head_plan *plan = &heads->plans[head];
    memset(weights, 0, (size_t)heads->height * (size_t)heads->width * sizeof *weights);
    if (sac_head_is_separable(&plan->head))
    {
        separable_row(heads, plan, weights, query);
        return;
    }
    sac_workspace at = {.memory = workspace};
    sac_head_window window = take_scratch(heads, 1, &at).window;
    int total = sac_heads_window(heads, &plan->head, query, &window);
    float sum = 0;
    heads->kernels.contract(&sum, 1, NULL, 0, 1, window.weights, 1, total, total);
    for (int r = 0; r < heads->height; window.weights += window.count[r++])
        for (int i = 0; i < window.count[r]; i++)
            weights[r * heads->width + window.first[r] + i] = window.weights[i] / sum;
}

// Where image rows y.. of a mixture are written, and what they are mixed from.
typedef struct block
{
    int y, rows;
    float *out; // [channels, out_stride], the rows in its first columns
    int out_stride;
    const float *values; // [channels, stride]
    int channels, stride;
} block;

// Blur across the image's rows, and then along them.
static void mix_separable(const sac_heads *heads, const sac_head_plan *plan, const block *b, const scratch *s)
{
    int width = heads->width;
    const sac_band *rows = &plan->rows;
    for (int c = 0; c < b->channels; c++)
    {
        const float *plane = b->values + (size_t)c * (size_t)b->stride;
        for (int i = 0; i < b->rows; i++)
            heads->kernels.mix(s->rows + (size_t)i * (size_t)width, width, rows->weights + rows->start[b->y + i],
                               rows->count[b->y + i], 1, plane + (size_t)rows->first[b->y + i] * (size_t)width,
                               rows->count[b->y + i], width, width);
        for (int x = 0, k = 0; x < width; x += SAC_LANES, k++)
            heads->kernels.mix(b->out + (size_t)c * (size_t)b->out_stride + x, width, s->rows + plan->block_first[k],
                               width, b->rows, plan->blocks + plan->block_start[k], plan->block_span[k],
                               width - x < SAC_LANES ? width - x : SAC_LANES, SAC_LANES);
    }
}

// Compute one query with a window of its own.
static void mix_query(const sac_heads *heads, const sac_head_plan *plan, float *out, int query, const block *b,
                      const scratch *s)
{
    sac_head_window window = s->window;
    int total = sac_heads_window(heads, &plan->head, query, &window), channels = b->channels;
    memset(s->sums, 0, ((size_t)channels + 1) * sizeof *s->sums);
    heads->kernels.contract(s->sums + channels, 1, NULL, 0, 1, window.weights, 1, total, total);
    for (int r = 0; r < heads->height; window.weights += window.count[r++])
        if (window.count[r] > 0)
            heads->kernels.contract(s->sums, channels, window.weights, 0, 1,
                                    b->values + (size_t)r * (size_t)heads->width + window.first[r], channels,
                                    window.count[r], b->stride);
    for (int c = 0; c < channels; c++) out[(size_t)c * (size_t)b->out_stride] = s->sums[c] / s->sums[channels];
}

// Compute the queries of row y that share a window, for one channel. This is a convolution whose taps are overlapping
// rows.
static void convolve_row(const sac_heads *heads, const sac_inside *in, float *out, const float *plane, int y,
                         float *products)
{
    int n = in->right - in->left + 1;
    const float *weights = in->weights;
    for (int x = 0; x < n; x++) out[x] = 0;
    for (int r = 0; r < in->rows; weights += in->count[r++])
    {
        if (in->count[r] == 0) continue;
        const float *row = plane + (size_t)(y + in->row + r) * (size_t)heads->width + in->left + in->first[r];
        heads->kernels.mix(products, n, weights, in->count[r], 1, row, in->count[r], n, 1);
        for (int x = 0; x < n; x++) out[x] += products[x];
    }
}

static void mix_windows(const sac_heads *heads, const sac_head_plan *plan, const block *b, const scratch *s)
{
    const sac_inside *in = &plan->inside;
    int width = heads->width;
    for (int i = 0; i < b->rows; i++)
    {
        int y = b->y + i;
        float *out = b->out + (size_t)i * (size_t)width;
        bool shared = y >= in->top && y <= in->bottom && in->left <= in->right;
        for (int c = 0; shared && c < b->channels; c++)
            convolve_row(heads, in, out + (size_t)c * (size_t)b->out_stride + in->left,
                         b->values + (size_t)c * (size_t)b->stride, y, s->rows);
        for (int x = 0; x < width; x++)
        {
            if (shared && x == in->left) x = in->right + 1;
            if (x < width) mix_query(heads, plan, out + x, y * width + x, b, s);
        }
    }
}

static void mix(const sac_heads *heads, const sac_head_plan *plan, const block *b, const scratch *s)
{
    (sac_head_is_separable(&plan->head) ? mix_separable : mix_windows)(heads, plan, b, s);
}

void sac_heads_mix(const sac_heads *heads, int head, float *out, int out_stride, const float *values, int channels,
                   int stride, void *workspace)
{
    int pixels = heads->height * heads->width;
    SAC_ASSERT(head >= 0 && head < heads->count && channels >= 0 && out_stride >= pixels && stride >= pixels);
    SAC_ASSERT((uintptr_t)workspace % 64 == 0);
    (void)pixels;
    sac_workspace at = {.memory = workspace};
    scratch s = take_scratch(heads, channels > 0 ? channels : 1, &at);
    for (int y = 0; y < heads->height; y += BLOCK_ROWS)
    {
        int rows = heads->height - y < BLOCK_ROWS ? heads->height - y : BLOCK_ROWS;
        float *to = out + (size_t)y * (size_t)heads->width;
        mix(heads, &heads->plans[head], &(block){y, rows, to, out_stride, values, channels, stride}, &s);
    }
}

// Transpose weights [heads * channels, outputs] and the bias to [outputs, heads * channels + 1].
static void arrange(float *out, const float *weights, const float *bias, int inputs, int outputs)
{
    for (int o = 0; o < outputs; o++)
    {
        for (int i = 0; i < inputs; i++) *out++ = weights[(size_t)i * (size_t)outputs + (size_t)o];
        *out++ = bias ? bias[o] : 0;
    }
}

void sac_heads_layer(const sac_heads *heads, float *out, int outputs, int out_stride, const float *x, int channels,
                     int stride, const float *weights, const float *bias, void *workspace)
{
    int pixels = heads->height * heads->width, inputs = heads->count * channels;
    SAC_ASSERT(channels >= 1 && outputs >= 1 && stride >= pixels && out_stride >= pixels);
    SAC_ASSERT((uintptr_t)workspace % 64 == 0);
    (void)pixels;
    sac_workspace at = {.memory = workspace};
    scratch s = take_scratch(heads, channels > outputs ? channels : outputs, &at);
    arrange(s.weights, weights, bias, inputs, outputs);
    const int size = BLOCK_ROWS * heads->width;
    for (int i = 0; i < size; i++) s.mixed[(size_t)inputs * (size_t)size + (size_t)i] = 1;
    for (int y = 0; y < heads->height; y += BLOCK_ROWS)
    {
        int rows = heads->height - y < BLOCK_ROWS ? heads->height - y : BLOCK_ROWS;
        for (int h = 0; h < heads->count; h++)
        {
            float *to = s.mixed + (size_t)h * (size_t)channels * (size_t)size;
            mix(heads, &heads->plans[h], &(block){y, rows, to, size, x, channels, stride}, &s);
        }
        heads->kernels.mix(out + (size_t)y * (size_t)heads->width, out_stride, s.weights, inputs + 1, outputs, s.mixed,
                           inputs + 1, rows * heads->width, size);
    }
}
