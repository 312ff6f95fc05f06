#include "env/carracing/wheels.h"

#include <math.h>

#include "env/carracing/chain_constants.h"

#define STEP           (1.0 / 50)
#define ENGINE_POWER   (100000000 * CAR_SIZE * CAR_SIZE)
#define INERTIA        (4000 * CAR_SIZE * CAR_SIZE)
#define FRICTION_LIMIT (1000000 * CAR_SIZE * CAR_SIZE)
#define STIFFNESS      (205000 * CAR_SIZE * CAR_SIZE)
#define RADIUS         (27 * CAR_SIZE)
#define BRAKE_FORCE    15

static double sign(double x)
{
    return (x > 0) - (x < 0);
}

void sac_car_wheels_control(car_wheels *wheels, const float action[3])
{
    double gas = fmin(fmax(action[1], 0), 1);
    wheels->steer = -(double)action[0];
    wheels->gas += fmin(gas - wheels->gas, 0.1);
    wheels->brake = action[2];
}

// Computes a wheel's spin after engine and brake.
// Gymnasium's car_dynamics.py, Car.step. The engine's power is divided by the spin, plus 5, which keeps the torque
// finite from standing; only the rear wheels are driven. A brake of 0.9 and more blocks the wheel.
static double drive(const car_wheels *wheels, int j)
{
    double omega = wheels->omega[j], gas = j >= 2 ? wheels->gas : 0;
    omega += STEP * ENGINE_POWER * gas / INERTIA / (fabs(omega) + 5.0);
    if (wheels->brake >= 0.9) return 0;
    if (wheels->brake > 0) omega += -sign(omega) * fmin(BRAKE_FORCE * wheels->brake, fabs(omega));
    return omega;
}

// Car.step once more: the steering motor turns the front joints, and the tyre slips. Its force is proportional to the
// difference of the speeds of rim and ground, and is cut where it would exceed the friction of road or grass. What the
// ground returns slows the wheel's own spin.
void sac_car_wheels_step(car_wheels *wheels, car_chain *chain)
{
    for (int j = 0; j < CAR_WHEELS; j++)
    {
        double off = (j < 2 ? wheels->steer : 0) - (double)(chain->angle[1 + j] - chain->angle[0]);
        chain->speed[j] = (float)(sign(off) * fmin(50.0 * fabs(off), 3.0));

        double limit = wheels->on_road[j] ? FRICTION_LIMIT : FRICTION_LIMIT * 0.6;
        double forward_x = -chain->sine[1 + j], forward_y = chain->cosine[1 + j];
        double side_x = chain->cosine[1 + j], side_y = chain->sine[1 + j];
        double vx = chain->vx[1 + j], vy = chain->vy[1 + j];
        double forward_speed = forward_x * vx + forward_y * vy, side_speed = side_x * vx + side_y * vy;

        double omega = drive(wheels, j);
        wheels->phase[j] += omega * STEP;
        double forward = (-forward_speed + omega * RADIUS) * STIFFNESS, side = -side_speed * STIFFNESS;
        double force = sqrt(forward * forward + side * side);
        if (fabs(force) > limit)
        {
            forward = forward / force * limit;
            side = side / force * limit;
        }
        wheels->omega[j] = omega - STEP * forward * RADIUS / INERTIA;
        chain->force_x[j] = (float)(side * side_x + forward * forward_x);
        chain->force_y[j] = (float)(side * side_y + forward * forward_y);
    }
}
