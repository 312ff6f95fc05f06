#include "vision/scene.h"

#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"

static sac_status create_net(bench_net_scene *s, const bench_net_def *d)
{
    const sac_option *options = sac_net_options(d->kind);
    s->config = sac_alloc(sac_options_size(options));
    if (!s->config) return sac_fail_memory("a net");
    SAC_TRY(sac_options_read(options, s->config, d->settings, d->setting_count, "net"));
    const sac_net_def def = {d->kind, s->config, d->input, d->classes};
    SAC_TRY(sac_net_create(&s->net, &def));
    SAC_TRY(sac_threads_create(&s->threads, d->threads ? d->threads : 1));
    const sac_net_pass_def pass = {.net = s->net,
                                   .threads = s->threads,
                                   .slices = d->slices,
                                   .samples = d->batch,
                                   .backward = d->backward,
                                   .momentum = 0.1,
                                   .profile = d->profile};
    return sac_net_pass_create(&s->pass, &pass);
}

static sac_status create_optimiser(bench_net_scene *s)
{
    sac_optimiser_def sgd = sac_optimiser_default_def();
    sgd.kind = SAC_OPTIMISER_SGD;
    sgd.rate = 0.001; // so that hundreds of steps on one minibatch stay ordinary numbers
    sgd.decay = 1e-4;
    return sac_optimiser_create(&s->optimiser, &sgd, sac_net_parameters(s->net));
}

sac_status bench_net_create(bench_net_scene *s, const bench_net_def *d)
{
    *s = (bench_net_scene){.batch = d->batch};
    SAC_TRY(create_net(s, d));
    if (d->optimise) SAC_TRY(create_optimiser(s));
    if (d->backward) s->gradient = SAC_NEW_ARRAY(float, sac_net_parameters(s->net));
    s->scratch = sac_alloc(SAC_LEARN_SCRATCH);
    s->parameters = SAC_NEW_ARRAY(float, sac_net_parameters(s->net));
    s->measured = SAC_NEW_ARRAY(float, sac_net_measured(s->net));
    s->labels = SAC_NEW_ARRAY(int, (size_t)d->batch);
    if (!s->scratch || !s->parameters || !s->measured || !s->labels || (d->backward && !s->gradient))
        return sac_fail_memory("a net");
    sac_net_draw(s->net, 1, s->parameters, s->measured);
    sac_stream stream = sac_stream_create(1, 2, 3);
    float *x = sac_net_pass_input(s->pass);
    const size_t count = (size_t)d->batch * (size_t)d->input.rows * (size_t)(d->input.columns * d->input.channels);
    for (size_t i = 0; i < count; i++) x[i] = (float)sac_stream_uniform(&stream, -2, 2);
    for (int i = 0; i < d->batch; i++) s->labels[i] = i % d->classes;
    return SAC_OK;
}

void bench_net_destroy(bench_net_scene *s)
{
    sac_optimiser_destroy(s->optimiser);
    sac_net_pass_destroy(s->pass);
    sac_threads_destroy(s->threads);
    sac_net_destroy(s->net);
    sac_free(s->config);
    sac_free(s->scratch);
    sac_free(s->parameters);
    sac_free(s->gradient);
    sac_free(s->measured);
    sac_free(s->labels);
}

void bench_net_forward(void *scene)
{
    bench_net_scene *s = scene;
    (void)sac_net_pass_evaluate(s->pass, s->parameters, s->measured, NULL, s->batch);
}

void bench_net_both(void *scene)
{
    bench_net_scene *s = scene;
    (void)sac_net_pass_train(s->pass, s->gradient, s->parameters, s->measured, s->labels, s->batch, 1);
}

void bench_net_show_times(const bench_net_scene *s, double steps)
{
    sac_net_time times[SAC_NET_KINDS];
    const int count = sac_net_pass_times(s->pass, times);
    for (int i = 0; i < count; i++)
        fprintf(stderr, "%-22s %8.2f ms forward %8.2f ms backward\n", times[i].kind, 1e3 * times[i].forward / steps,
                1e3 * times[i].backward / steps);
}
