#include "env/control/view.h"

#include "base/error.h"
#include "base/memory.h"

struct control_view
{
    int height, width; // of what is drawn
    bool opengl;
    sac_mujoco_view *pictures;
    int32_t *ids; // of each pixel's geom, where a background is to be seen behind them
    // Before a background the renderer's smooth edges would mix with the black that the background replaces, so a
    // picture of twice the size is drawn there, and four of its pixels become one.
    uint8_t *twice; // [height, width, 3]; NULL: what is drawn is the picture
};

static sac_status create_parts(control_view *v, const control_world *w, const sac_mujoco_view_def *def, bool twice)
{
    SAC_TRY(sac_mujoco_view_create(&v->pictures, w->mj, w->model, w->shared->assets, def));
    const size_t pixels = (size_t)def->width * (size_t)def->height;
    v->ids = SAC_NEW_ARRAY(int32_t, pixels);
    if (twice) v->twice = SAC_NEW_ARRAY(uint8_t, 3 * pixels);
    return v->ids && (v->twice || !twice) ? SAC_OK : sac_fail_memory("a view");
}

sac_status sac_control_view_create(control_view **out, const control_world *w, const sac_mujoco_view_def *def,
                                   bool backdrop)
{
    *out = NULL;
    control_view *v = SAC_NEW(control_view);
    if (!v) return sac_fail_memory("a view");
    const bool twice = backdrop && def->antialias && !def->opengl;
    sac_mujoco_view_def drawn = *def;
    if (twice) drawn.antialias = false, drawn.height *= 2, drawn.width *= 2;
    v->height = drawn.height;
    v->width = drawn.width;
    v->opengl = def->opengl;
    sac_status status = create_parts(v, w, &drawn, twice);
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
    sac_free(v->twice);
    sac_free(v);
}

// Four pixels become one: their mean, rounded.
static void halve(const uint8_t *twice, int height, int width, uint8_t *rgb)
{
    const size_t row = 3 * (size_t)width;
    for (int y = 0; y < height; y += 2)
        for (int x = 0; x < width; x += 2)
            for (int c = 0; c < 3; c++)
            {
                const uint8_t *p = twice + (size_t)y * row + 3 * (size_t)x + c;
                *rgb++ = (uint8_t)((p[0] + p[3] + p[row] + p[row + 3] + 2) / 4);
            }
}

sac_status sac_control_view_draw(control_view *v, control_world *w, control_distraction *distraction, uint8_t *rgb)
{
    const control_backdrop *backdrop = v->opengl ? NULL : sac_distraction_backdrop(distraction);
    uint8_t *drawn = v->twice ? v->twice : rgb;
    const sac_picture picture = {.rgb = drawn, .ids = backdrop ? v->ids : NULL};
    SAC_TRY(sac_mujoco_view_draw(v->pictures, w->data, &picture));
    if (backdrop) sac_backdrop_paint(backdrop, sac_mujoco_view_seen(v->pictures), v->height, v->width, v->ids, drawn);
    if (v->twice) halve(v->twice, v->height, v->width, rgb);
    return SAC_OK;
}
