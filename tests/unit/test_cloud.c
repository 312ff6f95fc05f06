#include <float.h>

#include "base/memory.h"
#include "cloud/recorded.h"
#include "failing_memory.h"
#include "files/arrays/safetensors.h"
#include "saccade/cloud.h"
#include "test.h"

/// Point clouds: each step beside values that were worked out by hand or by the slowest way, and all of them on
/// pictures of tables.

static sac_cloud_memory *memory_for(int count)
{
    sac_cloud_memory *memory;
    assert_ok(sac_cloud_memory_create(&memory, count));
    return memory;
}

static const sac_bounds everywhere = {{-100, -100, -100}, {100, 100, 100}};

// a camera one metre above the origin that looks straight down, its picture's rows along -y
TEST(points_lie_where_the_camera_sees_them)
{
    const sac_pose pose = {{1, 0, 0, 0, -1, 0, 0, 0, -1}, {0, 0, 1}};
    const sac_intrinsics camera = {4, 2, 1, 1}; // focal lengths of 4 rows and 2 columns, the middle at (1, 1)
    const float metres[] = {1, 1, 0.5f, 0, NAN, 2, 1, INFINITY, 1};
    const sac_depth depth = {metres, 3, 3, 3 * sizeof(float), SAC_DEPTH_METRES, 0.1f, 1.5f};
    float points[3 * 9];
    int pixels[9];
    // pixel (r, c) at depth z: x = (c - 1) z / 2, y = -(r - 1) z / 4, z = 1 - z
    const float x[] = {-0.5f, 0, 0.25f, -0.5f, 0.5f}, y[] = {0.25f, 0.25f, 0.125f, -0.25f, -0.25f};
    const float z[] = {0, 0, 0.5f, 0, 0};
    const int at[] = {0, 1, 2, 6, 8};
    assert_int_equal(sac_cloud_from_depth(points, 9, pixels, &depth, &camera, &pose, &everywhere, 1), 5);
    for (int i = 0; i < 5; i++)
    {
        assert_int_equal(pixels[i], at[i]);
        assert_true(points[i] == x[i] && points[9 + i] == y[i] && points[18 + i] == z[i]); // powers of two: exact
    }
    assert_int_equal(sac_cloud_from_depth(points, 4, pixels, &depth, &camera, &pose, NULL, 2), 4);
    for (int i = 0; i < 4; i++) assert_int_equal(pixels[i], ((int[]){0, 2, 6, 8}[i]));
    const float endless[] = {INFINITY, 1};
    const sac_depth far = {endless, 1, 2, 2 * sizeof(float), SAC_DEPTH_METRES, 0.1f, INFINITY};
    assert_int_equal(sac_cloud_from_depth(points, 2, pixels, &far, &camera, NULL, NULL, 1), 1);
    assert_int_equal(pixels[0], 1);
    const uint16_t whole[] = {1000, 1000, 500, 0, 0, 2000, 1000, 0, 1000};
    const sac_depth millimetres = {whole, 3, 3, 3 * sizeof(uint16_t), SAC_DEPTH_MILLIMETRES, 0.1f, 1.5f};
    assert_int_equal(sac_cloud_from_depth(points, 9, NULL, &millimetres, &camera, &pose, &everywhere, 1), 5);
    for (int i = 0; i < 5; i++) assert_true(points[i] == x[i] && points[9 + i] == y[i] && points[18 + i] == z[i]);
}

// without a pose they are the points of sac_depth_points, up to the rounding of floats
TEST(a_picture_gives_the_points_that_tokens_see)
{
    const table_scene scene = table_make(3);
    const table_camera camera = {97, 301, 1, 0.7, 0.9, 0.001, 0.05};
    table_picture p = table_take(&scene, &camera, 1);
    const sac_depth depth = table_depth(&p);
    const int n = 97 * 301;
    float *ours = malloc(3 * (size_t)n * sizeof *ours), *theirs = malloc(3 * (size_t)n * sizeof *theirs);
    for (int step = 1; step <= 3; step += 2)
    {
        const int count = sac_cloud_from_depth(ours, n, NULL, &depth, &p.camera, NULL, NULL, step);
        assert_int_equal(count, sac_depth_points(theirs, n, NULL, &depth, &p.camera, step));
        // three products and three sums of numbers below 10: each rounds by half an ulp
        for (int i = 0; i < count; i++)
            for (int d = 0; d < 3; d++)
                assert_near((double)ours[d * n + i], (double)theirs[d * n + i], 10 * 6 * (double)FLT_EPSILON / 2);
    }
    free(ours);
    free(theirs);
    free(p.depth);
}

TEST(bounds_include_their_ends_and_drop_what_is_no_number)
{
    float points[3 * 8] = {0, 1, 2, NAN, 1, 1, 1, 1, 0, 0, 0, 0, -1, 1, INFINITY, 0.5f, 0, 0, 0, 0, 0, 0, 0, NAN};
    const sac_bounds bounds = {{0, 0, 0}, {1, 1, 1}};
    float out[3 * 8];
    int kept[8];
    assert_int_equal(sac_cloud_pass(out, 8, kept, points, 8, 8, &bounds), 3);
    for (int i = 0; i < 3; i++)
    {
        assert_int_equal(kept[i], ((int[]){0, 1, 5}[i]));
        for (int d = 0; d < 3; d++) assert_true(out[8 * d + i] == points[8 * d + kept[i]]);
    }
    assert_int_equal(sac_cloud_pass(points, 8, NULL, points, 8, 8, &bounds), 3);
    for (int d = 0; d < 3; d++) assert_memory_equal(points + 8 * d, out + 8 * d, 3 * sizeof(float));
    assert_int_equal(sac_cloud_pass(out, 8, NULL, points, 8, 0, &bounds), 0);
}

TEST(voxels_are_means_of_cubes)
{
    // cubes of 0.5: the first and third point share one, the second lies below zero, the last on a cube's lower face
    const float points[3 * 5] = {0.1f, -0.1f, 0.3f,  0.1f,  0.5f,  0,     0,    0.25f,
                                 0.6f, 0,     0.25f, 0.25f, 0.25f, 0.25f, 0.25f};
    // blocks by their first points, and in the first one y before x
    const float x[] = {(0.1f + 0.3f) / 2, 0.5f, 0.1f, -0.1f}, y[] = {0.125f, 0, 0.6f, 0};
    sac_cloud_memory *memory = memory_for(5);
    float out[3 * 5];
    int count;
    for (int again = 0; again < 2; again++)
    {
        assert_ok(sac_cloud_voxels(memory, out, 5, &count, points, 5, 5, 0.5f));
        assert_int_equal(count, 4);
        for (int i = 0; i < 4; i++)
        {
            assert_near((double)out[i], (double)x[i], (double)FLT_EPSILON / 4); // the mean is rounded once
            assert_near((double)out[5 + i], (double)y[i], 0);
            assert_near((double)out[10 + i], 0.25, 0);
        }
    }
    assert_ok(sac_cloud_voxels(memory, out, 5, &count, points, 5, 0, 0.5f));
    assert_int_equal(count, 0);
    sac_cloud_memory_destroy(memory);
}

// each cube's mean beside the sum over all points that have its three numbers
TEST(voxels_equal_a_search_through_all_points)
{
    enum
    {
        N = 500
    };
    static float points[3 * N], out[3 * N];
    sac_cloud_memory *memory = memory_for(N);
    const float size = 0.25f; // the reciprocal is exact
    int count, seen = 0;
    fill_uniform(points, 3 * N, 5); // -1..1: 512 cubes
    assert_ok(sac_cloud_voxels(memory, out, N, &count, points, N, N, size));
    for (int v = 0; v < count; v++)
    {
        double sum[3] = {0};
        int n = 0;
        for (int i = 0; i < N; i++)
        {
            bool same = true;
            for (int d = 0; d < 3; d++)
                same &= floor((double)points[d * N + i] / 0.25) == floor((double)out[d * N + v] / 0.25);
            for (int d = 0; same && d < 3; d++) sum[d] += (double)points[d * N + i];
            n += same;
        }
        seen += n;
        for (int d = 0; d < 3; d++) assert_near((double)out[d * N + v], sum[d] / n, (double)FLT_EPSILON / 2);
    }
    assert_int_equal(seen, N);
    sac_cloud_memory_destroy(memory);
}

// points on a plane, lifted by at most 2 mm, and others in the space above it
static void fill_plane(float *points, int n, int outside, const double normal[3], double offset)
{
    sac_stream s = sac_stream_create(9, 9, 9);
    for (int i = 0; i < n; i++)
    {
        double x[3], lift = sac_stream_uniform(&s, -0.002, 0.002), along = 0;
        for (int d = 0; d < 3; d++) x[d] = sac_stream_uniform(&s, -0.5, 0.5);
        if (i < outside) lift = sac_stream_uniform(&s, 0.05, 0.5);
        for (int d = 0; d < 3; d++) along += normal[d] * x[d];
        for (int d = 0; d < 3; d++) points[d * n + i] = (float)(x[d] + (lift - along - offset) * normal[d]);
    }
}

TEST(a_plane_of_known_pose_is_found)
{
    enum
    {
        N = 3000
    };
    static float points[3 * N], out[3 * N];
    static int kept[N];
    const double normals[][3] = {{0, 0, 1}, {0.6, 0, 0.8}, {2 / 3.0, -1 / 3.0, 2 / 3.0}, {0, 1, 0}};
    for (int c = 0; c < 4; c++)
    {
        sac_plane_search search = sac_plane_search_default();
        sac_cloud_plane plane, again;
        fill_plane(points, N, N / 3, normals[c], 0.25 * c);
        assert_ok(sac_cloud_find_plane(&plane, points, N, N, &search));
        assert_int_equal(plane.count, N - N / 3);
        // least squares over n = 2,000 lifts of deviation s = 0.002 / sqrt(3) spread over a square of side 1, whose
        // deviation is 1 / sqrt(12): the normal is off by s sqrt(12 / n) on each of two axes and the offset by
        // s / sqrt(n), each six times at most
        const double s = 0.002 / sqrt(3), tilt = s * sqrt(12.0 / 2000), shift = s / sqrt(2000);
        double sine = 0;
        for (int d = 0; d < 3; d++)
        {
            const double cross = plane.normal[(d + 1) % 3] * normals[c][(d + 2) % 3] -
                                 plane.normal[(d + 2) % 3] * normals[c][(d + 1) % 3];
            sine += cross * cross;
        }
        assert_near(sqrt(sine), 0, 6 * sqrt(2) * tilt);
        // the points' middle is off the origin by up to 0.75 + 0.5, which the tilt turns into an offset
        assert_near(plane.offset, 0.25 * c, 6 * shift + 1.25 * 6 * sqrt(2) * tilt);
        assert_ok(sac_cloud_find_plane(&again, points, N, N, &search));
        assert_memory_equal(&plane, &again, sizeof plane);
        assert_int_equal(sac_cloud_off_plane(out, N, kept, points, N, N, &plane, search.distance), N / 3);
        for (int i = 0; i < N / 3; i++) assert_int_equal(kept[i], i);
    }
}

TEST(what_is_no_plane_is_refused)
{
    float line[3 * 50], two[6] = {0, 1, 0, 0, 0, 0};
    for (int i = 0; i < 50; i++) line[i] = line[50 + i] = line[100 + i] = (float)i;
    sac_plane_search search = sac_plane_search_default();
    sac_cloud_plane plane;
    assert_fails(sac_cloud_find_plane(&plane, line, 50, 50, &search), SAC_ERROR_ARGUMENT, "no three of 50 points");
    assert_int_equal(plane.count, 0);
    assert_fails(sac_cloud_find_plane(&plane, two, 2, 2, &search), SAC_ERROR_ARGUMENT, "2 points, but a plane takes 3");
    line[107] = NAN;
    assert_fails(sac_cloud_find_plane(&plane, line, 50, 50, &search), SAC_ERROR_ARGUMENT, "point 7 is (7, 7, nan)");
    search.distance = 0;
    assert_fails(sac_cloud_find_plane(&plane, line, 50, 50, &search), SAC_ERROR_ARGUMENT, "distance is 0");
    search = sac_plane_search_default(), search.confidence = 1;
    assert_fails(sac_cloud_find_plane(&plane, line, 50, 50, &search), SAC_ERROR_ARGUMENT, "confidence of 1");
    search = sac_plane_search_default(), search.trials = 0;
    assert_fails(sac_cloud_find_plane(&plane, line, 50, 50, &search), SAC_ERROR_ARGUMENT, "0 trials");
}

// a chain of points 0.1 apart along an axis, a pair, and one alone
TEST(clusters_are_chains)
{
    enum
    {
        N = 8
    };
    sac_cloud_memory *memory = memory_for(N);
    const float along[N] = {5, 0, 0.1f, 7, 0.2f, 0.3f, 5.1f, 0.4f};
    int labels[N], count;
    for (int axis = 0; axis < 3; axis++)
    {
        float points[3 * N] = {0};
        memcpy(points + axis * N, along, sizeof along);
        assert_ok(sac_cloud_clusters(memory, labels, &count, points, N, N, 0.11f, 1, N));
        assert_int_equal(count, 3);
        for (int i = 0; i < N; i++) assert_int_equal(labels[i], ((int[]){1, 0, 0, 2, 0, 0, 1, 0}[i]));
        assert_ok(sac_cloud_clusters(memory, labels, &count, points, N, N, 0.11f, 2, 4));
        assert_int_equal(count, 1); // neither the five nor the one
        for (int i = 0; i < N; i++) assert_int_equal(labels[i], i == 0 || i == 6 ? 0 : -1);
        assert_ok(sac_cloud_clusters(memory, labels, &count, points, N, N, 0.09f, 1, N));
        assert_int_equal(count, N);
        for (int i = 0; i < N; i++) assert_int_equal(labels[i], i); // of equal size: in the order of points
    }
    float none[3];
    assert_ok(sac_cloud_clusters(memory, labels, &count, none, 1, 0, 0.1f, 1, N));
    assert_int_equal(count, 0);
    sac_cloud_memory_destroy(memory);
}

// the smallest index that a point is connected with, by looking at all pairs until nothing changes
static void connect_all(int *lowest, const float *points, int n, float reach)
{
    for (int i = 0; i < n; i++) lowest[i] = i;
    for (bool changed = true; changed;)
    {
        changed = false;
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++)
            {
                const float x = points[i] - points[j], y = points[n + i] - points[n + j],
                            z = points[2 * n + i] - points[2 * n + j];
                if (x * x + y * y + z * z > reach * reach || lowest[i] >= lowest[j]) continue;
                lowest[j] = lowest[i];
                changed = true;
            }
    }
}

TEST(clusters_equal_a_search_through_all_pairs)
{
    enum
    {
        N = 300
    };
    static float points[3 * N];
    static int labels[N], lowest[N];
    sac_cloud_memory *memory = memory_for(N);
    for (int seed = 0; seed < 8; seed++)
    {
        // reaches from where nothing is connected to where everything is
        const float reach = 0.06f + 0.04f * (float)seed;
        int count;
        fill_uniform(points, 3 * N, (uint64_t)seed);
        connect_all(lowest, points, N, reach);
        assert_ok(sac_cloud_clusters(memory, labels, &count, points, N, N, reach, 1, N));
        int found = 0;
        for (int i = 0; i < N; i++)
        {
            found += lowest[i] == i;
            assert_int_equal(labels[i], labels[lowest[i]]);
            for (int j = 0; j < i; j++) assert_true((labels[i] == labels[j]) == (lowest[i] == lowest[j]));
        }
        assert_int_equal(count, found);
    }
    sac_cloud_memory_destroy(memory);
}

TEST(grids_refuse_what_they_cannot_hold)
{
    sac_cloud_memory *memory;
    assert_fails(sac_cloud_memory_create(&memory, 0), SAC_ERROR_ARGUMENT, "max_points is 0");
    assert_null(memory);
    memory = memory_for(4);
    float points[3 * 5] = {0}, out[3 * 5];
    int labels[5], count;
    assert_fails(sac_cloud_voxels(memory, out, 5, &count, points, 5, 5, 0.1f), SAC_ERROR_ARGUMENT, "made for 4");
    assert_fails(sac_cloud_clusters(memory, labels, &count, points, 5, 5, 0.1f, 1, 5), SAC_ERROR_ARGUMENT,
                 "made for 4");
    assert_fails(sac_cloud_voxels(memory, out, 5, &count, points, 5, 4, 0), SAC_ERROR_ARGUMENT, "of 0 m");
    points[2] = INFINITY;
    assert_fails(sac_cloud_voxels(memory, out, 5, &count, points, 5, 4, 0.1f), SAC_ERROR_ARGUMENT, "point 2 is (inf");
    points[2] = -2e5f;
    assert_fails(sac_cloud_voxels(memory, out, 5, &count, points, 5, 4, 0.1f), SAC_ERROR_ARGUMENT, "2^20 cubes");
    assert_fails(sac_cloud_clusters(memory, labels, &count, points, 5, 4, 0.1f, 1, 5), SAC_ERROR_ARGUMENT,
                 "2^20 cubes");
    assert_int_equal(count, 0);
    sac_cloud_memory_destroy(memory);
}

// one long box of known place and direction
TEST(a_box_on_a_table_is_found_with_its_axis)
{
    const double angles[] = {0, 0.4, 1.2, 2.5};
    for (int i = 0; i < 4; i++)
    {
        table_scene scene = table_make(1);
        scene.geoms[0] =
            table_solid(SAC_SHAPE_BOX, (float[3]){0.1f, 0.02f, 0.03f}, (float[3]){0.05f, -0.03f, 0.03f}, angles[i]);
        scene.geoms[1] = scene.geoms[scene.solids], scene.geoms[2] = scene.geoms[scene.solids + 1], scene.solids = 1;
        // from above: the camera sees the box's top, whose middle is its own, 6 cm above the table
        const table_camera camera = {240, 320, 1, 0.3, 1.5707963, 0, 0};
        table_picture p = table_take(&scene, &camera, 1);
        const sac_depth depth = table_depth(&p);
        const sac_segmenter_def def = table_def(240 * 320);
        sac_segmenter *segmenter;
        sac_segments found;
        assert_ok(sac_segmenter_create(&segmenter, &def));
        assert_ok(sac_segmenter_run(segmenter, &found, &depth, &p.camera, &p.pose));
        assert_int_equal(found.object_count, 1);
        const sac_cloud_object *box = &found.objects[0];
        // a pixel is 0.9 / 240 m wide at 1 m, so an edge, and with it a middle and an end, is known to one of them
        const double pixel = 0.9 / 240;
        assert_near((double)box->center[0], 0.05, pixel);
        assert_near((double)box->center[1], -0.03, pixel);
        assert_near((double)box->center[2], 0.06, pixel);
        const double along = fabs((double)box->axis[0] * cos(angles[i]) + (double)box->axis[1] * sin(angles[i]));
        assert_near(along, 1, 0.5 * (pixel / 0.1) * (pixel / 0.1)); // cos of the tilt that moves an end by a pixel
        assert_true(fabs((double)found.plane.normal[2]) > 0.9999);
        sac_segmenter_destroy(segmenter);
        free(p.depth);
    }
}

TEST(tables_give_as_many_objects_as_stand_on_them)
{
    const sac_segmenter_def def = table_def(240 * 320);
    sac_segmenter *segmenter;
    assert_ok(sac_segmenter_create(&segmenter, &def));
    for (uint64_t seed = 0; seed < 12; seed++)
    {
        const table_scene scene = table_make(seed);
        const table_camera camera = {240, 320, 0.9, 0.5 * (double)seed, 1.2, 0.0007, 0.02};
        table_picture p = table_take(&scene, &camera, seed);
        const sac_depth depth = table_depth(&p);
        sac_segments found;
        assert_ok(sac_segmenter_run(segmenter, &found, &depth, &p.camera, &p.pose));
        assert_int_equal(found.object_count, scene.solids);
        assert_int_equal(found.clusters, scene.solids);
        int points = 0;
        for (int i = 0; i < found.object_count; i++)
        {
            assert_int_equal(found.objects[i].first, points);
            points += found.objects[i].count;
            if (i > 0) assert_true(found.objects[i].count <= found.objects[i - 1].count);
            double nearest = 1e9; // the middle of what is seen lies within the solid's extent, 0.075 at most
            for (int g = 0; g < scene.solids; g++)
                nearest = fmin(nearest, hypot((double)(found.objects[i].center[0] - scene.geoms[g].position[0]),
                                              (double)(found.objects[i].center[1] - scene.geoms[g].position[1])));
            assert_true(nearest < 0.075);
        }
        assert_true(points <= found.left && found.left < found.cells && found.cells < found.seen);
        free(p.depth);
    }
    sac_segmenter_destroy(segmenter);
}

// what stands on the tables is known, since they are drawn from seeds
TEST(recorded_pictures_show_what_stands_there)
{
    for (int i = 0; i < RECORDED_PICTURES; i++)
    {
        char path[256];
        sac_cloud_file file;
        snprintf(path, sizeof path, "%s/tests/cloud/data/table_%d.safetensors", SAC_SOURCE_DIR, i);
        assert_ok(sac_cloud_file_load(&file, path));
        const sac_segmenter_def def = table_def(RECORDED_HEIGHT * RECORDED_WIDTH);
        sac_segmenter *segmenter;
        sac_segments found;
        assert_ok(sac_segmenter_create(&segmenter, &def));
        assert_ok(sac_segmenter_run(segmenter, &found, &file.depth, &file.camera, &file.pose));
        assert_int_equal(found.object_count, recorded_scene(i).solids);
        sac_segmenter_destroy(segmenter);
        sac_cloud_file_clear(&file);
    }
}

static uint8_t *file_of(size_t *size, const float depth[6], const double camera[4], const double *pose)
{
    const sac_tensor tensors[] = {
        {.name = "depth", .dtype = SAC_F32, .rank = 2, .shape = {2, 3}, .data = depth},
        {.name = "intrinsics", .dtype = SAC_F64, .rank = 1, .shape = {4}, .data = camera},
        {.name = "pose", .dtype = SAC_F64, .rank = 2, .shape = {3, 4}, .data = pose},
    };
    uint8_t *bytes;
    assert_ok(sac_tensors_write(&bytes, size, tensors, pose ? 3 : 2, NULL, 0));
    return bytes;
}

// a pose may be written with three decimals, or left out; tests/cloud/command.sh has what is refused
TEST(files_give_the_picture_that_was_written)
{
    static const float depth[6] = {1, 2, 0, NAN, INFINITY, 0.5f};
    static const double camera[4] = {100, 110, 0.5, 1};
    static const double pose[12] = {0.866, -0.5, 0, 1, 0.5, 0.866, 0, -2, 0, 0, 1, 3};
    sac_cloud_file file;
    size_t size;
    uint8_t *bytes = file_of(&size, depth, camera, pose);
    assert_survives_lack_of_memory(sac_cloud_file_read(&file, bytes, size, "a file"), sac_cloud_file_clear(&file));
    assert_ok(sac_cloud_file_read(&file, bytes, size, "a file"));
    sac_free(bytes);
    assert_true(file.depth.height == 2 && file.depth.width == 3 && file.depth.row_stride == 3 * sizeof(float));
    assert_memory_equal(file.depth.pixels, depth, sizeof depth);
    assert_true(file.camera.focal_row == 100 && file.camera.focal_column == 110);
    assert_true(file.camera.center_row == 0.5 && file.camera.center_column == 1);
    assert_true(file.pose.rotation[1] == -0.5 && file.pose.rotation[3] == 0.5 && file.pose.rotation[8] == 1);
    assert_true(file.pose.position[0] == 1 && file.pose.position[1] == -2 && file.pose.position[2] == 3);
    float points[3 * 6];
    assert_int_equal(sac_cloud_from_depth(points, 6, NULL, &file.depth, &file.camera, &file.pose, NULL, 1), 3);
    sac_cloud_file_clear(&file);
    bytes = file_of(&size, depth, camera, NULL);
    assert_ok(sac_cloud_file_read(&file, bytes, size, "a file"));
    sac_free(bytes);
    assert_true(file.pose.rotation[0] == 1 && file.pose.rotation[1] == 0 && file.pose.position[2] == 0);
    sac_cloud_file_clear(&file);
    sac_cloud_file_clear(&file);
    assert_fails(sac_cloud_file_load(&file, "/nowhere"), SAC_ERROR_FILE, "/nowhere");
    assert_null(file.internal);
}

static void assert_same_segments(const sac_segments *a, const sac_segments *b)
{
    assert_int_equal(a->object_count, b->object_count);
    assert_memory_equal(a->objects, b->objects, (size_t)a->object_count * sizeof *a->objects);
    assert_memory_equal(&a->plane, &b->plane, sizeof a->plane);
    for (int d = 0; d < 3; d++)
        for (int o = 0; o < a->object_count; o++)
            assert_memory_equal(a->points + d * (ptrdiff_t)a->stride + a->objects[o].first,
                                b->points + d * (ptrdiff_t)b->stride + b->objects[o].first,
                                (size_t)a->objects[o].count * sizeof(float));
}

// at every level, after other pictures, and without an allocation
TEST(levels_give_the_same_bits_and_runs_allocate_nothing)
{
    const sac_cpu_level best = sac_get_cpu_level();
    const table_scene scene = table_make(4), other = table_make(5);
    const table_camera camera = {120, 161, 0.9, 2, 1, 0.001, 0.02};
    table_picture p = table_take(&scene, &camera, 4), q = table_take(&other, &camera, 5);
    const sac_depth depth = table_depth(&p), before = table_depth(&q);
    const sac_segmenter_def def = table_def(120 * 161);
    sac_segmenter *first, *second;
    sac_segments expected, got;
    assert_ok(sac_segmenter_create(&first, &def));
    assert_ok(sac_segmenter_create(&second, &def));
    assert_ok(sac_segmenter_run(first, &expected, &depth, &p.camera, &p.pose));
    failing.until_failure = 0, failing.failed = false;
    sac_set_allocator(&(sac_allocator){failing_allocate, failing_release, NULL});
    for (int level = SAC_CPU_SCALAR; level <= SAC_CPU_AVX512; level++)
    {
        sac_set_cpu_level((sac_cpu_level)level);
        assert_ok(sac_segmenter_run(second, &got, &before, &q.camera, &q.pose));
        assert_ok(sac_segmenter_run(second, &got, &depth, &p.camera, &p.pose));
        assert_same_segments(&expected, &got);
    }
    sac_set_cpu_level(best);
    assert_false(failing.failed);
    sac_set_allocator(NULL);
    sac_segmenter_destroy(first);
    sac_segmenter_destroy(second);
    free(p.depth);
    free(q.depth);
}

TEST(segmenters_say_what_is_wrong)
{
    sac_segmenter *s;
    sac_segments found;
    sac_segmenter_def def = {0};
    assert_fails(sac_segmenter_create(&s, &def), SAC_ERROR_ARGUMENT, "sac_segmenter_default_def");
    def = table_def(0);
    assert_fails(sac_segmenter_create(&s, &def), SAC_ERROR_ARGUMENT, "max_points is 0");
    def = table_def(100), def.bounds.most[1] = -2;
    assert_fails(sac_segmenter_create(&s, &def), SAC_ERROR_ARGUMENT, "bounds of axis 1");
    def = table_def(100), def.voxel = NAN;
    assert_fails(sac_segmenter_create(&s, &def), SAC_ERROR_ARGUMENT, "voxel is nan");
    def = table_def(100), def.reach = 0;
    assert_fails(sac_segmenter_create(&s, &def), SAC_ERROR_ARGUMENT, "reach is 0");
    def = table_def(100), def.most_points = 3;
    assert_fails(sac_segmenter_create(&s, &def), SAC_ERROR_ARGUMENT, "most_points is 3, expected 30");
    assert_null(s);
    def = table_def(100);
    assert_survives_lack_of_memory(sac_segmenter_create(&s, &def), sac_segmenter_destroy(s));
    assert_ok(sac_segmenter_create(&s, &def));
    static float metres[11 * 10], points[3 * 101];
    sac_depth depth = {metres, 11, 10, 10 * sizeof(float), SAC_DEPTH_METRES, 0.1f, 10};
    const sac_intrinsics camera = {10, 10, 5, 5};
    assert_fails(sac_segmenter_run(s, &found, &depth, &camera, NULL), SAC_ERROR_ARGUMENT, "110 points, but max_points");
    depth.height = 10;
    assert_fails(sac_segmenter_run(s, &found, &depth, &camera, NULL), SAC_ERROR_ARGUMENT, "no point lies within");
    assert_int_equal(found.object_count, 0);
    assert_fails(sac_segmenter_run_points(s, &found, points, 101, 101), SAC_ERROR_ARGUMENT,
                 "101 points, but max_points");
    for (int i = 0; i < 303; i++) points[i] = NAN;
    assert_fails(sac_segmenter_run_points(s, &found, points, 101, 100), SAC_ERROR_ARGUMENT, "no point lies within");
    points[0] = points[101] = points[202] = 0;
    assert_fails(sac_segmenter_run_points(s, &found, points, 101, 100), SAC_ERROR_ARGUMENT, "a plane takes 3");
    sac_segmenter_destroy(s);
    sac_segmenter_destroy(NULL);
    sac_cloud_memory_destroy(NULL);
}

TESTS(points_lie_where_the_camera_sees_them, a_picture_gives_the_points_that_tokens_see,
      bounds_include_their_ends_and_drop_what_is_no_number, voxels_are_means_of_cubes,
      voxels_equal_a_search_through_all_points, a_plane_of_known_pose_is_found, what_is_no_plane_is_refused,
      clusters_are_chains, clusters_equal_a_search_through_all_pairs, grids_refuse_what_they_cannot_hold,
      a_box_on_a_table_is_found_with_its_axis, tables_give_as_many_objects_as_stand_on_them,
      recorded_pictures_show_what_stands_there, files_give_the_picture_that_was_written,
      levels_give_the_same_bits_and_runs_allocate_nothing, segmenters_say_what_is_wrong)
