#pragma once

#include "classify/task.h"
#include "images/set.h"
#include "nets/net.h"

/// A net with its numbers, as a run leaves it in net.safetensors: everything that telling pictures apart needs.
///
/// The file holds the net's tensors by name; `measured`, the means and variances of batch norms; `input` [3], rows,
/// columns and channels of a picture; `classes`; `view` [2, 4], the mean and the deviation of each channel; and as
/// metadata "format", "version", "task" and "checksum". Version 1 had neither `input` nor `classes`.
typedef struct sac_trained_net
{
    const sac_classify_task *task;
    sac_net *net;
    sac_net_shape input;
    int classes;
    sac_image_view view;
    float *parameters; ///< [sac_net_parameters]
    float *measured;   ///< [sac_net_measured]
} sac_trained_net;

/// Write a net's file, atomically.
SAC_CHECKED sac_status sac_trained_net_save(const sac_trained_net *net, const char *path);

/// Read a net's file.
/// @param[out] out       released by sac_trained_net_clear; zeros after a failure
/// @param      settings  of the task's section data alone: a net is what it is
/// @return SAC_ERROR_FILE, SAC_ERROR_FORMAT, SAC_ERROR_ARGUMENT or SAC_ERROR_MEMORY
SAC_CHECKED sac_status sac_trained_net_load(sac_trained_net *out, const char *path, const sac_setting *settings,
                                            int count);

/// The same from memory.
/// @param where  names the source in errors
SAC_CHECKED sac_status sac_trained_net_read(sac_trained_net *out, const void *bytes, size_t size, const char *where,
                                            const sac_setting *settings, int count);

/// Release what was read.
void sac_trained_net_clear(sac_trained_net *net);
