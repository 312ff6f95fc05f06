#pragma once

#include "base/random.h"
#include "env/control/numbers.h"
#include "env/mujoco/model.h"
#include "saccade/env.h"

/// A world of the control suite: a model, its state, and the task in it. It steps, resets and rewards as dm_control
/// does, to the bit; it knows nothing of pictures.

enum
{
    CONTROL_MAX_IDS = 16,
    CONTROL_MAX_ACTIONS = 16,
    CONTROL_MAX_COLUMNS = 64,
};

typedef struct control_world control_world;

/// A task: one file each, cheetah_run.c and so on; one row in suite.c.
typedef struct control_task
{
    const char *id;
    const char *model;      ///< file in the folder of the models
    double control_seconds; ///< between two actions; whole physics steps
    int control_steps;      ///< in an episode

    bool free_camera;     ///< a distracting camera may pass below the horizon and behind
    float ground_opacity; ///< of the ground over a distracting background

    /// Change the model before it is compiled; NULL: as it is.
    void (*edit)(const sac_mujoco *mj, mjSpec *spec);
    /// Find what the task needs in the model by name, and change what is changed once.
    sac_status (*open)(control_world *world);
    /// Draw the start of an episode. The state is that of the model; afterwards sac_world_forward is called.
    sac_status (*reset)(control_world *world);
    /// Compute the reward of the state after a control step.
    double (*reward)(const control_world *world);
    /// What dm_control's agents observe of the state, in its order.
    void (*observe)(const control_world *world, control_numbers *numbers);
} control_task;

extern const control_task sac_cheetah_run, sac_walker_walk, sac_cartpole_swingup, sac_ball_in_cup_catch,
    sac_reacher_easy, sac_finger_spin, sac_quadruped_walk;

struct control_world
{
    const control_task *task;
    const sac_mujoco *mj;
    mujoco_model *shared;
    mjModel *model; ///< its own: tasks move targets, distractions change colours
    mjData *data;
    int substeps;  ///< physics steps in a control step
    bool circular; ///< hinges without limits are observed by cosine and sine
    sac_mersenne random;
    double *state;            ///< room for what MuJoCo calls the integration state
    int ids[CONTROL_MAX_IDS]; ///< the task's
};

/// Open MuJoCo and load the task's model.
/// @param      folder  of the models; "": $SACCADE_MODELS, or those that come with saccade
/// @param[out] out     released by sac_world_destroy; NULL on failure
/// @return SAC_ERROR_UNAVAILABLE without MuJoCo or its models, SAC_ERROR_FORMAT for a broken model
SAC_CHECKED sac_status sac_world_create(control_world **out, const control_task *task, const char *folder);

/// NULL is ignored.
void sac_world_destroy(control_world *world);

/// Start an episode: from the seed as dm_control's first reset, or with SAC_SEED_NEXT as its next one.
SAC_CHECKED sac_status sac_world_reset(control_world *world, uint64_t seed);

/// One control step.
/// @param      control  [model->nu]
/// @param[out] reward   NaN when the physics broke down: the episode ends
SAC_CHECKED sac_status sac_world_step(control_world *world, const double *control, double *reward);

/// What dm_control's agents observe of the state.
void sac_world_observe(const control_world *world, control_numbers *numbers);

/// Take over a state that was set in model and data from outside: everything derived from it is computed anew.
SAC_CHECKED sac_status sac_world_settle(control_world *world);

/// Everything that a reset or a step changes, the random numbers and what tasks move in the model included.
SAC_CHECKED sac_status sac_world_snapshot(control_world *world, sac_snapshot *snapshot);

// ---- for tasks

/// Everything that follows from positions and velocities, without actuators, as dm_control does after a reset.
void sac_world_forward(control_world *world);

/// `count` physics steps with the controls as they are, after which all but accelerations is of the new state.
void sac_world_advance(control_world *world, int count);

/// Find an element by name into ids[index].
/// @return SAC_ERROR_FORMAT when the model has none
SAC_CHECKED sac_status sac_world_find(control_world *world, int index, mjtObj type, const char *name);

/// Limited joints uniform in their ranges, other hinges in -pi..pi, in the model's order. Hinges and slides alone.
void sac_world_draw_joints(control_world *world);

/// The reading of a sensor that was found.
const double *sac_world_sensor(const control_world *world, int index);

/// All positions from the given one on, as the part "position". A hinge without limits is its angle, which grows from
/// turn to turn, or, where the world is circular, its cosine and its sine.
void sac_world_observe_positions(const control_world *world, int first, control_numbers *numbers);

/// All positions from the given one on, and all velocities, as the usual two parts of an observation.
void sac_world_observe_state(const control_world *world, int first, control_numbers *numbers);

/// How a tolerance falls off outside its bounds.
typedef enum control_fall
{
    CONTROL_GAUSSIAN,
    CONTROL_LINEAR,
    CONTROL_QUADRATIC,
} control_fall;

/// dm_control's tolerance: 1 for low <= x <= high, falling to `edge` at a distance of `margin`.
double sac_tolerance(double x, double low, double high, double margin, double edge, control_fall fall);
