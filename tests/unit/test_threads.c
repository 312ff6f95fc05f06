#include <pthread.h>
#include <stdatomic.h>
#include <sys/resource.h>

#include "base/threads.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#elif defined(__has_feature)
#define SANITIZED (__has_feature(address_sanitizer) || __has_feature(thread_sanitizer))
#else
#define SANITIZED 0
#endif

#include "failing_memory.h"

enum
{
    MAX = 8
};

typedef struct tally
{
    atomic_int calls[MAX];
    int plain[MAX]; // written without atomics: the pool itself must order them
    pthread_t threads[MAX];
} tally;

static void count_call(void *user, int index)
{
    tally *t = user;
    atomic_fetch_add(&t->calls[index], 1);
    t->plain[index]++;
    t->threads[index] = pthread_self();
}

TEST(every_index_runs_once_a_round)
{
    for (int count = 1; count <= MAX; count++)
    {
        sac_threads *threads;
        assert_ok(sac_threads_create(&threads, count));
        assert_int_equal(sac_threads_count(threads), count);
        tally t = {0};
        enum
        {
            ROUNDS = 200
        };
        for (int round = 1; round <= ROUNDS; round++)
        {
            sac_threads_run(threads, count_call, &t);
            for (int i = 0; i < MAX; i++) assert_int_equal(t.plain[i], i < count ? round : 0);
        }
        for (int i = 0; i < MAX; i++) assert_int_equal(t.calls[i], i < count ? ROUNDS : 0);
        assert_true(pthread_equal(t.threads[0], pthread_self()));
        for (int i = 1; i < count; i++)
            for (int j = 0; j < i; j++) assert_false(pthread_equal(t.threads[i], t.threads[j]));
        sac_threads_destroy(threads);
    }
}

// all work at the same time: each waits for all others, which one thread after the other would never end
static void meet(void *user, int index)
{
    (void)index;
    pthread_barrier_wait(user);
}

TEST(all_run_at_once)
{
    sac_threads *threads;
    assert_ok(sac_threads_create(&threads, 4));
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, 4);
    for (int i = 0; i < 20; i++) sac_threads_run(threads, meet, &barrier);
    sac_threads_destroy(threads);
    pthread_barrier_destroy(&barrier);
}

// a pool inside the work of a pool is a pool of its own
static void run_inner(void *user, int index)
{
    sac_threads *inner;
    if (sac_threads_create(&inner, 3) != SAC_OK) return;
    for (int i = 0; i < 10; i++) sac_threads_run(inner, count_call, &((tally *)user)[index]);
    sac_threads_destroy(inner);
}

TEST(pools_nest)
{
    sac_threads *outer;
    static tally tallies[3];
    assert_ok(sac_threads_create(&outer, 3));
    sac_threads_run(outer, run_inner, tallies);
    for (int o = 0; o < 3; o++)
        for (int i = 0; i < 3; i++) assert_int_equal(tallies[o].calls[i], 10);
    sac_threads_destroy(outer);
}

TEST(pools_that_never_run_or_never_were)
{
    sac_threads *threads;
    assert_ok(sac_threads_create(&threads, 4));
    sac_threads_destroy(threads);
    sac_threads_destroy(NULL);
}

TEST(lack_of_memory)
{
    sac_threads *threads;
    assert_survives_lack_of_memory(sac_threads_create(&threads, 3), sac_threads_destroy(threads));
}

#if !SANITIZED
// when the system gives no more threads, those that were started end and a sentence says so
TEST(lack_of_threads)
{
    struct rlimit old, none;
    assert_int_equal(getrlimit(RLIMIT_AS, &old), 0);
    none = old;
    none.rlim_cur = 1 << 20; // not enough for a stack; the C library may hold a few stacks of before
    assert_int_equal(setrlimit(RLIMIT_AS, &none), 0);
    sac_threads *threads;
    sac_status status = sac_threads_create(&threads, 64);
    assert_int_equal(setrlimit(RLIMIT_AS, &old), 0);
    assert_int_equal(status, SAC_ERROR_MEMORY);
    assert_null(threads);
    assert_non_null(strstr(sac_last_error(), "cannot start thread "));
}
#else // sanitizers need the room for themselves
#define lack_of_threads lack_of_memory
#endif

TESTS(every_index_runs_once_a_round, all_run_at_once, pools_nest, pools_that_never_run_or_never_were, lack_of_memory,
      lack_of_threads)
