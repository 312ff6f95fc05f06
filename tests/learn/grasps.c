#include <stdio.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/random.h"
#include "files/arrays/safetensors.h"
#include "saccade/learn.h"

/// Gradients of policies of kind point-cloud, for grasps.py: grasps FOLDER. Writes FOLDER/FORM.safetensors: the
/// policy's tensors, clouds, and what forward and backward make of them.

enum
{
    FRAMES = 2,
    POINTS = 300,
    OUTPUTS = 7,
    MOST = 64
};

static const char *const forms[] = {"softmax", "sara-relu", "sara-exp", "sara-square"};

static const float low[OUTPUTS] = {-9, -9, -9, -9, -9, -9, -9}, high[OUTPUTS] = {9, 9, 9, 9, 9, 9, 9};

typedef struct scene
{
    float clouds[FRAMES][POINTS * 3], doutputs[FRAMES * OUTPUTS], outputs[FRAMES * OUTPUTS];
    float *parameters, *sums;
} scene;

static void draw(float *out, int count, double size, uint64_t name)
{
    sac_stream stream = sac_stream_create(11, name, 0);
    for (int i = 0; i < count; i++) out[i] = (float)sac_stream_uniform(&stream, -size, size);
}

static sac_status run(scene *s, const sac_policy *policy)
{
    const sac_gradient_def def = sac_gradient_default_def();
    const void *parts[FRAMES];
    sac_gradient *g;
    for (int i = 0; i < FRAMES; i++)
    {
        draw(s->clouds[i], POINTS * 3, 1, 1 + (uint64_t)i);
        for (int p = 0; p < POINTS; p++) s->clouds[i][3 * p] *= 2; // so that the axis is no matter of rounding
        parts[i] = s->clouds[i];
    }
    draw(s->doutputs, FRAMES * OUTPUTS, 1, 9);
    draw(s->parameters, sac_policy_parameter_count(policy), 0.4, 10);
    const sac_status status = sac_gradient_create(&g, policy, &def);
    if (status != SAC_OK) return status;
    void *workspace = sac_alloc(sac_gradient_workspace_size(g, 1, FRAMES));
    const sac_batch batch = {.steps = 1, .sequences = FRAMES, .temperature = 1, .parts = parts};
    if (workspace) sac_gradient_forward(g, s->outputs, s->parameters, &batch, workspace);
    if (workspace) sac_gradient_backward(g, s->sums, s->doutputs, s->parameters, &batch, workspace);
    sac_free(workspace);
    sac_gradient_destroy(g);
    return workspace ? SAC_OK : SAC_ERROR_MEMORY;
}

static sac_status save(const scene *s, const sac_policy *policy, const char *path)
{
    static char names[MOST][64];
    sac_tensor tensors[MOST] = {
        {.name = "clouds", .dtype = SAC_F32, .rank = 3, .shape = {FRAMES, POINTS, 3}, .data = s->clouds},
        {.name = "doutputs", .dtype = SAC_F32, .rank = 2, .shape = {FRAMES, OUTPUTS}, .data = s->doutputs},
        {.name = "outputs", .dtype = SAC_F32, .rank = 2, .shape = {FRAMES, OUTPUTS}, .data = s->outputs},
    };
    int count = 3;
    for (int i = 0; i < sac_policy_tensor_count(policy); i++)
    {
        const sac_policy_tensor *tensor = sac_policy_tensor_at(policy, i);
        const float *const data[] = {s->parameters + tensor->offset, s->sums + tensor->offset};
        for (int which = 0; which < 2; which++, count++)
        {
            snprintf(names[count], sizeof names[count], "%s%s", which ? "d." : "p.", tensor->name);
            tensors[count] =
                (sac_tensor){.name = names[count], .dtype = SAC_F32, .rank = tensor->rank, .data = data[which]};
            for (int d = 0; d < tensor->rank; d++) tensors[count].shape[d] = tensor->shape[d];
        }
    }
    return sac_tensors_save(path, tensors, count, NULL, 0);
}

static sac_status dump(const char *form, const char *folder)
{
    static scene s;
    char path[512];
    const sac_setting setting = {"attention", form};
    const sac_space cloud = {.name = "cloud", .kind = SAC_SPACE_DEPTH, .shape = {POINTS, 3}};
    sac_policy *policy;
    sac_status status = sac_policy_create(&policy, &(sac_policy_def){.kind = "point-cloud",
                                                                     .settings = &setting,
                                                                     .setting_count = 1,
                                                                     .inputs = &cloud,
                                                                     .input_count = 1,
                                                                     .action_size = OUTPUTS,
                                                                     .action_low = low,
                                                                     .action_high = high});
    if (status != SAC_OK) return status;
    s.parameters = calloc((size_t)sac_policy_parameter_count(policy), sizeof(float));
    s.sums = calloc((size_t)sac_policy_parameter_count(policy), sizeof(float));
    snprintf(path, sizeof path, "%s/%s.safetensors", folder, form);
    status = s.parameters && s.sums ? run(&s, policy) : SAC_ERROR_MEMORY;
    if (status == SAC_OK) status = save(&s, policy, path);
    free(s.parameters);
    free(s.sums);
    sac_policy_destroy(policy);
    return status;
}

int main(int argc, char **argv)
{
    for (size_t i = 0; argc == 2 && i < sizeof forms / sizeof *forms; i++)
        if (dump(forms[i], argv[1]) != SAC_OK) return fprintf(stderr, "%s: %s\n", forms[i], sac_last_error()), 1;
    return argc == 2 ? 0 : 2;
}
