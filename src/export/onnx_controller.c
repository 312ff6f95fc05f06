#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "export/onnx.h"

// from importance to action: the kept patches, what the controller is told of them, the controller

static sac_status add_features(sac_onnx *o)
{
    const sac_agent *a = o->agent;
    const sac_patches *p = &a->patches;
    if (strcmp(a->config.features, "positions") != 0 || a->config.masking)
        return sac_fail(SAC_ERROR_UNAVAILABLE, "export: features %s%s are not among those that the ONNX graph knows",
                        a->config.features, a->config.masking ? " with masking" : "");
    if (a->config.motion)
        return sac_fail(SAC_ERROR_UNAVAILABLE, "export: motion is not among what the ONNX graph tells a controller");
    int k = a->config.top;
    sac_onnx_ints(o, "kept_count", (const int64_t[]){k}, 1);
    sac_onnx_node(o, "TopK", "importance kept_count", "kept_importance kept", "axis", 'i', 0, NULL);
    sac_onnx_ints(o, "columns", (const int64_t[]){p->columns}, 1);
    sac_onnx_ints(o, "stride", (const int64_t[]){p->stride}, 1);
    sac_onnx_ints(o, "middle", (const int64_t[]){p->patch / 2}, 1);
    sac_onnx_node(o, "Div", "kept columns", "kept_row", NULL);
    sac_onnx_node(o, "Mul", "kept_row columns", "row_start", NULL);
    sac_onnx_node(o, "Sub", "kept row_start", "kept_column", NULL);
    sac_onnx_node(o, "Unsqueeze", "kept_row one", "tall_row", NULL);
    sac_onnx_node(o, "Unsqueeze", "kept_column one", "tall_column", NULL);
    sac_onnx_node(o, "Concat", "tall_row tall_column", "places", "axis", 'i', 1, NULL);
    sac_onnx_node(o, "Mul", "places stride", "corners", NULL);
    sac_onnx_node(o, "Add", "corners middle", "centers", NULL);
    sac_onnx_node(o, "Cast", "centers", "centers_float", "to", 'i', SAC_ONNX_FLOAT, NULL);
    sac_onnx_number(o, "height", a->config.normalise ? (float)p->height : 1.0f);
    sac_onnx_node(o, "Div", "centers_float height", "positions", NULL);
    sac_onnx_ints(o, "told_shape", (const int64_t[]){1, a->feature_count}, 2);
    bool filtered = o->policy->filter_size > 0;
    sac_onnx_node(o, "Reshape", "positions told_shape", filtered ? "unfiltered" : "told", NULL);
    if (!filtered) return SAC_OK;
    sac_onnx_floats(o, "filter_mean", o->state->parameters + o->policy->filter_mean, 1, a->feature_count);
    sac_onnx_floats(o, "filter_whitening", o->state->whitening, 1, a->feature_count);
    sac_onnx_node(o, "Sub", "unfiltered filter_mean", "centred", NULL);
    sac_onnx_node(o, "Mul", "centred filter_whitening", "told", NULL);
    return SAC_OK;
}

// OUT = W IN + bias, rows of one
static void add_layer(sac_onnx *o, const char *in, const char *name, const char *out, size_t bias, size_t weight,
                      int rows, int columns)
{
    char w[32], b[32], inputs[96];
    snprintf(w, sizeof w, "%s_weight", name);
    snprintf(b, sizeof b, "%s_bias", name);
    sac_onnx_floats(o, w, o->state->parameters + weight, rows, columns);
    sac_onnx_floats(o, b, o->state->parameters + bias, 0, rows);
    snprintf(inputs, sizeof inputs, "%s %s %s", in, w, b);
    sac_onnx_node(o, "Gemm", inputs, out, "transB", 'i', 1, NULL);
}

static void add_lstm(sac_onnx *o)
{
    const sac_agent *a = o->agent;
    const size_t *at = a->controller_views;
    int h = a->hidden_size;
    const int64_t shape[] = {1, h};
    sac_onnx_port(o, false, "hidden", SAC_ONNX_FLOAT, 2, shape);
    sac_onnx_port(o, false, "cell", SAC_ONNX_FLOAT, 2, shape);
    sac_onnx_port(o, true, "next_hidden", SAC_ONNX_FLOAT, 2, shape);
    sac_onnx_port(o, true, "next_cell", SAC_ONNX_FLOAT, 2, shape);
    add_layer(o, "hidden", "hh", "from_hidden", at[0], at[2], 4 * h, h);
    add_layer(o, "told", "ih", "from_told", at[1], at[3], 4 * h, a->feature_count);
    sac_onnx_node(o, "Add", "from_hidden from_told", "gates", NULL);
    sac_onnx_ints(o, "quarters", (const int64_t[]){h, h, h, h}, 4);
    sac_onnx_node(o, "Split", "gates quarters", "gate_in gate_forget gate_cell gate_out", "axis", 'i', 1, NULL);
    sac_onnx_node(o, "Sigmoid", "gate_in", "open_in", NULL);
    sac_onnx_node(o, "Sigmoid", "gate_forget", "open_forget", NULL);
    sac_onnx_node(o, "Tanh", "gate_cell", "candidate", NULL);
    sac_onnx_node(o, "Sigmoid", "gate_out", "open_out", NULL);
    sac_onnx_node(o, "Mul", "open_forget cell", "remembered", NULL);
    sac_onnx_node(o, "Mul", "open_in candidate", "learned", NULL);
    sac_onnx_node(o, "Add", "remembered learned", "next_cell", NULL);
    sac_onnx_node(o, "Tanh", "next_cell", "curved_cell", NULL);
    sac_onnx_node(o, "Mul", "open_out curved_cell", "next_hidden", NULL);
    add_layer(o, "next_hidden", "output", "output", at[4], at[5], a->output_size, h);
}

static void add_thought(sac_onnx *o)
{
    const sac_agent *a = o->agent;
    const size_t *at = a->controller_views;
    if (strcmp(a->controller->name, "lstm") == 0)
        add_lstm(o);
    else if (strcmp(a->controller->name, "mlp") == 0)
    {
        add_layer(o, "told", "hidden", "bent", at[0], at[1], a->hidden_size, a->feature_count);
        sac_onnx_node(o, "Tanh", "bent", "hidden", NULL);
        add_layer(o, "hidden", "output", "output", at[2], at[3], a->output_size, a->hidden_size);
    }
    else
        add_layer(o, "told", "output", "output", at[0], at[1], a->output_size, a->feature_count);
}

// outputs to actions in the environment's bounds, or to a choice
static void add_action(sac_onnx *o)
{
    const sac_agent *a = o->agent;
    const sac_policy_def *def = &o->policy->def;
    const char *activation = a->config.activation;
    sac_onnx_number(o, "least", -1);
    sac_onnx_number(o, "most", 1);
    if (strcmp(activation, "tanh") == 0)
        sac_onnx_node(o, "Tanh", "output", "activated", NULL);
    else if (strcmp(activation, "clip") == 0)
        sac_onnx_node(o, "Clip", "output least most", "activated", NULL);
    else
        sac_onnx_node(o, "Identity", "output", "activated", NULL);
    sac_onnx_ints(o, "action_shape", (const int64_t[]){def->action_size}, 1);
    if (def->action_choices && !a->threshold)
    {
        sac_onnx_node(o, "ArgMax", "activated", "choice", "axis", 'i', 1, "keepdims", 'i', 0, NULL);
        sac_onnx_node(o, "Cast", "choice", "action", "to", 'i', SAC_ONNX_FLOAT, NULL);
    }
    else if (a->threshold)
    {
        sac_onnx_number(o, "low_third", -1.0f / 3.0f);
        sac_onnx_number(o, "high_third", 1.0f / 3.0f);
        sac_onnx_number(o, "choice0", 0);
        sac_onnx_number(o, "choice1", 1);
        sac_onnx_number(o, "choice2", 2);
        sac_onnx_node(o, "Less", "activated low_third", "is_low", NULL);
        sac_onnx_node(o, "Greater", "activated high_third", "is_high", NULL);
        sac_onnx_node(o, "Where", "is_high choice2 choice0", "upper", NULL);
        sac_onnx_node(o, "Where", "is_low choice1 upper", "choice", NULL);
        sac_onnx_node(o, "Reshape", "choice action_shape", "action", NULL);
    }
    else
    {
        float half[256], center[256];
        bool stretched = strcmp(activation, "none") != 0;
        for (int i = 0; i < def->action_size; i++)
        {
            half[i] = stretched ? (def->action_high[i] - def->action_low[i]) / 2 : 1;
            center[i] = stretched ? (def->action_high[i] + def->action_low[i]) / 2 : 0;
        }
        sac_onnx_floats(o, "half", half, 0, def->action_size);
        sac_onnx_floats(o, "center", center, 0, def->action_size);
        sac_onnx_floats(o, "action_low", def->action_low, 0, def->action_size);
        sac_onnx_floats(o, "action_high", def->action_high, 0, def->action_size);
        sac_onnx_node(o, "Reshape", "activated action_shape", "flat", NULL);
        sac_onnx_node(o, "Mul", "flat half", "wide", NULL);
        sac_onnx_node(o, "Add", "wide center", "free", NULL);
        sac_onnx_node(o, "Max", "free action_low", "above", NULL);
        sac_onnx_node(o, "Min", "above action_high", "action", NULL);
    }
}

sac_status sac_onnx_add_controller(sac_onnx *o)
{
    const sac_policy_def *def = &o->policy->def;
    if (def->action_size > 256)
        return sac_fail(SAC_ERROR_UNAVAILABLE, "export: %d actions, expected at most 256", def->action_size);
    SAC_TRY(add_features(o));
    add_thought(o);
    add_action(o);
    sac_onnx_port(o, true, "action", SAC_ONNX_FLOAT, 1, (const int64_t[]){def->action_size});
    sac_onnx_port(o, true, "kept", SAC_ONNX_INT64, 1, (const int64_t[]){o->agent->config.top});
    sac_onnx_port(o, true, "importance", SAC_ONNX_FLOAT, 1, (const int64_t[]){o->agent->count});
    return SAC_OK;
}
