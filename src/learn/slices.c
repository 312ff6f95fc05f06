#include "learn/slices.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

struct sac_slices
{
    sac_threads *threads;
    sac_learn *tables; // a thread's each
    unsigned char *scratch;
    int count;
    size_t parameters, stride;
    float *gradients; // [slices, stride]
    double *losses;   // [slices]
    // of the run at hand
    int samples, from, to; // slices that are run
    sac_slice_work *work;
    void *user;
    float *sum;
};

sac_status sac_slices_create(sac_slices **out, sac_threads *threads, int slices, size_t parameters)
{
    return sac_slices_create_beside(out, threads, slices, parameters, 0);
}

sac_status sac_slices_create_beside(sac_slices **out, sac_threads *threads, int slices, size_t parameters,
                                    size_t beside)
{
    const size_t stride = parameters + beside;
    const int thread_count = sac_threads_count(threads);
    sac_slices *s = SAC_NEW(sac_slices);
    *out = NULL;
    if (s)
    {
        *s = (sac_slices){.threads = threads, .count = slices, .parameters = parameters, .stride = stride};
        s->tables = SAC_NEW_ARRAY(sac_learn, (size_t)thread_count);
        s->scratch = sac_alloc_array((size_t)thread_count, SAC_LEARN_SCRATCH);
        s->gradients =
            stride <= SIZE_MAX / sizeof(float) / (size_t)slices ? SAC_NEW_MATRIX(float, (size_t)slices, stride) : NULL;
        s->losses = SAC_NEW_ARRAY(double, (size_t)slices);
    }
    if (!s || !s->tables || !s->scratch || !s->gradients || !s->losses)
    {
        sac_slices_destroy(s);
        return sac_fail_memory("slices of a minibatch");
    }
    for (int i = 0; i < thread_count; i++) s->tables[i] = sac_learn_create(s->scratch + (size_t)i * SAC_LEARN_SCRATCH);
    *out = s;
    return SAC_OK;
}

void sac_slices_destroy(sac_slices *s)
{
    if (!s) return;
    sac_free(s->tables);
    sac_free(s->scratch);
    sac_free(s->gradients);
    sac_free(s->losses);
    sac_free(s);
}

static int slice_begin(const sac_slices *s, int slice)
{
    return (int)((int64_t)s->samples * slice / s->count);
}

static void run_slices(void *user, int thread)
{
    sac_slices *s = user;
    for (int i = s->from + thread; i < s->to; i += sac_threads_count(s->threads))
    {
        const sac_slice slice = {i, thread, slice_begin(s, i), slice_begin(s, i + 1) - slice_begin(s, i)};
        float *gradient = s->gradients + (size_t)i * s->stride;
        memset(gradient, 0, s->stride * sizeof *gradient);
        s->losses[i] = slice.count ? s->work(s->user, &s->tables[thread], &slice, gradient) : 0;
    }
}

// a thread's share of the parameters, over all slices
static void add_slices(void *user, int thread)
{
    sac_slices *s = user;
    const size_t count = (size_t)sac_threads_count(s->threads), t = (size_t)thread;
    const size_t from = s->parameters / count * t, to = t + 1 == count ? s->parameters : from + s->parameters / count;
    memcpy(s->sum + from, s->gradients + from, (to - from) * sizeof *s->sum);
    for (int i = 1; i < s->count; i++)
        s->tables[thread].add(&s->tables[thread], s->sum + from, s->gradients + (size_t)i * s->stride + from,
                              to - from);
}

int sac_slices_first(const sac_slices *s, int part, int parts)
{
    return (int)((int64_t)s->count * part / parts);
}

void sac_slices_run_part(sac_slices *s, int samples, int part, int parts, sac_slice_work *work, void *user)
{
    s->samples = samples;
    s->work = work;
    s->user = user;
    s->from = sac_slices_first(s, part, parts);
    s->to = sac_slices_first(s, part + 1, parts);
    sac_threads_run(s->threads, run_slices, s);
}

float *sac_slices_gradients(sac_slices *s)
{
    return s->gradients;
}

void sac_slices_add(sac_slices *s, float *gradient)
{
    s->sum = gradient;
    sac_threads_run(s->threads, add_slices, s);
}

double sac_slices_run(sac_slices *s, float *gradient, int samples, sac_slice_work *work, void *user)
{
    sac_slices_run_part(s, samples, 0, 1, work, user);
    sac_slices_add(s, gradient);
    double loss = 0;
    for (int i = 0; i < s->count; i++) loss += s->losses[i];
    return loss;
}
