#include "env/grasp/grasp.h"

#include "base/error.h"

/// The world `grasp` as it is listed. Where saccade was built without MuJoCo it says what to run.

static const char *const variants[] = {"original", NULL};

static const char *const same_world[] = {"points", "height",       "width",       "fov", "noise",
                                         "target", "wrist_height", "wrist_width", NULL};

#define FIELD(name) offsetof(grasp_config, name)

// clang-format off
static const sac_option options[] = {
    {"objects", SAC_OPTION_TEXT, FIELD(objects), "seen", 0, 0, "seen unseen all",
     "which things lie on the table: ten families to train with, five others to test with, or all"},
    {"only", SAC_OPTION_TEXT, FIELD(only), "any", 0, 0,
     "any can bottle eraser banana octopus carton ball bar egg dumbbell cup ring tee jack pear",
     "things of this family alone"},
    {"meshes", SAC_OPTION_TEXT, FIELD(meshes), "", 0, 0, NULL,
     "a folder of .obj and .stl files, or one of these, that are the things in place of the world's own; physics takes "
     "their convex hulls"},
    {"mesh_scale", SAC_OPTION_REAL, FIELD(mesh_scale), "1", 1e-6, 1e6, NULL,
     "metres that 1 in these files stands for"},
    {"things", SAC_OPTION_INT, FIELD(things), "1", 1, 5, NULL, "how many things lie on the table"},
    {"target", SAC_OPTION_TEXT, FIELD(target), "largest", 0, 0, "largest nearest",
     "whose points are seen, where there are several: those of the largest cluster, or of the one nearest to the "
     "table's middle"},
    {"attempts", SAC_OPTION_INT, FIELD(attempts), "1", 1, 20, NULL, "grasps in an episode, at most"},
    {"points", SAC_OPTION_INT, FIELD(points), "256", 1, 8192, NULL, "N: rows of the part cloud"},
    {"spread", SAC_OPTION_REAL, FIELD(spread), "0.08", 0, 0.12, NULL,
     "metres from the table's middle, along x and y, up to which things lie"},
    {"hold_seconds", SAC_OPTION_REAL, FIELD(hold_seconds), "1", 0.1, 10, NULL, "for which a thing must be held up"},
    {"force", SAC_OPTION_REAL, FIELD(force), "20", 5, 80, NULL, "N that each finger presses with"},
    {"friction", SAC_OPTION_REAL, FIELD(friction), "0.6", 0.05, 2, NULL,
     "of things; fingers have 1, and the larger one counts"},
    {"physics_ms", SAC_OPTION_REAL, FIELD(physics_ms), "4", 0.5, 10, NULL, "a step of physics"},
    {"noise", SAC_OPTION_REAL, FIELD(noise), "0", 0, 100, NULL,
     "of the camera's depth: 1 is a standard deviation of 1 mm at a metre, growing with the square"},
    {"fov", SAC_OPTION_REAL, FIELD(fov), "42", 10, 90, NULL, "degrees that the camera sees from top to bottom"},
    {"height", SAC_OPTION_INT, FIELD(height), "240", 48, 1024, NULL, "pixels of the camera"},
    {"width", SAC_OPTION_INT, FIELD(width), "320", 48, 1280, NULL, "pixels of the camera"},
    {"wrist_height", SAC_OPTION_INT, FIELD(wrist_height), "32", 8, 256, NULL, "pixels of the hand's camera"},
    {"wrist_width", SAC_OPTION_INT, FIELD(wrist_width), "32", 8, 256, NULL, "pixels of the hand's camera"},
    {0}};
// clang-format on

#ifdef SAC_HAVE_MUJOCO
#define CALLS                                                                                             \
    .create = sac_grasp_create, .spec = sac_grasp_spec, .reset = sac_grasp_reset, .step = sac_grasp_step, \
    .snapshot = sac_grasp_snapshot, .state = sac_grasp_state, .picture = sac_grasp_picture,               \
    .moments = sac_grasp_moments, .picture_at = sac_grasp_picture_at, .destroy = sac_grasp_destroy
#else
static sac_status create(void **self, const void *config, const char *variant)
{
    (void)self, (void)config, (void)variant;
    return sac_fail(SAC_ERROR_UNAVAILABLE, "grasp: built without MuJoCo: run 'make mujoco' and build again");
}
#define CALLS .create = create
#endif

const sac_env_ops sac_grasp_ops = {.name = "grasp",
                                   .summary = "a gripper grasps things on a table, by their points",
                                   .options = options,
                                   .config_size = sizeof(grasp_config),
                                   .variants = variants,
                                   .same_world = same_world,
                                   CALLS};
