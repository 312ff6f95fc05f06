#pragma once

#include "kernels/wide_products.h"

/// Sign hashing over `words`, vectors of 16 uint32 (base/lanes/lanes.h).

// 16 tokens against `rows` rows of the matrix, whose bits are bit, 2 bit, ...
WIDE words mark_tile(words word, uint32_t bit, const float *matrix, int rows, const float *x, int size, int left,
                     int stride)
{
    // SimHash (Charikar 2002): a bit is the side of a plane, the sign of a product
    lanes sum[PRODUCT_ROWS], value = load_tokens(x, left);
    for (int r = 0; r < rows; r++) sum[r] = lanes_mul(lanes_set(matrix[r * size]), value);
    for (int m = 1; m < size; m++)
    {
        value = load_tokens(x + (size_t)m * (size_t)stride, left);
        for (int r = 0; r < rows; r++) sum[r] = lanes_fma(lanes_set(matrix[r * size + m]), value, sum[r]);
    }
    for (int r = 0; r < rows; r++) word = words_mark(word, sum[r], bit << r);
    return word;
}

// 32 planes make one word; a word of 16 tokens is built in a register.
static void wide_sign_bits(uint32_t *bits, int bits_stride, const float *matrix, int bit_count, const float *x,
                           int size, int n, int stride)
{
    for (int j = 0; j < n; j += SAC_LANES)
        for (int first = 0; first < bit_count; first += 32)
        {
            // the last word may have fewer bits; those that are missing stay 0 in every token and so never differ
            int count = bit_count - first < 32 ? bit_count - first : 32, b = 0, left = n - j;
            const float *rows = matrix + (size_t)first * (size_t)size;
            words word = words_set(0);
            for (; b + PRODUCT_ROWS <= count; b += PRODUCT_ROWS)
                word =
                    mark_tile(word, 1u << b, rows + (size_t)b * (size_t)size, PRODUCT_ROWS, x + j, size, left, stride);
            for (; b < count; b++)
                word = mark_tile(word, 1u << b, rows + (size_t)b * (size_t)size, 1, x + j, size, left, stride);
            // words are planar, as tokens are: word by word, and not token by token
            uint32_t *at = bits + (size_t)(first / 32) * (size_t)bits_stride + j;
            if (left >= SAC_LANES)
                words_store(at, word);
            else
                words_store_part(at, word, left);
        }
}

// Word by word: 16 tokens' words, the differing bits, their count, added up.
static void wide_hamming(int32_t *distances, const uint32_t *bits, int bits_stride, const uint32_t *query,
                         int word_count, int n)
{
    for (int j = 0; j < n; j += SAC_LANES)
    {
        int left = n - j;
        words sum = words_set(0);
        for (int w = 0; w < word_count; w++)
        {
            const uint32_t *at = bits + (size_t)w * (size_t)bits_stride + j;
            words value = left >= SAC_LANES ? words_load(at) : words_load_part(at, left);
            sum = words_add(sum, words_count(words_xor(value, words_set(query[w]))));
        }
        if (left >= SAC_LANES)
            words_store((uint32_t *)distances + j, sum);
        else
            words_store_part((uint32_t *)distances + j, sum, left);
    }
}

static void products_add(sac_kernels *k)
{
    k->mix = wide_mix;
    k->contract = wide_contract;
    k->carry = wide_carry;
    k->sign_bits = wide_sign_bits;
    k->hamming = wide_hamming;
}
