#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "golden.h"
#include "policy/point_cloud/pct.h"

// The point-cloud transformer with softmax and SARA's three maps: a policy of kind point-cloud whose parameters are the
// file's. What its layers make of the first points is read from policies that end there.

enum
{
    SHOWN = 8 // points whose numbers are compared
};

typedef struct scene
{
    golden *g;
    const float *cloud, *center, *axis;
    int points, width, units, hidden, layers;
    const float *parts[SAC_PCT_MAX_LAYERS][13], *ends[8]; // of layers, and of what is before and behind them
} scene;

// a layer's arrays, and the tensors that they are copied to: where in a layer's, in rows
static const struct
{
    const char *name, *tensor;
    bool hidden, wide; // rows: units, else width; columns: units
} layer_arrays[] = {
    {"WQ", "mix.weight", false, false},
    {"WK", "mix.weight", false, false},
    {"WV", "mix.weight", false, false},
    {"WO", "out.weight", false, false},
    {"bO", "out.bias", false, false},
    {"ln1.g", "middle_norm.gain", false, false},
    {"ln1.b", "middle_norm.shift", false, false},
    {"W1", "up.weight", true, false},
    {"b1", "up.bias", true, false},
    {"W2", "down.weight", false, true},
    {"b2", "down.bias", false, false},
    {"ln2.g", "norm.gain", false, false},
    {"ln2.b", "norm.shift", false, false},
};
static const struct
{
    const char *name, *tensor;
} end_arrays[] = {
    {"p.emb.W1", "near.weight"},   {"p.emb.b1", "near.bias"},    {"p.emb.W2", "embed.weight"},
    {"p.emb.b2", "embed.bias"},    {"p.head.W1", "head.weight"}, {"p.head.b1", "head.bias"},
    {"p.head.W2", "grasp.weight"}, {"p.head.b2", "grasp.bias"},
};

static bool is_matrix(const char *name)
{
    return name[0] == 'W';
}

static sac_status load_layer(scene *s, int layer)
{
    sac_status status = SAC_OK;
    char name[32];
    for (size_t i = 0; i < sizeof layer_arrays / sizeof *layer_arrays; i++)
    {
        snprintf(name, sizeof name, "p.l%d.%s", layer, layer_arrays[i].name);
        const int64_t shape[] = {layer_arrays[i].hidden ? s->units : s->width,
                                 layer_arrays[i].wide ? s->units : s->width};
        s->parts[layer][i] = golden_input(s->g, &status, name, is_matrix(layer_arrays[i].name) ? 2 : 1, shape, NULL);
    }
    return status;
}

static bool has_layer(const golden *g, int layer)
{
    char begin[16];
    snprintf(begin, sizeof begin, "p.l%d.", layer);
    for (int i = 0; i < sac_tensors_count(g->in); i++)
        if (strncmp(sac_tensors_at(g->in, i)->name, begin, strlen(begin)) == 0) return true;
    return false;
}

static sac_status load(scene *s)
{
    golden *g = s->g;
    sac_status status = SAC_OK;
    const sac_tensor *cloud, *embed, *up, *head;
    const int64_t three[] = {3}, seven[] = {SAC_PCT_OUTPUTS};
    s->cloud = golden_input(g, &status, "cloud", 2, (const int64_t[]){GOLDEN_ANY, 3}, &cloud);
    s->center = golden_input(g, &status, "center", 1, three, NULL);
    s->axis = golden_input(g, &status, "major_axis", 1, three, NULL);
    s->ends[0] = golden_input(g, &status, "p.emb.W1", 2, (const int64_t[]){GOLDEN_ANY, 3}, &embed);
    golden_input(g, &status, "p.l0.W1", 2, (const int64_t[]){GOLDEN_ANY, GOLDEN_ANY}, &up);
    SAC_TRY(status);
    s->points = (int)cloud->shape[0], s->width = (int)embed->shape[0], s->units = (int)up->shape[0];
    s->ends[4] = golden_input(g, &status, "p.head.W1", 2, (const int64_t[]){GOLDEN_ANY, 2 * s->width + 6}, &head);
    SAC_TRY(status);
    s->hidden = (int)head->shape[0];
    const int64_t width[] = {s->width, s->width}, hidden[] = {s->hidden}, grasp[] = {SAC_PCT_OUTPUTS, s->hidden};
    s->ends[1] = golden_input(g, &status, "p.emb.b1", 1, width, NULL);
    s->ends[2] = golden_input(g, &status, "p.emb.W2", 2, width, NULL);
    s->ends[3] = golden_input(g, &status, "p.emb.b2", 1, width, NULL);
    s->ends[5] = golden_input(g, &status, "p.head.b1", 1, hidden, NULL);
    s->ends[6] = golden_input(g, &status, "p.head.W2", 2, grasp, NULL);
    s->ends[7] = golden_input(g, &status, "p.head.b2", 1, seven, NULL);
    SAC_TRY(status);
    while (s->layers < SAC_PCT_MAX_LAYERS && has_layer(g, s->layers)) SAC_TRY(load_layer(s, s->layers++));
    return SAC_OK;
}

static float *find(const sac_policy *policy, float *parameters, const char *name)
{
    for (int i = 0; i < sac_policy_tensor_count(policy); i++)
        if (strcmp(sac_policy_tensor_at(policy, i)->name, name) == 0)
            return parameters + sac_policy_tensor_at(policy, i)->offset;
    return NULL;
}

// the file's arrays as a policy's parameters; gains are kept less 1
static void fill(const scene *s, const sac_policy *policy, float *parameters, int layers)
{
    for (size_t i = 0; i < sizeof end_arrays / sizeof *end_arrays; i++)
    {
        const int sizes[] = {3 * s->width,
                             s->width,
                             s->width * s->width,
                             s->width,
                             s->hidden * (2 * s->width + 6),
                             s->hidden,
                             SAC_PCT_OUTPUTS * s->hidden,
                             SAC_PCT_OUTPUTS};
        memcpy(find(policy, parameters, end_arrays[i].tensor), s->ends[i], (size_t)sizes[i] * sizeof(float));
    }
    for (int l = 0; l < layers; l++)
        for (size_t i = 0; i < sizeof layer_arrays / sizeof *layer_arrays; i++)
        {
            const char *name = layer_arrays[i].name;
            const int rows = layer_arrays[i].hidden ? s->units : s->width;
            const int columns = !is_matrix(name) ? 1 : layer_arrays[i].wide ? s->units : s->width;
            // queries, keys and values are one tensor
            const int of = i < 3 ? 3 : 1, part = i < 3 ? (int)i : 0;
            float *to = find(policy, parameters, layer_arrays[i].tensor) + (ptrdiff_t)(l * of + part) * rows * columns;
            for (int k = 0; k < rows * columns; k++) to[k] = s->parts[l][i][k] - (strstr(name, ".g") ? 1 : 0);
        }
}

static sac_status make(const scene *s, sac_policy **out, const char *form, int layers)
{
    static const float low[] = {-1e30f, -1e30f, -1e30f, -1e30f, -1e30f, -1e30f, -1e30f};
    static const float high[] = {1e30f, 1e30f, 1e30f, 1e30f, 1e30f, 1e30f, 1e30f};
    char numbers[4][16];
    snprintf(numbers[0], 16, "%d", s->width), snprintf(numbers[1], 16, "%d", layers);
    snprintf(numbers[2], 16, "%d", s->units), snprintf(numbers[3], 16, "%d", s->hidden);
    const sac_setting settings[] = {{"width", numbers[0]},  {"layers", numbers[1]}, {"units", numbers[2]},
                                    {"hidden", numbers[3]}, {"center", "false"},    {"attention", form}};
    const sac_space inputs[] = {{.name = "cloud", .kind = SAC_SPACE_DEPTH, .shape = {s->points, 3}},
                                {.name = "center", .kind = SAC_SPACE_VECTOR, .shape = {3}},
                                {.name = "axis", .kind = SAC_SPACE_VECTOR, .shape = {3}}};
    const sac_policy_def def = {.kind = "point-cloud",
                                .settings = settings,
                                .setting_count = 6,
                                .inputs = inputs,
                                .input_count = 3,
                                .action_size = SAC_PCT_OUTPUTS,
                                .action_low = low,
                                .action_high = high};
    return sac_policy_create(out, &def);
}

// the state of a policy with so many layers after it has seen the cloud; NULL after the status was set
static sac_policy_state *see(const scene *s, sac_status *status, sac_policy *policy, int layers)
{
    sac_policy_state *state = NULL;
    const void *inputs[] = {s->cloud, s->center, s->axis};
    float action[SAC_PCT_OUTPUTS];
    float *parameters = golden_scratch(s->g, status, (size_t)sac_policy_parameter_count(policy), sizeof *parameters);
    if (*status == SAC_OK) *status = sac_policy_state_create(&state, policy);
    if (*status != SAC_OK) return NULL;
    fill(s, policy, parameters, layers);
    sac_policy_state_set_parameters(state, parameters);
    sac_policy_act_on(state, inputs, action);
    return state;
}

static float *output(const scene *s, sac_status *status, const char *form, const char *name, int rank,
                     const int64_t *shape)
{
    char text[64];
    snprintf(text, sizeof text, "%s.%s", form, name);
    char *kept = golden_scratch(s->g, status, sizeof text, 1);
    if (!kept) return NULL;
    memcpy(kept, text, sizeof text);
    return golden_output(s->g, status, kept, SAC_F32, rank, shape);
}

static sac_status put_grasp(const scene *s, const sac_pct_state *state, const char *form)
{
    sac_status status = SAC_OK;
    const int64_t pooled_size = 2 * s->width + 6, raw_size = SAC_PCT_OUTPUTS, three = 3, one = 1;
    float *pooled = output(s, &status, form, "pooled", 1, &pooled_size);
    float *raw = output(s, &status, form, "raw", 1, &raw_size);
    float *tip = output(s, &status, form, "tip", 1, &three);
    float *approach = output(s, &status, form, "approach", 1, &three);
    float *roll = output(s, &status, form, "roll", 1, &one);
    SAC_TRY(status);
    memcpy(pooled, state->pooled, (size_t)pooled_size * sizeof *pooled);
    memcpy(raw, state->raw, sizeof(float[SAC_PCT_OUTPUTS]));
    memcpy(tip, state->output, 3 * sizeof *tip);
    memcpy(approach, state->output + 3, 3 * sizeof *approach);
    *roll = state->output[6];
    return SAC_OK;
}

static sac_status run_form(const scene *s, const char *form, const char *name)
{
    sac_status status = SAC_OK;
    const int shown = s->points < SHOWN ? s->points : SHOWN;
    float *hidden = output(s, &status, name, "hidden", 3, (const int64_t[]){s->layers + 1, shown, s->width});
    for (int l = 0; status == SAC_OK && l <= s->layers; l++)
    {
        sac_policy *policy = NULL;
        status = make(s, &policy, form, l);
        sac_policy_state *state = status == SAC_OK ? see(s, &status, policy, l) : NULL;
        const sac_pct_state *seen = (const sac_pct_state *)state;
        for (int i = 0; state && i < shown; i++)
            for (int w = 0; w < s->width; w++) *hidden++ = seen->x[w * seen->pct->stride + i];
        if (state && l == s->layers) status = put_grasp(s, seen, name);
        sac_policy_state_destroy(state);
        sac_policy_destroy(policy);
    }
    return status;
}

static sac_status run(golden *g)
{
    scene s = {.g = g};
    SAC_TRY(load(&s));
    SAC_TRY(run_form(&s, "softmax", "softmax"));
    SAC_TRY(run_form(&s, "sara-relu", "relu"));
    SAC_TRY(run_form(&s, "sara-exp", "exp"));
    return run_form(&s, "sara-square", "square");
}

const golden_family golden_pct = {"pct", run};
