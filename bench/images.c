#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "bench.h"
#include "curves/attention.h"
#include "learn/optimiser.h"
#include "nets/pass.h"

/// Steps of training nets on pictures [side, side, 1], beside PyTorch: forward, cross entropy, backward, SGD.

enum
{
    CLASSES = 10,
    SETTINGS = 8
};

/// A row's net: the settings of its kind, and its minibatch.
typedef struct form
{
    const char *row, *kind;
    sac_setting settings[SETTINGS];
    int side, batch;
} form;

static const form forms[] = {
    {"net-resnet-16", "resnet", {{"width", "16"}}, 28, 128},
    {"net-resnet-64", "resnet", {{"width", "64"}}, 28, 128},
    {"net-quadratic",
     "attention-net",
     {{"patch", "4"}, {"width", "128"}, {"layers", "4"}, {"hidden", "256"}, {"encoding", "quadratic"}},
     28,
     100},
    {"net-transformer-xl",
     "attention-net",
     {{"patch", "4"},
      {"width", "128"},
      {"layers", "4"},
      {"hidden", "256"},
      {"encoding", "transformer-xl"},
      {"size", "16"}},
     28,
     100},
    {"net-vit", "vit", {{"patch", "4"}, {"attention", "softmax"}}, 28, 128},
};

typedef struct training
{
    sac_net *net;
    sac_threads *threads;
    sac_net_pass *pass;
    sac_optimiser *optimiser;
    void *config, *scratch;
    float *parameters, *measured, *gradient;
    int *labels, batch;
} training;

static void step(void *self)
{
    training *t = self;
    const sac_learn l = sac_learn_create(t->scratch);
    (void)sac_net_pass_train(t->pass, t->gradient, t->parameters, t->measured, t->labels, t->batch, 1);
    (void)sac_optimiser_step(t->optimiser, &l, t->parameters, t->gradient);
}

static sac_status create(training *t, const form *f, bool profile)
{
    const sac_option *options = sac_net_options(f->kind);
    int count = 0;
    while (count < SETTINGS && f->settings[count].key) count++;
    t->config = sac_alloc(sac_options_size(options));
    if (!t->config) return sac_fail_memory("a net");
    SAC_TRY(sac_options_read(options, t->config, f->settings, count, "net"));
    const sac_net_def def = {f->kind, t->config, {f->side, f->side, 1}, CLASSES};
    SAC_TRY(sac_net_create(&t->net, &def));
    SAC_TRY(sac_threads_create(&t->threads, 1));
    const sac_net_pass_def pass = {t->net, t->threads, 8, f->batch, true, 0.1, profile};
    SAC_TRY(sac_net_pass_create(&t->pass, &pass));
    sac_optimiser_def sgd = sac_optimiser_default_def();
    sgd.kind = SAC_OPTIMISER_SGD;
    sgd.rate = 0.001; // so that hundreds of steps on one minibatch stay ordinary numbers
    sgd.decay = 1e-4;
    SAC_TRY(sac_optimiser_create(&t->optimiser, &sgd, sac_net_parameters(t->net)));
    t->batch = f->batch;
    t->scratch = sac_alloc(SAC_LEARN_SCRATCH);
    t->parameters = SAC_NEW_ARRAY(float, sac_net_parameters(t->net));
    t->gradient = SAC_NEW_ARRAY(float, sac_net_parameters(t->net));
    t->measured = SAC_NEW_ARRAY(float, sac_net_measured(t->net));
    t->labels = SAC_NEW_ARRAY(int, (size_t)f->batch);
    if (!t->scratch || !t->parameters || !t->gradient || !t->measured || !t->labels) return sac_fail_memory("a net");
    sac_net_draw(t->net, 1, t->parameters, t->measured);
    sac_stream stream = sac_stream_create(1, 2, 3);
    float *x = sac_net_pass_input(t->pass);
    for (int i = 0; i < f->batch * f->side * f->side; i++) x[i] = (float)sac_stream_uniform(&stream, -2, 2);
    for (int i = 0; i < f->batch; i++) t->labels[i] = i % CLASSES;
    return SAC_OK;
}

static void destroy(training *t)
{
    sac_optimiser_destroy(t->optimiser);
    sac_net_pass_destroy(t->pass);
    sac_threads_destroy(t->threads);
    sac_net_destroy(t->net);
    sac_free(t->config);
    sac_free(t->scratch);
    sac_free(t->parameters);
    sac_free(t->gradient);
    sac_free(t->measured);
    sac_free(t->labels);
}

// milliseconds a step by kinds of nodes
static void show_times(const training *t, double steps)
{
    sac_net_time times[SAC_NET_KINDS];
    const int count = sac_net_pass_times(t->pass, times);
    for (int i = 0; i < count; i++)
        fprintf(stderr, "%-22s %8.2f ms forward %8.2f ms backward\n", times[i].kind, 1e3 * times[i].forward / steps,
                1e3 * times[i].backward / steps);
}

static sac_status profile(const form *f)
{
    enum
    {
        STEPS = 5
    };
    training t = {0};
    sac_status status = create(&t, f, true);
    for (int i = 0; status == SAC_OK && i < STEPS; i++) step(&t);
    if (status == SAC_OK) show_times(&t, STEPS);
    destroy(&t);
    return status;
}

sac_status bench_net(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)own_peer;
    const form *f = forms;
    while (strcmp(f->row, place->row->name) != 0) f++;
    training t = {0};
    sac_status status = create(&t, f, false);
    for (int i = 0; status == SAC_OK && i < 3; i++) bench_keep(figure, bench_time(step, &t, 0.5).best * 1e-3, false);
    destroy(&t);
    return status == SAC_OK && place->verbose ? profile(f) : status;
}
