#pragma once

#include "policy/agent.h"

/// What the exporters know. Both ask this first, so that a kind, an option or a part that is newer than they are is
/// refused with a sentence and never left out in silence.
/// @return SAC_ERROR_UNAVAILABLE
sac_status sac_export_check(const sac_policy *policy);
