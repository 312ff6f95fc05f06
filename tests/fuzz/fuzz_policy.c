#include "saccade/policy.h"

#include "mend.h"

enum
{
    MAX_BYTES = 1 << 16 // of a part, and numbers of a policy
};

// a policy that was read can act
static void act(const sac_policy *policy)
{
    const sac_policy_def *def = sac_policy_get_def(policy);
    size_t size = 0;
    for (int i = 0; i < def->input_count; i++)
    {
        const size_t bytes = sac_space_bytes(&def->inputs[i]);
        if (bytes > size) size = bytes;
    }
    if (size > MAX_BYTES || sac_policy_parameter_count(policy) > MAX_BYTES) return;
    sac_policy_state *state;
    if (sac_policy_state_create(&state, policy) != SAC_OK) return;
    // every part begins in the same zeros, so that reading past the largest of them is noticed
    const void *inputs[SAC_MAX_PARTS];
    uint8_t *observation = calloc(size, 1);
    float *action = calloc((size_t)def->action_size, sizeof *action);
    fuzz_require(observation && action);
    for (int i = 0; i < def->input_count; i++) inputs[i] = observation;
    sac_policy_act_on(state, inputs, action);
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_policy(data, size);
    fuzz_mend(data, size, read_policy);
    return 0;
}
