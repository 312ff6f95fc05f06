#pragma once

#include "test.h"

#include "base/random.h"
#include "nets/pass.h"

/// Small nets of every kind and form, for tests of their gradients and for PyTorch.

typedef struct net_form
{
    const char *name, *kind;
    const char *settings[6]; ///< "key", "value", ...
    bool reduced;            ///< pictures of 8 x 8 instead of 9 x 7
} net_form;

#define NET_ATTENTION(name, encoding)                                      \
    {                                                                      \
        name, "attention-net", {"encoding", encoding, "width", "10"}, true \
    }
#define NET_VIT(name, attention)                                   \
    {                                                              \
        name, "vit", {"attention", attention, "width", "12"}, true \
    }

static const net_form net_forms[] = {
    {"resnet", "resnet", {"width", "5"}, false},
    {"resnet_deep", "resnet", {"width", "16", "blocks", "2"}, false},
    NET_ATTENTION("isotropic", "quadratic-isotropic"),
    NET_ATTENTION("quadratic", "quadratic"),
    NET_ATTENTION("relative", "relative"),
    NET_ATTENTION("content", "relative-content"),
    NET_ATTENTION("transformer_xl", "transformer-xl"),
    NET_VIT("softmax", "softmax"),
    NET_VIT("relu", "relu"),
    NET_VIT("relu_mapped", "relu-mapped"),
    NET_VIT("exp", "exp"),
    NET_VIT("square", "square"),
    NET_VIT("positive", "positive"),
    NET_VIT("trig", "trig"),
};

enum
{
    NET_FORMS = sizeof net_forms / sizeof *net_forms,
    NET_SAMPLES = 5,
    NET_CLASSES = 4,
    NET_CHANNELS = 2
};

/// A net with drawn parameters and one minibatch.
typedef struct net_scene
{
    sac_net *net;
    sac_threads *threads;
    sac_net_pass *pass;
    float *parameters, *measured, *gradient, *pictures;
    size_t count, picture;
    int labels[NET_SAMPLES];
} net_scene;

static inline void *net_memory(size_t size)
{
    void *memory = calloc(1, size + 1);
    assert_non_null(memory);
    return memory;
}

static inline sac_net *net_of(const net_form *form, sac_net_shape input)
{
    const sac_option *options = sac_net_options(form->kind);
    void *config = net_memory(sac_options_size(options));
    assert_int_equal(sac_options_read(options, config, NULL, 0, "net"), SAC_OK);
    // small, whatever else is set
    static const char *const small[] = {"stages", "2",    "layers", "2",     "heads", "3",        "hidden",
                                        "14",     "size", "4",      "patch", "2",     "features", "9"};
    for (size_t i = 0; i < sizeof small / sizeof *small; i += 2)
        for (const sac_option *o = options; o->name; o++)
            if (strcmp(o->name, small[i]) == 0)
                assert_int_equal(sac_options_set(options, config, small[i], small[i + 1], "net"), SAC_OK);
    for (int i = 0; i < 6 && form->settings[i]; i += 2)
        assert_int_equal(sac_options_set(options, config, form->settings[i], form->settings[i + 1], "net"), SAC_OK);
    const sac_net_def def = {form->kind, config, input, NET_CLASSES};
    sac_net *net;
    assert_int_equal(sac_net_create(&net, &def), SAC_OK);
    free(config);
    return net;
}

/// The pictures that a form is tested with, and pictures whose rows and columns of tokens differ.
static inline sac_net_shape net_pictures(const net_form *form)
{
    return (sac_net_shape){form->reduced ? 8 : 9, form->reduced ? 8 : 7, NET_CHANNELS};
}
static const sac_net_shape net_wide = {8, 12, NET_CHANNELS};

static inline net_scene net_scene_create_of(const net_form *form, sac_net_shape input, int threads)
{
    net_scene s = {.net = net_of(form, input)};
    s.count = sac_net_parameters(s.net);
    s.picture = (size_t)input.rows * (size_t)input.columns * NET_CHANNELS;
    s.parameters = net_memory(s.count * sizeof(float));
    s.gradient = net_memory(s.count * sizeof(float));
    s.measured = net_memory(sac_net_measured(s.net) * sizeof(float));
    s.pictures = net_memory(NET_SAMPLES * s.picture * sizeof(float));
    sac_net_draw(s.net, 7, s.parameters, s.measured);
    // nothing stays at a value where a gradient vanishes or is the same for all
    sac_stream stream = sac_stream_create(11, 0, 0);
    for (size_t i = 0; i < s.count; i++) s.parameters[i] += (float)sac_stream_uniform(&stream, -0.2, 0.2);
    for (size_t i = 0; i < NET_SAMPLES * s.picture; i++) s.pictures[i] = (float)sac_stream_uniform(&stream, -1, 1);
    for (int i = 0; i < NET_SAMPLES; i++) s.labels[i] = i % NET_CLASSES;
    assert_int_equal(sac_threads_create(&s.threads, threads), SAC_OK);
    const sac_net_pass_def def = {
        .net = s.net, .threads = s.threads, .slices = 3, .samples = NET_SAMPLES, .backward = true, .momentum = 0.1};
    assert_int_equal(sac_net_pass_create(&s.pass, &def), SAC_OK);
    return s;
}

static inline net_scene net_scene_create(const net_form *form, int threads)
{
    return net_scene_create_of(form, net_pictures(form), threads);
}

static inline sac_net_outcome net_scene_train(net_scene *s)
{
    memcpy(sac_net_pass_input(s->pass), s->pictures, NET_SAMPLES * s->picture * sizeof(float));
    return sac_net_pass_train(s->pass, s->gradient, s->parameters, s->measured, s->labels, NET_SAMPLES, 3);
}

static inline void net_scene_destroy(net_scene *s)
{
    sac_net_pass_destroy(s->pass);
    sac_threads_destroy(s->threads);
    sac_net_destroy(s->net);
    free(s->parameters);
    free(s->gradient);
    free(s->measured);
    free(s->pictures);
}
