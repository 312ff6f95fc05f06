// A planner in a shared object: a kind of policy that tries actions out in a copy of the world before it acts.
//
//     cc -O2 -shared -fPIC $(pkg-config --cflags saccade) planner.c -o planner.so
//     saccade train planner.yaml --plugin ./planner.so --plugin ./eyes.so --run runs/planner
//     saccade distill planned.yaml --plugin ./planner.so --plugin ./eyes.so --run runs/planned
//
// It acts in any world that can be saved (saccade/env.h). Each of its plans is one action that is held for `hold`
// steps; it does what the plan that returns most begins with, of equals the first, and plans anew in the next step. The
// plans are its parameters: they are drawn, and evolution may move them. docs/plugins.md goes on from here.
#include <saccade/plugin.h>
#include <stdlib.h>
#include <string.h>

typedef struct planner_config
{
    int plans, hold;
} planner_config;

static const sac_option planner_options[] = {
    {"plans", SAC_OPTION_INT, offsetof(planner_config, plans), "16", 1, 4096, NULL, "actions that are tried"},
    {"hold", SAC_OPTION_INT, offsetof(planner_config, hold), "20", 1, 10000, NULL, "steps that each is held for"},
    {0},
};

typedef struct planner
{
    planner_config config;
    const sac_policy_def *def;
    int parameters;
} planner;

typedef struct planner_state
{
    const planner *kind;
    float *plans;  // [plans, action_size], -1..1 for the range of each number
    float *action; // [action_size] that is being tried
} planner_state;

static sac_status planner_create(void **self, sac_policy *policy, const void *config)
{
    planner made = {.config = *(const planner_config *)config, .def = sac_policy_get_def(policy)};
    const int shape[] = {made.config.plans, made.def->action_size};
    sac_status status = sac_policy_add_tensor(policy, "plans", 1, 2, shape, NULL);
    if (status != SAC_OK) return status;
    made.parameters = shape[0] * shape[1];
    *self = malloc(sizeof made);
    if (!*self) return sac_fail(SAC_ERROR_MEMORY, "planner: no memory");
    memcpy(*self, &made, sizeof made);
    return SAC_OK;
}

static void planner_destroy(void *self)
{
    free(self);
}

static void planner_state_destroy(void *state)
{
    planner_state *s = state;
    free(s->plans);
    free(s->action);
    free(s);
}

static sac_status planner_state_create(void **state, const void *self)
{
    planner_state *s = calloc(1, sizeof *s);
    if (!s) return sac_fail(SAC_ERROR_MEMORY, "planner: no memory");
    s->kind = self;
    s->plans = malloc(sizeof(float) * (size_t)s->kind->parameters);
    s->action = malloc(sizeof(float) * (size_t)s->kind->def->action_size);
    if (!s->plans || !s->action)
    {
        planner_state_destroy(s);
        return sac_fail(SAC_ERROR_MEMORY, "planner: no memory");
    }
    *state = s;
    return SAC_OK;
}

static void planner_set_parameters(void *state, const float *parameters)
{
    planner_state *s = state;
    memcpy(s->plans, parameters, sizeof(float) * (size_t)s->kind->parameters);
}

// The action of a plan, which is kept within the bounds: the world takes it as it is.
static void read_plan(const planner_state *s, int plan, float *action)
{
    const sac_policy_def *def = s->kind->def;
    for (int i = 0; i < def->action_size; i++)
    {
        const float at = s->plans[plan * def->action_size + i], low = def->action_low[i], high = def->action_high[i];
        const float wanted = (low + high) / 2 + at * (high - low) / 2;
        action[i] = wanted > high ? high : wanted > low ? wanted : low;
        if (def->action_choices > 0) action[i] = (float)(int)(action[i] + 0.5f);
    }
}

// What holding an action returns until the episode ends; nothing is drawn on the way, since no part is wanted.
static sac_status try_action(const planner_state *s, sac_env *world, double *total)
{
    void *parts[64] = {NULL};
    double reward = 0;
    uint8_t terminated = 0, truncated = 0;
    const sac_env_row row = {s->action, parts, &reward, &terminated, &truncated};
    *total = 0;
    for (int i = 0; i < s->kind->config.hold && !terminated && !truncated; i++)
    {
        sac_status status = sac_env_step(world, &row);
        if (status != SAC_OK) return status;
        *total += reward;
    }
    return SAC_OK;
}

static sac_status planner_plan(void *state, sac_env *copy, const void *now, size_t size, const void *const *inputs,
                               float *action)
{
    planner_state *s = state;
    double best = 0;
    (void)inputs; // the world itself tells it more
    for (int i = 0; i < s->kind->config.plans; i++)
    {
        double total;
        read_plan(s, i, s->action);
        sac_status status = sac_env_restore(copy, now, size);
        if (status == SAC_OK) status = try_action(s, copy, &total);
        if (status != SAC_OK) return status;
        if (i > 0 && !(total > best)) continue;
        best = total;
        memcpy(action, s->action, sizeof(float) * (size_t)s->kind->def->action_size);
    }
    return SAC_OK;
}

// where there is no world to try anything out in
static void planner_act(void *state, const void *const *inputs, float *action)
{
    (void)inputs;
    read_plan(state, 0, action);
}

static const sac_policy_kind_ops planner_ops = {.name = "planner",
                                                .options = planner_options,
                                                .config_size = sizeof(planner_config),
                                                .create = planner_create,
                                                .destroy = planner_destroy,
                                                .state_create = planner_state_create,
                                                .state_destroy = planner_state_destroy,
                                                .set_parameters = planner_set_parameters,
                                                .act = planner_act,
                                                .plan = planner_plan};

static const sac_policy_kind_ops *const kinds[] = {&planner_ops, NULL};
SAC_PLUGIN(NULL, kinds)
