#include "env/mujoco/model.h"

#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "env/mujoco/scene.h"

// A model and its textures and meshes are loaded once and shared by all worlds of a process that use them: a list under
// one lock, which counts the users of each. Worlds copy the model before they change it.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static control_model *first;

static void destroy(control_model *m)
{
    sac_render_assets_destroy(m->assets);
    if (m->model) m->mj->mj_deleteModel(m->model);
    sac_free(m->path);
    sac_free(m);
}

// On failure the caller destroys what is there by then.
static sac_status load(control_model *m, const char *path, void (*edit)(const sac_mujoco *mj, mjSpec *spec))
{
    m->path = sac_copy_text(path);
    if (!m->path) return sac_fail_memory("a model");
    SAC_TRY(sac_mujoco_load(&m->model, m->mj, path, edit));
    return sac_mujoco_assets_create(&m->assets, m->model);
}

static sac_status add(control_model **out, const sac_mujoco *mj, const char *path,
                      void (*edit)(const sac_mujoco *mj, mjSpec *spec))
{
    control_model *m = SAC_NEW(control_model);
    if (!m) return sac_fail_memory("a model");
    m->mj = mj;
    sac_status status = load(m, path, edit);
    if (status != SAC_OK)
    {
        destroy(m);
        return status;
    }
    m->next = first;
    first = m;
    *out = m;
    return SAC_OK;
}

// The path alone decides which model it is, since every task edits its own model in one way.
sac_status sac_control_model_acquire(control_model **out, const sac_mujoco *mj, const char *path,
                                     void (*edit)(const sac_mujoco *mj, mjSpec *spec))
{
    sac_status status = SAC_OK;
    pthread_mutex_lock(&lock);
    control_model *m = first;
    while (m && strcmp(m->path, path) != 0) m = m->next;
    if (!m) status = add(&m, mj, path, edit);
    if (m) m->users++;
    pthread_mutex_unlock(&lock);
    *out = m;
    return status;
}

void sac_control_model_release(control_model *m)
{
    if (!m) return;
    pthread_mutex_lock(&lock);
    if (--m->users == 0)
    {
        control_model **link = &first;
        while (*link != m) link = &(*link)->next;
        *link = m->next;
        destroy(m);
    }
    pthread_mutex_unlock(&lock);
}
