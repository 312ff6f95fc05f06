#include "saccade/tokens.h"

#include <float.h>

#include "base/memory.h"
#include "failing_memory.h"

/// Views of frames, patches as tokens, and projections straight from a camera's bytes.

enum
{
    H = 23,
    W = 31,
    C = 3,
    PAD = 13
};

static const struct layout
{
    sac_pixel_order order;
    int size, red, green, blue;
} layouts[] = {
    {SAC_PIXELS_PLAIN, 3, 0, 1, 2},
    {SAC_PIXELS_BGR, 3, 2, 1, 0},
    {SAC_PIXELS_RGBX, 4, 0, 1, 2},
    {SAC_PIXELS_BGRX, 4, 2, 1, 0},
};

static uint8_t color(int y, int x, int channel)
{
    return (uint8_t)((y * 97 + x * 31 + channel * 57) * (y + x + 1) % 251);
}

// the picture in a larger frame of another layout, every other byte something else
static sac_image place(uint8_t *memory, const struct layout *l, int top, int left, bool upside_down)
{
    ptrdiff_t pitch = (W + 2 * left) * l->size + PAD;
    memset(memory, 201, (size_t)(pitch * (H + 2 * top)));
    for (int y = 0; y < H; y++)
        for (int x = 0; x < W; x++)
        {
            int row = upside_down ? H - 1 - y : y;
            uint8_t *pixel = memory + (row + top) * pitch + (x + left) * l->size;
            pixel[l->red] = color(y, x, 0);
            pixel[l->green] = color(y, x, 1);
            pixel[l->blue] = color(y, x, 2);
        }
    sac_image frame = sac_image_of(memory, H + 2 * top, W + 2 * left, C, l->order);
    frame.row_stride = pitch;
    if (upside_down)
    {
        frame.pixels += (frame.height - 1) * pitch;
        frame.row_stride = -pitch;
    }
    return sac_image_crop(&frame, top, left, H, W);
}

static sac_projection *create(const sac_image *image, int patch, int stride, int outputs, const float *weights,
                              const float *bias)
{
    sac_projection_def def = sac_projection_default_def();
    def.height = image->height;
    def.width = image->width;
    def.channels = image->channels;
    def.order = image->order;
    def.patch = patch;
    def.stride = stride;
    def.outputs = outputs;
    def.weights = weights;
    def.bias = bias;
    sac_projection *projection;
    assert_ok(sac_projection_create(&projection, &def));
    return projection;
}

static void run(float *tokens, int stride, const sac_projection *projection, const sac_image *image)
{
    void *workspace = sac_alloc(sac_projection_workspace_size(projection));
    sac_projection_run(projection, tokens, stride, image, workspace);
    sac_free(workspace);
}

enum
{
    OUTPUTS = 5,
    STRIDE = H * W
};

// the same picture gives the same bits however its bytes lie
TEST(layouts_give_the_same_bits)
{
    static const int shapes[][2] = {{1, 1}, {2, 2}, {7, 4}, {3, 5}, {16, 3}, {H, 1}};
    static uint8_t memory[200 * 200];
    static float expected[OUTPUTS * STRIDE], tokens[OUTPUTS * STRIDE], weights[OUTPUTS * H * H * C], bias[OUTPUTS];
    static float first[H * H * C * STRIDE], patches[H * H * C * STRIDE];
    fill_uniform(weights, OUTPUTS * H * H * C, 1);
    fill_uniform(bias, OUTPUTS, 2);
    for (int s = 0; s < 6; s++)
    {
        int patch = shapes[s][0], stride = shapes[s][1];
        sac_grid grid = sac_grid_of(H, W, patch, stride);
        for (int v = 0; v < 16; v++)
        {
            const struct layout *l = &layouts[v % 4];
            sac_image image = place(memory, l, v / 8 * 3, v / 8 * 5, v / 4 % 2 == 1);
            sac_projection *projection = create(&image, patch, stride, OUTPUTS, weights, bias);
            memset(tokens, 0, sizeof tokens);
            memset(patches, 0, sizeof patches);
            run(tokens, STRIDE, projection, &image);
            sac_image_patches(patches, STRIDE, &image, &grid);
            if (v == 0)
            {
                memcpy(expected, tokens, sizeof tokens);
                memcpy(first, patches, sizeof patches);
            }
            assert_memory_equal(tokens, expected, sizeof tokens);
            assert_memory_equal(patches, first, sizeof patches);
            sac_projection_destroy(projection);
        }
    }
}

// a patch's numbers are the picture's, in the order row, column, channel
TEST(patches_are_the_picture)
{
    static uint8_t memory[200 * 200];
    static float tokens[4 * 4 * C * STRIDE];
    sac_image image = place(memory, &layouts[3], 2, 2, false);
    sac_grid grid = sac_grid_of(H, W, 4, 3);
    assert_int_equal(grid.rows, 7);
    assert_int_equal(grid.columns, 10);
    sac_image_patches(tokens, STRIDE, &image, &grid);
    for (int n = 0; n < grid.count; n++)
        for (int i = 0; i < 4 * 4 * C; i++)
        {
            int y = n / grid.columns * 3 + i / (4 * C), x = n % grid.columns * 3 + i / C % 4;
            assert_true(tokens[i * STRIDE + n] == (float)color(y, x, i % C) / 255.0f);
        }
    int row, column;
    sac_grid_center(&grid, 12, &row, &column);
    assert_int_equal(row, 3 + 2);
    assert_int_equal(column, 6 + 2);
}

// sum |w| 255 of a patch in steps of half a rounded weight, and float roundings of the result
TEST(a_projection_is_the_sum_over_the_patch)
{
    static uint8_t memory[200 * 200];
    static float tokens[OUTPUTS * STRIDE], patches[7 * 7 * C * STRIDE], weights[OUTPUTS * 7 * 7 * C], bias[OUTPUTS];
    fill_uniform(weights, OUTPUTS * 7 * 7 * C, 1);
    fill_uniform(bias, OUTPUTS, 2);
    sac_image image = place(memory, &layouts[1], 1, 1, false);
    sac_projection *projection = create(&image, 7, 2, OUTPUTS, weights, bias);
    sac_grid grid = sac_projection_grid(projection);
    run(tokens, STRIDE, projection, &image);
    sac_image_patches(patches, STRIDE, &image, &grid);
    for (int o = 0; o < OUTPUTS; o++)
        for (int n = 0; n < grid.count; n++)
        {
            double sum = (double)bias[o], pixels = 0, largest = 0;
            for (int i = 0; i < 7 * 7 * C; i++)
            {
                double w = (double)weights[o * 7 * 7 * C + i], x = (double)patches[i * STRIDE + n];
                sum += w * x;
                pixels += x;
                largest = fmax(largest, fabs(w));
            }
            double bound = largest / 32767 / 2 * pixels + 4 * (double)FLT_EPSILON * (fabs(sum) + 1);
            assert_near((double)tokens[o * STRIDE + n], sum, bound);
        }
    sac_projection_destroy(projection);
}

// integers and floats do the same, up to the rounding of the weights; here the weights need none
TEST(floats_and_bytes_agree)
{
    static uint8_t memory[200 * 200];
    static float whole[H * W * C], tokens[OUTPUTS * STRIDE], others[OUTPUTS * STRIDE], weights[OUTPUTS * 4 * C];
    fill_uniform(weights, OUTPUTS * 4 * C, 1);
    for (int o = 0; o < OUTPUTS; o++) weights[o * 4 * C] = 32767.0f;
    for (int i = 0; i < OUTPUTS * 4 * C; i++) weights[i] = rintf(weights[i] * (i % (4 * C) == 0 ? 1 : 1000)) / 1024;
    sac_image image = place(memory, &layouts[2], 0, 0, true);
    sac_grid pixels = sac_grid_of(H, W, 1, 1);
    static float planes[C * STRIDE];
    sac_image_patches(planes, STRIDE, &image, &pixels);
    for (int i = 0; i < H * W * C; i++) whole[i] = planes[i % C * STRIDE + i / C];
    sac_float_image floats = sac_float_image_of(whole, H, W, C);
    sac_projection *projection = create(&image, 2, 2, OUTPUTS, weights, NULL);
    void *workspace = sac_alloc(sac_projection_workspace_size(projection));
    run(tokens, STRIDE, projection, &image);
    sac_projection_run_floats(projection, others, STRIDE, &floats, workspace);
    for (int n = 0; n < sac_projection_grid(projection).count; n++)
        for (int o = 0; o < OUTPUTS; o++)
            // 12 products and sums of at most 32 + 11
            assert_near((double)tokens[o * STRIDE + n], (double)others[o * STRIDE + n], 14 * 43 * (double)FLT_EPSILON);
    sac_free(workspace);
    sac_projection_destroy(projection);
}

// rows of the grid one by one are the whole
TEST(rows_are_parts_of_the_whole)
{
    static uint8_t memory[200 * 200];
    static float tokens[OUTPUTS * STRIDE], part[OUTPUTS * STRIDE], weights[OUTPUTS * 9 * C];
    fill_uniform(weights, OUTPUTS * 9 * C, 1);
    sac_image image = place(memory, &layouts[0], 0, 0, false);
    sac_projection *projection = create(&image, 3, 2, OUTPUTS, weights, NULL);
    sac_grid grid = sac_projection_grid(projection);
    void *workspace = sac_alloc(sac_projection_workspace_size(projection));
    run(tokens, STRIDE, projection, &image);
    for (int first = 0, rows = 1; first < grid.rows; first += rows, rows = rows % 3 + 1)
    {
        if (rows > grid.rows - first) rows = grid.rows - first;
        sac_projection_run_rows(projection, part, STRIDE, &image, first, rows, workspace);
        for (int o = 0; o < OUTPUTS; o++)
            assert_memory_equal(part + o * STRIDE, tokens + o * STRIDE + first * grid.columns,
                                (size_t)(rows * grid.columns) * sizeof(float));
    }
    sac_free(workspace);
    sac_projection_destroy(projection);
}

// a grey camera where colours were meant: as if its bytes stood in every channel
TEST(grey_stands_for_every_channel)
{
    uint8_t grey[H * W], colors[H * W * C];
    static float tokens[OUTPUTS * STRIDE], others[OUTPUTS * STRIDE], weights[OUTPUTS * 9 * C];
    for (int i = 0; i < H * W; i++) grey[i] = color(i / W, i % W, 0);
    for (int i = 0; i < H * W * C; i++) colors[i] = grey[i / C];
    fill_uniform(weights, OUTPUTS * 9 * C, 3);
    sac_image a = sac_image_of(grey, H, W, C, SAC_PIXELS_GREY), b = sac_image_of(colors, H, W, C, SAC_PIXELS_PLAIN);
    sac_projection *p = create(&a, 3, 3, OUTPUTS, weights, NULL), *q = create(&b, 3, 3, OUTPUTS, weights, NULL);
    run(tokens, STRIDE, p, &a);
    run(others, STRIDE, q, &b);
    // each weight of 27 and of 9 is off by half a step of 1 / 32767 and 3 / 32767
    for (int n = 0; n < sac_projection_grid(p).count; n++)
        for (int o = 0; o < OUTPUTS; o++)
            assert_near((double)tokens[o * STRIDE + n], (double)others[o * STRIDE + n], (27 + 9 * 3) / 32767.0 / 2);
    sac_projection_destroy(p);
    sac_projection_destroy(q);
}

TEST(bad_fields_are_named)
{
    static const float weights[3] = {1, 2, 3};
    sac_projection_def good = sac_projection_default_def(), def;
    good.height = good.width = 4;
    good.channels = 3;
    good.outputs = 1;
    good.weights = weights;
    sac_projection *projection;
    assert_ok(sac_projection_create(&projection, &good));
    sac_projection_destroy(projection);
    sac_projection_destroy(NULL);
#define REFUSES(change, words)                                                         \
    def = good;                                                                        \
    change;                                                                            \
    assert_fails(sac_projection_create(&projection, &def), SAC_ERROR_ARGUMENT, words); \
    assert_null(projection)
    REFUSES(def.height = 0, "height");
    REFUSES(def.width = 1 << 20, "width");
    REFUSES(def.channels = 0, "channels");
    REFUSES(def.patch = 5, "patch");
    REFUSES(def.stride = 0, "stride");
    REFUSES(def.outputs = 0, "outputs");
    REFUSES(def.order = (sac_pixel_order)9, "order");
    REFUSES((def.order = SAC_PIXELS_BGR, def.channels = 1), "channels");
    REFUSES(def.weights = NULL, "weights");
    REFUSES(def.internal = 0, "default_def");
    assert_survives_lack_of_memory(sac_projection_create(&projection, &good), sac_projection_destroy(projection));
}

TESTS(layouts_give_the_same_bits, patches_are_the_picture, a_projection_is_the_sum_over_the_patch,
      floats_and_bytes_agree, rows_are_parts_of_the_whole, grey_stands_for_every_channel, bad_fields_are_named)
