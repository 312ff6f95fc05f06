#include "course_scene.h"

#include "saccade/rollout.h"

/// Policies end to end: a depth picture (one float a pixel) and numbers of the body to actions, in one policy of each
/// kind that looks. They act, and they learn from both by evolution, by reward and from a teacher.

static const char *const kinds[] = {
    "  kind: iap-trans\n  attention: relu\n  attention_features: 0\n  patch: 4\n  stride: 0\n  rows: 4\n",
    "  kind: iap-rank\n  attention: relu\n  patch: 4\n  stride: 4\n  top: 4\n  patch_features: positions+values\n",
    "  kind: cnn\n  conv_channels: 6\n  conv_kernel: 4\n  conv_stride: 2\n",
    "  kind: cnn\n  conv_channels: 4,4\n  conv_kernel: 3\n  conv_stride: 1\n  conv_pool: 2\n",
};

enum
{
    KINDS = sizeof kinds / sizeof *kinds,
    STEPS = 3,    // of an episode
    EPISODES = 60 // of an evaluation
};

static const char *task_of(int kind, const char *search, const char *train)
{
    static char text[2048];
    snprintf(text, sizeof text,
             "env:\n  id: course\n  actions: 2\n  max_steps: %d\n"
             "policy:\n%s  inputs: depth state\n  controller: linear\n  activation: clip\n"
             "search:\n%s"
             "train:\n  checkpoint_every: 2\n%s"
             "evaluation:\n  every: 3\n  episodes: 4\n",
             STEPS, kinds[kind], search, train);
    course_register();
    return text;
}

// what a step earns, over episodes that nobody has learned from
static double earned(const sac_task *task, const char *run)
{
    sac_episode episodes[EPISODES];
    const sac_env_def world = sac_task_env_def(task);
    sac_policy *policy = load_mean(run);
    assert_ok(sac_evaluate(policy, &world, 1000, EPISODES, 2, episodes));
    sac_policy_destroy(policy);
    return sac_score_of(episodes, EPISODES).mean / STEPS;
}

// a teacher that is told what the world is about and does it
static const char *write_teacher(void)
{
    static char path[512];
    course_register();
    static const char text[] = "env:\n  id: course\n  actions: 2\npolicy:\n  kind: mlp\n  inputs: truth\n"
                               "  teacher: true\n  controller: linear\n  activation: clip\nsearch:\n  method: ars\n";
    path_in(path, "teacher.safetensors");
    sac_task *task = load_task(text, NULL, 0);
    sac_policy *policy = course_policy(task);
    float *parameters = calloc((size_t)sac_policy_parameter_count(policy), sizeof *parameters);
    for (int i = 0; i < sac_policy_tensor_count(policy); i++)
    {
        const sac_policy_tensor *tensor = sac_policy_tensor_at(policy, i);
        if (strcmp(tensor->name, "output.weight") != 0) continue;
        parameters[tensor->offset] = parameters[tensor->offset + 3] = 1;
    }
    sac_policy_info info = {.environment = "course", .score = NAN, .score_std = NAN};
    assert_ok(sac_policy_save(policy, parameters, &info, path));
    free(parameters);
    sac_policy_destroy(policy);
    sac_task_destroy(task);
    return path;
}

// Who sees the pictures or the numbers alone does best by a constant 0 for the other action, and earns 3/4 a step, give
// or take the mean of EPISODES draws of |u| / 2 with u uniform in -1..1, whose deviation is 1/sqrt(48): 0.019. So more
// than 0.75 + 4 * 0.019 is earned by both.
static const double both = 0.826;

TEST(a_student_learns_from_a_depth_picture_and_numbers)
{
    for (int k = 0; k < KINDS; k++)
    {
        char run[16], search[1024], text[8192];
        snprintf(run, sizeof run, "run%d", k);
        snprintf(search, sizeof search,
                 "  method: distill\n  episodes: 24\n  share: 1 0.5\n  fit_steps: 150\n  batch: 64\n  rate: 0.005\n");
        snprintf(text, sizeof text, "%steacher:\n  policy: %s\n", task_of(k, search, "  generations: 6\n"),
                 write_teacher());
        sac_task *task = load_task(text, NULL, 0);
        assert_ok(train(task, run, 2, false, &(watcher){0}));
        const double mean = earned(task, run);
        if (!(mean > both)) fail_msg("kind %d earns %g a step", k, mean);
        sac_task_destroy(task);
    }
}

TEST(reward_teaches_both)
{
    for (int k = 0; k < KINDS; k++)
    {
        char run[16];
        snprintf(run, sizeof run, "run%d", k);
        static const char search[] = "  method: ppo\n  worlds: 32\n  steps: 12\n  minibatch: 96\n  rate: 3e-3\n";
        sac_task *task = load_task(task_of(k, search, "  generations: 40\n"), NULL, 0);
        assert_ok(train(task, run, 2, false, &(watcher){0}));
        const double mean = earned(task, run);
        if (!(mean > both)) fail_msg("kind %d earns %g a step", k, mean);
        sac_task_destroy(task);
    }
}

TEST(threads_change_no_bit)
{
    static const char search[] = "  method: ppo\n  worlds: 16\n  steps: 6\n  minibatch: 24\n  rate: 3e-3\n";
    for (int k = 0; k < KINDS; k++)
    {
        char one[24], three[24];
        snprintf(one, sizeof one, "one%d", k);
        snprintf(three, sizeof three, "three%d", k);
        sac_task *task = load_task(task_of(k, search, "  generations: 9\n"), NULL, 0);
        assert_ok(train(task, one, 1, false, &(watcher){0}));
        assert_ok(train(task, three, 3, false, &(watcher){0}));
        assert_same_run(one, three);
        sac_task_destroy(task);
    }
}

TEST(evolution_finds_both)
{
    for (int k = 0; k < KINDS; k++)
    {
        char run[16];
        snprintf(run, sizeof run, "run%d", k);
        static const char search[] = "  method: sep-cma-es\n  population: 24\n  sigma: 0.05\n";
        sac_task *task = load_task(task_of(k, search, "  generations: 250\n  episodes: 6\n"), NULL, 0);
        assert_ok(train(task, run, 2, false, &(watcher){0}));
        const double mean = earned(task, run);
        if (!(mean > both)) fail_msg("kind %d earns %g a step", k, mean);
        sac_task_destroy(task);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {IN_FOLDER(a_student_learns_from_a_depth_picture_and_numbers),
                                       IN_FOLDER(reward_teaches_both), IN_FOLDER(threads_change_no_bit),
                                       IN_FOLDER(evolution_finds_both)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
