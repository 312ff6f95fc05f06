#include "export/onnx/onnx.h"
#include "base/error.h"
#include "export/known.h"
#include "saccade/export.h"

/// A policy as an ONNX graph: opset 13, one step, with the recurrent state as inputs and outputs.

// field numbers of onnx.proto
enum
{
    MODEL_IR_VERSION = 1,
    MODEL_PRODUCER = 2,
    MODEL_PRODUCER_VERSION = 3,
    MODEL_GRAPH = 7,
    MODEL_OPSET = 8,
    OPSET_VERSION = 2,
    GRAPH_NAME = 2,

    IR_VERSION = 8,
    OPSET = 13
};

// What lies between tokens and controller, one row a reading: "tokens" -> "seen", and what it shows as outputs.
static const struct
{
    sac_status (*add)(sac_onnx *o);
    void (*add_ports)(sac_onnx *o); // NULL: none
} readings[] = {[SAC_PARTS_RANK] = {sac_onnx_add_patch_features, sac_onnx_add_kept_ports},
                [SAC_PARTS_TRANS] = {sac_onnx_add_trans, sac_onnx_add_importance_port},
                [SAC_PARTS_LAYERS] = {sac_onnx_add_layers, NULL}};

static sac_status add_graph(sac_onnx *o)
{
    size_t index = (size_t)o->parts.reading;
    if (index >= sizeof readings / sizeof *readings || !readings[index].add)
        return sac_fail(SAC_ERROR_UNAVAILABLE, "export: the ONNX graph knows no policies that are made as '%.80s' is",
                        o->policy->ops->name);
    sac_proto_text(&o->graph, GRAPH_NAME, "policy");
    SAC_TRY(sac_onnx_add_tokens(o));
    SAC_TRY(readings[index].add(o));
    SAC_TRY(sac_onnx_add_controller(o));
    if (readings[index].add_ports) readings[index].add_ports(o);
    return SAC_OK;
}

static sac_status write_model(sac_onnx *o, const char *path)
{
    sac_growing model = {0}, opset = {0};
    sac_proto_int(&model, MODEL_IR_VERSION, IR_VERSION);
    sac_proto_text(&model, MODEL_PRODUCER, "saccade");
    sac_proto_text(&model, MODEL_PRODUCER_VERSION, sac_version());
    sac_proto_message(&model, MODEL_GRAPH, &o->graph);
    // the empty domain is that of ONNX itself
    sac_proto_int(&opset, OPSET_VERSION, OPSET);
    sac_proto_message(&model, MODEL_OPSET, &opset);
    return sac_grow_into_file(&model, path, "an ONNX graph");
}

sac_status sac_export_onnx(const sac_policy *policy, const char *path)
{
    sac_policy_state *state;
    SAC_TRY(sac_export_check(policy));
    SAC_TRY(sac_policy_state_create(&state, policy));
    sac_onnx o = {.policy = policy};
    policy->ops->parts(state, &o.parts);
    sac_status status = add_graph(&o);
    if (status == SAC_OK)
        status = write_model(&o, path);
    else
        sac_grow_clear(&o.graph);
    sac_policy_state_destroy(state);
    return status;
}
