#include "base/error.h"
#include "base/memory.h"
#include "env/control/distraction/distraction_parts.h"

/// Colours: each is drawn within `scale` of the model's; dynamic ones walk at random within the same bounds.

#define STEP 0.03 // standard deviation of a step, of the scale

enum
{
    COLOR_STREAM = 1
};

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

// materials have red, green, blue and opacity
static float *channel(const control_world *w, int i)
{
    return w->model->mat_rgba + 4 * (i / 3) + i % 3;
}

sac_status sac_distraction_color_create(distraction_color *c, const control_world *w)
{
    c->count = 3 * (int)w->model->nmat;
    c->original = SAC_NEW_ARRAY(double, (size_t)c->count);
    c->now = SAC_NEW_ARRAY(double, (size_t)c->count);
    if (!c->original || !c->now) return sac_fail_memory("colours");
    for (int i = 0; i < c->count; i++) c->original[i] = (double)*channel(w, i);
    return SAC_OK;
}

void sac_distraction_color_destroy(distraction_color *c)
{
    sac_free(c->original);
    sac_free(c->now);
}

static void set(distraction_color *c, control_world *w, int i, double value)
{
    double low = clamp(c->original[i] - c->scale, 0, 1), high = clamp(c->original[i] + c->scale, 0, 1);
    c->now[i] = clamp(value, low, high);
    *channel(w, i) = (float)c->now[i];
}

void sac_distraction_color_draw(distraction_color *c, control_world *w, double scale, sac_stream *stream)
{
    c->scale = scale;
    for (int i = 0; i < c->count; i++)
    {
        double low = clamp(c->original[i] - c->scale, 0, 1), high = clamp(c->original[i] + c->scale, 0, 1);
        set(c, w, i, sac_stream_uniform(stream, low, high));
    }
}

void sac_distraction_color_step(distraction_color *c, control_world *w, uint64_t seed, uint64_t step)
{
    double normals[16];
    if (!c->dynamic) return;
    for (int i = 0; i < c->count; i++)
    {
        if (i % 16 == 0) sac_normals_from(normals, (size_t)i, 16, seed, step, COLOR_STREAM);
        set(c, w, i, c->now[i] + STEP * c->scale * normals[i % 16]);
    }
}

void sac_distraction_color_snapshot(distraction_color *c, control_world *w, sac_snapshot *snapshot)
{
    sac_snapshot_part(snapshot, &c->scale, sizeof c->scale);
    sac_snapshot_part(snapshot, c->now, (size_t)c->count * sizeof *c->now);
    for (int i = 0; i < c->count && snapshot->way == SAC_SNAPSHOT_RESTORE; i++) *channel(w, i) = (float)c->now[i];
}
