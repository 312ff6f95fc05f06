#include "base/threads.h"

#include <pthread.h>

#include "base/error.h"
#include "base/memory.h"

typedef struct worker
{
    sac_threads *pool;
    pthread_t thread;
    int index;
} worker;

struct sac_threads
{
    int count, started;
    worker *workers; // [count], the first is the caller
    pthread_mutex_t mutex;
    pthread_cond_t work_ready, work_done;
    void (*work)(void *user, int index);
    void *user;
    uint64_t round; // number of the current work
    int busy;       // workers that have not finished it
    bool stop;
};

static void *worker_main(void *argument)
{
    worker *self = argument;
    sac_threads *pool = self->pool;
    uint64_t seen = 0;
    pthread_mutex_lock(&pool->mutex);
    for (;;)
    {
        while (!pool->stop && pool->round == seen) pthread_cond_wait(&pool->work_ready, &pool->mutex);
        if (pool->stop) break;
        seen = pool->round;
        pthread_mutex_unlock(&pool->mutex);
        pool->work(pool->user, self->index);
        pthread_mutex_lock(&pool->mutex);
        if (--pool->busy == 0) pthread_cond_signal(&pool->work_done);
    }
    pthread_mutex_unlock(&pool->mutex);
    return NULL;
}

sac_status sac_threads_create(sac_threads **out, int count)
{
    SAC_ASSERT(count >= 1);
    *out = NULL;
    sac_threads *pool = SAC_NEW(sac_threads);
    worker *workers = SAC_NEW_ARRAY(worker, (size_t)count);
    if (!pool || !workers)
    {
        sac_free(pool);
        sac_free(workers);
        return sac_fail_memory("threads");
    }
    pool->count = count;
    pool->workers = workers;
    pthread_mutex_init(&pool->mutex, NULL);
    pthread_cond_init(&pool->work_ready, NULL);
    pthread_cond_init(&pool->work_done, NULL);
    for (pool->started = 1; pool->started < count; pool->started++)
    {
        worker *w = &workers[pool->started];
        w->pool = pool;
        w->index = pool->started;
        if (pthread_create(&w->thread, NULL, worker_main, w) != 0)
        {
            int started = pool->started;
            sac_threads_destroy(pool);
            return sac_fail(SAC_ERROR_MEMORY, "cannot start thread %d of %d", started + 1, count);
        }
    }
    *out = pool;
    return SAC_OK;
}

void sac_threads_destroy(sac_threads *pool)
{
    if (!pool) return;
    pthread_mutex_lock(&pool->mutex);
    pool->stop = true;
    pthread_cond_broadcast(&pool->work_ready);
    pthread_mutex_unlock(&pool->mutex);
    for (int i = 1; i < pool->started; i++) pthread_join(pool->workers[i].thread, NULL);
    pthread_cond_destroy(&pool->work_done);
    pthread_cond_destroy(&pool->work_ready);
    pthread_mutex_destroy(&pool->mutex);
    sac_free(pool->workers);
    sac_free(pool);
}

int sac_threads_count(const sac_threads *threads)
{
    return threads->count;
}

void sac_threads_run(sac_threads *pool, void (*work)(void *user, int index), void *user)
{
    pthread_mutex_lock(&pool->mutex);
    pool->work = work;
    pool->user = user;
    pool->busy = pool->count - 1;
    pool->round++;
    pthread_cond_broadcast(&pool->work_ready);
    pthread_mutex_unlock(&pool->mutex);

    work(user, 0);

    pthread_mutex_lock(&pool->mutex);
    while (pool->busy > 0) pthread_cond_wait(&pool->work_done, &pool->mutex);
    pthread_mutex_unlock(&pool->mutex);
}
