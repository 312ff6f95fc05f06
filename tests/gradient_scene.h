#pragma once

#include "base/memory.h"
#include "policy_scene.h"
#include "saccade/learn.h"

/// Policies of every kind that has gradients, with minibatches: what test_gradient.c checks and tests/learn/policies.c
/// hands to PyTorch.

/// Every kind, reading, form, feature and controller that has a gradient.
static const char *const gradient_kinds[] = {
    "controller=linear",
    "controller=lstm,hidden=7,motion=true,filter=true",
    "controller=mlp,normalise_tokens=true,attention=relu",
    "controller=mlp,attention=positive,patch_features=values+positions,value_size=3",
    "controller=mlp,attention=trig,patch_features=histogram,masking=true,image_size=40",
    "controller=linear,attention=hybrid,attention_features=3,attention_directions=2,normalise_tokens=true",
    "controller=linear,attention=sara-square,heads=2,position_encoding=flat",
    "kind=iap-rank,controller=lstm,hidden=4,heads=2,projection=learned,value_size=3",
    "kind=iap-trans,controller=lstm,hidden=16,attention=relu",
    ("kind=iap-trans,controller=mlp,hidden=48,attention=relu,attention_features=0,patch=4,stride=0,image_size=64,"
     "key_size=8,value_size=6,rows=10,motion=true"),
    "kind=iap-trans,controller=linear,attention=positive,heads=2,position_encoding=flat,layer_norm=false",
    "kind=iap-trans,controller=linear,attention=trig,residual=false,activation=none",
    "kind=iap-trans,controller=mlp,attention=hybrid,attention_features=3,activation=clip,filter=true",
    "kind=iap-trans,controller=linear,attention=sara-exp,normalise_tokens=false",
    "controller=mlp,attention=sara-relu,attention_map=learned,divide=true,patch_features=values+positions",
    "controller=linear,attention=sara-exp,attention_map=learned,attention_features=5,heads=2,normalise_tokens=true",
    "kind=iap-rank,controller=linear,attention=sara-square,attention_map=learned,divide=true,heads=2,value_size=3",
    "kind=iap-rank,controller=linear,attention=sara-relu,attention_map=learned,projection=learned,value_size=3",
    "kind=iap-trans,controller=mlp,attention=sara-relu,attention_map=learned,heads=2,divide=true,normalise_tokens="
    "false",
    "kind=iap-trans,controller=linear,attention=sara-exp,attention_map=learned,attention_features=4,divide=true",
    "kind=iap-trans,controller=linear,attention=sara-square,attention_map=learned,position_encoding=flat",
    "kind=iap-trans,controller=linear,attention=relu,attention_features=0,divide=true,layer_norm=false",
    "kind=iap-trans,controller=mlp,attention=softmax,normalise_tokens=false,value_size=6",
    "kind=iap-trans,controller=lstm,hidden=5,attention=softmax,heads=2,residual=false,position_encoding=flat",
    "kind=cnn,controller=linear,image_size=72",
    "kind=cnn,controller=lstm,hidden=5,conv_channels=4:3,conv_kernel=3,conv_stride=4,motion=true",
};

enum
{
    GRADIENT_KINDS = sizeof gradient_kinds / sizeof *gradient_kinds
};

// a minibatch of a policy, with all that a pass needs
typedef struct minibatch
{
    sac_policy *owned; // released with it
    sac_gradient *gradient;
    sac_batch batch;
    uint8_t *pixels, *starts;
    float *states; ///< hidden, cell, before
    const uint8_t **frames;
    float *outputs, *doutputs, *sums;
    void *workspace;
    int outputs_size, parameters, count;
} minibatch;

// a field with a square that wanders: neighbours in time differ in a few patches
static inline void minibatch_paint(uint8_t *image, const sac_policy_def *def, int step, uint64_t seed)
{
    sac_stream stream = sac_stream_create(seed, 1, 0);
    int row = 9 * step + 5, column = 7 * step + 3;
    for (int y = 0; y < def->height; y++)
        for (int x = 0; x < def->width; x++)
            for (int c = 0; c < def->channels; c++)
            {
                bool square = y >= row && y < row + 12 && x >= column && x < column + 15;
                int noise = (int)sac_stream_below(&stream, 64);
                *image++ = (uint8_t)(square ? 200 - 40 * c + noise % 17 : 60 + y / 2 + 20 * c + noise);
            }
}

static inline minibatch minibatch_create(const sac_policy *policy, sac_choosing choosing, int steps, int sequences)
{
    const sac_policy_def *def = sac_policy_get_def(policy);
    const size_t image = (size_t)(def->height * def->width * def->channels);
    sac_gradient_def gradient_def = sac_gradient_default_def();
    gradient_def.choosing = choosing;
    minibatch m = {.batch = {.steps = steps, .sequences = sequences, .temperature = 0.7},
                   .parameters = sac_policy_parameter_count(policy),
                   .count = steps * sequences};
    assert_ok(sac_gradient_create(&m.gradient, policy, &gradient_def));
    m.outputs_size = sac_gradient_output_size(m.gradient);
    const size_t outputs = (size_t)(m.count * m.outputs_size);
    m.pixels = sac_alloc(image * (size_t)m.count);
    m.frames = sac_alloc((size_t)m.count * sizeof *m.frames);
    m.outputs = sac_alloc(outputs * sizeof(float));
    m.doutputs = sac_alloc(outputs * sizeof(float));
    m.sums = sac_alloc((size_t)m.parameters * sizeof(float));
    m.workspace = sac_alloc(sac_gradient_workspace_size(m.gradient, steps, sequences));
    m.batch.frames = m.frames;
    for (int i = 0; i < m.count; i++)
    {
        uint8_t *frame = m.pixels + (size_t)i * image;
        minibatch_paint(frame, def, i / sequences, (uint64_t)(i % sequences));
        m.frames[i] = frame;
    }
    fill_uniform(m.doutputs, outputs, 5);
    return m;
}

/// Make the minibatch one from the middle of episodes, the last of which ends on the way.
static inline void minibatch_go_on(minibatch *m)
{
    const size_t b = (size_t)m->batch.sequences, hidden = b * (size_t)sac_gradient_hidden_size(m->gradient);
    const size_t count = 2 * hidden + b * (size_t)sac_gradient_told_size(m->gradient);
    m->starts = sac_alloc((size_t)m->count);
    m->states = sac_alloc(count * sizeof(float));
    fill_uniform(m->states, count, 8);
    m->starts[2 * b - 1] = 1;
    m->batch.starts = m->starts;
    m->batch.hidden = m->states;
    m->batch.cell = m->states + hidden;
    m->batch.before = m->states + 2 * hidden;
}

static inline void minibatch_destroy(minibatch *m)
{
    sac_gradient_destroy(m->gradient);
    sac_policy_destroy(m->owned);
    sac_free(m->pixels), sac_free(m->frames), sac_free(m->outputs), sac_free(m->doutputs), sac_free(m->sums);
    sac_free(m->workspace), sac_free(m->starts), sac_free(m->states);
}

static inline void minibatch_run(minibatch *m, const float *parameters)
{
    sac_gradient_forward(m->gradient, m->outputs, parameters, &m->batch, m->workspace);
    sac_gradient_backward(m->gradient, m->sums, m->doutputs, parameters, &m->batch, m->workspace);
}
