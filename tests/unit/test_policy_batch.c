#include "policy_scene.h"

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
    static const char *const kinds[] = {"", "attention=relu,patch_features=positions+values,motion=true,filter=true",
                                        "kind=iap-rank,selection=sample", "kind=iap-trans", "kind=cnn"};
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

TESTS(a_batch_has_the_bits_of_its_episodes, a_batch_may_be_of_several_kinds)
