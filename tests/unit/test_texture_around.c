#include "render_scene.h"
#include "saccade/render.h"
#include "test.h"

/// A flat texture around a solid against the definition of its places, in doubles: the picture of a texture that shows
/// its own u and v is read at every pixel.

enum
{
    SIDE = 160, // of a picture
    TEXELS = 256
};

typedef struct spot
{
    double u, v;
} spot;

// The angle of (x, y) in turns.
static double turns(double x, double y)
{
    double angle = atan2(y, x) / (2 * M_PI);
    return angle < 0 ? angle + 1 : angle;
}

static spot on_box(const sac_geom *g, const double p[3])
{
    double q[3];
    for (int k = 0; k < 3; k++) q[k] = p[k] / (double)g->size[k];
    int side = fabs(q[0]) >= fabs(q[1]) && fabs(q[0]) >= fabs(q[2]) ? 0 : fabs(q[1]) >= fabs(q[2]) ? 1 : 2;
    return (spot){0.5 + 0.5 * q[side == 0 ? 1 : 0], 0.5 - 0.5 * q[side == 2 ? 1 : 2]};
}

// From pole to pole.
static spot on_ellipsoid(const double radii[3], const double p[3])
{
    double x = p[0] / radii[0], y = p[1] / radii[1], z = p[2] / radii[2];
    return (spot){turns(x, y), 0.5 - atan2(z, hypot(x, y)) / M_PI};
}

static spot on_capsule(const sac_geom *g, const double p[3])
{
    double r = (double)g->size[0], h = (double)g->size[1], u = turns(p[0], p[1]), away = hypot(p[0], p[1]);
    if (p[2] > h) return (spot){u, 1 - atan2((p[2] - h) / r, away / r) / (M_PI / 2)};
    if (p[2] < -h) return (spot){u, -atan2((p[2] + h) / r, away / r) / (M_PI / 2)};
    return (spot){u, 0.5 - 0.5 * p[2] / h};
}

static spot on_cylinder(const sac_geom *g, const double p[3])
{
    double r = (double)g->size[0], h = (double)g->size[1];
    if (fabs(p[2]) > h - 1e-4) return (spot){0.5 + 0.5 * p[0] / r, 0.5 + 0.5 * p[1] / r};
    return (spot){turns(p[0], p[1]), 0.5 - 0.5 * p[2] / h};
}

static spot place_of(const sac_geom *g, const double p[3])
{
    const double ball[3] = {(double)g->size[0], (double)g->size[0], (double)g->size[0]};
    const double radii[3] = {(double)g->size[0], (double)g->size[1], (double)g->size[2]};
    switch (g->shape)
    {
    case SAC_SHAPE_BOX: return on_box(g, p);
    case SAC_SHAPE_CAPSULE: return on_capsule(g, p);
    case SAC_SHAPE_CYLINDER: return on_cylinder(g, p);
    case SAC_SHAPE_ELLIPSOID: return on_ellipsoid(radii, p);
    default: return on_ellipsoid(ball, p);
    }
}

static sac_render_assets *map_of_places(void)
{
    static uint8_t pixels[TEXELS * TEXELS * 3];
    for (int i = 0; i < TEXELS * TEXELS; i++)
        pixels[3 * i] = (uint8_t)(i % TEXELS), pixels[3 * i + 1] = (uint8_t)(i / TEXELS), pixels[3 * i + 2] = 255;
    sac_render_assets *assets;
    assert_ok(sac_render_assets_create(&assets, &(sac_texture){TEXELS, TEXELS, 3, false, pixels}, 1, NULL, 0));
    return assets;
}

// How far a colour is from what the texture shows at a place, in texels; where the texture begins anew it tells
// nothing.
static double away(uint8_t shown, double place, double repeat, double offset)
{
    double at = place * repeat + offset;
    double expected = (at - floor(at)) * TEXELS - 0.5;
    if (expected < 6 || expected > TEXELS - 7) return 0;
    return fabs((double)shown - expected);
}

// Depth is a float, so the point is known to 5 2^-24 in each of its parts, far less than a texel. A colour is rounded,
// half a level, and a mipmap of pixels that are wider than a texel mixes neighbours, which on a slope changes
// nothing; towards poles and rims, where a pixel holds many texels, it does.
TEST(every_pixel_shows_its_place)
{
    static uint8_t rgb[SIDE * SIDE * 3];
    static float depth[SIDE * SIDE];
    sac_render_assets *assets = map_of_places();
    sac_renderer_def def = sac_renderer_default_def();
    def.width = def.height = SIDE;
    sac_renderer *r;
    assert_ok(sac_renderer_create(&r, &def));
    const sac_geom solids[] = {
        solid_geom(SAC_SHAPE_BOX, 0, 0, 0, 0.8f, 0.6f, 0.4f), solid_geom(SAC_SHAPE_SPHERE, 0, 0, 0, 0.8f, 0, 0),
        solid_geom(SAC_SHAPE_ELLIPSOID, 0, 0, 0, 0.8f, 0.5f, 0.6f),
        solid_geom(SAC_SHAPE_CAPSULE, 0, 0, 0, 0.5f, 0.4f, 0), solid_geom(SAC_SHAPE_CYLINDER, 0, 0, 0, 0.6f, 0.4f, 0)};
    for (size_t s = 0; s < sizeof solids / sizeof *solids; s++)
        for (int corner = 0; corner < 8; corner++)
        {
            sac_geom g = solids[s];
            for (int k = 0; k < 3; k++) g.rgba[k] = 1;
            g.emission = 0.7f; // with the ambient light of scenes without lights: 1
            g.texture = 0, g.texture_around = true;
            g.texture_scale[0] = 1.5f, g.texture_offset[0] = 0.2f;
            sac_scene scene = {.assets = assets,
                               .geoms = &g,
                               .geom_count = 1,
                               .view = view_from_corner(corner),
                               .sky = -1,
                               .haze_plane = -1};
            assert_ok(sac_render(r, &scene, &(sac_picture){.rgb = rgb, .depth = depth}));
            int met = 0, off = 0;
            for (int i = 0; i < SIDE * SIDE; i++)
            {
                if (depth[i] > 50) continue;
                double p[3];
                render_point(p, &scene.view, SIDE, i, (double)depth[i]);
                spot at = place_of(&g, p);
                met++;
                off += away(rgb[3 * i], at.u, 1.5, (double)0.2f) > 1 || away(rgb[3 * i + 1], at.v, 1, 0) > 1;
            }
            assert_true(met > 3000);
            if (off > met / 50) fail_msg("shape %zu from corner %d: %d of %d pixels", s, corner, off, met);
        }
    sac_renderer_destroy(r);
    sac_render_assets_destroy(assets);
}

TESTS(every_pixel_shows_its_place)
