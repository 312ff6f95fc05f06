#include "conversion.h"

#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "papers.h"
#include "saccade/plot.h"

void theory_uniform(float *out, size_t count, uint64_t seed, uint64_t index)
{
    sac_stream stream = sac_stream_create(seed, index, 0);
    for (size_t i = 0; i < count; i++) out[i] = (float)sac_stream_uniform(&stream, -1, 1);
}

// ---- measuring

// The largest difference between a layer of heads and a convolution; NaN where no place has all taps inside.
static sac_status compare(double *out, const sac_filter *layer, const sac_filter *convolution, const sac_head *heads,
                          int count, const sac_planes *planes, sac_padding padding)
{
    int height = planes->height, width = planes->width;
    sac_filter_size(layer->size, padding, &height, &width);
    *out = (double)NAN;
    if (height < 1 || width < 1) return SAC_OK;
    const size_t pixels = (size_t)height * (size_t)width, outputs = (size_t)layer->outputs;
    float *attended = SAC_NEW_MATRIX(float, outputs, pixels);
    double *convolved = SAC_NEW_MATRIX(double, outputs, pixels);
    sac_status status = attended && convolved ? SAC_OK : sac_fail_memory("a convolution");
    if (status == SAC_OK) status = sac_filter_attend(layer, attended, heads, count, planes, padding);
    if (status == SAC_OK)
    {
        sac_filter_convolve(convolution, convolved, planes, padding);
        *out = 0;
        for (size_t i = 0; i < outputs * pixels; i++) *out = fmax(*out, fabs((double)attended[i] - convolved[i]));
    }
    sac_free(attended);
    sac_free(convolved);
    return status;
}

// Tap t of the convolution made of heads is (1 - leak_t) w_t and what other heads put on its shift, which is at most
// theta^2 - 1 = leak / (1 - leak) of the largest weight; then K K + 2 roundings.
static void compare_weights(theory_conversion *out, const sac_filter *f, const float *back)
{
    const double leak = sac_heads_leak(out->alpha);
    double largest = 0;
    out->weight_error = 0;
    for (size_t i = 0; i < (size_t)(f->size * f->size) * (size_t)f->channels * (size_t)f->outputs; i++)
    {
        out->weight_error = fmax(out->weight_error, fabs((double)back[i] - (double)f->weights[i]));
        largest = fmax(largest, fabs((double)f->weights[i]));
    }
    out->weight_bound = leak < 1 ? largest * (leak + leak / (1 - leak)) : (double)INFINITY;
    out->weight_bound += largest / (1 - leak) * (f->size * f->size + 2) * 0x1p-24;
}

sac_status theory_convolve_heads(theory_of_heads *out, float *weights, const sac_filter *layer, const sac_head *heads,
                                 int count, const sac_planes *planes)
{
    double *outside = SAC_NEW_ARRAY(double, (size_t)count);
    if (!outside) return sac_fail_memory("heads");
    *out = (theory_of_heads){0};
    sac_filter_of_heads(weights, outside, layer->size, heads, count, layer->weights, layer->channels, layer->outputs,
                        planes->height + layer->size - 1, planes->width + layer->size - 1);
    for (int h = 0; h < count; h++) out->outside = fmax(out->outside, outside[h]);
    out->bound = sac_filter_outside_bound(layer, outside, heads, count, planes, SAC_PADDING_ZEROS);
    sac_free(outside);
    sac_filter convolution = *layer;
    convolution.weights = weights;
    return compare(&out->error, layer, &convolution, heads, count, planes, SAC_PADDING_ZEROS);
}

static sac_status turn_back(theory_conversion *out, const sac_filter *f, const sac_head *heads,
                            const sac_planes *planes)
{
    const int taps = f->size * f->size;
    theory_of_heads back;
    float *weights = SAC_NEW_MATRIX(float, (size_t)taps, (size_t)f->channels *(size_t)f->outputs);
    if (!weights) return sac_fail_memory("a convolution");
    sac_status status = theory_convolve_heads(&back, weights, f, heads, taps, planes);
    if (status == SAC_OK) compare_weights(out, f, weights);
    out->back_error = back.error;
    out->back_bound = back.bound;
    sac_free(weights);
    return status;
}

sac_status theory_convert(theory_conversion *out, const sac_filter *filter, double alpha, const sac_planes *planes)
{
    sac_head heads[SAC_FILTER_MAX * SAC_FILTER_MAX];
    *out = (theory_conversion){.alpha = alpha};
    sac_filter_heads(heads, filter->size, alpha);
    for (int p = 0; p < 3; p++)
    {
        SAC_TRY(compare(&out->error[p], filter, filter, heads, filter->size * filter->size, planes, (sac_padding)p));
        out->bound[p] = sac_filter_bound(filter, alpha, planes, (sac_padding)p);
    }
    return turn_back(out, filter, heads, planes);
}

bool theory_conversion_holds(const theory_conversion *c)
{
    for (int p = 0; p < 3; p++)
        if (!isnan(c->error[p]) && !(c->error[p] <= c->bound[p])) return false;
    return c->back_error <= c->back_bound && c->weight_error <= c->weight_bound;
}

// ---- the plot

enum
{
    LINES = 4,
    POINTS = 64
};

// The worst of the three paddings, which differ little.
static double worst_of(const double *numbers)
{
    return fmax(numbers[0], fmax(numbers[1], numbers[2]));
}

sac_status theory_draw_conversion(const theory_conversion *c, int count, const char *subtitle, const char *path)
{
    static const char *const names[LINES] = {"heads made of a convolution, worst of three paddings", "its bound",
                                             "a convolution made of heads", "its bound"};
    double x[POINTS], y[LINES][POINTS];
    sac_plot_line lines[LINES];
    count = count < POINTS ? count : POINTS;
    for (int i = 0; i < count; i++)
    {
        x[i] = c[i].alpha;
        y[0][i] = worst_of(c[i].error);
        y[1][i] = worst_of(c[i].bound);
        y[2][i] = c[i].back_error;
        y[3][i] = c[i].back_bound;
    }
    for (int i = 0; i < LINES; i++)
        lines[i] =
            (sac_plot_line){.name = names[i], .x = x, .y = y[i], .count = count, .color = i / 2, .dots = i % 2 == 0};
    const sac_plot plot = {.title = "A convolution as heads, and back: errors over their sharpness",
                           .subtitle = subtitle,
                           .x_label = "\xce\xb1",
                           .y_label = "largest difference of an output",
                           .lines = lines,
                           .line_count = LINES,
                           .mark_x = (double)NAN,
                           .log_y = true};
    return sac_plot_write(&plot, path);
}

// ---- the theorem

typedef struct conversions
{
    float weights[25 * 3 * 4], bias[4], x[3 * 11 * 9];
    double worst[3]; ///< error divided by its bound: heads, back, weights
} conversions;

static const double alphas[] = {0.25, 0.5, 1, 2, 4, 8, 16, 32};

// Convolutions of 1 x 1 to 5 x 5, at every sharpness.
static sac_status convert_many(conversions *m, sac_filter *f, const sac_planes *planes)
{
    for (int size = 1; size <= 5; size++)
        for (size_t a = 0; a < sizeof alphas / sizeof *alphas; a++)
        {
            theory_conversion c;
            f->size = size;
            SAC_TRY(theory_convert(&c, f, alphas[a], planes));
            for (int p = 0; p < 3; p++) m->worst[0] = fmax(m->worst[0], c.error[p] / c.bound[p]);
            m->worst[1] = fmax(m->worst[1], c.back_error / c.back_bound);
            m->worst[2] = fmax(m->worst[2], c.weight_error / c.weight_bound);
        }
    return SAC_OK;
}

static void judge(theory_report *report, const char *claim, double worst)
{
    theory_row *row = theory_claim(report, THEORY_FURTHER, "%s", claim);
    theory_predict(row, "K = 1 to 5, alpha = 0.25 to 32, in float32: never above the bound");
    theory_measure(row, "at most %.3f of it", worst);
    theory_judge(row, worst <= 1);
}

sac_status theory_conv_bound(theory_report *report)
{
    conversions *m = SAC_NEW(conversions);
    if (!m) return sac_fail_memory("convolutions");
    theory_uniform(m->weights, sizeof m->weights / sizeof(float), 54, 0);
    theory_uniform(m->bias, sizeof m->bias / sizeof(float), 54, 1);
    theory_uniform(m->x, sizeof m->x / sizeof(float), 54, 2);
    sac_filter f = {0, 3, 4, m->weights, m->bias};
    sac_status status = convert_many(m, &f, &(sac_planes){m->x, 11, 9});
    if (status == SAC_OK)
    {
        judge(report,
              "K K heads are a K x K convolution, unpadded, with zeros or a repeated border: off by the leak 1 - "
              "theta^-2",
              m->worst[0]);
        judge(report, "heads are the convolution of their shares: off by what they see outside it", m->worst[1]);
        judge(report, "there and back, a convolution has its own weights", m->worst[2]);
    }
    sac_free(m);
    return status;
}
