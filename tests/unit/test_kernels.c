#include "kernels/kernels.h"

#include "failing_memory.h"
#include "saccade/attention.h"
#include "test.h"

// what the kernels mean, against plain formulas; that all levels agree to the bit is the kernel check's business

static sac_kernels table(void)
{
    return sac_kernels_create(sac_get_cpu_level());
}

enum
{
    HEIGHT = 40,
    WIDTH = 53,
    CHANNELS = 3,
    PATCH = 7,
    STRIDE = 4,
    OUTPUTS = 5,
    SIZE = PATCH * PATCH * CHANNELS,
    ROWS = (HEIGHT - PATCH) / STRIDE + 1,
    COLUMNS = (WIDTH - PATCH) / STRIDE + 1,
    N = ROWS * COLUMNS
};

typedef struct scene
{
    uint8_t bytes[HEIGHT * WIDTH * CHANNELS];
    float pixels[HEIGHT * WIDTH * CHANNELS];
    float weights[OUTPUTS * SIZE];
} scene;

static void fill_scene(scene *s)
{
    sac_stream stream = sac_stream_create(5, 0, 0);
    for (int i = 0; i < HEIGHT * WIDTH * CHANNELS; i++)
    {
        s->bytes[i] = (uint8_t)sac_stream_below(&stream, 256);
        s->pixels[i] = (float)s->bytes[i];
    }
    fill_uniform(s->weights, OUTPUTS * SIZE, 6);
    for (int i = 0; i < SIZE; i++) s->weights[i] *= 100; // outputs have scales of their own
}

// the i-th number of patch n
static int pixel_of(int n, int i)
{
    int y = n / COLUMNS * STRIDE + i / (PATCH * CHANNELS), x = n % COLUMNS * STRIDE * CHANNELS + i % (PATCH * CHANNELS);
    return y * WIDTH * CHANNELS + x;
}

static void *aligned_scratch(size_t size)
{
    _Alignas(64) static unsigned char scratch[1 << 21];
    assert_true(size <= sizeof scratch);
    return scratch;
}

TEST(bytes_and_floats_project_alike)
{
    static scene s;
    fill_scene(&s);
    sac_kernels k = table();
    sac_patches p = sac_patches_create(HEIGHT, WIDTH, CHANNELS, PATCH, STRIDE, OUTPUTS);
    assert_int_equal(p.rows, ROWS);
    assert_int_equal(p.columns, COLUMNS);
    void *scratch = aligned_scratch(sac_project_scratch_size(&p));
    int32_t packed[4096];
    assert_true(sac_project_packed_count(&p) <= 4096);
    float scales[OUTPUTS];
    static int32_t sums[OUTPUTS * N];
    static float floats[OUTPUTS * N];
    sac_project_quantise(packed, scales, s.weights, &p);
    k.project_bytes(sums, N, s.bytes, packed, &p, scratch);
    k.project_floats(floats, N, s.pixels, s.weights, &p, scratch);

    for (int o = 0; o < OUTPUTS; o++)
        for (int n = 0; n < N; n++)
        {
            double exact = 0, bytes = 0, magnitude = 0;
            for (int i = 0; i < SIZE; i++)
            {
                double x = s.bytes[pixel_of(n, i)], w = (double)s.weights[o * SIZE + i];
                exact += w * x;
                bytes += x;
                magnitude += fabs(w * x);
            }
            // one rounding an addition
            assert_near(floats[o * N + n], exact, SIZE * magnitude * 0x1p-24);
            // each weight is off by half a step, and the step is rounded to a float
            assert_near((double)sums[o * N + n] * (double)scales[o], exact,
                        bytes * (double)scales[o] / 2 + magnitude * 0x1p-23);
        }
}

TEST(quantised_sums_stay_within_32_bits)
{
    // the largest patch that 32767 allows, and the next ones
    for (int patch = 9; patch <= 64; patch += 11)
    {
        sac_patches p = sac_patches_create(patch, patch, 3, patch, 1, 1);
        int size = sac_patch_size(&p);
        float *weights = malloc((size_t)size * sizeof(float));
        uint8_t *image = malloc((size_t)size);
        int32_t *packed = malloc(sac_project_packed_count(&p) * sizeof(int32_t)), sum;
        for (int i = 0; i < size; i++) weights[i] = -1, image[i] = 255;
        float scale;
        sac_project_quantise(packed, &scale, weights, &p);
        table().project_bytes(&sum, 1, image, packed, &p, aligned_scratch(sac_project_scratch_size(&p)));
        assert_near((double)sum * (double)scale, -255.0 * size, 255.0 * size * 0x1p-23);
        free(weights);
        free(image);
        free(packed);
    }
}

TEST(weights_that_are_not_finite_show)
{
    sac_patches p = sac_patches_create(2, 2, 1, 2, 1, 2);
    const float weights[8] = {1, NAN, 1, 1, 1, 2, 3, 4};
    int32_t packed[64];
    float scales[2];
    sac_project_quantise(packed, scales, weights, &p);
    assert_true(isnan(scales[0]));
    assert_near(scales[1], 4.0 / 32767, 1e-9);
}

TEST(lstm_is_torchs_cell)
{
    enum
    {
        INPUTS = 20,
        H = 16
    };
    float weight_ih[4 * H * INPUTS], weight_hh[4 * H * H], bias_ih[4 * H], bias_hh[4 * H], x[INPUTS], h[H], c[H];
    float packed[4 * H * (1 + INPUTS + H)];
    _Alignas(64) float scratch[H];
    assert_true(sac_lstm_packed_count(INPUTS, H) <= sizeof packed / sizeof *packed);
    fill_uniform(weight_ih, 4 * H * INPUTS, 1);
    fill_uniform(weight_hh, 4 * H * H, 2);
    fill_uniform(bias_ih, 4 * H, 3);
    fill_uniform(bias_hh, 4 * H, 4);
    fill_uniform(x, INPUTS, 5);
    fill_uniform(h, H, 6);
    fill_uniform(c, H, 7);
    double expected_h[H], expected_c[H];
    for (int u = 0; u < H; u++)
    {
        double gate[4];
        for (int g = 0; g < 4; g++)
        {
            gate[g] = (double)bias_ih[g * H + u] + (double)bias_hh[g * H + u];
            for (int i = 0; i < INPUTS; i++) gate[g] += (double)weight_ih[(g * H + u) * INPUTS + i] * (double)x[i];
            for (int i = 0; i < H; i++) gate[g] += (double)weight_hh[(g * H + u) * H + i] * (double)h[i];
        }
        for (int g = 0; g < 4; g++) gate[g] = g == 2 ? tanh(gate[g]) : 1 / (1 + exp(-gate[g]));
        expected_c[u] = gate[1] * (double)c[u] + gate[0] * gate[2];
        expected_h[u] = gate[3] * tanh(expected_c[u]);
    }
    sac_lstm_pack(packed, weight_ih, weight_hh, bias_ih, bias_hh, INPUTS, H);
    sac_kernels k = table();
    k.lstm_step(h, c, x, packed, INPUTS, H, scratch);
    // gates: 37 roundings of sums of at most 38, slope at most 1; then a few more of numbers below 2
    for (int u = 0; u < H; u++)
    {
        assert_near(c[u], expected_c[u], (2 * 37 * 38 + 16) * 0x1p-24);
        assert_near(h[u], expected_h[u], (3 * 37 * 38 + 32) * 0x1p-24);
    }
}

TEST(dense_is_a_product_and_a_bias)
{
    enum
    {
        OUT = 3,
        IN = 37
    };
    float weights[OUT * IN], bias[OUT], x[IN], out[OUT];
    fill_uniform(weights, OUT * IN, 1);
    fill_uniform(bias, OUT, 2);
    fill_uniform(x, IN, 3);
    table().dense(out, weights, bias, x, OUT, IN);
    for (int o = 0; o < OUT; o++)
    {
        double exact = (double)bias[o];
        for (int i = 0; i < IN; i++) exact += (double)weights[o * IN + i] * (double)x[i];
        assert_near(out[o], exact, (IN + 1) * (IN + 1) * 0x1p-24);
    }
}

// softmax over distinct columns with counts is softmax over all of them
TEST(counted_columns_stand_for_equal_ones)
{
    enum
    {
        D = 4,
        DISTINCT = 16,
        COPIES = 3,
        ALL = DISTINCT * COPIES,
        FEW = 3
    };
    static float keys[D * ALL], few_keys[D * DISTINCT], queries[D * FEW], counts[DISTINCT];
    _Alignas(64) static float all[FEW * ALL], few[FEW * DISTINCT];
    float all_sums[FEW], few_sums[FEW];
    fill_uniform(few_keys, D * DISTINCT, 1);
    fill_uniform(queries, D * FEW, 2);
    for (int i = 0; i < ALL; i++)
    {
        counts[i % DISTINCT] = COPIES;
        for (int d = 0; d < D; d++) keys[d * ALL + i] = few_keys[d * DISTINCT + i % DISTINCT];
    }
    sac_kernels t = table();
    t.softmax_rows(all, all_sums, queries, NULL, FEW, keys, NULL, D, ALL, ALL);
    t.softmax_rows(few, few_sums, queries, NULL, FEW, few_keys, counts, D, DISTINCT, DISTINCT);
    for (int r = 0; r < FEW; r++)
    {
        for (int i = 0; i < ALL; i++)
            assert_memory_equal(&all[r * ALL + i], &few[r * DISTINCT + i % DISTINCT], sizeof(float));
        assert_near(all_sums[r], few_sums[r], (double)all_sums[r] * ALL * 0x1p-24);
    }
}

// a shift by the largest score changes nothing but a factor
TEST(shifted_rows_are_proportional)
{
    enum
    {
        D = 3,
        KEYS = 37,
        PITCH = 48
    };
    static float keys[D * KEYS], queries[D];
    _Alignas(64) static float near[PITCH], far[PITCH];
    float sum, far_sum, largest;
    fill_uniform(keys, D * KEYS, 1);
    fill_uniform(queries, D, 2);
    sac_kernels t = table();
    t.largest_scores(&largest, queries, 1, keys, D, KEYS, KEYS);
    t.softmax_rows(near, &sum, queries, NULL, 1, keys, NULL, D, KEYS, KEYS);
    t.softmax_rows(far, &far_sum, queries, &largest, 1, keys, NULL, D, KEYS, KEYS);
    // D + 1 roundings of scores up to 3, and a few of exp2 and the sum
    for (int j = 0; j < KEYS; j++) assert_near(near[j] / sum, far[j] / far_sum, near[j] / sum * 40 * 0x1p-24);
    for (int j = KEYS; j < PITCH; j++) assert_true(near[j] == 0 && far[j] == 0);
}

TEST(top_falls_and_breaks_ties_upwards)
{
    enum
    {
        COUNT = 200,
        K = 64
    };
    float values[COUNT];
    sac_stream stream = sac_stream_create(1, 0, 0);
    for (int i = 0; i < COUNT; i++) values[i] = (float)sac_stream_below(&stream, 30);
    values[3] = values[150] = NAN;
    int top[K];
    table().top(top, K, values, COUNT);
    for (int i = 1; i < K; i++)
        assert_true(values[top[i - 1]] > values[top[i]] ||
                    (values[top[i - 1]] == values[top[i]] && top[i - 1] < top[i]));
    int larger = 0;
    for (int i = 0; i < COUNT; i++) larger += values[i] > values[top[K - 1]];
    assert_true(larger < K);
}

TEST(top_ranks_nan_last_and_in_order)
{
    float values[40];
    for (int i = 0; i < 40; i++) values[i] = NAN;
    values[20] = -INFINITY;
    values[33] = 1;
    int top[4];
    table().top(top, 4, values, 40);
    const int expected[] = {33, 20, 0, 1};
    assert_memory_equal(top, expected, sizeof top);
}

TEST(creating_an_attention_survives_lack_of_memory)
{
    sac_attention_def def = sac_attention_default_def();
    def.form = "positive";
    def.key_size = 4;
    sac_attention *attention = NULL;
    assert_survives_lack_of_memory(sac_attention_create(&attention, &def), sac_attention_destroy(attention));
}

TESTS(bytes_and_floats_project_alike, quantised_sums_stay_within_32_bits, weights_that_are_not_finite_show,
      lstm_is_torchs_cell, dense_is_a_product_and_a_bias, counted_columns_stand_for_equal_ones,
      shifted_rows_are_proportional, top_falls_and_breaks_ties_upwards, top_ranks_nan_last_and_in_order,
      creating_an_attention_survives_lack_of_memory)
