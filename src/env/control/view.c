#include "env/control/view.h"

#include "base/error.h"
#include "base/memory.h"

struct control_view
{
    int height, width;
    bool opengl;
    sac_mujoco_view *pictures;
    int32_t *ids; // of each pixel's geom, where a background is to be seen behind them
};

static sac_status create_parts(control_view *v, const control_world *w, const sac_mujoco_view_def *def)
{
    SAC_TRY(sac_mujoco_view_create(&v->pictures, w->mj, w->model, w->shared->assets, def));
    v->ids = SAC_NEW_ARRAY(int32_t, (size_t)def->width * (size_t)def->height);
    return v->ids ? SAC_OK : sac_fail_memory("a view");
}

sac_status sac_control_view_create(control_view **out, const control_world *w, const sac_mujoco_view_def *def)
{
    *out = NULL;
    control_view *v = SAC_NEW(control_view);
    if (!v) return sac_fail_memory("a view");
    v->height = def->height;
    v->width = def->width;
    v->opengl = def->opengl;
    sac_status status = create_parts(v, w, def);
    if (status != SAC_OK)
    {
        sac_control_view_destroy(v);
        return sac_fail_in(status, "%s", w->task->id);
    }
    *out = v;
    return SAC_OK;
}

void sac_control_view_destroy(control_view *v)
{
    if (!v) return;
    sac_mujoco_view_destroy(v->pictures);
    sac_free(v->ids);
    sac_free(v);
}

sac_status sac_control_view_draw(control_view *v, control_world *w, control_distraction *distraction, uint8_t *rgb)
{
    const control_backdrop *backdrop = v->opengl ? NULL : sac_distraction_backdrop(distraction);
    const sac_picture picture = {.rgb = rgb, .ids = backdrop ? v->ids : NULL};
    SAC_TRY(sac_mujoco_view_draw(v->pictures, w->data, &picture));
    if (backdrop) sac_backdrop_paint(backdrop, sac_mujoco_view_seen(v->pictures), v->height, v->width, v->ids, rgb);
    return SAC_OK;
}
