#include "env/grasp/moments.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"

sac_status sac_grasp_moments_open(grasp_moments *m, const grasp_table *t, double seconds)
{
    m->size = t->model->nq;
    m->most = (int)(seconds * SAC_MOMENTS_A_SECOND) + 2;
    m->places = SAC_NEW_MATRIX(double, (size_t)m->most, (size_t)m->size);
    return m->places ? SAC_OK : sac_fail_memory("moments of a grasp");
}

void sac_grasp_moments_clear(grasp_moments *m, const grasp_table *t)
{
    if (m->shown) t->mj->mj_deleteData(m->shown);
    sac_free(m->places);
    *m = (grasp_moments){0};
}

void sac_grasp_moments_take(grasp_moments *m, const grasp_table *t, double seconds)
{
    // steps of physics are added up, so that a moment may seem to come a little late
    const double tolerance = 1e-9;
    if (m->count == m->most || seconds + tolerance < (double)m->count / SAC_MOMENTS_A_SECOND) return;
    memcpy(m->places + (ptrdiff_t)m->count * m->size, t->data->qpos, (size_t)m->size * sizeof *m->places);
    m->count++;
}

sac_status sac_grasp_moments_show(grasp_moments *m, const grasp_table *t, int moment)
{
    SAC_ASSERT(moment >= 0 && moment < m->count);
    if (!m->shown) m->shown = t->mj->mj_makeData(t->model);
    if (!m->shown) return sac_fail_memory("moments of a grasp");
    memcpy(m->shown->qpos, m->places + (ptrdiff_t)moment * m->size, (size_t)m->size * sizeof *m->places);
    t->mj->mj_kinematics(t->model, m->shown);
    t->mj->mj_comPos(t->model, m->shown);
    t->mj->mj_camlight(t->model, m->shown);
    return SAC_OK;
}
