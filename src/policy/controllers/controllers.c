#include <string.h>

#include "base/error.h"
#include "policy/agent.h"

#define X(name) &sac_controller_##name,
static const sac_controller_ops *const controllers[] = {SAC_CONTROLLERS(X) NULL};
#undef X

sac_status sac_agent_plan_controller(sac_agent *agent, sac_policy *policy)
{
    for (int i = 0; controllers[i]; i++)
        if (strcmp(controllers[i]->name, agent->config.controller) == 0) agent->controller = controllers[i];
    SAC_ASSERT(agent->controller); // the option's choices are this table
    return agent->controller->plan(agent, policy);
}
