#pragma once

#include "kernels/kernels.h"
#include "policy/kind.h"

/// Controllers turn what they are told into outputs, with or without a memory. They know nothing of images: any kind of
/// policy may have one. One file each, chosen by name.
#define SAC_CONTROLLERS(X) X(lstm) X(mlp) X(linear)

enum
{
    SAC_MAX_HIDDEN_LAYERS = 4
};

/// What one reads and writes in a step.
typedef struct sac_controller_io
{
    const float *inputs;  ///< [inputs]
    float *hidden, *cell; ///< [hidden], zero at the start of an episode
    float *outputs;       ///< [outputs]
    float *scratch;       ///< [scratch_size]
} sac_controller_io;

typedef struct sac_controller sac_controller;

typedef struct sac_controller_ops
{
    const char *name;
    /// Declare the tensors and keep their offsets; set hidden to 0 where there is none, has_cell, prepared_size and
    /// scratch_size as needed.
    sac_status (*plan)(sac_controller *controller, sac_policy *policy);
    /// Bring the parameters into the form that `step` wants, prepared [prepared_size]; NULL: they serve as they are.
    void (*prepare)(const sac_controller *controller, const float *parameters, float *prepared);
    void (*step)(const sac_controller *controller, const float *parameters, const float *prepared,
                 sac_controller_io *io);
    /// The same for SAC_LANES episodes with the same parameters, for a controller without memory: each array of `io` is
    /// [its size, SAC_LANES]. The same bits as `step`; NULL: it has no such form.
    void (*step_columns)(const sac_controller *controller, const float *parameters, sac_controller_io *io);
} sac_controller_ops;

/// What is fixed after creation.
struct sac_controller
{
    const sac_controller_ops *ops;
    sac_kernels kernels;
    int inputs, hidden, outputs; ///< hidden is 0 where there is nothing between inputs and outputs
    int layers;                  ///< of mlp, `hidden` units each
    bool has_cell;
    size_t prepared_size, scratch_size; ///< floats
    size_t first;                       ///< offset of its first tensor; all before it belong to what it is told
    // Offsets of the tensors. A controller has some of them.
    sac_layer from_inputs;                    ///< to the hidden units, or to the four gates of each
    sac_layer from_hidden;                    ///< to the four gates of each hidden unit, from those of the step before
    sac_layer between[SAC_MAX_HIDDEN_LAYERS]; ///< of mlp, to each hidden layer behind the first
    sac_layer to_outputs;
};

#define X(name) extern const sac_controller_ops sac_controller_##name;
SAC_CONTROLLERS(X)
#undef X

/// Choose a controller by its name, which is one of the table's, and declare its tensors. Of `controller` inputs,
/// hidden, layers and outputs are read.
sac_status sac_controller_plan(sac_controller *controller, sac_policy *policy, const char *name);
