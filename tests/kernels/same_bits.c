#include <math.h>
#include <stdio.h>

#include "base/memory.h"
#include "base/random.h"
#include "saccade/heads.h"
#include "saccade/tokens.h"

/// What stands above the kernels has the same bits on every machine and level, too: one digest of each part's results.

enum
{
    H = 37,
    W = 53,
    L = H * W,
    CHANNELS = 3,
    OUTPUTS = 5,
    HEADS = 5,
    SIZE = 12,
    POSITIONS = 2000,
    TOKENS = 60
};

static struct
{
    float x[CHANNELS * L], weights[HEADS * CHANNELS * OUTPUTS], out[OUTPUTS * L], positions[SIZE * POSITIONS];
    uint8_t bytes[4 * L];
} s;

static void *workspace;
static int failures;

static void check(const char *name, const void *results, size_t size, uint32_t expected)
{
    const unsigned char *bytes = results;
    uint32_t digest = 1;
    for (size_t i = 0; i < size; i++) digest = (digest ^ bytes[i]) * 16777619u;
    if (digest == expected) return;
    printf("%s: digest %08x, expected %08x\n", name, digest, expected);
    failures++;
}

static bool run_heads(void)
{
    const sac_head list[HEADS] = {sac_head_isotropic(20, 1, -1),
                                  sac_head_isotropic(0.03, 0.7, -0.3),
                                  {{0.3, 0.2}, {3.9, -1.4, 1}},
                                  {{30, 11}, {0.9, 0.4, 0.5}},
                                  sac_head_isotropic((double)INFINITY, 1, 0)};
    sac_heads_def def = sac_heads_default_def();
    def.height = H;
    def.width = W;
    def.count = HEADS;
    def.heads = list;
    sac_heads *heads;
    if (sac_heads_create(&heads, &def) != SAC_OK) return false;
    sac_heads_layer(heads, s.out, OUTPUTS, L, s.x, CHANNELS, L, s.weights, NULL, workspace);
    check("heads", s.out, sizeof s.out, 0x1a806fda);
    sac_heads_destroy(heads);

    sac_relative relative = {CHANNELS, 4, s.weights, s.weights + 12, s.weights + 24, s.weights + 36, s.weights + 40};
    sac_relative_output(&relative, s.out, TOKENS, 0.5, s.x, TOKENS, L, s.x + 100, L, s.x, CHANNELS, L, workspace);
    check("relative positions", s.out, CHANNELS * TOKENS * sizeof *s.out, 0x142929ac);
    return true;
}

static bool run_images(void)
{
    sac_projection_def def = sac_projection_default_def();
    def.height = H;
    def.width = W;
    def.channels = CHANNELS;
    def.order = SAC_PIXELS_BGRX;
    def.patch = 2;
    def.stride = 1;
    def.outputs = 3;
    def.weights = s.weights;
    sac_projection *projection;
    sac_resize *resize;
    sac_image image = sac_image_of(s.bytes, H, W, CHANNELS, SAC_PIXELS_BGRX);
    sac_float_image floats = sac_float_image_of(s.x, H, W, CHANNELS);
    if (sac_projection_create(&projection, &def) != SAC_OK) return false;
    sac_projection_run(projection, s.out, L, &image, workspace);
    check("projection", s.out, 3 * L * sizeof *s.out, 0x534e28f7);
    sac_projection_run_floats(projection, s.out, L, &floats, workspace);
    check("projection of floats", s.out, 3 * L * sizeof *s.out, 0xed1f06e1);
    sac_projection_destroy(projection);

    if (sac_resize_create(&resize, H, W, CHANNELS, 20, 70, SAC_RESIZE_BILINEAR) != SAC_OK) return false;
    sac_resize_run_floats(resize, s.out, &floats, workspace);
    check("resize", s.out, 20 * 70 * CHANNELS * sizeof *s.out, 0x078773f0);
    sac_resize_destroy(resize);
    return true;
}

static void run_positions(void)
{
    sac_positions_flat(s.positions, POSITIONS, SIZE, POSITIONS);
    check("flat positions", s.positions, sizeof s.positions, 0x23b026cd);
    sac_positions_grid(s.positions, POSITIONS, SIZE, 40, 50);
    check("grid positions", s.positions, sizeof s.positions, 0x2942282d);
}

static void run_sensors(void)
{
    sac_cloud cloud = {s.x, 400, 0, 3 * sizeof(float)};
    sac_depth depth = {s.x, H, W, W * sizeof(float), SAC_DEPTH_METRES, 0.1f, 0.4f};
    sac_intrinsics camera = {31, 33, 18.2, 26.1};
    float axis[3];
    sac_cloud_axis(axis, &cloud);
    check("axis", axis, sizeof axis, 0x5668c4a3);
    int count = sac_depth_points(s.out, L, NULL, &depth, &camera, 1);
    check("points", s.out, (size_t)count * sizeof *s.out, 0xce237b8a);
}

int main(void)
{
    sac_stream stream = sac_stream_create(1, 0, 0);
    for (int i = 0; i < CHANNELS * L; i++) s.x[i] = (float)sac_stream_uniform(&stream, -0.5, 0.5);
    for (int i = 0; i < HEADS * CHANNELS * OUTPUTS; i++) s.weights[i] = (float)sac_stream_uniform(&stream, -0.5, 0.5);
    for (int i = 0; i < 4 * L; i++) s.bytes[i] = (uint8_t)sac_stream_below(&stream, 256);
    workspace = sac_alloc(1 << 22);
    for (int level = SAC_CPU_SCALAR; level <= SAC_CPU_AVX512; level++)
    {
        sac_set_cpu_level((sac_cpu_level)level);
        if (!workspace || !run_heads() || !run_images()) return puts(sac_last_error()), 1;
        run_positions();
        run_sensors();
    }
    sac_free(workspace);
    puts(failures ? "the bits differ" : "ok");
    return failures ? 1 : 0;
}
