#pragma once

#include "env/legs/course.h"

/// Whether a world's options go together: one that says something must do something.

/// An option may have its world's default wherever it has no effect, because tasks and policies spell out all options.
/// @return SAC_ERROR_ARGUMENT for an option that would have no effect, and for pictures that would be later than an
///         action lasts, SAC_ERROR_MEMORY
SAC_CHECKED sac_status sac_legs_fits(const legs_config *config, const legs_rules *rules);
