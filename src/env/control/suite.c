#include "env/control/suite.h"

#include "base/error.h"
#include "saccade/env.h"

/// The control suite as environments: one row a task below. Where saccade was built without MuJoCo they are listed all
/// the same, and say what to run.

// The whole benchmark at each strength. A part by itself, or parts of different strengths, are variants, too
// (distraction.h).
#define ALL(level) "camera:" level "+color:" level "+background:" level
static const char *const variants[] = {"original",
                                       ALL("easy"),
                                       ALL("medium"),
                                       ALL("hard"),
                                       ALL("easy") ":dynamic",
                                       ALL("medium") ":dynamic",
                                       ALL("hard") ":dynamic",
                                       NULL};

static const char *const same_world[] = {"observe",       "circular",    "height",    "width",   "camera",
                                         "action_repeat", "renderer",    "antialias", "shadows", "reflections",
                                         "subtract",      "frame_stack", "models",    NULL};

#define FIELD(name) offsetof(control_config, name)

// clang-format off
#define OPTIONS(repeat, camera_id)                                                                                     \
    {"observe", SAC_OPTION_TEXT, FIELD(observe), "picture", 0, 0, "picture state",                                    \
     "state: the numbers that dm_control's agents are told, as a part that any policy may take"},                      \
    {"circular", SAC_OPTION_BOOL, FIELD(circular), "false", 0, 0, NULL,                                                \
     "state: hinges without limits by cosine and sine, so that what looks alike has the same numbers"},                \
    {"height", SAC_OPTION_INT, FIELD(height), "100", 8, 2048, NULL, "pixels of the picture"},                          \
    {"width", SAC_OPTION_INT, FIELD(width), "100", 8, 2048, NULL, "pixels of the picture"},                            \
    {"camera", SAC_OPTION_INT, FIELD(camera), camera_id, -1, 100, NULL, "of the model; -1: a free one"},               \
    {"action_repeat", SAC_OPTION_INT, FIELD(action_repeat), repeat, 1, 1000, NULL,                                     \
     "control steps that an action lasts; their rewards are added"},                                                   \
    {"control_steps", SAC_OPTION_INT, FIELD(control_steps), "1000", 1, 10000000, NULL, "in an episode"},               \
    {"shadows", SAC_OPTION_BOOL, FIELD(shadows), "false", 0, 0, NULL, "lights cast shadows"},                          \
    {"reflections", SAC_OPTION_BOOL, FIELD(reflections), "false", 0, 0, NULL, "the floor mirrors"},                    \
    {"antialias", SAC_OPTION_BOOL, FIELD(antialias), "false", 0, 0, NULL, "smooth edges"},                             \
    {"subtract", SAC_OPTION_TEXT, FIELD(subtract), "none", 0, 0, "none first",                                         \
     "first: pictures are shown as 128 + now - the episode's first one"},                                              \
    {"frame_stack", SAC_OPTION_INT, FIELD(frame_stack), "1", 1, 8, NULL,                                               \
     "pictures that are shown at once, three channels each, the newest first"},                                        \
    {"renderer", SAC_OPTION_TEXT, FIELD(renderer), "own", 0, 0, "own opengl",                                          \
     "opengl: MuJoCo's, slow, to compare with"},                                                                       \
    {"background", SAC_OPTION_TEXT, FIELD(background), "procedural", 0, 0, NULL,                                       \
     "what distracts there: procedural, procedural:N, procedural:N-M, a folder of videos or frames, or a video file"}, \
    {"redraw", SAC_OPTION_INT, FIELD(redraw), "0", 0, 1000000, NULL,                                                   \
     "control steps after which distractions are drawn anew; 0: at an episode's start alone"},                         \
    {"weakest", SAC_OPTION_REAL, FIELD(weakest), "1", 0, 1, NULL,                                                      \
     "each draw scales the distractions by a number that is drawn from this one to strongest"},                        \
    {"strongest", SAC_OPTION_REAL, FIELD(strongest), "1", 0, 1, NULL, "see weakest"},                                  \
    {"models", SAC_OPTION_TEXT, FIELD(models), "", 0, 0, NULL,                                                         \
     "folder of the models; empty: $SACCADE_MODELS, or those that come with saccade"},                                 \
    {0}

#ifdef SAC_HAVE_MUJOCO
#define CREATE(symbol, id)                                                                                             \
    extern const control_task sac_##symbol;                                                                            \
    static sac_status create_##symbol(void **self, const void *config, const char *variant)                            \
    {                                                                                                                  \
        return sac_control_create(self, config, variant, &sac_##symbol);                                               \
    }
#define CALLS                                                                                                          \
    .spec = sac_control_spec, .reset = sac_control_reset, .step = sac_control_step, .precise = sac_control_precise,    \
    .set_state = sac_control_set_state, .snapshot = sac_control_snapshot, .state = sac_control_state, .picture = sac_control_picture,                        \
    .destroy = sac_control_destroy
#else
#define CREATE(symbol, id)                                                                                             \
    static sac_status create_##symbol(void **self, const void *config, const char *variant)                            \
    {                                                                                                                  \
        (void)self, (void)config, (void)variant;                                                                       \
        return sac_fail(SAC_ERROR_UNAVAILABLE, id ": built without MuJoCo: run 'make mujoco' and build again");         \
    }
#define CALLS .spec = NULL
#endif

#define TASK(symbol, id, repeat, camera_id, words)                                                                     \
    CREATE(symbol, id)                                                                                                 \
    static const sac_option options_##symbol[] = {OPTIONS(repeat, camera_id)};                                         \
    const sac_env_ops sac_##symbol##_ops = {.name = id,                                                                \
                                            .summary = words,                                                          \
                                            .options = options_##symbol,                                               \
                                            .config_size = sizeof(control_config),                                     \
                                            .variants = variants,                                                      \
                                            .same_world = same_world,                                                  \
                                            .create = create_##symbol,                                                 \
                                            CALLS};

// How often an action is repeated: as PlaNet does (Hafner et al. 2019), and for the ball as CURL does (Laskin et al. 2020).
TASK(cheetah_run, "cheetah-run", "4", "0", "a planar cheetah runs")
TASK(walker_walk, "walker-walk", "2", "0", "a planar walker walks")
TASK(cartpole_swingup, "cartpole-swingup", "8", "0", "a cart swings its pole up and keeps it there")
TASK(ball_in_cup_catch, "ball-in-cup-catch", "4", "0", "a cup catches the ball that hangs from it")
TASK(reacher_easy, "reacher-easy", "4", "0", "an arm of two links reaches for a target")
TASK(finger_spin, "finger-spin", "2", "0", "a finger keeps a body spinning")
TASK(quadruped_walk, "quadruped-walk", "2", "2", "a quadruped walks")
