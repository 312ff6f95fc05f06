#include "saccade/base.h"

// This is the step for one to four cars, which is a vector that every machine has.
#define LANES_COUNT 4
#define STEP        SAC_LEVEL_NAME(sac_car_chain_step_narrow)
#include "env/carracing/chain_levels.h"
#include "env/carracing/chain_solve.h"
