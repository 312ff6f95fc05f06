#include <unistd.h>

#include "base/memory.h"
#include "files/pictures/png.h"
#include "saccade/attention_plots.h"
#include "saccade/viewer.h"

#include "test.h"

enum
{
    PATCH = 7,
    // of the picture: where the first row of patches begins, and what a pixel of a patch becomes
    LEFT = 8,
    TOP = 36,
    PITCH = 64,
    ZOOM = 8
};

static sac_viewer *open_viewer(sac_policy **policy, const char *kind)
{
    static const float low[] = {-1, -1}, high[] = {1, 1};
    sac_policy_def def = {.kind = kind,
                          .height = 32,
                          .width = 32,
                          .channels = 3,
                          .action_size = 2,
                          .action_low = low,
                          .action_high = high};
    sac_policy *empty;
    assert_ok(sac_policy_create(&empty, &def));
    float *parameters = calloc((size_t)sac_policy_parameter_count(empty), sizeof *parameters);
    sac_policy_draw(empty, 3, parameters);
    assert_ok(sac_policy_create_with(policy, empty, parameters));
    sac_policy_destroy(empty);
    free(parameters);
    sac_viewer *viewer;
    assert_ok(sac_viewer_create(&viewer, *policy, &(sac_env_def){.id = "toy", .variant = "noise"}, 320, 200));
    assert_ok(sac_viewer_reset(viewer, 5));
    return viewer;
}

static const char *sheet_path(void)
{
    static char path[64];
    snprintf(path, sizeof path, "/tmp/saccade-sheet-%d.png", (int)getpid());
    return path;
}

// after one frame the first row shows the kept patches in their order, pixel by pixel
TEST(the_first_row_shows_what_won)
{
    sac_policy *policy;
    sac_viewer *viewer = open_viewer(&policy, "attention-agent");
    const sac_gaze *gaze = sac_viewer_gaze(viewer);
    sac_patch_sheet *sheet;
    assert_ok(sac_patch_sheet_create(&sheet, gaze, 3));
    sac_patch_sheet_add(sheet, viewer);
    assert_ok(sac_patch_sheet_write(sheet, sheet_path()));

    uint8_t *rgb;
    int height, width;
    assert_ok(sac_png_read(&rgb, &height, &width, sheet_path(), 1 << 22));
    float pixels[PATCH * PATCH * 3];
    for (int i = 0; i < gaze->kept; i++)
    {
        assert_true(sac_viewer_patch(viewer, gaze->top[i], pixels));
        for (int p = 0; p < PATCH * PATCH; p++)
            for (int c = 0; c < 3; c++)
            {
                int x = LEFT + i * PITCH + p % PATCH * ZOOM + ZOOM / 2, y = TOP + p / PATCH * ZOOM + ZOOM / 2;
                assert_int_equal(rgb[(y * width + x) * 3 + c], lrintf(pixels[p * 3 + c] * 255));
            }
    }
    sac_free(rgb);
    unlink(sheet_path());
    sac_patch_sheet_destroy(sheet);
    sac_viewer_destroy(viewer);
    sac_policy_destroy(policy);
}

// an agent that mixes all patches keeps none: the first row shows the ten most important
TEST(the_first_row_shows_the_most_important_where_none_is_kept)
{
    sac_policy *policy;
    sac_viewer *viewer = open_viewer(&policy, "iap-trans");
    const sac_gaze *gaze = sac_viewer_gaze(viewer);
    assert_int_equal(gaze->kept, 0);
    sac_patch_sheet *sheet;
    assert_ok(sac_patch_sheet_create(&sheet, gaze, 3));
    sac_patch_sheet_add(sheet, viewer);
    assert_ok(sac_patch_sheet_write(sheet, sheet_path()));
    uint8_t *rgb;
    int height, width, best = 0, count = gaze->rows * gaze->columns;
    assert_ok(sac_png_read(&rgb, &height, &width, sheet_path(), 1 << 22));
    for (int i = 1; i < count; i++)
        if (sac_gaze_shown(gaze)[i] > sac_gaze_shown(gaze)[best]) best = i;
    float pixels[PATCH * PATCH * 3];
    assert_true(sac_viewer_patch(viewer, best, pixels));
    for (int p = 0; p < PATCH * PATCH; p++)
    {
        int x = LEFT + p % PATCH * ZOOM + ZOOM / 2, y = TOP + p / PATCH * ZOOM + ZOOM / 2;
        assert_int_equal(rgb[(y * width + x) * 3], lrintf(pixels[p * 3] * 255));
    }
    // ten of them: the tenth place is not the paper's colour, the eleventh is
    const uint8_t *tenth = rgb + ((TOP + 28) * width + LEFT + 9 * PITCH + 28) * 3;
    const uint8_t *eleventh = tenth + 3 * PITCH, *paper = rgb;
    assert_true(memcmp(tenth, paper, 3) != 0);
    assert_memory_equal(eleventh, paper, 3);
    sac_free(rgb);
    unlink(sheet_path());
    sac_patch_sheet_destroy(sheet);
    sac_viewer_destroy(viewer);
    sac_policy_destroy(policy);
}

// the lot is drawn from the same numbers each time
TEST(a_sheet_is_the_same_twice)
{
    uint8_t *rgb[2];
    int height, width;
    for (int run = 0; run < 2; run++)
    {
        sac_policy *policy;
        sac_viewer *viewer = open_viewer(&policy, "attention-agent");
        sac_patch_sheet *sheet;
        assert_ok(sac_patch_sheet_create(&sheet, sac_viewer_gaze(viewer), 3));
        while (!sac_viewer_ended(viewer))
        {
            sac_patch_sheet_add(sheet, viewer);
            assert_ok(sac_viewer_step(viewer, NULL));
        }
        assert_ok(sac_patch_sheet_write(sheet, sheet_path()));
        assert_ok(sac_png_read(&rgb[run], &height, &width, sheet_path(), 1 << 22));
        unlink(sheet_path());
        sac_patch_sheet_destroy(sheet);
        sac_viewer_destroy(viewer);
        sac_policy_destroy(policy);
    }
    assert_memory_equal(rgb[0], rgb[1], (size_t)height * (size_t)width * 3);
    sac_free(rgb[0]);
    sac_free(rgb[1]);
}

TESTS(the_first_row_shows_what_won, the_first_row_shows_the_most_important_where_none_is_kept,
      a_sheet_is_the_same_twice)
