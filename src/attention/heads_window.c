#include <math.h>

#include "attention/heads.h"

/// Heads whose axes are not the image's: which keys of a query matter, and how much.

// along one row of keys, offset x1 from the target's row, logits are a parabola in the column
typedef struct parabola
{
    double vertex; // column
    double peak;   // logit there
    int nearest;   // column of the image
    double best;   // logit there
} parabola;

static double logit(const sac_head *h, double x1, double x2)
{
    const double *s = h->precision;
    return -0.5 * (s[0] * x1 * x1 + 2 * s[1] * x1 * x2 + s[2] * x2 * x2);
}

static parabola parabola_of(const sac_head *h, double x1, double center, int width)
{
    const double *s = h->precision;
    parabola p = {.vertex = center + s[1] / s[2] * x1, .peak = -0.5 * (s[0] - s[1] * s[1] / s[2]) * x1 * x1};
    p.nearest = p.vertex >= width - 1 ? width - 1 : p.vertex > 0 ? (int)floor(p.vertex + 0.5) : 0;
    p.best = logit(h, x1, center - p.nearest);
    return p;
}

// the columns where the logit exceeds `least`, the nearest one among them
static void find_columns(const parabola *p, double curvature, double least, int width, int *first, int *count)
{
    double half = sqrt(2 * fmax(p->peak - least, 0) / curvature);
    double low = fmax(ceil(p->vertex - half), 0), high = fmin(floor(p->vertex + half), width - 1);
    if (!(low <= p->nearest && high >= p->nearest)) low = high = p->nearest;
    *first = (int)low;
    *count = (int)high - (int)low + 1;
}

int sac_heads_window(const sac_heads *heads, const sac_head *head, int query, float *weights, int *first, int *count)
{
    double row = query / heads->width - head->target[0], center = query % heads->width - head->target[1];
    double largest = -INFINITY;
    for (int r = 0; r < heads->height; r++)
        largest = fmax(largest, parabola_of(head, row - r, center, heads->width).best);
    double least = largest - SAC_NEGLIGIBLE;
    int total = 0;
    for (int r = 0; r < heads->height; r++)
    {
        parabola p = parabola_of(head, row - r, center, heads->width);
        first[r] = count[r] = 0;
        if (p.best < least) continue;
        find_columns(&p, head->precision[2], least, heads->width, &first[r], &count[r]);
        for (int i = 0; i < count[r]; i++)
            weights[total++] = (float)((logit(head, row - r, center - (first[r] + i)) - largest) * 1.4426950408889634);
    }
    heads->kernels.exp2(weights, weights, total);
    return total;
}
