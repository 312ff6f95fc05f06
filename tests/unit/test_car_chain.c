#include "test.h"

#include "env/carracing/chain.h"
#include "env/carracing/trig.h"

// The chain of five bodies: any number of cars, in any order, on any CPU level, gives the bits of a car alone.

enum
{
    CARS = 37,
    STEPS = 60
}; // no multiple of a vector width

static float draw(sac_stream *random, float low, float high)
{
    return (float)sac_stream_uniform(random, low, high);
}

// forces and motors that drive some cars into the joints' limits, spin some, and leave some at rest
static void push(car_chain *chain, int car, int step)
{
    sac_stream random = sac_stream_create(5, (uint64_t)car, (uint64_t)step);
    float strength = car % 4 == 0 ? 0 : 100.0f * (float)(car % 4);
    for (int j = 0; j < CAR_WHEELS; j++)
    {
        chain->force_x[j] = draw(&random, -strength, strength);
        chain->force_y[j] = draw(&random, -strength, strength);
        chain->speed[j] = car % 3 == 0 ? 0 : 3 * sinf((float)(car + j) + 0.1f * (float)step);
    }
}

static void place_all(car_chain *chains)
{
    for (int i = 0; i < CARS; i++) sac_car_chain_place(&chains[i], 200 - 3.7 * i, 11.3 * i, 0.17 * i - 3);
}

static void run_alone(car_chain *chains)
{
    place_all(chains);
    for (int step = 0; step < STEPS; step++)
        for (int i = 0; i < CARS; i++)
        {
            push(&chains[i], i, step);
            sac_car_chain_step(&(car_chain *){&chains[i]}, 1);
        }
}

// `group` cars at a time, last first
static void run_together(car_chain *chains, int group)
{
    car_chain *pointers[CARS];
    place_all(chains);
    for (int i = 0; i < CARS; i++) pointers[i] = &chains[CARS - 1 - i];
    for (int step = 0; step < STEPS; step++)
    {
        for (int i = 0; i < CARS; i++) push(&chains[i], i, step);
        for (int first = 0; first < CARS; first += group)
            sac_car_chain_step(pointers + first, first + group < CARS ? group : CARS - first);
    }
}

static const sac_cpu_level levels[] = {SAC_CPU_SCALAR, SAC_CPU_NEON, SAC_CPU_AVX2, SAC_CPU_AVX512};

TEST(any_group_on_any_level_equals_a_car_alone)
{
    const sac_cpu_level best = sac_get_cpu_level();
    static car_chain alone[CARS], together[CARS];
    sac_set_cpu_level(SAC_CPU_SCALAR);
    run_alone(alone);
    for (int l = 0; l < 4; l++)
    {
        sac_set_cpu_level(levels[l]);
        if (sac_get_cpu_level() != levels[l]) continue;
        run_alone(together);
        assert_memory_equal(alone, together, sizeof alone);
        for (int group = 2; group <= CARS; group += group < 9 ? 1 : 7)
        {
            run_together(together, group);
            assert_memory_equal(alone, together, sizeof alone);
        }
    }
    sac_set_cpu_level(best);
}

// the test above means something only when it meets the branches
TEST(cars_reach_limits_top_speed_and_sleep)
{
    static car_chain chains[CARS];
    int limited = 0, asleep = 0;
    run_alone(chains);
    for (int i = 0; i < CARS; i++)
    {
        limited += chains[i].limit[0] != 0 || chains[i].limit[3] != 0;
        asleep += chains[i].vx[0] == 0 && chains[i].omega[4] == 0;
    }
    assert_true(limited > 0 && limited < CARS);
    assert_true(asleep > 0 && asleep < CARS);
}

// a step moves a body by at most 2 units, whatever the force
TEST(translation_is_cut)
{
    car_chain chain;
    sac_car_chain_place(&chain, 0, 0, 0);
    sac_car_chain_step(&(car_chain *){&chain}, 1);
    float y = chain.center_y[0];
    for (int j = 0; j < CAR_WHEELS; j++) chain.force_y[j] = 1e6f;
    sac_car_chain_step(&(car_chain *){&chain}, 1);
    assert_near(chain.center_y[0] - y, 2, 1e-5); // rounding of y + 2 and of the wheels' pull, which share the cut
    assert_near(chain.vy[0], 100, 1e-4);
}

// momentum without forces: the joints' impulses are internal
TEST(joints_keep_the_momentum)
{
    car_chain chain;
    sac_car_chain_place(&chain, 0, 0, 1);
    chain.vx[0] = 10;
    chain.vy[2] = 3;
    chain.omega[0] = 1;
    const double hull = 7.06, wheel = 0.06048;
    double want_x = hull * 10, want_y = wheel * 3;
    for (int step = 0; step < 20; step++) sac_car_chain_step(&(car_chain *){&chain}, 1);
    double x = hull * chain.vx[0], y = hull * chain.vy[0];
    for (int j = 1; j < CAR_BODIES; j++) x += wheel * chain.vx[j], y += wheel * chain.vy[j];
    // four additions a pass to each speed, each off by half a unit of speeds below 16
    double tolerance = 20 * 180 * 4 * (hull + wheel) * 0x1p-21;
    assert_near(x, want_x, tolerance);
    assert_near(y, want_y, tolerance);
}

static double ulp(float x)
{
    return (double)nextafterf(fabsf(x), INFINITY) - (double)fabsf(x);
}

// half a unit for the rounding, and what the polynomials are off: less than a tenth
TEST(sine_and_cosine_are_near)
{
    for (int i = 0; i < 2000000; i++)
    {
        float angle = (float)(i - 1000000) * 0.00123f, sine, cosine;
        car_sin_cos(angle, &sine, &cosine);
        double s = sin((double)angle), c = cos((double)angle);
        if (fabs((double)sine - s) > 0.6 * ulp(sine) || fabs((double)cosine - c) > 0.6 * ulp(cosine))
            fail_msg("angle %.9g: %.9g %.9g, expected %.9g %.9g", (double)angle, (double)sine, (double)cosine, s, c);
    }
}

TESTS(any_group_on_any_level_equals_a_car_alone, cars_reach_limits_top_speed_and_sleep, translation_is_cut,
      joints_keep_the_momentum, sine_and_cosine_are_near)
