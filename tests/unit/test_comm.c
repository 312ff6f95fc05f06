#include <pthread.h>
#include <unistd.h>

#include "test.h"

#include "scratch.h"

#include "base/error.h"
#include "base/memory.h"
#include "files/atomic.h"
#include "rollout/comm.h"
#include "run/task.h"
#include "saccade/train.h"

/// Ranks as threads of one process, over mailboxes instead of MPI: the queue hands out every unit once, everyone ends
/// with the same results, and a failure anywhere ends all with one sentence.

enum
{
    MAX_RANKS = 40,
    UNITS = 500
};

// --- mailboxes --------------------------------------------------------------------------------------------------

typedef struct letter
{
    struct letter *next;
    int from;
    size_t size;
    uint8_t bytes[];
} letter;

typedef struct box
{
    pthread_mutex_t mutex;
    letter *first, *last, *read; // read: what the last receive returned
} box;

static box boxes[MAX_RANKS];

typedef struct rank
{
    int rank, size;
    void (*main)(struct rank *self);
    sac_comm *comm;
    sac_status status;
    char sentence[512];
    // for the tests
    const char *text;
    int threads, units, delay, failing_unit;
    uint64_t fingerprint;
    int taken;
    uint64_t sum;
    volatile int interrupt;
    bool late;
    int rounds; // 0: two
    char folder[128];
} rank;

static void post(void *self, int to, const void *bytes, size_t size)
{
    letter *l = malloc(sizeof *l + size);
    *l = (letter){.from = ((rank *)self)->rank, .size = size};
    memcpy(l->bytes, bytes, size);
    box *b = &boxes[to];
    pthread_mutex_lock(&b->mutex);
    if (b->last)
        b->last->next = l;
    else
        b->first = l;
    b->last = l;
    pthread_mutex_unlock(&b->mutex);
}

static const uint8_t *collect(void *self, int *from, size_t *size)
{
    box *b = &boxes[((rank *)self)->rank];
    pthread_mutex_lock(&b->mutex);
    free(b->read);
    letter *l = b->read = b->first;
    if (l) b->first = l->next;
    if (!b->first) b->last = NULL;
    pthread_mutex_unlock(&b->mutex);
    if (!l) return NULL;
    *from = l->from;
    *size = l->size;
    return l->bytes;
}

static int pending(void *self)
{
    (void)self;
    return 0;
}

static void leave(void *self)
{
    (void)self;
}

static void *rank_main(void *argument)
{
    rank *r = argument;
    sac_transport t = {r, r->rank, r->size, post, collect, pending, leave};
    r->status = sac_comm_create_ranks(&r->comm, &t);
    if (r->status == SAC_OK) r->main(r);
    snprintf(r->sentence, sizeof r->sentence, "%s", sac_last_error());
    sac_comm_close(r->comm, r->status);
    return NULL;
}

static void run_ranks(rank *ranks, int size)
{
    pthread_t threads[MAX_RANKS];
    for (int i = 0; i < size; i++)
    {
        pthread_mutex_init(&boxes[i].mutex, NULL);
        ranks[i].rank = i;
        ranks[i].size = size;
    }
    for (int i = 0; i < size; i++) assert_int_equal(pthread_create(&threads[i], NULL, rank_main, &ranks[i]), 0);
    for (int i = 0; i < size; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < size; i++)
    {
        for (letter *l = boxes[i].first, *next; l; l = next) next = l->next, free(l);
        free(boxes[i].read);
        pthread_mutex_destroy(&boxes[i].mutex);
        boxes[i] = (box){0};
    }
}

static void set_all(rank *ranks, int size, rank value)
{
    for (int i = 0; i < size; i++) ranks[i] = value;
}

// --- the queue --------------------------------------------------------------------------------------------------

typedef struct worker
{
    rank *rank;
    sac_unit *units;
    double *seen; // [units, 2]
    int taken;
} worker;

static void *worker_main(void *argument)
{
    worker *w = argument;
    for (int unit; (unit = sac_comm_take(w->rank->comm, true)) != SAC_UNIT_NONE;)
    {
        if (w->rank->delay) usleep((useconds_t)(w->rank->delay * (1 + unit % 3)));
        if (unit == w->rank->failing_unit)
        {
            sac_comm_stop(w->rank->comm, sac_fail(SAC_ERROR_ENVIRONMENT, "unit %d has failed", unit));
            return NULL;
        }
        w->units[unit].episode_return = 0.1 * unit;
        w->units[unit].steps++;
        w->seen[2 * unit] = unit + 0.5;
        w->seen[2 * unit + 1] = -unit;
        w->taken++;
        sac_comm_give(w->rank->comm, unit);
    }
    return NULL;
}

// two rounds, the second with other units
static void queue_main(rank *r)
{
    static const int counts[] = {UNITS, UNITS / 3};
    sac_unit *units = SAC_NEW_ARRAY(sac_unit, UNITS);
    double *seen = SAC_NEW_ARRAY(double, 2 * UNITS);
    for (int round = 0; round < (r->rounds ? r->rounds : 2) && r->status == SAC_OK; round++)
    {
        memset(units, 0, UNITS * sizeof *units);
        memset(seen, 0, 2 * UNITS * sizeof *seen);
        r->units = counts[round % 2];
        // the others finish the round meanwhile: what this rank has to say comes late
        if (r->late) usleep(300000), r->interrupt = 1;
        r->status = sac_comm_begin(r->comm, &(sac_round){.units = units,
                                                         .unit_count = r->units,
                                                         // the second round's units have no numbers
                                                         .seen = round % 2 ? NULL : seen,
                                                         .seen_size = round % 2 ? 0 : 2,
                                                         .slots = r->threads,
                                                         .fingerprint = r->fingerprint,
                                                         .interrupt = &r->interrupt});
        pthread_t threads[4];
        worker workers[4];
        for (int t = 0; t < r->threads; t++)
        {
            workers[t] = (worker){.rank = r, .units = units, .seen = seen};
            pthread_create(&threads[t], NULL, worker_main, &workers[t]);
        }
        sac_comm_serve(r->comm);
        for (int t = 0; t < r->threads; t++)
        {
            pthread_join(threads[t], NULL);
            r->taken += workers[t].taken;
        }
        r->status = sac_comm_verdict(r->comm);
        for (int i = 0; r->status == SAC_OK && round % 2 == 0 && i < r->units; i++)
            if (seen[2 * i] != i + 0.5 || seen[2 * i + 1] != -i) r->status = sac_fail(SAC_ERROR_FORMAT, "unit %d", i);
        for (int i = 0; r->status == SAC_OK && i < r->units; i++)
            r->sum = sac_mix_seed(r->sum, (uint64_t)(10 * units[i].episode_return + 0.5), (uint64_t)units[i].steps);
    }
    sac_free(units);
    sac_free(seen);
}

TEST(every_unit_is_done_once_and_everyone_knows)
{
    static const int sizes[] = {2, 3, 5, MAX_RANKS};
    static rank ranks[MAX_RANKS];
    uint64_t expected = 0;
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < (round ? UNITS / 3 : UNITS); i++) expected = sac_mix_seed(expected, (uint64_t)i, 1);
    for (size_t s = 0; s < sizeof sizes / sizeof *sizes; s++)
    {
        set_all(ranks, sizes[s],
                (rank){.main = queue_main, .threads = 1 + (int)s % 3, .failing_unit = -1, .delay = 100});
        run_ranks(ranks, sizes[s]);
        int taken = 0;
        for (int i = 0; i < sizes[s]; i++)
        {
            assert_int_equal(ranks[i].status, SAC_OK);
            assert_true(ranks[i].sum == expected);
            taken += ranks[i].taken;
        }
        assert_int_equal(taken, UNITS + UNITS / 3);
    }
}

TEST(the_others_can_do_it_all)
{
    static rank ranks[3];
    set_all(ranks, 3, (rank){.main = queue_main, .threads = 2, .failing_unit = -1});
    ranks[0].threads = 0;
    run_ranks(ranks, 3);
    for (int i = 0; i < 3; i++) assert_int_equal(ranks[i].status, SAC_OK);
    assert_int_equal(ranks[0].taken, 0);
    assert_int_equal(ranks[1].taken + ranks[2].taken, UNITS + UNITS / 3);
}

TEST(a_failure_of_one_ends_all_with_its_sentence)
{
    static rank ranks[MAX_RANKS];
    for (int size = 2; size <= MAX_RANKS; size *= 4)
        for (int failing = 0; failing < UNITS; failing += 249)
        {
            set_all(ranks, size, (rank){.main = queue_main, .threads = 2, .failing_unit = failing, .delay = 20});
            run_ranks(ranks, size);
            char words[64];
            snprintf(words, sizeof words, "unit %d has failed", failing);
            for (int i = 0; i < size; i++)
            {
                assert_int_equal(ranks[i].status, SAC_ERROR_ENVIRONMENT);
                assert_non_null(strstr(ranks[i].sentence, words));
            }
        }
}

TEST(an_interrupt_of_one_interrupts_all)
{
    static rank ranks[4];
    for (int who = 0; who < 4; who++)
    {
        set_all(ranks, 4, (rank){.main = queue_main, .threads = 1, .failing_unit = -1, .delay = 5000});
        ranks[who].interrupt = 1;
        run_ranks(ranks, 4);
        for (int i = 0; i < 4; i++) assert_int_equal(ranks[i].status, SAC_ERROR_INTERRUPTED);
    }
}

TEST(an_interrupt_that_comes_after_the_round_interrupts_all)
{
    static rank ranks[4];
    set_all(ranks, 4, (rank){.main = queue_main, .threads = 1, .failing_unit = -1, .delay = 10, .rounds = 2000});
    ranks[2].late = true;
    run_ranks(ranks, 4);
    for (int i = 0; i < 4; i++) assert_int_equal(ranks[i].status, SAC_ERROR_INTERRUPTED);
}

TEST(ranks_that_compute_something_else_are_found_out)
{
    static rank ranks[4];
    set_all(ranks, 4, (rank){.main = queue_main, .threads = 1, .failing_unit = -1, .delay = 100, .fingerprint = 7});
    ranks[2].fingerprint = 8;
    run_ranks(ranks, 4);
    for (int i = 0; i < 4; i++)
    {
        assert_int_equal(ranks[i].status, SAC_ERROR_ARGUMENT);
        assert_non_null(strstr(ranks[i].sentence, "rank 2 has computed something else"));
    }
}

// --- sharing ----------------------------------------------------------------------------------------------------

enum
{
    SHARED = 9 << 20 // more than two parts
};

// whichever rank cannot go on, all ranks have its sentence
static void assert_everyone_hears(void (*main)(rank *r))
{
    static rank ranks[MAX_RANKS];
    for (int failing = 0; failing < 3; failing++)
    {
        set_all(ranks, 3, (rank){.main = main, .failing_unit = failing, .units = 100});
        run_ranks(ranks, 3);
        char words[32];
        snprintf(words, sizeof words, "rank %d cannot", failing);
        for (int k = 0; k < 3; k++)
        {
            assert_int_equal(ranks[k].status, SAC_ERROR_FILE);
            assert_non_null(strstr(ranks[k].sentence, words));
        }
    }
}

static void share_main(rank *r)
{
    uint8_t *bytes = NULL;
    size_t size = 0;
    sac_status status = SAC_OK;
    if (r->rank == r->failing_unit) status = sac_fail(SAC_ERROR_FILE, "rank %d cannot", r->rank);
    if (r->rank == 0)
    {
        size = (size_t)r->units;
        bytes = sac_alloc(size);
        for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)(i * 7 + i / 1000);
    }
    r->status = sac_comm_share(r->comm, status, &bytes, &size);
    r->sum = size;
    for (size_t i = 0; i < size; i++)
        if (bytes[i] != (uint8_t)(i * 7 + i / 1000)) r->sum = 1;
    sac_free(bytes);
}

// every rank's part has another size, some none at all; three rounds, so that what comes early of the next one waits
static void gather_main(rank *r)
{
    size_t sizes[MAX_RANKS], total = 0, first = 0;
    const int count = sac_comm_size(r->comm);
    for (int i = 0; i < count; i++)
    {
        sizes[i] = (size_t)(r->units * (i % 3)) + (size_t)(r->units > 0 ? i : 0);
        if (i < r->rank) first += sizes[i];
        total += sizes[i];
    }
    uint8_t *all = sac_alloc(total);
    r->sum = total;
    for (int round = 0; round < 3 && r->status == SAC_OK; round++)
    {
        sac_status status = SAC_OK;
        if (r->rank == r->failing_unit && round == 1) status = sac_fail(SAC_ERROR_FILE, "rank %d cannot", r->rank);
        memset(all, 0, total);
        for (size_t i = first; i < first + sizes[r->rank]; i++) all[i] = (uint8_t)(i * 7 + i / 1000 + (size_t)round);
        r->status = sac_comm_gather(r->comm, status, all, sizes);
        for (size_t i = 0; r->status == SAC_OK && i < total; i++)
            if (all[i] != (uint8_t)(i * 7 + i / 1000 + (size_t)round)) r->sum = UINT64_MAX;
    }
    sac_free(all);
}

TEST(what_each_rank_has_everyone_gets)
{
    static rank ranks[MAX_RANKS];
    static const int units[] = {0, 1, 1000, SHARED / 2};
    for (int i = 0; i < 4; i++)
    {
        int count = i == 3 ? 3 : MAX_RANKS;
        set_all(ranks, count, (rank){.main = gather_main, .failing_unit = -1, .units = units[i]});
        run_ranks(ranks, count);
        for (int k = 0; k < count; k++)
        {
            assert_int_equal(ranks[k].status, SAC_OK);
            assert_true(ranks[k].sum != UINT64_MAX);
        }
    }
    assert_everyone_hears(gather_main);
}

TEST(what_rank_0_has_everyone_gets)
{
    static rank ranks[MAX_RANKS];
    static const int sizes[] = {0, 1, 1000, SHARED};
    for (int i = 0; i < 4; i++)
    {
        int count = sizes[i] == SHARED ? 3 : MAX_RANKS;
        set_all(ranks, count, (rank){.main = share_main, .failing_unit = -1, .units = sizes[i]});
        run_ranks(ranks, count);
        for (int k = 0; k < count; k++)
        {
            assert_int_equal(ranks[k].status, SAC_OK);
            assert_int_equal(ranks[k].sum, sizes[i]);
        }
    }
    assert_everyone_hears(share_main);
}

// --- training ---------------------------------------------------------------------------------------------------

static const char task_text[] = "env:\n  id: toy\n  size: 24\n  max_steps: 12\n"
                                "policy:\n  kind: attention-agent\n  top: 3\n  hidden: 4\n"
                                "search:\n  method: cma-es\n  population: 8\n"
                                "train:\n  generations: 9\n  screen: 5\n  checkpoint_every: 2\n  average: 0.3\n"
                                "  stages:\n    - above: -1000\n      episodes: 2\n"
                                "evaluation:\n  every: 3\n  episodes: 4\n";

static void interrupt_at(void *user, const sac_progress *p)
{
    rank *r = user;
    if (r->delay && p->generation >= (uint64_t)r->delay) r->interrupt = 1;
}

static void train_main(rank *r)
{
    sac_task *task = NULL;
    r->status = sac_task_load(&task, r->text, NULL, 0);
    if (r->status == SAC_OK)
        r->status = sac_train(&(sac_train_def){.task = task,
                                               .run_dir = r->folder,
                                               .resume = true,
                                               .threads = r->threads,
                                               .comm = r->comm,
                                               .progress = interrupt_at,
                                               .user = r,
                                               .interrupt = &r->interrupt});
    sac_task_destroy(task);
}

static void assert_same_file(const char *a, const char *b, const char *name)
{
    uint8_t *bytes[2];
    size_t sizes[2];
    char path[256];
    snprintf(path, sizeof path, "%s/%s", a, name);
    assert_ok(sac_read_file(&bytes[0], &sizes[0], path, 1 << 26));
    snprintf(path, sizeof path, "%s/%s", b, name);
    assert_ok(sac_read_file(&bytes[1], &sizes[1], path, 1 << 26));
    assert_int_equal(sizes[0], sizes[1]);
    assert_memory_equal(bytes[0], bytes[1], sizes[0]);
    sac_free(bytes[0]);
    sac_free(bytes[1]);
}

static void train_ranks(int size, int threads, const char *name, int interrupt)
{
    static rank ranks[MAX_RANKS];
    static char path[128];
    snprintf(path, sizeof path, "%s", scratch_path("task.yaml"));
    rank r = {.main = train_main, .threads = threads, .text = path, .delay = interrupt};
    snprintf(r.folder, sizeof r.folder, "%s", scratch_path(name));
    set_all(ranks, size, r);
    run_ranks(ranks, size);
    for (int i = 0; i < size; i++) assert_int_equal(ranks[i].status, interrupt ? SAC_ERROR_INTERRUPTED : SAC_OK);
}

static void assert_same_run(const char *a, const char *b)
{
    char left[128];
    snprintf(left, sizeof left, "%s", scratch_path(a));
    static const char *const names[] = {"checkpoints/00000009.safetensors", "mean.safetensors", "best.safetensors"};
    for (int i = 0; i < 3; i++) assert_same_file(left, scratch_path(b), names[i]);
}

TEST(any_number_of_ranks_and_threads_trains_to_the_same_bytes)
{
    scratch_open();
    assert_ok(sac_write_file(scratch_path("task.yaml"), task_text, sizeof task_text - 1));
    train_ranks(1, 1, "one", 0);
    train_ranks(2, 1, "two", 0);
    train_ranks(4, 1, "four", 0);
    train_ranks(3, 2, "mixed", 0);
    assert_same_run("one", "two");
    assert_same_run("one", "four");
    assert_same_run("one", "mixed");
}

TEST(a_run_goes_on_with_another_number_of_ranks)
{
    scratch_open();
    assert_ok(sac_write_file(scratch_path("task.yaml"), task_text, sizeof task_text - 1));
    train_ranks(1, 2, "whole", 0);
    train_ranks(4, 1, "parts", 2);
    train_ranks(1, 1, "parts", 5);
    train_ranks(2, 2, "parts", 7);
    train_ranks(3, 1, "parts", 0);
    assert_same_run("whole", "parts");
}

TESTS(every_unit_is_done_once_and_everyone_knows, the_others_can_do_it_all, a_failure_of_one_ends_all_with_its_sentence,
      an_interrupt_of_one_interrupts_all, an_interrupt_that_comes_after_the_round_interrupts_all,
      ranks_that_compute_something_else_are_found_out, what_rank_0_has_everyone_gets, what_each_rank_has_everyone_gets,
      any_number_of_ranks_and_threads_trains_to_the_same_bytes, a_run_goes_on_with_another_number_of_ranks)
