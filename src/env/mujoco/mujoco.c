#include "env/mujoco/mujoco.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "files/module.h"

static _Thread_local jmp_buf *guard; // where an error of MuJoCo's goes
static _Thread_local char message[1024];

// what the rest of the program, such as MuJoCo's own Python package, wants to hear; NULL: nothing
static void (*others_error)(const char *text);
static void (*others_warning)(const char *text);

// MuJoCo goes on as if nothing had happened when this returns
static void take_error(const char *text)
{
    strncpy(message, text, sizeof message - 1);
    if (guard) longjmp(*guard, 1);
    if (others_error) others_error(text);
    sac_log(SAC_LOG_WARNING, "MuJoCo: %s", text);
    abort();
}

// MuJoCo warns of unstable physics and the like. A world sees that in its state, so this only logs it.
static void take_warning(const char *text)
{
    if (!guard && others_warning) others_warning(text);
}

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static const sac_mujoco *opened;

static sac_status open_module(void)
{
    const void *table;
    SAC_TRY(sac_module_open(&table, "mujoco"));
    const sac_mujoco *found = table;
    if (found->size != sizeof *found)
        return sac_fail(SAC_ERROR_UNAVAILABLE, "saccade-mujoco.so is of another build: build again");
    int version = found->mj_version();
    if (version != mjVERSION_HEADER)
        return sac_fail(SAC_ERROR_UNAVAILABLE, "MuJoCo is of version %d, expected %d", version, mjVERSION_HEADER);
    others_error = *found->mju_user_error;
    others_warning = *found->mju_user_warning;
    *found->mju_user_error = take_error;
    *found->mju_user_warning = take_warning;
    opened = found;
    return SAC_OK;
}

sac_status sac_mujoco_open(const sac_mujoco **mj)
{
    pthread_mutex_lock(&opening);
    sac_status status = opened ? SAC_OK : open_module();
    *mj = opened;
    pthread_mutex_unlock(&opening);
    return status;
}

sac_status sac_mujoco_guard(sac_status (*work)(void *self), void *self)
{
    jmp_buf here, *outer = guard;
    sac_status status;
    guard = &here;
    if (setjmp(here) == 0)
        status = work(self);
    else
        status = sac_fail(SAC_ERROR_ENVIRONMENT, "MuJoCo: %.400s", message);
    guard = outer;
    return status;
}

typedef struct loading
{
    const sac_mujoco *mj;
    const char *path, *text; // text: the XML itself, in place of the file's
    void (*edit)(const sac_mujoco *mj, mjSpec *spec);
    mjSpec *spec;
    mjModel *model;
} loading;

static sac_status refuse(const char *path, char *reason)
{
    static const char prefix[] = "Error: "; // what this is, everybody sees
    reason[strcspn(reason, "\n")] = 0;
    if (strncmp(reason, prefix, sizeof prefix - 1) == 0) reason += sizeof prefix - 1;
    return sac_fail(SAC_ERROR_FORMAT, "%.200s: %.400s", path, *reason ? reason : "it is no model");
}

static sac_status load(void *self)
{
    loading *l = self;
    char error[1024] = "";
    l->spec = l->text ? l->mj->mj_parseXMLString(l->text, NULL, error, sizeof error)
                      : l->mj->mj_parseXML(l->path, NULL, error, sizeof error);
    if (!l->spec) return refuse(l->path, error);
    if (l->edit) l->edit(l->mj, l->spec);
    l->model = l->mj->mj_compile(l->spec, NULL);
    if (l->model) return SAC_OK;
    snprintf(error, sizeof error, "%s", l->mj->mjs_getError(l->spec));
    return refuse(l->path, error);
}

static sac_status run(mjModel **model, loading *l)
{
    sac_status status = sac_mujoco_guard(load, l);
    if (l->spec) l->mj->mj_deleteSpec(l->spec);
    *model = l->model;
    return status;
}

sac_status sac_mujoco_load(mjModel **model, const sac_mujoco *mj, const char *path,
                           void (*edit)(const sac_mujoco *mj, mjSpec *spec))
{
    *model = NULL;
    if (access(path, R_OK) != 0) return sac_fail(SAC_ERROR_FILE, "%.200s: there is no such model", path);
    return run(model, &(loading){.mj = mj, .path = path, .edit = edit});
}

sac_status sac_mujoco_load_text(mjModel **model, const sac_mujoco *mj, const char *name, const char *text)
{
    return run(model, &(loading){.mj = mj, .path = name, .text = text});
}
