#include "nets/look.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/series.h"
#include "nets/node.h"

/// The formulas are those of ops/shift_heads.c and ops/content_heads.c, for one token and in double.

static const net_node *node_of(const sac_net *net, int layer)
{
    for (int i = 0; i < net->node_count; i++)
    {
        const char *name = net->nodes[i].op->name;
        const bool heads = strcmp(name, "shift heads") == 0 || strcmp(name, "content heads") == 0;
        if (heads && layer-- == 0) return &net->nodes[i];
    }
    return NULL;
}

int sac_net_look_layer(const sac_net *net, int layer)
{
    const net_node *n = node_of(net, layer);
    return n ? n->out : -1;
}

int sac_net_look_heads(const sac_net *net, int layer)
{
    return node_of(net, layer)->heads.heads;
}

sac_net_shape sac_net_look_tokens(const sac_net *net, int layer)
{
    return net->values[node_of(net, layer)->in[0]];
}

bool sac_net_looks_at_content(const sac_net *net, int layer)
{
    return node_of(net, layer)->heads.encoding >= NET_RELATIVE_CONTENT;
}

int sac_net_look_asked(const sac_net *net, int layer)
{
    return node_of(net, layer)->in[1];
}

static const float *tensor_of(const sac_net *net, const net_node *n, int i, const float *parameters)
{
    return parameters + net->tensors[n->tensors[i]].first;
}

bool sac_net_look_form(const sac_net *net, int layer, int head, const float *parameters, double place[2],
                       double precision[3])
{
    const net_node *n = node_of(net, layer);
    if (n->heads.encoding > NET_QUADRATIC) return false;
    const float *mu = tensor_of(net, n, 0, parameters) + (ptrdiff_t)head * 2, *given = tensor_of(net, n, 1, parameters);
    const bool isotropic = n->heads.encoding == NET_QUADRATIC_ISOTROPIC;
    double r[4] = {0};
    for (int i = 0; i < 4; i++)
        if (!isotropic)
            r[i] = (double)given[4 * head + i];
        else if (i % 3 == 0)
            r[i] = (double)given[head];
    place[0] = -(double)mu[0];
    place[1] = -(double)mu[1];
    precision[0] = r[0] * r[0] + r[2] * r[2]; // R^T R
    precision[1] = r[0] * r[1] + r[2] * r[3];
    precision[2] = r[1] * r[1] + r[3] * r[3];
    return true;
}

// ---- logits of one token

static double gaussian(const double place[2], const double s[3], int down, int right)
{
    const double x = down - place[0], y = right - place[1];
    return -0.5 * (s[0] * x * x + 2 * s[1] * x * y + s[2] * y * y);
}

static double dot(const float *a, const float *b, int size)
{
    double sum = 0;
    for (int i = 0; i < size; i++) sum += (double)a[i] * (double)b[i];
    return sum;
}

// v . (rows[d_1], columns[d_2]), with d = query - key
static double relative(const sac_net *net, const net_node *n, int head, const float *parameters, int row, int column)
{
    const int size = n->heads.size;
    const float *v = tensor_of(net, n, 0, parameters) + (ptrdiff_t)head * 2 * size;
    return dot(v, tensor_of(net, n, 1, parameters) + (ptrdiff_t)row * size, size) +
           dot(v + size, tensor_of(net, n, 2, parameters) + (ptrdiff_t)column * size, size);
}

// (q + u) . k + (q + v) . (rows[d_1] + columns[d_2]); of relative-content q . k + v . (...)
static double content(const sac_net *net, const net_node *n, int head, const float *parameters, const float *q,
                      const float *k, int row, int column)
{
    const ptrdiff_t size = n->heads.size, pitch = n->heads.heads * size, at = head * size;
    const float *u = tensor_of(net, n, 0, parameters) + at, *v = u + pitch;
    const float *down = tensor_of(net, n, 1, parameters) + row * pitch + at;
    const float *right = tensor_of(net, n, 2, parameters) + column * pitch + at;
    const bool all = n->heads.encoding == NET_TRANSFORMER_XL;
    double sum = 0;
    for (ptrdiff_t i = 0; i < size; i++)
    {
        const double asked = (double)q[i], place = (double)down[i] + (double)right[i];
        sum += (asked + (all ? (double)u[i] : 0)) * (double)k[i] + ((all ? asked : 0) + (double)v[i]) * place;
    }
    return sum / sqrt((double)size);
}

static void softmax(double *x, int count)
{
    double most = -(double)INFINITY, sum = 0;
    for (int i = 0; i < count; i++) most = fmax(most, x[i]);
    for (int i = 0; i < count; i++) sum += x[i] = sac_series_exp(x[i] - most);
    for (int i = 0; i < count; i++) x[i] /= sum;
}

void sac_net_look(const sac_net *net, int layer, int head, const float *parameters, const float *queries_keys,
                  int query, double *attention)
{
    const net_node *n = node_of(net, layer);
    const sac_net_shape s = net->values[n->in[0]];
    const ptrdiff_t pitch = (ptrdiff_t)n->heads.heads * n->heads.size, at = (ptrdiff_t)head * n->heads.size;
    const float *q = queries_keys ? queries_keys + query * 2 * pitch + at : NULL;
    double place[2], precision[3];
    const bool has_form = sac_net_look_form(net, layer, head, parameters, place, precision);
    SAC_ASSERT(queries_keys || n->heads.encoding < NET_RELATIVE_CONTENT);
    for (int j = 0; j < s.rows * s.columns; j++)
    {
        const int down = j / s.columns - query / s.columns, right = j % s.columns - query % s.columns;
        const int row = s.rows - 1 - down, column = s.columns - 1 - right; // of a table, by query - key
        if (has_form)
            attention[j] = gaussian(place, precision, down, right);
        else if (n->heads.encoding == NET_RELATIVE)
            attention[j] = relative(net, n, head, parameters, row, column);
        else
            attention[j] = content(net, n, head, parameters, q, queries_keys + j * 2 * pitch + pitch + at, row, column);
    }
    softmax(attention, s.rows * s.columns);
}
