#include <math.h>
#include <string.h>

#include "saccade/overlay.h"

// Points in space as small discs, which are drawn from the farthest to the nearest.

enum
{
    SLICES = 64 // of depth, from back to front
};

static const float back[3] = {17, 19, 24};

// What the view has to the right, upwards and towards those who look, for points with x away, y to the left and z up
static const float right_of_view[3] = {0.633f, -0.774f, 0}, up_in_view[3] = {0.380f, 0.311f, 0.872f},
                   near_in_view[3] = {-0.675f, -0.552f, 0.491f};

typedef struct span
{
    float least, most;
} span;

// A view of all points: what they span to the right, upwards and in depth
typedef struct view
{
    span across[3];
    float scale, radius; // pixels to a metre; of a disc, in pixels
    int height, width;
} view;

static float along(const float *point, const float axis[3])
{
    return point[0] * axis[0] + point[1] * axis[1] + point[2] * axis[2];
}

static bool is_point(const float *p)
{
    return isfinite(p[0]) && isfinite(p[1]) && isfinite(p[2]);
}

static float middle(span s)
{
    return 0.5f * (s.least + s.most);
}

// The largest scale at which all points have room. @return false where there are none
static bool look(view *v, const float *points, int count)
{
    const float *const axes[3] = {right_of_view, up_in_view, near_in_view};
    int found = 0;
    for (int k = 0; k < 3; k++) v->across[k] = (span){INFINITY, -INFINITY};
    for (int i = 0; i < count; i++)
    {
        if (!is_point(points + (ptrdiff_t)3 * i)) continue;
        found++;
        for (int k = 0; k < 3; k++)
        {
            const float at = along(points + (ptrdiff_t)3 * i, axes[k]);
            v->across[k].least = fminf(v->across[k].least, at);
            v->across[k].most = fmaxf(v->across[k].most, at);
        }
    }
    const float side = (float)(v->height < v->width ? v->height : v->width);
    v->radius = fminf(0.03f * side, fmaxf(1, 0.25f * side / sqrtf((float)(found > 0 ? found : 1))));
    const float room[] = {0.92f * (float)v->width - 2 * v->radius, 0.92f * (float)v->height - 2 * v->radius};
    // points that lie one behind the other are not spread over the picture by what rounding leaves between them
    const float least = fmaxf(1e-6f, 0.05f * (v->across[2].most - v->across[2].least));
    v->scale = INFINITY;
    for (int k = 0; k < 2; k++)
        v->scale = fminf(v->scale, room[k] / fmaxf(least, v->across[k].most - v->across[k].least));
    return found > 0;
}

static int clamp(int x, int low, int high)
{
    return x < low ? low : x > high ? high : x;
}

static int slice_of(const view *v, const float *point)
{
    const span s = v->across[2];
    const float share = s.most > s.least ? (along(point, near_in_view) - s.least) / (s.most - s.least) : 1;
    return clamp((int)(fminf(1, fmaxf(0, share)) * SLICES), 0, SLICES - 1); // a NaN is 0
}

// A disc with a dark rim, which keeps it apart from the one behind it
static void draw_disc(const view *v, uint8_t *rgb, float x, float y, const float color[3])
{
    const float outer = v->radius + 1;
    if (!(x > -outer && x < (float)v->width + outer && y > -outer && y < (float)v->height + outer)) return;
    const int left = clamp((int)(x - outer), 0, v->width), right = clamp((int)(x + outer) + 2, 0, v->width);
    const int top = clamp((int)(y - outer), 0, v->height), bottom = clamp((int)(y + outer) + 2, 0, v->height);
    for (int row = top; row < bottom; row++)
        for (int column = left; column < right; column++)
        {
            const float dx = (float)column + 0.5f - x, dy = (float)row + 0.5f - y, far = sqrtf(dx * dx + dy * dy);
            const float cover = fminf(1, outer - far), fill = fminf(1, fmaxf(0, v->radius - far));
            uint8_t *pixel = rgb + 3 * ((size_t)row * (size_t)v->width + (size_t)column);
            for (int k = 0; cover > 0 && k < 3; k++)
            {
                const float own = back[k] + (color[k] - back[k]) * fill;
                pixel[k] = (uint8_t)((float)pixel[k] + (own - (float)pixel[k]) * cover + 0.5f);
            }
        }
}

static void color_of(float color[3], int slice, const float *level)
{
    const float light = 0.3f + 0.7f * (float)slice / (SLICES - 1);
    uint8_t heat[3];
    if (level) sac_heat_color(0.15f + 0.85f * *level, heat); // what matters least is still seen
    for (int k = 0; k < 3; k++) color[k] = level ? (float)heat[k] : light * (float[3]){170, 205, 250}[k];
}

void sac_overlay_points(uint8_t *rgb, int height, int width, const float *points, int count, const float *levels)
{
    view v = {.height = height, .width = width};
    for (size_t i = 0; i < 3 * (size_t)height * (size_t)width; i++) rgb[i] = (uint8_t)back[i % 3];
    if (!look(&v, points, count)) return;
    for (int slice = 0; slice < SLICES; slice++)
        for (int i = 0; i < count; i++)
        {
            const float *p = points + (ptrdiff_t)3 * i;
            if (!is_point(p) || slice_of(&v, p) != slice) continue;
            float color[3];
            color_of(color, slice, levels ? &levels[i] : NULL);
            draw_disc(&v, rgb, 0.5f * (float)width + v.scale * (along(p, right_of_view) - middle(v.across[0])),
                      0.5f * (float)height - v.scale * (along(p, up_in_view) - middle(v.across[1])), color);
        }
}
