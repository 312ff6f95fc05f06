#include "failing_memory.h"
#include "readings_scene.h"

/// Sign hashing.

static const double pi = 3.14159265358979323846;

TEST(bits_are_signs_of_products)
{
    enum
    {
        BITS = 77,
        SIZE = 5,
        N = 19
    };
    float matrix[BITS * SIZE], x[SIZE * N];
    uint32_t bits[3 * N];
    fill_uniform(matrix, BITS * SIZE, 1);
    fill_uniform(x, SIZE * N, 2);
    for (int i = 0; i < SIZE; i++) x[i * N + 4] = 0;
    sac_hash *hash;
    assert_ok(sac_hash_create(&hash, BITS, SIZE, 0, matrix));
    assert_int_equal(sac_hash_words(hash), 3);
    sac_hash_bits(hash, bits, N, x, N, N);
    for (int j = 0; j < N; j++)
        for (int b = 0; b < 96; b++)
        {
            double sum = 0;
            for (int i = 0; i < SIZE && b < BITS; i++) sum += (double)matrix[b * SIZE + i] * (double)x[i * N + j];
            if (j != 4 && b < BITS && fabs(sum) < SIZE * 2 * ROUNDING) continue; // either sign
            assert_int_equal(bits[b / 32 * N + j] >> (b % 32) & 1, b < BITS && sum >= 0);
        }
    sac_hash_destroy(hash);
}

// Hoeffding: P(|d/m' - theta/pi| > e) <= 2 exp(-2 m' e^2), over N pairs at once
TEST(distances_tell_angles)
{
    enum
    {
        BITS = 4096,
        SIZE = 6,
        N = 200
    };
    static uint32_t bits[BITS / 32 * N];
    static int32_t distances[N];
    static float x[SIZE * N], angles[N];
    uint32_t query[BITS / 32];
    float one[SIZE];
    sac_hash *hash;
    assert_ok(sac_hash_create(&hash, BITS, SIZE, 9, NULL));
    fill_uniform(x, SIZE * N, 2);
    for (int i = 0; i < SIZE; i++) one[i] = x[i * N], x[i * N + 1] = -x[i * N];
    sac_hash_bits(hash, bits, N, x, N, N);
    sac_hash_bits(hash, query, 1, one, 1, 1);
    sac_hash_distances(hash, distances, bits, N, query, N);
    sac_hash_scores(hash, angles, NULL, distances, 1, N);
    assert_int_equal(distances[0], 0);
    assert_int_equal(distances[1], BITS);
    double error = pi * sqrt(log(2 * N / 1e-6) / (2.0 * BITS)); // fails once in a million seeds
    for (int j = 0; j < N; j++)
    {
        double dot = 0, a = 0, b = 0;
        for (int i = 0; i < SIZE; i++)
        {
            dot += (double)x[i * N + j] * (double)one[i];
            a += (double)x[i * N + j] * (double)x[i * N + j];
            b += (double)one[i] * (double)one[i];
        }
        assert_near(angles[j], acos(fmax(-1, fmin(1, dot / sqrt(a * b)))), error);
    }
    sac_hash_destroy(hash);
}

TEST(scores_are_cosines_of_angles)
{
    static const int counts[] = {1, 2, 3, 64, 257, 1000};
    for (int c = 0; c < 6; c++)
    {
        sac_hash *hash;
        int bits = counts[c];
        int32_t distances[1001];
        float scores[1001], angles[1001];
        assert_ok(sac_hash_create(&hash, bits, 1, 1, NULL));
        for (int d = 0; d <= bits; d++) distances[d] = d;
        sac_hash_scores(hash, angles, scores, distances, 3, bits + 1);
        for (int d = 0; d <= bits; d++)
        {
            assert_near(angles[d], pi * d / bits, 4 * ROUNDING);
            assert_near(scores[d], 3 * cos(pi * d / bits), 3 * 2 * ROUNDING);
            if (d > 0) assert_true(scores[d] < scores[d - 1]);
        }
        assert_true(scores[0] == 3 && scores[bits] == -3);
        if (bits % 2 == 0) assert_true(scores[bits / 2] == 0);
        sac_hash_destroy(hash);
    }
}

// Choromanski et al. 2021 (Unlocking Pixels, second version), theorem 4.3, with the number of bits that its proof
// gives: m' = 2 / eps^2 (log(L I) + log(2 / p)) bits are enough for all of L keys in I frames to have scores within
// exp(sqrt d) pi / 2 eps of the unhashed ones, with probability 1 - p
TEST(hashed_scores_keep_the_bound_of_theorem_4_3)
{
    enum
    {
        D = 4,
        L = 64,
        FRAMES = 5,
        SEEDS = 10
    };
    static scene s;
    const double eps = 0.2, p = 1e-4;
    int bits = (int)ceil(2 / (eps * eps) * (log(L * FRAMES) + log(2 / p)));
    double bound = exp(sqrt((double)D)) * pi / 2 * eps, worst = 0;
    scene_open(&s, "trig", L, D, 16, 1, true);
    void *workspace = scene_memory(sac_rank_workspace_size(s.attention));
    for (int seed = 0; seed < SEEDS; seed++)
    {
        sac_key_database *db;
        sac_key_database_def def = sac_key_database_default_def();
        def.attention = s.attention;
        def.capacity = L;
        def.hash_bits = bits;
        def.hash_seed = (uint64_t)seed;
        assert_ok(sac_key_database_create(&db, &def));
        sac_key_database_refresh(db, s.keys, L, s.stride);
        for (int frame = 0; frame < FRAMES; frame++)
        {
            float z[SCENE_MAX_FEATURES], exact[L], hashed[L];
            fill_uniform(s.queries, (size_t)(D * s.stride), (uint64_t)(100 + frame));
            sac_rank_summary(s.attention, z, NULL, 1, 0, s.queries, L, s.stride, workspace);
            sac_key_database_scores(db, exact, L, z, 1, L);
            sac_key_database_hash_scores(db, hashed, z, L);
            for (int j = 0; j < L; j++) worst = fmax(worst, fabs((double)exact[j] - (double)hashed[j]));
        }
        sac_key_database_destroy(db);
    }
    assert_true(worst <= bound);
    assert_true(worst > bound / 100); // hashing is no identity
    free(workspace);
    scene_close(&s);
}

TEST(bad_sizes_are_named)
{
    sac_hash *hash;
    assert_fails(sac_hash_create(&hash, 0, 1, 1, NULL), SAC_ERROR_ARGUMENT, "0 bits");
    assert_null(hash);
    assert_fails(sac_hash_create(&hash, 1, 1 << 20, 1, NULL), SAC_ERROR_ARGUMENT, "65536");
    sac_hash_destroy(NULL);
    assert_survives_lack_of_memory(sac_hash_create(&hash, 64, 8, 1, NULL), sac_hash_destroy(hash));
}

TESTS(bits_are_signs_of_products, distances_tell_angles, scores_are_cosines_of_angles,
      hashed_scores_keep_the_bound_of_theorem_4_3, bad_sizes_are_named)
