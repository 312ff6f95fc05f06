#include "saccade/base.h"

// This is the step for as many cars as a register of the level holds floats.
#define STEP SAC_LEVEL_NAME(sac_car_chain_step_wide)
#include "env/carracing/chain_levels.h"
#include "env/carracing/chain_solve.h"

const int SAC_LEVEL_NAME(sac_car_chain_lanes) = LANES_COUNT;
