#include <math.h>

#include "policy_scene.h"

#include "base/memory.h"
#include "policy/kind.h"

// many episodes at once give the bits that they give one by one

enum
{
    EPISODES = 7,
    STEPS = 5,
    ACTIONS = 3
};

static uint8_t images[EPISODES][SCENE_SIZE];

// each episode has parameters of its own; `batch` and `alone` are two states of each
typedef struct crew
{
    sac_policy *policies[EPISODES];
    sac_policy_state *batch[EPISODES], *alone[EPISODES];
} crew;

static void open_crew(crew *c, const char *const settings[EPISODES])
{
    for (int i = 0; i < EPISODES; i++)
    {
        c->policies[i] = scene_policy(settings[i], (uint64_t)i + 1);
        c->batch[i] = scene_state(c->policies[i]);
        c->alone[i] = scene_state(c->policies[i]);
    }
}

static void close_crew(crew *c)
{
    for (int i = 0; i < EPISODES; i++)
    {
        sac_policy_state_destroy(c->batch[i]);
        sac_policy_state_destroy(c->alone[i]);
        sac_policy_destroy(c->policies[i]);
    }
}

static void assert_same_gaze(sac_policy_state *a, sac_policy_state *b)
{
    sac_gaze x, y;
    sac_policy_gaze(a, &x);
    sac_policy_gaze(b, &y);
    assert_memory_equal(x.told, y.told, (size_t)x.told_count * sizeof(float));
    assert_memory_equal(x.output, y.output, (size_t)x.output_size * sizeof(float));
    if (x.hidden) assert_memory_equal(x.hidden, y.hidden, (size_t)x.hidden_size * sizeof(float));
    if (x.cell) assert_memory_equal(x.cell, y.cell, (size_t)x.hidden_size * sizeof(float));
}

// in every step another number of episodes, in another order
static void assert_same(const char *const settings[EPISODES])
{
    crew c;
    open_crew(&c, settings);
    for (int step = 0; step < STEPS; step++)
    {
        int count = step == 0 ? EPISODES : step == 1 ? 1 : step == 2 ? 0 : EPISODES - step + 2;
        sac_policy_state *states[EPISODES];
        const void *pictures[EPISODES], *const *inputs[EPISODES];
        float together[EPISODES][ACTIONS] = {{0}}, single[EPISODES][ACTIONS] = {{0}}, *actions[EPISODES];
        int who[EPISODES];
        for (int i = 0; i < count; i++)
        {
            who[i] = (3 * i + step) % EPISODES;
            scene_image(images[i], 10 * step + i);
            states[i] = c.batch[who[i]];
            pictures[i] = images[i];
            inputs[i] = &pictures[i];
            actions[i] = together[i];
        }
        sac_policy_act_batch(states, inputs, actions, count);
        for (int i = 0; i < count; i++)
        {
            sac_policy_act(c.alone[who[i]], images[i], single[i]);
            assert_same_gaze(c.batch[who[i]], c.alone[who[i]]);
        }
        assert_memory_equal(together, single, sizeof single); // and nothing is written past the last one
    }
    close_crew(&c);
}

TEST(a_batch_has_the_bits_of_its_episodes)
{
    static const char *const kinds[] = {"",
                                        "attention=relu,patch_features=positions+values,motion=true,normaliser=true",
                                        "kind=iap-rank,selection=sample",
                                        "kind=iap-trans",
                                        "kind=cnn",
                                        "kind=hierarchical,shortest=1,longest=4",
                                        "kind=action-tokens",
                                        "kind=action-tokens,attention=sara-relu"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    {
        const char *same[EPISODES];
        for (int i = 0; i < EPISODES; i++) same[i] = kinds[k];
        assert_same(same);
    }
}

TEST(a_batch_may_be_of_several_kinds)
{
    static const char *const mixed[EPISODES] = {"",
                                                "kind=cnn",
                                                "kind=iap-trans",
                                                "controller=linear",
                                                "kind=iap-rank",
                                                "image_size=48",
                                                "kind=cnn,controller=mlp"};
    assert_same(mixed);
}

// --- states that share their scratch, as those of a rollout do ---

enum
{
    SHARING = 3
};

// Acts in turn, and then compares what each has seen with a state that has memory of its own.
static void assert_scratch_is_nobodys(const char *settings)
{
    sac_policy *policy = scene_policy(settings, 1);
    sac_policy_state *shared[SHARING], *alone[SHARING];
    sac_workspace scratch = {0}, room = {.scratch = &scratch};
    for (int i = 0; i < SHARING; i++) assert_null(sac_policy_state_take(policy, &room));
    assert_int_equal(scratch.used, policy->scratch_room); // once, however many there are
    unsigned char *memory = sac_alloc(room.used + scratch.used);
    assert_non_null(memory);
    scratch.memory = memory + room.used;
    room = (sac_workspace){.memory = memory, .scratch = &scratch};
    for (int i = 0; i < SHARING; i++)
    {
        shared[i] = sac_policy_state_take(policy, &room);
        assert_ok(sac_policy_state_open(shared[i]));
        alone[i] = scene_state(policy);
    }
    for (int step = 0; step < STEPS; step++)
    {
        float a[SHARING][ACTIONS], b[SHARING][ACTIONS];
        for (int i = 0; i < SHARING; i++)
        {
            scene_image(images[i], 10 * step + i);
            sac_policy_act(shared[i], images[i], a[i]);
            sac_policy_act(alone[i], images[i], b[i]);
        }
        assert_memory_equal(a, b, sizeof a);
        for (int i = 0; i < SHARING; i++)
        {
            sac_gaze x, y;
            assert_same_gaze(shared[i], alone[i]);
            sac_policy_gaze(shared[i], &x);
            sac_policy_gaze(alone[i], &y);
            const size_t patches = (size_t)(x.rows * x.columns);
            assert_int_equal(x.importance != NULL, y.importance != NULL);
            if (x.importance) assert_memory_equal(x.importance, y.importance, patches * sizeof(float));
            if (x.top) assert_memory_equal(x.top, y.top, (size_t)x.kept * sizeof *x.top);
            if (!x.keys) continue;
            assert_memory_equal(x.keys, y.keys, patches * (size_t)x.key_size * sizeof(float));
            assert_memory_equal(x.queries, y.queries, patches * (size_t)x.key_size * sizeof(float));
        }
    }
    for (int i = 0; i < SHARING; i++)
    {
        sac_policy_state_close(shared[i]);
        sac_policy_state_destroy(alone[i]);
    }
    sac_free(memory);
    sac_policy_destroy(policy);
}

TEST(states_that_share_their_scratch_keep_what_is_theirs)
{
    static const char *const kinds[] = {"",
                                        "attention=relu,heads=2",
                                        "image_size=48",
                                        "attention=positive,key_period=3,projection=learned",
                                        "kind=iap-trans",
                                        "kind=iap-trans,attention=softmax",
                                        "kind=cnn",
                                        "attention=relu,selection=tree",
                                        "kind=hierarchical,shortest=1,longest=3",
                                        "kind=hierarchical,high.kind=cnn,shortest=1,longest=3",
                                        "kind=action-tokens,attention=sara-relu"};
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) assert_scratch_is_nobodys(kinds[k]);
}

// --- policies of numbers, which act side by side where they have the same parameters ---

enum
{
    CROWD = 40, // more than two full vectors of 16
    STATE = 7   // numbers of the part "state"
};

// Half of the states hold the policy's own parameters in runs of several lengths, and the others hold their own.
static void assert_same_of_numbers(const char *settings)
{
    sac_policy *policy = scene_policy(settings, 1);
    const int size = sac_policy_parameter_count(policy), normalised = sac_policy_normaliser_size(policy);
    float *other = sac_alloc(sizeof(float) * (size_t)size), numbers[CROWD][STATE];
    sac_policy_state *batch[CROWD], *alone[CROWD];
    const void *seen[CROWD], *const *inputs[CROWD];
    float together[CROWD][ACTIONS], single[CROWD][ACTIONS], *actions[CROWD];
    for (int i = 0; i < CROWD; i++)
    {
        batch[i] = scene_state(policy), alone[i] = scene_state(policy);
        seen[i] = numbers[i], inputs[i] = &seen[i], actions[i] = together[i];
        if (i % 23 < 17) continue;
        sac_policy_draw(policy, 2 + (uint64_t)i % 3, other);
        sac_policy_state_set_parameters(batch[i], other);
        sac_policy_state_set_parameters(alone[i], other);
    }
    for (int step = 0; step < 4; step++)
        for (int first = 0, count; first < CROWD; first += count)
        {
            static const int counts[] = {CROWD, 16, 7, 3};
            count = counts[step] < CROWD - first ? counts[step] : CROWD - first;
            for (int i = first; i < first + count; i++)
            {
                fill_uniform(numbers[i], STATE, (uint64_t)(100 * step + i));
                if (i % 11 == 0) numbers[i][step] = i % 2 ? NAN : INFINITY;
                sac_policy_act_on(alone[i], inputs[i], single[i]);
            }
            sac_policy_act_batch(batch + first, inputs + first, actions + first, count);
            for (int i = first; i < first + count; i++)
            {
                assert_memory_equal(together[i], single[i], sizeof(float) * ACTIONS);
                assert_same_gaze(batch[i], alone[i]);
                if (normalised > 0)
                    assert_memory_equal(sac_policy_normaliser_input(batch[i]), sac_policy_normaliser_input(alone[i]),
                                        sizeof(float) * (size_t)normalised);
            }
        }
    for (int i = 0; i < CROWD; i++)
    {
        sac_policy_state_destroy(batch[i]);
        sac_policy_state_destroy(alone[i]);
    }
    sac_free(other);
    sac_policy_destroy(policy);
}

TEST(numbers_side_by_side_have_the_bits_of_one_by_one)
{
    static const char *const settings[] = {"",
                                           ",layers=1,hidden=5,activation=none",
                                           ",layers=4,hidden=33,motion=true,activation=clip",
                                           ",controller=linear,normaliser=false",
                                           ",hidden=1024", // too wide for it
                                           ",controller=lstm,motion=true"};
    const sac_cpu_level best = sac_get_cpu_level();
    for (sac_cpu_level level = SAC_CPU_SCALAR; level <= best; level++)
    {
        sac_set_cpu_level(level);
        if (sac_get_cpu_level() != level) continue;
        for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        {
            char text[128];
            snprintf(text, sizeof text, "kind=mlp,inputs=state%s", settings[i]);
            assert_same_of_numbers(text);
        }
    }
    sac_set_cpu_level(best);
}

TESTS(a_batch_has_the_bits_of_its_episodes, a_batch_may_be_of_several_kinds,
      states_that_share_their_scratch_keep_what_is_theirs, numbers_side_by_side_have_the_bits_of_one_by_one)
