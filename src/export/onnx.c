#include "export/onnx.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "export/known.h"
#include "saccade/export.h"

/// A policy as an ONNX graph: opset 13, one step, the recurrent state as inputs and outputs.

// field numbers of onnx.proto
enum
{
    MODEL_IR_VERSION = 1,
    MODEL_PRODUCER = 2,
    MODEL_PRODUCER_VERSION = 3,
    MODEL_GRAPH = 7,
    MODEL_OPSET = 8,
    OPSET_VERSION = 2,
    GRAPH_NODE = 1,
    GRAPH_NAME = 2,
    GRAPH_INITIALIZER = 5,
    GRAPH_INPUT = 11,
    GRAPH_OUTPUT = 12,
    NODE_INPUT = 1,
    NODE_OUTPUT = 2,
    NODE_NAME = 3,
    NODE_OP = 4,
    NODE_ATTRIBUTE = 5,
    ATTRIBUTE_NAME = 1,
    ATTRIBUTE_INT = 3,
    ATTRIBUTE_INTS = 8,
    ATTRIBUTE_TYPE = 20,
    TENSOR_DIMS = 1,
    TENSOR_TYPE = 2,
    TENSOR_NAME = 8,
    TENSOR_RAW = 9,
    VALUE_NAME = 1,
    VALUE_TYPE = 2,
    TYPE_TENSOR = 1,
    TENSOR_TYPE_ELEMENT = 1,
    TENSOR_TYPE_SHAPE = 2,
    SHAPE_DIM = 1,
    DIM_VALUE = 1,

    TYPE_INT = 2,
    TYPE_INTS = 7,
    IR_VERSION = 8,
    OPSET = 13
};

static size_t element_size(sac_onnx_type type)
{
    return type == SAC_ONNX_FLOAT ? 4 : type == SAC_ONNX_UINT8 ? 1 : 8;
}

void sac_onnx_tensor(sac_onnx *o, const char *name, sac_onnx_type type, const void *data, int rank,
                     const int64_t *shape)
{
    sac_growing tensor = {0};
    size_t size = element_size(type);
    for (int i = 0; i < rank; i++)
    {
        sac_proto_int(&tensor, TENSOR_DIMS, shape[i]);
        size *= (size_t)shape[i];
    }
    sac_proto_int(&tensor, TENSOR_TYPE, type);
    sac_proto_text(&tensor, TENSOR_NAME, name);
    sac_proto_bytes(&tensor, TENSOR_RAW, data, size); // little endian, as every machine that this runs on
    sac_proto_message(&o->graph, GRAPH_INITIALIZER, &tensor);
}

void sac_onnx_floats(sac_onnx *o, const char *name, const float *values, int rows, int columns)
{
    sac_onnx_tensor(o, name, SAC_ONNX_FLOAT, values, rows ? 2 : 1,
                    rows ? (const int64_t[]){rows, columns} : (const int64_t[]){columns});
}

void sac_onnx_ints(sac_onnx *o, const char *name, const int64_t *values, int count)
{
    sac_onnx_tensor(o, name, SAC_ONNX_INT64, values, 1, (const int64_t[]){count});
}

void sac_onnx_number(sac_onnx *o, const char *name, float value)
{
    sac_onnx_tensor(o, name, SAC_ONNX_FLOAT, &value, 0, NULL);
}

void sac_onnx_port(sac_onnx *o, bool output, const char *name, sac_onnx_type type, int rank, const int64_t *shape)
{
    sac_growing dims = {0}, tensor = {0}, kind = {0}, value = {0};
    for (int i = 0; i < rank; i++)
    {
        sac_growing dim = {0};
        sac_proto_int(&dim, DIM_VALUE, shape[i]);
        sac_proto_message(&dims, SHAPE_DIM, &dim);
    }
    sac_proto_int(&tensor, TENSOR_TYPE_ELEMENT, type);
    sac_proto_message(&tensor, TENSOR_TYPE_SHAPE, &dims);
    sac_proto_message(&kind, TYPE_TENSOR, &tensor);
    sac_proto_text(&value, VALUE_NAME, name);
    sac_proto_message(&value, VALUE_TYPE, &kind);
    sac_proto_message(&o->graph, output ? GRAPH_OUTPUT : GRAPH_INPUT, &value);
}

// words separated by spaces, each as one field
static void add_words(sac_growing *node, int field, const char *words)
{
    while (*words)
    {
        size_t length = strcspn(words, " ");
        sac_proto_bytes(node, field, words, length);
        words += length;
        words += strspn(words, " ");
    }
}

void sac_onnx_node(sac_onnx *o, const char *op, const char *inputs, const char *outputs, ...)
{
    sac_growing node = {0};
    char name[32];
    snprintf(name, sizeof name, "n%d", o->nodes++);
    add_words(&node, NODE_INPUT, inputs);
    add_words(&node, NODE_OUTPUT, outputs);
    sac_proto_text(&node, NODE_NAME, name);
    sac_proto_text(&node, NODE_OP, op);
    va_list list;
    va_start(list, outputs);
    for (const char *attribute; (attribute = va_arg(list, const char *));)
    {
        sac_growing inner = {0};
        bool several = va_arg(list, int) == 'I';
        int count = several ? va_arg(list, int) : 1;
        sac_proto_text(&inner, ATTRIBUTE_NAME, attribute);
        for (int i = 0; i < count; i++)
            sac_proto_int(&inner, several ? ATTRIBUTE_INTS : ATTRIBUTE_INT, va_arg(list, int));
        sac_proto_int(&inner, ATTRIBUTE_TYPE, several ? TYPE_INTS : TYPE_INT);
        sac_proto_message(&node, NODE_ATTRIBUTE, &inner);
    }
    va_end(list);
    sac_proto_message(&o->graph, GRAPH_NODE, &node);
}

static sac_status add_graph(sac_onnx *o)
{
    sac_proto_text(&o->graph, GRAPH_NAME, "policy");
    SAC_TRY(sac_onnx_add_tokens(o));
    SAC_TRY(sac_onnx_add_attention(o));
    return sac_onnx_add_controller(o);
}

static sac_status write_model(sac_onnx *o, const char *path)
{
    sac_growing model = {0}, opset = {0};
    sac_proto_int(&model, MODEL_IR_VERSION, IR_VERSION);
    sac_proto_text(&model, MODEL_PRODUCER, "saccade");
    sac_proto_text(&model, MODEL_PRODUCER_VERSION, sac_version());
    sac_proto_message(&model, MODEL_GRAPH, &o->graph);
    sac_proto_int(&opset, OPSET_VERSION, OPSET);
    sac_proto_message(&model, MODEL_OPSET, &opset);
    return sac_grow_into_file(&model, path, "an ONNX graph");
}

sac_status sac_export_onnx(const sac_policy *policy, const char *path)
{
    if (strcmp(policy->ops->name, "attention-agent") != 0)
        return sac_fail(SAC_ERROR_UNAVAILABLE,
                        "export: policies of kind %s have no ONNX graph yet, only attention-agent has",
                        policy->ops->name);
    sac_policy_state *state;
    SAC_TRY(sac_export_check(policy));
    SAC_TRY(sac_policy_state_create(&state, policy));
    sac_onnx o = {.policy = policy, .agent = policy->self, .state = (const sac_agent_state *)state};
    sac_status status = add_graph(&o);
    if (status == SAC_OK)
        status = write_model(&o, path);
    else
        sac_grow_clear(&o.graph);
    sac_policy_state_destroy(state);
    return status;
}
