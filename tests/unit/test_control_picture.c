#include "env/control/world.h"
#include "env/mujoco/scene.h"
#include "files/arrays/npz.h"

#include "test.h"

// pictures beside those that MuJoCo's OpenGL drew at recorded states (tests/golden/make_control_frames.py)

enum
{
    TASKS = 5,
    ROWS = 3
};

static const struct
{
    const control_task *task;
    const char *name;
} tasks[TASKS] = {
    {&sac_cheetah_run, "cheetah_run"},           {&sac_walker_walk, "walker_walk"},
    {&sac_cartpole_swingup, "cartpole_swingup"}, {&sac_ball_in_cup_catch, "ball_in_cup_catch"},
    {&sac_reacher_easy, "reacher_easy"},
};

typedef struct difference
{
    double mean; // grey levels
    double off;  // share of the pixels with a channel off by more than 24
} difference;

static difference compare(const uint8_t *a, const uint8_t *b, int pixels)
{
    difference d = {0, 0};
    for (int i = 0; i < pixels; i++)
    {
        int largest = 0;
        for (int c = 0; c < 3; c++)
        {
            int one = abs(a[3 * i + c] - b[3 * i + c]);
            d.mean += one / (3.0 * pixels);
            largest = one > largest ? one : largest;
        }
        d.off += (largest > 24) / (double)pixels;
    }
    return d;
}

static const void *recorded(const char *task, const char *what, sac_dtype type)
{
    static sac_tensors *golden;
    if (!golden) assert_ok(sac_npz_load(&golden, SAC_SOURCE_DIR "/tests/golden/data/control_frames.npz"));
    char key[80];
    snprintf(key, sizeof key, "%s.%s", task, what);
    const sac_tensor *tensor;
    assert_ok(sac_tensors_get(&tensor, golden, key, type, -1, NULL));
    return tensor->data;
}

// draw a recorded row
static void draw(uint8_t *rgb, control_world *w, const double *qpos, sac_renderer_def def)
{
    sac_render_assets *assets;
    sac_mujoco_scene *scene;
    sac_renderer *renderer;
    assert_ok(sac_mujoco_assets_create(&assets, w->model));
    assert_ok(sac_mujoco_scene_create(&scene, w->mj, w->model, assets));
    assert_ok(sac_renderer_create(&renderer, &def));
    memcpy(w->data->qpos, qpos, (size_t)w->model->nq * sizeof *qpos);
    w->mj->mj_forward(w->model, w->data);
    sac_scene *what = sac_mujoco_scene_update(scene, w->model, w->data, 0, def.width, def.height);
    assert_ok(sac_render(renderer, what, &(sac_picture){.rgb = rgb}));
    sac_renderer_destroy(renderer);
    sac_mujoco_scene_destroy(scene);
    sac_render_assets_destroy(assets);
}

// what an issue asks of every recorded frame
static void check(const char *what, int width, int height, int first, int count, bool full, double mean, double off)
{
    uint8_t *rgb = malloc((size_t)width * (size_t)height * 3);
    sac_renderer_def def = sac_renderer_default_def();
    def.width = width, def.height = height;
    def.shadows = def.reflections = def.antialias = full;
    for (int t = 0; t < TASKS; t++)
    {
        control_world *w;
        assert_ok(sac_world_create(&w, tasks[t].task, ""));
        assert_ok(sac_world_reset(w, 1));
        const double *qpos = recorded(tasks[t].name, "qpos", SAC_F64);
        const uint8_t *theirs = recorded(tasks[t].name, what, SAC_U8);
        for (int row = first; row < first + count; row++)
        {
            draw(rgb, w, qpos + row * w->model->nq, def);
            difference d = compare(rgb, theirs + (row - first) * width * height * 3, width * height);
            if (!(d.mean <= mean && d.off < off))
                fail_msg("%s, row %d: mean %g, off %g", tasks[t].name, row, d.mean, d.off);
        }
        sac_world_destroy(w);
    }
    free(rgb);
}

TEST(plain_pictures_are_mujocos)
{
    check("plain", 100, 100, 0, ROWS, false, 0.3, 0.001);
}

TEST(pictures_with_shadows_mirror_and_soft_edges_are_mujocos)
{
    check("default", 100, 100, 0, ROWS, true, 1.0, 0.01);
}

TEST(large_pictures_are_mujocos)
{
    check("wide", 320, 240, 1, 1, true, 1.0, 0.01);
}

TESTS(plain_pictures_are_mujocos, pictures_with_shadows_mirror_and_soft_edges_are_mujocos, large_pictures_are_mujocos)
