#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "env/bridge/bridge.h"
#include "saccade/env.h"

/// gym:<id>: any Gymnasium environment, in a worker process.

typedef struct gym_config
{
    char name[SAC_TEXT_SIZE];
    char kwargs[SAC_TEXT_SIZE];
    char observe[SAC_TEXT_SIZE];
    char privileged[SAC_TEXT_SIZE];
    int max_steps;
    sac_bridge_settings bridge;
} gym_config;

static const sac_option options[] = {
    {"name", SAC_OPTION_TEXT, offsetof(gym_config, name), "", 0, 0, NULL,
     "what follows 'gym:', such as CartPole-v1 or module:Name-v0; given by the id itself"},
    {"kwargs", SAC_OPTION_TEXT, offsetof(gym_config, kwargs), "{}", 0, 0, NULL,
     "keyword arguments of gymnasium.make as a JSON object, such as '{\"continuous\": false}'"},
    {"observe", SAC_OPTION_TEXT, offsetof(gym_config, observe), "", 0, 0, NULL,
     "which part comes first: an entry of a dict, render (the people's picture, as part camera), or vector (numbers "
     "alone); empty: pictures, then numbers"},
    {"privileged", SAC_OPTION_TEXT, offsetof(gym_config, privileged), "", 0, 0, NULL,
     "entries of a dict that only teachers, critics and planners may see, beside those that the world's own "
     "metadata[\"privileged\"] lists"},
    {"max_steps", SAC_OPTION_INT, offsetof(gym_config, max_steps), "0", 0, 1000000, NULL,
     "an episode is truncated after so many; 0: the environment's own limit, or 10000"},
    SAC_BRIDGE_OPTIONS(gym_config, bridge),
    {0},
};

// the name is a part of the id, which is compared
static const char *const same_world[] = {"name", "observe", SAC_BRIDGE_SAME_WORLD, NULL};

// The worker gets everything in one JSON object, so that no text of a user is ever part of a command line.
static sac_status make_config(const gym_config *config, char **text)
{
    json_error_t error;
    json_t *kwargs = json_loads(config->kwargs, JSON_REJECT_DUPLICATES, &error);
    if (!json_is_object(kwargs))
    {
        json_decref(kwargs);
        return sac_fail(SAC_ERROR_ARGUMENT, "gym:%s: kwargs is '%.80s', expected a JSON object: %.80s", config->name,
                        config->kwargs, kwargs ? "this is another value" : error.text);
    }
    json_t *all = json_pack("{s:s, s:s, s:s, s:s, s:o}", "world", "gym", "id", config->name, "observe", config->observe,
                            "privileged", config->privileged, "kwargs", kwargs);
    *text = all ? json_dumps(all, JSON_COMPACT) : NULL;
    json_decref(all);
    return *text ? SAC_OK : sac_fail(SAC_ERROR_ARGUMENT, "gym:%s: a text is not UTF-8", config->name);
}

static sac_status gym_create(void **self, const void *config, const char *variant)
{
    const gym_config *c = config;
    char name[SAC_TEXT_SIZE + 4], *text;
    snprintf(name, sizeof name, "gym:%s", c->name);
    if (strcmp(variant, "original") != 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "%s: unknown variant '%.80s', it has none", name, variant);
    SAC_TRY(make_config(c, &text));
    sac_bridge *bridge;
    sac_status status = sac_bridge_create(&bridge, &(sac_bridge_def){name, &c->bridge, text, NULL, NULL, c->max_steps});
    free(text);
    *self = bridge;
    return status;
}

// The rest is the bridge's own: to it a Gymnasium environment is one of its worlds.
static void gym_spec(const void *self, sac_env_spec *spec)
{
    sac_bridge_spec(self, spec);
}

static sac_status gym_reset(void *self, uint64_t seed, const sac_env_row *row)
{
    return sac_bridge_reset(self, seed, row);
}

static sac_status gym_step(void *self, const sac_env_row *row)
{
    sac_bridge *bridge = self;
    return sac_bridge_step(&bridge, row, 1);
}

static sac_status gym_step_batch(void *const *selves, const sac_env_row *rows, int count)
{
    return sac_bridge_step((sac_bridge *const *)selves, rows, count);
}

// Before the first reset there are no numbers yet, and zeros are told.
static void gym_state(const void *self, double *values)
{
    sac_env_spec spec;
    const double *columns = sac_bridge_columns(self);
    sac_bridge_spec(self, &spec);
    for (int i = 0; i < spec.column_count; i++) values[i] = columns ? columns[i] : 0;
}

static void gym_destroy(void *self)
{
    sac_bridge_destroy(self);
}

const sac_env_ops sac_gym_ops = {
    .name = "gym:",
    .summary = "any Gymnasium environment as gym:<id>, in worker processes",
    .options = options,
    .config_size = sizeof(gym_config),
    .same_world = same_world,
    .create = gym_create,
    .spec = gym_spec,
    .reset = gym_reset,
    .step = gym_step,
    .step_batch = gym_step_batch,
    .state = gym_state,
    .destroy = gym_destroy,
};
