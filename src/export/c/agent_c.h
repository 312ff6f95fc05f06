#pragma once

#include "files/growing.h"
#include "policy/parts.h"
#include "saccade/export.h"

typedef struct sac_c_reading sac_c_reading;

/// A C file that is being written, with its policy and everything that goes into the file.
typedef struct sac_c_file
{
    sac_growing text;
    const sac_export_def *def;
    const sac_policy *policy;  ///< as given: its matrices are rounded here with int8
    const sac_policy *rounded; ///< the policy whose actions the file repeats
    sac_policy_parts parts;    ///< of the rounded policy
    const sac_c_reading *reading;
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

/// Numbers that the parts of the file name, whatever lies between tokens and controller; 0 where it has no such thing.
typedef struct sac_c_numbers
{
    int key_size;
    int top, each; ///< patches that are kept, and floats that each of them gives
    int bins, values, kernel, stride;
    int patch_pixels;     ///< of a kept patch that is looked at
    double position_unit; ///< positions are told in such pixels
} sac_c_numbers;

/// What lies between tokens and controller, one row a reading (sac_policy_parts), in c_readings.c: its constants, its
/// fields of the state, its code, and what agent_act calls of it. The last two may be NULL.
struct sac_c_reading
{
    sac_c_numbers (*numbers)(const sac_policy_parts *parts);
    sac_status (*constants)(sac_c_file *file);
    void (*fields)(sac_c_file *file);
    void (*code)(sac_c_file *file);
    void (*calls)(sac_c_file *file);
    void (*patch_feature_constants)(sac_c_file *file); ///< of what is told of a kept patch
    void (*patch_feature_code)(sac_c_file *file);
};

/// The row of a policy's reading; SAC_ERROR_UNAVAILABLE where there is none.
sac_status sac_c_find_reading(const sac_c_reading **out, const sac_policy *policy, const sac_policy_parts *parts);

/// A layer's bias and weight, "NAME_bias" and "NAME_weight".
void sac_c_layer(sac_c_file *file, const char *name, sac_layer layer, int rows, int columns);

/// These functions write the weights of the image's patches (c_tokens.c), and the controller with its inputs
/// (c_controller.c): constants first, then the state's fields, then code.
sac_status sac_c_token_constants(sac_c_file *file);
void sac_c_token_fields(sac_c_file *file);
void sac_c_token_code(sac_c_file *file);
void sac_c_controller_constants(sac_c_file *file);
void sac_c_controller_fields(sac_c_file *file);
void sac_c_controller_code(sac_c_file *file);

/// And these what readings are made of: importance (c_attention.c), what is told of kept patches (c_patch_features.c),
/// IAP-trans (c_trans.c), convolutional layers (c_layers.c), and the map of tokens to features (c_map.c).
sac_status sac_c_attention_constants(sac_c_file *file);
void sac_c_attention_fields(sac_c_file *file);
void sac_c_attention_code(sac_c_file *file);
void sac_c_patch_feature_constants(sac_c_file *file);
void sac_c_patch_feature_code(sac_c_file *file);
sac_status sac_c_trans_constants(sac_c_file *file);
void sac_c_trans_fields(sac_c_file *file);
void sac_c_trans_code(sac_c_file *file);
sac_status sac_c_layer_constants(sac_c_file *file);
void sac_c_layer_fields(sac_c_file *file);
void sac_c_layer_code(sac_c_file *file);
sac_status sac_c_map_constants(sac_c_file *file); ///< SAC_ERROR_UNAVAILABLE: a form without a map that the file knows
void sac_c_map_fields(sac_c_file *file);
void sac_c_map_code(sac_c_file *file);
bool sac_c_map_is_hybrid(const sac_attention *a);
