#include "saccade/classifier.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/series.h"
#include "classify/trained.h"
#include "nets/pass.h"

enum
{
    MINIBATCH = 32, // pictures that are computed at once, at least
    MAX_THREADS = 1024
};

struct sac_classifier
{
    sac_trained_net net;
    sac_threads *threads;
    sac_net_pass *pass;
    int samples; // of a minibatch, at most
    // the minibatch that is seen
    const uint8_t *pictures;
    int size;
};

// --- making it ---

static sac_status create(sac_classifier *c, int threads)
{
    c->samples = threads > MINIBATCH ? threads : MINIBATCH;
    SAC_TRY(sac_threads_create(&c->threads, threads));
    const sac_net_pass_def def = {.net = c->net.net, .threads = c->threads, .slices = threads, .samples = c->samples};
    return sac_net_pass_create(&c->pass, &def);
}

// from a file where there are no bytes
static sac_status read_net(sac_classifier **out, const void *bytes, size_t size, const char *where, int threads)
{
    *out = NULL;
    if (threads < 1 || threads > MAX_THREADS)
        return sac_fail(SAC_ERROR_ARGUMENT, "a classifier of %d threads, expected 1 to %d", threads, (int)MAX_THREADS);
    sac_classifier *c = SAC_NEW(sac_classifier);
    if (!c) return sac_fail_memory("a classifier");
    sac_status status = bytes ? sac_trained_net_read(&c->net, bytes, size, where, NULL, 0)
                              : sac_trained_net_load(&c->net, where, NULL, 0);
    if (status == SAC_OK) status = create(c, threads);
    if (status != SAC_OK)
    {
        sac_classifier_destroy(c);
        return status;
    }
    *out = c;
    return SAC_OK;
}

sac_status sac_classifier_load(sac_classifier **out, const char *path, int threads)
{
    return read_net(out, NULL, 0, path, threads);
}

sac_status sac_classifier_read(sac_classifier **out, const void *bytes, size_t size, const char *where, int threads)
{
    return read_net(out, bytes ? bytes : "", bytes ? size : 0, where, threads);
}

void sac_classifier_destroy(sac_classifier *c)
{
    if (!c) return;
    sac_net_pass_destroy(c->pass);
    sac_threads_destroy(c->threads);
    sac_trained_net_clear(&c->net);
    sac_free(c);
}

sac_classifier_shape sac_classifier_get_shape(const sac_classifier *c)
{
    const sac_net_shape *s = &c->net.input;
    return (sac_classifier_shape){s->rows, s->columns, s->channels, c->net.classes, sac_net_parameters(c->net.net)};
}

// --- pictures ---

static size_t picture_size(const sac_classifier *c)
{
    const sac_net_shape *s = &c->net.input;
    return (size_t)s->rows * (size_t)s->columns * (size_t)s->channels;
}

// a thread's share of a minibatch
static void see_some(void *user, int thread)
{
    sac_classifier *c = user;
    const sac_net_shape *s = &c->net.input;
    const size_t size = picture_size(c);
    for (int i = thread; i < c->size; i += sac_threads_count(c->threads))
        sac_image_see(&c->net.view, sac_net_pass_input(c->pass) + (size_t)i * size, c->pictures + (size_t)i * size,
                      s->rows, s->columns, s->channels);
}

static void softmax(float *out, const float *x, int count, int largest)
{
    double sum = 0;
    for (int i = 0; i < count; i++) sum += sac_series_exp((double)x[i] - (double)x[largest]);
    for (int i = 0; i < count; i++) out[i] = (float)(sac_series_exp((double)x[i] - (double)x[largest]) / sum);
}

void sac_classifier_run(sac_classifier *c, const uint8_t *pictures, int count, int *best, float *probabilities)
{
    const int classes = c->net.classes;
    for (int first = 0; first < count; first += c->size)
    {
        c->size = count - first < c->samples ? count - first : c->samples;
        c->pictures = pictures + (size_t)first * picture_size(c);
        sac_threads_run(c->threads, see_some, c);
        (void)sac_net_pass_evaluate(c->pass, c->net.parameters, c->net.measured, NULL, c->size);
        const float *out = sac_net_pass_output(c->pass);
        for (int i = 0; i < c->size; i++, out += classes)
        {
            const int largest = sac_net_largest(out, classes);
            if (best) best[first + i] = largest;
            if (probabilities) softmax(probabilities + (size_t)(first + i) * (size_t)classes, out, classes, largest);
        }
    }
}
