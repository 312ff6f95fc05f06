#pragma once

#include "saccade/base.h"

/// A pool of worker threads that all run one function and wait for each other.

typedef struct sac_threads sac_threads;

/// @param count  >= 1; the caller is one of them, so 1 starts no thread
SAC_CHECKED sac_status sac_threads_create(sac_threads **out, int count);

/// NULL is ignored.
void sac_threads_destroy(sac_threads *threads);

int sac_threads_count(const sac_threads *threads);

/// Run work(user, 0..count-1), each in its own thread, and wait for all. Idle threads sleep.
void sac_threads_run(sac_threads *threads, void (*work)(void *user, int index), void *user);
