#include "env/mujoco/view.h"

#include "base/error.h"
#include "base/memory.h"
#include "env/mujoco/opengl.h"
#include "env/mujoco/scene.h"

struct sac_mujoco_view
{
    sac_mujoco_view_def def;
    const mjModel *model;
    sac_renderer *renderer;
    sac_mujoco_scene *scene;
    sac_scene *drawn;          // the last one
    sac_mujoco_opengl *opengl; // NULL: the pictures are ours
};

static sac_status create_parts(sac_mujoco_view *v, const sac_mujoco *mj, mjModel *model,
                               const sac_render_assets *assets)
{
    const sac_mujoco_view_def *def = &v->def;
    if (def->camera >= model->ncam)
        return sac_fail(SAC_ERROR_ARGUMENT, "camera is %d, but the model has %d; -1 is a free one", def->camera,
                        (int)model->ncam);
    sac_renderer_def renderer = sac_renderer_default_def();
    renderer.width = def->width;
    renderer.height = def->height;
    renderer.shadows = def->shadows;
    renderer.reflections = def->reflections;
    renderer.antialias = def->antialias;
    SAC_TRY(sac_renderer_create(&v->renderer, &renderer));
    SAC_TRY(sac_mujoco_scene_create(&v->scene, mj, model, assets));
    return def->opengl ? sac_mujoco_opengl_create(&v->opengl, mj, model, def) : SAC_OK;
}

sac_status sac_mujoco_view_create(sac_mujoco_view **out, const sac_mujoco *mj, mjModel *model,
                                  const sac_render_assets *assets, const sac_mujoco_view_def *def)
{
    *out = NULL;
    sac_mujoco_view *v = SAC_NEW(sac_mujoco_view);
    if (!v) return sac_fail_memory("a view");
    v->def = *def;
    v->model = model;
    sac_status status = create_parts(v, mj, model, assets);
    if (status != SAC_OK)
        sac_mujoco_view_destroy(v);
    else
        *out = v;
    return status;
}

void sac_mujoco_view_destroy(sac_mujoco_view *v)
{
    if (!v) return;
    sac_renderer_destroy(v->renderer);
    sac_mujoco_opengl_destroy(v->opengl);
    sac_mujoco_scene_destroy(v->scene);
    sac_free(v);
}

sac_status sac_mujoco_view_draw(sac_mujoco_view *v, mjData *data, const sac_picture *picture)
{
    v->drawn = sac_mujoco_scene_update(v->scene, v->model, data, v->def.camera, v->def.width, v->def.height);
    if (v->opengl) return sac_mujoco_opengl_draw(v->opengl, sac_mujoco_scene_abstract(v->scene), picture->rgb);
    if (picture->ids) v->drawn->sky = -1;
    return sac_render(v->renderer, v->drawn, picture);
}

const sac_render_view *sac_mujoco_view_seen(const sac_mujoco_view *v)
{
    return &v->drawn->view;
}
