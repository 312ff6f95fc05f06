#include "base/random.h"
#include "policy_scene.h"
#include "saccade/learn.h"

// Examples that are learned from right to left. A step with `flip` is either the step without it on the examples as
// they are, or the one on examples that were flipped here by hand, to the bit, and both happen.

enum
{
    FRAMES = 3,
    ROUNDS = 24
};

typedef struct lesson
{
    uint8_t pictures[FRAMES][SCENE_SIDE][SCENE_SIDE][3];
    float actions[FRAMES * 3], costs[FRAMES * 3];
    bool chooses;
} lesson;

static lesson plain, flipped;

static void make_lessons(bool chooses, const int *flip)
{
    sac_stream stream = sac_stream_create(5, 1, 0);
    plain.chooses = flipped.chooses = chooses;
    for (int f = 0; f < FRAMES; f++)
        for (int y = 0; y < SCENE_SIDE; y++)
            for (int i = 0; i < SCENE_SIDE * 3; i++)
            {
                const int x = i / 3, c = i % 3;
                plain.pictures[f][y][x][c] = (uint8_t)sac_stream_below(&stream, 256);
                flipped.pictures[f][y][SCENE_SIDE - 1 - x][c] = plain.pictures[f][y][x][c];
            }
    for (int i = 0; i < FRAMES * 3; i++)
    {
        plain.costs[i] = (float)sac_stream_below(&stream, 100) / 100;
        plain.actions[i] = chooses ? (float)sac_stream_below(&stream, 3) : plain.costs[i];
    }
    for (int i = 0; i < FRAMES * 3; i++)
    {
        flipped.costs[i / 3 * 3 + (chooses ? flip[i % 3] : 0)] = plain.costs[i];
        flipped.actions[i] = chooses ? (float)flip[(int)plain.actions[i]] : (float)flip[i % 3] * plain.actions[i];
    }
}

static void step(sac_fit *fit, const lesson *l, bool costs)
{
    static const uint8_t starts[FRAMES] = {1, 0, 0};
    const sac_examples examples = {.count = FRAMES,
                                   .observations = l->pictures[0][0][0],
                                   .actions = l->actions,
                                   .costs = costs ? l->costs : NULL,
                                   .starts = starts};
    assert_ok(sac_fit_run(fit, &examples, 1, NULL));
}

static sac_policy *create(const char *settings, bool chooses)
{
    if (!chooses) return scene_policy(settings, 3);
    sac_policy *box = scene_policy(settings, 3), *policy;
    static const float low = 0, high = 2;
    sac_policy_def def = *sac_policy_get_def(box);
    def.action_size = 1;
    def.action_choices = 3;
    def.action_low = &low;
    def.action_high = &high;
    assert_ok(sac_policy_create(&policy, &def));
    sac_policy_destroy(box);
    return policy;
}

// make a fit go on from where another one is
static void copy_state(sac_fit *to, sac_fit *from, size_t parameters)
{
    sac_fit_array a, b;
    uint64_t steps, calls;
    for (int i = 0; sac_fit_array_at(from, i, &a); i++)
    {
        assert_true(sac_fit_array_at(to, i, &b));
        memcpy(b.numbers, a.numbers, parameters * sizeof(float));
    }
    sac_fit_counters(from, &steps, &calls);
    sac_fit_set_counters(to, steps, calls);
}

static void check(const char *settings, const int *flip, bool chooses, bool costs)
{
    sac_policy *policy = create(settings, chooses);
    const size_t parameters = (size_t)sac_policy_parameter_count(policy), bytes = parameters * sizeof(float);
    sac_fit_def def = sac_fit_default_def();
    sac_fit *some, *one;
    int seen[2] = {0};
    def.batch = 1;
    def.steps = FRAMES; // the whole lesson is one sequence, whose order is no matter
    def.lead = 0;
    def.softness = costs ? 0.1 : 0;
    def.flip = NULL;
    assert_ok(sac_fit_create(&one, policy, &def));
    def.flip = flip;
    assert_ok(sac_fit_create(&some, policy, &def));
    make_lessons(chooses, flip);
    for (int round = 0; round < ROUNDS; round++)
    {
        bool same[2];
        sac_fit *before;
        assert_ok(sac_fit_create(&before, policy, &def));
        copy_state(before, some, parameters);
        step(some, &plain, costs);
        for (int m = 0; m < 2; m++)
        {
            copy_state(one, before, parameters);
            step(one, m ? &flipped : &plain, costs);
            same[m] = memcmp(sac_fit_parameters(one), sac_fit_parameters(some), bytes) == 0;
        }
        if (same[0] == same[1]) fail_msg("%s: step %d is neither, or both", settings, round);
        seen[same[1]]++;
        sac_fit_destroy(before);
    }
    if (seen[0] == 0 || seen[1] == 0) fail_msg("%s: %d as they are, %d flipped", settings, seen[0], seen[1]);
    sac_fit_destroy(some);
    sac_fit_destroy(one);
    sac_policy_destroy(policy);
}

static const int turned[] = {0, 2, 1}, steered[] = {-1, 1, 1};

TEST(a_step_is_on_examples_as_they_are_or_flipped_ones)
{
    check("kind=cnn,image_size=72,controller=linear", steered, false, false);
    check("kind=iap-trans,attention=relu,controller=lstm,motion=true,image_size=48,patch=6,stride=0", steered, false,
          false);
    check("kind=iap-trans,attention=relu,controller=mlp,crop_top=30,crop_height=24,patch=6,stride=0", steered, false,
          false);
    check("kind=cnn,image_size=72,controller=linear,choice=argmax", turned, true, false);
    check("kind=cnn,image_size=72,controller=linear,choice=argmax", turned, true, true);
    check("kind=cnn,image_size=72,controller=linear", turned, true, false);
}

// which sequences are flipped depends on the seed and the step, and not on who computes them
TEST(any_number_of_threads_flips_the_same)
{
    sac_policy *policy = scene_policy("kind=cnn,image_size=72,controller=linear", 3);
    const size_t bytes = (size_t)sac_policy_parameter_count(policy) * sizeof(float);
    sac_fit *fits[3];
    make_lessons(false, steered);
    for (int t = 0; t < 3; t++)
    {
        sac_fit_def def = sac_fit_default_def();
        def.batch = 3;
        def.slices = 3;
        def.flip = steered;
        def.threads = t + 1;
        assert_ok(sac_fit_create(&fits[t], policy, &def));
        for (int i = 0; i < 5; i++) step(fits[t], &plain, false);
        assert_memory_equal(sac_fit_parameters(fits[t]), sac_fit_parameters(fits[0]), bytes);
    }
    for (int t = 0; t < 3; t++) sac_fit_destroy(fits[t]);
    sac_policy_destroy(policy);
}

static void assert_refused(const char *settings, bool chooses, const int *flip, const char *words)
{
    sac_policy *policy = create(settings, chooses);
    sac_fit *fit;
    sac_fit_def def = sac_fit_default_def();
    def.flip = flip;
    assert_fails(sac_fit_create(&fit, policy, &def), SAC_ERROR_ARGUMENT, words);
    sac_policy_destroy(policy);
}

TEST(what_is_no_flip_is_refused)
{
    static const int far[] = {0, 3, 1}, round[] = {1, 2, 0}, two[] = {-1, 2, 1};
    assert_refused("kind=cnn,choice=argmax", true, far, "choice 1 becomes 3");
    assert_refused("kind=cnn,choice=argmax", true, round, "choice 0 becomes 1");
    assert_refused("kind=cnn", false, two, "factor 2 for number 1");
    assert_refused("kind=mlp,inputs=state", false, steered, "one picture");
}

TESTS(a_step_is_on_examples_as_they_are_or_flipped_ones, any_number_of_threads_flips_the_same,
      what_is_no_flip_is_refused)
