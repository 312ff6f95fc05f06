#include "run/pace.h"

#include <math.h>

#include "test.h"

// what a run still takes, as the board, --json and the live page show it

enum
{
    EVERY = 10,
    TOTAL = 1000
};

/// A run whose generations take `work` seconds, and every tenth an evaluation of `evaluation` more.
typedef struct clock_run
{
    sac_pace pace;
    uint64_t generation;
    double seconds, work, evaluation;
} clock_run;

static double advance(clock_run *c, int generations)
{
    double left = NAN;
    for (int i = 0; i < generations; i++)
    {
        c->generation++;
        c->seconds += c->work + (c->generation % EVERY == 0 ? c->evaluation : 0);
        left = sac_pace_left(&c->pace, c->generation, TOTAL, EVERY, c->seconds);
    }
    return left;
}

// what is left of the run by its own clock
static double truth(const clock_run *c)
{
    uint64_t left = TOTAL - c->generation, evaluations = TOTAL / EVERY - c->generation / EVERY;
    return (double)left * c->work + (double)evaluations * c->evaluation;
}

TEST(the_first_generation_of_a_process_says_nothing)
{
    clock_run c = {.work = 3};
    assert_true(isnan(advance(&c, 1)));
    assert_near(advance(&c, 1), truth(&c), 1e-9);
}

// evaluations are spread over their periods: a measurement of twenty generations or more, which take 40 seconds, has
// one evaluation of 10 seconds too few or too many at most: a quarter
TEST(an_evaluation_is_spread_over_its_period)
{
    clock_run c = {.work = 1, .evaluation = 10};
    advance(&c, 60);
    for (int i = 60; i < TOTAL; i++)
    {
        double left = advance(&c, 1), even = 2.0 * (double)(TOTAL - c.generation); // 20 seconds for ten generations
        assert_true(fabs(left - even) <= 0.25 * even + 1e-9);
        // the first mark stood after one generation: from there on, whole periods are exact
        if (c.generation % (2 * EVERY) == 1) assert_near(left, even, 1e-9);
    }
    assert_near(sac_pace_left(&c.pace, TOTAL, TOTAL, EVERY, c.seconds), 0, 0);
}

// a stage that makes generations eight times as long is known after one of them, not diluted by all before
TEST(a_stage_is_measured_anew)
{
    clock_run c = {.work = 1};
    double before = advance(&c, 500);
    assert_near(before, truth(&c), 1e-9);
    sac_pace_change(&c.pace);
    assert_near(advance(&c, 1), before - 1, 1e-9); // the generation that begins the stage is still as before
    c.work = 8;
    assert_near(advance(&c, 1), truth(&c), 1e-9);
    assert_near(advance(&c, 100), truth(&c), 1e-9);
}

// without a stage too: what was long ago does not count
TEST(the_newest_generations_count)
{
    clock_run c = {.work = 1};
    advance(&c, 500);
    c.work = 3;
    advance(&c, 60);
    assert_near(advance(&c, 1), truth(&c), 1e-9);
}

// a resumed run is measured from where this process began
TEST(a_resumed_run_is_measured_by_its_own_process)
{
    clock_run c = {.generation = 300, .seconds = 90000, .work = 2};
    assert_true(isnan(advance(&c, 1)));
    assert_near(advance(&c, 1), truth(&c), 1e-9);
}

TESTS(the_first_generation_of_a_process_says_nothing, an_evaluation_is_spread_over_its_period, a_stage_is_measured_anew,
      the_newest_generations_count, a_resumed_run_is_measured_by_its_own_process)
