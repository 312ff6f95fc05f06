#include "classify/heads.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "classify/evaluate.h"
#include "nets/look.h"

static const char *const names[SAC_HEAD_KINDS] = {"shift", "blur", "far", "wide", "flat", "outside"};
static const double flat_condition = 1000;
// Of the variance of attention to all alike. What is measured of attention that hardly prefers a place lies to either
// side of the whole of it, by chance.
static const double wide_form = 1, wide_measured = 0.8;

const char *sac_head_kind_name(sac_head_kind kind)
{
    return names[kind];
}

bool sac_head_is_degenerate(sac_head_kind kind)
{
    return kind >= SAC_HEAD_WIDE;
}

// ---- one head

// The eigenvalues of a symmetric matrix (a b; b c), the larger one first.
static void eigenvalues(const double m[3], double out[2])
{
    const double middle = (m[0] + m[2]) / 2, apart = hypot((m[0] - m[2]) / 2, m[1]);
    out[0] = middle + apart;
    // their product is the determinant, which does not cancel where one is small
    const double other = m[0] * m[2] - m[1] * m[1];
    out[1] = out[0] > 0 ? fmax(other, 0) / out[0] : 0;
}

// The inverse of a precision. Along a direction that has none, the spread is infinite.
static void invert(const double s[3], double out[3])
{
    const double determinant = s[0] * s[2] - s[1] * s[1];
    if (!(determinant > 0))
    {
        out[0] = out[2] = (double)INFINITY;
        out[1] = 0;
        return;
    }
    out[0] = s[2] / determinant;
    out[1] = -s[1] / determinant;
    out[2] = s[0] / determinant;
}

// Mean and covariance of the attention of a query.
static void moments(sac_head_seen *h, const double *attention, const sac_heads_seen *g, int query)
{
    double sums[5] = {0};
    for (int j = 0; j < g->rows * g->columns; j++)
    {
        const int down = j / g->columns - query / g->columns, right = j % g->columns - query % g->columns;
        const double y = down, x = right;
        const double terms[] = {y, x, y * y, y * x, x * x};
        for (int i = 0; i < 5; i++) sums[i] += attention[j] * terms[i];
    }
    h->centre[0] = sums[0];
    h->centre[1] = sums[1];
    h->covariance[0] = fmax(sums[2] - sums[0] * sums[0], 0);
    h->covariance[1] = sums[3] - sums[0] * sums[1];
    h->covariance[2] = fmax(sums[4] - sums[1] * sums[1], 0);
}

static bool is_near(const sac_head_seen *h, int heads)
{
    const int size = (int)sqrt((double)heads), before = (size - 1) / 2, after = size / 2;
    for (int i = 0; i < 2; i++)
        if (h->shift[i] < -before || h->shift[i] > after) return false;
    return true;
}

// Whether it is spread along some direction as attention to all alike is, whose variances are (n^2 - 1) / 12 for n rows
// and for n columns: the larger eigenvalue of the covariance in units of these. An axis of one token says nothing.
static bool is_wide(const sac_head_seen *h, const sac_heads_seen *g, double wide)
{
    const double rows = g->rows, columns = g->columns;
    const double all[] = {(rows * rows - 1) / 12, (columns * columns - 1) / 12};
    const double *v = h->covariance;
    const bool both = all[0] > 0 && all[1] > 0;
    const double share[] = {all[0] > 0 ? v[0] / all[0] : 0, both ? v[1] / sqrt(all[0] * all[1]) : 0,
                            all[1] > 0 ? v[2] / all[1] : 0};
    double spreads[2];
    eigenvalues(share, spreads);
    return !(spreads[0] < wide); // infinite ones are no numbers here
}

static sac_head_kind kind_of(const sac_head_seen *h, const sac_heads_seen *g, double condition, double wide)
{
    if (fabs(h->centre[0]) >= g->rows || fabs(h->centre[1]) >= g->columns) return SAC_HEAD_OUTSIDE;
    if (is_wide(h, g, wide)) return SAC_HEAD_WIDE;
    if (condition > flat_condition) return SAC_HEAD_FLAT;
    if (!is_near(h, g->heads)) return SAC_HEAD_FAR;
    return h->share > 0.5 ? SAC_HEAD_SHIFT : SAC_HEAD_BLUR;
}

// a whole number near a centre that may be far away
static int nearest(double place)
{
    return (int)lround(fmin(fmax(place, -1e6), 1e6));
}

// The token nearest to the middle whose neighbour at the head's shift is in the picture; -1: no token has one.
static int token_for(const sac_head_seen *h, const sac_heads_seen *g)
{
    const int sides[] = {g->rows, g->columns};
    int place[2];
    for (int i = 0; i < 2; i++)
    {
        const int low = h->shift[i] < 0 ? -h->shift[i] : 0;
        const int high = h->shift[i] > 0 ? sides[i] - 1 - h->shift[i] : sides[i] - 1;
        if (low > high) return -1;
        place[i] = sides[i] / 2 < low ? low : sides[i] / 2 > high ? high : sides[i] / 2;
    }
    return place[0] * g->columns + place[1];
}

static void find_shift(sac_head_seen *h)
{
    for (int i = 0; i < 2; i++) h->shift[i] = nearest(h->centre[i]);
    h->off = hypot(h->centre[0] - h->shift[0], h->centre[1] - h->shift[1]);
    h->spread = sqrt((h->covariance[0] + h->covariance[2]) / 2);
}

// ---- all of them

typedef struct looking
{
    const sac_trained_net *net;
    const sac_image_set *test;
    sac_image_set *opened; // where the caller had none
    sac_threads *threads;
    sac_net_pass *pass;
    double *attention, *one; // [layers * heads, tokens], [tokens]
    int query;
} looking;

static double share_of(const sac_head_seen *h, const double *attention, const sac_heads_seen *g, int query)
{
    return attention[query + h->shift[0] * g->columns + h->shift[1]];
}

// A head with a form, whose centre may be too far for the token in the middle; `one` is to work in.
static void see_form(sac_head_seen *h, const sac_heads_seen *g, const looking *l, const double precision[3])
{
    const sac_trained_net *n = l->net;
    double ends[2];
    invert(precision, h->covariance);
    eigenvalues(precision, ends);
    find_shift(h);
    const int query = token_for(h, g);
    if (query >= 0)
    {
        sac_net_look(n->net, h->layer, h->head, n->parameters, NULL, query, l->one);
        h->share = share_of(h, l->one, g, query);
    }
    h->kind = kind_of(h, g, ends[1] > 0 ? ends[0] / ends[1] : (double)INFINITY, wide_form);
}

static void see_head(sac_head_seen *h, const double *attention, const sac_heads_seen *g, const looking *l)
{
    double precision[3];
    if (sac_net_look_form(l->net->net, h->layer, h->head, l->net->parameters, h->centre, precision))
    {
        see_form(h, g, l, precision);
        return;
    }
    moments(h, attention, g, l->query);
    find_shift(h);
    h->share = share_of(h, attention, g, l->query); // a mean of places in the picture is in it
    h->kind = kind_of(h, g, 1, wide_measured);
}

static void add_looks(const looking *l, const sac_heads_seen *g, double weight)
{
    const size_t tokens = (size_t)g->rows * (size_t)g->columns;
    for (int i = 0; i < g->layers * g->heads; i++)
    {
        const int layer = i / g->heads;
        const bool content = sac_net_looks_at_content(l->net->net, layer);
        const float *asked = content ? sac_net_pass_value(l->pass, sac_net_look_asked(l->net->net, layer)) : NULL;
        double *sum = l->attention + (size_t)i * tokens;
        sac_net_look(l->net->net, layer, i % g->heads, l->net->parameters, asked, l->query, l->one);
        for (size_t j = 0; j < tokens; j++) sum[j] += weight * l->one[j];
    }
}

static sac_status look_at_pictures(looking *l, sac_heads_seen *g, int pictures)
{
    const sac_trained_net *n = l->net;
    const sac_classify_data *d = &n->task->data;
    if (!l->test) SAC_TRY(sac_image_set_open(&l->opened, d->format, d->folder, true));
    if (!l->test) l->test = l->opened;
    SAC_TRY(sac_classify_check_set(l->test, n->input, n->classes, d->folder));
    SAC_TRY(sac_threads_create(&l->threads, 1));
    const sac_net_pass_def def = {.net = n->net, .threads = l->threads, .slices = 1, .samples = 1, .all_values = true};
    SAC_TRY(sac_net_pass_create(&l->pass, &def));
    const int count = sac_classify_count(n->task, l->test);
    g->pictures = pictures < count ? pictures : count;
    for (int i = 0; i < g->pictures; i++)
    {
        sac_image_set_see(l->test, &n->view, sac_net_pass_input(l->pass), i);
        (void)sac_net_pass_evaluate(l->pass, n->parameters, n->measured, NULL, 1);
        add_looks(l, g, 1.0 / g->pictures);
    }
    return SAC_OK;
}

// Finite parameters may be too large for what a net computes with them: queries and keys that have overflowed attend to
// no place, and a centre that is no number is no index.
static sac_status check_attention(const looking *l, const sac_heads_seen *g, const char *path)
{
    const size_t tokens = (size_t)g->rows * (size_t)g->columns;
    for (int i = 0; i < g->layers * g->heads; i++)
        for (size_t j = 0; j < tokens; j++)
            if (!isfinite(l->attention[(size_t)i * tokens + j]))
                return sac_fail(SAC_ERROR_DIVERGED,
                                "%.400s: the attention of head %d of layer %d is no number: the net has diverged", path,
                                i % g->heads, i / g->heads);
    return SAC_OK;
}

static sac_status see(sac_heads_seen *g, looking *l, int pictures, const char *path)
{
    const size_t count = (size_t)g->layers * (size_t)g->heads, tokens = (size_t)g->rows * (size_t)g->columns;
    g->seen = SAC_NEW_ARRAY(sac_head_seen, count);
    l->attention = SAC_NEW_MATRIX(double, count, tokens);
    l->one = SAC_NEW_ARRAY(double, tokens);
    if (!g->seen || !l->attention || !l->one) return sac_fail_memory("heads");
    memset(l->attention, 0, count * tokens * sizeof *l->attention);
    l->query = g->rows / 2 * g->columns + g->columns / 2;
    if (sac_net_looks_at_content(l->net->net, 0))
        SAC_TRY(look_at_pictures(l, g, pictures));
    else
        add_looks(l, g, 1);
    SAC_TRY(check_attention(l, g, path));
    for (size_t i = 0; i < count; i++)
    {
        g->seen[i] = (sac_head_seen){.layer = (int)i / g->heads, .head = (int)i % g->heads};
        see_head(&g->seen[i], l->attention + i * tokens, g, l);
    }
    return SAC_OK;
}

sac_status sac_heads_see(sac_heads_seen *out, const sac_trained_net *net, const sac_image_set *test, int pictures,
                         const char *path)
{
    *out = (sac_heads_seen){0};
    while (sac_net_look_layer(net->net, out->layers) >= 0) out->layers++;
    if (out->layers == 0)
        return sac_fail(SAC_ERROR_FORMAT, "%.400s is a %s, expected an attention-net, whose heads look at places", path,
                        net->task->kind);
    const sac_net_shape tokens = sac_net_look_tokens(net->net, 0);
    out->heads = sac_net_look_heads(net->net, 0);
    out->rows = tokens.rows;
    out->columns = tokens.columns;
    looking l = {.net = net, .test = test};
    sac_status status = see(out, &l, pictures, path);
    sac_net_pass_destroy(l.pass);
    sac_threads_destroy(l.threads);
    sac_image_set_close(l.opened);
    sac_free(l.attention);
    sac_free(l.one);
    if (status != SAC_OK) sac_heads_seen_clear(out);
    return status;
}

void sac_heads_seen_clear(sac_heads_seen *seen)
{
    sac_free(seen->seen);
    *seen = (sac_heads_seen){0};
}

// ---- as text

const char sac_head_columns[] = "layer,head,row,column,variance_rows,covariance,variance_columns,spread,shift_row,"
                                "shift_column,off,share,kind";

void sac_head_print(char text[SAC_HEAD_TEXT], const sac_head_seen *h)
{
    snprintf(text, SAC_HEAD_TEXT, "%d,%d,%.9g,%.9g,%.9g,%.9g,%.9g,%.9g,%d,%d,%.9g,%.9g,%s", h->layer, h->head,
             h->centre[0], h->centre[1], h->covariance[0], h->covariance[1], h->covariance[2], h->spread, h->shift[0],
             h->shift[1], h->off, h->share, sac_head_kind_name(h->kind));
}
