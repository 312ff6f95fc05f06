#pragma once

#include "policy/kind.h"

/// Check whether a policy can be exported, as its kind says (sac_policy_ops). All exporters ask this first. So a
/// kind or an option that is newer than they are is refused with an error message, and never left out in silence. An
/// exporter itself refuses a part that only it does not support.
/// @return SAC_ERROR_UNAVAILABLE
sac_status sac_export_check(const sac_policy *policy);
