#include "test.h"

#include "base/series.h"

enum
{
    COUNT = 3667
};

TEST(every_cpu_level_gives_the_same_bits)
{
    static double first[COUNT], other[COUNT];
    sac_cpu_level best = sac_get_cpu_level();
    sac_set_cpu_level(SAC_CPU_SCALAR);
    sac_normals(first, COUNT, 1, 2, 3);
    for (int level = SAC_CPU_SCALAR; level <= (int)best; level++)
    {
        sac_set_cpu_level((sac_cpu_level)level);
        sac_normals(other, COUNT, 1, 2, 3);
        assert_memory_equal(first, other, sizeof first);
    }
    sac_set_cpu_level(best);
}

TEST(a_part_is_a_part_of_the_whole)
{
    static double whole[COUNT], part[COUNT];
    sac_normals(whole, COUNT, 9, 0, 0);
    static const size_t ranges[][2] = {{0, 1}, {0, 2}, {2, 5}, {126, 4}, {128, 128}, {130, 500}, {3666, 1}};
    for (size_t i = 0; i < sizeof ranges / sizeof *ranges; i++)
    {
        sac_normals_from(part, ranges[i][0], ranges[i][1], 9, 0, 0);
        assert_memory_equal(part, whole + ranges[i][0], ranges[i][1] * sizeof *part);
    }
}

// the definition, by libm: pair i comes from the four words of Philox at counter i
TEST(they_are_box_and_muller_of_philox)
{
    static double z[COUNT + 1];
    sac_normals(z, COUNT + 1, 77, 5, 6);
    uint64_t name = sac_mix_seed(1, 5, 6);
    for (uint64_t i = 0; i <= COUNT / 2; i++)
    {
        uint32_t w[4];
        sac_philox(w, 77, i, name);
        double u = ((w[0] >> 5) * 0x1p26 + (w[1] >> 6)) * 0x1p-53, v = ((w[2] >> 5) * 0x1p26 + (w[3] >> 6)) * 0x1p-53;
        double radius = sqrt(-2 * log1p(-u)), angle = 6.283185307179586 * v;
        // 1 - u is rounded to 2^-53 and |d sqrt(-2 ln x)| = |dx| / (x radius): near x = 1 that is the larger part
        double tolerance = 1e-15 * radius + 0x1p-53 / ((1 - u) * fmax(radius, 0x1p-26)) + 4e-15;
        assert_near(z[2 * i], radius * cos(angle), tolerance);
        assert_near(z[2 * i + 1], radius * sin(angle), tolerance);
    }
}

// moments of 2 million numbers, within five standard errors
TEST(they_are_standard_normal)
{
    static double z[1000];
    double sum[5] = {0}, count = 2e6;
    for (uint64_t i = 0; i < 2000; i++)
    {
        sac_normals(z, 1000, 3, 1, i);
        for (int j = 0; j < 1000; j++)
            for (int k = 1; k <= 4; k++) sum[k] += pow(z[j], k) / count;
    }
    assert_near(sum[1], 0, 5 * sqrt(1 / count));
    assert_near(sum[2], 1, 5 * sqrt(2 / count));
    assert_near(sum[3], 0, 5 * sqrt(15 / count));
    assert_near(sum[4], 3, 5 * sqrt(96 / count));
}

TEST(individuals_and_generations_are_unrelated)
{
    static double a[COUNT], b[COUNT];
    sac_normals(a, COUNT, 4, 7, 0);
    static const uint64_t others[][3] = {{4, 7, 1}, {4, 8, 0}, {5, 7, 0}, {4, 0, 7}};
    for (int k = 0; k < 4; k++)
    {
        sac_normals(b, COUNT, others[k][0], others[k][1], others[k][2]);
        double correlation = 0;
        for (int i = 0; i < COUNT; i++) correlation += a[i] * b[i] / COUNT;
        assert_near(correlation, 0, 5 / sqrt(COUNT));
    }
}

TEST(series_equal_libm)
{
    for (int i = -7000; i <= 7000; i++)
    {
        double x = i * 0.1 + 1e-3, e = exp(x);
        // the argument's rounding costs |x| 2^-53; 4 more units for the sum
        assert_near(sac_series_exp(x), e, e * (fabs(x) + 8) * 0x1p-52);
        double y = exp(i * 0.01), l = log(y);
        assert_near(sac_series_log(y), l, (fabs(l) + 1) * 8 * 0x1p-52);
    }
    assert_true(sac_series_exp(0) == 1 && sac_series_log(1) == 0);
    assert_true(sac_series_exp(-1000) == 0 && isinf(sac_series_exp(1000)));
}

TESTS(every_cpu_level_gives_the_same_bits, a_part_is_a_part_of_the_whole, they_are_box_and_muller_of_philox,
      they_are_standard_normal, individuals_and_generations_are_unrelated, series_equal_libm)
