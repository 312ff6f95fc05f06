#pragma once

#include "render/around.h"
#include "render/corners.h"
#include "render/mesh_points.h"

/// The colours of what rays meet: surface, texture, light, shadow. Included by draw.c, once a CPU level.

/// Sixteen pixels, or samples of pixels.
typedef struct packet
{
    lanes x, y;         ///< in pixels
    mask live;          ///< those of the picture
    int box[4];         ///< left, top, right, bottom: pixels that hold them
    int number;         ///< of the packet in the picture; -1: samples
    int32_t pixels[16]; ///< of samples: whose they are, 16 (packet's number) + place in it
    const int *solids;  ///< that may be met
    int solid_count;
    const int *clear; ///< that may be looked through, nearest first
    int clear_count;
    const int *mirrored; ///< that may be met in the mirror
    int mirrored_count;
    bool bare; ///< of a tile that has nothing but a plane, whose colour alone is asked for
} packet;

/// A surface with what textures need of it.
typedef struct spot
{
    surface at;
    lanes3 ray;        ///< own coordinates, 1 long along the view
    lanes3 slope[2];   ///< what the point moves when the ray moves by a pixel in x, y
    triangle_place on; ///< where corners are lit
    lanes s, t;        ///< of meshes with texcoords
    lanes ds[2], dt[2];
} spot;

// The face is the one whose plane the point is nearest to, in units of the box's size.
static lanes3 box_normal(const solid *s, lanes3 q)
{
    lanes x = lanes_mul(lanes_abs(q.x), lanes_set(1.0f / s->size[0])),
          y = lanes_mul(lanes_abs(q.y), lanes_set(1.0f / s->size[1]));
    lanes z = lanes_mul(lanes_abs(q.z), lanes_set(1.0f / s->size[2])), zero = lanes_set(0.0f), one = lanes_set(1.0f),
          minus = lanes_set(-1.0f);
    mask on_x = mask_and(lanes_at_most(y, x), lanes_at_most(z, x)), on_y = mask_without(lanes_at_most(z, y), on_x);
    mask on_z = mask_without(mask_without(mask_from_bits(0xffff), on_x), on_y);
    return (lanes3){lanes_choose(on_x, lanes_choose(lanes_less(q.x, zero), minus, one), zero),
                    lanes_choose(on_y, lanes_choose(lanes_less(q.y, zero), minus, one), zero),
                    lanes_choose(on_z, lanes_choose(lanes_less(q.z, zero), minus, one), zero)};
}

static lanes3 cylinder_normal(const solid *s, lanes3 q)
{
    float h = s->size[1];
    mask end = lanes_at_most(lanes_set(h - 1e-4f * (h + 1.0f)), lanes_abs(q.z));
    lanes zero = lanes_set(0.0f), up = lanes_choose(lanes_less(q.z, zero), lanes_set(-1.0f), lanes_set(1.0f));
    return choose3(end, (lanes3){zero, zero, up}, to_unit((lanes3){q.x, q.y, zero}));
}

static lanes3 normal_of(const solid *s, lanes3 q)
{
    lanes zero = lanes_set(0.0f);
    switch (s->shape)
    {
    case SAC_SHAPE_CAPSULE:
        q.z = lanes_sub(q.z, lanes_min(lanes_max(q.z, lanes_set(-s->size[1])), lanes_set(s->size[1])));
        return to_unit(q);
    case SAC_SHAPE_CYLINDER: return cylinder_normal(s, q);
    case SAC_SHAPE_BOX: return box_normal(s, q);
    case SAC_SHAPE_ELLIPSOID: return to_unit(by_inverse(s, q));
    case SAC_SHAPE_SPHERE: return to_unit(q);
    default: return (lanes3){zero, zero, lanes_set(1.0f)};
    }
}

// Computes how the point moves along the surface when the ray moves by a pixel.
// The move that the ray makes for a pixel, plus as much along the ray as brings the point back onto the surface.
static lanes3 slope_of(const solid *s, const render_fan *fan, int axis, lanes t, lanes3 ray, lanes3 normal)
{
    lanes3 p = fill3(fan->p[axis]), d = fill3(fan->d[axis]);
    lanes3 move = by_scale(s, along(p, t, d));
    lanes along_ray = lanes_div(dot(normal, move), not_zero(dot(normal, ray)));
    return (lanes3){lanes_sub(move.x, lanes_mul(along_ray, ray.x)), lanes_sub(move.y, lanes_mul(along_ray, ray.y)),
                    lanes_sub(move.z, lanes_mul(along_ray, ray.z))};
}

// The same for a pixel to the right and a pixel down, where a texture needs it.
INLINED void find_slopes(spot *out, const solid *s, const render_fan *fan, lanes t)
{
    if (!s->texture) return;
    for (int axis = 0; axis < 2; axis++) out->slope[axis] = slope_of(s, fan, 1 + axis, t, out->ray, out->at.normal);
}

// Looks up the place on a mesh and its texcoords. The point is in the mesh's own units.
static void look_up_mesh(spot *out, const solid *s, const render_fan *fan, lanes t, const int32_t triangle[16],
                         mask live, lanes3 point)
{
    const render_mesh *m = s->mesh;
    mesh_looks looks = {{{0}}, {{0}}, {{0}}, {{{0}}}};
    look_up_points(&looks, m, triangle, live, point);
    memcpy(out->on.triangle, triangle, sizeof out->on.triangle);
    for (int k = 0; k < 3; k++) out->on.share[k] = lanes_load(looks.share[k]);
    lanes3 normal = {lanes_load(looks.normal[0]), lanes_load(looks.normal[1]), lanes_load(looks.normal[2])};
    out->at.normal = to_unit(by_inverse(s, normal));
    out->s = lanes_load(looks.st[0]), out->t = lanes_load(looks.st[1]);
    find_slopes(out, s, fan, t);
    if (!m->texcoords || !s->texture) return;
    for (int axis = 0; axis < 2; axis++)
    {
        lanes3 slope = by_inverse(s, out->slope[axis]);
        lanes *changes[2] = {&out->ds[axis], &out->dt[axis]};
        for (int d = 0; d < 2; d++)
            *changes[d] = dot(slope, (lanes3){lanes_load(looks.slopes[d][0]), lanes_load(looks.slopes[d][1]),
                                              lanes_load(looks.slopes[d][2])});
    }
}

// As OpenGL does it, four pixels share the slopes between the lower left one and its neighbours.
INLINED void slope_quads(spot *out)
{
    static const int32_t base[16] = {4, 4, 6, 6, 4, 4, 6, 6, 12, 12, 14, 14, 12, 12, 14, 14};
    static const int32_t right[16] = {5, 5, 7, 7, 5, 5, 7, 7, 13, 13, 15, 15, 13, 13, 15, 15};
    static const int32_t above[16] = {0, 0, 2, 2, 0, 0, 2, 2, 8, 8, 10, 10, 8, 8, 10, 10};
    float x[16], y[16];
    lanes_store(x, out->at.point.x), lanes_store(y, out->at.point.y);
    lanes from_x = lanes_look_up(x, words_load(base)), from_y = lanes_look_up(y, words_load(base));
    out->slope[0].x = lanes_sub(lanes_look_up(x, words_load(right)), from_x);
    out->slope[0].y = lanes_sub(lanes_look_up(y, words_load(right)), from_y);
    out->slope[1].x = lanes_sub(lanes_look_up(x, words_load(above)), from_x);
    out->slope[1].y = lanes_sub(lanes_look_up(y, words_load(above)), from_y);
    out->slope[0].z = out->slope[1].z = lanes_set(0.0f);
}

// Samples do not form squares of pixels, so each has slopes of its own.
INLINED void slope_plane(spot *out, const render_fan *fan, lanes t, lanes inverse)
{
    lanes x = lanes_mul(out->ray.x, inverse), y = lanes_mul(out->ray.y, inverse);
    for (int axis = 0; axis < 2; axis++)
    {
        lanes3 move = along(fill3(fan->p[1 + axis]), t, fill3(fan->d[1 + axis]));
        out->slope[axis].x = lanes_sub(move.x, lanes_mul(move.z, x));
        out->slope[axis].y = lanes_sub(move.y, lanes_mul(move.z, y));
        out->slope[axis].z = lanes_set(0.0f);
    }
}

// Finds where the packet's rays meet the endless plane that the solid is a part of. Returns how far along the rays that
// is.
INLINED lanes find_on_plane(spot *out, const solid *s, const render_fan *fan, const packet *k)
{
    out->ray = fan_lanes(fan->d, k->x, k->y);
    lanes3 p = fan_lanes(fan->p, k->x, k->y);
    lanes zero = lanes_set(0.0f), inverse = lanes_div(lanes_set(1.0f), not_zero(out->ray.z)),
          t = lanes_mul(lanes_minus(p.z), inverse);
    out->at.point = along(p, t, out->ray);
    out->at.normal = (lanes3){zero, zero, lanes_set(1.0f)};
    if (s->texture && k->number >= 0)
        slope_quads(out);
    else if (s->texture)
        slope_plane(out, fan, t, inverse);
    return t;
}

/// The surface that the packet's rays meet at t.
static spot find_spot(const solid *s, const render_fan *fan, const packet *k, const meeting *met, mask live)
{
    spot out = {0};
    if (s->shape == SAC_SHAPE_PLANE)
    {
        find_on_plane(&out, s, fan, k);
        return out;
    }
    lanes3 d = fan_lanes(fan->d, k->x, k->y);
    lanes t = lanes_sub(met->t, lanes_set(fan->shift));
    lanes3 q = along(fan_lanes(fan->p, k->x, k->y), t, d);
    out.ray = by_scale(s, d);
    out.at.point = by_scale(s, q);
    if (s->shape == SAC_SHAPE_MESH)
    {
        look_up_mesh(&out, s, fan, t, met->triangle, live, q);
        return out;
    }
    out.at.normal = normal_of(s, q);
    if (is_lit_at_corners(s)) place_on_box(&out.on, s, q, out.at.normal);
    find_slopes(&out, s, fan, t);
    return out;
}

static void turn_to_eye(spot *at)
{
    at->at.view = to_unit((lanes3){lanes_minus(at->ray.x), lanes_minus(at->ray.y), lanes_minus(at->ray.z)});
}

// How many texels the point moves when the ray moves by a pixel, squared: along x or along y, whichever is more.
// OpenGL 2.1 specification, section 3.8.8: rho is the larger of the two lengths; its square saves a root, and its log2,
// halved, is the level of detail.
INLINED lanes texels_wide(const solid *s, const lanes ds[2], const lanes dt[2])
{
    lanes wide = lanes_set(s->texture_scale[0] * s->texture->width[0]);
    lanes high = lanes_set(s->texture_scale[1] * s->texture->height[0]), square[2];
    for (int axis = 0; axis < 2; axis++)
    {
        lanes du = lanes_mul(ds[axis], wide), dv = lanes_mul(dt[axis], high);
        square[axis] = lanes_add(lanes_mul(du, du), lanes_mul(dv, dv));
    }
    return lanes_max(square[0], square[1]);
}

INLINED lanes3 picture_at(const solid *s, lanes u, lanes v, const lanes du[2], const lanes dv[2])
{
    return sample_picture(s->texture, lanes_mul_add(u, lanes_set(s->texture_scale[0]), lanes_set(s->texture_offset[0])),
                          lanes_mul_add(v, lanes_set(s->texture_scale[1]), lanes_set(s->texture_offset[1])),
                          texels_wide(s, du, dv));
}

// The texture laid over x and y.
INLINED lanes3 picture_over(const solid *s, const spot *at)
{
    const lanes du[2] = {at->slope[0].x, at->slope[1].x}, dv[2] = {at->slope[0].y, at->slope[1].y};
    return picture_at(s, at->at.point.x, at->at.point.y, du, dv);
}

static lanes3 picture_around(const solid *s, const spot *at)
{
    lanes3 move[2] = {by_inverse(s, at->slope[0]), by_inverse(s, at->slope[1])};
    place on = around_solid(s, by_inverse(s, at->at.point), move, at->at.normal);
    return picture_at(s, on.u, on.v, on.du, on.dv);
}

/// The texture there.
static lanes3 texture_at(const solid *s, const spot *at)
{
    lanes3 scale = fill3(s->texture_scale);
    if (s->texture->cube)
    {
        lanes3 d[3] = {at->at.point, at->slope[0], at->slope[1]};
        for (int i = 0; i < 3; i++)
            d[i] = (lanes3){lanes_mul(d[i].x, scale.x), lanes_mul(d[i].y, scale.y), lanes_mul(d[i].z, scale.z)};
        return sample_cube(s->texture, d[0], d[1], d[2]);
    }
    if (s->texture_around) return picture_around(s, at);
    bool own = s->shape == SAC_SHAPE_MESH && s->mesh->texcoords;
    return own ? picture_at(s, at->s, at->t, at->ds, at->dt) : picture_over(s, at);
}

LANES lanes3 times(lanes3 a, lanes3 b)
{
    return (lanes3){lanes_mul(a.x, b.x), lanes_mul(a.y, b.y), lanes_mul(a.z, b.z)};
}

/// Lit by all lights at once, without shadows: what mirrors and see-through solids show.
static lanes3 shade_plainly(const sac_renderer *r, const solid *s, spot *at, bool mirrored, float gain, mask live)
{
    if (s->shape == SAC_SHAPE_LINE) return fill3(s->paint);
    lanes3 colour = no_light();
    if (is_lit_at_corners(s))
        light_corners(&colour, &r->every_light, 1, r, s, mirrored ? s->mirror_point : s->eye_point, gain, &at->on,
                      live);
    else
    {
        turn_to_eye(at);
        colour = cut(sum3(light_by_all(r, s, r->every_light, &at->at, gain), emitted(s, gain)));
    }
    return s->texture ? times(colour, texture_at(s, at)) : colour;
}

// --- shadows

/// Points of the world, counted from the eye, as a light sees them.
typedef struct lit_points
{
    lanes3 point;
    lanes distance;  ///< of a directional light: from its plane
    lanes3 at;       ///< in the light's axes
    float window[4]; ///< that holds them all
} lit_points;

static lit_points see_from(const render_light *light, lanes3 point, mask *live)
{
    lanes axis[3];
    for (int k = 0; k < 3; k++) axis[k] = lanes_add(dot(point, fill3(light->axes[k])), lanes_set(light->offset[k]));
    lanes u = axis[0], v = axis[1], z = axis[2], extent = lanes_set(light->extent);
    if (!light->directional)
    {
        lanes inverse = lanes_div(lanes_set(1.0f), not_zero(z));
        u = lanes_mul(u, inverse), v = lanes_mul(v, inverse);
    }
    // Shadows are cast within a square before the light.
    *live = mask_and(mask_and(*live, lanes_less(lanes_set(0.0f), z)),
                     mask_and(lanes_at_most(lanes_abs(u), extent), lanes_at_most(lanes_abs(v), extent)));
    lit_points out = {.point = point, .distance = z};
    if (!mask_any(*live)) return out;
    out.window[0] = lanes_smallest(u, *live), out.window[2] = -lanes_smallest(lanes_minus(u), *live);
    out.window[1] = lanes_smallest(v, *live), out.window[3] = -lanes_smallest(lanes_minus(v), *live);
    return out;
}

// Tell whether the way from the light to the points meets the solid. It is a ray of its own in the solid's units,
// p + t d: for a spot it goes from the light (t = 0) to the point (t = 1), for a directional light along its direction,
// with t in world units.
static mask shaded_by(const sac_renderer *r, int number, int light_number, const lit_points *points, mask live)
{
    const solid *s = &r->solids[number];
    bool directional = r->lights[light_number].directional;
    lanes3 light = fill3(s->light_point[light_number]), to;
    to.x = lanes_add(dot(points->point, fill3(s->world[0])), lanes_set(s->offset[0]));
    to.y = lanes_add(dot(points->point, fill3(s->world[1])), lanes_set(s->offset[1]));
    to.z = lanes_add(dot(points->point, fill3(s->world[2])), lanes_set(s->offset[2]));
    // The ray goes from the light, or from its plane, nearly to the point. At the point itself it would meet the
    // point's own surface.
    lanes end = directional ? lanes_mul(points->distance, lanes_set(0.998f)) : lanes_set(0.998f),
          zero = lanes_set(0.0f);
    lanes3 p = light, d = {lanes_sub(to.x, light.x), lanes_sub(to.y, light.y), lanes_sub(to.z, light.z)};
    if (directional)
    {
        d = light;
        p = along(to, lanes_minus(points->distance), light);
    }
    if (s->shape == SAC_SHAPE_MESH)
    {
        const float *still = s->light_point[light_number];
        tree_rays rays = {p, d, directional, true, {still[0], still[1], still[2]}};
        tree_hit best = {end, mask_from_bits(0), words_set(0)};
        meet_mesh(&best, s->mesh, &rays, zero, live);
        return best.hit;
    }
    span at = meet_solid(s, p, d, true);
    mask enters = mask_and(lanes_at_most(zero, at.enter), lanes_less(at.enter, end));
    mask leaves = mask_and(lanes_at_most(zero, at.leave), lanes_less(at.leave, end));
    return mask_and(mask_and(live, at.hit), mask_or(enters, leaves));
}

/// Where a light does not arrive: another solid, or the mesh itself, is before it.
static mask shadow_of(const sac_renderer *r, int self, int number, lanes3 point, mask live)
{
    const render_light *light = &r->lights[number];
    lit_points points = see_from(light, point, &live);
    mask dark = mask_from_bits(0);
    for (int i = 0; i < light->caster_count && mask_any(live); i++)
    {
        int other = light->casters[i];
        const float *w = r->solids[other].light_window[number];
        if (w[0] > points.window[2] || w[2] < points.window[0] || w[1] > points.window[3] || w[3] < points.window[1])
            continue;
        if (other == self && r->solids[other].shape != SAC_SHAPE_MESH) continue;
        mask hidden = shaded_by(r, other, number, &points, live);
        dark = mask_or(dark, hidden);
        live = mask_without(live, hidden);
    }
    return dark;
}

// Light without shadows: that of all lights that cast none, then that of each which does, and what faces it.
static void light_sets(lanes3 *sets, mask *lit, sac_renderer *r, const solid *s, spot *at, mask live)
{
    unsigned wanted[1 + LIGHTS] = {r->steady}, casting = r->casting;
    for (int set = 1; set < r->sets; set++, casting &= casting - 1) wanted[set] = casting & -casting;
    sets[0] = no_light();
    for (int set = 0; set < r->sets; set++) lit[set] = live;
    if (s->block_table >= 0)
        light_grid(sets, r, s, at->at.point.x, at->at.point.y, live);
    else if (is_lit_at_corners(s))
    {
        light_corners(sets, wanted, r->sets, r, s, s->eye_point, 1.0f, &at->on, live);
        for (int set = 1; set < r->sets; set++) lit[set] = mask_and(live, is_bright(sets[set]));
    }
    else
    {
        turn_to_eye(at);
        sets[0] = cut(sum3(light_by_all(r, s, r->steady, &at->at, 1.0f), emitted(s, 1.0f)));
        for (int set = 1; set < r->sets; set++)
        {
            lanes3 sum = no_light();
            lit[set] = mask_and(live, light_by(&sum, r, s, __builtin_ctz(wanted[set]), &at->at, 1.0f));
            sets[set] = cut(sum);
        }
    }
}

/// The full colour of an opaque solid, without what it mirrors.
static lanes3 shade(sac_renderer *r, const packet *k, int number, const meeting *met, mask live)
{
    const solid *s = &r->solids[number];
    if (s->shape == SAC_SHAPE_LINE) return fill3(s->paint);
    spot at = find_spot(s, &s->eye, k, met, live);
    lanes3 sets[1 + LIGHTS];
    mask lit_by[1 + LIGHTS];
    light_sets(sets, lit_by, r, s, &at, live);
    lanes3 colour = sets[0];
    int set = 1;
    for (unsigned lights = r->casting; lights; lights &= lights - 1, set++)
    {
        int light = __builtin_ctz(lights);
        mask lit = lit_by[set];
        if (!mask_any(lit)) continue;
        lanes3 point = along(fan_lanes(r->view_p, k->x, k->y), met->t, fan_lanes(r->view_d, k->x, k->y));
        lit = mask_without(lit, shadow_of(r, number, light, point, lit));
        colour = choose3(lit, sum3(colour, sets[set]), colour);
    }
    return s->texture ? times(colour, texture_at(s, &at)) : colour;
}

/// Tell whether a plane is all that the rays of a tile can meet, and is lit by its grid alone.
static bool is_bare(const sac_renderer *r, const packet *tile)
{
    if (tile->solid_count != 1 || tile->clear_count > 0 || r->haze.on || r->casting) return false;
    return r->solids[tile->solids[0]].block_table >= 0 && tile->solids[0] != r->mirror;
}

/// The colours of a packet of a bare tile, which most of most pictures are.
/// @return false where it has more than that plane
static bool shade_bare(lanes3 *colour, sac_renderer *r, const packet *k)
{
    const solid *s = &r->solids[k->solids[0]];
    spot at = {0};
    lanes t = lanes_add(find_on_plane(&at, s, &s->eye, k), lanes_set(s->eye.shift));
    mask hit = is_on_plane(at.at.point.x, at.at.point.y, at.ray.z, s->size, s->behind, false);
    hit = mask_and(hit, mask_and(lanes_at_most(lanes_set(r->near), t),
                                 lanes_less(t, lanes_set(r->sky_near < r->far ? r->sky_near : r->far))));
    if (mask_bits(mask_and(hit, k->live)) != 0xffff) return false;
    light_grid(colour, r, s, at.at.point.x, at.at.point.y, hit);
    if (s->texture) *colour = times(*colour, picture_over(s, &at));
    return true;
}
