#include "saccade/base.h"

// one car, or up to four: as wide as every machine is
#define LANES 4
#define STEP  SAC_LEVEL_NAME(sac_car_chain_step_narrow)
#include "env/carracing/chain_levels.h"
#include "env/carracing/chain_solve.h"
