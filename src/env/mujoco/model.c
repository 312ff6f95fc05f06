#include "env/mujoco/model.h"

#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "env/mujoco/scene.h"

// A model and its textures and meshes are loaded once and shared by all worlds of a process that use them: a list under
// one lock, which counts the users of each. Worlds copy the model before they change it.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static mujoco_model *first;

static void destroy(mujoco_model *m)
{
    sac_render_assets_destroy(m->assets);
    if (m->model) m->mj->mj_deleteModel(m->model);
    sac_free(m->name);
    sac_free(m);
}

// Where a model comes from: a file, or XML in memory.
typedef struct source
{
    const char *name, *text;
    void (*edit)(const sac_mujoco *mj, mjSpec *spec);
} source;

// On failure the caller destroys what is there by then.
static sac_status load(mujoco_model *m, const source *from)
{
    m->name = sac_copy_text(from->name);
    if (!m->name) return sac_fail_memory("a model");
    if (from->text)
        SAC_TRY(sac_mujoco_load_text(&m->model, m->mj, from->name, from->text));
    else
        SAC_TRY(sac_mujoco_load(&m->model, m->mj, from->name, from->edit));
    return sac_mujoco_assets_create(&m->assets, m->model);
}

static sac_status add(mujoco_model **out, const sac_mujoco *mj, const source *from)
{
    mujoco_model *m = SAC_NEW(mujoco_model);
    if (!m) return sac_fail_memory("a model");
    m->mj = mj;
    sac_status status = load(m, from);
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

// The name alone decides which model it is, since every task edits its own model in one way.
static sac_status acquire(mujoco_model **out, const sac_mujoco *mj, const source *from)
{
    sac_status status = SAC_OK;
    pthread_mutex_lock(&lock);
    mujoco_model *m = first;
    while (m && strcmp(m->name, from->name) != 0) m = m->next;
    if (!m) status = add(&m, mj, from);
    if (m) m->users++;
    pthread_mutex_unlock(&lock);
    *out = m;
    return status;
}

sac_status sac_mujoco_model_acquire(mujoco_model **out, const sac_mujoco *mj, const char *path,
                                    void (*edit)(const sac_mujoco *mj, mjSpec *spec))
{
    return acquire(out, mj, &(source){.name = path, .edit = edit});
}

sac_status sac_mujoco_model_acquire_text(mujoco_model **out, const sac_mujoco *mj, const char *name, const char *text)
{
    return acquire(out, mj, &(source){.name = name, .text = text});
}

void sac_mujoco_model_release(mujoco_model *m)
{
    if (!m) return;
    pthread_mutex_lock(&lock);
    if (--m->users == 0)
    {
        mujoco_model **link = &first;
        while (*link != m) link = &(*link)->next;
        *link = m->next;
        destroy(m);
    }
    pthread_mutex_unlock(&lock);
}
