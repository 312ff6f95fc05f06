#include "policy/kind.h"
#include "test.h"

/// Policies of kind stepper: a planner of footholds that is told the ground.

enum
{
    TRUTH = 8,
    ALONG = 51, // places a centimetre apart
    ACROSS = 7,
    CELLS = ALONG * ACROSS,
    REACH = 20, // centimetres that a foothold may be away
    MARGIN = 3, // centimetres about a foothold that are level, for the 2.5 cm of the default
    MOST_FEET = 4,
    MOST_ACTIONS = 18
};

typedef struct scene
{
    sac_policy *policy;
    sac_policy_state *state;
    int feet;
    float truth[TRUTH], ground[MOST_FEET * CELLS], action[MOST_ACTIONS];
} scene;

static sac_status make_with(sac_policy **policy, int feet, int actions, const sac_setting *settings, int count)
{
    static const float low[] = {-0.2f, -0.2f, -0.2f, -0.2f, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1};
    static const float high[] = {1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1};
    const sac_space inputs[] = {
        {.name = "truth", .kind = SAC_SPACE_VECTOR, .shape = {TRUTH}, .privileged = true},
        {.name = "ground", .kind = SAC_SPACE_VECTOR, .shape = {feet * CELLS}, .privileged = true}};
    const sac_policy_def def = {.kind = "stepper",
                                .action_size = actions,
                                .action_low = low,
                                .action_high = high,
                                .inputs = inputs,
                                .input_count = 2,
                                .settings = settings,
                                .setting_count = count};
    return sac_policy_create(policy, &def);
}

static sac_status make(sac_policy **policy, int feet, int actions)
{
    return make_with(policy, feet, actions, NULL, 0);
}

static void begin_with(scene *s, int feet, int actions, const sac_setting *settings, int count)
{
    *s = (scene){.feet = feet};
    s->truth[5] = 1; // straight ahead
    assert_ok(make_with(&s->policy, feet, actions, settings, count));
    assert_ok(sac_policy_state_create(&s->state, s->policy));
}

static void begin(scene *s, int feet, int actions)
{
    begin_with(s, feet, actions, NULL, 0);
}

static void end(scene *s)
{
    sac_policy_state_destroy(s->state);
    sac_policy_destroy(s->policy);
}

// Whether a place, in centimetres ahead of the middle, is in a gap.
static bool is_gap(int x, int first, int width)
{
    return x >= first && x < first + width;
}

static void act(scene *s, int first, int width)
{
    for (int foot = 0; foot < s->feet; foot++)
        for (int i = 0; i < ALONG; i++)
            for (int k = 0; k < ACROSS; k++)
                s->ground[foot * CELLS + i * ACROSS + k] = is_gap(i - ALONG / 2, first, width) ? -0.5f : 0;
    const void *inputs[] = {s->truth, s->ground};
    sac_policy_act_on(s->state, inputs, s->action);
}

// The first place from the middle on, in steps of `way` centimetres, about which no gap is near; REACH + 1: none.
static int first_safe(int first, int width, int way)
{
    for (int d = 0; d <= REACH; d++)
    {
        bool safe = true;
        for (int x = d * way - MARGIN; x <= d * way + MARGIN; x++) safe = safe && !is_gap(x, first, width);
        if (safe) return d;
    }
    return REACH + 1;
}

static void check(int first, int width, int x, const char *what)
{
    const int back = first_safe(first, width, -1), ahead = first_safe(first, width, 1),
              nearer = back < ahead ? back : ahead;
    if (nearer > REACH) return; // no place is safe
    if (x != -back && x != ahead) fail_msg("%s: gap of %d at %d: %d", what, width, first, x);
    if (abs(x) != nearer) fail_msg("%s: gap of %d at %d: %d", what, width, first, x);
}

TEST(feet_go_to_the_nearest_safe_place)
{
    scene s;
    begin(&s, 4, 11);
    for (int width = 1; width <= 25; width++)
        for (int first = -30; first <= 30; first++)
        {
            act(&s, first, width);
            for (int foot = 0; foot < 4; foot++) check(first, width, (int)lroundf(100 * s.action[foot]), "nearest");
        }
    assert_true(s.action[8] > 0.13f && s.action[8] < 0.15f && s.action[9] == 0 && s.action[10] == 0);
    end(&s);
}

// With a place behind, one ahead, and a sign, the place that is meant is the same; and as the ground goes by, what is
// meant changes by no more than the ground has moved until the sign changes.
TEST(either_place_is_smooth)
{
    scene s;
    begin(&s, 2, 11);
    for (int width = 1; width <= 25; width++)
    {
        float before = 0;
        bool was_ahead = true;
        for (int first = 30; first >= -30; first--)
        {
            act(&s, first, width);
            const bool is_ahead = s.action[4] > 0;
            const float x = is_ahead ? s.action[2] : -s.action[0];
            check(first, width, (int)lroundf(100 * x), "either");
            assert_true(s.action[0] == s.action[1] && s.action[2] == s.action[3] && s.action[4] == s.action[5]);
            if (first < 30 && is_ahead == was_ahead) assert_true(fabsf(x - before) < 0.0101f);
            before = x;
            was_ahead = is_ahead;
        }
    }
    end(&s);
}

// With a lead each foot is sent so much farther ahead, and with a place behind and one ahead, too.
TEST(a_lead_is_added_to_the_place)
{
    const sac_setting lead = {"lead", "0.02"};
    scene plain, next, either;
    begin(&plain, 2, 7);
    begin_with(&next, 2, 7, &lead, 1);
    begin_with(&either, 2, 11, &lead, 1);
    for (int width = 1; width <= 20; width++)
        for (int first = -25; first <= 25; first++)
        {
            act(&plain, first, width);
            act(&next, first, width);
            act(&either, first, width);
            const float x = plain.action[0] + 0.02f,
                        meant = either.action[4] > 0 ? either.action[2] : -either.action[0];
            if (x < 0.2f - 1e-6f) assert_true(fabsf(next.action[0] - x) < 1e-6f);
            // of two places that are equally far away either may be meant
            if (fabsf(meant) < 0.2f - 1e-6f && x < 0.2f - 1e-6f)
                assert_true(fabsf(fabsf(meant - 0.02f) - fabsf(plain.action[0])) < 1e-6f);
            assert_true(either.action[0] >= 0 && either.action[2] >= 0);
        }
    end(&plain);
    end(&next);
    end(&either);
}

// A column of stones whose middle is `aside` places (of 2.5 cm) to the left of where the feet would land, five wide
static void act_on_column(scene *s, int aside)
{
    for (int foot = 0; foot < s->feet; foot++)
        for (int i = 0; i < ALONG; i++)
            for (int k = 0; k < ACROSS; k++)
                s->ground[foot * CELLS + i * ACROSS + k] = abs(k - ACROSS / 2 - aside) <= 1 ? 0 : -0.5f;
    const void *inputs[] = {s->truth, s->ground};
    sac_policy_act_on(s->state, inputs, s->action);
}

// Feet go as far to the side as they may, and the trunk after them where it follows columns.
TEST(feet_and_trunk_go_to_columns)
{
    const sac_setting settings[] = {{"aside", "0.075"}, {"align", "4"}};
    scene narrow, wide, follows;
    begin(&narrow, 2, 7);
    begin_with(&wide, 2, 7, settings, 1);
    begin_with(&follows, 2, 7, settings, 2);
    for (int aside = -3; aside <= 3; aside++)
    {
        const float y = 0.025f * (float)aside, within = fminf(fmaxf(y, -0.05f), 0.05f);
        act_on_column(&narrow, aside);
        act_on_column(&wide, aside);
        act_on_column(&follows, aside);
        for (int foot = 0; foot < 2; foot++)
        {
            assert_true(fabsf(narrow.action[2 + foot] - within) < 1e-6f);
            assert_true(fabsf(wide.action[2 + foot] - y) < 1e-6f && fabsf(follows.action[2 + foot] - y) < 1e-6f);
        }
        assert_true(narrow.action[5] == 0 && wide.action[5] == 0);
        assert_true(fabsf(follows.action[5] - 4 * y) < 1e-6f);
    }
    end(&narrow);
    end(&wide);
    end(&follows);
}

// On level ground a climber crouches by what it is told to, and by nothing else.
TEST(climbers_crouch)
{
    enum
    {
        HEIGHT = 10 // after x, y and z of two feet, clearance, speed, sideways speed and twist
    };
    const sac_setting crouch = {"crouch", "0.03"};
    scene plain, low;
    begin(&plain, 2, 12);
    begin_with(&low, 2, 12, &crouch, 1);
    act(&plain, 30, 1); // a gap out of reach
    act(&low, 30, 1);
    assert_true(plain.action[HEIGHT] == 0 && fabsf(low.action[HEIGHT] + 0.03f) < 1e-6f);
    for (int i = 0; i < 12; i++) assert_true(i == HEIGHT || plain.action[i] == low.action[i]);
    end(&plain);
    end(&low);
}

TEST(what_does_not_fit_is_refused)
{
    sac_policy *policy;
    assert_fails(make(&policy, 3, 11), SAC_ERROR_ARGUMENT, "truth ground");
    assert_fails(make(&policy, 4, 12), SAC_ERROR_ARGUMENT, "'footholds' or 'climbing'");
    assert_ok(make(&policy, 2, 12));
    sac_policy_destroy(policy);
}

TESTS(feet_go_to_the_nearest_safe_place, either_place_is_smooth, a_lead_is_added_to_the_place,
      feet_and_trunk_go_to_columns, climbers_crouch, what_does_not_fit_is_refused)
