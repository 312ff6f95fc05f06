#include "export/onnx/onnx.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// This file writes the nodes, constants and ports of an ONNX graph as messages of protobuf.

// field numbers of onnx.proto
enum
{
    GRAPH_NODE = 1,
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

    // values of AttributeProto.type
    TYPE_INT = 2,
    TYPE_INTS = 7
};

// bytes of an element; INT64 and DOUBLE have 8
static size_t element_size(sac_onnx_type type)
{
    return type == SAC_ONNX_FLOAT ? 4 : type == SAC_ONNX_UINT8 ? 1 : 8;
}

// Copy a name of at most 79 bytes with o->side in place of each @.
static void put_name(sac_growing *message, int field, const sac_onnx *o, const char *name, size_t length)
{
    char text[80];
    size_t used = 0;
    const char *side = o->side ? o->side : "";
    for (size_t i = 0; i < length && used < sizeof text - 1; i++)
    {
        size_t room = sizeof text - used;
        if (name[i] == '@')
            used += (size_t)snprintf(text + used, room, "%s", side);
        else
            text[used++] = name[i];
    }
    sac_proto_bytes(message, field, text, used < sizeof text ? used : sizeof text - 1);
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
    put_name(&tensor, TENSOR_NAME, o, name, strlen(name));
    sac_proto_bytes(&tensor, TENSOR_RAW, data, size); // ONNX is little endian, as is every machine that this runs on
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

// protobuf puts messages into messages, so that a port is written from the inside: sizes, shape, tensor, type, value
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

// Small constants that many nodes use are added when the first of these nodes asks for them.
static void add_shared(sac_onnx *o, const char *name, size_t length)
{
    static const char *const names[] = {"nothing", "unit", "zero", "one"};
    for (int i = 0; i < 4; i++)
    {
        if (strlen(names[i]) != length || strncmp(names[i], name, length) != 0 || o->shared[i]) continue;
        o->shared[i] = true;
        if (i < 2)
            sac_onnx_number(o, names[i], (float)i);
        else
            sac_onnx_ints(o, names[i], (const int64_t[]){i - 2}, 1);
    }
}

// Write words that are separated by spaces, each as one field.
static void add_words(sac_growing *node, int field, sac_onnx *o, const char *words)
{
    while (*words)
    {
        size_t length = strcspn(words, " ");
        if (field == NODE_INPUT) add_shared(o, words, length);
        put_name(node, field, o, words, length);
        words += length;
        words += strspn(words, " ");
    }
}

// Nodes stand in the graph in the order of the calls, which ONNX wants to be an order in which they can be computed.
void sac_onnx_node(sac_onnx *o, const char *op, const char *inputs, const char *outputs, ...)
{
    sac_growing node = {0};
    char name[32];
    snprintf(name, sizeof name, "n%d", o->nodes++);
    add_words(&node, NODE_INPUT, o, inputs);
    add_words(&node, NODE_OUTPUT, o, outputs);
    sac_proto_text(&node, NODE_NAME, name);
    sac_proto_text(&node, NODE_OP, op);
    va_list list;
    va_start(list, outputs);
    for (const char *attribute; (attribute = va_arg(list, const char *));)
    {
        sac_growing inner = {0};
        // a bool is passed as an int, and so is a character
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
