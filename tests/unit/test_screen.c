#include "test.h"

#include <math.h>

#include "train/run.h"

/// The choice of a generation's hard episodes.

static sac_unit unit(uint64_t seed, double episode_return)
{
    return (sac_unit){.seed = seed, .episode_return = episode_return};
}

TEST(the_worst_come_first_and_equals_keep_their_order)
{
    sac_unit units[] = {unit(1, 900), unit(2, 20), unit(3, 850), unit(4, 20), unit(5, NAN), unit(6, -3)};
    uint64_t seeds[4];
    sac_worst_seeds(seeds, 4, units, 6);
    assert_int_equal(seeds[0], 5);
    assert_int_equal(seeds[1], 6);
    assert_int_equal(seeds[2], 2);
    assert_int_equal(seeds[3], 4);
}

TEST(every_other_episode_is_a_hard_one)
{
    uint64_t hard[] = {17, 18};
    sac_task task = {.train = {.seed = 3, .common_episodes = true}};
    sac_run run = {.task = &task, .hard = hard, .hard_count = 2};
    assert_int_equal(sac_run_episode_seed(&run, 0, 0), 17);
    assert_int_equal(sac_run_episode_seed(&run, 5, 2), 18);
    uint64_t fresh[] = {sac_run_episode_seed(&run, 0, 1), sac_run_episode_seed(&run, 0, 3),
                        sac_run_episode_seed(&run, 0, 4)};
    for (int i = 0; i < 3; i++)
    {
        assert_true(fresh[i] >= SAC_TRAINING_SEED_FIRST);
        for (int k = 0; k < i; k++) assert_true(fresh[i] != fresh[k]);
    }
    // without hard ones, the odd episodes are the same
    run.hard_count = 0;
    assert_int_equal(sac_run_episode_seed(&run, 0, 1), fresh[0]);
    assert_true(sac_run_episode_seed(&run, 0, 0) >= SAC_TRAINING_SEED_FIRST);
}

TESTS(the_worst_come_first_and_equals_keep_their_order, every_other_episode_is_a_hard_one)
