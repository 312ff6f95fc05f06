#pragma once

#include "saccade/policy.h"

/// Policies without saccade: as one C file or as an ONNX graph.

typedef struct sac_export_def
{
    bool int8;                   ///< weights as 8-bit numbers with a scale a row, instead of float32
    const char *note;            ///< a sentence for the file's head, such as what int8 costs; NULL: none
    const sac_policy_info *info; ///< facts for the file's head; NULL: none
} sac_export_def;

/// The size of the written file in bytes: the constants that it holds, and the memory that it changes beside the image.
typedef struct sac_export_sizes
{
    size_t constants, memory;
} sac_export_sizes;

/// Make the policy that an int8 export computes: every matrix is rounded to -127..127 times one scale for each row, and
/// biases stay as they are.
/// @param[out] out  released by sac_policy_destroy; NULL on failure
SAC_API SAC_CHECKED sac_status sac_export_round(sac_policy **out, const sac_policy *policy);

/// Write one freestanding C99 file: agent_reset, agent_act, constants, and with -DSELF_TEST a main that repeats
/// recorded actions. Its actions are those of the policy (of sac_export_round's with int8) to the bit.
/// @param[out] sizes  may be NULL
/// @return SAC_ERROR_UNAVAILABLE for a policy that cannot be exported; SAC_ERROR_FILE
SAC_API SAC_CHECKED sac_status sac_export_c(const sac_policy *policy, const sac_export_def *def, const char *path,
                                            sac_export_sizes *sizes);

/// Write one step as an ONNX graph, opset 13: image uint8 [height, width, channels] and, for a recurrent controller,
/// hidden and cell [1, H] -> action, kept [K] (patch indices), importance [N], next_hidden, next_cell. Its tokens have
/// the library's bits; what follows is rounded as the runtime rounds.
/// @return SAC_ERROR_UNAVAILABLE for a policy that cannot be exported; SAC_ERROR_FILE
SAC_API SAC_CHECKED sac_status sac_export_onnx(const sac_policy *policy, const char *path);
