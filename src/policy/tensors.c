#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/finite.h"
#include "policy/kind.h"

// The named tensors of a parameter vector: a kind declares them, and readers find them by their index.

static sac_status check_tensor(const sac_policy *policy, const char *name, double init_limit, int rank,
                               const int *shape)
{
    if (!name || !name[0] || strlen(name) >= SAC_TEXT_SIZE)
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: a tensor without a name, or one of more than %d characters",
                        SAC_TEXT_SIZE - 1);
    if (policy->tensor_count == SAC_MAX_POLICY_TENSORS)
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: more than %d tensors with %s", SAC_MAX_POLICY_TENSORS, name);
    if (rank < 1 || rank > SAC_POLICY_TENSOR_MAX_RANK || !(init_limit >= 0) || !isfinite(init_limit))
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "policy: tensor %s of rank %d, drawn from +-%g; expected rank 1 to %d and a limit of 0 or more",
                        name, rank, init_limit, SAC_POLICY_TENSOR_MAX_RANK);
    for (int i = 0; i < rank; i++)
        if (shape[i] < 1)
            return sac_fail(SAC_ERROR_ARGUMENT, "policy: side %d of tensor %s is %d, expected 1 at least", i, name,
                            shape[i]);
    for (int i = 0; i < policy->tensor_count; i++)
        if (strcmp(policy->tensors[i].name, name) == 0)
            return sac_fail(SAC_ERROR_ARGUMENT, "policy: two tensors are called %s", name);
    return SAC_OK;
}

sac_status sac_policy_add_tensor(sac_policy *policy, const char *name, double init_limit, int rank, const int *shape,
                                 size_t *offset)
{
    SAC_TRY(check_tensor(policy, name, init_limit, rank, shape));
    int64_t size = 1;
    for (int i = 0; i < rank; i++) size = size <= SAC_MAX_PARAMETERS ? size * shape[i] : size;
    if (policy->parameter_count + size > SAC_MAX_PARAMETERS)
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: more than %d parameters with %s", SAC_MAX_PARAMETERS, name);

    sac_policy_tensor *tensor = &policy->tensors[policy->tensor_count++];
    *tensor = (sac_policy_tensor){
        .name = name, .offset = (size_t)policy->parameter_count, .rank = rank, .init_limit = (float)init_limit};
    memcpy(tensor->shape, shape, (size_t)rank * sizeof *shape);
    policy->parameter_count += (int)size;
    if (offset) *offset = tensor->offset;
    return SAC_OK;
}

// Files keep the names of the first version, in which the normaliser was called a filter: the tensors here, and the
// arrays "run.filter" and "critic_filter" of checkpoints. So each version reads the files of every other.
sac_status sac_policy_add_normaliser(sac_policy *policy, int size)
{
    int first = policy->tensor_count;
    SAC_TRY(sac_policy_add_tensor(policy, "filter.mean", 0, 1, &size, &policy->normaliser_mean));
    SAC_TRY(sac_policy_add_tensor(policy, "filter.deviation", 0, 1, &size, &policy->normaliser_deviation));
    for (int i = first; i < policy->tensor_count; i++) policy->tensors[i].measured = true;
    policy->normaliser_size = size;
    return SAC_OK;
}

void sac_policy_set_normaliser(const sac_policy *policy, float *parameters, int index, double mean, double deviation)
{
    const double least = 1e-7; // as Mania et al. (2018) have it
    parameters[policy->normaliser_mean + (size_t)index] = (float)mean;
    parameters[policy->normaliser_deviation + (size_t)index] = deviation > least ? (float)deviation : 0;
}

const sac_policy_tensor *sac_policy_broken_tensor(const sac_policy *policy, const float *parameters)
{
    for (int i = 0; i < policy->tensor_count; i++)
        if (!sac_all_finite(parameters + policy->tensors[i].offset, sac_policy_tensor_size(&policy->tensors[i])))
            return &policy->tensors[i];
    return NULL;
}

sac_status sac_policy_add_layer(sac_policy *policy, const char *bias, const char *weight, int out, int in,
                                sac_layer *layer)
{
    double limit = 1 / sqrt((double)in);
    SAC_TRY(sac_policy_add_tensor(policy, bias, limit, 1, &out, &layer->bias));
    return sac_policy_add_tensor(policy, weight, limit, 2, (int[]){out, in}, &layer->weight);
}

int sac_policy_tensor_count(const sac_policy *policy)
{
    return policy->tensor_count;
}

const sac_policy_tensor *sac_policy_tensor_at(const sac_policy *policy, int index)
{
    SAC_ASSERT(index >= 0 && index < policy->tensor_count);
    return &policy->tensors[index];
}

size_t sac_policy_tensor_size(const sac_policy_tensor *tensor)
{
    size_t size = 1;
    for (int i = 0; i < tensor->rank; i++) size *= (size_t)tensor->shape[i];
    return size;
}
