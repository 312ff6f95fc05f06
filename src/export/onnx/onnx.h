#pragma once

#include "export/onnx/protobuf.h"
#include "policy/parts.h"

/// An ONNX graph that is being written. Values have names, and a node's output gets the name that is asked for.
typedef struct sac_onnx
{
    sac_growing graph;
    const sac_policy *policy;
    sac_policy_parts parts;
    const char *side; ///< replaces @ in names, so that queries and keys share the functions that make their nodes
    bool shared[4];   ///< whether "nothing", "unit", "zero" and "one" are there
    int nodes;        ///< so far; names them
} sac_onnx;

typedef enum sac_onnx_type
{
    SAC_ONNX_FLOAT = 1,
    SAC_ONNX_UINT8 = 2,
    SAC_ONNX_INT64 = 7,
    SAC_ONNX_DOUBLE = 11
} sac_onnx_type;

/// Add a constant of any shape. In names, here and below, o->side replaces @.
void sac_onnx_tensor(sac_onnx *o, const char *name, sac_onnx_type type, const void *data, int rank,
                     const int64_t *shape);

void sac_onnx_floats(sac_onnx *o, const char *name, const float *values, int rows, int columns); ///< rows 0: a vector
void sac_onnx_ints(sac_onnx *o, const char *name, const int64_t *values, int count);
void sac_onnx_number(sac_onnx *o, const char *name, float value);

/// Add an input or output of the graph.
void sac_onnx_port(sac_onnx *o, bool output, const char *name, sac_onnx_type type, int rank, const int64_t *shape);

/// Add a node: "Op", its inputs separated by spaces, its outputs likewise; then attributes as "name", kind, value, ...:
/// 'i' and an int, or 'I' and a count with that many ints; 0 ends them.
void sac_onnx_node(sac_onnx *o, const char *op, const char *inputs, const char *outputs, ...);

/// The parts of the graph. Constants that any node may name: "nothing", "unit" (float 0 and 1), "zero", "one"
/// (int64 [1]).
sac_status sac_onnx_add_tokens(sac_onnx *o);         ///< "image" -> "pixels" [1, C, H, W] -> "tokens" [O, N]
sac_status sac_onnx_add_attention(sac_onnx *o);      ///< -> "importance" [N]; features "phi_q", "phi_k" [F, N]
sac_status sac_onnx_add_patch_features(sac_onnx *o); ///< attention -> "kept" [K] -> "seen" [1, T]
sac_status sac_onnx_add_trans(sac_onnx *o);          ///< attention, features and values -> "seen" [1, T]
sac_status sac_onnx_add_layers(sac_onnx *o);         ///< convolutions: "tokens" -> "seen" [1, T]
sac_status sac_onnx_add_controller(sac_onnx *o);     ///< "seen" -> "told" -> "action"
void sac_onnx_add_importance_port(sac_onnx *o);      ///< "importance" as an output of the graph
void sac_onnx_add_kept_ports(sac_onnx *o);           ///< "kept" and "importance"
