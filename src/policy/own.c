#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "policy/kind.h"

/// Kinds of policies of others: a public sac_policy_kind_ops behind the table that built-in kinds have. What every
/// policy promises is kept here, whatever the kind does: actions are finite and within their bounds, failures have a
/// sentence.

enum
{
    MAX_REGISTERED = 32
};

typedef struct registered
{
    sac_policy_ops ops; // first, so that one points to the other
    const sac_policy_kind_ops *kind;
} registered;

static registered all[MAX_REGISTERED];
static int count;

typedef struct own
{
    const sac_policy_kind_ops *kind;
    void *self;
} own;

typedef struct own_state
{
    sac_policy_state base; // first
    const own *own;
    void *state;
    uint8_t *bytes; // [height, width, channels] of an image that came in floats
} own_state;

const sac_policy_ops *sac_policy_own_at(int index)
{
    return index < count ? &all[index].ops : NULL;
}

void sac_policy_unregister_last(int number)
{
    SAC_ASSERT(number >= 0 && number <= count);
    count -= number;
}

// ---- what is fixed

static void destroy(void *self)
{
    own *o = self;
    if (o && o->self) o->kind->destroy(o->self);
    sac_free(o);
}

static sac_status create(sac_policy *policy)
{
    own *o = SAC_NEW(own);
    if (!o) return sac_fail_memory("a policy");
    policy->self = o; // destroyed with the policy
    o->kind = ((const registered *)policy->ops)->kind;
    uint64_t failures = sac_failure_count();
    sac_status status = o->kind->create(&o->self, policy, policy->config);
    if (status != SAC_OK) o->self = NULL; // released by the kind
    SAC_TRY(sac_outcome(status, failures, o->kind->name, "create"));
    if (policy->parameter_count == 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "policy: kind '%s' declares no tensor, so that there is nothing to learn",
                        o->kind->name);
    return SAC_OK;
}

// ---- what changes

static void close_state(sac_policy_state *base)
{
    own_state *s = (own_state *)base;
    if (s->state) s->own->kind->state_destroy(s->state);
    sac_free(s->bytes);
}

static sac_status open_state(sac_policy_state *base)
{
    const sac_policy *policy = base->policy;
    own_state *s = (own_state *)base;
    s->own = policy->self;
    s->bytes = sac_alloc_array((size_t)policy->def.height * (size_t)policy->def.width, (size_t)policy->def.channels);
    if (!s->bytes) return sac_fail_memory("a policy's state");
    uint64_t failures = sac_failure_count();
    sac_status status = s->own->kind->state_create(&s->state, s->own->self);
    if (status != SAC_OK) s->state = NULL;
    return sac_outcome(status, failures, s->own->kind->name, "state_create");
}

static void set_parameters(sac_policy_state *base, const float *parameters)
{
    own_state *s = (own_state *)base;
    s->own->kind->set_parameters(s->state, parameters);
}

static void reset(sac_policy_state *base)
{
    own_state *s = (own_state *)base;
    if (s->own->kind->reset) s->own->kind->reset(s->state);
}

// ---- what it does

static void act(sac_policy_state *base, const void *const *inputs, float *action)
{
    own_state *s = (own_state *)base;
    s->own->kind->act(s->state, inputs, action);
    sac_policy_bound(&base->policy->def, action);
}

static sac_status plan(sac_policy_state *base, struct sac_env *copy, const void *now, size_t size,
                       const void *const *inputs, float *action)
{
    own_state *s = (own_state *)base;
    uint64_t failures = sac_failure_count();
    sac_status status = s->own->kind->plan(s->state, copy, now, size, inputs, action);
    sac_policy_bound(&base->policy->def, action);
    return sac_outcome(status, failures, s->own->kind->name, "plan");
}

static void act_float(sac_policy_state *base, const float *observation, float *action)
{
    own_state *s = (own_state *)base;
    if (s->own->kind->act_float)
        s->own->kind->act_float(s->state, observation, action);
    else
    {
        const sac_policy_def *def = &s->base.policy->def;
        size_t size = (size_t)def->height * (size_t)def->width * (size_t)def->channels;
        for (size_t i = 0; i < size; i++)
        {
            float x = observation[i] > 0 ? fminf(observation[i], 1) : 0; // NaN is 0, too
            s->bytes[i] = (uint8_t)rintf(255 * x);
        }
        const void *inputs[] = {s->bytes};
        s->own->kind->act(s->state, inputs, action);
    }
    sac_policy_bound(&base->policy->def, action);
}

static void gaze(sac_policy_state *base, sac_gaze *seen)
{
    own_state *s = (own_state *)base;
    if (s->own->kind->gaze) s->own->kind->gaze(s->state, seen);
}

static void patch(const sac_policy_state *base, int index, float *pixels)
{
    const own_state *s = (const own_state *)base;
    s->own->kind->patch(s->state, index, pixels);
}

static void attention_row(const sac_policy_state *base, int query, float *weights)
{
    const own_state *s = (const own_state *)base;
    s->own->kind->attention_row(s->state, query, weights);
}

// ---- registration

sac_status sac_policy_own_check(const sac_policy_kind_ops *kind)
{
    static const char forbidden[] = " \t\n,;=\"'";
    if (!kind->name || !kind->name[0]) return sac_fail(SAC_ERROR_ARGUMENT, "a kind of policy has no name");
    if (strlen(kind->name) >= SAC_TEXT_SIZE || strpbrk(kind->name, forbidden))
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "policy kind '%.80s': a name has at most %d characters, and no spaces, commas or quotes",
                        kind->name, SAC_TEXT_SIZE - 1);
    const struct
    {
        const char *name;
        bool there;
    } required[] = {
        {"create", kind->create != NULL},
        {"destroy", kind->destroy != NULL},
        {"state_create", kind->state_create != NULL},
        {"state_destroy", kind->state_destroy != NULL},
        {"set_parameters", kind->set_parameters != NULL},
        {"act", kind->act != NULL},
    };
    for (size_t i = 0; i < sizeof required / sizeof *required; i++)
        if (!required[i].there)
            return sac_fail(SAC_ERROR_ARGUMENT,
                            "policy kind '%s' has no %s; create, destroy, state_create, state_destroy, set_parameters "
                            "and act are needed",
                            kind->name, required[i].name);
    if (kind->options && kind->config_size < sac_options_size(kind->options))
        return sac_fail(SAC_ERROR_ARGUMENT, "policy kind '%s': config_size is %zu, its options reach to byte %zu",
                        kind->name, kind->config_size, sac_options_size(kind->options));
    return SAC_OK;
}

sac_status sac_policy_own_add(const sac_policy_kind_ops *kind)
{
    static const sac_option none[] = {{0}};
    if (count == MAX_REGISTERED)
        return sac_fail(SAC_ERROR_ARGUMENT, "policy kind '%s': more than %d registered", kind->name, MAX_REGISTERED);
    all[count++] = (registered){.ops = {.name = kind->name,
                                        .options = kind->options ? kind->options : none,
                                        .config_size = kind->config_size,
                                        .taste = SAC_TASTE_ANY,
                                        .create = create,
                                        .destroy = destroy,
                                        .state_size = sizeof(own_state),
                                        .open = open_state,
                                        .close = close_state,
                                        .set_parameters = set_parameters,
                                        .reset = reset,
                                        .act = act,
                                        .plan = kind->plan ? plan : NULL,
                                        .act_float = act_float,
                                        .gaze = gaze,
                                        .patch = kind->patch ? patch : NULL,
                                        .attention_row = kind->attention_row ? attention_row : NULL},
                                .kind = kind};
    return SAC_OK;
}
