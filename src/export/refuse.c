#include "export/refuse.h"
#include "base/error.h"
#include "policy/agent.h"
#include "policy/kind.h"

static sac_status refuse(const char *option, const char *value, const char *known)
{
    return sac_fail(SAC_ERROR_UNAVAILABLE,
                    "export: the policy's %s is %s, which neither C nor ONNX files have yet, only %s: %s", option,
                    value, option, known);
}

sac_status sac_export_check(const sac_policy *policy)
{
    const sac_agent *agent = policy->self;
    if (agent->has_projection) return refuse("projection", "learned", "ones");
    if (agent->selection != SAC_SELECT_TOP) return refuse("selection", agent->config.selection, "top");
    if (agent->heads > 1) return refuse("heads", "more than 1", "1");
    if (agent->config.key_period > 1) return refuse("key_period", "more than 1", "1");
    return SAC_OK;
}
