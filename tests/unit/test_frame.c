#include "saccade/frame.h"
#include "saccade/overlay.h"
#include "test.h"

/// What the composed frame says: every action, whole captions, and the names of pictures that lie one above the other.

enum
{
    WIDTH = SAC_FRAME_WIDTH,
    HEIGHT = SAC_FRAME_HEIGHT,
    MOST_ACTIONS = 60,
    GRID = 4,
    SIGHT_HEIGHT = 48, // of a tall picture
    SIGHT_WIDTH = 32
};

typedef struct drawing
{
    sac_env_spec spec;
    sac_gaze gaze;
    sac_frame_content content;
    float low[MOST_ACTIONS], high[MOST_ACTIONS], action[MOST_ACTIONS], importance[GRID * GRID], levels[GRID * GRID];
    int top[1];
    uint8_t observation[SIGHT_HEIGHT * SIGHT_WIDTH];
} drawing;

// a tall picture, all of whose patches a policy mixes
static void prepare(drawing *d, int actions, const char *const *names)
{
    *d = (drawing){0};
    for (int i = 0; i < MOST_ACTIONS; i++) d->low[i] = -1, d->high[i] = 1;
    for (int i = 0; i < GRID * GRID; i++) d->importance[i] = (float)(i + 1), d->levels[i] = (float)i / (GRID * GRID);
    d->spec = (sac_env_spec){.height = SIGHT_HEIGHT,
                             .width = SIGHT_WIDTH,
                             .channels = 1,
                             .action_size = actions,
                             .action_names = names,
                             .action_low = d->low,
                             .action_high = d->high,
                             .picture_aspect = 1.6f};
    d->gaze =
        (sac_gaze){.rows = GRID, .columns = GRID, .patch = 4, .stride = 4, .top = d->top, .importance = d->importance};
    d->content = (sac_frame_content){.observation = d->observation,
                                     .gaze = &d->gaze,
                                     .levels = d->levels,
                                     .best_share = 0.62,
                                     .action = d->action,
                                     .title = "legs:stones, original, seed 1103"};
}

// @return the frame; freed by the caller
static uint8_t *drawn(const drawing *d, int width, int height)
{
    sac_frame *frame;
    int world_height, world_width;
    assert_ok(sac_frame_create(&frame, width, height, &d->spec));
    uint8_t *world = sac_frame_world(frame, &world_height, &world_width);
    memset(world, 77, (size_t)world_height * (size_t)world_width * 3);
    uint8_t *copy = malloc((size_t)width * (size_t)height * 3);
    memcpy(copy, sac_frame_draw(frame, &d->content), (size_t)width * (size_t)height * 3);
    sac_frame_destroy(frame);
    return copy;
}

// how many pixels of a part of two frames differ
static int difference(const uint8_t *a, const uint8_t *b, int width, int top, int bottom, int left, int right)
{
    int count = 0;
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++)
        {
            const ptrdiff_t at = 3 * ((ptrdiff_t)y * width + x);
            count += memcmp(a + at, b + at, 3) != 0;
        }
    return count;
}

static const char *const stones[] = {"front-back",  "rear-back",  "front-ahead", "rear-ahead",
                                     "front-which", "rear-which", "front-y",     "rear-y",
                                     "speed",       "side",       "twist"};

// However many actions there are, each is a bar: one that goes to its end changes what is drawn below the world.
TEST(every_action_is_shown)
{
    static const int sizes[][2] = {{WIDTH, HEIGHT}, {640, 480}, {640, 1200}}, counts[] = {6, 7, 11, 22, 60};
    static drawing d;
    for (int s = 0; s < 3; s++)
        for (int c = 0; c < 5; c++)
        {
            const int width = sizes[s][0], height = sizes[s][1];
            prepare(&d, counts[c], counts[c] == 11 ? stones : NULL);
            uint8_t *plain = drawn(&d, width, height);
            for (int i = 0; i < counts[c]; i++)
            {
                d.action[i] = 1;
                uint8_t *moved = drawn(&d, width, height);
                const int changed = difference(plain, moved, width, 0, height, 0, width);
                if (changed < 10) fail_msg("%d x %d: action %d of %d changes %d", width, height, i, counts[c], changed);
                d.action[i] = 0;
                free(moved);
            }
            free(plain);
        }
}

// where actions have names, each name is written
TEST(every_action_is_named)
{
    static drawing d;
    const char *names[11];
    for (int i = 0; i < 11; i++)
    {
        memcpy(names, stones, sizeof names);
        prepare(&d, 11, names);
        uint8_t *plain = drawn(&d, WIDTH, HEIGHT);
        names[i] = "W"; // not the longest, so that nothing else moves
        uint8_t *other = drawn(&d, WIDTH, HEIGHT);
        assert_true(difference(plain, other, WIDTH, HEIGHT / 2, HEIGHT, 0, WIDTH) > 10);
        free(plain);
        free(other);
    }
}

// Above a narrow picture a caption has two lines: it says whether the picture is bright where it attends or counts, and
// the one above the map how much the best patches get.
TEST(captions_are_whole)
{
    static drawing d;
    prepare(&d, 2, NULL);
    uint8_t *attends = drawn(&d, WIDTH, HEIGHT);
    d.gaze.contribution = d.importance;
    uint8_t *counts = drawn(&d, WIDTH, HEIGHT);
    assert_true(difference(attends, counts, WIDTH, 0, 62, WIDTH * 2 / 3, WIDTH) > 20);
    d.content.best_share = 0.99;
    uint8_t *more = drawn(&d, WIDTH, HEIGHT);
    assert_true(difference(counts, more, WIDTH, HEIGHT / 3, HEIGHT, WIDTH * 2 / 3, WIDTH) > 5);
    free(attends);
    free(counts);
    free(more);
}

// pictures that lie one above the other have their names on them
TEST(pictures_one_above_the_other_are_named)
{
    static const char *const views[] = {"front", "belly", NULL}, *const others[] = {"front", "ahead", NULL};
    static drawing d;
    prepare(&d, 2, NULL);
    uint8_t *plain = drawn(&d, WIDTH, HEIGHT);
    d.content.views = views;
    uint8_t *named = drawn(&d, WIDTH, HEIGHT);
    d.content.views = others;
    uint8_t *other = drawn(&d, WIDTH, HEIGHT);
    assert_true(difference(plain, named, WIDTH, 0, HEIGHT / 2, WIDTH * 2 / 3, WIDTH) > 100);
    assert_true(difference(named, other, WIDTH, HEIGHT / 6, HEIGHT / 2, WIDTH * 2 / 3, WIDTH) > 10);
    assert_int_equal(difference(named, other, WIDTH, 0, HEIGHT / 6, 0, WIDTH), 0);
    free(plain);
    free(named);
    free(other);
}

// where a picture of points is not background
static int lit(const uint8_t *rgb, int side, int top, int bottom, int left, int right)
{
    int count = 0;
    for (int y = top; y < bottom; y++)
        for (int x = left; x < right; x++) count += rgb[3 * ((ptrdiff_t)y * side + x) + 1] > 60;
    return count;
}

// x is away, y to the left, z up: a point stands where it does in space, rows that are no points are not drawn, the
// nearer one hides the farther one, and the scale is that of the whole
TEST(points_are_drawn_where_they_are)
{
    enum
    {
        SIDE = 90
    };
    static uint8_t rgb[3 * SIDE * SIDE], other[sizeof rgb];
    const float upright[] = {0, 0, 0.1f, NAN, 0, 0, 0, 0, 0, 0, INFINITY, 0};
    sac_overlay_points(rgb, SIDE, SIDE, upright, 4, NULL);
    assert_true(lit(rgb, SIDE, 0, SIDE / 3, SIDE / 3, 2 * SIDE / 3) > 5); // one above, one below, none elsewhere
    assert_true(lit(rgb, SIDE, 2 * SIDE / 3, SIDE, SIDE / 3, 2 * SIDE / 3) > 5);
    assert_int_equal(lit(rgb, SIDE, SIDE / 3, 2 * SIDE / 3, 0, SIDE) + lit(rgb, SIDE, 0, SIDE, 0, SIDE / 3) +
                         lit(rgb, SIDE, 0, SIDE, 2 * SIDE / 3, SIDE),
                     0);
    const float across[] = {0, 1, 0, 0, -1, 0}; // the first to the left
    const float levels[] = {1, 0};
    sac_overlay_points(rgb, SIDE, SIDE, across, 2, levels);
    assert_true(lit(rgb, SIDE, 0, SIDE, 0, SIDE / 3) > 5);
    assert_int_equal(lit(rgb, SIDE, 0, SIDE, 2 * SIDE / 3, SIDE), 0); // what matters least is dark
    sac_overlay_points(other, SIDE, SIDE, (const float[]){0, 100, 0, 0, -100, 0}, 2, levels);
    assert_memory_equal(rgb, other, sizeof rgb);
    const float behind[] = {-0.675f, -0.552f, 0.491f, 0.675f, 0.552f, -0.491f};
    sac_overlay_points(rgb, SIDE, SIDE, behind, 2, levels);
    const int middle = 3 * (SIDE / 2 * SIDE + SIDE / 2);
    uint8_t nearest[3];
    sac_heat_color(1, nearest);
    assert_memory_equal(rgb + middle, nearest, 3);
    sac_overlay_points(rgb, SIDE, SIDE, upright + 3, 1, NULL); // no point at all
    assert_int_equal(lit(rgb, SIDE, 0, SIDE, 0, SIDE), 0);
}

// Points are drawn in both panels, in the lower one by their importance, and the caption counts them.
TEST(points_have_panels_of_their_own)
{
    static drawing d;
    float points[3 * GRID * GRID], levels[GRID * GRID];
    fill_uniform(points, 3 * GRID * GRID, 5);
    prepare(&d, 7, NULL);
    d.spec.height = d.spec.width = 1;
    d.content.observation = NULL;
    d.gaze = (sac_gaze){.rows = GRID * GRID, .columns = 1, .importance = d.importance};
    uint8_t *blind = drawn(&d, WIDTH, HEIGHT);
    d.content.points = points;
    d.content.point_count = GRID * GRID;
    uint8_t *seen = drawn(&d, WIDTH, HEIGHT);
    for (int i = 0; i < GRID * GRID; i++) levels[i] = 1 - d.levels[i];
    d.content.levels = levels;
    uint8_t *other = drawn(&d, WIDTH, HEIGHT);
    d.content.point_count--;
    uint8_t *fewer = drawn(&d, WIDTH, HEIGHT);
    assert_true(difference(blind, seen, WIDTH, 60, HEIGHT / 2, WIDTH / 2, WIDTH) > 500);
    assert_true(difference(blind, seen, WIDTH, HEIGHT / 2, HEIGHT, WIDTH / 2, WIDTH) > 500);
    assert_int_equal(difference(seen, other, WIDTH, 0, HEIGHT / 2, 0, WIDTH), 0);
    assert_true(difference(seen, other, WIDTH, HEIGHT / 2, HEIGHT, WIDTH / 2, WIDTH) > 100);
    assert_true(difference(other, fewer, WIDTH, 0, 44, WIDTH / 2, WIDTH) > 2);
    free(blind);
    free(seen);
    free(other);
    free(fewer);
}

TESTS(every_action_is_shown, every_action_is_named, captions_are_whole, pictures_one_above_the_other_are_named,
      points_are_drawn_where_they_are, points_have_panels_of_their_own)
