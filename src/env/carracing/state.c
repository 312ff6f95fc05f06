#include <math.h>

#include "env/carracing/car_racing.h"

// What a teacher may see: the car's motion in its own frame, its wheels, and the road ahead. Everything is scaled to
// about -1..1.

const sac_space sac_car_parts[CAR_PARTS] = {
    {.name = "camera", .kind = SAC_SPACE_PICTURE, .shape = {CAR_CAMERA_SIDE, CAR_CAMERA_SIDE, 3}},
    {.name = "state", .kind = SAC_SPACE_VECTOR, .shape = {CAR_STATE_NUMBERS}, .privileged = true},
};

/// The hull's frame: forward and to the right.
typedef struct frame
{
    float x, y, sine, cosine;
} frame;

static void turn(const frame *f, float x, float y, float *forward, float *right)
{
    *forward = -f->sine * x + f->cosine * y;
    *right = f->cosine * x + f->sine * y;
}

static int nearest_node(const car_track *track, const frame *f)
{
    int nearest = 0;
    double least = INFINITY;
    for (int i = 0; i < track->count; i++)
    {
        double dx = track->x[i] - (double)f->x, dy = track->y[i] - (double)f->y, distance = dx * dx + dy * dy;
        if (distance < least) least = distance, nearest = i;
    }
    return nearest;
}

static float *tell_motion(float *out, const car_racing *car, const frame *f)
{
    const car_chain *chain = &car->chain;
    float forward, right;
    turn(f, chain->vx[0], chain->vy[0], &forward, &right);
    *out++ = forward / 50;
    *out++ = right / 50;
    *out++ = chain->omega[0] / 5;
    *out++ = (chain->angle[1] - chain->angle[0]) / 0.4f; // of a front wheel
    *out++ = (float)car->wheels.steer / 0.4f;
    *out++ = (float)car->wheels.gas;
    *out++ = (float)car->wheels.brake;
    for (int j = 0; j < CAR_WHEELS; j++) *out++ = (float)car->wheels.omega[j] / 100;
    for (int j = 0; j < CAR_WHEELS; j++) *out++ = car->wheels.on_road[j];
    return out;
}

// Lists points of the middle of the road ahead, from the node nearest to the car on.
static float *tell_road(float *out, const car_track *track, const frame *f)
{
    int node = nearest_node(track, f);
    for (int k = 0; k < CAR_STATE_POINTS; k++)
    {
        int i = (node + k * CAR_STATE_STRIDE) % track->count;
        float forward, right;
        turn(f, (float)(track->x[i] - (double)f->x), (float)(track->y[i] - (double)f->y), &forward, &right);
        *out++ = forward / 50;
        *out++ = right / 50;
    }
    return out;
}

void sac_car_observe(const car_racing *car, float *state)
{
    const car_chain *chain = &car->chain;
    const frame f = {chain->x[0], chain->y[0], chain->sine[0], chain->cosine[0]};
    float *end = tell_road(tell_motion(state, car, &f), &car->track, &f);
    *end = (float)car->ground.visited_count / (float)car->track.count;
}
