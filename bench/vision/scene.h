#pragma once

#include "learn/optimiser.h"
#include "nets/pass.h"

/// A net for pictures with everything that a step of it needs.

/// What to measure.
typedef struct bench_net_def
{
    const char *kind;
    const sac_setting *settings; ///< of the kind
    int setting_count;
    sac_net_shape input; ///< of a picture
    int classes, batch, slices;
    int threads;   ///< over the slices; 0: one
    bool backward; ///< else forward alone
    bool optimise; ///< SGD is wanted, too
    bool profile;  ///< take the time of nodes
} bench_net_def;

typedef struct bench_net_scene
{
    sac_net *net;
    sac_threads *threads;
    sac_net_pass *pass;
    sac_optimiser *optimiser; ///< NULL where none is wanted
    void *config, *scratch;
    float *parameters, *measured, *gradient;
    int *labels, batch;
} bench_net_scene;

/// Parameters are drawn, pictures are uniform noise. Destroy it whatever the status is.
sac_status bench_net_create(bench_net_scene *scene, const bench_net_def *def);
void bench_net_destroy(bench_net_scene *scene);

/// One minibatch, by what the scene was made for.
void bench_net_forward(void *scene);
void bench_net_both(void *scene); ///< forward, cross entropy, backward

/// Milliseconds a step by kinds of nodes, onto standard error.
void bench_net_show_times(const bench_net_scene *scene, double steps);
