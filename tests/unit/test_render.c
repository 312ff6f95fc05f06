#include "saccade/render.h"

#include <pthread.h>

#include "failing_memory.h"
#include "render_scene.h"
#include "test.h"

enum
{
    W = 101, // odd on purpose: neither is a multiple of a packet or a tile
    H = 77
};

static sac_renderer *renderer_of(int width, int height, bool full)
{
    sac_renderer_def def = sac_renderer_default_def();
    def.width = width, def.height = height;
    def.shadows = def.reflections = def.antialias = full;
    sac_renderer *r;
    assert_ok(sac_renderer_create(&r, &def));
    return r;
}

// one grey solid without light but its own glow
static sac_scene alone(sac_geom *g, float tangent)
{
    g->emission = 1;
    return (sac_scene){
        .geoms = g, .geom_count = 1, .view = look_along_y(5, 0, tangent, 1), .sky = -1, .haze_plane = -1};
}

// the distance along the view where a ray through (u, v) at distance 1 meets a sphere straight ahead
static double sphere_depth(double u, double v, double distance, double radius)
{
    double a = 1 + u * u + v * v, square = distance * distance - a * (distance * distance - radius * radius);
    return square < 0 ? -1 : (distance - sqrt(square)) / a;
}

TEST(depth_of_a_sphere_is_that_of_geometry)
{
    static float depth[64 * 64];
    static int32_t ids[64 * 64];
    sac_geom sphere = solid_geom(SAC_SHAPE_SPHERE, 0, 0, 0, 0.8f, 0, 0);
    sphere.id = 7;
    sac_scene scene = alone(&sphere, 0.25f);
    sac_renderer *r = renderer_of(64, 64, false);
    assert_ok(sac_render(r, &scene, &(sac_picture){.depth = depth, .ids = ids}));
    int met = 0;
    for (int i = 0; i < 64 * 64; i++)
    {
        double u = 0.25 * ((i % 64 + 0.5) / 32 - 1), v = 0.25 * ((i / 64 + 0.5) / 32 - 1);
        double expected = sphere_depth(u, v, 5, 0.8);
        // at the very edge a rounding decides whether the ray meets it: sqrt(eps) deep there
        if (fabs(sphere_depth(u, v, 5, 0.8 + 1e-5) - expected) > 0.05) continue;
        met += expected > 0;
        assert_int_equal(ids[i], expected > 0 ? 7 : -1);
        assert_near(depth[i], expected > 0 ? expected : 100, expected > 0 ? 1e-5 * 5 : 0);
    }
    assert_true(met > 1000);
    sac_renderer_destroy(r);
}

// Rays along the axis of a cylinder or a capsule meet it within its radius alone: of a square with twice its radius as
// its side pi / 4.
TEST(rays_along_an_axis_meet_a_disc)
{
    static float depth[64 * 64];
    sac_renderer *r = renderer_of(64, 64, false);
    for (int i = 0; i < 2; i++)
    {
        sac_geom g = solid_geom(i ? SAC_SHAPE_CAPSULE : SAC_SHAPE_CYLINDER, 0, 0, 0, 0.8f, 0.5f, 0);
        sac_scene scene = alone(&g, 1);
        scene.view = (sac_render_view){.position = {0, 0, 5},
                                       .forward = {0, 0, -1},
                                       .up = {0, 1, 0},
                                       .left = -1,
                                       .right = 1,
                                       .bottom = -1,
                                       .top = 1,
                                       .near = 0.01f,
                                       .far = 100,
                                       .orthographic = true};
        assert_ok(sac_render(r, &scene, &(sac_picture){.depth = depth}));
        for (int k = 0; k < 64 * 64; k++)
        {
            const double x = (k % 64 + 0.5) / 32 - 1, y = (k / 64 + 0.5) / 32 - 1, beside = hypot(x, y) - 0.8;
            const double top = 4.5 - (i ? sqrt(fmax(0.64 - x * x - y * y, 0)) : 0);
            if (fabs(beside) > 1e-3) assert_near(depth[k], beside < 0 ? top : 100, beside < 0 ? 1e-3 : 0);
        }
    }
    sac_renderer_destroy(r);
}

// a box of half width 0.5 whose near face is 4.5 away fills 0.5/4.5 of 0.25, so 14.2 of 32 pixels, to each side
// Of boxes that coincide the earlier one is seen, or where the def says so the later one; one before them always is.
static void look_at_boxes_that_coincide(void)
{
    sac_geom boxes[3];
    for (int i = 0; i < 3; i++)
    {
        boxes[i] = solid_geom(SAC_SHAPE_BOX, 0, 0, 0, 0.5f, 0.5f, 0.5f);
        boxes[i].id = i;
    }
    sac_scene scene = alone(boxes, 0.25f);
    scene.geom_count = 3;
    for (int later = 0; later < 2; later++)
    {
        static int32_t ids[64 * 64];
        sac_renderer_def def = sac_renderer_default_def();
        def.width = def.height = 64;
        def.later_in_front = later;
        sac_renderer *r;
        assert_ok(sac_renderer_create(&r, &def));
        assert_ok(sac_render(r, &scene, &(sac_picture){.ids = ids}));
        assert_int_equal(ids[32 * 64 + 32], later ? 2 : 0);
        for (int i = 0; i < 3; i++) boxes[1].position[i] = -0.01f * scene.view.forward[i];
        assert_ok(sac_render(r, &scene, &(sac_picture){.ids = ids}));
        assert_int_equal(ids[32 * 64 + 32], 1);
        memset(boxes[1].position, 0, sizeof boxes[1].position);
        sac_renderer_destroy(r);
    }
}

TEST(a_box_covers_the_pixels_of_its_near_face)
{
    static int32_t ids[64 * 64];
    static uint8_t rgb[64 * 64 * 3];
    sac_geom box = solid_geom(SAC_SHAPE_BOX, 0, 0, 0, 0.5f, 0.5f, 0.5f);
    box.id = 3;
    sac_scene scene = alone(&box, 0.25f);
    sac_renderer *r = renderer_of(64, 64, false);
    assert_ok(sac_render(r, &scene, &(sac_picture){.rgb = rgb, .ids = ids}));
    for (int i = 0; i < 64 * 64; i++)
    {
        bool in = abs(2 * (i % 64) - 63) <= 28 && abs(2 * (i / 64) - 63) <= 28;
        assert_int_equal(ids[i], in ? 3 : -1);
        // glow 1 and, without lights, an ambient light of 0.3 times the colour
        assert_int_equal(rgb[3 * i], in ? (int)lroundf(255 * fminf(1.3f * 0.7f, 1)) : 0);
        assert_int_equal(rgb[3 * i + 2], in ? (int)lroundf(255 * 1.3f * 0.3f) : 0);
    }
    sac_renderer_destroy(r);
    look_at_boxes_that_coincide();
}

TEST(a_mesh_of_a_box_looks_like_the_box)
{
    static int32_t ids[2][64 * 64];
    static float depth[2][64 * 64];
    sac_render_assets *assets;
    assert_ok(playground_assets(&assets));
    sac_geom box = solid_geom(SAC_SHAPE_BOX, 0.2f, 0, 0.1f, 1, 1, 1), mesh = box;
    mesh.shape = SAC_SHAPE_MESH;
    turn_about_x(&box, 0.6f);
    turn_about_x(&mesh, 0.6f);
    sac_renderer *r = renderer_of(64, 64, false);
    for (int i = 0; i < 2; i++)
    {
        sac_scene scene = alone(i ? &mesh : &box, 0.4f);
        scene.assets = assets;
        assert_ok(sac_render(r, &scene, &(sac_picture){.depth = depth[i], .ids = ids[i]}));
    }
    int differ = 0;
    for (int i = 0; i < 64 * 64; i++)
    {
        differ += ids[0][i] != ids[1][i];
        if (ids[0][i] == ids[1][i]) assert_near(depth[0][i], depth[1][i], 1e-4);
    }
    assert_true(differ <= 2); // a pixel whose centre is on an edge may fall to either side
    sac_renderer_destroy(r);
    sac_render_assets_destroy(assets);
}

// a mesh with factors, and one that was moved, are the box of those half widths
TEST(meshes_have_factors_and_move)
{
    enum
    {
        CORNERS = 36
    };
    static uint8_t rgb[3][3 * 64 * 64];
    float positions[CORNERS * 3], normals[CORNERS * 3];
    sac_render_assets *base, *assets;
    assert_ok(playground_assets(&base));
    (void)box_mesh(positions, normals);
    const sac_mesh mesh = {CORNERS / 3, positions, normals, NULL};
    assert_ok(sac_render_assets_extend(&assets, base, &mesh, 1));
    const float half[3] = {0.5f, 0.7f, 0.3f};
    for (int i = 0; i < CORNERS * 3; i++) positions[i] *= half[i % 3];
    assert_ok(sac_render_assets_move(assets, 1, &mesh));
    sac_geom geoms[3];
    for (int i = 0; i < 3; i++)
    {
        geoms[i] = solid_geom(i ? SAC_SHAPE_MESH : SAC_SHAPE_BOX, 0.2f, 0, 0.1f, half[0], half[1], half[2]);
        turn_about_x(&geoms[i], 0.6f);
    }
    geoms[2].mesh = 1;
    for (int k = 0; k < 3; k++) geoms[2].size[k] = 0;
    sac_renderer *r = renderer_of(64, 64, false);
    for (int i = 0; i < 3; i++)
    {
        sac_scene scene = alone(&geoms[i], 0.4f);
        scene.assets = assets;
        assert_ok(sac_render(r, &scene, &(sac_picture){.rgb = rgb[i]}));
    }
    int differ = 0;
    for (int i = 0; i < 3 * 64 * 64; i++) differ += abs(rgb[0][i] - rgb[1][i]) > 1 || abs(rgb[0][i] - rgb[2][i]) > 1;
    assert_true(differ <= 6); // a pixel whose centre is on an edge may fall to either side
    positions[5] = NAN;
    assert_fails(sac_render_assets_move(assets, 1, &mesh), SAC_ERROR_ARGUMENT, "finite");
    positions[5] = 0;
    sac_render_assets *more;
    assert_survives_lack_of_memory(sac_render_assets_extend(&more, base, &mesh, 1), sac_render_assets_destroy(more));
    sac_renderer_destroy(r);
    sac_render_assets_destroy(assets);
    sac_render_assets_destroy(base);
}

// what is seen through is laid over twice, as MuJoCo does
TEST(a_solid_of_opacity_a_hides_1_minus_1_minus_a_squared)
{
    uint8_t rgb[3];
    sac_geom sphere = solid_geom(SAC_SHAPE_SPHERE, 0, 0, 0, 1, 0, 0);
    sphere.rgba[0] = 0.5f, sphere.rgba[3] = 0.3f;
    sac_scene scene = alone(&sphere, 0.1f);
    sphere.emission = 0.7f; // with the ambient 0.3: its own colour
    sac_renderer *r = renderer_of(1, 1, false);
    assert_ok(sac_render(r, &scene, &(sac_picture){.rgb = rgb}));
    assert_int_equal(rgb[0], (int)lround(255 * 0.5 * (1 - 0.7 * 0.7)));
    sac_renderer_destroy(r);
}

// --- the same bytes

static void draw_playground(uint8_t *rgb, float *depth, int32_t *ids, bool full)
{
    static float depth_alone[W * H];
    static int32_t ids_alone[W * H];
    playground p;
    assert_ok(playground_create(&p));
    sac_renderer *r = renderer_of(W, H, full);
    assert_ok(sac_render(r, &p.scene, &(sac_picture){rgb, depth, ids}));
    // depth and ids are the same where no colour is asked for
    assert_ok(sac_render(r, &p.scene, &(sac_picture){.depth = depth_alone, .ids = ids_alone}));
    if (depth) assert_memory_equal(depth_alone, depth, sizeof depth_alone);
    if (ids) assert_memory_equal(ids_alone, ids, sizeof ids_alone);
    sac_renderer_destroy(r);
    playground_destroy(&p);
}

TEST(every_level_gives_the_same_bytes)
{
    static uint8_t first[W * H * 3], rgb[W * H * 3];
    static float first_depth[W * H], depth[W * H];
    static int32_t first_ids[W * H], ids[W * H];
    sac_cpu_level best = sac_get_cpu_level();
    for (int full = 0; full < 2; full++)
    {
        sac_set_cpu_level(SAC_CPU_SCALAR);
        draw_playground(first, first_depth, first_ids, full);
        for (sac_cpu_level level = SAC_CPU_NEON; level <= best; level++)
        {
            sac_set_cpu_level(level);
            draw_playground(rgb, depth, ids, full);
            assert_memory_equal(rgb, first, sizeof rgb);
            assert_memory_equal(depth, first_depth, sizeof depth);
            assert_memory_equal(ids, first_ids, sizeof ids);
        }
    }
    // and something is on them
    bool seen[PLAYGROUND_GEOMS] = {false};
    for (int i = 0; i < W * H; i++)
        if (first_ids[i] >= 100) seen[first_ids[i] - 100] = true;
    for (int i = 0; i < 8; i++) assert_true(seen[i]);
    sac_set_cpu_level(best);
}

typedef struct job
{
    const playground *p;
    uint8_t rgb[W * H * 3];
} job;

static void *draw_often(void *user)
{
    job *j = user;
    sac_renderer *r = renderer_of(W, H, true);
    for (int i = 0; i < 3; i++) assert_ok(sac_render(r, &j->p->scene, &(sac_picture){.rgb = j->rgb}));
    sac_renderer_destroy(r);
    return NULL;
}

TEST(threads_that_share_assets_give_the_same_bytes)
{
    static job jobs[3];
    pthread_t threads[3];
    playground p;
    assert_ok(playground_create(&p));
    for (int i = 0; i < 3; i++)
    {
        jobs[i].p = &p;
        assert_int_equal(pthread_create(&threads[i], NULL, draw_often, &jobs[i]), 0);
    }
    for (int i = 0; i < 3; i++) pthread_join(threads[i], NULL);
    assert_memory_equal(jobs[0].rgb, jobs[1].rgb, sizeof jobs[0].rgb);
    assert_memory_equal(jobs[0].rgb, jobs[2].rgb, sizeof jobs[0].rgb);
    playground_destroy(&p);
}

TEST(a_picture_does_not_depend_on_the_one_before)
{
    static uint8_t fresh[W * H * 3], later[W * H * 3];
    playground p;
    assert_ok(playground_create(&p));
    sac_renderer *r = renderer_of(W, H, true);
    draw_playground(fresh, NULL, NULL, true);
    sac_render_view view = p.scene.view;
    for (int i = 0; i < 4; i++)
    {
        p.scene.view = i % 2 ? view : look_along_y(2 + (float)i, 1, 0.3f, 1);
        p.lights[0].diffuse[0] = i % 2 ? 0.4f : 0.9f;
        assert_ok(sac_render(r, &p.scene, &(sac_picture){.rgb = later}));
        if (i % 2) assert_memory_equal(later, fresh, sizeof fresh);
    }
    sac_renderer_destroy(r);
    playground_destroy(&p);
}

// A clear ball over a mirror: the wide view shows its image, the narrow one the ball and the mirror alone.
TEST(an_image_that_left_the_mirror_leaves_no_trace)
{
    static uint8_t fresh[W * H * 3], later[W * H * 3];
    sac_geom geoms[2] = {solid_geom(SAC_SHAPE_PLANE, 0, 0, 0, 9, 9, 0),
                         solid_geom(SAC_SHAPE_SPHERE, 0, 0, 2, 0.4f, 0, 0)};
    geoms[0].reflectance = geoms[1].rgba[3] = 0.5f;
    sac_scene scene = {.geoms = geoms, .geom_count = 2, .sky = -1, .haze_plane = -1};
    sac_renderer *r = renderer_of(W, H, true), *other = renderer_of(W, H, true);
    scene.view = look_along_y(5, 1, 1, 1);
    assert_ok(sac_render(r, &scene, &(sac_picture){.rgb = later}));
    scene.view = look_along_y(5, 1, 0.48f, 1);
    assert_ok(sac_render(r, &scene, &(sac_picture){.rgb = later}));
    assert_ok(sac_render(other, &scene, &(sac_picture){.rgb = fresh}));
    assert_memory_equal(later, fresh, sizeof fresh);
    sac_renderer_destroy(r);
    sac_renderer_destroy(other);
}

// --- memory

TEST(a_picture_takes_no_memory)
{
    static uint8_t rgb[W * H * 3];
    playground p;
    assert_ok(playground_create(&p));
    sac_renderer *r = renderer_of(W, H, true);
    failing.until_failure = 0;
    failing.failed = false;
    sac_set_allocator(&(sac_allocator){failing_allocate, failing_release, NULL});
    sac_status status = sac_render(r, &p.scene, &(sac_picture){.rgb = rgb});
    sac_set_allocator(NULL);
    assert_int_equal(status, SAC_OK);
    assert_false(failing.failed);
    sac_renderer_destroy(r);
    playground_destroy(&p);
}

TEST(lack_of_memory_is_reported)
{
    sac_render_assets *assets;
    assert_survives_lack_of_memory(playground_assets(&assets), sac_render_assets_destroy(assets));
    sac_renderer_def def = sac_renderer_default_def();
    def.shadows = def.antialias = true;
    sac_renderer *r;
    assert_survives_lack_of_memory(sac_renderer_create(&r, &def), sac_renderer_destroy(r));
}

TEST(nothing_is_written_beside_the_picture)
{
    enum
    {
        GUARD = 64
    };
    playground p;
    assert_ok(playground_create(&p));
    for (int width = 1; width <= 18; width++)
    {
        int height = 19 - width, count = width * height;
        uint8_t *rgb = malloc((size_t)count * 3 + 2 * GUARD);
        memset(rgb, 0xa5, (size_t)count * 3 + 2 * GUARD);
        sac_renderer *r = renderer_of(width, height, true);
        assert_ok(sac_render(r, &p.scene, &(sac_picture){.rgb = rgb + GUARD}));
        for (int i = 0; i < GUARD; i++)
        {
            assert_int_equal(rgb[i], 0xa5);
            assert_int_equal(rgb[GUARD + 3 * count + i], 0xa5);
        }
        sac_renderer_destroy(r);
        free(rgb);
    }
    playground_destroy(&p);
}

// --- what does not make sense

TEST(geoms_with_numbers_that_are_none_are_not_drawn)
{
    static uint8_t with[W * H * 3], without[W * H * 3];
    static const float bad[] = {NAN, INFINITY, -INFINITY, 1e30f, -1, 0};
    playground p;
    assert_ok(playground_create(&p));
    sac_renderer *r = renderer_of(W, H, true);
    p.scene.geom_count = 9;
    assert_ok(sac_render(r, &p.scene, &(sac_picture){.rgb = without}));
    p.scene.geom_count = 10;
    for (int shape = SAC_SHAPE_PLANE; shape <= SAC_SHAPE_LINE; shape++)
        for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        {
            p.geoms[9] = solid_geom((sac_shape)shape, 0, 0, 1, bad[i], bad[i], bad[i]);
            if (shape == SAC_SHAPE_MESH) p.geoms[9].mesh = -1;
            assert_ok(sac_render(r, &p.scene, &(sac_picture){.rgb = with}));
            assert_memory_equal(with, without, sizeof with);
            if (i >= 4) continue;
            p.geoms[9] = solid_geom((sac_shape)shape, bad[i], 0, 1, 1, 1, 1);
            assert_ok(sac_render(r, &p.scene, &(sac_picture){.rgb = with}));
            assert_memory_equal(with, without, sizeof with);
        }
    sac_renderer_destroy(r);
    playground_destroy(&p);
}

// whatever the numbers are, drawing ends and stays in bounds (this test earns its keep under ASan and UBSan)
TEST(wild_scenes_are_drawn)
{
    static uint8_t rgb[33 * 29 * 3];
    static const float wild[] = {0, -0.0f, 1e-30f, 1e-6f, 0.01f, 1, 3, 1e6f, 1e14f, -1, -1e14f, NAN, INFINITY};
    sac_stream stream = sac_stream_create(5, 0, 0);
    playground p;
    assert_ok(playground_create(&p));
    sac_renderer *r = renderer_of(33, 29, true);
    for (int round = 0; round < 300; round++)
    {
        sac_geom geoms[PLAYGROUND_GEOMS];
        memcpy(geoms, p.geoms, sizeof geoms);
        p.scene.geoms = geoms;
        for (int change = 0; change < 4; change++)
        {
            sac_geom *g = &geoms[(int)sac_stream_uniform(&stream, 0, PLAYGROUND_GEOMS)];
            float value = wild[(int)sac_stream_uniform(&stream, 0, sizeof wild / sizeof *wild)];
            float *fields[] = {&g->size[change % 3],
                               &g->position[change % 3],
                               &g->axes[round % 9],
                               &g->rgba[change % 4],
                               &g->shininess,
                               &g->texture_scale[change % 3],
                               &g->texture_offset[change % 2],
                               &g->grid[change % 2].step,
                               &g->grid[change % 2].pad};
            *fields[(int)sac_stream_uniform(&stream, 0, sizeof fields / sizeof *fields)] = value;
        }
        // now and then from within a geom
        const float *at = p.geoms[round % 8].position;
        if (round % 3 == 0) memcpy(p.scene.view.position, at, sizeof p.scene.view.position);
        assert_ok(sac_render(r, &p.scene, &(sac_picture){.rgb = rgb}));
    }
    sac_renderer_destroy(r);
    playground_destroy(&p);
}

TEST(errors_name_what_is_wrong)
{
    sac_renderer *r;
    sac_renderer_def def = sac_renderer_default_def();
    def.width = 0;
    assert_fails(sac_renderer_create(&r, &def), SAC_ERROR_ARGUMENT, "width");
    def = (sac_renderer_def){.width = 4, .height = 4, .max_geoms = 4};
    assert_fails(sac_renderer_create(&r, &def), SAC_ERROR_ARGUMENT, "default_def");

    uint8_t rgb[3];
    sac_picture picture = {.rgb = rgb};
    r = renderer_of(1, 1, false);
    sac_geom g = solid_geom(SAC_SHAPE_SPHERE, 0, 0, 0, 1, 0, 0);
    sac_scene scene = alone(&g, 1);
    g.texture = 0;
    assert_fails(sac_render(r, &scene, &picture), SAC_ERROR_ARGUMENT, "texture 0 of 0");
    g.texture = -1, g.shape = SAC_SHAPE_MESH;
    assert_fails(sac_render(r, &scene, &picture), SAC_ERROR_ARGUMENT, "mesh 0 of 0");
    g.shape = SAC_SHAPE_SPHERE, scene.light_count = 9;
    assert_fails(sac_render(r, &scene, &picture), SAC_ERROR_ARGUMENT, "9 lights");
    scene.light_count = 0, scene.view.near = 0;
    assert_fails(sac_render(r, &scene, &picture), SAC_ERROR_ARGUMENT, "near");
    sac_renderer_destroy(r);

    sac_render_assets *assets;
    uint8_t pixel[4] = {0};
    assert_fails(sac_render_assets_create(&assets, &(sac_texture){1, 1, 2, false, pixel}, 1, NULL, 0),
                 SAC_ERROR_ARGUMENT, "2 channels");
    float nan[9] = {NAN};
    assert_fails(sac_render_assets_create(&assets, NULL, 0, &(sac_mesh){1, nan, nan, NULL}, 1), SAC_ERROR_ARGUMENT,
                 "not finite");
    assert_null(assets);
}

TESTS(depth_of_a_sphere_is_that_of_geometry, rays_along_an_axis_meet_a_disc, a_box_covers_the_pixels_of_its_near_face,
      a_mesh_of_a_box_looks_like_the_box, meshes_have_factors_and_move,
      a_solid_of_opacity_a_hides_1_minus_1_minus_a_squared, every_level_gives_the_same_bytes,
      threads_that_share_assets_give_the_same_bytes, a_picture_does_not_depend_on_the_one_before,
      an_image_that_left_the_mirror_leaves_no_trace, a_picture_takes_no_memory, lack_of_memory_is_reported,
      nothing_is_written_beside_the_picture, geoms_with_numbers_that_are_none_are_not_drawn, wild_scenes_are_drawn,
      errors_name_what_is_wrong)
