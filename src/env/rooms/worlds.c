#include "env/rooms/world.h"

#include "base/error.h"

/// The world of rooms. Where saccade was built without MuJoCo it is listed all the same, and says what to run.

// Kinds of changes may be joined by '+', too (changes.h).
static const char *const variants[] = {"original", "furniture", "doors", "noise", "camera", "plan", "any", NULL};

static const char *const same_world[] = {"height", "width", "angle", "near", "far", "detail", NULL};

#ifdef SAC_HAVE_MUJOCO
#define CALLS                                                                                             \
    .create = sac_rooms_create, .spec = sac_rooms_spec, .reset = sac_rooms_reset, .step = sac_rooms_step, \
    .snapshot = sac_rooms_snapshot, .state = sac_rooms_state, .picture = sac_rooms_picture,               \
    .destroy = sac_rooms_destroy
#else
static sac_status refuse(void **self, const void *config, const char *variant)
{
    (void)self, (void)config, (void)variant;
    return sac_fail(SAC_ERROR_UNAVAILABLE, "rooms: built without MuJoCo: run 'make mujoco' and build again");
}
#define CALLS .create = refuse
#endif

const sac_env_ops sac_rooms_ops = {.name = "rooms",
                                   .summary = "a robot on wheels finds its way through rooms by what its camera sees",
                                   .options = sac_rooms_options,
                                   .config_size = sizeof(rooms_config),
                                   .variants = variants,
                                   .same_world = same_world,
                                   CALLS};
