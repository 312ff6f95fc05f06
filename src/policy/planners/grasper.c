#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "grip/antipodal.h"
#include "policy/actor.h"
#include "policy/kind.h"

/// A planner of grasps for the world `grasp`: it is told the thing's shape and place, looks for antipodal grasps of it,
/// and tries the most promising ones out in a copy of the world. It does the first that holds. It sees no picture, so
/// it makes teachers.

typedef struct grasper_config
{
    int tries;
    bool check;
} grasper_config;

static const sac_option options[] = {
    {"tries", SAC_OPTION_INT, offsetof(grasper_config, tries), "8", 0, 32, NULL,
     "grasps that are tried out, at most; 0: none, the one that looks best is done"},
    {"check", SAC_OPTION_BOOL, offsetof(grasper_config, check), "false", 0, 0, NULL,
     "a grasp counts as one that holds where it also does 5 mm to either side along the fingers and across"},
    {0},
};

/// What is told: the thing's place relative to the middle of what is seen, its axes, and how high the table is from
/// there; then its solids (grip/solid.h).
enum
{
    TRUTH = 13,
    AXES_AT = 3,
    TABLE_AT = 12,
    MOST_TRIES = 32,
    SIDES = 4 // that a grasp is checked on
};

/// What its parameters scale by 1 + their values: the costs of a grasp.
enum
{
    LEVER,
    DEPTH,
    TILT,
    ROLL,
    WIDTH,
    WEIGHTS
};

typedef struct grasper
{
    size_t weights;
} grasper;

typedef struct grasper_state
{
    sac_policy_state base;
    grip_costs costs;
    grip_finder *finder;
    grip_grasp found[MOST_TRIES];
} grasper_state;

static sac_status create(sac_policy *policy)
{
    const sac_policy_def *def = &policy->def;
    const int size = WEIGHTS;
    if (def->input_count != 2 || sac_space_size(&def->inputs[0]) != TRUTH ||
        sac_space_size(&def->inputs[1]) != GRIP_SHAPE_NUMBERS)
        return sac_fail(
            SAC_ERROR_ARGUMENT,
            "policy: a grasper takes the parts 'truth' and 'shape' of the world grasp (inputs: truth shape)");
    if (def->action_choices || def->action_size != GRIP_ACTION)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "policy: a grasper says a grasp by %d numbers (tip, approach, roll), not %d", GRIP_ACTION,
                        def->action_size);
    grasper *p = SAC_NEW(grasper);
    if (!p) return sac_fail_memory("a policy");
    policy->self = p; // destroyed with the policy
    return sac_policy_add_tensor(policy, "plan.weights", 0, 1, &size, &p->weights);
}

static void destroy(void *self)
{
    sac_free(self);
}

static sac_status open(sac_policy_state *base)
{
    return sac_grip_finder_create(&((grasper_state *)base)->finder);
}

static void close(sac_policy_state *base)
{
    sac_grip_finder_destroy(((grasper_state *)base)->finder);
}

static void set_parameters(sac_policy_state *base, const float *parameters)
{
    grasper_state *s = (grasper_state *)base;
    const float *factors = parameters + ((const grasper *)base->policy->self)->weights;
    const grip_costs usual = sac_grip_usual_costs();
    s->costs = (grip_costs){.lever = (1 + (double)factors[LEVER]) * usual.lever,
                            .depth = (1 + (double)factors[DEPTH]) * usual.depth,
                            .tilt = (1 + (double)factors[TILT]) * usual.tilt,
                            .roll = (1 + (double)factors[ROLL]) * usual.roll,
                            .width = (1 + (double)factors[WIDTH]) * usual.width};
}

static void reset(sac_policy_state *base)
{
    (void)base; // it remembers nothing
}

// The thing as it is told, moved to where it lies relative to the middle of what is seen
static void place(grip_thing *thing, const float *truth, const float *shape)
{
    double axes[9];
    sac_grip_read(thing, shape);
    for (int i = 0; i < 9; i++) axes[i] = (double)truth[AXES_AT + i];
    for (int i = 0; i < thing->count; i++)
    {
        grip_solid *s = &thing->solids[i];
        double center[3], turned[9];
        grip_turn(center, axes, s->center);
        for (int c = 0; c < 3; c++)
            for (int r = 0; r < 3; r++)
            {
                turned[3 * r + c] = 0;
                for (int k = 0; k < 3; k++) turned[3 * r + c] += axes[3 * r + k] * s->axes[3 * k + c];
            }
        memcpy(s->axes, turned, sizeof turned);
        for (int k = 0; k < 3; k++) s->center[k] = center[k] + (double)truth[k];
    }
}

static void say(float *action, const grip_grasp *g, const sac_policy_def *def)
{
    for (int i = 0; i < 3; i++) action[i] = (float)g->tip[i], action[3 + i] = (float)g->approach[i];
    action[6] = (float)g->roll;
    sac_policy_bound(def, action);
}

// @return how many were found; where none was, the middle of what is seen from above stands in
static int find(grasper_state *s, const void *const *inputs, int room)
{
    float truth[TRUTH + GRIP_SHAPE_NUMBERS];
    grip_thing thing;
    sac_actor_tell_vectors(truth, &s->base.policy->def, inputs);
    place(&thing, truth, truth + TRUTH);
    const int count = sac_grip_find(s->finder, s->found, room, &thing, (double)truth[TABLE_AT], &s->costs);
    if (count == 0) s->found[0] = (grip_grasp){.approach = {0, 0, -1}};
    return count;
}

// Whether a grasp holds, and where that is asked for also beside its place
static sac_status holds(bool *out, const grasper_state *s, const sac_trial *trial, const grip_grasp *g)
{
    const sac_policy *policy = s->base.policy;
    const grasper_config *config = policy->config;
    double axes[9];
    sac_grip_axes(axes, g->approach, g->roll);
    *out = true;
    for (int side = 0; side <= (config->check ? SIDES : 0) && *out; side++)
    {
        grip_grasp beside = *g;
        float action[GRIP_ACTION];
        double reward;
        const double off = side == 0 ? 0 : side % 2 ? 0.005 : -0.005;
        for (int i = 0; i < 3; i++) beside.tip[i] += off * axes[3 * i + (side > 2)];
        say(action, &beside, &policy->def);
        SAC_TRY(trial->run(trial->self, action, 1, &reward));
        *out = reward > 0;
    }
    return SAC_OK;
}

static sac_status search(sac_policy_state *base, const sac_trial *trial, const void *const *inputs, float *action)
{
    grasper_state *s = (grasper_state *)base;
    const grasper_config *config = base->policy->config;
    const int count = find(s, inputs, config->tries > 0 ? config->tries : 1);
    say(action, &s->found[0], &base->policy->def);
    for (int i = 0; i < count && i < config->tries; i++)
    {
        bool good;
        SAC_TRY(holds(&good, s, trial, &s->found[i]));
        if (!good) continue;
        say(action, &s->found[i], &base->policy->def);
        break;
    }
    return SAC_OK;
}

// where there is no world to try anything out in
static void act(sac_policy_state *base, const void *const *inputs, float *action)
{
    grasper_state *s = (grasper_state *)base;
    find(s, inputs, 1);
    say(action, &s->found[0], &base->policy->def);
}

const sac_policy_ops sac_grasper_ops = {.name = "grasper",
                                        .options = options,
                                        .config_size = sizeof(grasper_config),
                                        .taste = SAC_TASTE_NUMBERS,
                                        .create = create,
                                        .destroy = destroy,
                                        .state_size = sizeof(grasper_state),
                                        .open = open,
                                        .close = close,
                                        .set_parameters = set_parameters,
                                        .reset = reset,
                                        .act = act,
                                        .search = search};
