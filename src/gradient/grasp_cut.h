#pragma once

#include "gradient/grasp.h"

/// Where the arrays of a frame lie.
sac_grasp_frame sac_grasp_frame_at(const sac_grasp_room *room, const sac_pct *pct, int frame);

/// The shape of attention among so many points, and the map of a linear form.
sac_attend sac_grasp_attend(const sac_pct *pct, int count);
sac_map_side sac_grasp_map(const sac_pct *pct);
