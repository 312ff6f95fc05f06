#include "saccade/walk.h"

void sac_raibert_foothold(double foothold[2], const double velocity[2], const double wanted[2], double swing,
                          double gain)
{
    for (int i = 0; i < 2; i++) foothold[i] = velocity[i] * swing / 2 - gain * (wanted[i] - velocity[i]);
}

void sac_raibert_velocity(double wanted[2], const double velocity[2], const double foothold[2], double swing,
                          const double gain[2])
{
    for (int i = 0; i < 2; i++) wanted[i] = velocity[i] + (foothold[i] - velocity[i] * swing / 2) / gain[i];
}
