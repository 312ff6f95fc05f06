#include "render/bounds.h"

static void to_eye(double out[3], const render_eye *eye, const double point[3])
{
    for (int k = 0; k < 3; k++)
    {
        out[k] = 0;
        for (int i = 0; i < 3; i++) out[k] += eye->axes[k][i] * (point[i] - eye->at[i]);
    }
}

static void add_range(render_window *w, int k, double low, double high)
{
    w->low[k] = fmin(w->low[k], low);
    w->high[k] = fmax(w->high[k], high);
}

// The picture of a sphere is an ellipse. Its extent along x is that of the circle in which the plane of the x and the
// z axis cuts a cylinder around it: x / z = (cx cz +- r sqrt(cx^2 + cz^2 - r^2)) / (cz^2 - r^2), and likewise along y.
void sac_window_add_sphere(render_window *w, const render_eye *eye, const double center[3], double radius)
{
    double c[3];
    to_eye(c, eye, center);
    if (c[2] + radius < eye->near) return;
    if (eye->parallel)
    {
        for (int k = 0; k < 2; k++) add_range(w, k, c[k] - radius, c[k] + radius);
        return;
    }
    double tangent = c[2] * c[2] - radius * radius;
    if (!(c[2] > radius && tangent > 1e-6 * c[2] * c[2]))
    {
        *w = WINDOW_ALL;
        return;
    }
    // These are the slopes of the tangents from the eye to that circle.
    for (int k = 0; k < 2; k++)
    {
        double spread = radius * sqrt(c[k] * c[k] + tangent);
        add_range(w, k, (c[k] * c[2] - spread) / tangent, (c[k] * c[2] + spread) / tangent);
    }
}

static void add_point(render_window *w, const render_eye *eye, const double p[3])
{
    for (int k = 0; k < 2; k++)
    {
        double x = eye->parallel ? p[k] : p[k] / p[2];
        add_range(w, k, x, x);
    }
}

// Adds the part of a segment that is not too near.
static void add_segment(render_window *w, const render_eye *eye, const double a[3], const double b[3])
{
    if (a[2] >= eye->near) add_point(w, eye, a);
    if (b[2] >= eye->near) add_point(w, eye, b);
    if ((a[2] >= eye->near) == (b[2] >= eye->near)) return;
    double cut[3], share = (eye->near - a[2]) / (b[2] - a[2]);
    for (int k = 0; k < 3; k++) cut[k] = a[k] + share * (b[k] - a[k]);
    cut[2] = eye->near;
    add_point(w, eye, cut);
}

static void corner(double out[3], const render_eye *eye, const double center[3], const float axes[9],
                   const float half[3], const int sign[3])
{
    double p[3];
    for (int i = 0; i < 3; i++)
    {
        p[i] = center[i];
        for (int k = 0; k < 3; k++) p[i] += (double)axes[3 * i + k] * (double)half[k] * sign[k];
    }
    to_eye(out, eye, p);
}

// Edges are numbered by their corners, which differ in one bit. An edge that passes behind the eye is cut first.
void sac_window_add_box(render_window *w, const render_eye *eye, const double center[3], const float axes[9],
                        const float half[3])
{
    double c[8][3];
    for (int i = 0; i < 8; i++)
    {
        int sign[3] = {i & 1 ? 1 : -1, i & 2 ? 1 : -1, i & 4 ? 1 : -1};
        corner(c[i], eye, center, axes, half, sign);
    }
    for (int i = 0; i < 8; i++)
        for (int bit = 1; bit < 8; bit *= 2)
            if (!(i & bit)) add_segment(w, eye, c[i], c[i | bit]);
}

void sac_window_add_plane(render_window *w, const render_eye *eye, const double center[3], const float axes[9],
                          const float half[2])
{
    float flat[3] = {half[0], half[1], 0};
    double c[4][3];
    for (int i = 0; i < 4; i++)
    {
        int sign[3] = {i == 0 || i == 3 ? -1 : 1, i < 2 ? -1 : 1, 0};
        corner(c[i], eye, center, axes, flat, sign);
    }
    for (int i = 0; i < 4; i++) add_segment(w, eye, c[i], c[(i + 1) % 4]);
}
