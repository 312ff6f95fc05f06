#include "train_scene.h"

#include "saccade/play.h"

// a student learns what each choice costs by its teacher, a planner: in a field where one fireball flies at the player

enum
{
    TOLD = 124, // numbers that the planner is told
    SEEN = 3,
    STEPS = 10,
    SKIP = 4
};

typedef struct field
{
    float y, v, ball_x, ball_y, ball_vx, ball_vy;
} field;

static const sac_space parts[] = {
    {.name = "seen", .kind = SAC_SPACE_VECTOR, .shape = {SEEN}},
    {.name = "objects", .kind = SAC_SPACE_VECTOR, .shape = {TOLD}, .privileged = true},
};

static sac_status field_create(void **self, const void *config, const char *variant)
{
    (void)config;
    (void)variant;
    *self = calloc(1, sizeof(field));
    return *self ? SAC_OK : SAC_ERROR_MEMORY;
}

static void field_destroy(void *self)
{
    free(self);
}

static void field_spec(const void *self, sac_env_spec *spec)
{
    (void)self;
    *spec = (sac_env_spec){
        .observations = parts, .observation_count = 2, .action_size = 1, .action_choices = 3, .max_steps = STEPS};
}

static void field_show(const field *f, const sac_env_row *row)
{
    float *seen = row->parts[0], *told = row->parts[1];
    if (seen) seen[0] = f->v, seen[1] = (f->ball_y - f->y) / 100, seen[2] = (f->ball_x + 416) / 400;
    if (!told) return;
    memset(told, 0, TOLD * sizeof *told);
    told[0] = -416, told[1] = f->y, told[3] = f->v;
    told[4] = 1, told[5] = f->ball_x + 416, told[6] = f->ball_y - f->y, told[7] = f->ball_vx, told[8] = f->ball_vy;
}

static sac_status field_reset(void *self, uint64_t seed, const sac_env_row *row)
{
    field *f = self;
    sac_stream stream = sac_stream_create(seed, 1, 2);
    *f = (field){.y = (float)sac_stream_uniform(&stream, 300, 468), .ball_x = -116, .ball_vx = -10};
    f->ball_y = f->y + (float)sac_stream_uniform(&stream, -60, 60);
    f->ball_vy = (f->y - f->ball_y) / 30;
    field_show(f, row);
    return SAC_OK;
}

static sac_status field_step(void *self, const sac_env_row *row)
{
    static const float ways[] = {0, 1, -1};
    field *f = self;
    for (int t = 0; t < SKIP; t++)
    {
        f->v += 0.75f * ways[(int)row->action[0]];
        f->y += f->v;
        f->v *= 0.90625f;
        f->ball_x += f->ball_vx;
        f->ball_y += f->ball_vy;
        if (fabsf(f->ball_x + 416) < 30 && fabsf(f->ball_y - f->y) < 27) *row->terminated = 1;
    }
    *row->reward = 1;
    field_show(f, row);
    return SAC_OK;
}

static const sac_env_ops field_ops = {.name = "field",
                                      .create = field_create,
                                      .spec = field_spec,
                                      .reset = field_reset,
                                      .step = field_step,
                                      .destroy = field_destroy};

static void write_teacher(void)
{
    static const sac_env_def world = {.id = "field"};
    static const sac_setting settings[] = {{"teacher", "true"}, {"inputs", "objects"}, {"skip", "4"}, {"hold", "3"}};
    sac_env *env;
    sac_policy *policy;
    assert_ok(sac_env_create(&env, &world));
    assert_ok(sac_policy_create_for(&policy, env, "dodger", settings, 4));
    char path[512];
    path_in(path, "teacher.safetensors");
    sac_policy_info info = {.score = NAN, .score_std = NAN};
    snprintf(info.environment, sizeof info.environment, "field");
    assert_ok(sac_policy_save(policy, sac_policy_parameters(policy), &info, path));
    sac_policy_destroy(policy);
    sac_env_destroy(env);
}

static sac_task *task_with(const char *loss)
{
    char text[1024];
    write_teacher();
    snprintf(text, sizeof text,
             "env:\n  id: field\n"
             "policy:\n  kind: mlp\n  inputs: seen\n  hidden: 16\n  layers: 1\n  choice: argmax\n"
             "search:\n  method: distill\n  loss: %s\n  episodes: 16\n  share: 1 0.25\n  keep: 700\n  fit_steps: 60\n"
             "  batch: 64\n  rate: 0.01\n  largest_norm: 1\n"
             "train:\n  generations: 9\n  checkpoint_every: 2\n"
             "evaluation:\n  every: 9\n  episodes: 64\n"
             "teacher:\n  noise: 0.2\n  policy: %s/teacher.safetensors\n",
             loss, folder);
    return load_task(text, NULL, 0);
}

static double mean_return(const char *run, const char *name)
{
    static const sac_env_def world = {.id = "field"};
    sac_episode episodes[64];
    sac_policy *policy = load_policy(run, name);
    assert_ok(sac_evaluate(policy, &world, 1000, 64, 1, episodes));
    sac_policy_destroy(policy);
    return sac_score_of(episodes, 64).mean;
}

TEST(a_student_learns_to_dodge)
{
    static const char *const losses[] = {"soft", "cost"};
    for (int i = 0; i < 2; i++)
    {
        sac_task *task = task_with(losses[i]);
        assert_ok(train(task, losses[i], 1, false, &(watcher){0}));
        assert_near(mean_return(".", "teacher.safetensors"), STEPS, 1e-9);
        assert_true(mean_return(losses[i], "mean.safetensors") > 0.9 * STEPS);
        sac_task_destroy(task);
    }
}

// what a fit has measured is in the files that a run leaves: they drive as the student did
TEST(files_hold_the_normaliser)
{
    sac_task *task = task_with("soft");
    assert_ok(train(task, "run", 1, false, &(watcher){0}));
    sac_policy *policy = load_mean("run");
    const float *parameters = sac_policy_parameters(policy);
    int found = 0;
    for (int i = 0; i < sac_policy_tensor_count(policy); i++)
    {
        const sac_policy_tensor *tensor = sac_policy_tensor_at(policy, i);
        if (!tensor->measured) continue;
        found++;
        for (size_t k = 0; k < sac_policy_tensor_size(tensor); k++) assert_true(parameters[tensor->offset + k] != 0);
    }
    assert_int_equal(found, 2);
    sac_policy_destroy(policy);
    sac_task_destroy(task);
}

TEST(threads_and_interruptions_change_no_bit)
{
    sac_task *task = task_with("soft");
    assert_ok(train(task, "one", 1, false, &(watcher){0}));
    assert_ok(train(task, "three", 3, false, &(watcher){0}));
    assert_same_run("one", "three");
    watcher parts_of_it[] = {{.at = 5}, {0}};
    assert_int_equal(train(task, "parts", 1, false, &parts_of_it[0]), SAC_ERROR_INTERRUPTED);
    assert_ok(train(task, "parts", 2, true, &parts_of_it[1]));
    assert_same_run("one", "parts");
    sac_task_destroy(task);
}

int main(void)
{
    const struct CMUnitTest tests[] = {IN_FOLDER(a_student_learns_to_dodge), IN_FOLDER(files_hold_the_normaliser),
                                       IN_FOLDER(threads_and_interruptions_change_no_bit)};
    if (sac_env_register(&field_ops) != SAC_OK) return 1;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
