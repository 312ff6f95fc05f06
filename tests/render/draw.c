// draw MODEL CAMERA WIDTH HEIGHT MODE REPEAT <qpos >picture
//
// Draws a MuJoCo model in the state whose positions come as raw doubles: rgb, then depth, then ids, raw, on standard
// output; on standard error the microseconds of a picture, best of REPEAT, without MuJoCo's part. MODE: letters of
// s(hadows) r(eflections) a(ntialias), or "plain".

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "env/mujoco/scene.h"

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int fail(void)
{
    fprintf(stderr, "draw: %s\n", sac_last_error());
    return 1;
}

static int draw(const sac_mujoco *mj, const mjModel *model, char **arguments)
{
    int camera = atoi(arguments[2]), repeat = atoi(arguments[6]);
    sac_renderer_def def = sac_renderer_default_def();
    def.width = atoi(arguments[3]);
    def.height = atoi(arguments[4]);
    bool plain = strcmp(arguments[5], "plain") == 0;
    def.shadows = !plain && strchr(arguments[5], 's');
    def.reflections = !plain && strchr(arguments[5], 'r');
    def.antialias = !plain && strchr(arguments[5], 'a');

    mjData *data = mj->mj_makeData(model);
    if (fread(data->qpos, sizeof(mjtNum), (size_t)model->nq, stdin) != (size_t)model->nq)
        fprintf(stderr, "draw: the model's own positions\n");
    mj->mj_forward(model, data);
    sac_render_assets *assets;
    sac_mujoco_scene *scene;
    sac_renderer *renderer;
    if (sac_mujoco_assets_create(&assets, model) != SAC_OK || sac_renderer_create(&renderer, &def) != SAC_OK ||
        sac_mujoco_scene_create(&scene, mj, model, assets) != SAC_OK)
        return fail();
    size_t pixels = (size_t)def.width * (size_t)def.height;
    uint8_t *rgb = malloc(pixels * 3);
    float *depth = malloc(pixels * 4);
    int32_t *ids = malloc(pixels * 4);
    double best = 1e9;
    for (int i = 0; i < repeat; i++)
    {
        double start = now();
        sac_scene *what = sac_mujoco_scene_update(scene, model, data, camera, def.width, def.height);
        sac_picture picture = {.rgb = rgb};
        if (sac_render(renderer, what, &picture) != SAC_OK) return fail();
        double took = now() - start;
        best = took < best ? took : best;
    }
    sac_picture picture = {rgb, depth, ids};
    if (sac_render(renderer, sac_mujoco_scene_update(scene, model, data, camera, def.width, def.height), &picture) !=
        SAC_OK)
        return fail();
    fprintf(stderr, "%.1f\n", best * 1e6);
    fwrite(rgb, 3, pixels, stdout);
    fwrite(depth, 4, pixels, stdout);
    fwrite(ids, 4, pixels, stdout);
    free(rgb), free(depth), free(ids);
    sac_mujoco_scene_destroy(scene);
    sac_renderer_destroy(renderer);
    sac_render_assets_destroy(assets);
    mj->mj_deleteData(data);
    return 0;
}

int main(int count, char **arguments)
{
    if (count != 7)
    {
        fprintf(stderr, "usage: draw MODEL CAMERA WIDTH HEIGHT MODE REPEAT <qpos >picture\n");
        return 2;
    }
    const sac_mujoco *mj;
    mjModel *model;
    if (sac_mujoco_open(&mj) != SAC_OK || sac_mujoco_load(&model, mj, arguments[1], NULL) != SAC_OK) return fail();
    int status = draw(mj, model, arguments);
    mj->mj_deleteModel(model);
    return status;
}
