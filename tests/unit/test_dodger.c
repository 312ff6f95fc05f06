#include "failing_memory.h"
#include "policy/kind.h"
#include "test.h"

/// Policies of kind dodger: a planner that is told where the player, fireballs and monsters are.

enum
{
    TOLD = 124,
    BALLS = 16,
    STAY = 0,
    LEFT = 1,
    RIGHT = 2,
    SKIP = 4,
    TICS = 100
};

static const float middle = 384;

static sac_status make(sac_policy **policy, int told, int choices)
{
    const sac_space input = {.name = "objects", .kind = SAC_SPACE_VECTOR, .shape = {told}, .privileged = true};
    const sac_setting settings[] = {{"skip", "4"}};
    const sac_policy_def def = {.kind = "dodger",
                                .settings = settings,
                                .setting_count = 1,
                                .action_size = 1,
                                .action_choices = choices,
                                .inputs = &input,
                                .input_count = 1};
    return sac_policy_create(policy, &def);
}

static sac_policy_state *begin(sac_policy **policy)
{
    sac_policy_state *state;
    assert_ok(make(policy, TOLD, 3));
    assert_ok(sac_policy_state_create(&state, *policy));
    return state;
}

static void end(sac_policy *policy, sac_policy_state *state)
{
    sac_policy_state_destroy(state);
    sac_policy_destroy(policy);
}

/// What flies, in places of the map.
typedef struct scene
{
    float y, v;
    int count;
    struct
    {
        float x, y, vx, vy;
    } balls[BALLS];
} scene;

static void tell(float *told, const scene *s)
{
    memset(told, 0, TOLD * sizeof *told);
    told[0] = -416, told[1] = s->y, told[3] = s->v;
    for (int i = 0; i < s->count; i++)
    {
        const float numbers[] = {1, s->balls[i].x + 416, s->balls[i].y - s->y, s->balls[i].vx, s->balls[i].vy};
        memcpy(told + 4 + (ptrdiff_t)5 * i, numbers, sizeof numbers);
    }
}

static int choose(sac_policy_state *state, const scene *s)
{
    float told[TOLD], action;
    const void *inputs[] = {told};
    tell(told, s);
    sac_policy_act_on(state, inputs, &action);
    return (int)action;
}

// An action's tics by Doom's rules. @return whether a fireball has hit the player
static bool play(scene *s, int action)
{
    static const float ways[] = {0, 1, -1};
    bool hit = false;
    for (int t = 0; t < SKIP; t++)
    {
        s->v += 0.75f * ways[action];
        s->y += s->v;
        s->v *= 0.90625f;
        if (s->y < 16 || s->y > 752) s->y = s->y < 16 ? 16 : 752, s->v = 0;
        for (int i = 0; i < s->count; i++)
        {
            s->balls[i].x += s->balls[i].vx;
            s->balls[i].y += s->balls[i].vy;
            hit = hit || (fabsf(s->balls[i].x + 416) < 30 && fabsf(s->balls[i].y - s->y) < 27);
        }
    }
    return hit;
}

// Whether a scene is survived by what the policy does, or by standing still where there is none.
static bool survives(sac_policy_state *state, scene s)
{
    for (int t = 0; t < TICS; t += SKIP)
        if (play(&s, state ? choose(state, &s) : STAY)) return false;
    return true;
}

// a fireball that flies at where the player stands
static void aim(scene *s, float x, float y, float speed)
{
    const float dx = -416 - x, dy = s->y - y, length = sqrtf(dx * dx + dy * dy);
    s->balls[s->count].x = x, s->balls[s->count].y = y;
    s->balls[s->count].vx = speed * dx / length, s->balls[s->count].vy = speed * dy / length;
    s->count++;
}

// where nothing flies it stays in the middle, and comes back from a wall
TEST(nothing_to_dodge)
{
    sac_policy *policy;
    sac_policy_state *state = begin(&policy);
    scene s = {.y = middle};
    for (int i = 0; i < 100; i++) assert_int_equal(choose(state, &s), STAY);
    s.y = 40;
    for (int i = 0; i < 40; i++) play(&s, choose(state, &s));
    assert_near(s.y, middle, 60);
    end(policy, state);
}

TEST(a_fireball_straight_at_the_player_is_dodged)
{
    sac_policy *policy;
    sac_policy_state *state = begin(&policy);
    for (int i = 0; i <= 8; i++)
        for (int speed = 10; speed <= 20; speed += 10)
        {
            scene s = {.y = 16 + 92 * (float)i};
            aim(&s, 64, 20 + 600 * (float)(i % 3) / 2, (float)speed);
            assert_false(survives(NULL, s));
            sac_policy_state_reset(state);
            assert_true(survives(state, s));
        }
    end(policy, state);
}

// volleys of three from the corners and the middle, aimed at the player where it stands
TEST(volleys_are_dodged)
{
    sac_policy *policy;
    sac_policy_state *state = begin(&policy);
    for (int i = 0; i < 8; i++)
    {
        scene s = {.y = 100 + 80 * (float)i};
        aim(&s, 64, 20, 10);
        aim(&s, 64, 278, 10);
        aim(&s, 64, 652, 10);
        assert_false(survives(NULL, s));
        sac_policy_state_reset(state);
        assert_true(survives(state, s));
    }
    end(policy, state);
}

// left for right and right for left, of plans whose costs differ
TEST(a_mirrored_scene_has_the_mirrored_action)
{
    static const int mirrored[] = {STAY, RIGHT, LEFT};
    sac_policy *policy;
    sac_policy_state *state = begin(&policy);
    int moves = 0;
    for (int i = 0; i < 64; i++)
    {
        scene s = {.y = 200 + 5 * (float)i, .v = (float)(i % 5) - 2};
        aim(&s, 64, 20 + 9 * (float)i, 10);
        s.balls[0].y += 7; // off the middle, so that one way is shorter
        scene m = {.y = 768 - s.y, .v = -s.v, .count = 1};
        m.balls[0] = s.balls[0];
        m.balls[0].y = 768 - s.balls[0].y, m.balls[0].vy = -s.balls[0].vy;
        sac_policy_state_reset(state);
        const int action = choose(state, &s);
        sac_policy_state_reset(state);
        assert_int_equal(choose(state, &m), mirrored[action]);
        moves += action != STAY;
    }
    assert_true(moves > 16);
    end(policy, state);
}

// one that has burst stays where it is and hurts nobody
TEST(what_does_not_move_is_no_threat)
{
    sac_policy *policy;
    sac_policy_state *state = begin(&policy);
    scene s = {.y = middle, .count = 1};
    s.balls[0].x = -416, s.balls[0].y = middle;
    assert_int_equal(choose(state, &s), STAY);
    end(policy, state);
}

// What an episode does does not depend on the ones before, and a state acts as another one does.
TEST(episodes_begin_anew)
{
    sac_policy *policy;
    sac_policy_state *state = begin(&policy);
    int first[20];
    for (int episode = 0; episode < 2; episode++)
    {
        scene s = {.y = 300};
        aim(&s, 64, 400, 10);
        sac_policy_state_reset(state);
        for (int i = 0; i < 20; i++)
        {
            const int action = choose(state, &s);
            if (episode == 0) first[i] = action;
            assert_int_equal(action, first[i]);
            play(&s, action);
        }
    }
    end(policy, state);
}

// a parameter of -1 takes a cost away: without that of walls nothing brings the player back
TEST(parameters_weigh_the_costs)
{
    sac_policy *policy;
    sac_policy_state *state = begin(&policy);
    assert_int_equal(sac_policy_parameter_count(policy), 4);
    const float none[] = {0, 0, -1, 0};
    const scene s = {.y = 40};
    assert_int_equal(choose(state, &s), LEFT);
    sac_policy_state_set_parameters(state, none);
    assert_int_equal(choose(state, &s), STAY);
    end(policy, state);
}

// It does what costs least; where a fireball comes, what leads into it costs more, and a hit about 1.
TEST(it_says_what_each_choice_costs)
{
    sac_policy *policy;
    sac_policy_state *state = begin(&policy);
    assert_non_null(policy->ops->costs);
    for (int i = 0; i < 32; i++)
    {
        scene s = {.y = 200 + 10 * (float)i};
        aim(&s, -336, s.y, 10); // so near that who begins with the wrong thing is hit
        s.balls[0].y += i % 2 ? 20 : -20, s.balls[0].vy = 0;
        sac_policy_state_reset(state);
        const int action = choose(state, &s), away = i % 2 ? RIGHT : LEFT, into = i % 2 ? LEFT : RIGHT;
        const float *costs = policy->ops->costs(state);
        assert_int_equal(action, away);
        for (int c = 0; c < 3; c++) assert_true(costs[c] >= costs[action]);
        assert_true(costs[into] > costs[away]);
    }
    end(policy, state);
}

TEST(what_it_is_told_and_does_is_checked)
{
    sac_policy *policy;
    assert_int_equal(make(&policy, TOLD - 1, 3), SAC_ERROR_ARGUMENT);
    assert_non_null(strstr(sac_last_error(), "124 numbers"));
    assert_int_equal(make(&policy, TOLD, 2), SAC_ERROR_ARGUMENT);
    assert_non_null(strstr(sac_last_error(), "3 actions"));
}

static sac_status make_state(void)
{
    sac_policy *policy;
    sac_policy_state *state = NULL;
    sac_status status = make(&policy, TOLD, 3);
    if (status == SAC_OK) status = sac_policy_state_create(&state, policy);
    end(policy, state);
    return status;
}

TEST(memory_may_run_out)
{
    assert_survives_lack_of_memory(make_state(), );
}

TESTS(nothing_to_dodge, a_fireball_straight_at_the_player_is_dodged, volleys_are_dodged,
      a_mirrored_scene_has_the_mirrored_action, what_does_not_move_is_no_threat, episodes_begin_anew,
      parameters_weigh_the_costs, it_says_what_each_choice_costs, what_it_is_told_and_does_is_checked,
      memory_may_run_out)
