#include <float.h>

#include "saccade/tokens.h"
#include "test.h"

/// Positions, depth images and point clouds as tokens.

TEST(flat_positions_are_sinusoids)
{
    enum
    {
        COUNT = 70000
    };
    static const int sizes[] = {1, 2, 5, 12};
    static float out[12 * COUNT];
    for (int s = 0; s < 4; s++)
    {
        int size = sizes[s];
        sac_positions_flat(out, COUNT, size, COUNT);
        for (int d = 0; d < size; d++)
            for (int p = 0; p < COUNT; p += p < 1000 ? 1 : 617)
            {
                double angle = p / pow(10000, d / 2 * 2.0 / size);
                // a float, and an angle below 70000 in double
                assert_near((double)out[d * COUNT + p], d % 2 == 0 ? sin(angle) : cos(angle),
                            (double)FLT_EPSILON / 4 + 70000 * 20 * DBL_EPSILON);
            }
    }
}

TEST(grid_positions_are_those_of_rows_and_columns)
{
    enum
    {
        ROWS = 5,
        COLUMNS = 9,
        SIZE = 10,
        STRIDE = 50
    };
    float out[SIZE * STRIDE], row[SIZE / 2 * ROWS], column[SIZE / 2 * COLUMNS];
    sac_positions_grid(out, STRIDE, SIZE, ROWS, COLUMNS);
    sac_positions_flat(row, ROWS, SIZE / 2, ROWS);
    sac_positions_flat(column, COLUMNS, SIZE / 2, COLUMNS);
    for (int d = 0; d < SIZE / 2; d++)
        for (int p = 0; p < ROWS * COLUMNS; p++)
        {
            assert_true(out[d * STRIDE + p] == row[d * ROWS + p / COLUMNS]);
            assert_true(out[(d + SIZE / 2) * STRIDE + p] == column[d * COLUMNS + p % COLUMNS]);
        }
    float tokens[SIZE * STRIDE];
    fill_uniform(tokens, SIZE * STRIDE, 1);
    float before = tokens[3 * STRIDE + 7], after = tokens[3 * STRIDE + ROWS * COLUMNS];
    sac_tokens_add(tokens, STRIDE, out, STRIDE, SIZE, ROWS * COLUMNS);
    assert_true(tokens[3 * STRIDE + 7] == before + out[3 * STRIDE + 7]);
    assert_true(tokens[3 * STRIDE + ROWS * COLUMNS] == after);
}

enum
{
    H = 4,
    W = 6
};

TEST(depth_of_either_format_is_the_same)
{
    // two pixels of padding a row
    uint16_t millimetres[H][W + 2];
    float metres[H][W + 2], out[H * W * 2], other[H * W * 2];
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W + 2; x++)
        {
            millimetres[y][x] = (uint16_t)(x == 5 ? 0 : 400 * y + 300 * x);
            metres[y][x] = (float)millimetres[y][x] / 1000.0f;
        }
    sac_depth a = {millimetres, H, W, sizeof millimetres[0], SAC_DEPTH_MILLIMETRES, 0.35f, 2.0f};
    sac_depth b = {metres, H, W, sizeof metres[0], SAC_DEPTH_METRES, 0.35f, 2.0f};
    metres[0][0] = (float)NAN;
    metres[0][5] = -(float)INFINITY;
    metres[1][5] = (float)INFINITY;
    b.most = 2.0f;
    sac_depth_image(out, &a);
    sac_depth_image(other, &b);
    for (int i = 0; i < H * W * 2; i++)
    {
        int z = millimetres[i / 2 / W][i / 2 % W];
        bool valid = z >= 350 && z <= 2000;
        assert_true(out[i] == (!valid ? 0 : i % 2 == 1 ? 1 : (float)z / 1000.0f));
        assert_true(other[i] == out[i]);
    }
    // nothing is too far, but infinity is no depth
    b.most = (float)INFINITY;
    sac_depth_image(other, &b);
    assert_true(other[(W + 5) * 2 + 1] == 0);
}

// projecting a point back gives its pixel
TEST(points_lie_behind_their_pixels)
{
    float metres[H * W], points[3 * H * W];
    int pixels[H * W];
    const sac_intrinsics camera = {300, 310, 1.6, 2.7};
    fill_uniform(metres, H * W, 1); // about half of them negative
    sac_depth depth = {metres, H, W, W * sizeof(float), SAC_DEPTH_METRES, 0, 10};
    for (int step = 1; step <= 7; step++)
    {
        int count = sac_depth_points(points, H * W, pixels, &depth, &camera, step), expected = 0;
        for (int i = 0; i < H * W; i++) expected += i / W % step == 0 && i % W % step == 0 && metres[i] > 0;
        assert_int_equal(count, expected);
        for (int n = 0; n < count; n++)
        {
            double x = (double)points[n], y = (double)points[H * W + n], z = (double)points[2 * H * W + n];
            assert_true(points[2 * H * W + n] == metres[pixels[n]]);
            // x / z is two floats apart from a column's distance over 300
            assert_near(x / z * 310 + 2.7, pixels[n] % W, 8 * (double)FLT_EPSILON);
            assert_near(y / z * 300 + 1.6, pixels[n] / W, 8 * (double)FLT_EPSILON);
        }
    }
}

typedef struct point
{
    float x, y, z, intensity, ring;
    uint8_t rest[7]; // as sensors pad them
} point;

TEST(clouds_become_tokens)
{
    point points[5] = {{1, 2, 3, 0.5f, 7, {0}},
                       {(float)NAN, 0, 0, 1, 1, {0}},
                       {4, 5, 6, 0.25f, 8, {0}},
                       {0, (float)INFINITY, 0, 1, 1, {0}},
                       {7, 9, 12, 0.125f, 9, {0}}};
    sac_cloud cloud = {points, 5, 2, sizeof(point)};
    float tokens[5 * 6], center[3];
    sac_cloud_center(center, &cloud);
    assert_near((double)center[0], 4, 0);
    assert_near((double)center[1], 16.0 / 3, 1e-6);
    assert_near((double)center[2], 7, 0);
    assert_int_equal(sac_cloud_tokens(tokens, 6, &cloud, NULL), 3);
    const point *kept[] = {&points[0], &points[2], &points[4]};
    for (int n = 0; n < 3; n++)
    {
        assert_true(tokens[n] == kept[n]->x && tokens[6 + n] == kept[n]->y && tokens[12 + n] == kept[n]->z);
        assert_true(tokens[18 + n] == kept[n]->intensity && tokens[24 + n] == kept[n]->ring);
    }
    assert_int_equal(sac_cloud_tokens(tokens, 6, &cloud, center), 3);
    for (int n = 0; n < 3; n++) assert_true(tokens[12 + n] == kept[n]->z - 7);
    assert_true(tokens[18] == 0.5f);
    cloud.count = 0;
    sac_cloud_center(center, &cloud);
    assert_true(center[0] == 0 && center[1] == 0 && center[2] == 0);
    assert_int_equal(sac_cloud_tokens(tokens, 6, &cloud, center), 0);
}

// a cloud stretched along a direction and then moved; the covariance of the sample itself is the judge
TEST(the_axis_is_where_points_spread_most)
{
    enum
    {
        N = 200
    };
    float points[3 * N], noise[3 * N], axis[3];
    static const float directions[][3] = {{1, 0, 0}, {0, -1, 0}, {0, 0, 1}, {0.6f, 0, 0.8f}, {-0.48f, 0.64f, 0.6f}};
    sac_cloud cloud = {points, N, 0, 3 * sizeof(float)};
    for (int k = 0; k < 5; k++)
    {
        fill_uniform(noise, 3 * N, (uint64_t)k);
        for (int n = 0; n < N; n++)
            for (int i = 0; i < 3; i++)
                points[3 * n + i] = 50.0f + 0.1f * noise[3 * n + i] + directions[k][i] * (float)(n - N / 2) / 20.0f;
        sac_cloud_axis(axis, &cloud);
        // along the axis the spread is larger than along any direction near it
        double along = 0, length = 0, alignment = 0, mean[3] = {0};
        for (int i = 0; i < 3; i++) length += (double)axis[i] * (double)axis[i];
        for (int i = 0; i < 3; i++) alignment += (double)axis[i] * (double)directions[k][i];
        assert_near(length, 1, 1e-6);
        assert_true(fabs(alignment) > 0.9999);
        for (int i = 0; i < 3 * N; i++) mean[i % 3] += (double)points[i] / N;
        for (int trial = -1; trial < 30; trial++)
        {
            double other[3], norm = 0, spread = 0;
            for (int i = 0; i < 3; i++)
                other[i] = (double)axis[i] + (trial < 0 ? 0 : 0.05 * (double)noise[3 * trial + i]);
            for (int i = 0; i < 3; i++) norm += other[i] * other[i];
            for (int n = 0; n < N; n++)
            {
                double dot = 0;
                for (int i = 0; i < 3; i++) dot += other[i] * ((double)points[3 * n + i] - mean[i]);
                spread += dot * dot / norm;
            }
            if (trial < 0) along = spread;
            assert_true(spread <= along * (1 + 1e-9));
        }
        int largest = 0;
        for (int i = 1; i < 3; i++)
            if (fabsf(axis[i]) > fabsf(axis[largest])) largest = i;
        assert_true(axis[largest] > 0);
    }
    // no spread at all
    cloud.count = 1;
    sac_cloud_axis(axis, &cloud);
    assert_true(axis[0] == 0 && axis[1] == 0 && axis[2] == 1);
}

TESTS(flat_positions_are_sinusoids, grid_positions_are_those_of_rows_and_columns, depth_of_either_format_is_the_same,
      points_lie_behind_their_pixels, clouds_become_tokens, the_axis_is_where_points_spread_most)
