// The ten patches of a camera frame that attract most attention, with libsaccade-attention alone.
#include <saccade/camera.h>
#include <stdio.h>
#include <stdlib.h>

static uint8_t frame[480 * 2048]; // 480 x 640 pixels, blue first, rows padded by the camera to 2048 bytes
static float query_weights[16 * 16 * 3], key_weights[16 * 16 * 3], importance[800];

int main(void)
{
    for (int i = 0; i < 480 * 2048; i++) // a grey room with a red ball
    {
        int x = i % 2048 / 3 - 400, y = i / 2048 - 200, shine = 160 - (x * x + y * y) / 16;
        frame[i] = (uint8_t)(90 + (i % 2048 % 3 == 2 && shine > 0 ? shine : 0));
    }
    sac_image camera = {frame, 480, 640, 3, SAC_PIXELS_BGR, 2048};
    sac_image view = sac_image_crop(&camera, 80, 0, 320, 640); // neither ceiling nor floor, and no copy

    for (int i = 0; i < 16 * 16 * 3; i++) key_weights[i] = i % 3 == 0 ? 0.02f : -0.01f; // red; others are learnt
    sac_camera_def def = sac_camera_default_def();
    def.height = view.height, def.width = view.width, def.channels = view.channels, def.order = view.order;
    def.patch = def.stride = 16;
    def.attention.form = "relu", def.attention.feature_count = 0, def.attention.key_size = 1;
    def.query_weights = query_weights, def.query_bias = (float[]){1}, def.key_weights = key_weights;
    sac_camera *eye;
    if (sac_camera_create(&eye, &def)) return fprintf(stderr, "attention: %s\n", sac_last_error()), 1;
    void *workspace = aligned_alloc(64, (sac_camera_workspace_size(eye) + 63) / 64 * 64);

    int top[10], row, column; // each frame: no copy, no allocation, no failure
    sac_camera_importance(eye, importance, &view, workspace);
    sac_camera_top(eye, top, 10, importance);
    for (int k = 0; k < 10; k++)
    {
        sac_grid grid = sac_camera_grid(eye);
        sac_grid_center(&grid, top[k], &row, &column);
        printf("row %d, column %d\n", row + 80, column);
    }
    free(workspace);
    return sac_camera_destroy(eye), 0;
}
