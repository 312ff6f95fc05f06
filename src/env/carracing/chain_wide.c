#include "saccade/base.h"

// This is the step for as many cars as a register of the level holds floats.
#ifdef SAC_LEVEL_AVX512
#define LANES_COUNT 16
#elif defined(SAC_LEVEL_AVX2)
#define LANES_COUNT 8
#else
#define LANES_COUNT 4
#endif
#define STEP SAC_LEVEL_NAME(sac_car_chain_step_wide)
#include "env/carracing/chain_levels.h"
#include "env/carracing/chain_solve.h"

const int SAC_LEVEL_NAME(sac_car_chain_lanes) = LANES_COUNT;
