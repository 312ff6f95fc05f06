#pragma once

#include "classify/trained.h"

/// What the heads of an attention net have learned to look at: the centre and the spread of each, how near it is to a
/// shift, which a convolution is made of, and whether it has become none.
///
/// Of a quadratic encoding centre and covariance are those of the Gaussian, -mu and S^-1; of the others, they are the
/// mean and the covariance of what the token in the middle attends to, which for the encodings that look at content is
/// the mean over the first test pictures. The share is always that of the attention: of the token in the middle, or of
/// the one nearest to it that has a neighbour so far away.

/// What a head is. Let K be the square root of the number of heads, rounded down, and n the tokens of a row or of a
/// column.
typedef enum sac_head_kind
{
    SAC_HEAD_SHIFT,   ///< more than half of its attention is on one shift in the K x K neighbourhood: a tap
    SAC_HEAD_BLUR,    ///< its centre is in the neighbourhood, and its attention on several tokens
    SAC_HEAD_FAR,     ///< its nearest shift is outside the K x K neighbourhood
    SAC_HEAD_WIDE,    ///< degenerate: along some direction it is spread as uniform attention is or more, whose variance
                      ///< along an axis is (n^2 - 1) / 12, and so says nothing about where
    SAC_HEAD_FLAT,    ///< degenerate: its precision has a condition number above 1000, as the authors count it: a line
    SAC_HEAD_OUTSIDE, ///< degenerate: its centre is n tokens away or more along an axis, and no token of the picture
                      ///< has such a neighbour
} sac_head_kind;

enum
{
    SAC_HEAD_KINDS = 6,
    SAC_HEAD_PICTURES = 32, ///< that encodings with content are measured over, unless another number is asked for
    SAC_HEAD_TEXT = 320     ///< bytes of a head as text
};

/// "shift", "blur", "far", "wide", "flat", "outside".
const char *sac_head_kind_name(sac_head_kind kind);
bool sac_head_is_degenerate(sac_head_kind kind);

/// A head. Rows and columns are counted in tokens, key minus query.
typedef struct sac_head_seen
{
    int layer, head;
    double centre[2], covariance[3]; ///< row, column; rows, both, columns
    double spread;                   ///< the root of half the trace: the mean deviation along an axis
    double off;                      ///< distance of the centre from the nearest whole shift, 0 to 0.71
    int shift[2];                    ///< the nearest one
    double share;                    ///< of attention on it; 0 where no token has such a neighbour
    sac_head_kind kind;
} sac_head_seen;

/// All heads of a net, by layers.
typedef struct sac_heads_seen
{
    int layers, heads, rows, columns; ///< heads a layer; tokens
    int pictures;                     ///< that the attention is a mean over; 0: it depends on none
    sac_head_seen *seen;              ///< [layers * heads]
} sac_heads_seen;

/// Measure.
/// @param[out] out       released by sac_heads_seen_clear; zeros after a failure
/// @param      test      the test part of the task's data set; NULL: it is opened where it is needed
/// @param      pictures  >= 1, of the test part, which is read only by encodings that look at content; the cost is
///                       theirs: a forward pass and layers * heads * tokens * D a picture
/// @return SAC_ERROR_FORMAT where the net has no heads that look at places; errors of the data set;
///         SAC_ERROR_DIVERGED where attention is not finite; SAC_ERROR_MEMORY
SAC_CHECKED sac_status sac_heads_see(sac_heads_seen *out, const sac_trained_net *net, const sac_image_set *test,
                                     int pictures, const char *path);

void sac_heads_seen_clear(sac_heads_seen *seen);

/// The columns of a table of heads, after that of the epoch.
extern const char sac_head_columns[];

/// A head as such a row.
void sac_head_print(char text[SAC_HEAD_TEXT], const sac_head_seen *head);
