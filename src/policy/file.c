#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "files/arrays/safetensors.h"
#include "policy/json.h"
#include "policy/kind.h"

// The metadata's "format" and "version" say what a file is. A reader refuses what it does not know.
static const char format[] = "saccade policy";
// Version 1 knows policies of one picture, version 2 any list of inputs. What version 1 can say is written in it, so
// that every reader that there ever was can read it.
static const char plain_version[] = "1", version[] = "2";

// No policy file is larger: there are at most 2^24 parameters, and a header.
static const size_t file_limit = (size_t)80 << 20;

static sac_tensor tensor_of(const sac_policy_tensor *named, const float *parameters)
{
    sac_tensor tensor = {
        .name = named->name, .dtype = SAC_F32, .rank = named->rank, .data = parameters + named->offset};
    for (int i = 0; i < named->rank; i++) tensor.shape[i] = named->shape[i];
    return tensor;
}

// A parameter that is no number would make every action the middle of its range, without a word. So such a file is
// neither written nor read.
static sac_status check_finite(const sac_policy *policy, const float *parameters, sac_status status)
{
    const sac_policy_tensor *broken = sac_policy_broken_tensor(policy, parameters);
    if (!broken) return SAC_OK;
    const float *value = parameters + broken->offset;
    while (isfinite(*value)) value++;
    return sac_fail(status, "%s holds %g, expected finite numbers", broken->name, (double)*value);
}

sac_status sac_policy_save(const sac_policy *policy, const float *parameters, const sac_policy_info *info,
                           const char *path)
{
    if (!parameters) parameters = policy->parameters;
    sac_status status = check_finite(policy, parameters, SAC_ERROR_ARGUMENT);
    if (status != SAC_OK) return sac_fail_in(status, "%s", path);

    sac_tensor tensors[SAC_MAX_POLICY_TENSORS];
    for (int i = 0; i < policy->tensor_count; i++) tensors[i] = tensor_of(&policy->tensors[i], parameters);

    char *architecture = sac_policy_def_text(policy);
    char *facts = info ? sac_policy_info_text(info) : NULL;
    const sac_metadata metadata[] = {
        {"format", format}, {"version", sac_policy_is_plain(&policy->def) ? plain_version : version},
        {"checksum", NULL}, {"policy", architecture},
        {"info", facts},
    };
    if (!architecture || (info && !facts))
        status = sac_fail_memory("a policy file");
    else
        status = sac_tensors_save(path, tensors, policy->tensor_count, metadata, info ? 5 : 4);
    sac_free(architecture);
    sac_free(facts);
    return status;
}

static sac_status read_parameters(const sac_policy *policy, const sac_tensors *tensors, float *parameters)
{
    for (int i = 0; i < policy->tensor_count; i++)
    {
        const sac_policy_tensor *named = &policy->tensors[i];
        int64_t shape[SAC_POLICY_TENSOR_MAX_RANK];
        for (int r = 0; r < named->rank; r++) shape[r] = named->shape[r];
        const sac_tensor *tensor;
        SAC_TRY(sac_tensors_get(&tensor, tensors, named->name, SAC_F32, named->rank, shape));
        memcpy(parameters + named->offset, tensor->data, sac_policy_tensor_size(named) * sizeof(float));
    }
    return SAC_OK;
}

// Makes the policy, whose every tensor the file must hold, and no other.
static sac_status read_policy(sac_policy **out, const sac_tensors *tensors, const char *path)
{
    const char *text = sac_tensors_metadata(tensors, "policy");
    if (!text) return sac_fail(SAC_ERROR_FORMAT, "%s: the metadata has no 'policy'", path);
    sac_policy *policy;
    sac_status status = sac_policy_from_text(&policy, text);
    if (status != SAC_OK) return sac_fail_in(status, "%s", path);

    status = read_parameters(policy, tensors, policy->parameters);
    if (status == SAC_OK && sac_tensors_count(tensors) != policy->tensor_count)
        status = sac_fail(SAC_ERROR_FORMAT, "%s: %d tensors, expected the %d of this architecture", path,
                          sac_tensors_count(tensors), policy->tensor_count);
    if (status == SAC_OK)
    {
        status = check_finite(policy, policy->parameters, SAC_ERROR_FORMAT);
        if (status != SAC_OK) sac_fail_in(status, "%s", path);
    }
    if (status != SAC_OK)
    {
        sac_policy_destroy(policy);
        return status;
    }
    *out = policy;
    return SAC_OK;
}

static sac_status read_file(sac_policy **out, sac_policy_info *info, const sac_tensors *tensors, const char *path)
{
    const char *kind = sac_tensors_metadata(tensors, "format"), *number = sac_tensors_metadata(tensors, "version");
    if (kind && strcmp(kind, "saccade net") == 0)
        return sac_fail(
            SAC_ERROR_FORMAT,
            "%s is a net that classifies pictures, not a policy: 'saccade classify' uses it, and 'saccade fit' "
            "with train.start goes on from it",
            path);
    if (!kind || strcmp(kind, format) != 0 || !number)
        return sac_fail(SAC_ERROR_FORMAT, "%s is no policy file: its metadata does not say '%s'", path, format);
    if (strcmp(number, version) != 0 && strcmp(number, plain_version) != 0)
        return sac_fail(SAC_ERROR_FORMAT, "%s: policy files of version %.20s are unknown, expected %s or %s", path,
                        number, plain_version, version);
    SAC_TRY(sac_tensors_verify(tensors));

    const char *facts = sac_tensors_metadata(tensors, "info");
    if (info && facts)
    {
        sac_status status = sac_policy_info_from_text(info, facts);
        if (status != SAC_OK) return sac_fail_in(status, "%s", path);
    }
    return read_policy(out, tensors, path);
}

static sac_status read_and_release(sac_policy **out, sac_policy_info *info, sac_tensors *tensors, const char *where)
{
    sac_status status = read_file(out, info, tensors, where);
    sac_tensors_destroy(tensors);
    if (status != SAC_OK && info) sac_policy_info_clear(info);
    return status;
}

sac_status sac_policy_load(sac_policy **out, sac_policy_info *info, const char *path)
{
    *out = NULL;
    if (info) *info = (sac_policy_info){.score = NAN, .score_std = NAN};
    sac_tensors *tensors;
    SAC_TRY(sac_tensors_load(&tensors, path, file_limit));
    return read_and_release(out, info, tensors, path);
}

sac_status sac_policy_read(sac_policy **out, sac_policy_info *info, const void *bytes, size_t size, const char *where)
{
    *out = NULL;
    if (info) *info = (sac_policy_info){.score = NAN, .score_std = NAN};
    sac_tensors *tensors;
    SAC_TRY(sac_tensors_read(&tensors, bytes, size, where));
    return read_and_release(out, info, tensors, where);
}
