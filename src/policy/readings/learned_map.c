#include <string.h>

#include "attention/form.h"
#include "base/error.h"
#include "policy/agent.h"

// maps of queries and keys that are learned

// G of each side and v of SARA's maps, of every head: the vector holds what is added to the drawn G and to v = 1, so
// that zero is the drawn map
sac_status sac_agent_plan_map(sac_agent *agent, sac_policy *policy)
{
    const sac_agent_config *config = &agent->config;
    agent->has_learned_map = strcmp(config->attention_map, "learned") == 0;
    if (!agent->has_learned_map) return SAC_OK;
    if (strncmp(config->attention, "sara-", 5) != 0)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "policy: attention_map is learned, which is for sara-relu, sara-exp and sara-square, not %s",
                        config->attention);
    if (config->attention_features == 0)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "policy: attention_map is learned, but attention_features is 0, which leaves no map to learn");
    int rows = agent->heads * config->attention_features;
    const int shape[] = {rows, config->key_size};
    SAC_TRY(sac_policy_add_tensor(policy, "attention.query_map", 0, 2, shape, &agent->maps[SAC_QUERIES]));
    SAC_TRY(sac_policy_add_tensor(policy, "attention.key_map", 0, 2, shape, &agent->maps[SAC_KEYS]));
    return sac_policy_add_tensor(policy, "attention.gain", 0, 1, &rows, &agent->map_gains);
}

void sac_agent_set_map(sac_attention *map, const sac_agent *agent, int head, const float *parameters)
{
    const size_t m = (size_t)agent->config.attention_features, at = (size_t)head * m;
    const size_t row = at * (size_t)agent->config.key_size;
    const float *const changes[] = {parameters + agent->maps[SAC_QUERIES] + row,
                                    parameters + agent->maps[SAC_KEYS] + row};
    sac_learned_map_set(map, agent->attention, changes, parameters + agent->map_gains + at);
}
