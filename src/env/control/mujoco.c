#include "env/control/mujoco.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "files/module.h"

static _Thread_local jmp_buf *guard; // where an error of MuJoCo's goes
static _Thread_local char message[1024];

// MuJoCo goes on as if nothing had happened when this returns
static void take_error(const char *text)
{
    strncpy(message, text, sizeof message - 1);
    if (guard) longjmp(*guard, 1);
    sac_log(SAC_LOG_WARNING, "MuJoCo: %s", text);
    abort();
}

// unstable physics and the like: a world sees it in its state
static void take_warning(const char *text)
{
    (void)text;
}

static pthread_mutex_t opening = PTHREAD_MUTEX_INITIALIZER;
static const sac_mujoco *opened;

static sac_status open_module(void)
{
    const void *table;
    SAC_TRY(sac_module_open(&table, "mujoco", "MuJoCo (make mujoco)"));
    const sac_mujoco *found = table;
    int version = found->mj_version();
    if (version != mjVERSION_HEADER)
        return sac_fail(SAC_ERROR_UNAVAILABLE, "MuJoCo is of version %d, expected %d", version, mjVERSION_HEADER);
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

sac_status sac_mujoco_load(mjModel **model, const sac_mujoco *mj, const char *path)
{
    char error[1024] = "";
    jmp_buf here;
    *model = NULL;
    if (access(path, R_OK) != 0) return sac_fail(SAC_ERROR_FILE, "%.200s: there is no such model", path);
    guard = &here;
    if (setjmp(here) == 0)
        *model = mj->mj_loadXML(path, NULL, error, sizeof error);
    else
        memcpy(error, message, sizeof error);
    guard = NULL;
    if (*model) return SAC_OK;
    error[strcspn(error, "\n")] = 0;
    return sac_fail(SAC_ERROR_FORMAT, "%.200s: %.400s", path, error);
}
