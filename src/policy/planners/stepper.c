#include <float.h>
#include <math.h>

#include "base/error.h"
#include "base/memory.h"
#include "policy/actor.h"
#include "policy/kind.h"

/// A planner of footholds for robots with four legs (`legs:*`): it is told the ground about where each foot would land,
/// and sends the foot to the nearest place from which the ground is level all around. It walks straight ahead at one
/// speed, in the middle of the course. It sees no picture, so it makes teachers.

typedef struct stepper_config
{
    double speed, margin, rough, aside, lead, align, crouch;
} stepper_config;

static const sac_option options[] = {
    {"speed", SAC_OPTION_REAL, offsetof(stepper_config, speed), "0.14", 0, 1, NULL, "m/s at which it walks"},
    {"margin", SAC_OPTION_REAL, offsetof(stepper_config, margin), "0.025", 0, 0.1, NULL,
     "metres about a foothold that should be level"},
    {"rough", SAC_OPTION_REAL, offsetof(stepper_config, rough), "0.04", 0.001, 1, NULL,
     "metres by which ground that counts as level may differ in height"},
    {"aside", SAC_OPTION_REAL, offsetof(stepper_config, aside), "0.05", 0, 0.075, NULL,
     "metres to either side that a foothold may be from where the foot would land"},
    {"lead", SAC_OPTION_REAL, offsetof(stepper_config, lead), "0", 0, 0.1, NULL,
     "metres ahead of its place that a foot is sent, because it lags behind in a short swing"},
    {"align", SAC_OPTION_REAL, offsetof(stepper_config, align), "0", 0, 20, NULL,
     "m/s to the side for each metre that the feet must go to that side: the trunk follows columns of stones"},
    {"crouch", SAC_OPTION_REAL, offsetof(stepper_config, crouch), "0", 0, 0.05, NULL,
     "climbing: metres by which the trunk is lower, so that the rear legs reach down to the stair behind"},
    {0},
};

/// What is told: the truth (speed, height, place across, heading as a point of the circle, place along), then for each
/// foot that an action names heights of the ground [along, across], a centimetre apart along and 2.5 across
/// (docs/legs.md).
enum
{
    TRUTH = 8,
    FEET = 4, // at most
    PLACE_ACROSS = 4,
    HEADING_COSINE = 5,
    HEADING_SINE = 6,
    ALONG = 51,
    ACROSS = 7,
    CELLS = ALONG * ACROSS,
    REACH = 20, // cells along that a foothold can be away from the middle
    PLACES = (2 * REACH + 1) * ACROSS,
    BODY = 3,     // numbers of an action about the trunk: speed, sideways speed, twist
    CLIMBING = 3, // and of the map of climbing: clearance, height, pitch
};

static const double apart_along = 0.01, apart_across = 0.025;

/// What its parameters scale by 1 + their values: how hard it keeps to the middle, and to the course's
/// direction, and how much the mean of two footholds counts.
enum
{
    CENTRING,
    STEERING,
    WEIGHTS
};

static const float typed[WEIGHTS] = {[CENTRING] = 0.5f, [STEERING] = 1};

typedef struct stepper
{
    size_t weights;
    int feet; // that an action names: four, or a front one and a rear one; the front ones come first
    bool climbs;
    bool either; // an action names a place behind and one ahead for each foot, and which of the two
} stepper;

typedef struct stepper_state
{
    sac_policy_state base;
    float weights[WEIGHTS];
} stepper_state;

static sac_status create(sac_policy *policy)
{
    const sac_policy_def *def = &policy->def;
    const int size = WEIGHTS, ground = def->input_count == 2 ? (int)sac_space_size(&def->inputs[1]) : 0;
    const int feet = ground / CELLS;
    if (!ground || sac_space_size(&def->inputs[0]) != TRUTH || ground % CELLS != 0 || (feet != 2 && feet != 4))
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "policy: a stepper takes the parts 'truth' and 'ground' of legs:stones and its like (inputs: "
                        "truth ground)");
    const bool climbs = def->action_size == 3 * feet + BODY + CLIMBING;
    const bool either = feet == 2 && def->action_size == 4 * feet + BODY;
    if (def->action_choices || (!climbs && !either && def->action_size != 2 * feet + BODY))
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "policy: a stepper acts by the maps 'footholds' or 'climbing' (option action of the world)");
    stepper *p = SAC_NEW(stepper);
    if (!p) return sac_fail_memory("a policy");
    p->feet = feet;
    p->climbs = climbs;
    p->either = either;
    policy->self = p; // destroyed with the policy
    return sac_policy_add_tensor(policy, "plan.weights", 0, 1, &size, &p->weights);
}

static void destroy(void *self)
{
    sac_free(self);
}

static void set_parameters(sac_policy_state *base, const float *parameters)
{
    stepper_state *s = (stepper_state *)base;
    const float *factors = parameters + ((const stepper *)base->policy->self)->weights;
    for (int i = 0; i < WEIGHTS; i++) s->weights[i] = (1 + factors[i]) * typed[i];
}

static void reset(sac_policy_state *base)
{
    (void)base; // it remembers nothing
}

static float height_at(const float *ground, int along, int across)
{
    return ground[along * ACROSS + across];
}

static int cells(double metres, double apart)
{
    return (int)(metres / apart + 0.5);
}

// How many of the cells about one are not level with it, as far as they are known.
static int count_rough(const float *ground, int along, int across, const stepper_config *config)
{
    const int before = cells(config->margin, apart_along), beside = cells(config->margin, apart_across);
    const float height = height_at(ground, along, across), rough = (float)config->rough;
    int count = 0;
    for (int i = along - before; i <= along + before; i++)
        for (int k = across - beside; k <= across + beside; k++)
            if (i >= 0 && i < ALONG && k >= 0 && k < ACROSS && fabsf(height_at(ground, i, k) - height) > rough) count++;
    return count;
}

// A place for a foot, from where it would land, and what it costs to stand there.
typedef struct place
{
    float x, y, z, cost;
} place;

// What it costs to stand at each place within reach: ground that is far below or above, or not level, or far away.
// @return how many places
static int weigh(place *places, const float *ground, const stepper_config *config)
{
    const int middle_along = ALONG / 2, middle_across = ACROSS / 2, aside = cells(config->aside, apart_across);
    const int breadth = 2 * aside + 1, count = (2 * REACH + 1) * breadth;
    for (int n = 0; n < count; n++)
    {
        const int i = middle_along - REACH + n / breadth, k = middle_across - aside + n % breadth;
        place *p = &places[n];
        *p = (place){.x = (float)((i - middle_along) * apart_along), .y = (float)((k - middle_across) * apart_across)};
        p->z = height_at(ground, i, k);
        p->cost = (fabsf(p->z) > 0.3f ? 1000 * fabsf(p->z) : 0) + (float)count_rough(ground, i, k, config) +
                  4 * p->x * p->x + 8 * p->y * p->y;
    }
    return count;
}

// Where a place may be.
typedef struct range
{
    float x[2], y[2];
} range;

static const range anywhere = {{-FLT_MAX, FLT_MAX}, {-FLT_MAX, FLT_MAX}};

static bool is_in(const place *p, const range *r)
{
    return p->x >= r->x[0] && p->x <= r->x[1] && p->y >= r->y[0] && p->y <= r->y[1];
}

// The cheapest place in a range.
static place choose(const place *places, int count, range r)
{
    place best = {.cost = FLT_MAX};
    for (int n = 0; n < count; n++)
        if (places[n].cost < best.cost && is_in(&places[n], &r)) best = places[n];
    best.z = best.z < -0.05f ? -0.05f : best.z > 0.25f ? 0.25f : best.z;
    return best;
}

// A place behind and one ahead, and which of the two: by how much the other is farther away, so that all three change
// smoothly from frame to frame wherever they count. A place that is not level is no choice where the other one is.
static void choose_either(const place *places, int count, range r, float lead, float *back, float *ahead, float *which)
{
    const float smooth = 0.1f; // m of difference at which the choice is beyond doubt
    range back_range = r, ahead_range = r;
    back_range.x[1] = ahead_range.x[0] = -lead;
    const place behind = choose(places, count, back_range), before = choose(places, count, ahead_range);
    const bool behind_level = behind.cost < 1, before_level = before.cost < 1;
    *back = -behind.x - lead;
    *ahead = before.x + lead;
    *which = behind_level == before_level ? (-behind.x - before.x) / smooth : before_level ? 1 : -1;
}

// The highest ground that the foot passes on its way
static float highest(const float *ground)
{
    float most = -FLT_MAX;
    for (int i = ALONG / 2 - REACH; i <= ALONG / 2 + REACH; i++)
        for (int k = 1; k < ACROSS - 1; k++)
            if (height_at(ground, i, k) > most) most = height_at(ground, i, k);
    return most;
}

// Writes x of a foot's place, or with `either` the place behind, the one ahead and which of the two, a row apart. Both
// are in the column of the nearest place where columns are followed.
static void write_x(float *action, const stepper *p, const stepper_config *config, const place *places, int count,
                    place nearest)
{
    const float lead = (float)config->lead;
    range r = anywhere;
    if (config->align > 0) r.y[0] = r.y[1] = nearest.y;
    if (p->either)
        choose_either(places, count, r, lead, &action[0], &action[p->feet], &action[2 * p->feet]);
    else
        action[0] = nearest.x + lead;
}

static void act(sac_policy_state *base, const void *const *inputs, float *action)
{
    const stepper_state *s = (const stepper_state *)base;
    const stepper *p = base->policy->self;
    const stepper_config *config = base->policy->config;
    const sac_policy_def *def = &base->policy->def;
    float truth[TRUTH + FEET * CELLS];
    const float *ground = truth + TRUTH;
    const int at_each_end = p->feet / 2;
    float front = 0, rear = 0, top = 0, aside = 0;
    sac_actor_tell_vectors(truth, def, inputs);
    for (int foot = 0; foot < p->feet; foot++)
    {
        place places[PLACES];
        const int count = weigh(places, ground + (ptrdiff_t)foot * CELLS, config);
        const place f = choose(places, count, anywhere);
        write_x(action + foot, p, config, places, count, f);
        action[(p->either ? 3 : 1) * p->feet + foot] = f.y;
        aside += f.y / (float)p->feet;
        *(foot < at_each_end ? &front : &rear) += f.z / (float)at_each_end;
        if (!p->climbs) continue;
        action[2 * p->feet + foot] = f.z;
        const float above = highest(ground + (ptrdiff_t)foot * CELLS) - f.z;
        if (above > top) top = above;
    }
    float *body = action + (p->either ? 4 : p->climbs ? 3 : 2) * p->feet;
    if (p->climbs) *body++ = 0.08f + (top < 0.15f ? top : 0.15f);
    body[0] = (float)config->speed * (truth[HEADING_COSINE] > 0 ? truth[HEADING_COSINE] : 0);
    body[1] = -s->weights[CENTRING] * truth[PLACE_ACROSS];
    if (config->align > 0) body[1] += (float)config->align * aside;
    body[2] = -s->weights[STEERING] * truth[HEADING_SINE];
    if (p->climbs) body[3] = -(float)config->crouch, body[4] = (rear - front) / 0.44f;
    sac_policy_bound(def, action);
}

const sac_policy_ops sac_stepper_ops = {.name = "stepper",
                                        .options = options,
                                        .config_size = sizeof(stepper_config),
                                        .taste = SAC_TASTE_NUMBERS,
                                        .create = create,
                                        .destroy = destroy,
                                        .state_size = sizeof(stepper_state),
                                        .set_parameters = set_parameters,
                                        .reset = reset,
                                        .act = act};
