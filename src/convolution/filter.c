#include "saccade/filter.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/series.h"

/// A convolution as a layer of Gaussian heads; saccade/filter.h derives what is computed here.

// tokens before a place that the taps of a filter reach; K - 1 in all
static int before(int size)
{
    return (size - 1) / 2;
}

void sac_filter_size(int size, sac_padding padding, int *height, int *width)
{
    if (padding != SAC_PADDING_NONE) return;
    *height -= size - 1;
    *width -= size - 1;
}

static int clamp(int value, int size)
{
    return value < 0 ? 0 : value >= size ? size - 1 : value;
}

// What a tap sees: the pixel of a plane at a place that may lie outside.
static double seen(const float *plane, const sac_planes *p, int row, int column, sac_padding padding)
{
    const int y = clamp(row, p->height), x = clamp(column, p->width);
    if (padding == SAC_PADDING_ZEROS && (y != row || x != column)) return 0;
    return (double)plane[(ptrdiff_t)y * p->width + x];
}

static double convolve_at(const sac_filter *f, int output, const sac_planes *p, int row, int column,
                          sac_padding padding)
{
    double sum = f->bias ? (double)f->bias[output] : 0;
    const ptrdiff_t plane = (ptrdiff_t)p->height * p->width;
    for (int tap = 0; tap < f->size * f->size; tap++)
        for (int c = 0; c < f->channels; c++)
            sum += (double)f->weights[((ptrdiff_t)tap * f->channels + c) * f->outputs + output] *
                   seen(p->x + c * plane, p, row + tap / f->size, column + tap % f->size, padding);
    return sum;
}

void sac_filter_convolve(const sac_filter *filter, double *out, const sac_planes *planes, sac_padding padding)
{
    int height = planes->height, width = planes->width;
    sac_filter_size(filter->size, padding, &height, &width);
    const int first = padding == SAC_PADDING_NONE ? 0 : -before(filter->size);
    for (int o = 0; o < filter->outputs; o++)
        for (int y = 0; y < height; y++)
            for (int x = 0; x < width; x++) *out++ = convolve_at(filter, o, planes, y + first, x + first, padding);
}

void sac_filter_heads(sac_head *heads, int size, double alpha)
{
    for (int row = 0; row < size; row++)
        for (int column = 0; column < size; column++)
            *heads++ = sac_head_isotropic(alpha, before(size) - row, before(size) - column);
}

// theta - 1 = 2 (q + q^4 + q^9 + ...), q = e^-alpha
static double theta_less_one(double alpha)
{
    double sum = 0;
    for (int n = 1;; n++)
    {
        const double term = sac_series_exp(-alpha * n * n);
        sum += 2 * term;
        if (term <= sum * 1e-18) return sum;
    }
}

double sac_heads_leak(double alpha)
{
    SAC_ASSERT(alpha > 0);
    if (isinf(alpha)) return 0;
    if (alpha < 1e-6) return 1;
    const double t = theta_less_one(alpha), square = 1 + t; // 1 - 1 / (1 + t)^2, without cancellation
    return t * (2 + t) / (square * square);
}

// ---- the layer, with padding

// A copy of the planes with a frame of zeros, K - 1 larger on each axis; sac_free.
static sac_status frame(float **out, const sac_filter *f, const sac_planes *p)
{
    const size_t height = (size_t)(p->height + f->size - 1), width = (size_t)(p->width + f->size - 1);
    const size_t first = (size_t)before(f->size), channels = (size_t)f->channels;
    *out = SAC_NEW_MATRIX(float, channels *height, width);
    if (!*out) return sac_fail_memory("a picture in a frame");
    memset(*out, 0, channels * height * width * sizeof **out);
    for (size_t c = 0; c < channels; c++)
        for (size_t y = 0; y < (size_t)p->height; y++)
            memcpy(*out + (c * height + y + first) * width + first,
                   p->x + (c * (size_t)p->height + y) * (size_t)p->width, (size_t)p->width * sizeof **out);
    return SAC_OK;
}

// The places that ask, out of all.
static void crop(const sac_filter *f, float *out, const float *all, const sac_planes *p, int height, int width)
{
    const ptrdiff_t first = height == p->height && width == p->width ? 0 : before(f->size);
    for (ptrdiff_t o = 0; o < f->outputs; o++)
        for (ptrdiff_t y = 0; y < height; y++, out += width)
            memcpy(out, all + (o * p->height + y + first) * p->width + first, (size_t)width * sizeof *out);
}

static sac_status attend(const sac_filter *f, float *out, const sac_heads *heads, const sac_planes *p, int height,
                         int width)
{
    const int pixels = p->height * p->width, most = f->channels > f->outputs ? f->channels : f->outputs;
    void *workspace = sac_alloc(sac_heads_workspace_size(heads, most));
    float *all = SAC_NEW_MATRIX(float, (size_t)f->outputs, (size_t)pixels);
    const sac_status status = workspace && all ? SAC_OK : sac_fail_memory("a layer of heads");
    if (status == SAC_OK)
    {
        sac_heads_layer(heads, all, f->outputs, pixels, p->x, f->channels, pixels, f->weights, f->bias, workspace);
        crop(f, out, all, p, height, width);
    }
    sac_free(workspace);
    sac_free(all);
    return status;
}

sac_status sac_filter_attend(const sac_filter *filter, float *out, const sac_head *list, int count,
                             const sac_planes *planes, sac_padding padding)
{
    int height = planes->height, width = planes->width;
    if (filter->size < 1 || filter->size > SAC_FILTER_MAX)
        return sac_fail(SAC_ERROR_ARGUMENT, "a convolution of %d x %d, expected 1 to %d", filter->size, filter->size,
                        SAC_FILTER_MAX);
    sac_filter_size(filter->size, padding, &height, &width);
    if (height < 1 || width < 1)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "a picture of %d x %d pixels has no place for %d x %d taps: pad it, or take a larger one",
                        planes->height, planes->width, filter->size, filter->size);
    sac_planes seen_by = *planes;
    float *framed = NULL;
    sac_heads *heads = NULL;
    sac_status status = SAC_OK;
    if (padding == SAC_PADDING_ZEROS)
    {
        status = frame(&framed, filter, planes);
        seen_by = (sac_planes){framed, planes->height + filter->size - 1, planes->width + filter->size - 1};
    }
    sac_heads_def def = sac_heads_default_def();
    def.height = seen_by.height, def.width = seen_by.width, def.count = count, def.heads = list;
    if (status == SAC_OK) status = sac_heads_create(&heads, &def);
    if (status == SAC_OK) status = attend(filter, out, heads, &seen_by, height, width);
    sac_heads_destroy(heads);
    sac_free(framed);
    return status;
}

// ---- bounds

typedef struct range
{
    double low, high, largest; ///< largest: of |x|
} range;

static range range_of(const float *plane, const sac_planes *p, sac_padding padding)
{
    range r = {INFINITY, -INFINITY, 0};
    if (padding == SAC_PADDING_ZEROS) r.low = r.high = 0;
    for (ptrdiff_t i = 0; i < (ptrdiff_t)p->height * p->width; i++)
    {
        r.low = fmin(r.low, (double)plane[i]);
        r.high = fmax(r.high, (double)plane[i]);
    }
    r.largest = fmax(fabs(r.low), fabs(r.high));
    return r;
}

// n u / (1 - n u): how much n roundings of a float can change a sum of products, relative to the sum of their sizes
static double roundings(double n)
{
    const double share = n * 0x1p-24;
    return share < 1 ? share / (1 - share) : INFINITY;
}

// Tokens along both axes whose weight is not below e^-40 of the largest, which the layer leaves out.
static double window_terms(double alpha, int height, int width)
{
    const double reach = 2 * floor(sqrt(40 / alpha)) + 1;
    return fmin(reach, height) + fmin(reach, width);
}

// The largest over outputs of sum_h leaks[h] sum_c |weights[h][c][o]| range_c, and `terms` roundings.
static double bound_of(const sac_filter *f, const double *leaks, int count, double terms, const sac_planes *p,
                       sac_padding padding)
{
    const ptrdiff_t plane = (ptrdiff_t)p->height * p->width;
    const double rounded = roundings(terms);
    double worst = 0;
    for (int o = 0; o < f->outputs; o++)
    {
        double off = rounded * (f->bias ? fabs((double)f->bias[o]) : 0);
        for (int c = 0; c < f->channels; c++)
        {
            const range r = range_of(p->x + c * plane, p, padding);
            for (ptrdiff_t h = 0; h < count; h++)
                off += fabs((double)f->weights[(h * f->channels + c) * f->outputs + o]) *
                       (leaks[h] * (r.high - r.low) + rounded * r.largest);
        }
        worst = fmax(worst, off);
    }
    return worst;
}

double sac_filter_bound(const sac_filter *filter, double alpha, const sac_planes *planes, sac_padding padding)
{
    const int taps = filter->size * filter->size;
    double leaks[SAC_FILTER_MAX * SAC_FILTER_MAX];
    for (int t = 0; t < taps; t++) leaks[t] = sac_heads_leak(alpha);
    const double terms = (double)taps * filter->channels + 4 +
                         window_terms(alpha, planes->height + filter->size, planes->width + filter->size);
    return bound_of(filter, leaks, taps, terms, planes, padding);
}

double sac_filter_outside_bound(const sac_filter *layer, const double *outside, const sac_head *heads, int count,
                                const sac_planes *planes, sac_padding padding)
{
    const double height = planes->height + layer->size, width = planes->width + layer->size;
    double tokens = height + width;
    for (int h = 0; h < count; h++)
        if (heads[h].precision[1] != 0) tokens = height * width;
    const double terms = (double)count * layer->channels + count + tokens + 8;
    return bound_of(layer, outside, count, terms, planes, padding);
}

// ---- back

// The logit of a shift s = key - query: -1/2 (s + mu)^T S (s + mu), see saccade/heads.h.
static double logit_of(const sac_head *h, int row, int column)
{
    const double x = -row - h->target[0], y = -column - h->target[1];
    const double *s = h->precision;
    const double square = (x == 0 ? 0 : s[0] * x * x) + (y == 0 ? 0 : s[2] * y * y);
    return -0.5 * (square + (s[1] == 0 ? 0 : 2 * s[1] * x * y));
}

// The softmax of a head over the shifts of a K x K window. An infinite precision is the limit: the nearest shift.
// @return the logarithm of the sum of e^logit
static double find_taps(double *taps, const sac_head *h, int size)
{
    sac_head finite = *h;
    if (isinf(h->precision[0])) finite.precision[0] = finite.precision[2] = 1e9; // the largest that heads may have
    double most = -INFINITY, sum = 0;
    for (int t = 0; t < size * size; t++)
    {
        taps[t] = logit_of(&finite, t / size - before(size), t % size - before(size));
        most = fmax(most, taps[t]);
    }
    for (int t = 0; t < size * size; t++) sum += taps[t] = sac_series_exp(taps[t] - most);
    for (int t = 0; t < size * size; t++) taps[t] /= sum;
    return most + sac_series_log(sum);
}

// whether the shifts nearest to a place are in the window; of two at the same distance both must be
static bool is_nearest_inside(double place, int size)
{
    return place > -before(size) - 0.5 && place < size - 1 - before(size) + 0.5;
}

// The share of attention outside the window where the softmax is over all shifts that a picture has: T / (Z + T), with
// Z inside and T outside. A query's own shifts are fewer than that, so it has no more.
static double share_outside(const sac_head *h, int size, int height, int width, double log_inside)
{
    double outside = 0;
    if (isinf(h->precision[0])) // the nearest token gets all
        return is_nearest_inside(-h->target[0], size) && is_nearest_inside(-h->target[1], size) ? 0 : 1;
    for (int row = 1 - height; row < height; row++)
        for (int column = 1 - width; column < width; column++)
        {
            const int y = row + before(size), x = column + before(size);
            if (y >= 0 && y < size && x >= 0 && x < size) continue;
            const double excess = logit_of(h, row, column) - log_inside;
            if (excess > 700) return 1;
            outside += sac_series_exp(excess);
        }
    return outside / (1 + outside);
}

void sac_filter_of_heads(float *weights, double *outside, int size, const sac_head *heads, int count,
                         const float *layer, int channels, int outputs, int height, int width)
{
    SAC_ASSERT(size >= 1 && size <= SAC_FILTER_MAX && count >= 1 && channels >= 1 && outputs >= 1);
    const size_t matrix = (size_t)channels * (size_t)outputs, taps = (size_t)size * (size_t)size;
    double shares[SAC_FILTER_MAX * SAC_FILTER_MAX] = {0};
    memset(weights, 0, taps * matrix * sizeof *weights);
    for (size_t h = 0; h < (size_t)count; h++)
    {
        const double inside = find_taps(shares, &heads[h], size);
        if (outside) outside[h] = share_outside(&heads[h], size, height, width, inside);
        for (size_t t = 0; t < taps; t++)
            for (size_t i = 0; i < matrix; i++)
                weights[t * matrix + i] += (float)(shares[t] * (double)layer[h * matrix + i]);
    }
}
