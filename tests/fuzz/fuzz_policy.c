#include "base/memory.h"
#include "files/arrays/safetensors.h"
#include "saccade/policy.h"

#include "fuzz.h"

enum
{
    MAX_PIXELS = 1 << 14
};

// a policy that was read can act
static void act(const sac_policy *policy)
{
    const sac_policy_def *def = sac_policy_get_def(policy);
    size_t size = (size_t)def->height * (size_t)def->width * (size_t)def->channels;
    if (size > MAX_PIXELS || sac_policy_parameter_count(policy) > MAX_PIXELS) return;
    sac_policy_state *state;
    if (sac_policy_state_create(&state, policy) != SAC_OK) return;
    uint8_t *observation = calloc(size, 1);
    float *action = calloc((size_t)def->action_size, sizeof *action);
    fuzz_require(observation && action);
    sac_policy_act(state, observation, action);
    for (int i = 0; i < def->action_size && !def->action_choices; i++)
        fuzz_require(action[i] >= def->action_low[i] && action[i] <= def->action_high[i]);
    free(observation);
    free(action);
    sac_policy_state_destroy(state);
}

static void read_policy(const uint8_t *data, size_t size)
{
    sac_policy *policy;
    sac_policy_info info;
    sac_status status = sac_policy_read(&policy, &info, data, size, "input");
    fuzz_check_result(status, policy);
    if (!policy) return;
    act(policy);
    sac_policy_info_clear(&info);
    sac_policy_destroy(policy);
}

// the same content under a right checksum, so that changes get past it
static void read_mended(const uint8_t *data, size_t size)
{
    sac_tensors *tensors;
    if (sac_tensors_read(&tensors, data, size, "input") != SAC_OK) return;
    int count = sac_tensors_count(tensors), metadata_count = sac_tensors_metadata_count(tensors);
    sac_tensor *list = calloc((size_t)count + 1, sizeof *list);
    sac_metadata *metadata = calloc((size_t)metadata_count + 1, sizeof *metadata);
    fuzz_require(list && metadata);
    for (int i = 0; i < count; i++) list[i] = *sac_tensors_at(tensors, i);
    for (int i = 0; i < metadata_count; i++)
    {
        metadata[i] = sac_tensors_metadata_at(tensors, i);
        if (strcmp(metadata[i].key, "checksum") == 0) metadata[i].value = NULL;
    }
    uint8_t *bytes;
    size_t mended_size;
    fuzz_require(sac_tensors_write(&bytes, &mended_size, list, count, metadata, metadata_count) == SAC_OK);
    read_policy(bytes, mended_size);
    sac_free(bytes);
    free(list);
    free(metadata);
    sac_tensors_destroy(tensors);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_policy(data, size);
    read_mended(data, size);
    return 0;
}
