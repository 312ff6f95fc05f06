#include "saccade/frame.h"
#include "saccade/overlay.h"
#include "show/picture/canvas.h"
#include "test.h"

enum
{
    SIZE = 20,
    GRID = 4,
    PATCH = 7,
    STRIDE = 4,
    KEPT = 5
};

// patches that overlap, one of them at the far corner, where the grid ends inside the image
static const int top[KEPT] = {5, 6, 15, 0, 9};
static float importance[GRID * GRID];

static sac_gaze make_gaze(void)
{
    for (int i = 0; i < GRID * GRID; i++) importance[i] = (float)(i * i);
    return (sac_gaze){.height = SIZE,
                      .width = SIZE,
                      .rows = GRID,
                      .columns = GRID,
                      .patch = PATCH,
                      .stride = STRIDE,
                      .importance = importance,
                      .kept = KEPT,
                      .top = top};
}

// the paper's formula, step by step in real numbers: v <- v r/K + 255 (1 - r/K) for each patch in the order of rank
static double blended(double v, int y, int x)
{
    for (int rank = 0; rank < KEPT; rank++)
    {
        int row = top[rank] / GRID * STRIDE, column = top[rank] % GRID * STRIDE;
        if (y < row || y >= row + PATCH || x < column || x >= column + PATCH) continue;
        double left = (double)rank / KEPT;
        v = v * left + 255 * (1 - left);
    }
    return v;
}

TEST(overlay_is_the_papers_formula)
{
    sac_gaze gaze = make_gaze();
    float keep[SIZE * SIZE];
    sac_overlay_keep(keep, SIZE, SIZE, &gaze);
    enum
    {
        SCALE = 5
    };
    static uint8_t rgb[SIZE * SCALE * SIZE * SCALE * 3], before[sizeof rgb];
    for (size_t i = 0; i < sizeof rgb; i++) before[i] = rgb[i] = (uint8_t)(i * 7 % 256);

    sac_overlay_blend(rgb, SIZE * SCALE, SIZE * SCALE, keep, SIZE, SIZE, 1);

    for (int y = 0; y < SIZE * SCALE; y++)
        for (int x = 0; x < SIZE * SCALE; x++)
            for (int c = 0; c < 3; c++)
            {
                int i = (y * SIZE * SCALE + x) * 3 + c;
                // half a grey level of rounding, and the floats' own
                assert_near(rgb[i], blended(before[i], y / SCALE, x / SCALE), 0.5 + 1e-3);
            }
}

TEST(first_rank_is_white_and_uncovered_pixels_are_untouched)
{
    sac_gaze gaze = make_gaze();
    float keep[SIZE * SIZE];
    sac_overlay_keep(keep, SIZE, SIZE, &gaze);
    for (int y = 0; y < SIZE; y++)
        for (int x = 0; x < SIZE; x++)
        {
            float k = keep[y * SIZE + x];
            if (y >= 4 && y < 11 && x >= 4 && x < 11) assert_true(k == 0);
            if (blended(0, y, x) == 0) assert_true(k == 1);
        }
}

// patches that leave the image, as those of a gaze of another size would, are cut
TEST(overlay_never_writes_outside)
{
    sac_gaze gaze = make_gaze();
    float keep[10 * 9 + 1];
    keep[10 * 9] = -7;
    gaze.height = 10, gaze.width = 9;
    sac_overlay_keep(keep, 10, 9, &gaze);
    assert_true(keep[10 * 9] == -7);
}

// a policy that looks at an observation twice reduced has its patches doubled on the observation
TEST(overlay_follows_a_resized_observation)
{
    sac_gaze gaze = make_gaze();
    float keep[SIZE * SIZE], doubled[4 * SIZE * SIZE];
    sac_overlay_keep(keep, SIZE, SIZE, &gaze);
    sac_overlay_keep(doubled, 2 * SIZE, 2 * SIZE, &gaze);
    for (int y = 0; y < 2 * SIZE; y++)
        for (int x = 0; x < 2 * SIZE; x++) assert_true(doubled[y * 2 * SIZE + x] == keep[y / 2 * SIZE + x / 2]);
}

// what is left out is untouched by patches, and gets no attention; the rest is as if it were the whole observation
TEST(overlay_follows_a_cropped_observation)
{
    enum
    {
        ABOVE = 7,
        BENEATH = 3,
        WHOLE = ABOVE + SIZE + BENEATH
    };
    sac_gaze gaze = make_gaze(), cropped = gaze;
    cropped.above = ABOVE, cropped.beneath = BENEATH;
    float levels[GRID * GRID], keep[SIZE * SIZE], all[WHOLE * SIZE], light[SIZE * SIZE], all_light[WHOLE * SIZE];
    for (int i = 0; i < GRID * GRID; i++) levels[i] = (float)(i + 1) / (GRID * GRID);
    sac_overlay_keep(keep, SIZE, SIZE, &gaze);
    sac_overlay_keep(all, WHOLE, SIZE, &cropped);
    sac_overlay_light(light, SIZE, SIZE, &gaze, levels);
    sac_overlay_light(all_light, WHOLE, SIZE, &cropped, levels);
    for (int y = 0; y < WHOLE; y++)
        for (int x = 0; x < SIZE; x++)
        {
            const bool inside = y >= ABOVE && y < ABOVE + SIZE;
            const int at = (y - ABOVE) * SIZE + x;
            assert_true(all[y * SIZE + x] == (inside ? keep[at] : 1));
            if (inside) assert_true(all_light[y * SIZE + x] == light[at]);
            if (!inside) assert_true(all_light[y * SIZE + x] < light[0]); // the least level that there is
        }
}

static double linear(uint8_t v)
{
    double s = v / 255.0;
    return s <= 0.04045 ? s / 12.92 : pow((s + 0.055) / 1.055, 2.4);
}

// the luminance that an eye (or a grey print) takes from a colour rises with the value
TEST(heat_colors_rise_in_lightness)
{
    double last = -1;
    for (int i = 0; i <= 255; i++)
    {
        uint8_t c[3];
        sac_heat_color((float)i / 255, c);
        double luminance = 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
        assert_true(luminance > last - 1e-9);
        if (i % 8 == 0 && i > 0) assert_true(luminance > last);
        last = luminance;
    }
    uint8_t low[3], high[3], nan[3], beyond[3];
    sac_heat_color(0, low);
    sac_heat_color(1, high);
    sac_heat_color(NAN, nan);
    sac_heat_color(7, beyond);
    assert_memory_equal(low, nan, 3);
    assert_memory_equal(high, beyond, 3);
}

static void levels_of(float *levels, const float *values, int count)
{
    float sorted[GRID * GRID];
    sac_heat_levels(levels, sorted, values, count);
}

// a level says how many are less important, whatever their amounts: the ends are 0 and 1, equals are equal
TEST(levels_are_ranks)
{
    static const float values[] = {7, 1e30f, 1, 7, 0, NAN, 7, 2};
    float levels[8], scaled[8], stretched[8];
    levels_of(levels, values, 8);
    for (int i = 0; i < 8; i++)
    {
        int below = 0;
        for (int k = 0; k < 8; k++) below += i != 5 && (isnan(values[k]) || values[k] < values[i]);
        assert_near(levels[i], below / 7.0, 1e-7);
        scaled[i] = values[i] * 1e-20f;
    }
    levels_of(stretched, scaled, 8);
    assert_memory_equal(levels, stretched, sizeof levels);
    // many that get nothing leave the colours to the others
    static const float zeros[] = {0, 0, 5, 0, 0, 0, 9, 1};
    levels_of(levels, zeros, 8);
    for (int i = 0; i < 8; i++) assert_near(levels[i], i == 7 ? 1.0 / 3 : i == 2 ? 2.0 / 3 : i == 6 ? 1 : 0, 1e-7);
    static const float even[] = {3, 3, 3}, none[] = {NAN, NAN, NAN};
    levels_of(levels, even, 3);
    for (int i = 0; i < 3; i++) assert_true(levels[i] == 0);
    levels_of(levels, none, 3);
    for (int i = 0; i < 3; i++) assert_true(levels[i] == 0);
}

// attention that is nearly even, as that of agents that mix all patches, still uses all colours
TEST(levels_use_the_whole_range)
{
    float values[GRID * GRID], levels[GRID * GRID];
    int quarter[4] = {0};
    for (int i = 0; i < GRID * GRID; i++) values[i] = 1 + 1e-3f * (float)(i * 7 % (GRID * GRID));
    levels_of(levels, values, GRID * GRID);
    for (int i = 0; i < GRID * GRID; i++) quarter[(int)(levels[i] * 3.999f)]++;
    for (int i = 0; i < 4; i++) assert_int_equal(quarter[i], GRID * GRID / 4);
}

TEST(the_best_twentieth_is_counted)
{
    float values[40], levels[40], sorted[40];
    for (int i = 0; i < 40; i++) values[i] = i == 11 || i == 30 ? 31 : 1; // 62 of 100
    assert_near(sac_heat_levels(levels, sorted, values, 40), 0.62, 1e-12);
    for (int i = 0; i < 40; i++) values[i] = 2;
    assert_near(sac_heat_levels(levels, sorted, values, 40), 0.05, 1e-12);
    for (int i = 0; i < 40; i++) values[i] = 0;
    assert_true(isnan(sac_heat_levels(levels, sorted, values, 40)));
}

TEST(heat_map_colors_each_patch_by_its_level)
{
    sac_gaze gaze = make_gaze();
    static uint8_t rgb[SIZE * SIZE * 3];
    float levels[GRID * GRID];
    levels_of(levels, importance, GRID * GRID);
    sac_heat_map(rgb, SIZE, SIZE, &gaze, levels);
    for (int row = 0; row < GRID; row++)
        for (int column = 0; column < GRID; column++)
        {
            // the centre of the patch
            const uint8_t *pixel = rgb + ((row * STRIDE + 3) * SIZE + column * STRIDE + 3) * 3;
            uint8_t expected[3];
            int rank = row * GRID + column; // importances rise with the index
            sac_heat_color((float)(int)((float)rank / (GRID * GRID - 1) * 255 + 0.5f) / 255, expected);
            assert_memory_equal(pixel, expected, 3);
        }
}

// where no patch is kept the picture keeps its light where the levels are high
TEST(an_agent_that_mixes_all_dims_what_matters_least)
{
    sac_gaze gaze = make_gaze();
    float levels[GRID * GRID], keep[SIZE * SIZE];
    static uint8_t rgb[SIZE * SIZE * 3];
    gaze.kept = 0;
    levels_of(levels, importance, GRID * GRID);
    sac_overlay_light(keep, SIZE, SIZE, &gaze, levels);
    memset(rgb, 200, sizeof rgb);
    sac_overlay_dim(rgb, SIZE, SIZE, keep, SIZE, SIZE, 1);
    for (int i = 0; i < GRID * GRID; i++)
    {
        int pixel = (i / GRID * STRIDE + 3) * SIZE + i % GRID * STRIDE + 3;
        assert_near(keep[pixel], 0.3 + 0.7 * (double)levels[i], 1e-6);
        assert_near(rgb[3 * pixel], 200 * (0.3 + 0.7 * (double)levels[i]), 0.5 + 1e-3);
    }
}

TEST(text_has_width_and_stays_inside)
{
    static uint8_t guarded[(16 + 2) * 40 * 3];
    memset(guarded, 9, sizeof guarded);
    canvas inside = {guarded + 40 * 3, 16, 40};
    sac_canvas_text(&inside, -5, 20, 30, (ink){255, 255, 255}, "0123456789 abcxyz,.:-+=/()%_' \x80 ~ QUICK");
    for (int i = 0; i < 40 * 3; i++) assert_true(guarded[i] == 9 && guarded[17 * 40 * 3 + i] == 9);
    assert_near(sac_text_width(24, "0000"), sac_text_width(24, "1111"), 1e-9); // figures are of one width
    assert_near(sac_text_width(24, "ab"), sac_text_width(24, "a") + sac_text_width(24, "b"), 1e-9);
    int lit = 0;
    for (size_t i = 0; i < sizeof guarded; i++) lit += guarded[i] == 255;
    assert_true(lit > 100);
}

static void draw_letter(uint8_t rgb[48 * 48 * 3], char letter)
{
    memset(rgb, 0, 48 * 48 * 3);
    sac_canvas_text(&(canvas){rgb, 48, 48}, 8, 36, 24, (ink){255, 255, 255}, (const char[]){letter, 0});
}

// an id such as gym:module:CarRacing-v3 can be read and typed: no two of its letters look the same
TEST(letters_of_an_id_are_told_apart)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789:;._-+/,=[]<>()!?#%|";
    static uint8_t one[48 * 48 * 3], other[sizeof one];
    for (size_t i = 0; letters[i]; i++)
        for (size_t k = i + 1; letters[k]; k++)
        {
            draw_letter(one, letters[i]);
            draw_letter(other, letters[k]);
            int differing = 0;
            for (size_t b = 0; b < sizeof one; b += 3) differing += abs(one[b] - other[b]) > 64;
            if (differing < 4) fail_msg("'%c' and '%c' look the same", letters[i], letters[k]);
        }
}

static void draw_frame(int width, int height, const sac_env_spec *spec, const sac_gaze *gaze)
{
    static uint8_t observation[SIZE * SIZE * 3];
    for (size_t i = 0; i < sizeof observation; i++) observation[i] = (uint8_t)i;
    static const float action[] = {-0.5f, 2};
    sac_frame *frame;
    assert_ok(sac_frame_create(&frame, width, height, spec));
    int world_height, world_width;
    uint8_t *world = sac_frame_world(frame, &world_height, &world_width);
    memset(world, 77, (size_t)world_height * (size_t)world_width * 3);
    sac_frame_content content = {.observation = observation,
                                 .gaze = gaze,
                                 .action = action,
                                 .episode_return = -12345.6,
                                 .step = 1000,
                                 .title = "a title that is far too long for the smallest of all frames"};
    float levels[GRID * GRID], sorted[GRID * GRID];
    if (gaze) content.best_share = sac_heat_levels(levels, sorted, gaze->importance, GRID * GRID);
    if (gaze) content.levels = levels;
    const uint8_t *rgb = sac_frame_draw(frame, &content);
    int shown = 0;
    for (int i = 0; i < width * height; i++) shown += rgb[i * 3] == 77;
    assert_true(shown >= world_height * world_width);
    sac_frame_destroy(frame);
}

// writes outside the frame's own memory are found by the sanitizer build
TEST(frames_of_all_sizes_are_drawn)
{
    static const float low[] = {-1, 0}, high[] = {1, 1};
    sac_env_spec spec = {.height = SIZE,
                         .width = SIZE,
                         .channels = 3,
                         .action_size = 2,
                         .action_low = low,
                         .action_high = high,
                         .picture_aspect = 1.25f};
    sac_gaze gaze = make_gaze();
    static const int sizes[][2] = {{240, 160}, {1136, 720}, {640, 1200}, {2000, 160}, {242, 998}};
    for (int i = 0; i < 5; i++)
    {
        draw_frame(sizes[i][0], sizes[i][1], &spec, &gaze);
        draw_frame(sizes[i][0], sizes[i][1], &spec, NULL);
    }
    spec.action_choices = 3;
    spec.action_size = 1;
    draw_frame(1136, 720, &spec, &gaze);
    gaze.kept = 0;
    draw_frame(1136, 720, &spec, &gaze);
}

// six actions with names leave room for return and steps
TEST(the_line_says_return_and_steps_beside_many_actions)
{
    static const float low[] = {-1, -1, -1, -1, -1, -1}, high[] = {1, 1, 1, 1, 1, 1}, action[6] = {0};
    static const char *const names[] = {"bthigh", "bshin", "bfoot", "fthigh", "fshin", "ffoot"};
    sac_env_spec spec = {.height = SIZE,
                         .width = SIZE,
                         .channels = 3,
                         .action_size = 6,
                         .action_names = names,
                         .action_low = low,
                         .action_high = high};
    static uint8_t observation[SIZE * SIZE * 3];
    sac_frame *frame;
    assert_ok(sac_frame_create(&frame, 1136, 720, &spec));
    const sac_frame_content content = {
        .observation = observation, .action = action, .episode_return = 12.7, .step = 40};
    const uint8_t *rgb = sac_frame_draw(frame, &content);
    int bright[2] = {0}; // pixels of figures: of the return at the left of the line, of the steps right of it
    for (int y = 660; y < 720; y++)
        for (int x = 0; x < 300; x++)
        {
            const uint8_t *p = rgb + 3 * (y * 1136 + x);
            bright[x > 190] += p[0] > 200 && p[1] > 200 && p[2] > 200;
        }
    assert_true(bright[0] > 20);
    assert_true(bright[1] > 10);
    sac_frame_destroy(frame);
}

TEST(frame_sizes_are_checked)
{
    static const float low[] = {-1}, high[] = {1};
    sac_env_spec spec = {
        .height = SIZE, .width = SIZE, .channels = 3, .action_size = 1, .action_low = low, .action_high = high};
    sac_frame *frame;
    assert_fails(sac_frame_create(&frame, 641, 480, &spec), SAC_ERROR_ARGUMENT, "641x480");
    assert_null(frame);
    assert_fails(sac_frame_create(&frame, 64, 480, &spec), SAC_ERROR_ARGUMENT, "240x160");
    assert_fails(sac_frame_create(&frame, 640, 100000, &spec), SAC_ERROR_ARGUMENT, "7680x7680");
    sac_frame_destroy(NULL);
}

TESTS(overlay_is_the_papers_formula, first_rank_is_white_and_uncovered_pixels_are_untouched,
      overlay_never_writes_outside, overlay_follows_a_resized_observation, overlay_follows_a_cropped_observation,
      heat_colors_rise_in_lightness, levels_are_ranks, levels_use_the_whole_range, the_best_twentieth_is_counted,
      heat_map_colors_each_patch_by_its_level, an_agent_that_mixes_all_dims_what_matters_least,
      text_has_width_and_stays_inside, letters_of_an_id_are_told_apart, frames_of_all_sizes_are_drawn,
      the_line_says_return_and_steps_beside_many_actions, frame_sizes_are_checked)
