#pragma once

#include "base/threads.h"
#include "nets/net.h"

/// Minibatches through a net, forward and backward, over threads and processes. A minibatch is cut into a fixed number
/// of slices, whose sums are added in their order, so that any number of threads and of processes gives the same bits.

typedef struct sac_net_pass sac_net_pass;

/// How a process trains with others: each computes a part of the slices, and tells the others their sums.
typedef struct sac_net_exchange
{
    int part, parts; ///< of this process; of all. 0 parts: this process alone
    /// Give every process all parts' bytes, one behind the other.
    /// @param sizes  [parts] bytes of each part
    sac_status (*gather)(void *user, void *all, const size_t *sizes);
    void *user;
} sac_net_exchange;

typedef struct sac_net_pass_def
{
    const sac_net *net;
    sac_threads *threads;      ///< outlives the pass
    int slices;                ///< >= 1
    int samples;               ///< of a minibatch, at most
    bool backward;             ///< gradients are wanted
    double momentum;           ///< share of a minibatch's moments in what batch norms keep of them, such as 0.1
    bool profile;              ///< take the time of nodes
    bool all_values;           ///< without `backward`: sac_net_pass_value is wanted, so that no values share memory
    sac_net_exchange exchange; ///< of a step of training; an evaluation is this process's own
} sac_net_pass_def;

/// What a minibatch gave.
typedef struct sac_net_outcome
{
    double loss; ///< cross entropy, the sum over samples
    int right;   ///< samples whose label has the largest number
} sac_net_outcome;

/// Seconds that all nodes of a kind have taken since the pass was made, in all threads together.
typedef struct sac_net_time
{
    const char *kind; ///< such as "batch norm"
    double forward, backward;
} sac_net_time;

enum
{
    SAC_NET_KINDS = 32 ///< of nodes, at most
};

/// Errors: memory. Nothing allocates afterwards.
SAC_CHECKED sac_status sac_net_pass_create(sac_net_pass **out, const sac_net_pass_def *def);

/// NULL is ignored.
void sac_net_pass_destroy(sac_net_pass *pass);

/// Where the pictures of a minibatch go: [samples, rows, columns, channels].
float *sac_net_pass_input(sac_net_pass *pass);

/// One step of training: forward, cross entropy, backward. Batch norms use the moments of the minibatch and keep a
/// running mean of them.
/// @param[out] gradient    [parameters] of the mean loss
/// @param      labels      [samples] 0..classes-1
/// @param      draw        names the minibatch: what dropout draws is a function of it
sac_net_outcome sac_net_pass_train(sac_net_pass *pass, float *gradient, const float *parameters, float *measured,
                                   const int *labels, int samples, uint64_t draw);

/// The samples of a step of training that this process computes: only these need pictures and labels.
/// @param[out] end  the one after the last
void sac_net_pass_part(const sac_net_pass *pass, int samples, int *first, int *end);

/// SAC_OK, or what an exchange of the last step of training failed with, whose results mean nothing then.
SAC_CHECKED sac_status sac_net_pass_verdict(const sac_net_pass *pass);

/// Forward alone, with the moments that are kept.
/// @return zeros where labels is NULL
sac_net_outcome sac_net_pass_evaluate(sac_net_pass *pass, const float *parameters, const float *measured,
                                      const int *labels, int samples);

/// What the last minibatch gave: [samples, classes].
const float *sac_net_pass_output(const sac_net_pass *pass);

/// The place of the largest of a sample's outputs, the first of equals: the class that a net takes it for.
int sac_net_largest(const float *outputs, int classes);

/// A value of the last minibatch, [samples, rows, columns, channels]. For a pass with `backward` or `all_values`.
/// @param value  0..sac_net_value_count-1, 0 being the input
const float *sac_net_pass_value(const sac_net_pass *pass, int value);

/// The times of a pass that takes them, in the order of nodes. @return how many kinds
int sac_net_pass_times(const sac_net_pass *pass, sac_net_time times[SAC_NET_KINDS]);
