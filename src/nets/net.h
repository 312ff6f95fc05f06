#pragma once

#include "learn/learn.h"
#include "saccade/options.h"

/// Nets that classify images: a list of nodes, each of which computes one value of all samples from values before it,
/// and one flat vector of parameters with named tensors in it.
///
/// A value has the same shape for every sample: tokens by channels, where tokens are the pixels of a picture or patches
/// of it, row by row. A net is immutable once it is created, so threads share it. See pass.h for how it is run.

typedef struct sac_net sac_net;

/// The shape of a value: rows * columns tokens of so many channels.
typedef struct sac_net_shape
{
    int rows, columns, channels;
} sac_net_shape;

/// How a tensor's numbers are drawn at first.
typedef enum sac_net_start
{
    SAC_NET_ZEROS,
    SAC_NET_ONES,
    SAC_NET_NORMAL, ///< normal, with `spread` as its deviation
    SAC_NET_ROOTS,  ///< [..., 2, 2]: the unit matrix plus such numbers
} sac_net_start;

/// A tensor in the vector of parameters.
typedef struct sac_net_tensor
{
    char name[56];
    size_t first, count; ///< in the vector
    int rank;
    int64_t shape[4];
    sac_net_start start;
    double spread;
    bool decays; ///< weights that decay stand before those that do not
} sac_net_tensor;

/// What a net is made for.
typedef struct sac_net_def
{
    const char *kind;    ///< "resnet", "attention-net" or "vit"
    const void *config;  ///< the kind's struct, filled by its table of options
    sac_net_shape input; ///< of a picture
    int classes;         ///< that it tells apart, numbers that it gives
} sac_net_def;

/// Names of the kinds, by index; NULL after the last.
const char *sac_net_kind_name(const void *unused, int index);

/// The table of options of a kind; NULL: there is no such kind.
const sac_option *sac_net_options(const char *kind);

/// Create a net.
/// @param[out] out  released by sac_net_destroy; NULL on failure
/// @return SAC_ERROR_ARGUMENT where the options do not fit each other or the pictures, SAC_ERROR_MEMORY
SAC_CHECKED sac_status sac_net_create(sac_net **out, const sac_net_def *def);

/// NULL is ignored.
void sac_net_destroy(sac_net *net);

/// Numbers in the vector of parameters, and how many of them decay: those come first.
size_t sac_net_parameters(const sac_net *net);
size_t sac_net_decaying(const sac_net *net);

/// Numbers that are measured and not learned: means and variances of batch norms.
size_t sac_net_measured(const sac_net *net);

/// The values: the input, then what each node gives. Their shapes, and the names of their nodes.
int sac_net_value_count(const sac_net *net);
sac_net_shape sac_net_value_shape(const sac_net *net, int value);
const char *sac_net_value_name(const sac_net *net, int value);

/// The tensors in the order of their nodes.
int sac_net_tensor_count(const sac_net *net);
const sac_net_tensor *sac_net_tensor_at(const sac_net *net, int index);

/// A tensor by its name, or NULL.
const sac_net_tensor *sac_net_find(const sac_net *net, const char *name);

/// The first tensor with a number that is not finite, or NULL.
const sac_net_tensor *sac_net_broken_tensor(const sac_net *net, const float *parameters);

/// Draw parameters, a pure function of the seed, and the measured numbers: means 0, variances 1.
void sac_net_draw(const sac_net *net, uint64_t seed, float *parameters, float *measured);
