#include "env/legs/fits.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

// where options have an effect
static bool on_a_course(const legs_config *c, const legs_rules *r)
{
    (void)c;
    return r->course != LEGS_FLAT;
}

static bool among_obstacles(const legs_config *c, const legs_rules *r)
{
    (void)c;
    return r->course == LEGS_OBSTACLES;
}

static bool on_stones(const legs_config *c, const legs_rules *r)
{
    (void)c;
    return r->course == LEGS_STONES;
}

static bool by_generator(const legs_config *c, const legs_rules *r)
{
    (void)r;
    return strcmp(c->action, "pmtg") == 0;
}

static bool by_footholds(const legs_config *c, const legs_rules *r)
{
    return !by_generator(c, r);
}

static const struct
{
    const char *option;
    bool (*counts)(const legs_config *config, const legs_rules *rules);
    const char *where;
} somewhere[] = {
    {"walls", among_obstacles, "the world legs:obstacles"},
    {"stones", on_stones, "the world legs:stones"},
    {"level", on_a_course, "worlds with a course"},
    {"least_level", on_a_course, "worlds with a course"},
    {"length", on_a_course, "worlds with a course"},
    {"gait", by_generator, "the action pmtg"},
    {"heights", by_generator, "the action pmtg"},
    {"period", by_footholds, "the actions footholds, climbing and released"},
    {"instant", by_footholds, "the actions footholds, climbing and released"},
    {"released_stance", by_footholds, "the actions footholds, climbing and released"},
    {"told_speed", by_footholds, "the actions footholds, climbing and released"},
};

enum
{
    SOMEWHERE = sizeof somewhere / sizeof *somewhere
};

static const sac_option *find(const sac_option *options, const char *name)
{
    while (strcmp(options->name, name) != 0) options++;
    return options;
}

static bool is_default(const sac_option *option, const legs_config *config, const legs_config *defaults)
{
    char given[SAC_TEXT_SIZE], fallback[SAC_TEXT_SIZE];
    sac_options_format(option, config, given);
    sac_options_format(option, defaults, fallback);
    return strcmp(given, fallback) == 0;
}

static sac_status check(const legs_config *c, const legs_rules *rules, legs_config *defaults)
{
    SAC_TRY(sac_options_read(rules->options, defaults, NULL, 0, rules->id));
    for (int i = 0; i < SOMEWHERE; i++)
    {
        const sac_option *option = find(rules->options, somewhere[i].option);
        if (!somewhere[i].counts(c, rules) && !is_default(option, c, defaults))
            return sac_fail(SAC_ERROR_ARGUMENT, "'%s' is for %s", option->name, somewhere[i].where);
    }
    if (c->least_level > c->level && !is_default(find(rules->options, "least_level"), c, defaults))
        return sac_fail(SAC_ERROR_ARGUMENT, "least_level is %g, expected at most level, which is %g", c->least_level,
                        c->level);
    if (c->camera_latency_ms > c->repeat * c->control_ms + 1e-9)
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "camera_latency_ms is %g, expected at most what an action lasts: repeat %d times control_ms "
                        "%g is %g%s",
                        c->camera_latency_ms, c->repeat, c->control_ms, c->repeat * c->control_ms,
                        is_default(find(rules->options, "camera_latency_ms"), c, defaults)
                            ? "; it is this world's default, so set camera_latency_ms too"
                            : "");
    return SAC_OK;
}

sac_status sac_legs_fits(const legs_config *config, const legs_rules *rules)
{
    legs_config *defaults = SAC_NEW(legs_config);
    if (!defaults) return sac_fail_memory("options");
    const sac_status status = check(config, rules, defaults);
    sac_free(defaults);
    return status;
}
