#pragma once

#include "files/growing.h"
#include "policy/parts.h"
#include "saccade/export.h"

/// A C file that is being written, with its policy and everything that goes into the file.
typedef struct sac_c_file
{
    sac_growing text;
    const sac_export_def *def;
    const sac_policy *policy;  ///< as given: its matrices are rounded here with int8
    const sac_policy *rounded; ///< the policy whose actions the file repeats
    sac_policy_parts parts;    ///< of the rounded policy
    sac_export_sizes sizes;
    char missing[64]; ///< a part that is needed and does not exist; "": none
} sac_c_file;

/// Add a part of the file that exists as text: src/export/parts/NAME.
void sac_c_part(sac_c_file *file, const char *name);

/// Add "static const float NAME[count]".
void sac_c_floats(sac_c_file *file, const char *name, const float *values, size_t count);

/// Add a matrix of the parameters and "static float NAME(int row, int column)"; with int8 it is stored as the file
/// holds it.
void sac_c_matrix(sac_c_file *file, const char *name, size_t offset, int rows, int columns);

/// Add a field of the state: "TYPE NAME[COUNT]"; `count` is the value of COUNT.
void sac_c_field(sac_c_file *file, const char *type, size_t size, const char *name, const char *shape, size_t count);

/// Give the int16 weight of a patch's number.
int sac_c_weight(const sac_policy_parts *parts, int output, int i);

/// These functions write the weights of the image's patches (c_tokens.c), the form of attention (c_attention.c), and
/// the controller with its inputs (c_controller.c): constants first, then the state's fields, then code.
sac_status sac_c_token_constants(sac_c_file *file);
void sac_c_token_fields(sac_c_file *file);
void sac_c_token_code(sac_c_file *file);
void sac_c_layer_constants(sac_c_file *file); ///< a cnn has these instead of attention (c_layers.c)
void sac_c_trans_constants(sac_c_file *file); ///< an iap-trans has these beside the map (c_trans.c)
void sac_c_trans_fields(sac_c_file *file);
void sac_c_trans_code(sac_c_file *file);
void sac_c_layer_fields(sac_c_file *file);
void sac_c_layer_code(sac_c_file *file);
bool sac_c_map_constants(sac_c_file *file); ///< the map of tokens to features (c_map.c); false: a form without one
void sac_c_map_fields(sac_c_file *file);
void sac_c_map_code(sac_c_file *file);
bool sac_c_map_is_hybrid(const sac_attention *a);
sac_status sac_c_attention_constants(sac_c_file *file);
void sac_c_attention_fields(sac_c_file *file);
void sac_c_attention_code(sac_c_file *file);
void sac_c_controller_constants(sac_c_file *file);
void sac_c_controller_fields(sac_c_file *file);
void sac_c_controller_code(sac_c_file *file);
