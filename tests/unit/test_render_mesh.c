#include "render_scene.h"
#include "saccade/render.h"
#include "test.h"

/// Rays through the tree of a mesh meet what a search through all triangles meets: the tree leaves none out.

enum
{
    SIDE = 64, // of a picture
    SOUP = 3000,
    HEAP = 600, // triangles on one spot, which no plane parts
    ALL = SOUP + HEAP
};

static uint32_t state = 1;

static float drawn(void) // -1..1
{
    state = state * 1664525u + 1013904223u;
    return (float)(state >> 8) / 8388608.0f - 1.0f;
}

// Triangles anywhere, most of them small and some as large as the picture, turned to all sides.
static void fill_soup(float *positions, float *normals)
{
    for (int t = 0; t < ALL; t++)
    {
        float centre[3], size = t % 50 ? 0.03f : 1.5f;
        for (int k = 0; k < 3; k++) centre[k] = t < SOUP ? 1.5f * drawn() : 0.5f;
        for (int c = 0; c < 3; c++)
            for (int k = 0; k < 3; k++)
            {
                float corner = t < SOUP ? size * drawn() : (float)((c + k) % 3) * 0.1f;
                positions[9 * t + 3 * c + k] = centre[k] + corner;
                normals[9 * t + 3 * c + k] = k == 1 ? -1.0f : 0.0f;
            }
    }
}

// Where a ray from a point along d meets a triangle from its front, by Moeller and Trumbore (1997); 0: nowhere.
// `close` is set where rounding decides: the ray passes an edge closely, or the triangle within half a degree.
static double meet(const double from[3], const double d[3], const float *c, bool *close)
{
    double e[3], f[3], s[3], h[3], q[3], a = 0, u = 0, v = 0, t = 0;
    for (int k = 0; k < 3; k++)
    {
        e[k] = (double)c[3 + k] - (double)c[k];
        f[k] = (double)c[6 + k] - (double)c[k];
        s[k] = from[k] - (double)c[k];
    }
    for (int k = 0; k < 3; k++) h[k] = d[(k + 1) % 3] * f[(k + 2) % 3] - d[(k + 2) % 3] * f[(k + 1) % 3];
    for (int k = 0; k < 3; k++) q[k] = s[(k + 1) % 3] * e[(k + 2) % 3] - s[(k + 2) % 3] * e[(k + 1) % 3];
    for (int k = 0; k < 3; k++) a += e[k] * h[k], u += s[k] * h[k], v += d[k] * q[k], t += f[k] * q[k];
    double normal = 0, way = 0;
    for (int k = 0; k < 3; k++)
    {
        double n = e[(k + 1) % 3] * f[(k + 2) % 3] - e[(k + 2) % 3] * f[(k + 1) % 3];
        normal += n * n, way += d[k] * d[k];
    }
    bool grazes = fabs(a) < 0.01 * sqrt(normal * way); // 0.01: the sine of half a degree
    if (a <= 0 && !grazes) return 0;                   // from behind
    if (a == 0) return 0;
    u /= a, v /= a, t /= a;
    double least = fmin(fmin(u, v), 1 - u - v);
    if (fabs(least) < 1e-3 || (grazes && least > -1e-3)) *close = true;
    return least >= 0 && t > 0.01 ? t : 0;
}

TEST(every_ray_meets_the_nearest_triangle)
{
    static float positions[ALL * 9], normals[ALL * 9], depth[SIDE * SIDE];
    fill_soup(positions, normals);
    sac_mesh mesh = {ALL, positions, normals, NULL};
    sac_render_assets *assets;
    assert_ok(sac_render_assets_create(&assets, NULL, 0, &mesh, 1));
    sac_geom g = solid_geom(SAC_SHAPE_MESH, 0, 0, 0, 0, 0, 0);
    sac_scene scene = {.assets = assets, .geoms = &g, .geom_count = 1, .sky = -1, .haze_plane = -1};
    scene.view = look_along_y(4, 0, 0.5f, 1);
    sac_renderer_def def = sac_renderer_default_def();
    def.width = def.height = SIDE;
    sac_renderer *r;
    assert_ok(sac_renderer_create(&r, &def));
    assert_ok(sac_render(r, &scene, &(sac_picture){.depth = depth}));
    int met = 0, unsure = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
    {
        const int column = i % SIDE, row = i / SIDE;
        const double d[3] = {0.5 * ((column + 0.5) / 32 - 1), 1, 0.5 * (1 - (row + 0.5) / 32)};
        const double from[3] = {0, -4, 0};
        double nearest = 100;
        bool close = false;
        for (int t = 0; t < ALL; t++)
        {
            double at = meet(from, d, positions + 9 * (size_t)t, &close);
            if (at > 0 && at < nearest) nearest = at;
        }
        met += nearest < 100;
        unsure += close;
        // a dozen roundings of a distance of about 4 to 2^-24 each, divided by the least sine: 3e-4
        if (!close) assert_near(depth[i], nearest, 3e-4);
    }
    assert_true(met > SIDE * SIDE / 2 && unsure < SIDE * SIDE / 2);
    sac_renderer_destroy(r);
    sac_render_assets_destroy(assets);
}

TESTS(every_ray_meets_the_nearest_triangle)
