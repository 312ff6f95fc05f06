#include "env/worlds/worlds.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "env/check.h"
#include "env/instance.h"
#include "env/worlds/built_in.h"

/// Which worlds there are: the built-in ones and those that were registered, found by name.

enum
{
    MAX_REGISTERED = 64
};

#define ROW(name) &sac_##name##_ops,
static const sac_env_ops *const built_in[] = {SAC_BUILT_IN_WORLDS(ROW)};
#undef ROW

enum
{
    BUILT_IN_COUNT = sizeof built_in / sizeof *built_in
};

static const sac_env_ops *registered[MAX_REGISTERED];
static int registered_count;

int sac_env_count(void)
{
    return BUILT_IN_COUNT + registered_count;
}

const sac_env_ops *sac_env_at(int index)
{
    SAC_ASSERT(index >= 0 && index < sac_env_count());
    return index < BUILT_IN_COUNT ? built_in[index] : registered[index - BUILT_IN_COUNT];
}

// Returns what follows a name that stands for many, such as "gym:"; NULL: it is no such name, or the id is another's.
static const char *rest_of(const sac_env_ops *ops, const char *id)
{
    size_t length = strlen(ops->name);
    bool open = length > 0 && ops->name[length - 1] == ':';
    return open && strncmp(ops->name, id, length) == 0 ? id + length : NULL;
}

const sac_env_ops *sac_env_find(const char *id)
{
    for (int i = 0; i < sac_env_count(); i++)
        if (strcmp(sac_env_at(i)->name, id) == 0 || rest_of(sac_env_at(i), id)) return sac_env_at(i);
    return NULL;
}

const char *sac_world_name(const void *user, int index)
{
    (void)user;
    return index < sac_env_count() ? sac_env_at(index)->name : NULL;
}

sac_status sac_env_register(const sac_env_ops *ops)
{
    SAC_TRY(sac_env_check_ops(ops));
    if (sac_env_find(ops->name)) return sac_fail(SAC_ERROR_ARGUMENT, "environment '%s': the name is taken", ops->name);
    if (registered_count == MAX_REGISTERED)
        return sac_fail(SAC_ERROR_ARGUMENT, "environment '%s': more than %d registered", ops->name, MAX_REGISTERED);
    registered[registered_count++] = ops;
    return SAC_OK;
}

void sac_env_unregister_last(int count)
{
    SAC_ASSERT(count >= 0 && count <= registered_count);
    registered_count -= count;
}

sac_status sac_env_create(sac_env **out, const sac_env_def *def)
{
    *out = NULL;
    const sac_env_ops *ops = sac_env_find(def->id);
    if (ops) return sac_env_open(out, ops, def, rest_of(ops, def->id));
    const char *meant = sac_did_you_mean(sac_nearest(def->id, sac_world_name, NULL));
    return sac_fail(SAC_ERROR_ARGUMENT, "unknown environment '%.80s'%s", def->id,
                    meant[0] ? meant : "; one that is not built in comes with a plugin, which is not loaded");
}
