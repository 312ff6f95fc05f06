#include "learn/layer.h"

/// Gaussian heads over an image of L = height width pixels (saccade/heads.h): head h looks from pixel i at pixel j with
/// A_ij = softmax_j(-|R_h (p_i - p_j - mu_h)|^2 / 2), so its precision is R^T R whatever R [2, 2] is. x [L, C],
/// out [H, L, C], targets mu [H, 2], roots R [H, 2, 2]. Rows of A are computed again in backward. Such heads can
/// express a convolution: Cordonnier, Loukas and Jaggi 2020 (On the Relationship between Self-Attention and
/// Convolutional Layers).

// workspace: weights, their gradients, and the row and column of each pixel [L]
typedef struct places
{
    float *weights, *dweights, *rows, *columns;
    int count;
} places;

static places places_of(const sac_gaussian_heads *g, float *workspace)
{
    const int count = g->height * g->width;
    places p = {workspace, workspace + count, workspace + 2 * count, workspace + 3 * count, count};
    for (int i = 0; i < count; i++) p.rows[i] = (float)(i / g->width), p.columns[i] = (float)(i % g->width);
    return p;
}

// R (p_i - p_j - mu)
static inline float along(const float *root, float row, float column)
{
    return fmaf(root[0], row, root[1] * column);
}

// A_i
static void look(const places *p, int i, const float *target, const float *root)
{
    const float row = p->rows[i] - target[0], column = p->columns[i] - target[1];
    for (int j = 0; j < p->count; j++)
    {
        float a = along(root, row - p->rows[j], column - p->columns[j]);
        float b = along(root + 2, row - p->rows[j], column - p->columns[j]);
        p->weights[j] = -0.5f * fmaf(a, a, b * b);
    }
    const float largest = row_largest(p->weights, p->count);
    for (int j = 0; j < p->count; j++) p->weights[j] = sac_exp(p->weights[j] - largest);
    const float share = 1.0f / row_total(p->weights, p->count);
    for (int j = 0; j < p->count; j++) p->weights[j] *= share;
}

void LAYER(heads_forward)(const sac_learn *l, const sac_gaussian_heads *g, float *out, const float *x,
                          const float *targets, const float *roots, float *workspace)
{
    (void)l;
    const places p = places_of(g, workspace);
    const int size = g->channels;
    for (int h = 0; h < g->heads; h++)
        for (int i = 0; i < p.count; i++, out += size)
        {
            look(&p, i, targets + 2 * h, roots + 4 * h);
            // out = sum_j A_ij x_j
            memset(out, 0, (size_t)size * sizeof *out);
            for (int j = 0; j < p.count; j++)
                for (int c = 0; c < size; c++) out[c] = fmaf(p.weights[j], x[j * size + c], out[c]);
        }
}

// Gradient with respect to target and root of -|R (d - mu)|^2 / 2; dweights holds the gradient with respect to each
// logit.
static void place_backward(const places *p, int i, const float *target, const float *root, float *dtarget, float *droot)
{
    const float row = p->rows[i] - target[0], column = p->columns[i] - target[1];
    const float *d = p->dweights, *r = p->rows, *c = p->columns;
    float sums[4];
    // first with respect to the entries of R, each along one difference, then with respect to mu
    ROW_SUM(sums[0], p->count, j, lane, fmaf(-d[j] * along(root, row - r[j], column - c[j]), row - r[j], lane));
    ROW_SUM(sums[1], p->count, j, lane, fmaf(-d[j] * along(root, row - r[j], column - c[j]), column - c[j], lane));
    ROW_SUM(sums[2], p->count, j, lane, fmaf(-d[j] * along(root + 2, row - r[j], column - c[j]), row - r[j], lane));
    ROW_SUM(sums[3], p->count, j, lane, fmaf(-d[j] * along(root + 2, row - r[j], column - c[j]), column - c[j], lane));
    for (int k = 0; k < 4; k++) droot[k] += sums[k];
    float a, b;
    ROW_SUM(a, p->count, j, lane, fmaf(d[j], along(root, row - r[j], column - c[j]), lane));
    ROW_SUM(b, p->count, j, lane, fmaf(d[j], along(root + 2, row - r[j], column - c[j]), lane));
    dtarget[0] += fmaf(root[0], a, root[2] * b);
    dtarget[1] += fmaf(root[1], a, root[3] * b);
}

void LAYER(heads_backward)(const sac_learn *l, const sac_gaussian_heads *g, float *dx, float *dtargets, float *droots,
                           const float *dout, const float *x, const float *targets, const float *roots,
                           float *workspace)
{
    (void)l;
    const places p = places_of(g, workspace);
    const int size = g->channels;
    memset(dx, 0, (size_t)p.count * (size_t)size * sizeof *dx);
    for (int h = 0; h < g->heads; h++)
        for (int i = 0; i < p.count; i++, dout += size)
        {
            look(&p, i, targets + 2 * h, roots + 4 * h);
            // gradient with respect to x and A of sum_j A_ij x_j
            for (int j = 0; j < p.count; j++)
            {
                p.dweights[j] = row_dot(dout, x + j * size, size);
                for (int c = 0; c < size; c++) dx[j * size + c] = fmaf(p.weights[j], dout[c], dx[j * size + c]);
            }
            // gradient with respect to the logits of the softmax
            const float middle = row_dot(p.weights, p.dweights, p.count);
            for (int j = 0; j < p.count; j++) p.dweights[j] = p.weights[j] * (p.dweights[j] - middle);
            place_backward(&p, i, targets + 2 * h, roots + 4 * h, dtargets + 2 * h, droots + 4 * h);
        }
}
