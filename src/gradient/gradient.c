#include "gradient/gradient.h"

#include <string.h>

#include "attention/form.h"
#include "base/error.h"
#include "base/memory.h"

enum
{
    COOKIE = 0x6ead1e
};

sac_gradient_def sac_gradient_default_def(void)
{
    return (sac_gradient_def){.choosing = SAC_CHOOSE_STRAIGHT, .internal = COOKIE};
}

static sac_status check(const sac_policy *policy, const sac_gradient_def *def)
{
    if (def->internal != COOKIE)
        return sac_fail(SAC_ERROR_ARGUMENT, "gradient: the def does not come from sac_gradient_default_def()");
    if ((unsigned)def->choosing > SAC_CHOOSE_FIXED)
        return sac_fail(SAC_ERROR_ARGUMENT, "gradient: choosing is %d, expected a sac_choosing", (int)def->choosing);
    if (!policy->ops->parts)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "gradient: policies of kind %s have none; attention-agent, iap-rank, iap-trans, cnn, mlp, "
                        "action-tokens and point-cloud have",
                        policy->ops->name);
    return SAC_OK;
}

static sac_status refuse(const char *option, const char *value)
{
    return sac_fail(SAC_ERROR_ARGUMENT, "gradient: a policy whose %s is %s has none", option, value);
}

// options whose policies act by more than what they are told of one frame
static sac_status check_agent(const sac_agent *a)
{
    if (!a) return SAC_OK;
    if (a->selection != SAC_SELECT_TOP) return refuse("selection", a->config.selection);
    if (a->config.key_period > 1) return refuse("key_period", "more than 1");
    if (a->wants_pixels && strstr(a->config.patch_features, "conv"))
        return refuse("patch_features", a->config.patch_features);
    return SAC_OK;
}

// the map of a linear form, by its name
static enum sac_phi phi_of(const char *form)
{
    static const struct
    {
        const char *form;
        enum sac_phi phi;
    } forms[] = {
        {"relu", SAC_PHI_RELU},     {"positive", SAC_PHI_POSITIVE}, {"trig", SAC_PHI_TRIG},
        {"hybrid", SAC_PHI_HYBRID}, {"sara-relu", SAC_PHI_RELU},    {"sara-exp", SAC_PHI_EXP},
    };
    for (size_t i = 0; i < sizeof forms / sizeof *forms; i++)
        if (strcmp(forms[i].form, form) == 0) return forms[i].phi;
    return SAC_PHI_SQUARE; // sara-square
}

static sac_status plan(sac_gradient *g)
{
    SAC_TRY(sac_policy_state_create(&g->state, g->policy));
    g->policy->ops->parts(g->state, &g->parts);
    const sac_agent *a = g->parts.agent;
    SAC_TRY(check_agent(a));
    if (g->parts.rt) SAC_TRY(sac_speech_check(g->parts.rt));
    if (g->parts.pct) SAC_TRY(sac_grasp_check(g->parts.pct));
    g->told = g->parts.actor->told_count;
    g->inputs = g->parts.actor->input_count;
    g->outputs = g->parts.actor->controller.outputs;
    for (int side = 0; a && a->attention->form->map && side < 2; side++)
        g->maps[side] =
            (sac_column_map){phi_of(a->config.attention), &a->attention->features[side], a->attention->gains[side]};
    return SAC_OK;
}

sac_status sac_gradient_create(sac_gradient **out, const sac_policy *policy, const sac_gradient_def *def)
{
    *out = NULL;
    SAC_TRY(check(policy, def));
    sac_gradient *g = SAC_NEW(sac_gradient);
    if (!g) return sac_fail_memory("a gradient");
    g->policy = policy;
    g->choosing = def->choosing;
    sac_status status = plan(g);
    if (status != SAC_OK)
    {
        sac_gradient_destroy(g);
        return status;
    }
    *out = g;
    return SAC_OK;
}

void sac_gradient_destroy(sac_gradient *gradient)
{
    if (!gradient) return;
    sac_policy_state_destroy(gradient->state);
    sac_free(gradient);
}

int sac_gradient_output_size(const sac_gradient *gradient)
{
    return gradient->outputs;
}

int sac_gradient_hidden_size(const sac_gradient *gradient)
{
    const sac_controller *c = &gradient->parts.actor->controller;
    return c->has_cell ? c->hidden : 0;
}

int sac_gradient_told_size(const sac_gradient *gradient)
{
    return gradient->told;
}

size_t sac_gradient_workspace_size(const sac_gradient *gradient, int steps, int sequences)
{
    SAC_ASSERT(steps >= 1 && sequences >= 1);
    sac_gradient_room room;
    return sac_gradient_place(&room, gradient, steps, sequences, NULL);
}

sac_pass sac_gradient_begin(const sac_gradient *g, const float *parameters, const sac_batch *batch, void *workspace)
{
    SAC_ASSERT(batch->steps >= 1 && batch->sequences >= 1 && (uintptr_t)workspace % 64 == 0);
    SAC_ASSERT(batch->told || batch->parts || sac_policy_takes_one_picture(g->policy));
    sac_pass p = {.g = g, .parameters = parameters, .batch = batch, .frames = batch->steps * batch->sequences};
    sac_gradient_place(&p.room, g, batch->steps, batch->sequences, workspace);
    p.l = sac_learn_create(p.room.scratch);
    return p;
}

static void take_told(const sac_pass *p)
{
    for (int frame = 0; frame < p->frames; frame++)
        memcpy(p->room.told + (ptrdiff_t)frame * p->g->told, p->batch->told[frame], (size_t)p->g->told * sizeof(float));
}

static void look(sac_pass *p)
{
    if (p->g->parts.embedding) sac_look_begin(p);
    if (p->g->parts.reading == SAC_PARTS_TRANS) sac_mixed_forward(p);
    if (p->g->parts.reading == SAC_PARTS_RANK) sac_kept_forward(p);
    if (p->g->parts.reading == SAC_PARTS_LAYERS) sac_layers_forward(p);
    sac_told_vectors(p);
}

void sac_gradient_forward(const sac_gradient *gradient, float *outputs, const float *parameters, const sac_batch *batch,
                          void *workspace)
{
    sac_pass p = sac_gradient_begin(gradient, parameters, batch, workspace);
    if (gradient->parts.rt)
    {
        sac_look_begin(&p);
        sac_speech_forward(&p, outputs);
        return;
    }
    if (gradient->parts.pct)
    {
        sac_grasp_forward(&p, outputs);
        return;
    }
    if (batch->told)
        take_told(&p);
    else
        look(&p);
    sac_told_forward(&p);
    sac_steer_forward(&p, outputs);
}

void sac_gradient_backward(const sac_gradient *gradient, float *sums, const float *doutputs, const float *parameters,
                           const sac_batch *batch, void *workspace)
{
    sac_pass p = sac_gradient_begin(gradient, parameters, batch, workspace);
    p.sums = sums;
    if (gradient->parts.rt)
    {
        sac_look_backward_begin(&p);
        sac_speech_backward(&p, doutputs);
        sac_look_backward_end(&p);
        return;
    }
    if (gradient->parts.pct)
    {
        sac_grasp_backward(&p, doutputs);
        return;
    }
    sac_steer_backward(&p, doutputs);
    if (!gradient->parts.embedding || batch->told) return; // no parameters come before what is told
    sac_told_backward(&p);
    sac_look_backward_begin(&p);
    if (gradient->parts.reading == SAC_PARTS_TRANS) sac_mixed_backward(&p);
    if (gradient->parts.reading == SAC_PARTS_RANK) sac_kept_backward(&p);
    if (gradient->parts.reading == SAC_PARTS_LAYERS) sac_layers_backward(&p);
    sac_look_backward_end(&p);
}

const float *sac_gradient_told(const sac_gradient *g, const sac_batch *batch, void *workspace)
{
    sac_gradient_room room;
    sac_gradient_place(&room, g, batch->steps, batch->sequences, workspace);
    return room.told;
}

const float *sac_gradient_inputs(const sac_gradient *g, const sac_batch *batch, void *workspace)
{
    sac_gradient_room room;
    sac_gradient_place(&room, g, batch->steps, batch->sequences, workspace);
    return room.inputs;
}
