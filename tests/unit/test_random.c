#include "base/random.h"
#include "files/arrays/safetensors.h"
#include "files/checksum.h"

#include "test.h"

// NumPy's draws, recorded from NumPy itself
static const void *recorded(uint64_t seed, const char *name, sac_dtype dtype, int64_t count)
{
    static sac_tensors *golden;
    if (!golden) assert_ok(sac_tensors_load(&golden, SAC_SOURCE_DIR "/tests/golden/data/rng.safetensors", 1 << 20));
    char key[64];
    snprintf(key, sizeof key, "s%d_%s", (int)seed, name);
    const sac_tensor *tensor;
    assert_ok(sac_tensors_get(&tensor, golden, key, dtype, -1, NULL));
    assert_int_equal(sac_tensor_count(tensor), count);
    return tensor->data;
}

static void check_seed(uint64_t seed)
{
    uint32_t pool[4], state[8];
    sac_seed_sequence(seed, pool, state, 8);
    assert_memory_equal(pool, recorded(seed, "seedseq_pool_u32x4", SAC_I32, 4), sizeof pool);
    assert_memory_equal(state, recorded(seed, "seedseq_state_u32x8", SAC_I32, 8), sizeof state);

    sac_pcg64 rng = sac_pcg64_create(seed);
    uint64_t words[4] = {rng.state_high, rng.state_low, rng.increment_high, rng.increment_low};
    assert_memory_equal(words, recorded(seed, "pcg64_state_hi_lo_inc_hi_lo", SAC_I64, 4), sizeof words);

    uint64_t raw[16];
    for (int i = 0; i < 16; i++) raw[i] = sac_pcg64_u64(&rng);
    assert_memory_equal(raw, recorded(seed, "raw_u64", SAC_I64, 16), sizeof raw);

    double doubles[24];
    rng = sac_pcg64_create(seed);
    for (int i = 0; i < 16; i++) doubles[i] = sac_pcg64_random(&rng);
    assert_memory_equal(doubles, recorded(seed, "random", SAC_F64, 16), 16 * sizeof *doubles);
    rng = sac_pcg64_create(seed);
    for (int i = 0; i < 16; i++) doubles[i] = sac_pcg64_uniform(&rng, -3.0, 7.0);
    assert_memory_equal(doubles, recorded(seed, "uniform_m3_7", SAC_F64, 16), 16 * sizeof *doubles);
    rng = sac_pcg64_create(seed);
    for (int i = 0; i < 24; i += 2)
    {
        doubles[i] = sac_pcg64_uniform(&rng, 0, 2 * 3.141592653589793 * 1 / 12);
        doubles[i + 1] = sac_pcg64_uniform(&rng, 50, 150);
    }
    assert_memory_equal(doubles, recorded(seed, "track_draws", SAC_F64, 24), sizeof doubles);
}

TEST(seed_sequence_and_pcg64_are_numpys)
{
    const uint64_t seeds[] = {0, 1, 42, 123456};
    for (int i = 0; i < 4; i++) check_seed(seeds[i]);
}

// bounded integers take 32-bit draws; the half that is left over waits while 64-bit draws go by
TEST(integers_are_numpys)
{
    const uint64_t seeds[] = {0, 1, 42, 123456};
    for (int s = 0; s < 4; s++)
    {
        sac_pcg64 rng = sac_pcg64_create(seeds[s]);
        const int64_t *integers = recorded(seeds[s], "integers3_16", SAC_I64, 16);
        for (int i = 0; i < 16; i++) assert_int_equal(sac_pcg64_integers(&rng, 3), integers[i]);

        rng = sac_pcg64_create(seeds[s]);
        const double *colours = recorded(seeds[s], "domain_rand_road3_bg3", SAC_F64, 6);
        for (int i = 0; i < 6; i++) assert_true(sac_pcg64_uniform(&rng, 0, 210) == colours[i]);
        const int64_t *index = recorded(seeds[s], "domain_rand_idx", SAC_I64, 1);
        assert_int_equal(sac_pcg64_integers(&rng, 3), *index);
        const double *after = recorded(seeds[s], "random_after_integers", SAC_F64, 4);
        for (int i = 0; i < 4; i++) assert_true(sac_pcg64_random(&rng) == after[i]);

        rng = sac_pcg64_create(seeds[s]);
        const uint32_t *words = recorded(seeds[s], "vizdoom_wrapper_seed_u32", SAC_I32, 8);
        for (int i = 0; i < 8; i++) assert_int_equal(sac_pcg64_u32(&rng), words[i]);
    }
}

// Random123's kat_vectors for philox4x32 with 10 rounds
TEST(philox_gives_the_published_answers)
{
    static const struct
    {
        uint32_t counter[4], key[2], out[4];
    } known[] = {
        {{0, 0, 0, 0}, {0, 0}, {0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}},
        {{0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff},
         {0xffffffff, 0xffffffff},
         {0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}},
        {{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344},
         {0xa4093822, 0x299f31d0},
         {0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}},
    };
    for (int i = 0; i < 3; i++)
    {
        const uint32_t *c = known[i].counter, *k = known[i].key;
        uint32_t out[4];
        sac_philox(out, k[0] | (uint64_t)k[1] << 32, c[0] | (uint64_t)c[1] << 32, c[2] | (uint64_t)c[3] << 32);
        assert_memory_equal(out, known[i].out, sizeof out);
    }
}

// P(X <= z) at seven places, within five standard errors
TEST(normals_have_the_normal_distribution)
{
    enum
    {
        COUNT = 200000
    };
    static double x[COUNT];
    sac_normals(x, COUNT, 5, 6, 7);
    for (double z = -3; z <= 3; z++)
    {
        double p = erfc(-z / sqrt(2)) / 2, below = 0;
        for (int i = 0; i < COUNT; i++) below += x[i] <= z;
        assert_near(below / COUNT, p, 5 * sqrt(p * (1 - p) / COUNT));
    }
}

TEST(normals_are_a_function_of_their_names)
{
    double a[9], b[9], part[4];
    sac_normals(a, 9, 1, 2, 3);
    sac_normals(b, 9, 1, 2, 3);
    assert_memory_equal(a, b, sizeof a);
    sac_normals(part, 3, 1, 2, 3);
    assert_memory_equal(a, part, 3 * sizeof *a);
    const uint64_t others[][3] = {{2, 2, 3}, {1, 3, 3}, {1, 2, 4}, {1, 3, 2}, {0, 2, 3}};
    for (int i = 0; i < 5; i++)
    {
        sac_normals(b, 9, others[i][0], others[i][1], others[i][2]);
        for (int j = 0; j < 9; j++) assert_true(a[j] != b[j]);
    }
    for (int i = 0; i < 9; i++) assert_true(isfinite(a[i]));
}

// one hash for every compiler, optimisation level, processor and C library
TEST(normals_have_the_same_bits_everywhere)
{
    enum
    {
        COUNT = 100000
    };
    static double x[COUNT];
    sac_normals(x, COUNT, 42, 1, 2);
    assert_true(sac_hash_bytes(SAC_HASH_START, x, sizeof x) == UINT64_C(0xa84f3177b158bc08));
}

TEST(streams)
{
    sac_stream a = sac_stream_create(1, 2, 3), b = sac_stream_create(1, 2, 3), c = sac_stream_create(1, 3, 2);
    int equal = 0;
    for (int i = 0; i < 1000; i++)
    {
        uint32_t x = sac_stream_u32(&a);
        assert_int_equal(x, sac_stream_u32(&b));
        equal += x == sac_stream_u32(&c);
    }
    assert_int_equal(equal, 0);

    // uniform counts: five standard errors of a binomial
    enum
    {
        COUNT = 70000,
        SIDES = 7
    };
    int counts[SIDES] = {0};
    for (int i = 0; i < COUNT; i++)
    {
        uint32_t side = sac_stream_below(&a, SIDES);
        assert_true(side < SIDES);
        counts[side]++;
        double x = sac_stream_uniform(&a, -2, 3);
        assert_true(x >= -2 && x < 3);
    }
    for (int i = 0; i < SIDES; i++)
        assert_near(counts[i], COUNT / SIDES, 5 * sqrt(COUNT * (1.0 / SIDES) * (1 - 1.0 / SIDES)));
    assert_int_equal(sac_stream_below(&a, 1), 0);

    // a quarter of the draws is rejected here; the mean of a uniform number has variance n^2 / 12
    const uint32_t large = 3u << 30;
    double mean = 0;
    for (int i = 0; i < COUNT; i++)
    {
        uint32_t x = sac_stream_below(&a, large);
        assert_true(x < large);
        mean += (double)x / large / COUNT;
    }
    assert_near(mean, 0.5, 5 * sqrt(1.0 / 12 / COUNT));
}

TESTS(seed_sequence_and_pcg64_are_numpys, integers_are_numpys, philox_gives_the_published_answers,
      normals_have_the_normal_distribution, normals_are_a_function_of_their_names,
      normals_have_the_same_bits_everywhere, streams)
