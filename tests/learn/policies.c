#include "attention/form.h"
#include "files/arrays/safetensors.h"
#include "gradient_scene.h"
#include "policy/look.h"
#include "policy/parts.h"

/// Gradients of policies of every kind, for policies.py: policies FOLDER. Writes FOLDER/N.policy.safetensors, the
/// policy, and FOLDER/N.safetensors, a minibatch with what forward and backward make of it. Weights of patch
/// projections are such that rounding them to 16 bits changes nothing, because PyTorch does not round.

enum
{
    MOST = 32,
    STEPS = 3,
    SEQUENCES = 2
};

typedef struct dump
{
    sac_tensor tensors[MOST];
    int count;
} dump;

static void add(dump *d, const char *name, sac_dtype dtype, const void *data, int64_t rows, int64_t columns)
{
    if (rows * columns == 0) return;
    d->tensors[d->count++] =
        (sac_tensor){.name = name, .dtype = dtype, .rank = 2, .shape = {rows, columns}, .data = data};
}

// weights become whole numbers of steps of their output's scale
static void round_layer(float *weights, int outputs, int inputs)
{
    for (int o = 0; o < outputs; o++, weights += inputs)
    {
        double inverse = sac_project_inverse(weights, inputs);
        float step = (float)(1 / inverse);
        for (int i = 0; i < inputs; i++) weights[i] = (float)round((double)weights[i] * inverse) * step;
    }
}

static sac_policy *rounded_policy(const char *settings)
{
    sac_policy *drawn = scene_any_policy(settings), *policy;
    sac_policy_state *state = scene_state(drawn);
    sac_policy_parts parts;
    drawn->ops->parts(state, &parts);
    const size_t bytes = (size_t)sac_policy_parameter_count(drawn) * sizeof(float);
    float *parameters = malloc(bytes);
    memcpy(parameters, sac_policy_parameters(drawn), bytes);
    for (int i = 0; parts.embedding && i < parts.embedding->layer_count; i++)
        round_layer(parameters + parts.embedding->layers[i].tensors.weight, parts.embedding->layers[i].outputs,
                    parts.embedding->inputs);
    assert_ok(sac_policy_create_with(&policy, drawn, parameters));
    free(parameters);
    sac_policy_state_destroy(state);
    sac_policy_destroy(drawn);
    return policy;
}

// depth pictures as they are cut
static float *cut_depth(const minibatch *m, const sac_embedding *e, const sac_policy *policy, size_t *size)
{
    const sac_patches *s = &e->patches;
    const int inputs = policy->def.input_count;
    *size = (size_t)s->height * (size_t)s->width;
    float *out = malloc(*size * (size_t)m->count * sizeof *out);
    float *scaled = malloc((size_t)e->height * (size_t)e->width * sizeof *scaled);
    void *workspace = e->resize ? sac_alloc(sac_resize_workspace_size(e->resize)) : NULL;
    for (int i = 0; i < m->count; i++)
    {
        float *to = out + (size_t)i * *size;
        sac_look_scale(e->resize ? scaled : to, m->parts[i * inputs + policy->image],
                       (size_t)e->height * (size_t)e->width, &policy->def.inputs[policy->image]);
        sac_float_image image = sac_float_image_of(scaled, e->height, e->width, 1);
        if (e->resize) sac_resize_run_floats(e->resize, to, &image, workspace);
    }
    sac_free(workspace);
    free(scaled);
    return out;
}

// the numbers of all vectors, [F, n]
static float *vectors_of(const minibatch *m, const sac_policy *policy)
{
    float *out = malloc(((size_t)(m->count * policy->vector_size) + 1) * sizeof *out);
    for (int i = 0; i < m->count; i++)
        sac_actor_tell_vectors(out + (ptrdiff_t)i * policy->vector_size, &policy->def,
                               m->parts + (ptrdiff_t)i * policy->def.input_count);
    return out;
}

// frames as they are cut
static uint8_t *cut(const minibatch *m, const sac_embedding *e, const sac_policy *policy, size_t *size)
{
    const int inputs = policy->def.input_count;
    const sac_patches *s = &e->patches;
    *size = (size_t)s->height * (size_t)s->width * (size_t)s->channels;
    uint8_t *out = malloc(*size * (size_t)m->count);
    void *workspace = e->resize ? sac_alloc(sac_resize_workspace_size(e->resize)) : NULL;
    for (int i = 0; i < m->count; i++)
    {
        const uint8_t *frame = m->parts[i * inputs + policy->image];
        sac_image image = sac_image_of(frame, e->height, e->width, e->channels, SAC_PIXELS_PLAIN);
        if (e->resize)
            sac_resize_run(e->resize, out + (size_t)i * *size, &image, workspace);
        else
            memcpy(out + (size_t)i * *size, frame, *size);
    }
    sac_free(workspace);
    return out;
}

// W as the map has it, [M, D]
static float *matrix_of(const sac_features *f)
{
    float *matrix = calloc((size_t)f->count * (size_t)f->size, sizeof *matrix);
    for (int i = 0; i < f->count; i++)
        for (int d = 0; d < f->size; d++)
            matrix[i * f->size + d] = f->matrix ? f->matrix[i * f->size + d] : i == d ? f->factor : 0;
    return matrix;
}

// @return W, to be freed after the dump was written; NULL: there is none
static float *add_attention(dump *d, const sac_attention *a)
{
    static float numbers[3]; // of one policy at a time
    numbers[0] = (float)a->scale, numbers[1] = a->features[0].square, numbers[2] = a->features[0].factor;
    add(d, "numbers", SAC_F32, numbers, 1, 3);
    if (!a->feature_size) return NULL;
    const sac_features *f = &a->features[0];
    float *matrix = matrix_of(f);
    add(d, "matrix", SAC_F32, matrix, f->count, f->size);
    add(d, "gains_q", SAC_F64, a->gains[0], 1, a->feature_size);
    add(d, "gains_k", SAC_F64, a->gains[1], 1, a->feature_size);
    if (f->directions) add(d, "directions", SAC_F32, f->directions, f->direction_count, f->size);
    return matrix;
}

static void write_case(const char *folder, const char *settings, int number, sac_choosing choosing)
{
    sac_policy *policy = rounded_policy(settings);
    minibatch m = minibatch_create(policy, choosing, STEPS, SEQUENCES);
    sac_policy_state *state = scene_state(policy);
    sac_policy_parts parts;
    size_t size;
    char path[512];
    float words[] = {(float)choosing, (float)m.batch.temperature};
    dump d = {0};
    policy->ops->parts(state, &parts);
    minibatch_go_on(&m);
    if (parts.rt) minibatch_say(&m);
    const int b = SEQUENCES, hidden = sac_gradient_hidden_size(m.gradient), told = sac_gradient_told_size(m.gradient);
    float *before = malloc((size_t)(b * (2 * hidden + told)) * sizeof *before); // forward writes the states after
    memcpy(before, m.states, (size_t)(b * (2 * hidden + told)) * sizeof *before);
    minibatch_run(&m, sac_policy_parameters(policy));

    const sac_embedding *e = parts.embedding;
    bool depth = e && policy->def.inputs[policy->image].kind == SAC_SPACE_DEPTH;
    void *pictures = !e ? NULL : depth ? (void *)cut_depth(&m, e, policy, &size) : cut(&m, e, policy, &size);
    float shape[3] = {0}, *vectors = vectors_of(&m, policy);
    if (e) shape[0] = (float)e->patches.height, shape[1] = (float)e->patches.width, shape[2] = (float)e->channels;
    if (e) add(&d, depth ? "depth" : "pictures", depth ? SAC_F32 : SAC_U8, pictures, m.count, (int64_t)size);
    add(&d, "shape", SAC_F32, shape, 1, 3);
    add(&d, "vectors", SAC_F32, vectors, m.count, policy->vector_size);
    add(&d, "words", SAC_F32, words, 1, 2);
    add(&d, "starts", SAC_U8, m.starts, STEPS, b);
    add(&d, "hidden", SAC_F32, before, b, hidden);
    add(&d, "cell", SAC_F32, before + b * hidden, b, hidden);
    add(&d, "before", SAC_F32, before + 2 * b * hidden, b, told);
    if (parts.rt) add(&d, "said", SAC_F32, m.said, m.count, policy->def.action_size);
    add(&d, "outputs", SAC_F32, m.outputs, m.count, m.outputs_size);
    add(&d, "doutputs", SAC_F32, m.doutputs, m.count, m.outputs_size);
    add(&d, "gradient", SAC_F32, m.sums, 1, m.parameters);
    char names[1024] = "";
    for (int i = 0; i < sac_policy_tensor_count(policy); i++)
        snprintf(names + strlen(names), sizeof names - strlen(names), "%s ", sac_policy_tensor_at(policy, i)->name);
    add(&d, "names", SAC_U8, names, 1, (int64_t)strlen(names));
    if (e && e->positions)
        add(&d, "positions", SAC_F32, parts.embedding->positions, parts.embedding->inputs,
            parts.embedding->token_stride);
    float *matrix = parts.agent ? add_attention(&d, parts.agent->attention) : NULL;
    snprintf(path, sizeof path, "%s/%03d.safetensors", folder, number);
    assert_ok(sac_tensors_save(path, d.tensors, d.count, NULL, 0));
    snprintf(path, sizeof path, "%s/%03d.policy.safetensors", folder, number);
    assert_ok(sac_policy_save(policy, NULL, NULL, path));
    free(pictures), free(vectors), free(before), free(matrix);
    sac_policy_state_destroy(state);
    minibatch_destroy(&m);
    sac_policy_destroy(policy);
}

static const char *folder;

TEST(write_all)
{
    int number = 0;
    for (int i = 0; i < GRADIENT_KINDS; i++)
        for (sac_choosing choosing = SAC_CHOOSE_STRAIGHT; choosing <= SAC_CHOOSE_FIXED; choosing++)
        {
            static const char *const others[] = {"kind=iap-trans", "kind=cnn", "kind=mlp"};
            bool chooses = true;
            for (int k = 0; k < 3; k++) chooses &= !strstr(gradient_kinds[i], others[k]);
            if (choosing == SAC_CHOOSE_STRAIGHT || chooses) write_case(folder, gradient_kinds[i], number++, choosing);
        }
    for (int i = 0; i < SPEAKING_KINDS; i++) write_case(folder, speaking_kinds[i], number++, SAC_CHOOSE_STRAIGHT);
}

int main(int argc, char **argv)
{
    if (argc != 2) return fputs("usage: policies FOLDER\n", stderr), 2;
    folder = argv[1];
    const struct CMUnitTest tests[] = {cmocka_unit_test(write_all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
