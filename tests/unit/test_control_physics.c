#include "env/control/world.h"

#include "files/arrays/safetensors.h"
#include "saccade/env.h"

#include <float.h>

#include "test.h"

// what dm_control 1.0.50 does with MuJoCo 3.17.0, recorded by tests/golden/make_control.py

enum
{
    STEPS = 200,
    PROBES = 64,
    TASKS = 7,
    EVERY = 20 // steps from one recorded observation to the next
};

static const struct
{
    const control_task *task;
    const char *name;
} tasks[TASKS] = {
    {&sac_cheetah_run, "cheetah_run"},           {&sac_walker_walk, "walker_walk"},
    {&sac_cartpole_swingup, "cartpole_swingup"}, {&sac_ball_in_cup_catch, "ball_in_cup_catch"},
    {&sac_reacher_easy, "reacher_easy"},         {&sac_finger_spin, "finger_spin"},
    {&sac_quadruped_walk, "quadruped_walk"},
};

static const double *recorded(int task, const char *name, int rows, int columns)
{
    static sac_tensors *golden;
    if (!golden) assert_ok(sac_tensors_load(&golden, SAC_SOURCE_DIR "/tests/golden/data/control.safetensors", 1 << 20));
    char key[80];
    snprintf(key, sizeof key, "%s%s%s", task < TASKS ? tasks[task].name : "", task < TASKS ? "." : "", name);
    const sac_tensor *tensor;
    assert_ok(sac_tensors_get(&tensor, golden, key, SAC_F64, -1, NULL));
    assert_int_equal(sac_tensor_count(tensor), (int64_t)rows * columns);
    return tensor->data;
}

static control_world *create(int task)
{
    control_world *w;
    assert_ok(sac_world_create(&w, tasks[task].task, ""));
    return w;
}

static void assert_state(const control_world *w, const double *qpos, const double *qvel)
{
    assert_memory_equal(w->data->qpos, qpos, (size_t)w->model->nq * sizeof *qpos);
    assert_memory_equal(w->data->qvel, qvel, (size_t)w->model->nv * sizeof *qvel);
}

static void assert_target(const control_world *w, int task, const char *name)
{
    if (tasks[task].task != &sac_reacher_easy) return;
    assert_memory_equal(w->model->geom_pos + 3 * w->ids[0], recorded(task, name, 1, 3), 3 * sizeof(double));
}

TEST(states_are_dm_controls_to_the_bit)
{
    for (int t = 0; t < TASKS; t++)
    {
        control_world *w = create(t);
        int nq = (int)w->model->nq, nv = (int)w->model->nv, nu = (int)w->model->nu;
        const double *qpos = recorded(t, "qpos", STEPS + 1, nq), *qvel = recorded(t, "qvel", STEPS + 1, nv);
        const double *actions = recorded(t, "action", STEPS, nu), *rewards = recorded(t, "reward", STEPS, 1);
        assert_ok(sac_world_reset(w, 1));
        assert_state(w, qpos, qvel);
        assert_target(w, t, "target_geom_pos");
        for (int i = 0; i < STEPS; i++)
        {
            double reward;
            assert_ok(sac_world_step(w, actions + i * nu, &reward));
            assert_state(w, qpos + (i + 1) * nq, qvel + (i + 1) * nv);
            assert_near(reward, rewards[i], 1e-12);
        }
        assert_ok(sac_world_reset(w, SAC_SEED_NEXT));
        assert_state(w, recorded(t, "second_reset_qpos", nq, 1), recorded(t, "second_reset_qvel", nv, 1));
        assert_target(w, t, "second_reset_target_geom_pos");

        // and once more from the seed: nothing of the first episodes is left
        assert_ok(sac_world_reset(w, 1));
        assert_state(w, qpos, qvel);
        sac_world_destroy(w);
    }
}

// states that random play never reaches: a ball in its cup, a cheetah at 10 m/s
TEST(rewards_are_dm_controls)
{
    for (int t = 0; t < TASKS; t++)
    {
        control_world *w = create(t);
        int nq = (int)w->model->nq, nv = (int)w->model->nv, nu = (int)w->model->nu;
        const double *rewards = recorded(t, "probe_reward", PROBES, 1);
        double largest = 0;
        assert_ok(sac_world_reset(w, 1));
        for (int i = 0; i < PROBES; i++)
        {
            memcpy(w->data->qpos, recorded(t, "probe_qpos", PROBES, nq) + i * nq, (size_t)nq * sizeof(double));
            memcpy(w->data->qvel, recorded(t, "probe_qvel", PROBES, nv) + i * nv, (size_t)nv * sizeof(double));
            memcpy(w->data->ctrl, recorded(t, "probe_ctrl", PROBES, nu) + i * nu, (size_t)nu * sizeof(double));
            if (tasks[t].task == &sac_reacher_easy)
                memcpy(w->model->geom_pos + 3 * w->ids[0], recorded(t, "probe_target_geom_pos", PROBES, 3) + 3 * i,
                       3 * sizeof(double));
            assert_ok(sac_world_settle(w));
            assert_near(tasks[t].task->reward(w), rewards[i], 1e-12);
            largest = fmax(largest, rewards[i]);
        }
        assert_true(largest > 0.8); // the probes do reach the reward
        sac_world_destroy(w);
    }
}

// what agents are told of the states, in the same parts and the same order
TEST(observations_are_dm_controls)
{
    for (int t = 0; t < TASKS; t++)
    {
        control_world *w = create(t);
        control_numbers numbers;
        int nu = (int)w->model->nu;
        const double *actions = recorded(t, "action", STEPS, nu);
        assert_ok(sac_world_reset(w, 1));
        for (int row = 0; row <= STEPS / EVERY; row++)
        {
            sac_world_observe(w, &numbers);
            for (int i = 0, size; i < numbers.count; i += size)
            {
                char key[64];
                for (size = 1; i + size < numbers.count && numbers.place[i + size] > 0;) size++;
                snprintf(key, sizeof key, "observed_%s", numbers.part[i]);
                const double *theirs = recorded(t, key, STEPS / EVERY + 1, size) + row * size;
                // logarithms and the like are another library's: a rounding or two
                for (int k = 0; k < size; k++)
                    assert_near(numbers.value[i + k], theirs[k], 4 * DBL_EPSILON * fmax(1, fabs(theirs[k])));
            }
            for (int i = 0; i < EVERY && row < STEPS / EVERY; i++)
            {
                double reward;
                assert_ok(sac_world_step(w, actions + (row * EVERY + i) * nu, &reward));
            }
        }
        sac_world_destroy(w);
    }
}

TEST(random_numbers_are_numpys)
{
    sac_mersenne rng;
    const double *rand = recorded(TASKS, "rand", 1000, 1), *randn = recorded(TASKS, "randn", 1001, 1);
    sac_mersenne_seed(&rng, 123456);
    for (int i = 0; i < 1000; i++) assert_true(sac_mersenne_random(&rng) == rand[i]);
    for (int i = 0; i < 1001; i++) assert_true(sac_mersenne_normal(&rng) == randn[i]);
    const double *wide = recorded(TASKS, "rand_wide", 16, 1);
    sac_mersenne_seed(&rng, UINT64_C(7) << 32 | 42);
    for (int i = 0; i < 16; i++) assert_true(sac_mersenne_random(&rng) == wide[i]);
}

TEST(tolerance_has_its_value_at_the_margin)
{
    assert_true(sac_tolerance(1, 0, 2, 0, 0, CONTROL_GAUSSIAN) == 1);
    assert_true(sac_tolerance(2.5, 0, 2, 0, 0, CONTROL_GAUSSIAN) == 0);
    for (int fall = CONTROL_GAUSSIAN; fall <= CONTROL_QUADRATIC; fall++)
    {
        // one rounding in each of a handful of operations
        assert_near(sac_tolerance(-3, 0, 2, 3, 0.2, (control_fall)fall), 0.2, 8 * DBL_EPSILON);
        assert_near(sac_tolerance(5, 0, 2, 3, 0.2, (control_fall)fall), 0.2, 8 * DBL_EPSILON);
        assert_true(sac_tolerance(2, 0, 2, 3, 0.2, (control_fall)fall) == 1);
        assert_true(sac_tolerance(2.1, 0, 2, 3, 0.2, (control_fall)fall) < 1);
    }
    assert_true(sac_tolerance(9, 0, 2, 3, 0.2, CONTROL_LINEAR) == 0);
    assert_true(sac_tolerance(9, 0, 2, 3, 0.2, CONTROL_QUADRATIC) == 0);
}

TESTS(states_are_dm_controls_to_the_bit, rewards_are_dm_controls, observations_are_dm_controls,
      random_numbers_are_numpys, tolerance_has_its_value_at_the_margin)
