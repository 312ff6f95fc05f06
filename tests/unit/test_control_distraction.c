#include <sys/stat.h>

#include "env/control/distraction/distraction_parts.h"

#include "base/memory.h"
#include "env/control/distraction/sky.h"
#include "env/control/view.h"
#include "files/pictures/png.h"

#include "scratch.h"

/// The distracting suite: what each distraction may change, and that the episode's seed decides it.

static control_world *create(const control_task *task)
{
    control_world *w;
    assert_ok(sac_world_create(&w, task, ""));
    assert_ok(sac_world_reset(w, 1));
    return w;
}

static sac_status create_distraction(control_distraction **d, control_world *w, const char *variant,
                                     const char *pictures)
{
    distraction_def def = {.variant = variant, .pictures = pictures, .plain = true, .weakest = 1, .strongest = 1};
    return sac_distraction_create(d, w, &def);
}

static control_distraction *distract(control_world *w, const char *variant)
{
    control_distraction *d;
    assert_ok(create_distraction(&d, w, variant, "procedural"));
    return d;
}

static void step(control_world *w, control_distraction *d)
{
    double control[CONTROL_MAX_ACTIONS], reward;
    for (int i = 0; i < w->model->nu; i++) control[i] = 0.3;
    assert_ok(sac_world_step(w, control, &reward));
    sac_distraction_step(d, w);
}

/// Where camera 0 is, about the body that it follows or the origin.
static void place_of(const control_world *w, double place[3])
{
    bool follows = w->model->cam_mode[0] != mjCAMLIGHT_FIXED;
    for (int i = 0; i < 3; i++) place[i] = w->data->cam_xpos[i] - (follows ? w->data->subtree_com[3 + i] : 0);
}

static double length(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static const control_task *const tasks[] = {&sac_cheetah_run, &sac_walker_walk, &sac_cartpole_swingup,
                                            &sac_ball_in_cup_catch, &sac_reacher_easy};

// the picture's centre is what the plain camera looks at, from a place within the level's bounds
TEST(a_moved_camera_looks_at_the_same_thing)
{
    for (int t = 0; t < 5; t++)
    {
        control_world *w = create(tasks[t]);
        control_distraction *d = distract(w, "camera:hard");
        for (uint64_t seed = 1; seed <= 20; seed++)
        {
            assert_ok(sac_world_reset(w, 1));
            double plain[3], moved[3], target[3], away[3], axes[9];
            place_of(w, plain);
            const double *eye = w->data->cam_xpos, *view = w->data->cam_xmat;
            for (int i = 0; i < 3; i++) away[i] = eye[i] - w->data->subtree_com[3 + i];
            for (int i = 0; i < 3; i++) target[i] = eye[i] - length(away) * view[3 * i + 2];
            sac_distraction_reset(d, w, seed);
            place_of(w, moved);
            memcpy(axes, w->data->cam_xmat, sizeof axes);

            double ratio = length(moved) / length(plain), distance = 0;
            assert_true(ratio > 1 - 0.15 - 1e-12 && ratio < 1 + 0.45 + 1e-12);
            for (int i = 0; i < 3; i++) away[i] = target[i] - w->data->cam_xpos[i];
            distance = length(away);
            // rounding of a few products; where the camera may pass the pole its axis is divided by |sine| + 1e-4
            double tolerance = tasks[t]->free_camera ? 2e-4 : 1e-12;
            for (int i = 0; i < 3; i++) assert_near(-axes[3 * i + 2], away[i] / distance, tolerance);
            if (!tasks[t]->free_camera) assert_true(moved[2] >= -1e-12 && moved[1] <= 1e-12);
            for (int i = 0; i < 3; i++)
                for (int j = 0; j < 3; j++)
                {
                    double product = 0;
                    for (int k = 0; k < 3; k++) product += axes[3 * k + i] * axes[3 * k + j];
                    assert_near(product, i == j, tasks[t]->free_camera ? 4e-4 : 1e-12);
                }
        }
        sac_distraction_destroy(d);
        sac_world_destroy(w);
    }
}

TEST(a_static_camera_keeps_its_place_and_a_dynamic_one_walks)
{
    control_world *w = create(&sac_cheetah_run);
    const char *const variants[] = {"camera:medium", "camera:medium:dynamic"};
    for (int dynamic = 0; dynamic < 2; dynamic++)
    {
        control_distraction *d = distract(w, variants[dynamic]);
        assert_ok(sac_world_reset(w, 1));
        double before[3], after[3], start[3], path = 0;
        place_of(w, start);
        double fastest = 0.4 * 0.2 * length(start) / 4;
        sac_distraction_reset(d, w, 7);
        for (int i = 0; i < 100; i++)
        {
            place_of(w, before);
            step(w, d);
            place_of(w, after);
            for (int k = 0; k < 3; k++) before[k] -= after[k];
            path += length(before);
            assert_true(length(before) <= fastest + 1e-9);
        }
        assert_true(dynamic ? path > fastest : path < 1e-9);
        sac_distraction_destroy(d);
    }
    sac_world_destroy(w);
}

TEST(colours_stay_within_their_bounds)
{
    control_world *w = create(&sac_cheetah_run);
    int count = 4 * (int)w->model->nmat;
    float plain[400], first[400];
    assert_true(count <= 400);
    memcpy(plain, w->model->mat_rgba, (size_t)count * sizeof *plain);
    control_distraction *d = distract(w, "color:hard:dynamic");
    sac_distraction_reset(d, w, 3);
    memcpy(first, w->model->mat_rgba, (size_t)count * sizeof *plain);
    double moved = 0;
    for (int s = 0; s < 50; s++)
    {
        step(w, d);
        for (int i = 0; i < count; i++)
        {
            float now = w->model->mat_rgba[i];
            if (i % 4 == 3)
            {
                assert_true(now == plain[i]);
                continue;
            }
            assert_true(now >= 0 && now <= 1);
            assert_near((double)now, (double)plain[i], 0.3 + 1e-6);
            moved += fabs((double)(now - first[i]));
        }
    }
    assert_true(moved > 0);
    sac_distraction_destroy(d);
    sac_world_destroy(w);
}

// physics knows nothing of it, and one seed gives one episode
TEST(states_are_those_of_the_plain_world)
{
    control_world *plain = create(&sac_walker_walk), *w = create(&sac_walker_walk), *v = create(&sac_walker_walk);
    control_distraction *d = distract(w, "camera:hard+color:hard+background:hard:dynamic");
    control_distraction *e = distract(v, "camera:hard+color:hard+background:hard:dynamic");
    sac_distraction_reset(d, w, 5);
    sac_distraction_reset(e, v, 5);
    for (int i = 0; i < 30; i++)
    {
        step(plain, NULL);
        step(w, d);
        step(v, e);
        assert_memory_equal(plain->data->qpos, w->data->qpos, (size_t)w->model->nq * sizeof(double));
        assert_memory_equal(v->data->cam_xpos, w->data->cam_xpos, 3 * sizeof(double));
        assert_memory_equal(v->data->cam_xmat, w->data->cam_xmat, 9 * sizeof(double));
        assert_memory_equal(v->model->mat_rgba, w->model->mat_rgba, 4 * (size_t)w->model->nmat * sizeof(float));
    }
    sac_distraction_reset(e, v, 6);
    assert_memory_not_equal(v->data->cam_xpos, w->data->cam_xpos, 3 * sizeof(double));
    sac_distraction_destroy(d);
    sac_distraction_destroy(e);
    sac_world_destroy(plain);
    sac_world_destroy(w);
    sac_world_destroy(v);
}

// between two draws everything stands still; each draw keeps within the level's bounds, and the states are those
// of the plain world
TEST(distractions_are_drawn_anew)
{
    enum
    {
        REDRAW = 10,
        STEPS = 50
    };
    for (int t = 0; t < 5; t++)
    {
        control_world *plain = create(tasks[t]), *w = create(tasks[t]);
        distraction_def def = {.variant = "camera:hard+color:hard",
                               .pictures = "procedural",
                               .redraw = REDRAW,
                               .weakest = 1,
                               .strongest = 1};
        control_distraction *d;
        assert_ok(sac_distraction_create(&d, w, &def));
        double undisturbed[3], place[3], last[3] = {0};
        place_of(w, undisturbed);
        sac_distraction_reset(d, w, 3);
        for (int s = 1; s <= STEPS; s++)
        {
            float before = w->model->mat_rgba[0];
            step(plain, NULL);
            step(w, d);
            assert_memory_equal(plain->data->qpos, w->data->qpos, (size_t)w->model->nq * sizeof(double));
            place_of(w, place);
            double far = length(place) / length(undisturbed), moved = 0;
            for (int i = 0; i < 3; i++) moved += fabs(place[i] - last[i]);
            assert_true(far > 1 - 0.5 * 0.3 - 1e-9 && far < 1 + 1.5 * 0.3 + 1e-9);
            if (s > 1) assert_true((s % REDRAW == 0) == (moved > 1e-9));
            assert_true((s % REDRAW == 0) == (w->model->mat_rgba[0] != before));
            memcpy(last, place, sizeof last);
        }
        sac_distraction_destroy(d);
        sac_world_destroy(w);
        sac_world_destroy(plain);
    }
}

// a weaker draw is the full one of the same seed, nearer to the plain world in proportion
TEST(a_weaker_draw_lies_between_the_plain_world_and_the_full_one)
{
    static const double strengths[] = {0, 0.25, 1};
    for (int t = 0; t < 5; t++)
    {
        double plain[3], distance[3], original, red[3];
        for (int i = 0; i < 3; i++)
        {
            control_world *w = create(tasks[t]);
            control_distraction *d;
            distraction_def def = {.variant = "camera:hard+color:hard",
                                   .pictures = "procedural",
                                   .weakest = strengths[i],
                                   .strongest = strengths[i]};
            double place[3];
            place_of(w, plain);
            original = (double)w->model->mat_rgba[0];
            assert_ok(sac_distraction_create(&d, w, &def));
            sac_distraction_reset(d, w, 11);
            place_of(w, place);
            distance[i] = length(place);
            red[i] = (double)w->model->mat_rgba[0];
            sac_distraction_destroy(d);
            sac_world_destroy(w);
        }
        // rounding: of a few products, sines and cosines of numbers below 10, and of colours to floats below 1
        const double far = length(plain);
        assert_near(distance[0], far, 1e-13);
        assert_near(distance[1], far + 0.25 * (distance[2] - far), 1e-13);
        assert_true(fabs(distance[2] - far) > 1e-3);
        assert_true(red[0] == original);
        if (original >= 0.3 && original <= 0.7) assert_near(red[1], original + 0.25 * (red[2] - original), 2 * 0x1p-24);
    }
}

// distances of the camera come near the strongest draw's bounds, and none lies beyond them
TEST(strengths_are_drawn_anew_between_two_bounds)
{
    enum
    {
        DRAWS = 300
    };
    distraction_def def = {.variant = "camera:hard", .pictures = "procedural", .weakest = 0.2, .strongest = 0.6};
    control_world *w = create(&sac_cheetah_run);
    control_distraction *d;
    double plain[3], place[3], low = 1, high = 1;
    place_of(w, plain);
    assert_ok(sac_distraction_create(&d, w, &def));
    for (uint64_t seed = 0; seed < DRAWS; seed++)
    {
        assert_ok(sac_world_reset(w, 1));
        sac_distraction_reset(d, w, seed);
        place_of(w, place);
        const double ratio = length(place) / length(plain);
        low = fmin(low, ratio), high = fmax(high, ratio);
    }
    // from 1 - s/2 to 1 + 3s/2 with s up to 0.6 of 0.3; of 300 draws some lie in the outer half of each side
    assert_true(low >= 1 - 0.09 - 1e-12 && low < 1 - 0.045 && high <= 1 + 0.27 + 1e-12 && high > 1 + 0.135);
    sac_distraction_destroy(d);
    sac_world_destroy(w);
}

// at strength 0 the background is one grey, at 1/2 halfway from there to the frame, rounded down
TEST(a_weaker_background_is_nearer_to_grey)
{
    enum
    {
        HEIGHT = 32,
        WIDTH = 48
    };
    static const double strengths[] = {0, 0.5, 1};
    uint8_t rgb[3][HEIGHT * WIDTH * 3];
    for (int i = 0; i < 3; i++)
    {
        control_world *w = create(&sac_cheetah_run);
        control_distraction *d;
        control_view *view;
        distraction_def def = {.variant = "background:easy",
                               .pictures = "procedural",
                               .plain = true,
                               .weakest = strengths[i],
                               .strongest = strengths[i]};
        assert_ok(sac_distraction_create(&d, w, &def));
        assert_ok(sac_control_view_create(&view, w, &(sac_mujoco_view_def){.height = HEIGHT, .width = WIDTH}, true));
        sac_distraction_reset(d, w, 3);
        assert_ok(sac_control_view_draw(view, w, d, rgb[i]));
        sac_control_view_destroy(view);
        sac_distraction_destroy(d);
        sac_world_destroy(w);
    }
    int grey = 0;
    for (int p = 0; p < HEIGHT * WIDTH * 3; p++)
    {
        if (rgb[0][p] == rgb[2][p] && rgb[0][p] != 128) // the world in front is the same
        {
            assert_int_equal(rgb[1][p], rgb[0][p]);
            continue;
        }
        assert_int_equal(rgb[0][p], 128);
        assert_int_equal(rgb[1][p], (128 + rgb[2][p]) / 2);
        grey++;
    }
    assert_true(grey > HEIGHT * WIDTH); // at least a third of the picture
}

TEST(words_are_checked)
{
    static const char *const bad[][2] = {
        {"colour:easy", "did you mean 'color'"},
        {"camera:medum", "did you mean 'medium'"},
        {"camera", "unknown level ''"},
        {"camera:easy+camera:hard", "'camera' is there twice"},
        {"camera:easy+", "unknown distraction ''"},
        {"camera:easy:dynamics", "unknown level 'easy:dynamics'"},
        {"camera:easy:dynamic+color:easy", "unknown"},
        {":dynamic", "unknown distraction ''"},
    };
    control_world *w = create(&sac_cheetah_run);
    control_distraction *d;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_fails(create_distraction(&d, w, bad[i][0], "procedural"), SAC_ERROR_ARGUMENT, bad[i][1]);
    distraction_def free_camera = {.variant = "camera:easy", .camera = -1, .pictures = "procedural"};
    assert_fails(sac_distraction_create(&d, w, &free_camera), SAC_ERROR_ARGUMENT, "free camera");
    distraction_def falling = {.variant = "camera:easy", .pictures = "procedural", .weakest = 0.5, .strongest = 0.4};
    assert_fails(sac_distraction_create(&d, w, &falling), SAC_ERROR_ARGUMENT, "expected weakest <= strongest");
    assert_fails(create_distraction(&d, w, "background:easy", "nowhere/at/all"), SAC_ERROR_FILE, "nowhere");
    static const char *const sets[] = {"procedural:",    "procedural:-1",   "procedural:1.5", "procedural:one",
                                       "procedural:3-1", "procedural:1-",   "procedural:1-x", "procedural:0-32",
                                       "procedural:-",   "procedural:1-2-3"};
    for (size_t i = 0; i < sizeof sets / sizeof *sets; i++)
        assert_fails(create_distraction(&d, w, "background:easy", sets[i]), SAC_ERROR_ARGUMENT, "procedural:N");
    assert_ok(create_distraction(&d, w, "original", "procedural"));
    assert_null(d);
    sac_world_destroy(w);
}

// ---- backgrounds

static void write_frame(const char *folder, const char *name, uint8_t level)
{
    uint8_t rgb[4 * 4 * 3];
    char path[600];
    memset(rgb, level, sizeof rgb);
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_ok(sac_png_write(path, rgb, 4, 4));
}

// the first N folders in the order of their names, each a video; or a folder of frames, which is one
TEST(videos_are_read_in_the_order_of_their_names)
{
    char folder[300];
    scratch_open();
    snprintf(folder, sizeof folder, "%s", scratch_path("videos"));
    assert_int_equal(mkdir(folder, 0700), 0);
    for (int v = 0; v < 3; v++)
    {
        char path[320];
        snprintf(path, sizeof path, "%s/v%d", folder, 2 - v);
        assert_int_equal(mkdir(path, 0700), 0);
        for (int f = 0; f < 2; f++) write_frame(path, f ? "b.png" : "a.png", (uint8_t)(100 * (2 - v) + f));
    }
    control_reels *reels;
    uint32_t *scratch_texels = SAC_NEW_ARRAY(uint32_t, REEL_SIDE * REEL_SIDE);
    assert_ok(sac_reels_acquire(&reels, folder, 2));
    assert_int_equal(reels->count, 2);
    for (int v = 0; v < 2; v++)
        for (int f = 0; f < 2; f++)
        {
            uint32_t level = (uint32_t)(100 * v + f);
            assert_int_equal(reels->reels[v].count, 2);
            const uint32_t *texels = sac_reel_show(&reels->reels[v], f, scratch_texels);
            for (int i = 0; i < REEL_SIDE * REEL_SIDE; i++) assert_int_equal(texels[i], level * 0x010101);
        }
    control_reels *again;
    assert_ok(sac_reels_acquire(&again, folder, 2)); // shared
    assert_ptr_equal(again, reels);
    sac_reels_release(again);
    sac_reels_release(reels);

    char path[320];
    snprintf(path, sizeof path, "%s/v1", folder);
    assert_ok(sac_reels_acquire(&reels, path, 4));
    assert_int_equal(reels->count, 1);
    sac_reels_release(reels);
    snprintf(path, sizeof path, "%s/empty", folder);
    assert_int_equal(mkdir(path, 0700), 0);
    assert_fails(sac_reels_acquire(&reels, path, 4), SAC_ERROR_FORMAT, "no .png");
    assert_fails(sac_reels_acquire(&reels, scratch_path("missing"), 4), SAC_ERROR_FILE, "missing");
    sac_free(scratch_texels);
}

// a folder with the sixty videos that the suite names: those, and not what else is there
TEST(davis_is_known)
{
    char folder[300], path[400];
    scratch_open();
    snprintf(folder, sizeof folder, "%s", scratch_path("davis"));
    assert_int_equal(mkdir(folder, 0700), 0);
    for (int i = -1; i < 60; i++)
    {
        snprintf(path, sizeof path, "%s/%s", folder, i < 0 ? "aaa" : sac_davis_names[i]);
        assert_int_equal(mkdir(path, 0700), 0);
        if (i < 2) write_frame(path, "0.png", (uint8_t)(10 + i));
    }
    assert_null(sac_davis_names[60]);
    control_reels *reels;
    uint32_t *scratch_texels = SAC_NEW_ARRAY(uint32_t, REEL_SIDE * REEL_SIDE);
    assert_ok(sac_reels_acquire(&reels, folder, 2));
    for (int i = 0; i < 2; i++)
        assert_int_equal(sac_reel_show(&reels->reels[i], 0, scratch_texels)[0], (10 + i) * 0x010101);
    sac_reels_release(reels);
    assert_fails(sac_reels_acquire(&reels, folder, 4), SAC_ERROR_FORMAT, "boat"); // is empty
    sac_free(scratch_texels);
}

// they come from the seed alone, differ from one another, and move
TEST(moving_textures)
{
    control_reels *reels;
    uint32_t *a = SAC_NEW_ARRAY(uint32_t, REEL_SIDE * REEL_SIDE), *b = SAC_NEW_ARRAY(uint32_t, REEL_SIDE * REEL_SIDE);
    assert_ok(sac_reels_acquire(&reels, "procedural", 4));
    assert_int_equal(reels->count, 4);
    for (int v = 0; v < 4; v++)
    {
        double sum = 0, squares = 0, count = REEL_SIDE * REEL_SIDE, changed = 0;
        sac_reel_show(&reels->reels[v], 3, a);
        sac_reel_show(&reels->reels[v], 4, b);
        for (int i = 0; i < REEL_SIDE * REEL_SIDE; i++)
        {
            double green = a[i] >> 8 & 255;
            sum += green, squares += green * green;
            changed += a[i] != b[i];
            assert_true(a[i] <= 0xffffff);
        }
        assert_true(sqrt(squares / count - sum / count * (sum / count)) > 10); // there is something to see
        assert_true(changed > count / 4);
        sac_reel_show(&reels->reels[(v + 1) % 4], 3, b);
        assert_memory_not_equal(a, b, REEL_SIDE * REEL_SIDE * sizeof *a);
    }
    sac_reels_release(reels);
    sac_free(a);
    sac_free(b);
}

// a policy can be trained on one set and tested on another, where no texture is the same
TEST(sets_of_moving_textures)
{
    control_reels *reels, *zero, *others;
    uint32_t *a = SAC_NEW_ARRAY(uint32_t, REEL_SIDE * REEL_SIDE), *b = SAC_NEW_ARRAY(uint32_t, REEL_SIDE * REEL_SIDE);
    assert_ok(sac_reels_acquire(&reels, "procedural", 4));
    assert_ok(sac_reels_acquire(&zero, "procedural:0", 4));
    assert_ok(sac_reels_acquire(&others, "procedural:7", 4));
    const size_t bytes = REEL_SIDE * REEL_SIDE * sizeof *a;
    for (int v = 0; v < 4; v++)
    {
        sac_reel_show(&reels->reels[v], 3, a);
        sac_reel_show(&zero->reels[v], 3, b);
        assert_memory_equal(a, b, bytes);
        for (int u = 0; u < 4; u++)
        {
            sac_reel_show(&others->reels[u], 3, b);
            assert_memory_not_equal(a, b, bytes);
        }
    }
    // several sets hold the textures of each, one after the other
    control_reels *both;
    assert_ok(sac_reels_acquire(&both, "procedural:6-7", 4));
    assert_int_equal(both->count, 8);
    for (int v = 0; v < 4; v++)
        assert_memory_equal(sac_reel_show(&both->reels[4 + v], 3, a), sac_reel_show(&others->reels[v], 3, b), bytes);
    control_reels *const all[] = {reels, zero, others, both};
    for (int i = 0; i < 4; i++) sac_reels_release(all[i]);
    sac_free(a);
    sac_free(b);
}

// the ground mixed with the background afterwards is the ground drawn see-through; each way rounds twice at most
TEST(a_ground_to_look_through_is_mixed_as_it_is_drawn)
{
    enum
    {
        HEIGHT = 60,
        WIDTH = 80
    };
    uint8_t *rgb[2];
    for (int plain = 0; plain < 2; plain++)
    {
        control_world *w = create(&sac_cartpole_swingup);
        control_distraction *d;
        control_view *view;
        rgb[plain] = sac_alloc(HEIGHT * WIDTH * 3);
        distraction_def def = {
            .variant = "background:easy", .pictures = "procedural", .plain = plain, .weakest = 1, .strongest = 1};
        assert_ok(sac_distraction_create(&d, w, &def));
        assert_ok(sac_control_view_create(&view, w, &(sac_mujoco_view_def){.height = HEIGHT, .width = WIDTH}, true));
        sac_distraction_reset(d, w, 3);
        assert_ok(sac_control_view_draw(view, w, d, rgb[plain]));
        sac_control_view_destroy(view);
        sac_distraction_destroy(d);
        sac_world_destroy(w);
    }
    for (int i = 0; i < HEIGHT * WIDTH * 3; i++) assert_near(rgb[0][i], rgb[1][i], 2);
    sac_free(rgb[0]);
    sac_free(rgb[1]);
}

enum
{
    SIDE = 2 * REEL_SIDE + 3 // no multiple of a vector
};

static void paint(sky_fn *sky, const double ahead[3], const double up[3], double half, const int32_t *ids, uint8_t *rgb)
{
    static uint32_t texels[REEL_SIDE * REEL_SIDE];
    for (int i = 0; i < REEL_SIDE * REEL_SIDE; i++)
        texels[i] = (uint32_t)(i / REEL_SIDE) | (uint32_t)(i % REEL_SIDE) << 8;
    sac_render_view view = {.left = (float)-half, .right = (float)half, .bottom = (float)-half, .top = (float)half};
    for (int i = 0; i < 3; i++) view.forward[i] = (float)ahead[i], view.up[i] = (float)up[i];
    sky(&(sky_picture){.view = &view,
                       .height = SIDE,
                       .width = SIDE,
                       .texels = texels,
                       .ids = ids,
                       .ground = 5,
                       .through = 128,
                       .keep = 192,
                       .rgb = rgb});
}

// a view of one whole face shows the whole frame upright, from inside: columns run from right to left
TEST(each_face_shows_the_frame)
{
    int32_t *ids = SAC_NEW_ARRAY(int32_t, SIDE * SIDE);
    uint8_t *rgb = sac_alloc(SIDE * SIDE * 3);
    static const double faces[4][3] = {{1, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}}, up[3] = {0, 0, 1};
    for (int i = 0; i < SIDE * SIDE; i++) ids[i] = i % 3 == 0 ? -1 : i % 3 == 1 ? 5 : 2;
    for (int f = 0; f < 4; f++)
    {
        memset(rgb, 40, SIDE * SIDE * 3);
        paint(sac_sky_scalar, faces[f], up, 1, ids, rgb);
        for (int y = 0; y < SIDE; y++)
            for (int x = 0; x < SIDE; x++)
            {
                const uint8_t *pixel = rgb + 3 * (y * SIDE + x);
                double row = (y + 0.5) * REEL_SIDE / SIDE, column = REEL_SIDE - (x + 0.5) * REEL_SIDE / SIDE;
                switch ((y * SIDE + x) % 3)
                {
                case 0: // sky: the texel that holds this place, or its neighbour where it lies on the edge
                    assert_near(pixel[0], row - 0.5, 0.51);
                    assert_near(pixel[1], column - 0.5, 0.51);
                    break;
                case 1: // half of it shines through three quarters of the ground
                    assert_near(pixel[0], 30 + (row - 0.5) / 2, 1.01);
                    break;
                default: assert_int_equal(pixel[0], 40);
                }
            }
    }
    sac_free(ids);
    sac_free(rgb);
}

TEST(every_level_paints_the_same_bytes)
{
    int32_t *ids = SAC_NEW_ARRAY(int32_t, SIDE * SIDE);
    uint8_t *one = sac_alloc(SIDE * SIDE * 3), *other = sac_alloc(SIDE * SIDE * 3);
    sac_stream stream = sac_stream_create(11, 0, 0);
    for (int i = 0; i < SIDE * SIDE; i++) ids[i] = (int32_t)sac_stream_below(&stream, 7) - 1;
    for (int trial = 0; trial < 20; trial++)
    {
        double ahead[3], up[3], half = sac_stream_uniform(&stream, 0.1, 2);
        for (int i = 0; i < 3; i++)
        {
            ahead[i] = sac_stream_uniform(&stream, -1, 1);
            up[i] = sac_stream_uniform(&stream, -1, 1); // at no right angle, which changes nothing here
        }
        memset(one, 40, SIDE * SIDE * 3);
        memset(other, 40, SIDE * SIDE * 3);
        paint(sac_sky_scalar, ahead, up, half, ids, one);
#if defined(__x86_64__)
        if (sac_get_cpu_level() >= SAC_CPU_AVX2) paint(sac_sky_avx2, ahead, up, half, ids, other);
        if (sac_get_cpu_level() >= SAC_CPU_AVX2) assert_memory_equal(one, other, SIDE * SIDE * 3);
        memset(other, 40, SIDE * SIDE * 3);
        if (sac_get_cpu_level() >= SAC_CPU_AVX512) paint(sac_sky_avx512, ahead, up, half, ids, other);
        if (sac_get_cpu_level() >= SAC_CPU_AVX512) assert_memory_equal(one, other, SIDE * SIDE * 3);
#endif
    }
    sac_free(ids);
    sac_free(one);
    sac_free(other);
}

TESTS(a_moved_camera_looks_at_the_same_thing, a_static_camera_keeps_its_place_and_a_dynamic_one_walks,
      colours_stay_within_their_bounds, states_are_those_of_the_plain_world, distractions_are_drawn_anew,
      words_are_checked, videos_are_read_in_the_order_of_their_names, davis_is_known, moving_textures,
      sets_of_moving_textures, each_face_shows_the_frame, every_level_paints_the_same_bytes,
      a_ground_to_look_through_is_mixed_as_it_is_drawn, a_weaker_draw_lies_between_the_plain_world_and_the_full_one,
      strengths_are_drawn_anew_between_two_bounds, a_weaker_background_is_nearer_to_grey)
