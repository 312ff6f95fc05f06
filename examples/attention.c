// The ten patches of a camera frame that attract most attention, with libsaccade-attention alone.
#include <saccade/attention.h>
#include <saccade/tokens.h>
#include <stdio.h>
#include <stdlib.h>

static uint8_t frame[480 * 2048]; // 480 x 640 pixels, blue first, rows padded by the camera to 2048 bytes
static float weights[2][16 * 16 * 3], tokens[2][800], importance[800];

int main(void)
{
    // a grey room with a red ball
    for (int y = 0; y < 480; y++)
        for (int i = 0; i < 3 * 640; i++)
        {
            int x = i / 3, shine = 160 - ((x - 400) * (x - 400) + (y - 200) * (y - 200)) / 16;
            frame[y * 2048 + i] = (uint8_t)(90 + (i % 3 == 2 && shine > 0 ? shine : 0));
        }
    sac_image camera = {frame, 480, 640, 3, SAC_PIXELS_BGR, 2048};
    sac_image view = sac_image_crop(&camera, 80, 0, 320, 640); // neither ceiling nor floor

    // a query and a key a patch: each asks for red. A trained policy has learnt its weights
    for (int i = 0; i < 16 * 16 * 3; i++) weights[1][i] = i % 3 == 0 ? 0.02f : -0.01f;
    sac_projection_def cut = sac_projection_default_def();
    cut.height = view.height, cut.width = view.width, cut.channels = view.channels, cut.order = view.order;
    cut.patch = cut.stride = 16, cut.outputs = 2, cut.weights = weights[0], cut.bias = (float[]){1, 0};
    sac_attention_def def = sac_attention_default_def();
    def.key_size = 1;
    sac_projection *projection;
    sac_attention *attention = NULL;
    if (sac_projection_create(&projection, &cut) || sac_attention_create(&attention, &def))
        return fprintf(stderr, "attention: %s\n", sac_last_error()), 1;
    sac_grid grid = sac_projection_grid(projection);
    size_t size = sac_projection_workspace_size(projection) + sac_attention_workspace_size(attention, grid.count);
    void *workspace = aligned_alloc(64, (size + 63) / 64 * 64);

    // each frame: no copy, no allocation, no failure
    int top[10], row, column;
    sac_projection_run(projection, tokens[0], 800, &view, workspace);
    sac_attention_importance(attention, importance, tokens[0], tokens[1], grid.count, 800, workspace);
    sac_attention_top(attention, top, 10, importance, grid.count);
    for (int k = 0; k < 10; k++)
    {
        sac_grid_center(&grid, top[k], &row, &column);
        printf("row %d, column %d\n", row + 80, column);
    }
    free(workspace);
    sac_attention_destroy(attention);
    sac_projection_destroy(projection);
    return 0;
}
