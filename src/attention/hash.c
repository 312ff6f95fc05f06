#include <math.h>
#include <string.h>

#include "attention/form.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "saccade/hash.h"

/// Sign hashing as in Choromanski et al. 2021 (Unlocking Pixels, second version), theorem 4.3, with packed bits that
/// are counted.

struct sac_hash
{
    sac_kernels kernels;
    int bit_count, size;
    float *matrix;  ///< [bit_count, size]
    float *cosines; ///< [bit_count + 1] of pi d / bit_count
};

enum
{
    MOST = 65536
};

static const double pi = 3.14159265358979323846;

// Compute cos x for |x| <= pi / 4 by its series, because libm's last bit differs between machines.
static double short_cosine(double x)
{
    double sum = 1, term = 1;
    for (int k = 1; k <= 9; k++)
    {
        term *= -x * x / ((2 * k - 1) * (2 * k));
        sum += term;
    }
    return sum;
}

static double short_sine(double x)
{
    double sum = x, term = x;
    for (int k = 1; k <= 9; k++)
    {
        term *= -x * x / ((2 * k) * (2 * k + 1));
        sum += term;
    }
    return sum;
}

// Compute cos(pi part / whole) for 0 <= part <= whole. Reflection keeps the arguments of both series small.
static double cosine(int part, int whole)
{
    if (2 * part > whole) return -cosine(whole - part, whole);
    if (4 * part > whole) return short_sine(pi * (whole - 2 * part) / (2.0 * whole));
    return short_cosine(pi * part / whole);
}

static sac_status fill(sac_hash *hash, uint64_t seed, const float *projection)
{
    size_t count = (size_t)hash->bit_count * (size_t)hash->size;
    hash->matrix = SAC_NEW_ARRAY(float, count);
    hash->cosines = SAC_NEW_ARRAY(float, (size_t)hash->bit_count + 1);
    double *normals = projection ? NULL : SAC_NEW_ARRAY(double, count);
    bool has_memory = hash->matrix && hash->cosines && (projection || normals);
    if (has_memory)
    {
        if (projection)
            memcpy(hash->matrix, projection, count * sizeof(float));
        else
            sac_normals(normals, count, seed, 0, 0);
        for (size_t i = 0; !projection && i < count; i++) hash->matrix[i] = (float)normals[i];
        for (int d = 0; d <= hash->bit_count; d++) hash->cosines[d] = (float)cosine(d, hash->bit_count);
    }
    sac_free(normals);
    return has_memory ? SAC_OK : sac_fail_memory("a hash");
}

sac_status sac_hash_create(sac_hash **out, int bit_count, int size, uint64_t seed, const float *projection)
{
    *out = NULL;
    if (bit_count < 1 || bit_count > MOST || size < 1 || size > MOST)
        return sac_fail(SAC_ERROR_ARGUMENT, "hash: %d bits of %d numbers, expected 1 to %d of each", bit_count, size,
                        MOST);
    sac_hash *hash = SAC_NEW(sac_hash);
    if (!hash) return sac_fail_memory("a hash");
    *hash = (sac_hash){.kernels = sac_kernels_create(sac_get_cpu_level()), .bit_count = bit_count, .size = size};
    sac_status status = fill(hash, seed, projection);
    if (status != SAC_OK)
    {
        sac_hash_destroy(hash);
        return status;
    }
    *out = hash;
    return SAC_OK;
}

void sac_hash_destroy(sac_hash *hash)
{
    if (!hash) return;
    sac_free(hash->matrix);
    sac_free(hash->cosines);
    sac_free(hash);
}

int sac_hash_words(const sac_hash *hash)
{
    return (hash->bit_count + 31) / 32;
}

void sac_hash_bits(const sac_hash *hash, uint32_t *bits, int bits_stride, const float *x, int count, int stride)
{
    hash->kernels.sign_bits(bits, bits_stride, hash->matrix, hash->bit_count, x, hash->size, count, stride);
}

void sac_hash_distances(const sac_hash *hash, int32_t *distances, const uint32_t *bits, int bits_stride,
                        const uint32_t *query, int count)
{
    hash->kernels.hamming(distances, bits, bits_stride, query, sac_hash_words(hash), count);
}

void sac_hash_scores(const sac_hash *hash, float *angles, float *scores, const int32_t *distances, float length,
                     int count)
{
    // Choromanski et al. 2021 (Unlocking Pixels, second version): psi.psi estimates 1 - 2 theta / pi (equation 14), and
    // it is 1 - 2 d / m', so that theta = pi d / m'. A score is |z| |phi(k)| cos theta (equation 13).
    for (int i = 0; angles && i < count; i++) angles[i] = (float)(pi * distances[i] / hash->bit_count);
    for (int i = 0; scores && i < count; i++) scores[i] = length * hash->cosines[distances[i]];
}

float sac_hash_length(const sac_attention *attention, const float *z, int query_count)
{
    double square = 0;
    for (int f = 0; f < sac_attention_feature_size(attention); f++) square += (double)z[f] * (double)z[f];
    float half = (float)(attention->scale / 2), key_length;
    attention->kernels.exp(&key_length, &half, 1);
    return (float)(sqrt(square) * (double)key_length / query_count);
}
