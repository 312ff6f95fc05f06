#include "env/mujoco/mujoco_calls.h"

/// saccade-mujoco.so: MuJoCo's functions as one table, so that what needs no physics starts without the library.

extern const sac_mujoco sac_mujoco_module;

// clang-format off
__attribute__((visibility("default"))) const sac_mujoco sac_mujoco_module = {
    .size = sizeof(sac_mujoco),
    .mju_user_error = &mju_user_error,
    .mju_user_warning = &mju_user_warning,
#define X(name) .name = name,
    MUJOCO_FUNCTIONS(X)
#undef X
};
// clang-format on
