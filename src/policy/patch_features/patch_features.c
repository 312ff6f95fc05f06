#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "policy/agent.h"

#define X(name) &sac_patch_features_##name,
static const sac_patch_features_ops *const all[] = {SAC_PATCH_FEATURES(X) NULL};
#undef X
#define X(name) #name,
static const char *const names[] = {SAC_PATCH_FEATURES(X) NULL};
#undef X

static sac_status find_part(sac_agent *agent, const char *word, const sac_patch_features_ops **found)
{
    for (int i = 0; all[i]; i++)
    {
        if (strcmp(all[i]->name, word) != 0) continue;
        for (int j = 0; j < agent->part_count; j++)
            if (agent->parts[j] == all[i])
                return sac_fail(SAC_ERROR_ARGUMENT, "policy: patch_features '%.80s' names %s twice",
                                agent->config.patch_features, word);
        *found = all[i];
        return SAC_OK;
    }
    return sac_fail(SAC_ERROR_ARGUMENT,
                    "policy: patch_features is '%.80s', expected positions, histogram, conv, values or several "
                    "joined by +%s",
                    agent->config.patch_features, sac_did_you_mean(sac_nearest_of(word, names)));
}

sac_status sac_agent_plan_patch_features(sac_agent *agent, sac_policy *policy)
{
    const char *at = agent->config.patch_features;
    for (bool more = true; more;)
    {
        char word[SAC_TEXT_SIZE];
        size_t length = strcspn(at, "+");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        const sac_patch_features_ops *part = NULL;
        SAC_TRY(find_part(agent, word, &part));
        int index = agent->part_count++;
        agent->parts[index] = part;
        SAC_TRY(part->plan(agent, policy, &agent->part_sizes[index]));
        agent->wants_pixels |= part->pixels;
        agent->patch_numbers += agent->part_sizes[index];
        more = at[length] == '+';
        at += length + more;
    }
    agent->told_count = agent->patch_numbers * (agent->config.masking ? agent->embedding.count : agent->config.top);
    return SAC_OK;
}
