#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/level.h"
#include "base/random.h"
#include "lanes_values.h"
#include "vectors_values.h"

// Every word of the vocabulary of lanes, at every CPU level that this machine has, gives the bits that plain.h gives,
// on random numbers with zeros, infinities and NaN among them. Fails with the row of the first difference; the rows are
// numbered in the order of lanes_values_of.h.

enum
{
    SCENES = 2000
};

static float any_float(sac_stream *stream)
{
    static const float special[] = {0.0f, -0.0f, 1.0f, INFINITY, -INFINITY, NAN, 0.5f, -2.5f, 1e-40f, 3e38f};
    double choice = sac_stream_uniform(stream, 0, 1);
    if (choice < 0.2) return special[(int)(choice * 50)];
    double x = sac_stream_uniform(stream, -1, 1);
    return (float)(choice < 0.6 ? x * 8 : ldexp(x, (int)sac_stream_uniform(stream, -120, 120)));
}

static void draw(lanes_scene *s, sac_stream *stream)
{
    for (int i = 0; i < 16; i++)
    {
        s->x[i] = any_float(stream);
        s->y[i] = any_float(stream);
        s->z[i] = sac_stream_uniform(stream, 0, 1) < 0.3 ? s->x[i] : any_float(stream);
        s->small[i] = (float)ldexp(sac_stream_uniform(stream, -1, 1), (int)sac_stream_uniform(stream, 0, 30));
        s->whole[i] = floorf((float)sac_stream_uniform(stream, -126, 128));
        s->a[i] = (int32_t)sac_stream_uniform(stream, -2147483648.0, 2147483647.0);
        s->b[i] = sac_stream_uniform(stream, 0, 1) < 0.3
                      ? s->a[i]
                      : (int32_t)sac_stream_uniform(stream, -2147483648.0, 2147483647.0);
        s->places[i] = (int32_t)sac_stream_uniform(stream, 0, 16);
        for (int j = 0; j < 16; j++) s->blocks[16 * i + j] = (uint8_t)sac_stream_uniform(stream, 0, 256);
    }
    s->count = 1 + (int)sac_stream_uniform(stream, 0, 16);
}

static bool same(const lanes_scene *scene)
{
    static uint32_t plain[LANES_ROWS * 16], level[LANES_ROWS * 16];
    int rows = lanes_values_scalar(plain, scene), others = SAC_AT_LEVEL(lanes_values)(level, scene);
    if (rows != others || rows > LANES_ROWS) return false;
    for (int i = 0; i < 16 * rows; i++)
        if (plain[i] != level[i])
        {
            printf("FAIL %s: row %d, lane %d: %08x, plain.h has %08x\n", sac_cpu_level_name(sac_get_cpu_level()),
                   i / 16, i % 16, level[i], plain[i]);
            return false;
        }
    return true;
}

// vectors.h, as this file's own flags compile it, against plain.h
static bool same_vectors(const lanes_scene *scene)
{
    uint32_t plain[16 * 16], vectors[16 * 16];
    int rows = vectors_values_plain(plain, scene->x, scene->y, scene->small);
    if (rows != vectors_values(vectors, scene->x, scene->y, scene->small)) return false;
    for (int i = 0; i < 16 * rows; i++)
        if (plain[i] != vectors[i])
        {
            printf("FAIL vectors.h: row %d, lane %d: %08x, plain.h has %08x\n", i / 16, i % 16, vectors[i], plain[i]);
            return false;
        }
    return true;
}

int main(void)
{
    sac_stream scenes = sac_stream_create(2, 0, 0);
    for (int i = 0; i < SCENES; i++)
    {
        lanes_scene scene;
        draw(&scene, &scenes);
        if (!same_vectors(&scene)) return 1;
    }
    printf("%-8s ok, %d scenes\n", "vectors", SCENES);
    sac_cpu_level seen = SAC_CPU_SCALAR;
    for (sac_cpu_level level = SAC_CPU_NEON; level <= SAC_CPU_AVX512; level++)
    {
        sac_set_cpu_level(level);
        if (sac_get_cpu_level() == SAC_CPU_SCALAR || sac_get_cpu_level() == seen) continue;
        seen = sac_get_cpu_level();
        sac_stream stream = sac_stream_create(1, 0, 0);
        for (int i = 0; i < SCENES; i++)
        {
            lanes_scene scene;
            draw(&scene, &stream);
            if (!same(&scene)) return 1;
        }
        printf("%-8s ok, %d scenes\n", sac_cpu_level_name(seen), SCENES);
    }
    return 0;
}
