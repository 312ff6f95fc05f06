#include "failing_memory.h"
#include "ppo_scene.h"

#include "ppo/ppo.h"
#include "rollout/normaliser.h"

// learning by reward: its bits depend on neither threads, levels nor how often it was stopped (test_ppo_learns.c: it
// learns)

TEST(threads_change_no_bit)
{
    static const char *const memory[] = {"policy.controller", "lstm", "policy.motion", "true", NULL};
    const char *const *const settings[] = {NULL, memory};
    for (int i = 0; i < 2; i++)
    {
        sac_task *task = line_task(settings[i]);
        assert_ok(train(task, i ? "m1" : "t1", 1, false, &(watcher){0}));
        assert_ok(train(task, i ? "m2" : "t2", 2, false, &(watcher){0}));
        assert_ok(train(task, i ? "m3" : "t3", 3, false, &(watcher){0}));
        assert_same_run(i ? "m1" : "t1", i ? "m2" : "t2");
        assert_same_run(i ? "m1" : "t1", i ? "m3" : "t3");
        sac_task_destroy(task);
    }
}

// stopped after each generation: episodes of 20 steps go on over generations of 16
TEST(a_run_in_pieces_is_the_run_in_one)
{
    static const char *const settings[] = {
        "policy.controller", "lstm", "policy.motion", "true", "search.push_every", "9", "search.push_steps", "4", NULL};
    sac_task *task = line_task(settings);
    assert_ok(train(task, "whole", 1, false, &(watcher){0}));
    sac_status status = SAC_ERROR_INTERRUPTED;
    for (uint64_t i = 1; status == SAC_ERROR_INTERRUPTED && i < 30; i++)
        status = train(task, "pieces", 1 + (int)(i % 3), i > 1, &(watcher){.at = i});
    assert_ok(status);
    assert_same_run("whole", "pieces");
    sac_task_destroy(task);
}

// stopped within a generation, while it drives (20 worlds make 16 steps each) or, after the last step, while it learns:
// the generation is taken back
TEST(a_generation_that_is_broken_off_is_taken_back)
{
    static const int stops[] = {1, 3 * 320 + 100, 2 * 320, 5 * 320};
    sac_task *task = line_task((const char *const[]){"evaluation.every", "0", NULL});
    assert_ok(train(task, "unbroken", 1, false, &(watcher){0}));
    for (int i = 0; i < 4; i++)
    {
        char name[24];
        watcher w = {0};
        snprintf(name, sizeof name, "broken%d", i);
        line_stop.steps_left = stops[i];
        line_stop.flag = &w.interrupt;
        assert_int_equal(train(task, name, 1, false, &w), SAC_ERROR_INTERRUPTED);
        line_stop.flag = NULL;
        assert_int_equal(w.rows, (stops[i] - 1) / 320);
        assert_ok(train(task, name, 1, true, &(watcher){0}));
        assert_same_file("unbroken", name, "checkpoints/00000009.safetensors");
        assert_same_file("unbroken", name, "mean.safetensors");
    }
    sac_task_destroy(task);
}

TEST(every_level_gives_the_same_run)
{
    const sac_cpu_level best = sac_get_cpu_level();
    sac_task *task = line_task(NULL);
    for (sac_cpu_level level = SAC_CPU_SCALAR; level <= best; level++)
    {
        sac_set_cpu_level(level);
        if (sac_get_cpu_level() != level) continue;
        char name[16];
        snprintf(name, sizeof name, "level%d", (int)level);
        assert_ok(train(task, name, 1, false, &(watcher){0}));
        assert_same_file("level0", name, "mean.safetensors");
        assert_same_file("level0", name, "best.safetensors");
    }
    sac_set_cpu_level(best);
    sac_task_destroy(task);
}

TEST(a_bad_task_is_refused)
{
    static const struct
    {
        const char *key, *value, *words;
    } bad[] = {
        {"search.sequence", "5", "a divisor of search.steps"},
        {"search.critic", "truht", "did you mean 'truth'"},
        {"search.critic", "truth truth", "stands there twice"},
        {"search.stray", "plce", "did you mean 'place'"},
        {"train.race", "3", "train.race is for evolution"},
        {"train.episodes", "3", "train.episodes is for evolution"},
        {"train.tune", "output:0.5", "scales the steps of a search"},
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    {
        const char *const settings[] = {bad[i].key, bad[i].value, NULL};
        sac_task *task = line_task(settings);
        assert_fails(train(task, "bad", 1, false, &(watcher){0}), SAC_ERROR_ARGUMENT, bad[i].words);
        sac_task_destroy(task);
    }
    sac_setting typo = {"search.minibach", "3"};
    char path[512];
    sac_task *task;
    path_in(path, "task.yaml");
    assert_fails(sac_task_load(&task, path, &typo, 1), SAC_ERROR_ARGUMENT, "did you mean 'minibatch'");
}

TEST(a_broken_world_is_told)
{
    static const char *const torn[] = {"env.fail_after", "7", NULL};
    sac_task *task = line_task(torn);
    assert_fails(train(task, "torn", 2, false, &(watcher){0}), SAC_ERROR_ENVIRONMENT, "it is torn");
    sac_task_destroy(task);
    static const char *const bad[] = {"env.bad_after", "15", "evaluation.every", "0", NULL};
    task = line_task(bad);
    watcher w = {0};
    assert_ok(train(task, "no-number", 1, false, &w)); // it learns from what came before
    assert_true(w.bad_episodes > 0);
    sac_task_destroy(task);
}

// the tensors that train.tune does not name stay as they were, and so does their place in files
TEST(only_what_is_tuned_moves)
{
    static const char *const settings[] = {"train.tune", "output", "train.generations", "4", NULL};
    static const char *const none[] = {"search.rate", "0", "train.generations", "4", NULL};
    (void)trained("tuned", settings);
    (void)trained("none", none);
    sac_policy *policies[2];
    char path[512];
    path_in(path, "tuned/mean.safetensors");
    assert_ok(sac_policy_load(&policies[0], NULL, path));
    path_in(path, "none/mean.safetensors");
    assert_ok(sac_policy_load(&policies[1], NULL, path));
    for (int i = 0; i < sac_policy_tensor_count(policies[0]); i++)
    {
        const sac_policy_tensor *tensor = sac_policy_tensor_at(policies[0], i);
        if (tensor->measured) continue;
        bool same = memcmp(sac_policy_parameters(policies[0]) + tensor->offset,
                           sac_policy_parameters(policies[1]) + tensor->offset,
                           sac_policy_tensor_size(tensor) * sizeof(float)) == 0;
        assert_int_equal(same, strncmp(tensor->name, "output", 6) != 0);
    }
    sac_policy_destroy(policies[0]);
    sac_policy_destroy(policies[1]);
}

// PPO that goes on from a file begins at exactly the file's parameters. The first generation only measures, so after it
// these are what is evaluated; the second one moves them. A normaliser would be measured anew.
TEST(a_policy_from_a_file_is_where_it_begins)
{
    (void)trained("before", (const char *const[]){"policy.normaliser", "false", NULL});
    char start[512];
    path_in(start, "before/mean.safetensors");
    const char *const settings[] = {
        "policy.normaliser", "false", "train.start", start, "train.generations", "1", "search.anneal", "false",
        "evaluation.every",  "1",     NULL};
    const char *const longer[] = {
        "policy.normaliser", "false", "train.start", start, "train.generations", "2", "search.anneal", "false",
        "evaluation.every",  "1",     NULL};
    const double evaluated = trained("at-start", settings);
    (void)trained("moved", longer);
    sac_policy *file = load_mean("before"), *first = load_mean("at-start"), *second = load_mean("moved");
    const size_t bytes = (size_t)sac_policy_parameter_count(file) * sizeof(float);
    assert_memory_equal(sac_policy_parameters(first), sac_policy_parameters(file), bytes);
    assert_memory_not_equal(sac_policy_parameters(second), sac_policy_parameters(file), bytes);

    sac_task *task = line_task(settings);
    const sac_env_def env = {.id = "line"};
    sac_episode episodes[6];
    assert_int_equal(task->evaluation.episodes, 6);
    assert_ok(sac_evaluate(file, &env, task->evaluation.first_seed, 6, 1, episodes));
    assert_near(evaluated, sac_score_of(episodes, 6).mean, 1e-7); // metrics.csv has nine digits
    sac_task_destroy(task);
    sac_policy_destroy(file);
    sac_policy_destroy(first);
    sac_policy_destroy(second);
}

static sac_status iterate_once(const sac_policy *policy, const sac_env_def *env, sac_comm *comm, const float *start)
{
    sac_ppo *ppo;
    sac_normaliser normaliser;
    sac_ppo_report report;
    static const sac_setting settings[] = {{"worlds", "9"}, {"steps", "8"}, {"minibatch", "32"}};
    SAC_TRY(sac_ppo_create(&ppo, &(sac_ppo_def){.policy = policy,
                                                .env = env,
                                                .settings = settings,
                                                .setting_count = 3,
                                                .start = start,
                                                .fresh = true,
                                                .comm = comm,
                                                .threads = 1}));
    sac_status status = sac_normaliser_create(&normaliser, policy);
    if (status == SAC_OK) status = sac_ppo_begin(ppo);
    for (uint64_t i = 0; status == SAC_OK && i < 3; i++) status = sac_ppo_iterate(ppo, i, &normaliser, &report);
    sac_normaliser_clear(&normaliser);
    sac_ppo_destroy(ppo);
    return status;
}

// a policy of the world that is told two places
static sac_policy *create_policy(void)
{
    static const float low = -1, high = 1;
    static const sac_space input = {.name = "places", .kind = SAC_SPACE_VECTOR, .shape = {2}};
    static const sac_setting hidden = {"hidden", "4"};
    const sac_policy_def def = {.kind = "mlp",
                                .action_size = 1,
                                .action_low = &low,
                                .action_high = &high,
                                .inputs = &input,
                                .input_count = 1,
                                .settings = &hidden,
                                .setting_count = 1};
    sac_policy *policy;
    line_register();
    assert_ok(sac_policy_create(&policy, &def));
    return policy;
}

// how far nine worlds are in their episodes of 20 steps after a generation of 8
static void check_lengths(const sac_setting *settings, int count, const double expected[9])
{
    sac_policy *policy = create_policy();
    sac_comm *comm;
    sac_ppo *ppo;
    sac_normaliser normaliser;
    sac_ppo_report report;
    sac_ppo_array arrays[SAC_PPO_ARRAYS];
    const sac_env_def env = {.id = "line"};
    assert_ok(sac_comm_create_self(&comm));
    assert_ok(sac_normaliser_create(&normaliser, policy));
    assert_ok(sac_ppo_create(&ppo, &(sac_ppo_def){.policy = policy,
                                                  .env = &env,
                                                  .settings = settings,
                                                  .setting_count = count,
                                                  .start = sac_policy_parameters(policy),
                                                  .comm = comm,
                                                  .threads = 1}));
    assert_ok(sac_ppo_begin(ppo));
    assert_ok(sac_ppo_iterate(ppo, 0, &normaliser, &report));
    const int listed = sac_ppo_state(ppo, arrays);
    const double *lengths = NULL;
    for (int i = 0; i < listed; i++)
        if (strcmp(arrays[i].name, "lengths") == 0) lengths = arrays[i].data;
    assert_non_null(lengths);
    for (int i = 0; i < 9; i++) assert_near(lengths[i], expected[i], 0);
    sac_ppo_destroy(ppo);
    sac_normaliser_clear(&normaliser);
    sac_comm_close(comm, SAC_OK);
    sac_policy_destroy(policy);
}

TEST(episodes_are_cut_where_they_shall)
{
    const sac_setting settings[] = {{"worlds", "9"},      {"steps", "8"},         {"minibatch", "32"},
                                    {"stagger", "false"}, {"episode_steps", "5"}, {"episode_steps", "0"}};
    check_lengths(settings, 4, (const double[]){8, 8, 8, 8, 8, 8, 8, 8, 8});
    check_lengths(settings, 5, (const double[]){3, 3, 3, 3, 3, 3, 3, 3, 3});
    // the first of world i after ceil(20 (i + 1) / 9) steps: 3, 5, 7, 9, ...
    check_lengths(settings, 3, (const double[]){5, 3, 1, 8, 8, 8, 8, 8, 8});
    // after ceil(5 (i + 1) / 9) steps: 1, 2, 2, 3, 3, 4, 4, 5, 5; and then after 5
    const sac_setting both[] = {settings[0], settings[1], settings[2], settings[4]};
    check_lengths(both, 4, (const double[]){2, 1, 1, 0, 0, 4, 4, 3, 3});
}

// one row a generation; the first one only measures
TEST(a_table_tells_how_learning_went)
{
    sac_task *task = line_task(NULL);
    char path[512], row[512];
    watcher w = {0};
    assert_ok(train(task, "told", 1, false, &w));
    sac_task_destroy(task);
    path_in(path, "told/reward.csv");
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    assert_non_null(fgets(row, sizeof row, file));
    assert_string_equal(row, "generation,epochs,rate,policy_loss,value_loss,explained,entropy,divergence,clipped,"
                             "gradient_norm\n");
    for (int i = 1; i <= 9; i++)
    {
        int generation, epochs;
        double x[8];
        assert_non_null(fgets(row, sizeof row, file));
        assert_int_equal(sscanf(row, "%d,%d,%lf,%lf,%lf,%lf,%lf,%lf,%lf,%lf", &generation, &epochs, &x[0], &x[1], &x[2],
                                &x[3], &x[4], &x[5], &x[6], &x[7]),
                         10);
        assert_int_equal(generation, i);
        assert_int_equal(epochs, i == 1 ? 0 : 6);
        // the rate falls along a line over nine generations
        if (i > 1) assert_near(x[0], 3e-3 * (10 - i) / 9, 1e-11);
        for (int k = 1; k < 8; k++) assert_true(isfinite(x[k]) || (i == 1 && k != 3));
        if (i > 1) assert_true(x[2] > 0 && x[3] < 1 && x[5] > 0 && x[6] >= 0 && x[6] <= 1 && x[7] > 0);
    }
    assert_null(fgets(row, sizeof row, file));
    fclose(file);
}

// beyond train.generations the rate is 0: more generations are refused, with or without a run, unless it does not fall
TEST(generations_that_would_learn_nothing_are_refused)
{
    static const char *const fixed[] = {"search.anneal", "false", NULL};
    for (int i = 0; i < 2; i++)
    {
        sac_task *task = line_task(i ? fixed : NULL);
        char dir[512];
        path_in(dir, i ? "fixed" : "falling");
        sac_train_def def = {.task = task, .run_dir = dir, .threads = 1, .generations = 10};
        if (i)
            assert_ok(sac_train(&def));
        else
        {
            assert_int_equal(sac_train(&def), SAC_ERROR_ARGUMENT);
            assert_non_null(strstr(sac_last_error(), "set train.generations=10"));
            assert_int_not_equal(access(dir, F_OK), 0);
            def.generations = 9;
            assert_ok(sac_train(&def));
            def.generations = 10;
            def.resume = true;
            assert_int_equal(sac_train(&def), SAC_ERROR_ARGUMENT);
        }
        sac_task_destroy(task);
    }
}

TEST(lack_of_memory_is_told)
{
    sac_policy *policy = create_policy();
    sac_comm *comm;
    assert_ok(sac_comm_create_self(&comm));
    const sac_env_def env = {.id = "line"};
    static const float start[4096];
    assert_survives_lack_of_memory(iterate_once(policy, &env, comm, start), (void)0);
    sac_comm_close(comm, SAC_OK);
    sac_policy_destroy(policy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(threads_change_no_bit),
        cmocka_unit_test(a_run_in_pieces_is_the_run_in_one),
        cmocka_unit_test(a_generation_that_is_broken_off_is_taken_back),
        cmocka_unit_test(every_level_gives_the_same_run),
        cmocka_unit_test(a_bad_task_is_refused),
        cmocka_unit_test(a_broken_world_is_told),
        cmocka_unit_test(only_what_is_tuned_moves),
        cmocka_unit_test(a_policy_from_a_file_is_where_it_begins),
        cmocka_unit_test(episodes_are_cut_where_they_shall),
        cmocka_unit_test(a_table_tells_how_learning_went),
        cmocka_unit_test(generations_that_would_learn_nothing_are_refused),
        cmocka_unit_test(lack_of_memory_is_told),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
