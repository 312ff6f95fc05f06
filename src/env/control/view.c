#include "env/control/view.h"

#include "base/error.h"
#include "base/memory.h"
#include "env/control/opengl.h"

struct control_view
{
    control_view_def def;
    sac_renderer *renderer;
    sac_mujoco_scene *scene;
    control_opengl *opengl; // NULL: the pictures are ours
    int32_t *ids;           // of each pixel's geom, where a background is to be seen behind them
};

static sac_status create_parts(control_view *v, const control_world *w)
{
    const control_view_def *def = &v->def;
    if (def->camera >= w->model->ncam)
        return sac_fail(SAC_ERROR_ARGUMENT, "%s: camera is %d, but %s has %d; -1 is a free one", w->task->id,
                        def->camera, w->task->model, (int)w->model->ncam);
    sac_renderer_def renderer = sac_renderer_default_def();
    renderer.width = def->width;
    renderer.height = def->height;
    renderer.shadows = def->shadows;
    renderer.reflections = def->reflections;
    renderer.antialias = def->antialias;
    SAC_TRY(sac_renderer_create(&v->renderer, &renderer));
    SAC_TRY(sac_mujoco_scene_create(&v->scene, w->mj, w->model, w->shared->assets));
    if (def->opengl) SAC_TRY(sac_control_opengl_create(&v->opengl, w, def));
    v->ids = SAC_NEW_ARRAY(int32_t, (size_t)def->width * (size_t)def->height);
    return v->ids ? SAC_OK : sac_fail_memory("a view");
}

sac_status sac_control_view_create(control_view **out, const control_world *w, const control_view_def *def)
{
    *out = NULL;
    control_view *v = SAC_NEW(control_view);
    if (!v) return sac_fail_memory("a view");
    v->def = *def;
    sac_status status = create_parts(v, w);
    if (status != SAC_OK)
        sac_control_view_destroy(v);
    else
        *out = v;
    return status;
}

void sac_control_view_destroy(control_view *v)
{
    if (!v) return;
    sac_renderer_destroy(v->renderer);
    sac_control_opengl_destroy(v->opengl);
    sac_mujoco_scene_destroy(v->scene);
    sac_free(v->ids);
    sac_free(v);
}

sac_status sac_control_view_draw(control_view *v, control_world *w, control_distraction *distraction, uint8_t *rgb)
{
    int height = v->def.height, width = v->def.width;
    sac_scene *scene = sac_mujoco_scene_update(v->scene, w->model, w->data, v->def.camera, width, height);
    if (v->opengl) return sac_control_opengl_draw(v->opengl, sac_mujoco_scene_abstract(v->scene), rgb);
    const control_backdrop *backdrop = sac_distraction_backdrop(distraction);
    if (!backdrop) return sac_render(v->renderer, scene, &(sac_picture){.rgb = rgb});
    scene->sky = -1;
    SAC_TRY(sac_render(v->renderer, scene, &(sac_picture){.rgb = rgb, .ids = v->ids}));
    sac_backdrop_paint(backdrop, &scene->view, height, width, v->ids, rgb);
    return SAC_OK;
}
