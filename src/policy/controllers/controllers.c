#include <string.h>

#include "base/error.h"
#include "policy/controllers/controller.h"

#define X(name) &sac_controller_##name,
static const sac_controller_ops *const controllers[] = {SAC_CONTROLLERS(X) NULL};
#undef X

sac_status sac_controller_plan(sac_controller *controller, sac_policy *policy, const char *name)
{
    controller->kernels = sac_kernels_create(sac_get_cpu_level());
    for (int i = 0; controllers[i]; i++)
        if (strcmp(controllers[i]->name, name) == 0) controller->ops = controllers[i];
    SAC_ASSERT(controller->ops); // the option's choices are this table
    controller->first = (size_t)policy->parameter_count;
    return controller->ops->plan(controller, policy);
}
