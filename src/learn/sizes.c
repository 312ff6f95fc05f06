#include "learn/learn.h"

/// Sizes of outputs, of what is kept, and of workspaces.

static size_t product(int a, int b)
{
    return (size_t)a * (size_t)b;
}

static size_t larger(size_t a, size_t b)
{
    return a > b ? a : b;
}

static size_t smaller(size_t a, size_t b)
{
    return a < b ? a : b;
}

static size_t whole(size_t count, size_t step)
{
    return (count + step - 1) / step * step;
}

void sac_convolution_size(const sac_convolution *c, int *rows, int *columns)
{
    *rows = (c->height + 2 * c->padding - c->patch) / c->stride + 1;
    *columns = (c->width + 2 * c->padding - c->patch) / c->stride + 1;
}

void sac_pooling_size(const sac_pooling *p, int *rows, int *columns)
{
    *rows = (p->height - p->patch) / p->stride + 1;
    *columns = (p->width - p->patch) / p->stride + 1;
}

int sac_convolution_block(const sac_convolution *c)
{
    int rows, columns;
    sac_convolution_size(c, &rows, &columns);
    // of many large pictures there are more places than an int counts
    const int64_t all = (int64_t)rows * columns * (c->pictures > 0 ? c->pictures : 1);
    const int places = all < INT32_MAX ? (int)all : INT32_MAX;
    // many outputs: their weights are to be read seldom, wherever the patches then lie
    const int least = c->outputs >= 64 ? SAC_GEMM_ROWS : 48;
    const int block = SAC_CONVOLUTION_BLOCK / (c->patch * c->patch * c->channels) / 48 * 48;
    return block < least ? places < least ? places : least : places < block ? places : block;
}

size_t sac_convolution_workspace(const sac_convolution *c)
{
    return product(sac_convolution_block(c), c->patch * c->patch * c->channels);
}

bool sac_winograd_fits(const sac_convolution *c)
{
    return c->patch == 3 && c->stride == 1 && c->padding == 1 && c->channels % SAC_LANES == 0 &&
           c->outputs % SAC_LANES == 0 && c->channels <= SAC_WINOGRAD_CHANNELS && c->outputs <= SAC_WINOGRAD_CHANNELS;
}

size_t sac_winograd_weights(const sac_convolution *c)
{
    return 16 * product(c->channels, c->outputs);
}

size_t sac_winograd_workspace(const sac_convolution *c)
{
    return 16 * product(SAC_WINOGRAD_BLOCK, c->channels + c->outputs) + sac_winograd_weights(c);
}

int sac_pixels_rows(const sac_patches *p)
{
    return p->columns < SAC_PIXELS_BLOCK ? SAC_PIXELS_BLOCK / p->columns : 1;
}

size_t sac_pixels_workspace(const sac_patches *p)
{
    const int rows = sac_pixels_rows(p), lines = (rows - 1) * p->stride + p->patch;
    // patches and lines of the image, each with room for what is written or read past their end
    return product(rows * p->columns, sac_patch_size(p)) + product(lines, p->width * p->channels) + 2 * SAC_LANES;
}

size_t sac_lstm_kept(const sac_lstm *s)
{
    return (6 * (size_t)s->steps + 1) * product(s->sequences, s->hidden) +
           ((size_t)s->steps + 1) * product(s->sequences, s->inputs + s->hidden);
}

size_t sac_lstm_workspace(const sac_lstm *s)
{
    return 4 * product(s->hidden, s->inputs + s->hidden) + 4 * (size_t)s->hidden;
}

size_t sac_attend_kept(const sac_attend *a)
{
    return 2 * product(a->heads, a->queries);
}

// floats of attend.c's blocks of keys, forward and backward
size_t sac_attend_workspace(const sac_attend *a)
{
    const size_t d = (size_t)a->size, v = (size_t)a->value_size, all = (size_t)sac_round_up(a->keys);
    const size_t n = smaller(all, SAC_ATTEND_KEYS), back = smaller(all, SAC_ATTEND_KEYS_BACK);
    const size_t strips = whole(n, SAC_ATTEND_STRIP), strips_back = whole(back, SAC_ATTEND_STRIP);
    const size_t forward = strips * d + n * v + SAC_ATTEND_ROWS * (n + 2 * d);
    const size_t backward = strips_back * (d + v) + back * (2 * d + v) +
                            SAC_ATTEND_ROWS * (2 * back + d + v + larger(d, v)) + (size_t)a->queries;
    return larger(forward, backward);
}

size_t sac_place_heads_tables(const sac_place_heads *g)
{
    return (size_t)g->heads * product(2 * g->height - 1, 2 * g->width - 1);
}

int sac_map_features(const sac_map_side *side)
{
    int per = side->phi == SAC_PHI_TRIG ? 2 : side->phi == SAC_PHI_HYBRID ? 3 * (1 + side->direction_count) : 1;
    return side->count * per;
}

size_t sac_attend_linear_kept(const sac_attend *a, const sac_map_side *query_map, const sac_map_side *key_map)
{
    size_t f = (size_t)sac_map_features(query_map), m = (size_t)a->queries, n = (size_t)a->keys;
    (void)key_map;
    return (size_t)a->heads * ((m + n) * f + f * (size_t)(a->value_size + 1) + m);
}

size_t sac_attend_linear_workspace(const sac_attend *a, const sac_map_side *query_map, const sac_map_side *key_map)
{
    size_t f = (size_t)sac_map_features(query_map), count = larger((size_t)query_map->count, (size_t)key_map->count);
    size_t n = larger((size_t)a->queries, (size_t)a->keys), v = (size_t)a->value_size;
    return n * (count + f + v + 2) + f * (v + 2);
}
