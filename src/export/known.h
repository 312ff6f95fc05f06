#pragma once

#include "policy/kind.h"

/// Whether a policy can be exported, as its kind says (sac_policy_program). All exporters ask this first, so that a
/// kind or an option that is newer than they are is refused with a sentence and never left out in silence; a part that
/// one of them does not know, it refuses itself.
/// @return SAC_ERROR_UNAVAILABLE
sac_status sac_export_check(const sac_policy *policy);
