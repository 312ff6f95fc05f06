#include "env/rooms/view.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/series.h"
#include "env/mujoco/scene.h"
#include "env/rooms/robot.h"
#include "env/rooms/things.h"

enum
{
    GEOMS = 2048, // of a scene: the plan's, and what is drawn for people
    DOTS = 200,   // of the way that was walked
};

struct rooms_view
{
    rooms_view_def def;
    rooms_body *body;
    sac_renderer *eye, *colours, *poster;
    int32_t *ids; // [height, width]
    int poster_height, poster_width;
    sac_mujoco_scene *model; // NULL: the plan is drawn, and needs no scene of MuJoCo's
    sac_scene scene;
    sac_geom geoms[GEOMS];
    sac_light light;
};

// --- life

static sac_status open_renderer(sac_renderer **out, int height, int width, bool people)
{
    sac_renderer_def def = sac_renderer_default_def();
    def.height = height;
    def.width = width;
    def.max_geoms = GEOMS;
    def.antialias = people;
    return sac_renderer_create(out, &def);
}

static sac_status make(rooms_view *v, bool drawn)
{
    SAC_TRY(open_renderer(&v->eye, v->def.height, v->def.width, false));
    if (v->def.detail > 0)
        SAC_TRY(open_renderer(&v->colours, v->def.height * v->def.detail, v->def.width * v->def.detail, false));
    v->ids = SAC_NEW_ARRAY(int32_t, (size_t)v->def.height * (size_t)v->def.width);
    if (!v->ids) return sac_fail_memory("a robot's camera");
    if (drawn) return SAC_OK;
    return sac_mujoco_scene_create(&v->model, v->body->mj, v->body->model, v->body->shared->assets);
}

sac_status sac_rooms_view_create(rooms_view **out, rooms_body *body, const rooms_view_def *def)
{
    *out = NULL;
    rooms_view *v = SAC_NEW(rooms_view);
    if (!v) return sac_fail_memory("a robot's camera");
    v->def = *def;
    v->body = body;
    sac_status status = make(v, body->boxes > 0);
    if (status != SAC_OK)
        sac_rooms_view_destroy(v);
    else
        *out = v;
    return status;
}

void sac_rooms_view_destroy(rooms_view *v)
{
    if (!v) return;
    sac_renderer_destroy(v->eye);
    sac_renderer_destroy(v->colours);
    sac_free(v->ids);
    sac_renderer_destroy(v->poster);
    sac_mujoco_scene_destroy(v->model);
    sac_free(v);
}

// --- the scene

static sac_geom *add(rooms_view *v, sac_shape shape, double x, double y, double z, const float rgba[4])
{
    SAC_ASSERT(v->scene.geom_count < GEOMS); // 1000 of a model of a user's or 600 of a plan, and some for people
    sac_geom *g = &v->geoms[v->scene.geom_count++];
    *g = (sac_geom){.shape = shape,
                    .position = {(float)x, (float)y, (float)z},
                    .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                    .specular = 0.2f,
                    .shininess = 0.5f,
                    .texture = -1,
                    .id = -1};
    memcpy(g->rgba, rgba, sizeof g->rgba);
    return g;
}

static void add_cylinder(rooms_view *v, double x, double y, double bottom, double top, double radius,
                         const float rgba[4])
{
    sac_geom *g = add(v, SAC_SHAPE_CYLINDER, x, y, (bottom + top) / 2, rgba);
    g->size[0] = (float)radius;
    g->size[1] = (float)((top - bottom) / 2);
}

static void add_floor(rooms_view *v, double x, double y, double half)
{
    static const float colour[4] = {0.45f, 0.47f, 0.5f, 1};
    sac_geom *g = add(v, SAC_SHAPE_PLANE, x, y, 0, colour);
    g->size[0] = g->size[1] = (float)half;
}

// Whether the camera of a robot at a place may see a piece: it is not behind it, not beyond what it sees, and not
// beside its field of view, by more than the camera can be moved and turned (changes.c) and by a corner's tangent.
static bool may_be_seen(const rooms_view *v, const rooms_piece *p, const rooms_place *from)
{
    const double moved = 0.3, turned = 0.12, far = v->def.far, wide = sac_rooms_view_tangent(&v->def) + turned;
    const double x = p->center[0] - from->x, y = p->center[1] - from->y;
    const double ahead = from->cosine * x + from->sine * y, aside = fabs(from->cosine * y - from->sine * x);
    const double c = fabs(from->cosine), s = fabs(from->sine);
    const double deep = c * p->half[0] + s * p->half[1] + moved, across = s * p->half[0] + c * p->half[1] + moved;
    const double nearest = ahead - deep, farthest = ahead + deep;
    if (farthest < 0 || nearest > (1 + turned * (1 + wide)) * far) return false;
    return aside - across <= wide * (1 + turned) * farthest;
}

// The pieces of a plan that the robot may see, or all
static void add_plan(rooms_view *v, const rooms_plan *plan, const rooms_place *from)
{
    add_floor(v, plan->size / 2, plan->size / 2, plan->size);
    for (int i = 0; i < plan->box_count + plan->round_count; i++)
    {
        const bool round = i >= plan->box_count;
        const rooms_piece *p = round ? &plan->rounds[i - plan->box_count] : &plan->boxes[i];
        if (from && !may_be_seen(v, p, from)) continue;
        if (p->name > 0)
        {
            v->scene.geom_count += sac_rooms_thing_geoms(p, v->geoms + v->scene.geom_count);
            continue;
        }
        if (round)
        {
            add_cylinder(v, p->center[0], p->center[1], 0, p->height, p->half[0], p->rgba);
            continue;
        }
        sac_geom *g = add(v, SAC_SHAPE_BOX, p->center[0], p->center[1], p->height / 2, p->rgba);
        g->size[0] = (float)p->half[0];
        g->size[1] = (float)p->half[1];
        g->size[2] = (float)(p->height / 2);
    }
}

// A user's model as MuJoCo shows it
static sac_status add_model(rooms_view *v)
{
    SAC_TRY(sac_rooms_body_settle(v->body));
    const sac_scene *from = sac_mujoco_scene_update(v->model, v->body->model, v->body->data, -1, 4, 3);
    v->scene = *from;
    v->scene.geoms = v->geoms;
    memcpy(v->geoms, from->geoms, (size_t)from->geom_count * sizeof *v->geoms);
    return SAC_OK;
}

// Gathers what is to be drawn: what a robot at a place may see, or all (NULL).
static sac_status gather(rooms_view *v, const rooms_place *from)
{
    v->scene = (sac_scene){.geoms = v->geoms, .sky = -1, .haze_plane = -1};
    if (v->model) return add_model(v);
    add_plan(v, v->body->plan, from);
    return SAC_OK;
}

// --- what the robot sees

// Turns a vector about one axis by an angle.
static void turn(double v[3], int axis, double angle)
{
    double sine, cosine;
    const int j = (axis + 1) % 3, k = (axis + 2) % 3;
    sac_series_sin_cos(angle, &sine, &cosine);
    const double a = v[j], b = v[k];
    v[j] = cosine * a - sine * b;
    v[k] = sine * a + cosine * b;
}

// From the robot's frame, which is turned about z, to the world's
static void to_world(float out[3], const double v[3], const rooms_place *place, const double origin[3])
{
    out[0] = (float)(origin[0] + place->cosine * v[0] - place->sine * v[1]);
    out[1] = (float)(origin[1] + place->sine * v[0] + place->cosine * v[1]);
    out[2] = (float)(origin[2] + v[2]);
}

static double half_height(const rooms_view_def *d)
{
    double sine, cosine;
    sac_series_sin_cos(d->angle * 3.14159265358979312 / 360, &sine, &cosine);
    return sine / cosine;
}

double sac_rooms_view_tangent(const rooms_view_def *d)
{
    return half_height(d) * d->width / d->height;
}

static void look(rooms_view *v, const rooms_camera *camera, const rooms_place *place)
{
    static const double none[3] = {0};
    const rooms_view_def *d = &v->def;
    const double here[3] = {place->x, place->y, 0};
    const double eye[3] = {ROOMS_EYE_AHEAD + camera->shift[0], camera->shift[1], ROOMS_EYE_UP + camera->shift[2]};
    const double half = half_height(d), across = sac_rooms_view_tangent(d);
    double forward[3] = {1, 0, 0}, up[3] = {0, 0, 1};
    for (int axis = 0; axis < 3; axis++) turn(forward, axis, camera->tilt[axis]), turn(up, axis, camera->tilt[axis]);
    sac_render_view *to = &v->scene.view;
    *to = (sac_render_view){.left = (float)-across,
                            .right = (float)across,
                            .bottom = (float)-half,
                            .top = (float)half,
                            .near = 0.02f,
                            .far = (float)d->far};
    to_world(to->position, eye, place, here);
    to_world(to->forward, forward, place, none);
    to_world(to->up, up, place, none);
}

sac_status sac_rooms_view_take(rooms_view *v, const rooms_camera *camera, float *depth, float *names)
{
    const rooms_place place = sac_rooms_body_place(v->body);
    SAC_TRY(gather(v, &place));
    look(v, camera, &place);
    SAC_TRY(sac_render(v->eye, &v->scene, &(sac_picture){.depth = depth, .ids = names ? v->ids : NULL}));
    const float near = (float)v->def.near, far = (float)v->def.far;
    const int pixels = v->def.height * v->def.width;
    for (int i = 0; names && i < pixels; i++) names[i] = (float)(v->ids[i] + 1);
    for (int i = 0; depth && i < pixels; i++) depth[i] = depth[i] < near ? near : depth[i] < far ? depth[i] : far;
    return SAC_OK;
}

// Light from above and from one side, so that what is round looks so
static void light_up(rooms_view *v, double x, double y, double z)
{
    v->light = (sac_light){.directional = true,
                           .direction = {(float)x, (float)y, (float)z},
                           .attenuation = {1, 0, 0},
                           .cutoff = 180,
                           .ambient = {0.35f, 0.35f, 0.35f},
                           .diffuse = {0.6f, 0.6f, 0.6f}};
    v->scene.lights = &v->light;
    v->scene.light_count = 1;
}

sac_status sac_rooms_view_colours(rooms_view *v, const rooms_camera *camera, uint8_t *rgb)
{
    const rooms_place place = sac_rooms_body_place(v->body);
    SAC_TRY(gather(v, &place));
    look(v, camera, &place);
    light_up(v, 0.48, 0.36, -0.8);
    return sac_render(v->colours, &v->scene, &(sac_picture){.rgb = rgb});
}

// --- for people

static void add_trail(rooms_view *v, const rooms_trail *t)
{
    static const float walked[4] = {0.15f, 0.45f, 0.9f, 1}, goal[4] = {0.1f, 0.75f, 0.25f, 1};
    static const float base[4] = {0.95f, 0.55f, 0.1f, 1}, nose[4] = {0.1f, 0.1f, 0.1f, 1};
    const rooms_place place = sac_rooms_body_place(v->body);
    const int stride = (t->count + DOTS - 1) / DOTS;
    for (int i = 0; i < t->count; i += stride) add_cylinder(v, t->walked[i].x, t->walked[i].y, 0, 0.02, 0.04, walked);
    add_cylinder(v, t->goal[0], t->goal[1], 0, 0.03, t->goal_radius, goal);
    add_cylinder(v, place.x, place.y, ROOMS_BOTTOM, ROOMS_TOP, ROOMS_RADIUS, base);
    add_cylinder(v, place.x + ROOMS_EYE_AHEAD * place.cosine, place.y + ROOMS_EYE_AHEAD * place.sine, ROOMS_TOP,
                 ROOMS_EYE_UP, 0.05, nose);
}

// Straight down on the part of the world that is shown, all of it in the picture
static void look_down(rooms_view *v, const rooms_trail *t, int height, int width)
{
    const double x = (t->high[0] - t->low[0]) / 2, y = (t->high[1] - t->low[1]) / 2, shape = (double)width / height;
    const double up = fmax(y, x / shape) * 1.02;
    v->scene.view = (sac_render_view){.position = {(float)(t->low[0] + x), (float)(t->low[1] + y), 50},
                                      .forward = {0, 0, -1},
                                      .up = {0, 1, 0},
                                      .left = (float)(-up * shape),
                                      .right = (float)(up * shape),
                                      .bottom = (float)-up,
                                      .top = (float)up,
                                      .near = 1,
                                      .far = 100,
                                      .orthographic = true};
    v->scene.sky = v->scene.haze_plane = -1;
    light_up(v, 0.3, 0.2, -0.93);
}

sac_status sac_rooms_view_poster(rooms_view *v, const rooms_trail *trail, uint8_t *rgb, int height, int width)
{
    if (height != v->poster_height || width != v->poster_width)
    {
        sac_renderer_destroy(v->poster);
        v->poster = NULL;
        v->poster_height = v->poster_width = 0;
        SAC_TRY(open_renderer(&v->poster, height, width, true));
        v->poster_height = height;
        v->poster_width = width;
    }
    SAC_TRY(gather(v, NULL));
    add_trail(v, trail);
    look_down(v, trail, height, width);
    return sac_render(v->poster, &v->scene, &(sac_picture){.rgb = rgb});
}
