#include "env/grasp/meshes.h"

#include <sys/stat.h>

#include "env/grasp/attempt.h"
#include "failing_memory.h"
#include "scratch.h"
#include "world_scene.h"

/// Meshes of a user's in the world `grasp`, written here.

static FILE *create_file(const char *name)
{
    FILE *file = fopen(scratch_path(name), "wb");
    assert_non_null(file);
    return file;
}

static void write_text(const char *name, const char *text)
{
    FILE *file = create_file(name);
    fputs(text, file);
    fclose(file);
}

// An L, 90 mm x 60 mm, of bars 20 mm wide and 30 mm high, beside the origin. Its hull has what it lacks.
static void write_ell(const char *name, double unit)
{
    static const int outline[6][2] = {{0, 0}, {90, 0}, {90, 20}, {20, 20}, {20, 60}, {0, 60}};
    static const int cap[4][3] = {{1, 2, 3}, {1, 3, 4}, {1, 4, 5}, {1, 5, 6}};
    FILE *file = create_file(name);
    for (int z = 0; z <= 30; z += 30)
        for (int i = 0; i < 6; i++)
            fprintf(file, "v %g %g %g\n", unit * (1000 + outline[i][0]), unit * (2000 + outline[i][1]), unit * z);
    for (int i = 0; i < 6; i++) fprintf(file, "f %d %d %d %d\n", i + 1, (i + 1) % 6 + 1, (i + 1) % 6 + 7, i + 7);
    for (int i = 0; i < 4; i++)
    {
        fprintf(file, "f %d %d %d\n", cap[i][0], cap[i][2], cap[i][1]);
        fprintf(file, "f %d %d %d\n", cap[i][0] + 6, cap[i][1] + 6, cap[i][2] + 6);
    }
    fclose(file);
}

// A block in millimetres, as a binary STL
static void write_block(const char *name)
{
    static const float size[3] = {50, 30, 24};
    static const int faces[12][3] = {{0, 1, 3}, {0, 3, 2}, {4, 6, 7}, {4, 7, 5}, {0, 4, 5}, {0, 5, 1},
                                     {2, 3, 7}, {2, 7, 6}, {0, 2, 6}, {0, 6, 4}, {1, 5, 7}, {1, 7, 3}};
    FILE *file = create_file(name);
    const uint8_t head[80] = {0};
    const uint32_t count = 12;
    fwrite(head, 1, sizeof head, file);
    fwrite(&count, sizeof count, 1, file);
    for (int f = 0; f < 12; f++)
    {
        float numbers[12] = {0};
        const uint16_t attributes = 0;
        for (int i = 0; i < 3; i++)
            for (int k = 0; k < 3; k++) numbers[3 + 3 * i + k] = (faces[f][i] >> (2 - k) & 1) ? size[k] : 0;
        fwrite(numbers, sizeof numbers, 1, file);
        fwrite(&attributes, sizeof attributes, 1, file);
    }
    fclose(file);
}

// A folder of two meshes with a file beside them that is none, an empty one, and each mesh alone
static void prepare(void)
{
    scratch_open();
    assert_int_equal(mkdir(scratch_path("both"), 0700) + mkdir(scratch_path("none"), 0700), 0);
    write_ell("both/b.obj", 1);
    write_block("both/a.STL");
    write_text("both/notes.txt", "not a mesh");
    write_ell("ell.obj", 0.001);
    write_block("block & 'more'.stl");
}

static const char *settings_of(const char *file, const char *more)
{
    static char text[256];
    snprintf(text, sizeof text, "meshes=%s%s", scratch_path(file), more);
    return text;
}

static grip_weight box_weight(const double half[3], double density)
{
    grip_thing box = {.count = 1};
    box.solids[0] = (grip_solid){.kind = GRIP_BOX, .axes = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    memcpy(box.solids[0].size, half, sizeof box.solids[0].size);
    return sac_grip_weigh(&box, density);
}

// Files come in the order of their names, at the scale that is asked for, about their middles, with the mass and the
// inertia of what they hold; numbers are floats in the files.
TEST(meshes_are_what_their_files_say)
{
    const sac_mujoco *mj;
    grasp_meshes meshes;
    prepare();
    assert_ok(sac_mujoco_open(&mj));
    assert_ok(sac_grasp_meshes_open(&meshes, mj, scratch_path("block & 'more'.stl"), 0.001));
    assert_int_equal(meshes.count, 1);
    const double half[3] = {0.025, 0.015, 0.012};
    const grip_weight *w = &meshes.all[0].weight, expected = box_weight(half, 400);
    const grip_solid *box = &meshes.all[0].object.thing.solids[0];
    assert_near(w->mass, expected.mass, 1e-5 * expected.mass);
    for (int k = 0; k < 3; k++)
    {
        assert_near(box->size[k], half[k], 1e-7);
        assert_near(box->center[k], 0, 1e-7);
        assert_near(w->center[k], 0, 1e-7);
        assert_near(w->inertia[k], expected.inertia[k], 1e-5 * expected.inertia[k]);
        assert_near(w->inertia[3 + k], 0, 1e-5 * expected.inertia[0]);
    }
    sac_grasp_meshes_close(&meshes);

    assert_ok(sac_grasp_meshes_open(&meshes, mj, scratch_path("both"), 0.001));
    assert_int_equal(meshes.count, 2);
    assert_near(meshes.all[0].object.thing.solids[0].size[0], 0.025, 1e-6); // of a.STL
    sac_grasp_meshes_close(&meshes);
    assert_ok(sac_grasp_meshes_open(&meshes, mj, scratch_path("ell.obj"), 1));
    // the hull of the L: the outline with one corner cut off, 0.09 x 0.06 - 0.07 x 0.04 / 2 m^2, times 0.03 m
    assert_near(meshes.all[0].weight.mass, 400 * 0.03 * (0.09 * 0.06 - 0.07 * 0.04 / 2), 1e-5);
    box = &meshes.all[0].object.thing.solids[0];
    assert_near(box->size[0], 0.045, 1e-6);
    assert_near(box->size[1], 0.03, 1e-6);
    assert_true(box->center[0] > 0.002 && box->center[1] > 0.002); // the origin is where the mass is
    sac_grasp_meshes_close(&meshes);
}

// What the camera sees is the mesh itself: no point of its cloud lies in what the hull adds to the L.
TEST(the_cloud_is_of_the_mesh_and_not_of_its_hull)
{
    int lying = 0, within = 0;
    prepare();
    for (uint64_t seed = 1100; seed < 1120; seed++)
    {
        scene s;
        open_scene(&s, "grasp", NULL, settings_of("ell.obj", ",points=600"));
        assert_ok(sac_env_reset(s.env, seed, &s.row));
        const float *cloud = part(&s, "cloud"), *truth = part(&s, "truth");
        grip_thing box;
        sac_grip_read(&box, part(&s, "shape"));
        assert_int_equal(box.count, 1); // the teacher is told the box
        double axes[9];
        for (int i = 0; i < 9; i++) axes[i] = (double)truth[3 + i];
        lying += fabs(axes[8]) > 0.99; // on one of its L-shaped sides
        for (int i = 0; i < 600 && isfinite(cloud[3 * i]); i++)
        {
            double d[3], own[3];
            for (int k = 0; k < 3; k++) d[k] = (double)(cloud[3 * i + k] - truth[k]);
            grip_turn_back(own, axes, d);
            for (int k = 0; k < 3; k++) own[k] -= box.solids[0].center[k] - box.solids[0].size[k];
            for (int k = 0; k < 3; k++) assert_true(own[k] > -0.003 && own[k] < 2 * box.solids[0].size[k] + 0.003);
            // a voxel of 4 mm may mix what lies at an edge
            within += own[0] > 0.025 && own[1] > 0.025;
        }
        close_scene(&s);
    }
    assert_true(lying > 3 && lying < 20); // it lies in different ways
    assert_int_equal(within, 0);
}

static void tip_at_thing(scene *s)
{
    const float *truth = part(s, "truth");
    const float action[7] = {truth[0], truth[1], truth[2], 0, 0, -1, 0};
    memcpy(s->action, action, sizeof action);
}

// A block that is narrower than the open hand is held from any side, and how it turns out follows from seed and
// actions, also after the world was put back.
TEST(a_mesh_is_grasped)
{
    int held = 0;
    prepare();
    for (uint64_t seed = 1100; seed < 1110; seed++)
    {
        scene s, other;
        double before[MOST_COLUMNS] = {0}, after[MOST_COLUMNS] = {0};
        char settings[256];
        snprintf(settings, sizeof settings, "%s", settings_of("both/a.STL", ",mesh_scale=0.001,attempts=2"));
        open_scene(&s, "grasp", NULL, settings);
        open_scene(&other, "grasp", NULL, settings);
        assert_ok(sac_env_reset(other.env, 5, &other.row));
        assert_ok(sac_env_reset(s.env, seed, &s.row));
        const size_t size = sac_env_snapshot_size(s.env);
        void *saved = malloc(size);
        assert_ok(sac_env_save(s.env, saved));
        tip_at_thing(&s);
        memcpy(other.action, s.action, sizeof s.action);
        assert_ok(sac_env_step(s.env, &s.row));
        held += s.reward == 1;
        sac_env_state(s.env, before);
        assert_ok(sac_env_restore(other.env, saved, size));
        assert_ok(sac_env_step(other.env, &other.row));
        sac_env_state(other.env, after);
        assert_memory_equal(before, after, sizeof before);
        for (int i = 0; i < s.spec->observation_count; i++)
            assert_memory_equal(s.parts[i], other.parts[i], sac_space_bytes(&s.spec->observations[i]));
        free(saved);
        close_scene(&s);
        close_scene(&other);
    }
    if (held < 9) fail_msg("held %d of 10", held);
}

// Several meshes of a folder lie on one table, each kind at times.
TEST(all_files_of_a_folder_are_drawn)
{
    scene s;
    bool met[2] = {false, false};
    prepare();
    open_scene(&s, "grasp", NULL, settings_of("both", ",mesh_scale=0.001,things=2"));
    for (uint64_t seed = 1; seed < 20; seed++)
    {
        assert_ok(sac_env_reset(s.env, seed, &s.row));
        const double index = column(&s, 0);
        assert_true(index == 0 || index == 1);
        met[(int)index] = true;
        for (int i = 0; i < 7; i++) s.action[i] = i == 5 ? -1 : 0;
        assert_ok(sac_env_step(s.env, &s.row));
        assert_true(isfinite(s.reward));
    }
    assert_true(met[0] && met[1]);
    close_scene(&s);
}

TEST(what_is_wrong_with_a_file_is_named)
{
    static const struct
    {
        const char *file, *more, *sentence;
    } wrong[] = {
        {"nowhere", "", "nowhere': No such file or directory"},
        {"none", "", "holds no .obj and no .stl file"},
        {"both/notes.txt", "", "is neither a folder nor an .obj or .stl file"},
        {"broken.obj", "", "broken.obj: in face 3, vertex index 98 does not exist"},
        {"flat.obj", "", "coplanar"},
        {"short.stl", "", "short.stl: stl_decoder"},
        {"both/a.STL", "", "is 50 m long, expected 0.005 to 0.3; mesh_scale scales it"},
        {"ell.obj", ",mesh_scale=0.001", "is 9e-05 m long"},
        {"ell.obj", ",only=can", "'only' is for the world's own things"},
        {"ell.obj", ",objects=all", "'objects' is for the world's own things"},
    };
    prepare();
    write_text("broken.obj", "v 0 0 0\nv .1 0 0\nv 0 .1 0\nv 0 0 .1\nf 1 2 3\nf 1 2 4\nf 1 3 4\nf 2 3 99\n");
    write_text("flat.obj", "v 0 0 0\nv .1 0 0\nv 0 .1 0\nv .1 .1 0\nf 1 2 3\nf 2 3 4\n");
    write_text("short.stl", "solid\n");
    sac_env *env;
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        assert_fails(env_create(&env, "grasp", NULL, settings_of(wrong[i].file, wrong[i].more)),
                     i < 3   ? SAC_ERROR_FILE
                     : i < 6 ? SAC_ERROR_FORMAT
                             : SAC_ERROR_ARGUMENT,
                     wrong[i].sentence);
    assert_fails(env_create(&env, "grasp", NULL, "mesh_scale=2"), SAC_ERROR_ARGUMENT, "mesh_scale is for meshes");
}

TEST(lack_of_memory_is_survived)
{
    sac_env *env;
    prepare();
    const char *settings = settings_of("ell.obj", ",points=16,height=48,width=48");
    assert_survives_lack_of_memory(env_create(&env, "grasp", NULL, settings), sac_env_destroy(env));
}

TESTS(meshes_are_what_their_files_say, the_cloud_is_of_the_mesh_and_not_of_its_hull, a_mesh_is_grasped,
      all_files_of_a_folder_are_drawn, what_is_wrong_with_a_file_is_named, lack_of_memory_is_survived)
