#include "env/mujoco/opengl.h"

#include <pthread.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "env/mujoco/gl.h"

struct sac_mujoco_opengl
{
    sac_mujoco_view_def def;
    const sac_mujoco *mj;
    mjModel *model;
    control_gl *gl;
    mjrContext context;
    bool has_context;
    uint8_t *row; // for turning the picture over

    mjvScene *scene; // what is drawn now, and where
    uint8_t *rgb;
};

// MuJoCo finds OpenGL's functions anew for each context, into variables of the process
static pthread_mutex_t making = PTHREAD_MUTEX_INITIALIZER;

static sac_status make_context(void *self)
{
    sac_mujoco_opengl *o = self;
    mjVisual *visual = &o->model->vis;
    mjVisual kept = *visual; // the buffer's size and samples are read from the model
    visual->global.offwidth = o->def.width;
    visual->global.offheight = o->def.height;
    if (!o->def.antialias) visual->quality.offsamples = 0;
    o->mj->mjr_defaultContext(&o->context);
    o->has_context = true;
    o->mj->mjr_makeContext(o->model, &o->context, mjFONTSCALE_100);
    *visual = kept;
    o->mj->mjr_setBuffer(mjFB_OFFSCREEN, &o->context);
    if (o->context.currentBuffer == mjFB_OFFSCREEN) return SAC_OK;
    return sac_fail(SAC_ERROR_UNAVAILABLE, "renderer opengl: MuJoCo cannot draw into memory");
}

static sac_status create_parts(sac_mujoco_opengl *o)
{
    o->row = sac_alloc_array((size_t)o->def.width, 3);
    if (!o->row) return sac_fail_memory("OpenGL's pictures");
    SAC_TRY(sac_gl_create(&o->gl));
    SAC_TRY(sac_gl_enter(o->gl));
    pthread_mutex_lock(&making);
    sac_status status = sac_mujoco_guard(make_context, o);
    pthread_mutex_unlock(&making);
    sac_gl_leave(o->gl);
    return status;
}

sac_status sac_mujoco_opengl_create(sac_mujoco_opengl **out, const sac_mujoco *mj, mjModel *model,
                                    const sac_mujoco_view_def *def)
{
    *out = NULL;
    sac_mujoco_opengl *o = SAC_NEW(sac_mujoco_opengl);
    if (!o) return sac_fail_memory("OpenGL's pictures");
    o->def = *def;
    o->mj = mj;
    o->model = model;
    sac_status status = create_parts(o);
    if (status != SAC_OK)
        sac_mujoco_opengl_destroy(o);
    else
        *out = o;
    return status;
}

void sac_mujoco_opengl_destroy(sac_mujoco_opengl *o)
{
    if (!o) return;
    if (o->has_context && sac_gl_enter(o->gl) == SAC_OK)
    {
        o->mj->mjr_freeContext(&o->context);
        sac_gl_leave(o->gl);
    }
    sac_gl_destroy(o->gl);
    sac_free(o->row);
    sac_free(o);
}

// OpenGL's first row is the lowest
static void turn_over(sac_mujoco_opengl *o)
{
    size_t size = (size_t)o->def.width * 3;
    for (int y = 0; y < o->def.height / 2; y++)
    {
        uint8_t *upper = o->rgb + (size_t)y * size, *lower = o->rgb + (size_t)(o->def.height - 1 - y) * size;
        memcpy(o->row, upper, size);
        memcpy(upper, lower, size);
        memcpy(lower, o->row, size);
    }
}

static sac_status draw(void *self)
{
    sac_mujoco_opengl *o = self;
    mjrRect place = {0, 0, o->def.width, o->def.height};
    o->scene->flags[mjRND_SHADOW] = o->def.shadows;
    o->scene->flags[mjRND_REFLECTION] = o->def.reflections;
    o->mj->mjr_render(place, o->scene, &o->context);
    o->mj->mjr_readPixels(o->rgb, NULL, place, &o->context);
    turn_over(o);
    return SAC_OK;
}

sac_status sac_mujoco_opengl_draw(sac_mujoco_opengl *o, mjvScene *scene, uint8_t *rgb)
{
    o->scene = scene;
    o->rgb = rgb;
    SAC_TRY(sac_gl_enter(o->gl));
    sac_status status = sac_mujoco_guard(draw, o);
    sac_gl_leave(o->gl);
    return status;
}
