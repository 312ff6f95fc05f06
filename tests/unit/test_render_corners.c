#include "render_scene.h"
#include "saccade/render.h"
#include "test.h"

/// Meshes and boxes are lit at the corners of their triangles, and points have what lies between, as the definition in
/// doubles says.

enum
{
    SIDE = 96, // of a picture
    CELLS = 3  // squares along a side of a box's face
};

typedef struct corner
{
    double at[3], normal[3]; // of unit length
} corner;

// A light near the solid, before all sides that are seen; compare() places it.
static sac_light near_light = {.direction = {0, 0, -1},
                               .attenuation = {1.0f, 0.2f, 0.3f},
                               .cutoff = 180,
                               .ambient = {0.1f, 0.1f, 0.1f},
                               .diffuse = {0.8f, 0.7f, 0.6f},
                               .specular = {0.5f, 0.5f, 0.5f}};

static double dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static void direction_to(double out[3], const float to[3], const double from[3], double *distance)
{
    for (int k = 0; k < 3; k++) out[k] = (double)to[k] - from[k];
    *distance = sqrt(dot3(out, out));
    for (int k = 0; k < 3; k++) out[k] /= *distance;
}

// OpenGL 2.1 specification, section 2.14.1, with a local viewer: the colour of a vertex, cut to 0..1.
static void light_corner(double out[3], const corner *c, const sac_geom *g, const float eye[3])
{
    double l[3], v[3], h[3], distance, unused;
    direction_to(l, near_light.position, c->at, &distance);
    direction_to(v, eye, c->at, &unused);
    for (int k = 0; k < 3; k++) h[k] = l[k] + v[k];
    double facing = dot3(c->normal, l), shine = fmax(dot3(c->normal, h), 0) / sqrt(dot3(h, h));
    const float *a = near_light.attenuation;
    double share = 1 / ((double)a[0] + (double)a[1] * distance + (double)a[2] * distance * distance);
    shine = facing > 0 ? pow(shine, 128.0 * (double)g->shininess) : 0;
    for (int k = 0; k < 3; k++)
    {
        double own = (double)g->rgba[k], sum = (double)near_light.ambient[k] * own;
        sum += fmax(facing, 0) * (double)near_light.diffuse[k] * own;
        sum += shine * (double)near_light.specular[k] * (double)g->specular;
        out[k] = fmin(share * sum + (double)g->emission * own, 1);
    }
}

// --- an octahedron, whose triangles are the octants

static int octahedron(float positions[72], float normals[72])
{
    for (int t = 0; t < 8; t++)
        for (int c = 0; c < 3; c++)
        {
            // an odd number of signs turns the triangle, which is seen from where its corners go left around
            bool odd = (t ^ t >> 1 ^ t >> 2) & 1;
            int axis = odd ? 2 - c : c;
            for (int k = 0; k < 3; k++)
            {
                float sign = t >> k & 1 ? -1.0f : 1.0f;
                positions[9 * t + 3 * c + k] = k == axis ? sign : 0;
                normals[9 * t + 3 * c + k] = k == axis ? sign : 0.2f * sign;
            }
        }
    return 8;
}

// A point (x, y, z) of an octant has |x|, |y| and |z|, in units of the factors, as its barycentric coordinates.
static void light_octant(double out[3], const sac_geom *g, const double p[3], const float eye[3])
{
    memset(out, 0, 3 * sizeof *out);
    for (int axis = 0; axis < 3; axis++)
    {
        corner c = {{0}, {0}};
        double length = 0, colour[3];
        for (int k = 0; k < 3; k++)
        {
            double sign = p[k] < 0 ? -1 : 1, size = (double)g->size[k];
            c.at[k] = k == axis ? sign * size : 0;
            c.normal[k] = (k == axis ? sign : (double)0.2f * sign) / size; // normals go by the inverse of the factors
            length += c.normal[k] * c.normal[k];
        }
        for (int k = 0; k < 3; k++) c.normal[k] /= sqrt(length);
        light_corner(colour, &c, g, eye);
        for (int k = 0; k < 3; k++) out[k] += fabs(p[axis]) / (double)g->size[axis] * colour[k];
    }
}

// --- a box

// Which way the first of a face's two axes goes, so that the face's squares are cut from the end of the first axis to
// that of the second: measured on MuJoCo's pictures, face by face.
static const double first_way[3][2] = {{1, -1}, {-1, 1}, {1, -1}};
static const int axes_of[3][2] = {{1, 2}, {0, 2}, {0, 1}};

static void light_square(double out[3], const sac_geom *g, const double p[3], const float eye[3])
{
    int axis = 0;
    double in_square[2];
    int square[2];
    for (int k = 1; k < 3; k++)
        if (fabs(p[k]) / (double)g->size[k] > fabs(p[axis]) / (double)g->size[axis]) axis = k;
    const int *along = axes_of[axis];
    const double way[2] = {first_way[axis][p[axis] < 0], 1};
    for (int i = 0; i < 2; i++)
    {
        double at = 0.5 * CELLS * (way[i] * p[along[i]] / (double)g->size[along[i]] + 1);
        square[i] = (int)fmin(fmax(floor(at), 0), CELLS - 1);
        in_square[i] = at - square[i];
    }
    double x = in_square[0], y = in_square[1];
    bool beyond = x + y > 1;
    double shares[2][2] = {{beyond ? 0 : 1 - x - y, beyond ? 1 - x : y}, {beyond ? 1 - y : x, beyond ? x + y - 1 : 0}};
    memset(out, 0, 3 * sizeof *out);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 2; j++)
        {
            corner c = {{0}, {0}};
            double colour[3];
            c.normal[axis] = p[axis] < 0 ? -1 : 1;
            c.at[axis] = c.normal[axis] * (double)g->size[axis];
            c.at[along[0]] = way[0] * (2.0 * (square[0] + i) / CELLS - 1) * (double)g->size[along[0]];
            c.at[along[1]] = (2.0 * (square[1] + j) / CELLS - 1) * (double)g->size[along[1]];
            light_corner(colour, &c, g, eye);
            for (int k = 0; k < 3; k++) out[k] += shares[i][j] * colour[k];
        }
}

// --- pictures

typedef void light_fn(double out[3], const sac_geom *g, const double p[3], const float eye[3]);

// Near an edge of the box rounding decides which face it is. Elsewhere about 100 roundings lead to a colour, of which
// the power of the highlight takes some 20 times 32: 3e-4 of 255 levels, beside half a level for the byte.
static void compare(const sac_scene *scene, light_fn *light)
{
    static uint8_t rgb[SIDE * SIDE * 3];
    static float depth[SIDE * SIDE];
    const sac_geom *g = scene->geoms;
    const sac_render_view *view = &scene->view;
    for (int k = 0; k < 3; k++) near_light.position[k] = 0.45f * view->position[k];
    sac_renderer_def def = sac_renderer_default_def();
    def.width = def.height = SIDE;
    sac_renderer *r;
    assert_ok(sac_renderer_create(&r, &def));
    assert_ok(sac_render(r, scene, &(sac_picture){.rgb = rgb, .depth = depth}));
    int met = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
    {
        if (depth[i] > 50) continue;
        double p[3], expected[3], largest[2] = {0, 0};
        render_point(p, view, SIDE, i, (double)depth[i]);
        for (int k = 0; k < 3; k++)
        {
            double part = fabs(p[k]) / (double)g->size[k];
            if (part > largest[0])
                largest[1] = largest[0], largest[0] = part;
            else if (part > largest[1])
                largest[1] = part;
        }
        if (g->shape == SAC_SHAPE_BOX && largest[0] - largest[1] < 1e-4) continue;
        light(expected, g, p, view->position);
        for (int k = 0; k < 3; k++) assert_near(rgb[3 * i + k], 255 * expected[k], 0.5 + 255 * 3e-4);
        met++;
    }
    assert_true(met > 500);
    sac_renderer_destroy(r);
}

TEST(points_of_meshes_have_what_lies_between_their_corners)
{
    float positions[72], normals[72];
    sac_mesh mesh = {octahedron(positions, normals), positions, normals, NULL};
    sac_render_assets *assets;
    assert_ok(sac_render_assets_create(&assets, NULL, 0, &mesh, 1));
    sac_geom g = solid_geom(SAC_SHAPE_MESH, 0, 0, 0, 0.9f, 0.6f, 0.8f);
    g.shininess = 0.25f, g.emission = 0.1f;
    for (int from = 0; from < 8; from++)
    {
        sac_scene scene = {.assets = assets, .geoms = &g, .geom_count = 1, .lights = &near_light, .light_count = 1};
        scene.view = view_from_corner(from), scene.sky = scene.haze_plane = -1;
        compare(&scene, light_octant);
    }
    sac_render_assets_destroy(assets);
}

TEST(points_of_boxes_have_what_lies_between_the_corners_of_their_squares)
{
    sac_geom g = solid_geom(SAC_SHAPE_BOX, 0, 0, 0, 0.8f, 0.6f, 0.4f);
    g.shininess = 0.25f, g.emission = 0.1f, g.box_cells = CELLS;
    for (int from = 0; from < 8; from++)
    {
        sac_scene scene = {.geoms = &g, .geom_count = 1, .lights = &near_light, .light_count = 1};
        scene.view = view_from_corner(from), scene.sky = scene.haze_plane = -1;
        compare(&scene, light_square);
    }
}

TESTS(points_of_meshes_have_what_lies_between_their_corners,
      points_of_boxes_have_what_lies_between_the_corners_of_their_squares)
