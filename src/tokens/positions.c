#include "base/error.h"
#include "base/series.h"
#include "saccade/tokens.h"

/// Positional encodings.

// The sinusoids of Vaswani et al. 2017 ("Attention Is All You Need", section 3.5): dimensions 2i and 2i + 1 are the
// sine and the cosine of position / 10000^(2i / D). Series of our own compute them, so that every machine gets the same
// bits.
static const double log_longest = 9.2103403719761827; // ln 10000

// Compute dimension d of D at a position.
static float encode(int d, int size, int position)
{
    int pair = d / 2;
    double sine, cosine, frequency = sac_series_exp(-2.0 * pair / size * log_longest);
    sac_series_sin_cos(position * frequency, &sine, &cosine);
    return (float)(d % 2 == 0 ? sine : cosine);
}

void sac_positions_flat(float *out, int stride, int size, int count)
{
    SAC_ASSERT(size >= 1 && count >= 0 && count <= 1 << 20 && stride >= count);
    for (int d = 0; d < size; d++, out += stride)
        for (int p = 0; p < count; p++) out[p] = encode(d, size, p);
}

// The first half of the dimensions encodes the row, the second half the column.
void sac_positions_grid(float *out, int stride, int size, int rows, int columns)
{
    SAC_ASSERT(size >= 2 && size % 2 == 0 && rows >= 0 && columns >= 1 && stride / columns >= rows);
    int half = size / 2;
    for (int d = 0; d < size; d++, out += stride)
        for (int p = 0; p < rows * columns; p++)
            out[p] = d < half ? encode(d, half, p / columns) : encode(d - half, half, p % columns);
}

void sac_tokens_add(float *tokens, int stride, const float *other, int other_stride, int size, int count)
{
    for (int d = 0; d < size; d++, tokens += stride, other += other_stride)
        for (int i = 0; i < count; i++) tokens[i] += other[i];
}
