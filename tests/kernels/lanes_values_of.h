#include <string.h>

#include "lanes_values.h"

/// The body of one level's function, LANES_VALUES, after the level's header.

// NaN is as good as any other NaN
static lanes one_nan(lanes a)
{
    return lanes_choose(lanes_equal(a, a), a, lanes_set(__builtin_nanf("")));
}

#define PUT_LANES(value) lanes_store((float *)(out + 16 * row++), one_nan(value))
#define PUT_WORDS(value) words_store(out + 16 * row++, value)
#define PUT_MASK(value)  PUT_WORDS(words_set(mask_bits(value)))
#define PUT_FLOAT(value) PUT_LANES(lanes_set(value))

static int put_floats(uint32_t *out, const lanes_scene *s)
{
    int row = 0, count = s->count;
    lanes x = lanes_load(s->x), y = lanes_load(s->y), z = lanes_load(s->z), sine, cosine;
    PUT_LANES(lanes_load_part(s->x, count));
    PUT_LANES(lanes_first(x, count));
    PUT_LANES(y);
    lanes_store_part((float *)(out + 16 * (row - 1)), lanes_abs(lanes_load(s->small)), count);
    PUT_LANES(lanes_add(x, y));
    PUT_LANES(lanes_sub(x, y));
    PUT_LANES(lanes_mul(x, y));
    PUT_LANES(lanes_div(x, y));
    PUT_LANES(lanes_fma(x, y, z));
    PUT_LANES(lanes_min(x, y));
    PUT_LANES(lanes_max(x, y));
    PUT_LANES(lanes_sqrt(x));
    PUT_LANES(lanes_abs(x));
    PUT_LANES(lanes_negate(x));
    PUT_LANES(lanes_copy_sign(x, y));
    PUT_LANES(lanes_round(x));
    PUT_LANES(lanes_floor(x));
    PUT_LANES(lanes_power(lanes_load(s->small), lanes_load(s->whole)));
    lanes whole = lanes_add(lanes_load(s->whole), lanes_set(LANES_MAGIC));
    PUT_LANES(lanes_raise(lanes_set(1.5f), whole));
    lanes_quarter(whole, x, y, &sine, &cosine);
    PUT_LANES(sine);
    PUT_LANES(cosine);
    PUT_FLOAT(lanes_sum(lanes_load(s->small)));
    PUT_FLOAT(lanes_largest(x));
    PUT_FLOAT(lanes_smallest(lanes_load(s->small), lanes_less(x, y)));
    PUT_FLOAT(lanes_smallest(x, mask_from_bits(0)));
    return row;
}

static int put_masks(uint32_t *out, const lanes_scene *s)
{
    int row = 0;
    lanes x = lanes_load(s->x), y = lanes_load(s->y), z = lanes_load(s->z);
    mask less = lanes_less(x, y), at_most = lanes_at_most(x, z), equal = lanes_equal(x, z);
    PUT_MASK(less);
    PUT_MASK(at_most);
    PUT_MASK(equal);
    PUT_MASK(mask_and(less, at_most));
    PUT_MASK(mask_or(less, at_most));
    PUT_MASK(mask_without(less, at_most));
    PUT_MASK(mask_from_bits((unsigned)s->a[0] & 0xffff));
    PUT_MASK(words_equal(words_load(s->a), words_load(s->b)));
    PUT_WORDS(words_set((uint32_t)mask_any(mask_and(less, at_most))));
    PUT_WORDS(words_set((uint32_t)mask_any(mask_from_bits(0))));
    PUT_LANES(lanes_choose(less, x, y));
    PUT_WORDS(words_choose(at_most, words_load(s->a), words_load(s->b)));
    return row;
}

static int put_words(uint32_t *out, const lanes_scene *s)
{
    int row = 0, count = s->count;
    words a = words_load(s->a), b = words_load(s->b), places = words_load(s->places), gathered[4];
    lanes small = lanes_load(s->small);
    PUT_WORDS(words_load_part(s->a, count));
    PUT_WORDS(b);
    words_store_part(out + 16 * (row - 1), a, count);
    PUT_WORDS(words_add(a, b));
    PUT_WORDS(words_sub(a, b));
    PUT_WORDS(words_mul(a, b));
    PUT_WORDS(words_and(a, b));
    PUT_WORDS(words_or(a, b));
    PUT_WORDS(words_xor(a, b));
    PUT_WORDS(words_min(a, b));
    PUT_WORDS(words_shift_left(a, 5));
    PUT_WORDS(words_shift_right(a, 7));
    PUT_WORDS(words_count(a));
    PUT_WORDS(words_mark(a, lanes_load(s->x), 64));
    PUT_WORDS(words_multiply_pairs(a, b));
    PUT_WORDS(words_truncate(small));
    PUT_WORDS(words_round(small));
    PUT_LANES(lanes_from_words(a));
    PUT_WORDS(words_cast(small));
    PUT_LANES(lanes_cast(words_cast(small)));
    PUT_LANES(lanes_look_up(s->x, places));
    PUT_WORDS(words_look_up(s->a, places));
    words_gather(gathered, s->blocks, places);
    for (int i = 0; i < 4; i++) PUT_WORDS(gathered[i]);
    // four rows of 12 bytes, a byte apart
    memset(out + 16 * row, 0, 64);
    words_store_rgb((uint8_t *)(out + 16 * row++), 13, a);
    return row;
}

int LANES_VALUES(uint32_t *out, const lanes_scene *scene)
{
    int rows = put_floats(out, scene);
    rows += put_masks(out + 16 * rows, scene);
    return rows + put_words(out + 16 * rows, scene);
}
