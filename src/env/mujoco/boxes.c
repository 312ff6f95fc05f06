#include "env/mujoco/boxes.h"

#include <math.h>
#include <string.h>

#include "base/series.h"

void sac_mujoco_put(mjModel *m, int body, const double center[3], const double half[3], double turn)
{
    const int geom = m->body_geomadr[body];
    const bool round = m->geom_type[geom] == mjGEOM_CYLINDER;
    const double across = round ? half[0] * half[0] : half[0] * half[0] + half[1] * half[1];
    const double size[3] = {half[0], round ? half[2] : half[1], round ? 0 : half[2]};
    double sine, cosine;
    memcpy(m->body_pos + (ptrdiff_t)3 * body, center, 3 * sizeof *center);
    memcpy(m->geom_size + (ptrdiff_t)3 * geom, size, sizeof size);
    memcpy(m->geom_aabb + (ptrdiff_t)6 * geom + 3, half, 3 * sizeof *half);
    memcpy(m->bvh_aabb + (ptrdiff_t)6 * m->body_bvhadr[body] + 3, half, 3 * sizeof *half);
    m->geom_rbound[geom] = sqrt(across + half[2] * half[2]);
    sac_series_sin_cos(turn / 2, &sine, &cosine);
    const double turned[4] = {cosine, 0, 0, sine};
    memcpy(m->body_quat + (ptrdiff_t)4 * body, turned, sizeof turned);
}
