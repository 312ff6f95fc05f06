#include <math.h>

#include "base/memory.h"
#include "failing_memory.h"
#include "policy/finder/finder.h"
#include "policy/kind.h"
#include "test.h"

/// Maps that are drawn from depth, and the policy that searches by words.

enum
{
    SIDE = 24
};

typedef struct scene
{
    survey s;
    void *memory;
    float depth[SIDE * SIDE];
} scene;

static const survey_camera camera = {
    .tangent = 0.57735, .high = 0.57735, .ahead = 0.12, .up = 0.4, .far = 4, .height = SIDE, .width = SIDE};

static void begin(scene *c)
{
    sac_workspace room = {0};
    c->s = (survey){.camera = camera};
    sac_survey_place(&c->s, 200, &room);
    c->memory = sac_alloc(room.used);
    room = (sac_workspace){.memory = c->memory};
    sac_survey_place(&c->s, 200, &room);
    assert_int_equal(sac_survey_open(&c->s, 20), SAC_OK);
    sac_survey_begin(&c->s);
}

static void end(scene *c)
{
    sac_survey_close(&c->s);
    sac_free(c->memory);
}

// Depth of a floor and of a wall across the view, `wall` m ahead of the camera, with a gap where `gap` says
static void see(scene *c, double wall, double gap_low, double gap_high)
{
    for (int row = 0; row < SIDE; row++)
        for (int column = 0; column < SIDE; column++)
        {
            const double down = -camera.high * (1 - (2 * row + 1.0) / SIDE);
            const double left = camera.tangent * (1 - (2 * column + 1.0) / SIDE) * wall;
            const double ground = down > 0 ? camera.up / down : camera.far;
            const double ahead = left > gap_low && left < gap_high ? camera.far : wall;
            c->depth[row * SIDE + column] = (float)fmin(fmin(ground, ahead), camera.far);
        }
}

static bool is_free(const scene *c, double x, double y)
{
    return c->s.ways->free[sac_ways_at(c->s.ways, x, y)];
}

static bool is_known(const scene *c, double x, double y)
{
    return c->s.known[sac_ways_at(c->s.ways, x, y)];
}

// What the camera has passed is free, a wall and what the robot has no room beside are not, and nothing is known of
// what is behind the wall or behind the robot.
TEST(a_wall_hides_what_is_behind_it)
{
    static const survey_place start = {.cosine = 1};
    scene c;
    begin(&c);
    see(&c, 2, 9, 9);
    sac_survey_look(&c.s, &start, c.depth);
    assert_true(is_free(&c, 0, 0) && is_free(&c, 1, 0) && is_free(&c, 1.7, 0.5));
    assert_false(is_free(&c, 2.1, 0) || is_free(&c, 2, 0.3));
    assert_true(is_known(&c, 2.1, 0));
    assert_false(is_known(&c, 2.4, 0) || is_known(&c, 3, 0.5) || is_known(&c, -1, 0) || is_known(&c, 1, 1.5));
    end(&c);
}

// The same wall from another place and heading lies where it lay.
TEST(places_and_headings_are_kept_account_of)
{
    static const survey_place turned = {.x = 1, .y = -2, .sine = 1};
    scene c;
    begin(&c);
    see(&c, 2, 9, 9);
    sac_survey_look(&c.s, &turned, c.depth);
    assert_true(is_free(&c, 1, -1) && !is_free(&c, 1, 0.1) && is_known(&c, 1, 0.1) && !is_known(&c, 1, 0.5));
    end(&c);
}

// A way leads through a gap of 0.9 m and not through one of 0.4 m, and the edges of what is known lie within reach.
TEST(ways_lead_through_gaps_with_room)
{
    static const survey_place start = {.cosine = 1};
    for (int wide = 0; wide < 2; wide++)
    {
        scene c;
        begin(&c);
        see(&c, 2, wide ? -0.45 : -0.2, wide ? 0.45 : 0.2);
        sac_survey_look(&c.s, &start, c.depth);
        assert_true(sac_survey_spread(&c.s, &start, false));
        const int behind = sac_ways_at(c.s.ways, 3, 0);
        assert_true(c.s.known[behind]);
        assert_int_equal(c.s.ways->field[behind] != WAYS_FAR, wide);
        const int edge = sac_survey_edge(&c.s, -1);
        assert_true(edge >= 0 && c.s.ways->field[edge] != WAYS_FAR && sac_survey_is_edge(&c.s, edge, NULL));
        for (int i = 0; i < 20; i++)
        {
            const int other = sac_survey_edge(&c.s, (i + 0.5) / 20);
            assert_true(sac_survey_is_edge(&c.s, other, NULL) && c.s.ways->field[other] >= c.s.ways->field[edge]);
        }
        end(&c);
    }
}

// --- the policy

static sac_status make_sure(sac_policy **policy, bool words, const sac_space *inputs, int count, const char *sure)
{
    static const float low[] = {-1, -1}, high[] = {1, 1};
    const sac_setting settings[] = {{"words", words ? "true" : "false"}, {"size", "8"}, {"thick", "4"}, {"sure", sure}};
    const sac_policy_def def = {.kind = "finder",
                                .action_size = 2,
                                .action_low = low,
                                .action_high = high,
                                .inputs = inputs,
                                .input_count = count,
                                .settings = settings,
                                .setting_count = 4};
    return sac_policy_create(policy, &def);
}

static sac_status make(sac_policy **policy, bool words, const sac_space *inputs, int count)
{
    return make_sure(policy, words, inputs, count, "0.5");
}

static const float far = 4, near = 0;
static const sac_space all[] = {
    {.name = "image", .kind = SAC_SPACE_PICTURE, .shape = {96, 96, 3}},
    {.name = "depth", .kind = SAC_SPACE_DEPTH, .shape = {SIDE, SIDE}, .low = &near, .high = &far},
    {.name = "motion", .kind = SAC_SPACE_VECTOR, .shape = {9}},
    {.name = "words", .kind = SAC_SPACE_VECTOR, .shape = {12}}};

// Its actions are in their bounds whatever it sees, the same again after a reset, and it reads the picture every third
// step alone: another one in between changes nothing.
TEST(it_acts_within_bounds_and_the_same_again)
{
    static uint8_t picture[96 * 96 * 3];
    static scene c;
    float actions[2][60][2];
    sac_policy *policy;
    sac_policy_state *state;
    assert_int_equal(make(&policy, true, all, 4), SAC_OK);
    float *parameters = SAC_NEW_ARRAY(float, (size_t)sac_policy_parameter_count(policy));
    sac_policy_draw(policy, 3, parameters);
    assert_int_equal(sac_policy_state_create(&state, policy), SAC_OK);
    sac_policy_state_set_parameters(state, parameters);
    for (int round = 0; round < 2; round++)
    {
        sac_policy_state_reset(state);
        for (int i = 0; i < 60; i++)
        {
            sac_stream random = sac_stream_create(7, (uint64_t)i, i % 3 ? (uint64_t)round : 0);
            for (size_t k = 0; k < sizeof picture; k++) picture[k] = (uint8_t)sac_stream_below(&random, 256);
            const float motion[9] = {(float)i * 0.03f, 0, 1, 0, 0.3f, 0, 1, 0, i == 20}, words[12] = {1, [7] = 1};
            const void *const inputs[] = {picture, c.depth, motion, words};
            see(&c, 3 - 0.03 * i, -0.5, 0.5);
            sac_policy_act_on(state, inputs, actions[round][i]);
            for (int k = 0; k < 2; k++) assert_true(fabsf(actions[round][i][k]) <= 1);
        }
    }
    assert_memory_equal(actions[0], actions[1], sizeof actions[0]);
    assert_true(actions[0][21][0] < 0); // it goes back from what it has touched
    sac_free(parameters);
    sac_policy_state_destroy(state);
    sac_policy_destroy(policy);
}

// What it does first where it stands, turned to the left by so much
static void start(const float scales[2], double turned, float action[2])
{
    static scene c;
    const float motion[9] = {0, 0, (float)cos(turned), (float)sin(turned)};
    sac_policy *policy;
    sac_policy_state *state;
    assert_int_equal(make(&policy, false, all + 1, 2), SAC_OK);
    assert_int_equal(sac_policy_parameter_count(policy), 2);
    assert_int_equal(sac_policy_state_create(&state, policy), SAC_OK);
    sac_policy_state_set_parameters(state, scales);
    sac_policy_state_reset(state);
    see(&c, 3, -0.5, 0.5);
    sac_policy_act_on(state, (const void *[]){c.depth, motion}, action);
    sac_policy_state_destroy(state);
    sac_policy_destroy(policy);
}

// Its parameters scale how it steers: with half of `steering` it turns half as much, where that is less than it can,
// and it is slower where a greater `narrow` calls the same direction less straight.
TEST(parameters_scale_how_it_drives)
{
    int seen = 0;
    for (double turned = -1; turned < 1; turned += 0.05)
    {
        float plain[2], half[2], narrow[2];
        start((const float[]){0, 0}, turned, plain);
        if (plain[0] <= 0.1F || plain[0] >= 0.9F || fabsf(plain[1]) >= 0.999F) continue;
        start((const float[]){-0.5F, 0}, turned, half);
        start((const float[]){0, 0.2F}, turned, narrow);
        assert_float_equal(half[1], plain[1] / 2, 1e-6);
        assert_true(narrow[0] < plain[0]);
        seen++;
    }
    assert_true(seen > 0);
}

// --- embeddings of the user's

enum
{
    GRID = 12,
    PATCHES = GRID * GRID,
    SIZE = 8
};

static const sac_space given[] = {
    {.name = "keys", .kind = SAC_SPACE_VECTOR, .shape = {PATCHES * SIZE}},
    {.name = "depth", .kind = SAC_SPACE_DEPTH, .shape = {SIDE, SIDE}, .low = &near, .high = &far},
    {.name = "motion", .kind = SAC_SPACE_VECTOR, .shape = {9}},
    {.name = "query", .kind = SAC_SPACE_VECTOR, .shape = {SIZE}}};

typedef struct finders
{
    sac_policy *learned, *given;
    sac_policy_state *learned_state, *given_state;
    float *parameters;
} finders;

static void make_both(finders *f)
{
    assert_int_equal(make_sure(&f->learned, true, all, 4, "-1"), SAC_OK);
    assert_int_equal(make_sure(&f->given, true, given, 4, "-1"), SAC_OK);
    assert_int_equal(sac_policy_parameter_count(f->given), 2); // nothing of it is an encoder's
    f->parameters = SAC_NEW_ARRAY(float, (size_t)sac_policy_parameter_count(f->learned));
    sac_policy_draw(f->learned, 3, f->parameters);
    assert_int_equal(sac_policy_state_create(&f->learned_state, f->learned), SAC_OK);
    assert_int_equal(sac_policy_state_create(&f->given_state, f->given), SAC_OK);
    sac_policy_state_set_parameters(f->learned_state, f->parameters);
    sac_policy_state_reset(f->learned_state);
    sac_policy_state_reset(f->given_state);
}

static void destroy_both(finders *f)
{
    sac_policy_state_destroy(f->learned_state);
    sac_policy_state_destroy(f->given_state);
    sac_policy_destroy(f->learned);
    sac_policy_destroy(f->given);
    sac_free(f->parameters);
}

// A finder that is given what another one has learned does what that one does, step by step.
TEST(given_embeddings_drive_as_learned_ones_do)
{
    static uint8_t picture[96 * 96 * 3];
    static float keys[PATCHES * SIZE];
    static scene c;
    finders f;
    int things = 0;
    make_both(&f);
    const finder_state *learned = (const finder_state *)f.learned_state, *other = (const finder_state *)f.given_state;
    const float root = sqrtf(sac_words_temperature(sac_finder_encoder(f.learned), f.parameters));
    for (int i = 0; i < 90; i++)
    {
        sac_stream random = sac_stream_create(7, (uint64_t)i, 0);
        for (size_t k = 0; k < sizeof picture; k++) picture[k] = (uint8_t)sac_stream_below(&random, 256);
        const float motion[9] = {(float)i * 0.02f, 0, 1, 0, 0.2f, 0, 1, 0, 0}, words[12] = {1, [7] = 1};
        float query[SIZE], actions[2][2];
        see(&c, 3 - 0.02 * i, -0.5, 0.5);
        sac_policy_act_on(f.learned_state, (const void *[]){picture, c.depth, motion, words}, actions[0]);
        for (int k = 0; k < PATCHES * SIZE; k++) keys[k] = root * learned->keys[k];
        for (int k = 0; k < SIZE; k++) query[k] = root * learned->query[k];
        sac_policy_act_on(f.given_state, (const void *[]){keys, c.depth, motion, query}, actions[1]);
        assert_memory_equal(actions[0], actions[1], sizeof actions[0]);
        assert_int_equal(learned->aim, other->aim);
        things += learned->aim == FINDER_THING;
    }
    assert_true(things > 9);
    destroy_both(&f);
}

// What is no number, vectors of zeros, and what is too large for scores show nothing: the robot explores.
TEST(embeddings_that_are_no_numbers_show_nothing)
{
    static float keys[PATCHES * SIZE];
    static const float motion[9] = {0, 0, 1}, values[] = {NAN, INFINITY, 0, 3e38F};
    static scene c;
    see(&c, 2, -0.4, 0.4);
    for (size_t v = 0; v < sizeof values / sizeof *values; v++)
    {
        finders f;
        float query[SIZE] = {values[v]}, action[2];
        make_both(&f);
        for (int k = 0; k < PATCHES * SIZE; k++) keys[k] = k % 3 ? 0 : values[v];
        for (int i = 0; i < 30; i++)
        {
            sac_policy_act_on(f.given_state, (const void *[]){keys, c.depth, motion, query}, action);
            for (int k = 0; k < 2; k++) assert_true(fabsf(action[k]) <= 1);
        }
        assert_int_not_equal(((const finder_state *)f.given_state)->aim, FINDER_THING);
        destroy_both(&f);
    }
}

// A picture among the inputs is there to be shown: its patches are those of the grid.
TEST(a_gaze_shows_the_grid_on_a_picture)
{
    static uint8_t picture[48 * 48 * 3];
    static float keys[PATCHES * SIZE];
    static const float motion[9] = {0, 0, 1}, query[SIZE] = {1};
    static scene c;
    sac_space inputs[5] = {{.name = "image", .kind = SAC_SPACE_PICTURE, .shape = {48, 48, 3}}};
    sac_policy *policy;
    sac_policy_state *state;
    sac_gaze gaze;
    float action[2];
    memcpy(inputs + 1, given, sizeof given);
    assert_int_equal(make(&policy, true, inputs, 5), SAC_OK);
    assert_int_equal(sac_policy_state_create(&state, policy), SAC_OK);
    sac_policy_state_reset(state);
    see(&c, 2, -0.4, 0.4);
    keys[(3 * GRID + 5) * SIZE] = 2; // row 3, column 5 is like the query
    sac_policy_act_on(state, (const void *[]){picture, keys, c.depth, motion, query}, action);
    sac_policy_gaze(state, &gaze);
    assert_int_equal(gaze.height, 48);
    assert_int_equal(gaze.patch, 4);
    assert_int_equal(gaze.top[0], 3 * GRID + 5);
    assert_float_equal(gaze.centers[0], 14, 0);
    assert_float_equal(gaze.centers[1], 22, 0);
    sac_policy_state_destroy(state);
    sac_policy_destroy(policy);
}

TEST(what_does_not_fit_is_named)
{
    sac_policy *policy;
    sac_space other[4];
    assert_int_equal(make(&policy, true, all, 3), SAC_ERROR_ARGUMENT);
    assert_non_null(strstr(sac_last_error(), "inputs: image depth motion words"));
    memcpy(other, all, sizeof all);
    other[0].shape[0] = 90;
    assert_int_equal(make(&policy, true, other, 4), SAC_ERROR_ARGUMENT);
    assert_non_null(strstr(sac_last_error(), "90 x 96"));
    assert_int_equal(make(&policy, false, all + 1, 2), SAC_OK);
    sac_policy_destroy(policy);

    memcpy(other, given, sizeof given);
    other[3].shape[0] = 7; // 144 x 8 numbers are not whole queries of 7
    assert_int_equal(make(&policy, true, other, 4), SAC_ERROR_ARGUMENT);
    assert_non_null(strstr(sac_last_error(), "1152 numbers of keys, 7 of a query"));
    other[3].shape[0] = SIZE;
    other[0].shape[0] = 25 * SIZE; // 24 pixels of depth are not 5 patches
    assert_int_equal(make(&policy, true, other, 4), SAC_ERROR_ARGUMENT);
    assert_non_null(strstr(sac_last_error(), "depth of 24 x 24"));
    other[0].shape[0] = SIZE; // fewer patches than are kept
    assert_int_equal(make(&policy, true, other, 4), SAC_ERROR_ARGUMENT);
    assert_non_null(strstr(sac_last_error(), "policy.kept"));
    assert_int_equal(make(&policy, true, given, 3), SAC_ERROR_ARGUMENT);

    sac_space shown[5] = {{.name = "image", .kind = SAC_SPACE_PICTURE, .shape = {50, 50, 3}}}; // for 12 x 12 patches
    memcpy(shown + 1, given, sizeof given);
    assert_int_equal(make(&policy, true, shown, 5), SAC_ERROR_ARGUMENT);
    assert_non_null(strstr(sac_last_error(), "50 x 50"));
}

static sac_status create_and_open(void)
{
    sac_policy *policy;
    sac_policy_state *state = NULL;
    sac_status status = make(&policy, true, all, 4);
    if (status == SAC_OK) status = sac_policy_state_create(&state, policy);
    sac_policy_state_destroy(state);
    sac_policy_destroy(policy);
    return status;
}

TEST(lack_of_memory_is_survived)
{
    assert_survives_lack_of_memory(create_and_open(), (void)0);
}

// A place that is no number, or is far from the map, is outside of it: the robot turns, and nothing is read or written
// beside the map (ASan and UBSan watch).
TEST(places_off_the_map_are_survived)
{
    static const float values[] = {NAN, INFINITY, -INFINITY, 1e30F, -3e9F, 40};
    static scene c;
    see(&c, 2, -0.4, 0.4);
    for (size_t v = 0; v < sizeof values / sizeof *values; v++)
        for (int at = 0; at < 4; at++)
        {
            sac_policy *policy;
            sac_policy_state *state;
            float motion[9] = {0, 0, 1}, action[2];
            motion[at] = values[v];
            assert_int_equal(make(&policy, false, all + 1, 2), SAC_OK);
            assert_int_equal(sac_policy_state_create(&state, policy), SAC_OK);
            sac_policy_state_reset(state);
            for (int i = 0; i < 4; i++)
            {
                sac_policy_act_on(state, (const void *[]){c.depth, motion}, action);
                for (int k = 0; k < 2; k++) assert_true(fabsf(action[k]) <= 1);
            }
            sac_policy_state_destroy(state);
            sac_policy_destroy(policy);
        }
}

// Acting takes no memory: any allocation while it acts fails, and would be noticed.
TEST(nothing_allocates_while_acting)
{
    static uint8_t picture[96 * 96 * 3];
    static scene c;
    sac_policy *policy;
    sac_policy_state *state;
    float action[2];
    static const float motion[9] = {0, 0, 1}, words[12] = {1, [7] = 1};
    const void *const inputs[] = {picture, c.depth, motion, words};
    assert_int_equal(make(&policy, true, all, 4), SAC_OK);
    assert_int_equal(sac_policy_state_create(&state, policy), SAC_OK);
    see(&c, 2, -0.4, 0.4);
    failing.failed = false;
    failing.until_failure = 0;
    sac_set_allocator(&(sac_allocator){failing_allocate, failing_release, NULL});
    sac_policy_state_reset(state);
    for (int i = 0; i < 30; i++) sac_policy_act_on(state, inputs, action);
    sac_set_allocator(NULL);
    assert_false(failing.failed);
    sac_policy_state_destroy(state);
    sac_policy_destroy(policy);
}

TESTS(a_wall_hides_what_is_behind_it, places_and_headings_are_kept_account_of, ways_lead_through_gaps_with_room,
      it_acts_within_bounds_and_the_same_again, parameters_scale_how_it_drives,
      given_embeddings_drive_as_learned_ones_do, embeddings_that_are_no_numbers_show_nothing,
      a_gaze_shows_the_grid_on_a_picture, what_does_not_fit_is_named, lack_of_memory_is_survived,
      places_off_the_map_are_survived, nothing_allocates_while_acting)
