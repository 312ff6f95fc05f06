#pragma once

#include <math.h>

#include "render/bounds.h"
#include "render/frame.h"

/// What frame.c is made of.

#define TOO_LARGE 1e15f // numbers from here on are as good as infinite

static inline bool finite_numbers(const float *x, int count)
{
    for (int i = 0; i < count; i++)
        if (!(fabsf(x[i]) < TOO_LARGE)) return false;
    return true;
}

static inline double dot3(const double a[3], const double b[3])
{
    return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline bool is_empty(const render_rect *rect)
{
    return rect->left >= rect->right || rect->top >= rect->bottom;
}

// --- frame_view.c

/// The eye of a view.
SAC_CHECKED sac_status sac_frame_view(render_eye *eye, const sac_render_view *view);

/// Rays of the pixels from the eye, in the world.
void sac_frame_aim(double p[3][3], double d[3][3], const render_eye *eye, const sac_render_view *view, int width,
                   int height);

/// The same rays in a solid's units, from its own depth where `shifted`, so that small differences are not lost.
void sac_frame_turn_fan(render_fan *fan, const double p[3][3], const double d[3][3], const render_eye *eye,
                        const sac_geom *g, const solid *s, bool shifted);

/// Tell whether the rays of a shape may start at its depth. They may not where it is large (planes), or where all must
/// start at one point (meshes).
bool sac_frame_is_round(sac_shape shape);

/// Enlarge a window by a geom.
void sac_frame_cover(render_window *w, const render_eye *eye, const sac_geom *g, const solid *s);

/// By so many pixels.
void sac_frame_widen(render_window *w, double by, const sac_render_view *view, const sac_renderer_def *def);

/// The pixels that a window holds.
render_rect sac_frame_to_pixels(const render_window *w, const sac_render_view *view, const sac_renderer_def *def);

/// Where a solid's ends are in the picture, and how far around them it reaches if it may pass between pixels' centres.
void sac_frame_find_thread(solid *s, const sac_geom *g, const render_eye *eye, const sac_render_view *view,
                           const sac_renderer_def *def);

// --- frame_lights.c

/// What all solids share of the lights.
void sac_frame_take_lights(sac_renderer *r, const sac_scene *scene, const render_eye *eye);

/// The lights in a solid's own coordinates.
void sac_frame_light_solid(solid *s, const sac_geom *g, const sac_scene *scene, unsigned lights);

/// Find what a solid may shade, and list it with the lights.
void sac_frame_cast(sac_renderer *r, int index, const sac_geom *g, const sac_scene *scene);
