#include <stdio.h>

#include "render_scene.h"

/// A picture of every shape, texture and light has the same bits on every machine and level: one digest of its colours,
/// depths and ids, drawn plainly and with all that can be switched on.

enum
{
    W = 101, // odd on purpose: neither is a multiple of a packet or a tile
    H = 77
};

static uint32_t mixed(uint32_t digest, const void *results, size_t size)
{
    const unsigned char *bytes = results;
    for (size_t i = 0; i < size; i++) digest = (digest ^ bytes[i]) * 16777619u;
    return digest;
}

// Returns 0 where nothing could be drawn.
static uint32_t digest_of(const sac_scene *scene, bool full)
{
    static uint8_t rgb[W * H * 3];
    static float depth[W * H];
    static int32_t ids[W * H];
    sac_renderer_def def = sac_renderer_default_def();
    def.width = W, def.height = H;
    def.shadows = def.reflections = def.antialias = full;
    sac_renderer *r;
    if (sac_renderer_create(&r, &def) != SAC_OK) return 0;
    sac_status status = sac_render(r, scene, &(sac_picture){.rgb = rgb, .depth = depth, .ids = ids});
    uint32_t digest = mixed(mixed(mixed(1, rgb, sizeof rgb), depth, sizeof depth), ids, sizeof ids);
    if (status == SAC_OK) status = sac_render(r, scene, &(sac_picture){.rgb = rgb}); // may take another way
    sac_renderer_destroy(r);
    return status == SAC_OK ? mixed(digest, rgb, sizeof rgb) : 0;
}

int main(void)
{
    static const uint32_t expected[2] = {0x521b7e97, 0x047baf53}; // plain, full
    const sac_cpu_level best = sac_get_cpu_level();
    playground p;
    if (playground_create(&p) != SAC_OK) return puts(sac_last_error()), 1;
    int failures = 0;
    for (sac_cpu_level level = SAC_CPU_SCALAR; level <= best; level++)
    {
        sac_set_cpu_level(level);
        if (sac_get_cpu_level() != level) continue;
        for (int full = 0; full < 2; full++)
        {
            uint32_t digest = digest_of(&p.scene, full);
            if (digest == expected[full]) continue;
            printf("%s, %s: digest %08x, expected %08x\n", sac_cpu_level_name(level), full ? "full" : "plain", digest,
                   expected[full]);
            failures++;
        }
    }
    playground_destroy(&p);
    puts(failures ? "the bits differ" : "ok");
    return failures > 0;
}
