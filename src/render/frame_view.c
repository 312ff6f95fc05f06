#include "render/frame_parts.h"

#include <math.h>

#include "base/error.h"

// --- the view

sac_status sac_frame_view(render_eye *eye, const sac_render_view *view)
{
    if (!finite_numbers(view->position, 3) || !finite_numbers(view->forward, 3) || !finite_numbers(view->up, 3))
        return sac_fail(SAC_ERROR_ARGUMENT, "the scene's view: position, forward or up is not finite");
    if (!(view->right - view->left > 0.0f) || !(view->top - view->bottom > 0.0f) || !(view->near > 0.0f) ||
        !(view->far > view->near) || !finite_numbers(&view->left, 6))
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "the scene's view: left < right, bottom < top and 0 < near < far are expected");
    for (int i = 0; i < 3; i++)
    {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        eye->at[i] = (double)view->position[i];
        eye->axes[0][i] =
            (double)view->forward[j] * (double)view->up[k] - (double)view->forward[k] * (double)view->up[j];
        eye->axes[1][i] = (double)view->up[i];
        eye->axes[2][i] = (double)view->forward[i];
    }
    eye->near = (double)view->near;
    eye->parallel = view->orthographic;
    return SAC_OK;
}

// Computes the rays of the pixels in the world. Ray (x, y) starts at p[0] + x p[1] + y p[2], and its direction is made
// of d likewise.
void sac_frame_aim(double p[3][3], double d[3][3], const render_eye *eye, const sac_render_view *view, int width,
                   int height)
{
    double step_x = ((double)view->right - (double)view->left) / width;
    double step_y = ((double)view->top - (double)view->bottom) / height;
    for (int i = 0; i < 3; i++)
    {
        double right = eye->axes[0][i], up = eye->axes[1][i];
        double corner = right * (double)view->left + up * (double)view->top;
        double(*moving)[3] = eye->parallel ? p : d, (*still)[3] = eye->parallel ? d : p;
        moving[0][i] = corner + (eye->parallel ? 0.0 : eye->axes[2][i]);
        moving[1][i] = right * step_x;
        moving[2][i] = -up * step_y;
        still[0][i] = eye->parallel ? eye->axes[2][i] : 0.0;
        still[1][i] = still[2][i] = 0.0;
    }
}

// Turns the rays into a solid's units. They start as deep as its centre, so that small differences are not lost.
void sac_frame_turn_fan(render_fan *fan, const double p[3][3], const double d[3][3], const render_eye *eye,
                        const sac_geom *g, const solid *s, bool shifted)
{
    double to_center[3];
    for (int i = 0; i < 3; i++) to_center[i] = (double)g->position[i] - eye->at[i];
    double shift = shifted ? fmax(0.0, dot3(to_center, eye->axes[2])) : 0.0;
    fan->shift = (float)shift;
    for (int row = 0; row < 3; row++)
        for (int k = 0; k < 3; k++)
        {
            double start = 0, way = 0;
            for (int i = 0; i < 3; i++)
            {
                double axis = (double)g->axes[3 * i + k];
                way += axis * d[row][i];
                start += axis * (p[row][i] - (row == 0 ? to_center[i] : 0.0) + (double)fan->shift * d[row][i]);
            }
            fan->p[row][k] = (float)(start / (double)s->scale[k]);
            fan->d[row][k] = (float)(way / (double)s->scale[k]);
        }
}

// Tells whether rays may start at a solid's depth: not where it is large (planes), or where all must start at one point
// (meshes).
bool sac_frame_is_round(sac_shape shape)
{
    return shape != SAC_SHAPE_PLANE && shape != SAC_SHAPE_MESH && shape != SAC_SHAPE_LINE;
}

// --- bounds

void sac_frame_cover(render_window *w, const render_eye *eye, const sac_geom *g, const solid *s)
{
    double c[3] = {(double)g->position[0], (double)g->position[1], (double)g->position[2]};
    double end[3];
    float half[3] = {g->size[0], g->size[1], g->size[2]};
    switch (g->shape)
    {
    case SAC_SHAPE_PLANE: sac_window_add_plane(w, eye, c, g->axes, g->size); return;
    case SAC_SHAPE_LINE:
        half[0] = half[1] = 0.0f, half[2] = 0.5f * g->size[1];
        for (int i = 0; i < 3; i++) c[i] += 0.5 * (double)g->size[1] * (double)g->axes[3 * i + 2];
        break;
    case SAC_SHAPE_SPHERE: sac_window_add_sphere(w, eye, c, (double)g->size[0]); return;
    case SAC_SHAPE_CAPSULE:
        for (int side = -1; side <= 1; side += 2)
        {
            for (int i = 0; i < 3; i++) end[i] = c[i] + side * (double)g->size[1] * (double)g->axes[3 * i + 2];
            sac_window_add_sphere(w, eye, end, (double)g->size[0]);
        }
        return;
    case SAC_SHAPE_CYLINDER: half[1] = g->size[0], half[2] = g->size[1]; break;
    case SAC_SHAPE_ELLIPSOID:
    case SAC_SHAPE_BOX: break;
    case SAC_SHAPE_MESH:
        for (int k = 0; k < 3; k++)
        {
            double scale = (double)s->scale[k], middle = 0.5 * ((double)s->mesh->high[k] + (double)s->mesh->low[k]);
            half[k] = 0.5f * (s->mesh->high[k] - s->mesh->low[k]) * s->scale[k];
            for (int i = 0; i < 3; i++) c[i] += middle * scale * (double)g->axes[3 * i + k];
        }
        break;
    }
    sac_window_add_box(w, eye, c, g->axes, half);
}

// Finds the pixels whose centres may lie in low..high, both in pixels. `margin` is for samples beside the centres.
static void take_pixels(int *first, int *end, double low, double high, int count, double margin)
{
    *first = 0;
    *end = 0;
    if (!(low <= high)) return;
    low = ceil(fmax(low - 0.5 - margin, 0.0));
    high = floor(fmin(high - 0.5 + margin, count - 1.0)) + 1.0;
    if (!(low < high)) return;
    *first = (int)low;
    *end = (int)high;
}

render_rect sac_frame_to_pixels(const render_window *w, const sac_render_view *view, const sac_renderer_def *def)
{
    double margin = def->antialias ? 0.51 : 0.01;
    double x = def->width / ((double)view->right - (double)view->left);
    double y = def->height / ((double)view->top - (double)view->bottom);
    render_rect rect;
    take_pixels(&rect.left, &rect.right, (w->low[0] - (double)view->left) * x, (w->high[0] - (double)view->left) * x,
                def->width, margin);
    take_pixels(&rect.top, &rect.bottom, ((double)view->top - w->high[1]) * y, ((double)view->top - w->low[1]) * y,
                def->height, margin);
    return rect;
}

// --- what is thin

// Finds a point on a solid's z axis, in the eye's axes.
static void find_end(double at[3], const sac_geom *g, const render_eye *eye, double z)
{
    double to[3];
    for (int i = 0; i < 3; i++) to[i] = (double)g->position[i] + z * (double)g->axes[3 * i + 2] - eye->at[i];
    for (int k = 0; k < 3; k++) at[k] = dot3(to, eye->axes[k]);
}

// Finds where a solid's ends are in the picture, and how far it reaches around them if it may pass between pixels'
// centres.
void sac_frame_find_thread(solid *s, const sac_geom *g, const render_eye *eye, const sac_render_view *view,
                           const sac_renderer_def *def)
{
    bool line = g->shape == SAC_SHAPE_LINE;
    bool along_z = line || g->shape == SAC_SHAPE_CAPSULE || g->shape == SAC_SHAPE_CYLINDER;
    s->thread_reach = 0.0f;
    if (!line && !(def->antialias && (along_z || g->shape == SAC_SHAPE_SPHERE))) return;
    double scale_x = def->width / ((double)view->right - (double)view->left);
    double scale_y = def->height / ((double)view->top - (double)view->bottom), reach = 0.0, at[2][3];
    for (int end = 0; end < 2; end++)
        find_end(at[end], g, eye, !along_z ? 0.0 : end ? (double)g->size[1] : line ? 0.0 : -(double)g->size[1]);
    if (at[0][2] < eye->near && at[1][2] < eye->near) return;
    for (int end = 0; end < 2; end++)
    {
        double *p = at[end], *q = at[!end], share = (eye->near - p[2]) / (q[2] - p[2]);
        for (int k = 0; k < 3 && p[2] < eye->near; k++) p[k] = k < 2 ? p[k] + share * (q[k] - p[k]) : eye->near;
        double inverse = eye->parallel ? 1.0 : 1.0 / p[2];
        s->thread[end][0] = (float)((p[0] * inverse - (double)view->left) * scale_x);
        s->thread[end][1] = (float)(((double)view->top - p[1] * inverse) * scale_y);
        s->thread_depth[end] = (float)p[2];
        reach = fmax(reach, line ? 0.5 * (double)g->size[0] : (double)g->size[0] * inverse * fmax(scale_x, scale_y));
    }
    if (line || reach < 1.5) s->thread_reach = (float)reach + 0.75f;
}

// Widens a window by so many pixels.
void sac_frame_widen(render_window *w, double by, const sac_render_view *view, const sac_renderer_def *def)
{
    double pixel[2] = {((double)view->right - (double)view->left) / def->width,
                       ((double)view->top - (double)view->bottom) / def->height};
    for (int k = 0; k < 2; k++) w->low[k] -= by * pixel[k], w->high[k] += by * pixel[k];
}
