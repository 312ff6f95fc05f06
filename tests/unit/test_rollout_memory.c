#include "failing_memory.h"
#include "play/play.h"
#include "rollout/rollout.h"
#include "saccade/policy.h"

/// A thread's episodes lie in one piece of memory, worlds apart, and nothing is held where there is not enough of it.

static struct
{
    int allocations;
} counted;

static void *counting_allocate(void *user, size_t size, size_t alignment)
{
    (void)user;
    counted.allocations++;
    return aligned_alloc(alignment, size);
}

static void counting_release(void *user, void *memory)
{
    (void)user;
    free(memory);
}

static const sac_env_def toy = {.id = "toy"};

static sac_policy *toy_policy(void)
{
    const sac_setting settings[] = {{"top", "3"}, {"normaliser", "true"}};
    sac_policy *policy;
    sac_env *env;
    assert_ok(sac_env_create(&env, &toy));
    assert_ok(sac_policy_create_for(&policy, env, "attention-agent", settings, 2));
    sac_env_destroy(env);
    return policy;
}

static int allocations_of_a_world(void)
{
    sac_env *env;
    counted.allocations = 0;
    assert_ok(sac_env_create(&env, &toy));
    sac_env_destroy(env);
    return counted.allocations;
}

TEST(a_crew_takes_one_arena_however_many_its_lanes)
{
    sac_policy *policy = toy_policy();
    sac_comm *comm;
    assert_ok(sac_comm_create_self(&comm));
    sac_set_allocator(&(sac_allocator){counting_allocate, counting_release, NULL});
    const int world = allocations_of_a_world();
    int beside[2][2]; // [threads - 1][with an adviser]
    for (int threads = 1; threads <= 2; threads++)
        for (int advised = 0; advised < 2; advised++)
            for (int lanes = 1; lanes <= 16; lanes += 5)
            {
                sac_rollouts *r;
                counted.allocations = 0;
                assert_ok(sac_rollouts_create_def(&r, &(sac_rollouts_def){.policy = policy,
                                                                          .adviser = advised ? policy : NULL,
                                                                          .env = &toy,
                                                                          .comm = comm,
                                                                          .threads = threads,
                                                                          .lanes = lanes}));
                int *found = &beside[threads - 1][advised], now = counted.allocations - threads * lanes * world;
                if (lanes == 1) *found = now;
                assert_int_equal(now, *found);
                sac_rollouts_destroy(r);
            }
    sac_set_allocator(NULL);
    assert_int_equal(beside[0][0], beside[0][1]);
    assert_int_equal(beside[1][0], beside[1][1]);
    sac_comm_close(comm, SAC_OK);
    sac_policy_destroy(policy);
}

TEST(rollouts_survive_lack_of_memory)
{
    sac_policy *policy = toy_policy();
    sac_comm *comm;
    assert_ok(sac_comm_create_self(&comm));
    sac_rollouts *r = NULL;
    const sac_rollouts_def def = {
        .policy = policy, .adviser = policy, .env = &toy, .comm = comm, .threads = 2, .lanes = 3};
    assert_survives_lack_of_memory(sac_rollouts_create_def(&r, &def), sac_rollouts_destroy(r));
    sac_comm_close(comm, SAC_OK);
    sac_policy_destroy(policy);
}

TESTS(a_crew_takes_one_arena_however_many_its_lanes, rollouts_survive_lack_of_memory)
