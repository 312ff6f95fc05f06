#include "env/parts.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"

static const char *part_name(const void *spec, int index)
{
    const sac_env_spec *s = spec;
    return index < s->observation_count ? s->observations[index].name : NULL;
}

sac_status sac_env_read_parts(const sac_env *env, const char *names, const char *where, int parts[SAC_MAX_PARTS],
                              int *count)
{
    const sac_env_spec *spec = sac_env_get_spec(env);
    char text[SAC_TEXT_SIZE], *rest = NULL;
    *count = 0;
    if (strlen(names) >= sizeof text) return sac_fail(SAC_ERROR_ARGUMENT, "%s: the list is too long", where);
    strcpy(text, names);
    for (char *name = strtok_r(text, " ,", &rest); name; name = strtok_r(NULL, " ,", &rest))
    {
        int part = sac_space_find(spec->observations, spec->observation_count, name);
        if (part < 0)
            return sac_fail(SAC_ERROR_ARGUMENT, "%s: %s has no part '%.60s'%s", where, sac_env_get_ops(env)->name, name,
                            sac_did_you_mean(sac_nearest(name, part_name, spec)));
        for (int i = 0; i < *count; i++)
            if (parts[i] == part) return sac_fail(SAC_ERROR_ARGUMENT, "%s: '%.60s' stands there twice", where, name);
        parts[(*count)++] = part;
    }
    return SAC_OK;
}
