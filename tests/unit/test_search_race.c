#include "evolve/race.h"
#include "failing_memory.h"
#include "test.h"

/// Races: what they cost, whom they keep, and that nothing but the returns decides.

enum
{
    POPULATION = 32,
    KEEP = 8,
    MOST = 16
};

/// Candidate i is worth `value` [i], every episode is worth something to all, and chance adds noise to each drive.
typedef struct world
{
    double value[POPULATION], noise;
    uint64_t seed;
} world;

static double drive(const world *w, int individual, int episode)
{
    double luck, track;
    sac_normals(&luck, 1, w->seed, (uint64_t)individual, (uint64_t)episode);
    sac_normals(&track, 1, w->seed, 1000, (uint64_t)episode);
    return w->value[individual] + 10 * track + w->noise * luck;
}

static sac_race *make_race(int first, double confidence)
{
    sac_race *race;
    assert_ok(sac_race_create(&race, &(sac_race_def){POPULATION, KEEP, first, MOST, confidence}));
    return race;
}

static void run_race(sac_race *race, const world *w)
{
    int individuals[POPULATION], episode, count, listed;
    double returns[POPULATION * MOST];
    sac_race_begin(race);
    while ((listed = sac_race_next(race, individuals, &episode, &count)) > 0)
    {
        for (int i = 0; i < listed; i++)
            for (int e = 0; e < count; e++) returns[i * count + e] = drive(w, individuals[i], episode + e);
        sac_race_tell(race, returns);
    }
}

static world make_world(double noise, uint64_t seed)
{
    world w = {.noise = noise, .seed = seed};
    for (int i = 0; i < POPULATION; i++) w.value[i] = (i * 13) % POPULATION;
    return w;
}

TEST(without_noise_two_episodes_tell_the_order)
{
    world w = make_world(0, 1);
    sac_race *race = make_race(2, 2);
    double fitness[POPULATION];
    run_race(race, &w);
    assert_int_equal(sac_race_cost(race), 2 * POPULATION);
    sac_race_fitness(race, fitness);
    for (int i = 0; i < POPULATION; i++)
        for (int k = 0; k < POPULATION; k++) assert_int_equal(fitness[i] > fitness[k], w.value[i] > w.value[k]);
    sac_race_destroy(race);
}

// the more alike the returns, the more episodes
TEST(noise_costs_episodes)
{
    static const double noises[] = {0.1, 1, 4, 16, 64};
    int64_t before = 0;
    for (int k = 0; k < 5; k++)
    {
        world w = make_world(noises[k], 2);
        sac_race *race = make_race(2, 2);
        run_race(race, &w);
        int64_t cost = sac_race_cost(race);
        print_message("noise %g: %d episodes of at most %d\n", noises[k], (int)cost, POPULATION * MOST);
        assert_true(cost >= before && cost <= POPULATION * MOST);
        before = cost;
        sac_race_destroy(race);
    }
    assert_true(before > POPULATION * MOST / 2);
}

static int place_of(const double *fitness, int individual)
{
    int better = 0;
    for (int i = 0; i < POPULATION; i++) better += fitness[i] > fitness[individual];
    return better;
}

static int kept_truly(const world *w, const double *fitness)
{
    int count = 0;
    for (int i = 0; i < POPULATION; i++) count += place_of(fitness, i) < KEEP && w->value[i] >= POPULATION - KEEP;
    return count;
}

// for the same episodes a race keeps more of the truly best than a fixed number for each
TEST(a_race_spends_its_episodes_well)
{
    int raced = 0, fixed = 0;
    int64_t race_cost = 0, fixed_cost = 0;
    for (uint64_t seed = 0; seed < 40; seed++)
    {
        world w = make_world(8, seed);
        double fitness[POPULATION];
        sac_race *race = make_race(2, 1.5), *plain;
        run_race(race, &w);
        sac_race_fitness(race, fitness);
        raced += kept_truly(&w, fitness);
        race_cost += sac_race_cost(race);
        // the whole number of episodes above the race's own mean
        int each = (int)((sac_race_cost(race) + POPULATION - 1) / POPULATION);
        assert_ok(sac_race_create(&plain, &(sac_race_def){POPULATION, KEEP, each, each, 0}));
        run_race(plain, &w);
        sac_race_fitness(plain, fitness);
        fixed += kept_truly(&w, fitness);
        fixed_cost += sac_race_cost(plain);
        sac_race_destroy(race);
        sac_race_destroy(plain);
    }
    print_message("kept %d of %d by %d episodes; a fixed number: %d by %d\n", raced, 40 * KEEP, (int)race_cost, fixed,
                  (int)fixed_cost);
    assert_true(race_cost <= fixed_cost);
    assert_true(raced > fixed);
}

// a race to the end is the ranking by means
TEST(endless_confidence_is_the_mean)
{
    world w = make_world(8, 3);
    double fitness[POPULATION], means[POPULATION];
    sac_race *race = make_race(2, INFINITY);
    run_race(race, &w);
    assert_int_equal(sac_race_cost(race), POPULATION * MOST);
    sac_race_fitness(race, fitness);
    sac_race_means(race, means);
    for (int i = 0; i < POPULATION; i++)
    {
        double sum = 0;
        for (int e = 0; e < MOST; e++) sum += drive(&w, i, e);
        assert_true(means[i] == sum / MOST);
        for (int k = 0; k < POPULATION; k++) assert_int_equal(fitness[i] > fitness[k], means[i] > means[k]);
    }
    sac_race_destroy(race);
}

// the fitness is the mean of the returns, but less than that of all who stayed longer
TEST(who_leaves_has_less_than_all_who_stay)
{
    for (uint64_t seed = 0; seed < 20; seed++)
    {
        world w = make_world(8, seed);
        double fitness[POPULATION], means[POPULATION];
        int individuals[POPULATION], episode, count, listed, last[POPULATION] = {0};
        double returns[POPULATION * MOST];
        sac_race *race = make_race(2, 1);
        while ((listed = sac_race_next(race, individuals, &episode, &count)) > 0)
        {
            for (int i = 0; i < listed; i++) last[individuals[i]] = episode + count;
            for (int i = 0; i < listed; i++)
                for (int e = 0; e < count; e++) returns[i * count + e] = drive(&w, individuals[i], episode + e);
            sac_race_tell(race, returns);
        }
        sac_race_fitness(race, fitness);
        sac_race_means(race, means);
        for (int i = 0; i < POPULATION; i++)
        {
            assert_true(fitness[i] <= means[i]);
            for (int k = 0; k < POPULATION; k++)
                if (last[i] < last[k] || (last[i] == last[k] && means[i] < means[k]))
                    assert_true(fitness[i] < fitness[k]);
        }
        sac_race_destroy(race);
    }
}

TEST(a_race_runs_again_to_the_bit)
{
    world w = make_world(8, 4), other = make_world(30, 5);
    double first[POPULATION], second[POPULATION];
    sac_race *race = make_race(3, 2);
    run_race(race, &w);
    sac_race_fitness(race, first);
    int64_t cost = sac_race_cost(race);
    run_race(race, &other);
    run_race(race, &w);
    sac_race_fitness(race, second);
    assert_memory_equal(first, second, sizeof first);
    assert_int_equal(sac_race_cost(race), cost);
    sac_race_destroy(race);
}

TEST(not_a_number_leaves_at_once)
{
    world w = make_world(1, 6);
    w.value[3] = NAN;
    double fitness[POPULATION];
    sac_race *race = make_race(2, 2);
    run_race(race, &w);
    sac_race_fitness(race, fitness);
    assert_true(isnan(fitness[3]));
    for (int i = 0; i < POPULATION; i++) assert_true(i == 3 || !isnan(fitness[i]));

    for (int i = 0; i < POPULATION; i++) w.value[i] = NAN;
    run_race(race, &w);
    assert_int_equal(sac_race_cost(race), 2 * POPULATION);
    sac_race_fitness(race, fitness);
    for (int i = 0; i < POPULATION; i++) assert_true(isnan(fitness[i]));
    sac_race_destroy(race);
}

TEST(equals_are_equal)
{
    world w = make_world(0, 7);
    for (int i = 0; i < POPULATION; i++) w.value[i] = i < 10 ? 5 : 1;
    double fitness[POPULATION];
    sac_race *race = make_race(2, 2);
    run_race(race, &w);
    sac_race_fitness(race, fitness);
    for (int i = 0; i < POPULATION; i++) assert_true(fitness[i] == fitness[i < 10 ? 0 : 31]);
    assert_true(fitness[0] > fitness[31]);
    sac_race_destroy(race);
}

TEST(mistakes_and_lack_of_memory_are_reported)
{
    sac_race *race;
    assert_fails(sac_race_create(&race, &(sac_race_def){4, 5, 1, 2, 2}), SAC_ERROR_ARGUMENT, "keeps 5 of 4");
    assert_fails(sac_race_create(&race, &(sac_race_def){4, 2, 3, 2, 2}), SAC_ERROR_ARGUMENT, "3 to 2 episodes");
    assert_null(race);
    assert_survives_lack_of_memory(sac_race_create(&race, &(sac_race_def){POPULATION, KEEP, 2, MOST, 2}),
                                   sac_race_destroy(race));
    sac_race_destroy(NULL);
}

TESTS(without_noise_two_episodes_tell_the_order, noise_costs_episodes, a_race_spends_its_episodes_well,
      endless_confidence_is_the_mean, who_leaves_has_less_than_all_who_stay, a_race_runs_again_to_the_bit,
      not_a_number_leaves_at_once, equals_are_equal, mistakes_and_lack_of_memory_are_reported)
