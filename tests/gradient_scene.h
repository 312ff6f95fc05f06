#pragma once

#include "base/memory.h"
#include "policy_scene.h"
#include "saccade/learn.h"

/// Policies of every kind that has gradients, with minibatches: what test_gradient.c checks and tests/learn/policies.c
/// hands to PyTorch.

/// Every kind, reading, form, feature and controller that has a gradient, of policies with a controller.
static const char *const gradient_kinds[] = {
    "controller=linear",
    "controller=lstm,hidden=7,motion=true,normaliser=true",
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
    "kind=iap-trans,controller=mlp,attention=hybrid,attention_features=3,activation=clip,normaliser=true",
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
    "kind=mlp,inputs=state,hidden=16",
    "kind=mlp,inputs=state+touch,hidden=6,normaliser_limit=0.5,motion=true",
    "kind=iap-trans,inputs=camera+state,controller=mlp,attention=relu,normaliser=true,normaliser_limit=0.25",
    "kind=mlp,inputs=state+touch,hidden=9,layers=3,activation=none,motion=true",
    "kind=mlp,inputs=touch,hidden=5,layers=1,normaliser=false,activation=clip",
    "kind=mlp,inputs=state+touch,controller=lstm,hidden=6",
    "kind=mlp,inputs=state,controller=linear",
    "kind=iap-trans,inputs=camera+state,controller=mlp,attention=relu,motion=true,normaliser=true",
    "kind=iap-trans,inputs=touch+camera+state,controller=linear,attention=relu,heads=2,layer_norm=false",
    "kind=iap-trans,inputs=depth,controller=mlp,attention=positive,position_encoding=flat,patch=8,stride=4",
    "kind=iap-trans,controller=mlp,attention=relu,centre_pixels=true,position_encoding=flat,layer_norm=false",
    "kind=iap-trans,inputs=depth,controller=linear,attention=softmax,centre_pixels=true,patch=8,stride=8",
    "kind=iap-trans,inputs=frames,controller=mlp,attention=relu,patch=8,stride=0",
    "kind=iap-rank,inputs=frames+state,controller=linear,patch=8,stride=4,value_size=3",
    "kind=cnn,inputs=frames,controller=linear,conv_channels=4:3,conv_kernel=5,conv_stride=3",
    "inputs=depth+touch,controller=mlp,attention=relu,features=values+positions,value_size=3,patch=8,image_size=32",
    "kind=cnn,inputs=depth+state,controller=linear,conv_kernel=3,conv_stride=2,conv_channels=4:3",
    ("kind=cnn,controller=mlp,hidden=10,image_size=32,conv_channels=4:8:8,conv_kernel=3,conv_stride=1,conv_pool=1:1:2,"
     "activation=clip"),
    "kind=cnn,inputs=depth+state,controller=lstm,hidden=5,conv_channels=4:3,conv_kernel=3,conv_stride=1,conv_pool=3",
    "kind=cnn,controller=linear,conv_channels=5,conv_kernel=5,conv_stride=2,conv_pool=2",
    "kind=iap-trans,inputs=depth+state,controller=mlp,attention=relu,patch=8,stride=8,motion=true,normaliser=true",
    "kind=iap-rank,inputs=state+depth,controller=linear,patch=8,stride=4,value_size=3,masking=true",
};

/// Policies that say their actions by tokens: every form that has a gradient, with blocks of the encoder and without,
/// and histories that are longer and shorter than a minibatch.
static const char *const speaking_kinds[] = {
    "kind=action-tokens,history=4,bins=40",
    "kind=action-tokens,attention=sara-relu,history=2,layers=2,image_size=60",
    "kind=action-tokens,attention=relu,layers=0,history=1,image_size=36,position_encoding=flat,bins=5",
    "kind=action-tokens,attention=sara-exp,width=12,heads=3,units=10,image_size=40,stride=4,bins=17",
    ("kind=action-tokens,attention=sara-square,inputs=depth,image_size=32,patch=8,position_encoding=none,width=6,heads="
     "1,bins=5"),
    "kind=action-tokens,scale=0.75,width=20,heads=4,layers=3,history=2,image_size=48,units=7,bins=2",
    "kind=action-tokens,spelling=decimals,history=2,image_size=36",
    "kind=action-tokens,spelling=decimals,attention=sara-relu,history=3,image_size=48,layers=0,width=12",
};

enum
{
    GRADIENT_KINDS = sizeof gradient_kinds / sizeof *gradient_kinds,
    SPEAKING_KINDS = sizeof speaking_kinds / sizeof *speaking_kinds
};

// a minibatch of a policy, with all that a pass needs
typedef struct minibatch
{
    sac_policy *owned; // released with it
    sac_gradient *gradient;
    sac_batch batch;
    uint8_t *pixels, *starts;
    float *states;          ///< hidden, cell, before
    const void **parts;     ///< [T, B, inputs]
    const uint8_t **frames; ///< the pictures; NULL: there are none
    float *said;            ///< [T, B, actions] whose tokens are said; NULL: the likeliest ones
    const float **actions;  ///< [T, B] of these
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

// a slope with a wall on it, beyond both bounds in places
static inline void minibatch_measure(float *depth, const sac_space *space, int step, uint64_t seed)
{
    sac_stream stream = sac_stream_create(seed, 2, (uint64_t)step);
    for (int y = 0; y < space->shape[0]; y++)
        for (int x = 0; x < space->shape[1]; x++)
        {
            bool wall = x > 3 * step + 20 && x < 3 * step + 33 && y > 10;
            *depth++ = (float)((wall ? 2 : 0.25 * (y + 1)) + sac_stream_uniform(&stream, -0.3, 0.3));
        }
}

// what one input shows in a frame
static inline void minibatch_fill(void *to, const sac_policy_def *def, const sac_space *space, int step, uint64_t seed)
{
    if (space->kind == SAC_SPACE_PICTURE) minibatch_paint(to, def, step, seed);
    if (space->kind == SAC_SPACE_DEPTH) minibatch_measure(to, space, step, seed);
    if (space->kind == SAC_SPACE_VECTOR) fill_uniform(to, sac_space_size(space), 100 * seed + (uint64_t)step);
}

static inline minibatch minibatch_create(const sac_policy *policy, sac_choosing choosing, int steps, int sequences)
{
    const sac_policy_def *def = sac_policy_get_def(policy);
    size_t bytes = 0;
    for (int i = 0; i < def->input_count; i++) bytes += sac_space_bytes(&def->inputs[i]);
    sac_gradient_def gradient_def = sac_gradient_default_def();
    gradient_def.choosing = choosing;
    minibatch m = {.batch = {.steps = steps, .sequences = sequences, .temperature = 0.7},
                   .parameters = sac_policy_parameter_count(policy),
                   .count = steps * sequences};
    assert_ok(sac_gradient_create(&m.gradient, policy, &gradient_def));
    m.outputs_size = sac_gradient_output_size(m.gradient);
    const size_t outputs = (size_t)(m.count * m.outputs_size);
    m.pixels = sac_alloc(bytes * (size_t)m.count);
    m.parts = sac_alloc((size_t)(m.count * def->input_count) * sizeof *m.parts);
    bool simple = def->input_count == 1 && def->inputs[0].kind == SAC_SPACE_PICTURE;
    m.frames = simple ? sac_alloc((size_t)m.count * sizeof *m.frames) : NULL;
    m.outputs = sac_alloc(outputs * sizeof(float));
    m.doutputs = sac_alloc(outputs * sizeof(float));
    m.sums = sac_alloc((size_t)m.parameters * sizeof(float));
    m.workspace = sac_alloc(sac_gradient_workspace_size(m.gradient, steps, sequences));
    m.batch.frames = m.frames;
    m.batch.parts = simple ? NULL : m.parts;
    for (int i = 0; i < m.count; i++)
    {
        uint8_t *at = m.pixels + (size_t)i * bytes;
        for (int k = 0; k < def->input_count; at += sac_space_bytes(&def->inputs[k++]))
        {
            minibatch_fill(at, def, &def->inputs[k], i / sequences, (uint64_t)(i % sequences));
            m.parts[i * def->input_count + k] = at;
        }
        if (simple) m.frames[i] = m.parts[i];
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

/// Give the minibatch of a policy that speaks the actions whose tokens are said, between the bounds of a car's.
static inline void minibatch_say(minibatch *m)
{
    enum
    {
        ACTIONS = 3
    };
    m->said = sac_alloc((size_t)m->count * ACTIONS * sizeof *m->said);
    m->actions = sac_alloc((size_t)m->count * sizeof *m->actions);
    fill_uniform(m->said, (size_t)m->count * ACTIONS, 12);
    for (int i = 0; i < m->count; i++)
    {
        m->actions[i] = m->said + (ptrdiff_t)i * ACTIONS;
        for (int a = 1; a < ACTIONS; a++) m->said[i * ACTIONS + a] = (m->said[i * ACTIONS + a] + 1) / 2;
    }
    m->batch.actions = m->actions;
}

static inline void minibatch_destroy(minibatch *m)
{
    sac_gradient_destroy(m->gradient);
    sac_policy_destroy(m->owned);
    sac_free(m->pixels), sac_free(m->frames), sac_free(m->parts), sac_free(m->outputs), sac_free(m->doutputs),
        sac_free(m->sums);
    sac_free(m->workspace), sac_free(m->starts), sac_free(m->states), sac_free(m->said), sac_free(m->actions);
}

static inline void minibatch_run(minibatch *m, const float *parameters)
{
    sac_gradient_forward(m->gradient, m->outputs, parameters, &m->batch, m->workspace);
    sac_gradient_backward(m->gradient, m->sums, m->doutputs, parameters, &m->batch, m->workspace);
}
