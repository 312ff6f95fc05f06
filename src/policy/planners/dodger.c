#include <float.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "policy/actor.h"
#include "policy/kind.h"

/// A planner that dodges what flies straight, as fireballs do in take-cover: it is told places and velocities, works
/// out what would come of some plans, and does what the best of them begins with. It sees no picture, so it makes
/// teachers.
///
/// The player moves along y alone, by Doom's own rules: in a tic v += 0.75 a, y += v, v *= 0.90625, a being 1 for left,
/// -1 for right, 0 for none; a wall stops it. What flies at the velocity it has hits where |dx| < 30 and |dy| < 27.
/// A plan does one thing for some actions and another one from then on.

typedef struct dodger_config
{
    int horizon, skip, hold;
    double margin, near, centre, delay;
} dodger_config;

static const sac_option options[] = {
    {"horizon", SAC_OPTION_INT, offsetof(dodger_config, horizon), "60", 1, 200, NULL, "tics that a plan looks ahead"},
    {"skip", SAC_OPTION_INT, offsetof(dodger_config, skip), "1", 1, 35, NULL,
     "tics that an action lasts, as the world's option of that name says"},
    {"hold", SAC_OPTION_INT, offsetof(dodger_config, hold), "1", 1, 200, NULL,
     "actions for which a plan does what it begins with, at least"},
    {"margin", SAC_OPTION_REAL, offsetof(dodger_config, margin), "8", 0, 1000, NULL,
     "map units beyond a hit that count as near"},
    {"near", SAC_OPTION_REAL, offsetof(dodger_config, near), "0.02", 0, 1000, NULL,
     "what a fireball costs that comes near; a hit costs 1"},
    {"centre", SAC_OPTION_REAL, offsetof(dodger_config, centre), "0.05", 0, 1000, NULL,
     "what it costs to be at a wall, and by the square of the way from the middle to there to be elsewhere"},
    {"delay", SAC_OPTION_REAL, offsetof(dodger_config, delay), "0.5", 0, 1, NULL,
     "share that a hit at the horizon costs less than one now"},
    {0},
};

/// What is told: the player's place and velocity, then for each of the nearest fireballs and of the nearest monsters a
/// 1, its place as seen from the player, and its velocity (docs/bridge.md).
enum
{
    PLAYER = 4,
    OBJECT = 5,
    FIREBALLS = 16,
    MONSTERS = 8,
    TOLD = PLAYER + OBJECT * (FIREBALLS + MONSTERS),
};

enum
{
    CHOICES = 3,
    SWITCHES = 13, // plans that change their mind, by when
    KEPT = 0,      // the plan that goes on with what the last action began
    PLANS = 1 + CHOICES + CHOICES * (CHOICES - 1) * SWITCHES,
    MAX_HORIZON = 200,
    MAX_THREATS = 1024, // tics at which one of the fireballs is level with the player
    MAX_ACTIONS = MAX_HORIZON,
};

// Doom's player, and the middle of the row in which it walks, in map units and tics
static const float thrust = 0.75f, friction = 0.90625f, reach_x = 30, reach_y = 27;
static const float lowest = 16, highest = 752;

/// One action for `hold` actions, another one from then on.
typedef struct plan
{
    int first, then, hold;
} plan;

/// A fireball level with the player.
typedef struct threat
{
    int tic, ball;
    float y;
} threat;

/// What a plan's costs are made of. The options of these names are multiplied by 1 + the parameters, so that evolution
/// can tune them and zeros are the options as they were typed.
enum
{
    MARGIN,
    NEAR,
    CENTRE,
    DELAY,
    WEIGHTS
};

typedef struct dodger
{
    size_t weights; // offset
} dodger;

typedef struct dodger_state
{
    sac_policy_state base; // first
    float weights[WEIGHTS];
    float costs[CHOICES]; // of the best plan that begins with each
    plan kept;
} dodger_state;

static sac_status create(sac_policy *policy)
{
    const sac_policy_def *def = &policy->def;
    const int size = WEIGHTS;
    if (def->input_count != 1 || sac_space_size(&def->inputs[0]) != TOLD)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "policy: a dodger takes one vector of %d numbers, the part 'objects' of take-cover", TOLD);
    if (def->action_choices != CHOICES)
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: a dodger chooses among 3 actions (none, left, right), not %d",
                        def->action_choices);
    dodger *d = SAC_NEW(dodger);
    if (!d) return sac_fail_memory("a policy");
    policy->self = d; // destroyed with the policy
    return sac_policy_add_tensor(policy, "plan.weights", 0, 1, &size, &d->weights);
}

static void destroy(void *self)
{
    sac_free(self);
}

static void set_parameters(sac_policy_state *base, const float *parameters)
{
    dodger_state *s = (dodger_state *)base;
    const dodger_config *config = base->policy->config;
    const double typed[WEIGHTS] = {
        [MARGIN] = config->margin, [NEAR] = config->near, [CENTRE] = config->centre, [DELAY] = config->delay};
    const float *factors = parameters + ((const dodger *)base->policy->self)->weights;
    for (int i = 0; i < WEIGHTS; i++)
    {
        const float weight = (1 + factors[i]) * (float)typed[i];
        s->weights[i] = weight > 0 ? weight : 0;
    }
}

static void reset(sac_policy_state *base)
{
    ((dodger_state *)base)->kept = (plan){.hold = MAX_ACTIONS}; // stand still
}

// the index-th plan; of a longer horizon the switches lie farther apart
static plan plan_at(const dodger_state *s, const dodger_config *config, int index)
{
    if (index == KEPT) return s->kept;
    index -= 1;
    if (index < CHOICES) return (plan){.first = index, .then = index, .hold = MAX_ACTIONS};
    index -= CHOICES;
    const int pair = index / SWITCHES, nth = index % SWITCHES;
    const int spread = (config->horizon - 1) / config->skip - config->hold; // from the first switch to the last one
    const int hold = config->hold + (spread < SWITCHES ? nth : nth * spread / (SWITCHES - 1));
    return (plan){.first = pair / 2, .then = (pair / 2 + 1 + pair % 2) % CHOICES, .hold = hold};
}

// the tics at which fireballs are level with the player, whose x stays
static int find_threats(threat *threats, const float *told, int horizon)
{
    int count = 0;
    for (int i = 0; i < FIREBALLS; i++)
    {
        const float *ball = told + PLAYER + (ptrdiff_t)i * OBJECT;
        if (ball[0] == 0 || (ball[3] == 0 && ball[4] == 0)) continue; // one that does not move has burst
        for (int t = 1; t <= horizon && count < MAX_THREATS; t++)
        {
            const float dx = ball[1] + (float)t * ball[3];
            if (dx > -reach_x && dx < reach_x)
                threats[count++] = (threat){.tic = t, .ball = i, .y = told[1] + ball[2] + (float)t * ball[4]};
        }
    }
    return count;
}

// where a plan takes the player: y[t] after t tics
static void walk(float *y, const plan *p, const float *told, const dodger_config *config)
{
    static const float ways[CHOICES] = {0, 1, -1};
    float at = told[1], v = told[3];
    y[0] = at;
    for (int t = 1; t <= config->horizon; t++)
    {
        v += thrust * ways[(t - 1) / config->skip < p->hold ? p->first : p->then];
        at += v;
        v *= friction;
        if (at < lowest || at > highest) at = at < lowest ? lowest : highest, v = 0;
        y[t] = at;
    }
}

// The cost of one fireball that comes within a distance at a tic.
static float cost_of_threat(const dodger_state *s, float distance, int tic, int horizon)
{
    const float beyond = distance - reach_y, margin = s->weights[MARGIN];
    if (beyond >= margin) return 0;
    const float sooner = 1 - s->weights[DELAY] * (float)tic / (float)horizon;
    if (beyond >= 0) return s->weights[NEAR] * (1 - beyond / margin) * sooner;
    return (1 + s->weights[NEAR] - 0.1f * beyond / reach_y) * sooner;
}

// Mean over a plan of the square of the way from the middle to a wall. The end alone would not do: whoever starts later
// ends there as well, and so puts it off for ever.
static float cost_of_place(const float *y, int horizon)
{
    const float half = (highest - lowest) / 2;
    float total = 0;
    for (int t = 1; t <= horizon; t++)
    {
        const float away = (y[t] - lowest - half) / half;
        total += away * away;
    }
    return total / (float)horizon;
}

static float cost_of_plan(const dodger_state *s, const plan *p, const float *told, const threat *threats, int count)
{
    const dodger_config *config = s->base.policy->config;
    float y[MAX_HORIZON + 1], total = 0, worst = 0;
    walk(y, p, told, config);
    for (int i = 0; i < count; i++)
    {
        const float d = y[threats[i].tic] - threats[i].y;
        const float cost = cost_of_threat(s, d < 0 ? -d : d, threats[i].tic, config->horizon);
        if (i > 0 && threats[i].ball != threats[i - 1].ball) total += worst, worst = 0;
        if (cost > worst) worst = cost;
    }
    return total + worst + s->weights[CENTRE] * cost_of_place(y, config->horizon);
}

static void act(sac_policy_state *base, const void *const *inputs, float *action)
{
    dodger_state *s = (dodger_state *)base;
    const dodger_config *config = base->policy->config;
    float told[TOLD];
    threat threats[MAX_THREATS];
    sac_tell_finite(told, inputs[0], TOLD);
    const int count = find_threats(threats, told, config->horizon);
    plan best = s->kept;
    float least = 0;
    for (int i = 0; i < CHOICES; i++) s->costs[i] = FLT_MAX;
    for (int i = 0; i < PLANS; i++)
    {
        const plan p = plan_at(s, config, i);
        const float cost = cost_of_plan(s, &p, told, threats, count);
        if (i == KEPT || cost < least) least = cost, best = p;
        // what was begun is left out, so that costs follow from what is seen alone
        if (i != KEPT && cost < s->costs[p.first]) s->costs[p.first] = cost;
    }
    action[0] = (float)best.first;
    s->kept = best;
    if (s->kept.hold < MAX_ACTIONS && --s->kept.hold == 0)
        s->kept = (plan){.first = best.then, .then = best.then, .hold = MAX_ACTIONS};
}

static const float *costs(const sac_policy_state *base)
{
    return ((const dodger_state *)base)->costs;
}

const sac_policy_ops sac_dodger_ops = {.name = "dodger",
                                       .options = options,
                                       .config_size = sizeof(dodger_config),
                                       .taste = SAC_TASTE_NUMBERS,
                                       .create = create,
                                       .destroy = destroy,
                                       .state_size = sizeof(dodger_state),
                                       .set_parameters = set_parameters,
                                       .reset = reset,
                                       .act = act,
                                       .costs = costs};
