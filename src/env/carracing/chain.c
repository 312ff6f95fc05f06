#include "env/carracing/chain.h"

#include "base/level.h"
#include "env/carracing/chain_constants.h"
#include "env/carracing/chain_levels.h"
#include "env/carracing/trig.h"

void sac_car_chain_place(car_chain *chain, double x, double y, double angle)
{
    static const int offset[CAR_WHEELS][2] = {{-55, 80}, {55, 80}, {-55, -82}, {55, -82}};
    *chain = (car_chain){.x = {(float)x}, .y = {(float)y}};
    for (int i = 0; i < CAR_BODIES; i++)
    {
        chain->angle[i] = (float)angle;
        car_sin_cos(chain->angle[i], &chain->sine[i], &chain->cosine[i]);
        if (i == 0) continue;
        chain->x[i] = chain->center_x[i] = (float)(x + offset[i - 1][0] * CAR_SIZE);
        chain->y[i] = chain->center_y[i] = (float)(y + offset[i - 1][1] * CAR_SIZE);
    }
    chain->center_x[0] = chain->cosine[0] * HULL_CENTER_X - chain->sine[0] * HULL_CENTER_Y + chain->x[0];
    chain->center_y[0] = chain->sine[0] * HULL_CENTER_X + chain->cosine[0] * HULL_CENTER_Y + chain->y[0];
}

void sac_car_chain_step(car_chain *const *chains, int count)
{
    enum
    {
        NARROW = 4
    };
    const int lanes = SAC_AT_LEVEL(sac_car_chain_lanes);
    while (count > 0)
    {
        int part = count < lanes ? count : lanes;
        if (part <= 1 || (part <= NARROW && lanes > NARROW))
            SAC_AT_LEVEL(sac_car_chain_step_narrow)(chains, part);
        else
            SAC_AT_LEVEL(sac_car_chain_step_wide)(chains, part);
        chains += part;
        count -= part;
    }
}
