#include "env/legs/view.h"

#include "base/error.h"
#include "base/memory.h"

struct legs_view
{
    legs_view_def def;
    legs_body *body;
    sac_mujoco_view *colours, *eyes[LEGS_MOST_EYES], *poster;
    int poster_height, poster_width;
};

static sac_status open_view(sac_mujoco_view **out, const legs_body *b, legs_camera camera, int height, int width)
{
    const bool people = camera == LEGS_CHASE;
    const sac_mujoco_view_def def = {
        .height = height, .width = width, .camera = b->cameras[camera], .shadows = people, .antialias = people};
    return sac_mujoco_view_create(out, b->mj, b->model, b->shared->assets, &def);
}

static sac_status open_all(legs_view *v)
{
    const legs_view_def *d = &v->def;
    SAC_TRY(open_view(&v->colours, v->body, d->camera, d->height, d->width));
    for (int i = 0; i < d->eye_count; i++)
        SAC_TRY(open_view(&v->eyes[i], v->body, d->eyes[i], d->depth_height, d->depth_width));
    return SAC_OK;
}

sac_status sac_legs_view_create(legs_view **out, legs_body *body, const legs_view_def *def)
{
    *out = NULL;
    legs_view *v = SAC_NEW(legs_view);
    if (!v) return sac_fail_memory("a robot's cameras");
    v->def = *def;
    v->body = body;
    sac_status status = open_all(v);
    if (status != SAC_OK)
        sac_legs_view_destroy(v);
    else
        *out = v;
    return status;
}

void sac_legs_view_destroy(legs_view *v)
{
    if (!v) return;
    sac_mujoco_view_destroy(v->colours);
    for (int i = 0; i < LEGS_MOST_EYES; i++) sac_mujoco_view_destroy(v->eyes[i]);
    sac_mujoco_view_destroy(v->poster);
    sac_free(v);
}

sac_status sac_legs_view_take(legs_view *v, uint8_t *rgb, float *depth)
{
    const legs_view_def *d = &v->def;
    const int pixels = d->depth_height * d->depth_width;
    if (!rgb && !depth) return SAC_OK;
    SAC_TRY(sac_legs_body_settle(v->body));
    if (rgb) SAC_TRY(sac_mujoco_view_draw(v->colours, v->body->data, &(sac_picture){.rgb = rgb}));
    for (int i = 0; depth && i < d->eye_count; i++)
        SAC_TRY(
            sac_mujoco_view_draw(v->eyes[i], v->body->data, &(sac_picture){.depth = depth + (ptrdiff_t)i * pixels}));
    for (int i = 0; depth && i < d->eye_count * pixels; i++)
        if (!(depth[i] < d->far)) depth[i] = d->far;
    return SAC_OK;
}

sac_status sac_legs_view_poster(legs_view *v, uint8_t *rgb, int height, int width)
{
    if (height != v->poster_height || width != v->poster_width)
    {
        sac_mujoco_view_destroy(v->poster);
        v->poster = NULL;
        v->poster_height = v->poster_width = 0;
        SAC_TRY(open_view(&v->poster, v->body, LEGS_CHASE, height, width));
        v->poster_height = height;
        v->poster_width = width;
    }
    SAC_TRY(sac_legs_body_settle(v->body));
    return sac_mujoco_view_draw(v->poster, v->body->data, &(sac_picture){.rgb = rgb});
}
