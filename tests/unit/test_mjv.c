#include "saccade/mjv.h"

#include <stddef.h>

#include "failing_memory.h"

// A MuJoCo of our own: structs with the fields that are read, in an order of their own.

typedef struct own_geom
{
    float emission, specular, shininess, reflectance;
    float mat[9], pos[3], size[3], rgba[4];
    char label[10];
    int type, dataid, objtype, objid, category, matid, texcoord, segid;
} own_geom;

typedef struct own_light
{
    float dir[3], pos[3], attenuation[3], cutoff, exponent, ambient[3], diffuse[3], specular[3];
    char castshadow, directional;
} own_light;

typedef struct own_camera
{
    float pos[3], forward[3], up[3];
    float frustum_center, frustum_width, frustum_bottom, frustum_top, frustum_near, frustum_far;
    int orthographic;
} own_camera;

#define PLACE(type, field) ((int)offsetof(type, field) - (int)offsetof(type, pos))
#define GEOM(field)        .geom_##field = PLACE(own_geom, field)
#define LIGHT(field)       .light_##field = PLACE(own_light, field)
#define CAMERA(field)      .camera_##field = PLACE(own_camera, field)

static const sac_mjv_layout layout = {
    .geom_stride = sizeof(own_geom),
    GEOM(type),
    GEOM(dataid),
    GEOM(objtype),
    GEOM(objid),
    GEOM(category),
    GEOM(matid),
    GEOM(texcoord),
    GEOM(segid),
    GEOM(size),
    GEOM(mat),
    GEOM(rgba),
    GEOM(emission),
    GEOM(specular),
    GEOM(shininess),
    GEOM(reflectance),
    GEOM(label),
    .geom_texid = SAC_MJV_ABSENT,
    .geom_texuniform = SAC_MJV_ABSENT,
    .geom_texrepeat = SAC_MJV_ABSENT,
    .geom_castshadow = SAC_MJV_ABSENT,
    .light_stride = sizeof(own_light),
    LIGHT(dir),
    LIGHT(attenuation),
    LIGHT(cutoff),
    LIGHT(exponent),
    LIGHT(ambient),
    LIGHT(diffuse),
    LIGHT(specular),
    LIGHT(castshadow),
    LIGHT(directional),
    .light_type = SAC_MJV_ABSENT,
    .camera_stride = sizeof(own_camera),
    CAMERA(forward),
    CAMERA(up),
    CAMERA(orthographic),
    CAMERA(frustum_center),
    CAMERA(frustum_width),
    CAMERA(frustum_bottom),
    CAMERA(frustum_top),
    CAMERA(frustum_near),
    CAMERA(frustum_far),
};

enum
{
    GEOMS = 4,
    SIDE = 32,
    SPHERE = 2,
    BOX = 6,
    MESH = 7,
    ARROW = 100,
    SKIN = 106
};

// One tetrahedron, which is a mesh and a skin.
static const float corners[12] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 1};
static const int faces[12] = {0, 2, 1, 0, 1, 3, 0, 3, 2, 1, 2, 3};
static const int zero = 0, four = 4, none = -1;

typedef struct stage
{
    own_geom geoms[GEOMS];
    own_light light;
    own_camera cameras[2];
    float skinvert[12], skinnormal[12];
    sac_mjv_model model;
    sac_mjv_frame frame;
    sac_render_assets *assets;
    sac_mjv_scene *scene;
    sac_renderer *renderer;
    int32_t ids[SIDE * SIDE], objects[SIDE * SIDE][2];
} stage;

static own_geom geom_of(int type, int number, float x)
{
    return (own_geom){.type = type,
                      .dataid = 0,
                      .objtype = 5,
                      .objid = 10 + number,
                      .matid = -1,
                      .segid = number,
                      .size = {0.3f, 0.3f, 0.3f},
                      .pos = {x, 0, 0},
                      .mat = {1, 0, 0, 0, 1, 0, 0, 0, 1},
                      .rgba = {1, 1, 1, 1}};
}

static own_camera eye(void)
{
    return (own_camera){.pos = {0, -5, 0},
                        .forward = {0, 1, 0},
                        .up = {0, 0, 1},
                        .frustum_bottom = -0.004f,
                        .frustum_top = 0.004f,
                        .frustum_near = 0.01f,
                        .frustum_far = 50};
}

static void set_stage(stage *s)
{
    *s = (stage){.light = {.dir = {0, 1, 0}, .diffuse = {1, 1, 1}, .directional = 1}};
    for (int i = 0; i < 2; i++) s->cameras[i] = eye();
    s->model = (sac_mjv_model){
        .nmesh = 1,
        .mesh_vertadr = &zero,
        .mesh_vertnum = &four,
        .mesh_normaladr = &zero,
        .mesh_normalnum = &four,
        .mesh_texcoordadr = &none,
        .mesh_texcoordnum = &zero,
        .mesh_faceadr = &zero,
        .mesh_facenum = &four,
        .mesh_graphadr = &none,
        .nmeshvert = 4,
        .nmeshnormal = 4,
        .nmeshface = 4,
        .mesh_vert = corners,
        .mesh_normal = corners,
        .mesh_face = faces,
        .mesh_facenormal = faces,
        .nskin = 1,
        .skin_vertadr = &zero,
        .skin_vertnum = &four,
        .skin_faceadr = &zero,
        .skin_facenum = &four,
        .skin_texcoordadr = &none,
        .nskinvert = 4,
        .nskinface = 4,
        .skin_vert = corners,
        .skin_face = faces,
    };
    s->frame = (sac_mjv_frame){.geoms = s->geoms[0].pos,
                               .lights = s->light.pos,
                               .nlight = 1,
                               .camera = s->cameras[0].pos,
                               .skinvert = s->skinvert,
                               .skinnormal = s->skinnormal,
                               .extent = 1,
                               .zfar = 50,
                               .shadows = true,
                               .reflections = true};
    sac_renderer_def def = sac_renderer_default_def();
    def.width = def.height = SIDE;
    assert_ok(sac_renderer_create(&s->renderer, &def));
    assert_ok(sac_mjv_assets_create(&s->assets, &s->model));
    assert_ok(sac_mjv_scene_create(&s->scene, &layout, s->assets, &s->model, NULL, 100));
}

static void strike_stage(stage *s)
{
    sac_mjv_scene_destroy(s->scene);
    sac_render_assets_destroy(s->assets);
    sac_renderer_destroy(s->renderer);
}

static void look(stage *s, int count)
{
    s->frame.ngeom = count;
    assert_ok(sac_mjv_draw(s->renderer, s->scene, &s->model, &s->frame, &(sac_picture){.ids = s->ids}, s->objects[0]));
}

// How many pixels show an object.
static int seen(const stage *s, int objid)
{
    int count = 0;
    for (int i = 0; i < SIDE * SIDE; i++) count += s->objects[i][0] == objid && s->objects[i][1] == 5;
    return count;
}

TEST(geoms_are_read_where_the_layout_says)
{
    stage s;
    set_stage(&s);
    s.geoms[0] = geom_of(SPHERE, 0, -1);
    s.geoms[1] = geom_of(BOX, 3, 0);
    s.geoms[2] = geom_of(MESH, 2, 0.7f);
    s.geoms[3] = geom_of(ARROW, 1, -1.6f);
    s.geoms[3].size[0] = 0.2f, s.geoms[3].size[2] = 3;
    look(&s, GEOMS);
    // The picture is 4 m wide where the geoms are: a pixel is 0.125 m. The arrow is 1.5 m long and leaves the picture's
    // middle row upwards, 0.4 m wide and 0.7 m at its tip.
    assert_in_range(seen(&s, 10), 14, 22); // 0.28 square metres
    assert_in_range(seen(&s, 13), 20, 36); // 0.36, nearer
    assert_in_range(seen(&s, 12), 24, 40); // half a square metre
    assert_in_range(seen(&s, 11), 24, 50); // 0.57 square metres
    int nothing = 0;
    for (int i = 0; i < SIDE * SIDE; i++) nothing += s.objects[i][0] == -1 && s.objects[i][1] == -1;
    assert_int_equal(seen(&s, 10) + seen(&s, 11) + seen(&s, 12) + seen(&s, 13) + nothing, SIDE * SIDE);
    assert_int_equal(sac_mjv_scene_left_out(s.scene), 0);
    strcpy(s.geoms[0].label, "x");
    look(&s, GEOMS);
    assert_int_equal(sac_mjv_scene_left_out(s.scene), 1 << 7);
    s.geoms[0].label[0] = 0;
    strcpy(s.geoms[3].label, "x"); // of an arrow, such as those of contact forces
    look(&s, GEOMS);
    assert_int_equal(sac_mjv_scene_left_out(s.scene), 1 << 7);
    strike_stage(&s);
}

TEST(a_skin_is_where_its_corners_are_now)
{
    stage s;
    set_stage(&s);
    s.geoms[0] = geom_of(SKIN, 0, 100); // the geom's own place does not matter
    s.geoms[0].objid = 0;
    for (int i = 0; i < 12; i++) s.skinvert[i] = corners[i], s.skinnormal[i] = corners[i];
    look(&s, 1);
    int before = seen(&s, 0);
    assert_in_range(before, 24, 40);
    for (int i = 0; i < 12; i++) s.skinvert[i] = 2 * corners[i];
    look(&s, 1);
    assert_in_range(seen(&s, 0), 3 * before, 5 * before);
    s.skinvert[4] = NAN;
    look(&s, 1);
    assert_int_equal(seen(&s, 0), 0);
    strike_stage(&s);
}

TEST(wrong_numbers_are_not_drawn_and_lead_nowhere)
{
    stage s;
    set_stage(&s);
    int wrong[] = {-1, 2, 1 << 30, INT32_MIN};
    int types[] = {0, 1, MESH, 8, 103, 105, SKIN, 107, 1001, -5, 131, 140};
    for (size_t w = 0; w < sizeof wrong / sizeof *wrong; w++)
        for (size_t t = 0; t < sizeof types / sizeof *types; t++)
        {
            own_geom g = geom_of(types[t], 0, 0);
            g.dataid = g.objid = g.matid = g.segid = wrong[w];
            s.geoms[0] = g;
            look(&s, 1);
            s.frame.solid = !s.frame.solid;
        }
    strike_stage(&s);
}

TEST(models_are_checked)
{
    stage s;
    set_stage(&s);
    sac_render_assets *assets;
    sac_mjv_scene *scene;
    int far_off[12] = {0, 2, 1, 0, 1, 4};
    sac_mjv_model m = s.model;
    m.mesh_face = far_off;
    assert_fails(sac_mjv_assets_create(&assets, &m), SAC_ERROR_ARGUMENT, "mesh 0");
    m = s.model;
    m.mesh_faceadr = &four;
    assert_fails(sac_mjv_assets_create(&assets, &m), SAC_ERROR_ARGUMENT, "mesh 0");
    m = s.model;
    m.skin_face = far_off;
    assert_fails(sac_mjv_scene_create(&scene, &layout, s.assets, &m, NULL, 100), SAC_ERROR_ARGUMENT, "skin 0");
    const int64_t at = 0;
    const int two = 2, large = 1 << 20;
    const uint8_t texels[12] = {0};
    m = (sac_mjv_model){.ntex = 1,
                        .tex_type = &zero,
                        .tex_width = &two,
                        .tex_height = &two,
                        .tex_adr = &at,
                        .tex_data = texels,
                        .ntexdata = 12};
    assert_ok(sac_mjv_assets_create(&assets, &m));
    sac_render_assets_destroy(assets);
    m.ntexdata = 11;
    assert_fails(sac_mjv_assets_create(&assets, &m), SAC_ERROR_ARGUMENT, "texture 0 ends");
    m.tex_width = m.tex_height = &large;
    assert_fails(sac_mjv_assets_create(&assets, &m), SAC_ERROR_ARGUMENT, "texture 0");
    assert_fails(sac_mjv_scene_create(&scene, &layout, s.assets, &s.model, NULL, 0), SAC_ERROR_ARGUMENT, "max_geoms");
    strike_stage(&s);
}

TEST(creation_survives_lack_of_memory)
{
    stage s;
    set_stage(&s);
    sac_render_assets *assets;
    sac_mjv_scene *scene;
    assert_survives_lack_of_memory(sac_mjv_assets_create(&assets, &s.model), sac_render_assets_destroy(assets));
    assert_survives_lack_of_memory(sac_mjv_scene_create(&scene, &layout, s.assets, &s.model, NULL, 10),
                                   sac_mjv_scene_destroy(scene));
    strike_stage(&s);
}

// --- many frames at once

enum
{
    FRAMES = 5
};

// Puts a box elsewhere in each frame, and the skin's corners elsewhere, too.
static void pose(stage *s, int frame)
{
    s->geoms[0] = geom_of(BOX, 0, -1 + 0.5f * (float)frame);
    s->geoms[1] = geom_of(SKIN, 1, 0);
    s->geoms[1].objid = 0;
    for (int i = 0; i < 12; i++)
    {
        s->skinvert[i] = corners[i] - 0.2f * (float)frame;
        s->skinnormal[i] = corners[i];
    }
    s->frame.ngeom = frame == 3 ? 1 : 2;
}

static sac_renderer_def small(void)
{
    sac_renderer_def def = sac_renderer_default_def();
    def.width = def.height = SIDE;
    def.max_geoms = 100;
    return def;
}

static sac_mjv_batch *take_all(stage *s, int threads)
{
    sac_mjv_batch *batch;
    sac_renderer_def def = small();
    assert_ok(sac_mjv_batch_create(&batch, &def, &layout, s->assets, &s->model, NULL, threads));
    assert_ok(sac_mjv_batch_resize(batch, FRAMES));
    for (int i = 0; i < FRAMES; i++)
    {
        pose(s, i);
        assert_ok(sac_mjv_batch_take(batch, i, &s->model, &s->frame));
    }
    memset(s->geoms, 0xff, sizeof s->geoms); // what was taken was copied
    memset(s->skinvert, 0xff, sizeof s->skinvert);
    memset(s->cameras, 0xff, sizeof s->cameras);
    return batch;
}

TEST(a_batch_draws_what_one_renderer_draws_by_any_number_of_threads)
{
    static uint8_t one[FRAMES][SIDE][SIDE][3], all[FRAMES][SIDE][SIDE][3];
    static int32_t ids[FRAMES][SIDE][SIDE], objects[FRAMES][SIDE][SIDE][2], expected[FRAMES][SIDE][SIDE][2];
    static float depth[FRAMES][SIDE][SIDE], depths[FRAMES][SIDE][SIDE];
    stage s;
    set_stage(&s);
    for (int i = 0; i < FRAMES; i++)
    {
        pose(&s, i);
        sac_picture picture = {one[i][0][0], depth[i][0], ids[i][0]};
        assert_ok(sac_mjv_draw(s.renderer, s.scene, &s.model, &s.frame, &picture, expected[i][0][0]));
    }
    assert_memory_not_equal(one[0], one[1], sizeof one[0]);
    for (int threads = 1; threads <= 8; threads += threads)
    {
        sac_mjv_batch *batch = take_all(&s, threads);
        for (int round = 0; round < 3; round++)
        {
            memset(all, 1, sizeof all), memset(objects, 1, sizeof objects);
            sac_picture picture = {all[0][0][0], depths[0][0], ids[0][0]};
            assert_ok(sac_mjv_batch_draw(batch, &s.model, &s.frame, &picture, objects[0][0][0]));
            assert_memory_equal(one, all, sizeof all);
            assert_memory_equal(depth, depths, sizeof depth);
            assert_memory_equal(expected, objects, sizeof objects);
        }
        sac_mjv_batch_destroy(batch);
        for (int i = 0; i < 2; i++) s.cameras[i] = eye();
    }
    strike_stage(&s);
}

TEST(a_batch_names_the_first_frame_that_fails_and_draws_the_others)
{
    static int32_t ids[FRAMES][SIDE][SIDE];
    stage s;
    set_stage(&s);
    sac_mjv_batch *batch = take_all(&s, 4);
    for (int i = 1; i < FRAMES; i += 2) // whose cameras are not finite now
        assert_ok(sac_mjv_batch_take(batch, i, &s.model, &s.frame));
    sac_picture picture = {.ids = ids[0][0]};
    for (int round = 0; round < 20; round++)
    {
        memset(ids, 0x11, sizeof ids);
        assert_fails(sac_mjv_batch_draw(batch, &s.model, &s.frame, &picture, NULL), SAC_ERROR_ARGUMENT, "frame 1: ");
        for (int i = 0; i < FRAMES; i++) assert_int_equal(ids[i][SIDE - 1][0], i % 2 ? 0x11111111 : -1);
    }
    assert_ok(sac_mjv_batch_resize(batch, 1));
    assert_ok(sac_mjv_batch_draw(batch, &s.model, &s.frame, &picture, NULL));
    assert_fails(sac_mjv_batch_take(batch, 1, &s.model, &s.frame), SAC_ERROR_ARGUMENT, "frame 1 of 1");
    assert_fails(sac_mjv_batch_resize(batch, -1), SAC_ERROR_ARGUMENT, "frames are -1");
    sac_mjv_batch_destroy(batch);
    strike_stage(&s);
}

static sac_status fill_batch(stage *s, sac_mjv_batch **batch)
{
    sac_renderer_def def = small();
    sac_status status = sac_mjv_batch_create(batch, &def, &layout, s->assets, &s->model, NULL, 2);
    if (status == SAC_OK) status = sac_mjv_batch_resize(*batch, 2);
    for (int i = 0; i < 2 && status == SAC_OK; i++) status = sac_mjv_batch_take(*batch, i, &s->model, &s->frame);
    if (status == SAC_OK) return status;
    sac_mjv_batch_destroy(*batch);
    return status;
}

TEST(a_batch_survives_lack_of_memory)
{
    stage s;
    set_stage(&s);
    pose(&s, 0);
    sac_mjv_batch *batch;
    assert_survives_lack_of_memory(fill_batch(&s, &batch), sac_mjv_batch_destroy(batch));
    sac_renderer_def def = small();
    int wrong[] = {0, -1, 1025};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_fails(sac_mjv_batch_create(&batch, &def, &layout, s.assets, &s.model, NULL, wrong[i]),
                     SAC_ERROR_ARGUMENT, "expected 1..1024");
    strike_stage(&s);
}

TESTS(geoms_are_read_where_the_layout_says, a_skin_is_where_its_corners_are_now,
      wrong_numbers_are_not_drawn_and_lead_nowhere, models_are_checked, creation_survives_lack_of_memory,
      a_batch_draws_what_one_renderer_draws_by_any_number_of_threads,
      a_batch_names_the_first_frame_that_fails_and_draws_the_others, a_batch_survives_lack_of_memory)
