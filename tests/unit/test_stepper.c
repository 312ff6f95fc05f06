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

static sac_status make(sac_policy **policy, int feet, int actions)
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
                                .input_count = 2};
    return sac_policy_create(policy, &def);
}

static void begin(scene *s, int feet, int actions)
{
    *s = (scene){.feet = feet};
    s->truth[5] = 1; // straight ahead
    assert_ok(make(&s->policy, feet, actions));
    assert_ok(sac_policy_state_create(&s->state, s->policy));
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

TEST(what_does_not_fit_is_refused)
{
    sac_policy *policy;
    assert_fails(make(&policy, 3, 11), SAC_ERROR_ARGUMENT, "truth ground");
    assert_fails(make(&policy, 4, 12), SAC_ERROR_ARGUMENT, "'footholds' or 'climbing'");
    assert_ok(make(&policy, 2, 12));
    sac_policy_destroy(policy);
}

TESTS(feet_go_to_the_nearest_safe_place, either_place_is_smooth, what_does_not_fit_is_refused)
