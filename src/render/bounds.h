#pragma once

#include <math.h>
#include <stdbool.h>

/// Where solids appear to an eye or a light: rectangles of x/z, y/z (or of x, y where rays are parallel) that hold
/// them.

/// An eye: where it is, its right, up and forward.
typedef struct render_eye
{
    double at[3], axes[3][3];
    double near; ///< what is nearer is not seen
    bool parallel;
} render_eye;

/// left, bottom, right, top; empty when left > right.
typedef struct render_window
{
    double low[2], high[2];
} render_window;

#define WINDOW_EMPTY ((render_window){{INFINITY, INFINITY}, {-INFINITY, -INFINITY}})
#define WINDOW_ALL   ((render_window){{-INFINITY, -INFINITY}, {INFINITY, INFINITY}})

/// Enlarge by a sphere.
void sac_window_add_sphere(render_window *w, const render_eye *eye, const double center[3], double radius);

/// Enlarge by what is seen of a box with these half widths; `axes` as of a geom.
void sac_window_add_box(render_window *w, const render_eye *eye, const double center[3], const float axes[9],
                        const float half[3]);

/// Enlarge by what is seen of the rectangle z = 0 with these half widths.
void sac_window_add_plane(render_window *w, const render_eye *eye, const double center[3], const float axes[9],
                          const float half[2]);
