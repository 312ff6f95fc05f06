#pragma once

#include "env/carracing/chain.h"

/// The step for up to so many cars, once a CPU level.
typedef void car_chain_step_fn(car_chain *const *chains, int count);

car_chain_step_fn sac_car_chain_step_narrow_scalar, sac_car_chain_step_wide_scalar;
car_chain_step_fn sac_car_chain_step_narrow_neon, sac_car_chain_step_wide_neon;
car_chain_step_fn sac_car_chain_step_narrow_avx2, sac_car_chain_step_wide_avx2;
car_chain_step_fn sac_car_chain_step_narrow_avx512, sac_car_chain_step_wide_avx512;

/// How many cars the wide step takes at once.
extern const int sac_car_chain_lanes_scalar, sac_car_chain_lanes_neon, sac_car_chain_lanes_avx2,
    sac_car_chain_lanes_avx512;
