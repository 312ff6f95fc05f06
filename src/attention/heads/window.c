#include <math.h>

#include "attention/heads/heads.h"
#include "base/error.h"
#include "base/memory.h"

/// For heads whose axes are not the image's: which keys matter to a query, and how much.

// Along one row of keys, offset x1 from the target's row, the logits are a parabola in the column.
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

// Find the columns where the logit exceeds `least`; the nearest column is always among them.
static void find_columns(const parabola *p, double curvature, double least, int width, int *first, int *count)
{
    double half = sqrt(2 * fmax(p->peak - least, 0) / curvature);
    double low = fmax(ceil(p->vertex - half), 0), high = fmin(floor(p->vertex + half), width - 1);
    if (!(low <= p->nearest && high >= p->nearest)) low = high = p->nearest;
    *first = (int)low;
    *count = (int)high - (int)low + 1;
}

int sac_heads_window(const sac_heads *heads, const sac_head *head, int query, sac_head_window *window)
{
    int *first = window->first, *count = window->count;
    int y = query / heads->width, x = query % heads->width;
    double row = y - head->target[0], center = x - head->target[1];
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
            window->weights[total++] =
                (float)((logit(head, row - r, center - (first[r] + i)) - largest) * 1.4426950408889634);
    }
    heads->kernels.exp2(window->weights, window->weights, total);
    return total;
}

// Find the rows (or columns) of queries whose windows, `reach` to both sides of the target, stay inside the image.
static void find_inside(int *low, int *high, double target, double reach, int size)
{
    double from = ceil(target + reach), to = floor(size - 1 + target - reach);
    *low = from > 0 ? from < size ? (int)from : size : 0;
    *high = to < size - 1 ? to >= 0 ? (int)to : -1 : size - 1;
}

// Take this from the window of one query.
static sac_status fill_inside(sac_inside *in, const sac_heads *heads, const sac_head_window *window, int total)
{
    int from = 0, to = heads->height - 1;
    while (window->count[from] == 0) from++;
    while (window->count[to] == 0) to--;
    in->row = from - in->top;
    in->rows = to - from + 1;
    in->total = total;
    in->first = SAC_NEW_ARRAY(int, (size_t)in->rows);
    in->count = SAC_NEW_ARRAY(int, (size_t)in->rows);
    in->weights = SAC_NEW_ARRAY(float, (size_t)total);
    if (!in->first || !in->count || !in->weights) return sac_fail_memory("Gaussian heads");
    for (int r = 0; r < in->rows; r++)
    {
        in->first[r] = window->first[from + r] - in->left;
        in->count[r] = window->count[from + r];
    }
    double sum = 0;
    for (int i = 0; i < total; i++) sum += (double)window->weights[i];
    for (int i = 0; i < total; i++) in->weights[i] = (float)((double)window->weights[i] / sum);
    return SAC_OK;
}

sac_status sac_inside_create(sac_inside *out, const sac_heads *heads, const sac_head *head)
{
    // The ellipse where logits are not negligible. The nearest pixel of the image lies at most half a pixel away.
    const double *s = head->precision;
    double off = s[0] / 8 + fabs(s[1]) / 4 + s[2] / 8, determinant = s[0] * s[2] - s[1] * s[1];
    *out = (sac_inside){.top = 1, .bottom = 0};
    if (!(determinant > 0)) return SAC_OK;
    double size = 2 * (SAC_NEGLIGIBLE + off) / determinant;
    find_inside(&out->top, &out->bottom, head->target[0], sqrt(size * s[2]) + 1, heads->height);
    find_inside(&out->left, &out->right, head->target[1], sqrt(size * s[0]) + 1, heads->width);
    if (out->top > out->bottom || out->left > out->right) return SAC_OK;

    sac_head_window window = {.first = SAC_NEW_ARRAY(int, (size_t)heads->height),
                              .count = SAC_NEW_ARRAY(int, (size_t)heads->height),
                              .weights = SAC_NEW_MATRIX(float, (size_t)heads->height, (size_t)heads->width)};
    sac_status status = window.first && window.count && window.weights ? SAC_OK : sac_fail_memory("Gaussian heads");
    if (status == SAC_OK)
    {
        int total = sac_heads_window(heads, head, out->top * heads->width + out->left, &window);
        status = fill_inside(out, heads, &window, total);
    }
    sac_free(window.first);
    sac_free(window.count);
    sac_free(window.weights);
    return status;
}

void sac_inside_destroy(sac_inside *inside)
{
    sac_free(inside->first);
    sac_free(inside->count);
    sac_free(inside->weights);
}
