#include <string.h>

#include "base/error.h"
#include "bench.h"
#include "curves/attention.h"
#include "vision/scene.h"

/// Steps of training nets on pictures [side, side, 1], beside PyTorch: forward, cross entropy, backward, SGD; and by
/// two threads beside one.

enum
{
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

static void step(void *self)
{
    bench_net_scene *s = self;
    const sac_learn l = sac_learn_create(s->scratch);
    bench_net_both(s);
    (void)sac_optimiser_step(s->optimiser, &l, s->parameters, s->gradient);
}

static sac_status create(bench_net_scene *s, const form *f, int threads, bool profile)
{
    int count = 0;
    while (count < SETTINGS && f->settings[count].key) count++;
    return bench_net_create(s, &(bench_net_def){.kind = f->kind,
                                                .settings = f->settings,
                                                .setting_count = count,
                                                .input = {f->side, f->side, 1},
                                                .classes = 10,
                                                .batch = f->batch,
                                                .slices = 8,
                                                .threads = threads,
                                                .backward = true,
                                                .optimise = true,
                                                .profile = profile});
}

static sac_status profile(const form *f)
{
    enum
    {
        STEPS = 5
    };
    bench_net_scene s;
    const sac_status status = create(&s, f, 1, true);
    for (int i = 0; status == SAC_OK && i < STEPS; i++) step(&s);
    if (status == SAC_OK) bench_net_show_times(&s, STEPS);
    bench_net_destroy(&s);
    return status;
}

// The form of a row, whose name may have more behind that of the form.
static const form *form_of(const bench_row *row)
{
    const form *f = forms;
    while (strncmp(f->row, row->name, strlen(f->row)) != 0) f++;
    return f;
}

static sac_status measure(const form *f, int threads, bench_figure *figure)
{
    bench_net_scene s;
    const sac_status status = create(&s, f, threads, false);
    for (int i = 0; status == SAC_OK && i < 3; i++) bench_keep(figure, bench_time(step, &s, 0.5).best * 1e-3, false);
    bench_net_destroy(&s);
    return status;
}

sac_status bench_net(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    (void)own_peer;
    const form *f = form_of(place->row);
    const sac_status status = measure(f, 1, figure);
    return status == SAC_OK && place->verbose ? profile(f) : status;
}

sac_status bench_net_threads(const bench_place *place, bench_figure *figure, bench_figure *own_peer)
{
    const form *f = form_of(place->row);
    bench_pin(place, false);
    sac_status status = measure(f, 1, own_peer);
    if (status == SAC_OK) status = measure(f, 2, figure);
    bench_pin(place, true);
    return status;
}
