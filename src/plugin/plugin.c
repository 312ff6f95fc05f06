#define _GNU_SOURCE
#include "saccade/plugin.h"

#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/memory.h"
#include "env/worlds/worlds.h"
#include "policy/kind.h"

// A change of one of these structs needs a higher SAC_PLUGIN_VERSION, and the new sizes here.
_Static_assert(sizeof(void *) != 8 ||
                   (SAC_PLUGIN_VERSION == 8 && sizeof(sac_env_ops) == 152 && sizeof(sac_env_spec) == 96 &&
                    sizeof(sac_env_row) == 40 && sizeof(sac_env_column) == 16 && sizeof(sac_env_field) == 24 &&
                    sizeof(sac_option) == 64 && sizeof(sac_policy_kind_ops) == 120 && sizeof(sac_policy_def) == 72 &&
                    sizeof(sac_space) == 56 && sizeof(sac_gaze) == 160),
               "a struct of plugins has changed: raise SAC_PLUGIN_VERSION");

static const char symbol[] = "sac_plugin_table";

enum
{
    MAX_PLUGINS = 64
};

static struct
{
    const sac_plugin *plugin;
    char *path;
} opened[MAX_PLUGINS];
static int opened_count;

const char *sac_plugin_at(int index, const sac_plugin **plugin)
{
    if (index < 0 || index >= opened_count) return NULL;
    if (plugin) *plugin = opened[index].plugin;
    return opened[index].path;
}

// where the library itself was opened for its user alone (Python does so), plugins would not see its functions
static void offer_own_functions(void)
{
    Dl_info self;
    if (dladdr(symbol, &self) && self.dli_fname) (void)dlopen(self.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}

// Returns what the loader says, without the path with which that begins.
static const char *loader_reason(const char *path)
{
    const char *reason = dlerror();
    size_t length = strlen(path);
    if (!reason) return "no reason given";
    return strncmp(reason, path, length) == 0 && strncmp(reason + length, ": ", 2) == 0 ? reason + length + 2 : reason;
}

static sac_status open_object(void **object, const char *path)
{
    if (!path[0]) return sac_fail(SAC_ERROR_ARGUMENT, "plugin: the path is empty, expected a shared object");
    if (access(path, R_OK) != 0) return sac_fail(SAC_ERROR_FILE, "plugin '%.300s': %s", path, strerror(errno));
    // without a slash the loader would search the system's folders
    size_t size = strlen(path) + 3;
    char *file = sac_alloc(size);
    if (!file) return sac_fail_memory("a plugin's path");
    snprintf(file, size, "%s%s", strchr(path, '/') ? "" : "./", path);
    offer_own_functions();
    *object = dlopen(file, RTLD_NOW | RTLD_LOCAL);
    sac_status status = SAC_OK;
    if (!*object) status = sac_fail(SAC_ERROR_FILE, "plugin '%.300s' cannot be opened: %s", path, loader_reason(file));
    sac_free(file);
    return status;
}

static sac_status check_version(const sac_plugin *plugin, const char *path)
{
    if (!plugin)
        return sac_fail(SAC_ERROR_FORMAT,
                        "'%.300s' is no plugin: it has no %s; SAC_PLUGIN of saccade/plugin.h defines it", path, symbol);
    if (plugin->version == SAC_PLUGIN_VERSION) return SAC_OK;
    return sac_fail(
        SAC_ERROR_FORMAT,
        "plugin '%.300s' has version %d of the interface (saccade %d.%d), this saccade %s has %d: compile it "
        "again",
        path, plugin->version, plugin->major, plugin->minor, sac_version(), SAC_PLUGIN_VERSION);
}

// all or nothing
static sac_status add(const sac_plugin *plugin)
{
    int envs = 0, policies = 0;
    sac_status status = SAC_OK;
    for (; status == SAC_OK && plugin->envs && plugin->envs[envs]; envs += status == SAC_OK)
        status = sac_env_register(plugin->envs[envs]);
    for (; status == SAC_OK && plugin->policies && plugin->policies[policies]; policies += status == SAC_OK)
        status = sac_policy_register(plugin->policies[policies]);
    if (status == SAC_OK && envs + policies == 0)
        status = sac_fail(SAC_ERROR_FORMAT, "it offers neither an environment nor a kind of policy");
    if (status == SAC_OK) return SAC_OK;
    sac_env_unregister_last(envs);
    sac_policy_unregister_last(policies);
    return status;
}

sac_status sac_plugin_load(const char *path)
{
    void *object = NULL;
    sac_status status = open_object(&object, path);
    if (!object) return status;
    const sac_plugin *plugin = dlsym(object, symbol);
    for (int i = 0; plugin && i < opened_count; i++)
        if (opened[i].plugin == plugin)
        {
            dlclose(object); // one reference is enough
            return SAC_OK;
        }
    status = check_version(plugin, path);
    if (status == SAC_OK && opened_count == MAX_PLUGINS)
        status = sac_fail(SAC_ERROR_ARGUMENT, "plugin '%.300s': more than %d plugins", path, MAX_PLUGINS);
    char *copy = strdup(path); // as long as the process, like the plugin: no memory of the hooks'
    if (status == SAC_OK && !copy) status = sac_fail_memory("a plugin's path");
    if (status == SAC_OK)
    {
        status = add(plugin);
        if (status != SAC_OK) status = sac_fail_in(status, "plugin '%.300s'", path);
    }
    if (status != SAC_OK)
    {
        free(copy);
        dlclose(object);
        return status;
    }
    opened[opened_count].plugin = plugin;
    opened[opened_count++].path = copy;
    return SAC_OK;
}
