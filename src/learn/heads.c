#include "learn/layer.h"

/// Heads over a picture of L = height width pixels or tokens that look at places whatever is there: head h looks from i
/// at j with A_ij = softmax_j(T_h[p_i - p_j]), a table over the (2 height - 1) (2 width - 1) differences of places. The
/// weights A [H, L, L] are the same for all pictures, and what heads see of one is a product of matrices, A_h x. Such
/// heads can express a convolution: Cordonnier, Loukas and Jaggi 2020 (On the Relationship between Self-Attention and
/// Convolutional Layers).

typedef struct grid
{
    int down, right, table, pixels; // differences of rows, of columns, all of them; L
} grid;

static grid grid_of(const sac_place_heads *g)
{
    const int down = 2 * g->height - 1, right = 2 * g->width - 1;
    return (grid){down, right, down * right, g->height * g->width};
}

// the entry of a table for p_i - p_j, j = (y, 0); that of j = (y, x) stands x before it
static ptrdiff_t entry_at(const sac_place_heads *g, const grid *d, int i, int y)
{
    return (ptrdiff_t)(i / g->width - y + g->height - 1) * d->right + i % g->width + g->width - 1;
}

void LAYER(place_heads_forward)(const sac_learn *l, const sac_place_heads *g, float *weights, const float *tables)
{
    const grid d = grid_of(g);
    float *out = weights;
    for (int h = 0; h < g->heads; h++, tables += d.table)
        for (int i = 0; i < d.pixels; i++)
            for (int y = 0; y < g->height; y++)
            {
                const float *line = tables + entry_at(g, &d, i, y);
                for (int x = 0; x < g->width; x++) *out++ = line[-x];
            }
    LAYER(softmax_forward)(l, weights, weights, g->heads * d.pixels, d.pixels);
}

void LAYER(place_heads_backward)(const sac_learn *l, const sac_place_heads *g, float *dtables, float *dweights,
                                 const float *weights)
{
    const grid d = grid_of(g);
    LAYER(softmax_backward)(l, dweights, dweights, weights, g->heads * d.pixels, d.pixels);
    for (int h = 0; h < g->heads; h++, dtables += d.table)
        for (int i = 0; i < d.pixels; i++)
            for (int y = 0; y < g->height; y++)
            {
                float *line = dtables + entry_at(g, &d, i, y);
                for (int x = 0; x < g->width; x++) line[-x] += *dweights++;
            }
}

/// The table of a centre and a precision R^T R: T[d] = -|R (d - mu)|^2 / 2, article eq. 8, which with R = s 1 is eq. 7.

typedef struct turned
{
    float row, column, a, b; // d - mu, and R times it
} turned;

static inline turned turn(const sac_place_heads *g, const grid *d, int index, const float *target, const float *root)
{
    turned t = {.row = (float)(index / d->right - (g->height - 1)) - target[0],
                .column = (float)(index % d->right - (g->width - 1)) - target[1]};
    t.a = fmaf(root[0], t.row, root[1] * t.column);
    t.b = fmaf(root[2], t.row, root[3] * t.column);
    return t;
}

void LAYER(gaussian_forward)(const sac_learn *l, const sac_place_heads *g, float *tables, const float *targets,
                             const float *roots)
{
    (void)l;
    const grid d = grid_of(g);
    for (int h = 0; h < g->heads; h++, targets += 2, roots += 4)
        for (int i = 0; i < d.table; i++)
        {
            const turned t = turn(g, &d, i, targets, roots);
            *tables++ = -0.5f * fmaf(t.a, t.a, t.b * t.b);
        }
}

void LAYER(gaussian_backward)(const sac_learn *l, const sac_place_heads *g, float *dtargets, float *droots,
                              const float *dtables, const float *targets, const float *roots)
{
    (void)l;
    const grid d = grid_of(g);
    for (int h = 0; h < g->heads; h++, targets += 2, roots += 4, dtargets += 2, droots += 4)
    {
        double sums[6] = {0};
        for (int i = 0; i < d.table; i++)
        {
            const turned t = turn(g, &d, i, targets, roots);
            // gradient of -(a^2 + b^2) / 2 with respect to a and b, and from there to mu and R
            const double slope = (double)*dtables++, da = -slope * (double)t.a, db = -slope * (double)t.b;
            sums[0] -= da * (double)roots[0] + db * (double)roots[2];
            sums[1] -= da * (double)roots[1] + db * (double)roots[3];
            sums[2] += da * (double)t.row;
            sums[3] += da * (double)t.column;
            sums[4] += db * (double)t.row;
            sums[5] += db * (double)t.column;
        }
        for (int k = 0; k < 2; k++) dtargets[k] += (float)sums[k];
        for (int k = 0; k < 4; k++) droots[k] += (float)sums[2 + k];
    }
}
