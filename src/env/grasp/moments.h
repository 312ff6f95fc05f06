#pragma once

#include "env/grasp/table.h"

/// Where everything was during an attempt, SAC_MOMENTS_A_SECOND times a second, for pictures of it: an attempt is one
/// step of the world, and people want to see how the hand comes, closes and lifts.

typedef struct grasp_moments
{
    double *places; ///< [most, size] positions as MuJoCo has them
    int size, most; ///< numbers of a moment; moments that there is room for
    int count;      ///< of the last attempt
    mjData *shown;  ///< of the table's model, in which a moment is laid out to be drawn; NULL: none was yet
} grasp_moments;

/// @param seconds  that an attempt takes at most
/// @return SAC_ERROR_MEMORY; sac_grasp_moments_clear releases what is there by then
SAC_CHECKED sac_status sac_grasp_moments_open(grasp_moments *moments, const grasp_table *table, double seconds);

void sac_grasp_moments_clear(grasp_moments *moments, const grasp_table *table);

/// Keep the present, if the next moment has come. Beyond the room nothing is kept.
/// @param seconds  since the attempt began
void sac_grasp_moments_take(grasp_moments *moments, const grasp_table *table, double seconds);

/// Lay out a moment in `moments->shown`, as far as pictures need it. The table stays as it is.
/// @param moment  0..count - 1
/// @return SAC_ERROR_MEMORY
SAC_CHECKED sac_status sac_grasp_moments_show(grasp_moments *moments, const grasp_table *table, int moment);
