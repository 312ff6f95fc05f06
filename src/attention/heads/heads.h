#pragma once

#include "kernels/kernels.h"
#include "saccade/heads.h"

/// Weights along one axis: query i attends to the keys first[i], first[i] + 1, ... with the weights from
/// weights[start[i]] on, which add up to 1.
typedef struct sac_band
{
    int size;
    int *first, *count; ///< [size]
    size_t *start;      ///< [size]
    float *weights;
} sac_band;

/// Compute the softmax of -precision / 2 (i - j - target)^2 over 0 <= j < size, without weights below e^-SAC_NEGLIGIBLE
/// of the largest. An infinite precision divides everything among the nearest keys.
SAC_CHECKED sac_status sac_band_create(sac_band *out, int size, double precision, double target);
void sac_band_destroy(sac_band *band);

/// The keys that matter to a query, and how much: key row r holds columns from first[r] on with count[r] weights. The
/// weights of the rows follow each other.
typedef struct sac_head_window
{
    int *first, *count; ///< [height]
    float *weights;     ///< [L] at most; the largest is 1
} sac_head_window;

/// The rectangle of queries whose windows lie wholly inside the image: they all have the same window, moved.
typedef struct sac_inside
{
    /// first and last rows and columns; none where top > bottom or left > right
    int top, bottom, left, right;
    int row, rows, total; ///< the window: its first key row as an offset from the query, rows, weights
    int *first, *count;   ///< [rows], columns as offsets from the query
    float *weights;       ///< [total], they add up to 1
} sac_inside;

/// A head. If its axes are the image's (b = 0), it has bands; otherwise it has windows.
typedef struct sac_head_plan
{
    sac_head head;
    sac_band rows, columns; ///< of a head with b = 0
    float *blocks;          ///< the columns' weights again: for each 16 queries [span, 16], zero outside their bands
    size_t *block_start;    ///< [ceil(width / 16)]
    int *block_first, *block_span;
    sac_inside inside; ///< of a head with b != 0
} sac_head_plan;

enum
{
    SAC_NEGLIGIBLE = 40 ///< e^-40 of the largest weight: a million such weights do not change a float's last bit
};

struct sac_heads
{
    sac_kernels kernels;
    int height, width, count;
    sac_head_plan *plans; ///< [count]
};

/// Compute the window of a query of a head with b != 0.
/// @return the number of weights
int sac_heads_window(const sac_heads *heads, const sac_head *head, int query, sac_head_window *window);

/// Compute what the queries in the middle of the image have in common.
SAC_CHECKED sac_status sac_inside_create(sac_inside *out, const sac_heads *heads, const sac_head *head);
void sac_inside_destroy(sac_inside *inside);

/// Compute a head whose logits are sums over the axes.
static inline bool sac_head_is_separable(const sac_head *head)
{
    return head->precision[1] == 0;
}
