#include "mjv/scene.h"

// What MuJoCo draws of several simple shapes.

// Adds a part whose own origin is at a point of the whole's axes.
static sac_geom *add_part(sac_mjv_scene *s, const sac_geom *like, sac_shape shape, const float at[3])
{
    sac_geom *part = add_like(s, like);
    if (!part) return NULL;
    part->shape = shape;
    part->texture = -1;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) part->position[i] += like->axes[3 * i + k] * at[k];
    return part;
}

static void add_shaft(sac_mjv_scene *s, const sac_geom *like, float radius, float from, float to)
{
    sac_geom *shaft = add_part(s, like, SAC_SHAPE_CYLINDER, (float[]){0, 0, 0.5f * (from + to)});
    if (shaft) shaft->size[0] = radius, shaft->size[1] = 0.5f * (to - from);
}

static void add_tip(sac_mjv_scene *s, const sac_geom *like, float radius, float from, float to)
{
    sac_geom *tip = add_part(s, like, SAC_SHAPE_MESH, (float[]){0, 0, from});
    if (!tip) return;
    tip->mesh = s->cone;
    tip->size[0] = tip->size[1] = radius;
    tip->size[2] = to > from ? to - from : from - to;
    for (int i = 0; i < 3 && to < from; i++) tip->axes[3 * i + 1] *= -1.0f, tip->axes[3 * i + 2] *= -1.0f;
}

// The proportions are MuJoCo's.
void sac_mjv_add_arrow(sac_mjv_scene *s, const mjv_geom *from, const sac_geom *like)
{
    float radius = from->size[0], third = from->size[2] / 3.0f, wide = from->type == ARROW1 ? radius : 1.75f * radius;
    if (!(radius > 0.0f) || !(third > 0.0f)) return;
    add_shaft(s, like, radius, from->type == ARROW2 ? -third : 0.0f, third);
    add_tip(s, like, wide, third, 1.5f * third);
    if (from->type == ARROW2) add_tip(s, like, wide, -third, -1.5f * third);
}

// A line lies along its own z axis, so each edge turns the box's axes.
static void add_edge(sac_mjv_scene *s, const sac_geom *like, int axis, const float corner[3], float length)
{
    sac_geom *line = add_part(s, like, SAC_SHAPE_LINE, corner);
    if (!line) return;
    line->size[0] = 1.5f; // pixels, as in MuJoCo
    line->size[1] = length;
    for (int i = 0; i < 3; i++)
        for (int k = 0; k < 3; k++) line->axes[3 * i + k] = like->axes[3 * i + (k + axis + 1) % 3];
}

void sac_mjv_add_line_box(sac_mjv_scene *s, const mjv_geom *from, const sac_geom *like)
{
    for (int axis = 0; axis < 3; axis++)
        for (int side = 0; side < 4; side++)
        {
            float corner[3], length = 2.0f * from->size[axis];
            int other = (axis + 1) % 3, third = (axis + 2) % 3;
            corner[axis] = -from->size[axis];
            corner[other] = side & 1 ? from->size[other] : -from->size[other];
            corner[third] = side & 2 ? from->size[third] : -from->size[third];
            add_edge(s, like, axis, corner, length);
        }
}
