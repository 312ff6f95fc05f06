#include "gradient/grasp.h"

#include <math.h>
#include <string.h>

#include "gradient/gradient.h"
#include "gradient/grasp_cut.h"

/// Policies that look at point clouds (policy/point_cloud/pct.h): clouds to grasps. Tokens are rows here, [N, W].

static const sac_pct *pct_of(const sac_pass *p)
{
    return p->g->parts.pct;
}

// gains are parameters less 1; two norms a layer
static float *gain_of(const sac_pass *p, int layer, int which)
{
    return p->room.grasp.gains + (ptrdiff_t)(2 * layer + which) * pct_of(p)->config.width;
}

static void begin(const sac_pass *p)
{
    const sac_pct *pct = pct_of(p);
    for (int l = 0; l < pct->config.layers; l++)
    {
        const sac_pct_block b = sac_pct_block_at(pct, l);
        const size_t at[] = {b.middle.gain, b.last.gain};
        for (int which = 0; which < 2; which++)
            for (int w = 0; w < pct->config.width; w++)
                gain_of(p, l, which)[w] = 1 + p->parameters[at[which] + (size_t)w];
    }
}

static void linear(const sac_pass *p, float *out, const float *x, sac_layer tensors, int rows, int inputs, int outputs,
                   sac_activation activation)
{
    p->l.linear_forward(&p->l, out, x, p->parameters + tensors.weight, p->parameters + tensors.bias, rows, inputs,
                        outputs, activation);
}

static void linear_backward(const sac_pass *p, float *dx, const float *dout, const float *x, sac_layer tensors,
                            int rows, int inputs, int outputs)
{
    p->l.linear_backward(&p->l, dx, p->sums + tensors.weight, p->sums + tensors.bias, dout, x,
                         p->parameters + tensors.weight, rows, inputs, outputs);
}

static void attend(const sac_pass *p, const sac_grasp_layer *l, int count)
{
    const sac_pct *pct = pct_of(p);
    const sac_attend a = sac_grasp_attend(pct, count);
    const sac_map_side map = sac_grasp_map(pct);
    const float *q = l->mixed, *k = q + pct->config.width, *v = k + pct->config.width;
    if (pct->features)
        p->l.attend_linear_forward(&p->l, &a, &map, &map, SAC_PCT_EPSILON, l->gathered, l->kept, q, k, v,
                                   p->room.grasp.workspace);
    else
        p->l.attend_forward(&p->l, &a, l->gathered, l->kept, q, k, v, p->room.grasp.workspace);
}

static void attend_backward(const sac_pass *p, const sac_grasp_layer *l, int count, float *dmixed,
                            const float *dgathered)
{
    const sac_pct *pct = pct_of(p);
    const sac_attend a = sac_grasp_attend(pct, count);
    const sac_map_side map = sac_grasp_map(pct);
    const sac_map_gradients none = {0};
    const int width = pct->config.width;
    const float *q = l->mixed, *k = q + width, *v = k + width;
    float *dq = dmixed, *dk = dq + width, *dv = dk + width, *workspace = p->room.grasp.workspace;
    if (pct->features)
        p->l.attend_linear_backward(&p->l, &a, &map, &map, dq, dk, dv, &none, &none, dgathered, l->gathered, l->kept, q,
                                    k, v, workspace);
    else
        p->l.attend_backward(&p->l, &a, dq, dk, dv, dgathered, l->gathered, l->kept, q, k, v, workspace);
}

static void norm(const sac_pass *p, float *out, float *moments, const float *x, int layer, int which, size_t shift,
                 int rows)
{
    p->l.norm_forward(&p->l, out, moments, x, gain_of(p, layer, which), p->parameters + shift, SAC_PCT_LEAST_VARIANCE,
                      rows, pct_of(p)->config.width);
}

static void norm_backward(const sac_pass *p, float *dx, const float *dout, const float *x, const float *moments,
                          int layer, int which, const sac_pct_norm *tensors, int rows)
{
    p->l.norm_backward(&p->l, dx, p->sums + tensors->gain, p->sums + tensors->shift, dout, x, moments,
                       gain_of(p, layer, which), rows, pct_of(p)->config.width);
}

static void run_layer(const sac_pass *p, const sac_grasp_layer *l, float *out, int layer, int count)
{
    const sac_pct *pct = pct_of(p);
    const sac_pct_block b = sac_pct_block_at(pct, layer);
    const int width = pct->config.width, units = pct->config.units;
    const size_t size = (size_t)count * (size_t)width;
    p->l.linear_forward(&p->l, l->mixed, l->x, p->parameters + b.mix, NULL, count, width, 3 * width,
                        SAC_ACTIVATION_NONE);
    attend(p, l, count);
    linear(p, l->first_sum, l->gathered, b.out, count, width, width, SAC_ACTIVATION_NONE);
    p->l.add(&p->l, l->first_sum, l->x, size);
    norm(p, l->middle, l->first_moments, l->first_sum, layer, 0, b.middle.shift, count);
    linear(p, l->units, l->middle, b.up, count, width, units, SAC_ACTIVATION_RELU);
    linear(p, l->last_sum, l->units, b.down, count, units, width, SAC_ACTIVATION_NONE);
    p->l.add(&p->l, l->last_sum, l->middle, size);
    norm(p, out, l->last_moments, l->last_sum, layer, 1, b.last.shift, count);
}

// dx, the gradient with respect to what the layer gives, becomes that with respect to what it takes
static void run_layer_backward(const sac_pass *p, const sac_grasp_layer *l, float *dx, int layer, int count)
{
    const sac_pct *pct = pct_of(p);
    const sac_grasp_room *r = &p->room.grasp;
    const sac_pct_block b = sac_pct_block_at(pct, layer);
    const int width = pct->config.width, units = pct->config.units;
    const size_t size = (size_t)count * (size_t)width;
    norm_backward(p, r->dmiddle, dx, l->last_sum, l->last_moments, layer, 1, &b.last, count);
    linear_backward(p, r->dunits, r->dmiddle, l->units, b.down, count, units, width);
    p->l.curve_backward(&p->l, r->dunits, r->dunits, l->units, SAC_CURVE_RELU, (size_t)count * (size_t)units);
    linear_backward(p, r->dplain, r->dunits, l->middle, b.up, count, width, units);
    p->l.add(&p->l, r->dmiddle, r->dplain, size);
    norm_backward(p, dx, r->dmiddle, l->first_sum, l->first_moments, layer, 0, &b.middle, count);
    linear_backward(p, r->dgathered, dx, l->gathered, b.out, count, width, width);
    attend_backward(p, l, count, r->dmixed, r->dgathered);
    p->l.linear_backward(&p->l, r->dplain, p->sums + b.mix, NULL, r->dmixed, l->x, p->parameters + b.mix, count, width,
                         3 * width);
    p->l.add(&p->l, dx, r->dplain, size);
}

// The largest number of each column, the first of equal ones, and the mean.
static void pool(float *pooled, const float *x, int count, int width)
{
    memset(pooled, 0, (size_t)(2 * width) * sizeof *pooled);
    for (int i = 0; i < count; i++)
        for (int w = 0; w < width; w++)
        {
            const float number = x[i * width + w];
            if (i == 0 || number > pooled[w]) pooled[w] = number;
            pooled[width + w] += number;
        }
    for (int w = 0; w < width && count > 0; w++) pooled[width + w] /= (float)count;
}

static void pool_backward(float *dx, const float *dpooled, const float *pooled, const float *x, int count, int width)
{
    for (int i = 0; i < count; i++)
        for (int w = 0; w < width; w++) dx[i * width + w] = dpooled[width + w] / (float)count;
    for (int w = 0; w < width; w++)
        for (int i = 0; i < count; i++)
            if (x[i * width + w] == pooled[w])
            {
                dx[i * width + w] += dpooled[w];
                break;
            }
}

// what is given by layer `index`, and taken by the next one
static float *tokens_of(const sac_pct *pct, const sac_grasp_frame *f, int index)
{
    return index < pct->config.layers ? f->layers[index].x : f->last;
}

static void run_frame(sac_pass *p, int frame, float *outputs)
{
    const sac_pct *pct = pct_of(p);
    const sac_grasp_room *r = &p->room.grasp;
    const sac_grasp_frame f = sac_grasp_frame_at(r, pct, frame);
    const int width = pct->config.width, hidden = pct->config.hidden;
    const void *one;
    const int count = r->counts[frame] = sac_pct_read(pct, p->g->policy, r->planar, pct->stride,
                                                      f.pooled + (ptrdiff_t)2 * width, sac_pass_inputs(p, frame, &one));
    sac_turn(f.points, r->planar, count, 3, pct->stride);
    if (count > 0)
    {
        linear(p, f.near, f.points, pct->near, count, 3, width, SAC_ACTIVATION_RELU);
        linear(p, tokens_of(pct, &f, 0), f.near, pct->embed, count, width, width, SAC_ACTIVATION_RELU);
        for (int l = 0; l < pct->config.layers; l++) run_layer(p, &f.layers[l], tokens_of(pct, &f, l + 1), l, count);
    }
    pool(f.pooled, f.last, count, width);
    linear(p, f.hidden, f.pooled, pct->head, 1, 2 * width + pct->told, hidden, SAC_ACTIVATION_TANH);
    linear(p, f.raw, f.hidden, pct->grasp, 1, hidden, SAC_PCT_OUTPUTS, SAC_ACTIVATION_NONE);
    sac_pct_finish(pct, &p->l.kernels, outputs, f.raw);
}

// u = x / |x|: the gradient is what of dout stands at a right angle to u, over |x|. roll = pi tanh x.
static void finish_backward(const sac_pct *pct, float *draw, const float *dout, const float *raw, const float *grasp)
{
    float a[3];
    sac_pct_lean(pct, a, raw);
    const float length = sqrtf(a[0] * a[0] + a[1] * a[1] + a[2] * a[2]);
    const float along = dout[3] * grasp[3] + dout[4] * grasp[4] + dout[5] * grasp[5];
    const float turn = grasp[6] / 3.14159265f;
    for (int i = 0; i < 3; i++)
    {
        draw[i] = (float)pct->config.tip_unit * dout[i];
        draw[3 + i] = length > 0 ? (dout[3 + i] - along * grasp[3 + i]) / length : 0;
    }
    draw[6] = 3.14159265f * (1 - turn * turn) * dout[6];
}

static void run_frame_backward(sac_pass *p, int frame, const float *doutputs)
{
    const sac_pct *pct = pct_of(p);
    const sac_grasp_room *r = &p->room.grasp;
    const sac_grasp_frame f = sac_grasp_frame_at(r, pct, frame);
    const int width = pct->config.width, hidden = pct->config.hidden, count = r->counts[frame];
    float grasp[SAC_PCT_OUTPUTS];
    sac_pct_finish(pct, &p->l.kernels, grasp, f.raw);
    finish_backward(pct, r->draw, doutputs, f.raw, grasp);
    linear_backward(p, r->dhidden, r->draw, f.hidden, pct->grasp, 1, hidden, SAC_PCT_OUTPUTS);
    p->l.curve_backward(&p->l, r->dhidden, r->dhidden, f.hidden, SAC_CURVE_TANH, (size_t)hidden);
    linear_backward(p, r->dpooled, r->dhidden, f.pooled, pct->head, 1, 2 * width + pct->told, hidden);
    if (count == 0) return;
    pool_backward(r->dx, r->dpooled, f.pooled, f.last, count, width);
    for (int l = pct->config.layers - 1; l >= 0; l--) run_layer_backward(p, &f.layers[l], r->dx, l, count);
    const size_t size = (size_t)count * (size_t)width;
    p->l.curve_backward(&p->l, r->dx, r->dx, tokens_of(pct, &f, 0), SAC_CURVE_RELU, size);
    linear_backward(p, r->dplain, r->dx, f.near, pct->embed, count, width, width);
    p->l.curve_backward(&p->l, r->dplain, r->dplain, f.near, SAC_CURVE_RELU, size);
    linear_backward(p, NULL, r->dplain, f.points, pct->near, count, 3, width);
}

void sac_grasp_forward(sac_pass *p, float *outputs)
{
    begin(p);
    for (int frame = 0; frame < p->frames; frame++) run_frame(p, frame, outputs + (ptrdiff_t)frame * SAC_PCT_OUTPUTS);
}

void sac_grasp_backward(sac_pass *p, const float *doutputs)
{
    begin(p);
    for (int frame = 0; frame < p->frames; frame++)
        run_frame_backward(p, frame, doutputs + (ptrdiff_t)frame * SAC_PCT_OUTPUTS);
}
