#include "test.h"

#include <math.h>

#include "train/evolution/evolution.h"

/// Whose episodes are whose: a generation's hard ones, and those of mirrored pairs.

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
    sac_evolution evolution = {.hard = hard, .hard_count = 2};
    sac_run run = {.task = &task, .learned = &evolution};
    assert_int_equal(sac_evolution_episode_seed(&run, 0, 0), 17);
    assert_int_equal(sac_evolution_episode_seed(&run, 5, 2), 18);
    uint64_t fresh[] = {sac_evolution_episode_seed(&run, 0, 1), sac_evolution_episode_seed(&run, 0, 3),
                        sac_evolution_episode_seed(&run, 0, 4)};
    for (int i = 0; i < 3; i++)
    {
        assert_true(fresh[i] >= SAC_TRAINING_SEED_FIRST);
        for (int k = 0; k < i; k++) assert_true(fresh[i] != fresh[k]);
    }
    // without hard ones, the odd episodes are the same
    evolution.hard_count = 0;
    assert_int_equal(sac_evolution_episode_seed(&run, 0, 1), fresh[0]);
    assert_true(sac_evolution_episode_seed(&run, 0, 0) >= SAC_TRAINING_SEED_FIRST);
}

TEST(a_pair_has_episodes_of_its_own)
{
    sac_task task = {.train = {.seed = 3, .common_episodes = true}};
    sac_evolution evolution = {.paired = true, .most_count = 4};
    sac_run run = {.task = &task, .learned = &evolution};
    for (int episode = 0; episode < 4; episode++)
    {
        assert_int_equal(sac_evolution_episode_seed(&run, 2, episode), sac_evolution_episode_seed(&run, 3, episode));
        assert_int_not_equal(sac_evolution_episode_seed(&run, 1, episode),
                             sac_evolution_episode_seed(&run, 2, episode));
    }
}

TEST(bad_episodes_are_dealt_out_to_pairs)
{
    uint64_t hard[] = {17, 18, 19};
    sac_task task = {.train = {.seed = 3, .common_episodes = true}};
    sac_evolution evolution = {.hard = hard, .hard_count = 3, .paired = true, .most_count = 1};
    sac_run run = {.task = &task, .learned = &evolution};
    const uint64_t dealt[] = {17, 0, 18, 0, 19, 0, 0};
    for (int pair = 0; pair < 7; pair++)
        for (int half = 0; half < 2; half++)
        {
            uint64_t seed = sac_evolution_episode_seed(&run, 2 * pair + half, 0);
            if (dealt[pair])
                assert_int_equal(seed, dealt[pair]);
            else
                assert_true(seed >= SAC_TRAINING_SEED_FIRST);
        }
    evolution.most_count = 3; // one after the other, whosever they are
    assert_int_equal(sac_evolution_episode_seed(&run, 1, 0), 17);
    assert_int_equal(sac_evolution_episode_seed(&run, 0, 2), 18);
    assert_int_equal(sac_evolution_episode_seed(&run, 3, 1), 19);
}

TEST(a_pair_is_worth_its_difference)
{
    const double returns[] = {5, 3, NAN, 4, NAN, NAN, 900, 901};
    double fitness[8];
    sac_pair_fitness(fitness, returns, 8);
    assert_true(fitness[0] == 1 && fitness[1] == -1);
    assert_true(isnan(fitness[2]) && fitness[3] == 0);
    assert_true(isnan(fitness[4]) && isnan(fitness[5]));
    assert_true(fitness[6] == -0.5 && fitness[7] == 0.5);
}

TESTS(a_pair_has_episodes_of_its_own, bad_episodes_are_dealt_out_to_pairs, a_pair_is_worth_its_difference,
      the_worst_come_first_and_equals_keep_their_order, every_other_episode_is_a_hard_one)
