#include <math.h>

#include "base/error.h"
#include "saccade/heads.h"

/// These functions make heads from their parameters, and vectors whose dot product with the vector of an offset is the
/// logit. Equations are those of "Attention layer can implement CNN".

sac_head sac_head_isotropic(double alpha, double row, double column)
{
    return (sac_head){.target = {row, column}, .precision = {2 * alpha, 0, 2 * alpha}};
}

sac_head sac_head_from_root(const double root[4], double row, double column)
{
    return (sac_head){.target = {row, column},
                      .precision = {root[0] * root[0] + root[2] * root[2], root[0] * root[1] + root[2] * root[3],
                                    root[1] * root[1] + root[3] * root[3]}};
}

void sac_heads_nine(sac_head heads[9], double alpha)
{
    // a head sees p_i - mu, so the target is minus the offset
    for (int row = -1; row <= 1; row++)
        for (int column = -1; column <= 1; column++) *heads++ = sac_head_isotropic(alpha, -row, -column);
}

// The vector of an isotropic head: equation 6 of "Attention layer can implement CNN".
static void encode_isotropic(double *t, const sac_head *head)
{
    SAC_ASSERT(head->precision[1] == 0 && head->precision[0] == head->precision[2]);
    double alpha = head->precision[0] / 2, x = head->target[0], y = head->target[1];
    t[0] = 2 * alpha * x;
    t[1] = 2 * alpha * y;
    t[2] = t[3] = -alpha;
    t[4] = -alpha * x * x;
    t[5] = -alpha * y * y;
}

// The vector of a general head: equation 11 of "Attention layer can implement CNN".
static void encode_general(double *t, const sac_head *head)
{
    double a = head->precision[0], b = head->precision[1], c = head->precision[2];
    double x = head->target[0], y = head->target[1];
    const double terms[] = {-2 * a * x, -2 * c * y, -2 * b * y, -2 * b * x, a,
                            c,          2 * b,      a * x * x,  c * y * y,  2 * b * x * y};
    for (int i = 0; i < 10; i++) t[i] = -0.5 * terms[i];
}

// The vector of the general form has the terms of x and y twice, once from each square and once from the mixed product;
// the shorter form adds them up.
void sac_head_encode(double *t, const sac_head *head, sac_head_encoding encoding)
{
    if (encoding == SAC_HEAD_ISOTROPIC)
    {
        encode_isotropic(t, head);
        return;
    }
    double whole[10];
    encode_general(whole, head);
    if (encoding == SAC_HEAD_GENERAL)
    {
        for (int i = 0; i < 10; i++) t[i] = whole[i];
        return;
    }
    t[0] = whole[0] + whole[2];
    t[1] = whole[1] + whole[3];
    for (int i = 2; i < 5; i++) t[i] = whole[i + 2];
}

void sac_offset_encode(double *r, double row, double column, sac_head_encoding encoding)
{
    const double squares[] = {row * row, column * column, row * column};
    int at = 0;
    for (int i = 0; i < (encoding == SAC_HEAD_GENERAL ? 2 : 1); i++)
    {
        r[at++] = row;
        r[at++] = column;
    }
    for (int i = 0; i < (encoding == SAC_HEAD_ISOTROPIC ? 2 : 3); i++) r[at++] = squares[i];
    while (at < (int)encoding) r[at++] = 1;
}
