#pragma once

#include "kernels/kernels.h"
#include "saccade/heads.h"

/// Weights along one axis: query i attends to keys first[i].. with weights[start[i]..], which add up to 1.
typedef struct sac_band
{
    int size;
    int *first, *count; ///< [size]
    size_t *start;      ///< [size]
    float *weights;
} sac_band;

/// Softmax of -precision / 2 (i - j - target)^2 over 0 <= j < size, as far as it exceeds e^-SAC_NEGLIGIBLE of the
/// largest. An infinite precision shares all among the nearest keys.
SAC_CHECKED sac_status sac_band_create(sac_band *out, int size, double precision, double target);
void sac_band_destroy(sac_band *band);

/// Which keys of a query matter, and how much: key row r holds columns first[r].. with count[r] weights, which follow
/// each other row by row.
typedef struct sac_head_window
{
    int *first, *count; ///< [height]
    float *weights;     ///< [L] at most; the largest is 1
} sac_head_window;

/// The rectangle of queries whose windows lie inside the image as a whole: all have the same one, moved.
typedef struct sac_inside
{
    int top, bottom, left, right; ///< the first and last rows and columns; none where top > bottom or left > right
    int row, rows, total;         ///< the window: its first key row as an offset from the query, rows, weights
    int *first, *count;           ///< [rows], columns as offsets from the query
    float *weights;               ///< [total], they add up to 1
} sac_inside;

/// A head. Axes that are the image's (b = 0): bands; else windows.
typedef struct sac_head_plan
{
    sac_head head;
    sac_band rows, columns; ///< of a head with b = 0
    float *blocks;          ///< columns again: for each 16 queries [span, 16], zero outside of their bands
    size_t *block_start;    ///< [ceil(width / 16)]
    int *block_first, *block_span;
    sac_inside inside; ///< of a head with b != 0
} sac_head_plan;

enum
{
    SAC_NEGLIGIBLE = 40 ///< e^-40 of the largest weight: a million such do not reach a float's last bit
};

struct sac_heads
{
    sac_kernels kernels;
    int height, width, count;
    sac_head_plan *plans; ///< [count]
};

/// The window of a query of a head with b != 0.
/// @return the number of weights
int sac_heads_window(const sac_heads *heads, const sac_head *head, int query, sac_head_window *window);

/// What the queries in the middle of the image have in common.
SAC_CHECKED sac_status sac_inside_create(sac_inside *out, const sac_heads *heads, const sac_head *head);
void sac_inside_destroy(sac_inside *inside);

/// A head whose logits are sums over the axes.
static inline bool sac_head_is_separable(const sac_head *head)
{
    return head->precision[1] == 0;
}
