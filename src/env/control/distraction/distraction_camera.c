#include <math.h>
#include <string.h>

#include "env/control/distraction/distraction_parts.h"

/// A camera that stands elsewhere: somewhere on a shell around the body that it follows, or around the origin where it
/// is fixed, within bounds about its own place. Dynamic ones walk: their velocity is a random walk of bounded length.

static const double pi = 3.141592653589793;

static double clamp(double x, double low, double high)
{
    return x < low ? low : x > high ? high : x;
}

static double length(const double v[3])
{
    return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

static void to_sphere(double out[3], const double v[3])
{
    out[0] = length(v);
    out[1] = atan2(v[1], v[0]);
    out[2] = atan2(sqrt(v[0] * v[0] + v[1] * v[1]), v[2]);
}

static void to_space(double out[3], const double place[3])
{
    out[0] = place[0] * sin(place[2]) * cos(place[1]);
    out[1] = place[0] * sin(place[2]) * sin(place[1]);
    out[2] = place[0] * cos(place[2]);
}

static const double *body_center(const control_world *w)
{
    return w->data->subtree_com + 3; // of the first body, the agent's
}

static bool follows(const distraction_camera *c, const control_world *w)
{
    return w->model->cam_mode[c->camera] != mjCAMLIGHT_FIXED;
}

// Finds the point that is straight ahead of the undisturbed camera, as far away as the agent.
static void find_target(const distraction_camera *c, const control_world *w, double target[3])
{
    const double *eye = w->data->cam_xpos + 3 * c->camera, *axes = w->data->cam_xmat + 9 * c->camera;
    double away[3];
    for (int i = 0; i < 3; i++) away[i] = eye[i] - body_center(w)[i];
    double distance = length(away);
    for (int i = 0; i < 3; i++) target[i] = eye[i] - distance * axes[3 * i + 2];
}

static void cross(double out[3], const double a[3], const double b[3])
{
    for (int i = 0; i < 3; i++) out[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

// Turns the axes so that the picture's rows are level, without roll.
static void look_level(const double ahead[3], double right[3], double up[3])
{
    double flat = sqrt(ahead[0] * ahead[0] + ahead[1] * ahead[1]);
    right[0] = flat > 0 ? ahead[1] / flat : 1;
    right[1] = flat > 0 ? -ahead[0] / flat : 0;
    right[2] = 0;
    cross(up, right, ahead);
}

// The shortest turn from looking straight down, by Rodrigues' formula, which has no pole there.
static void look_from_above(const double ahead[3], double right[3], double up[3])
{
    const double down[3] = {0, 0, -1};
    double axis[3];
    cross(axis, down, ahead);
    double sine = length(axis), cosine = -ahead[2];
    for (int i = 0; i < 3; i++) axis[i] /= sine + 1e-4;
    for (int i = 0; i < 3; i++)
    {
        const double unit_x = i == 0, unit_y = i == 1;
        const double turn_x[3] = {0, axis[2], -axis[1]}, turn_y[3] = {-axis[2], 0, axis[0]};
        right[i] = cosine * unit_x + (1 - cosine) * axis[0] * axis[i] + sine * turn_x[i];
        up[i] = cosine * unit_y + (1 - cosine) * axis[1] * axis[i] + sine * turn_y[i];
    }
}

// Writes the camera's place and axes over those that the physics computed.
static void place_camera(const distraction_camera *c, control_world *w)
{
    double eye[3], target[3], ahead[3], right[3], up[3];
    to_space(eye, c->place);
    memcpy(target, c->target, sizeof target);
    if (follows(c, w))
    {
        find_target(c, w, target);
        for (int i = 0; i < 3; i++) eye[i] += body_center(w)[i];
    }
    for (int i = 0; i < 3; i++) ahead[i] = target[i] - eye[i];
    double distance = length(ahead);
    for (int i = 0; i < 3; i++) ahead[i] /= distance;
    if (w->task->free_camera)
        look_from_above(ahead, right, up);
    else
        look_level(ahead, right, up);

    double *axes = w->data->cam_xmat + 9 * c->camera, cosine = cos(c->roll), sine = sin(c->roll);
    for (int i = 0; i < 3; i++)
    {
        axes[3 * i] = right[i] * cosine + up[i] * sine;
        axes[3 * i + 1] = up[i] * cosine - right[i] * sine;
        axes[3 * i + 2] = -ahead[i];
    }
    memcpy(w->data->cam_xpos + 3 * c->camera, eye, sizeof eye);
}

static void set_bounds(distraction_camera *c, const control_world *w)
{
    const double *place = c->plain, turn = pi / 2 * c->scale;
    c->low[0] = place[0] * (1 - 0.5 * c->scale);
    c->high[0] = place[0] * (1 + 1.5 * c->scale);
    for (int i = 1; i < 3; i++) c->low[i] = place[i] - turn, c->high[i] = place[i] + turn;
    if (!w->task->free_camera)
    {
        c->low[1] = fmax(c->low[1], -pi), c->high[1] = fmin(c->high[1], 0);
        c->low[2] = fmax(c->low[2], 0), c->high[2] = fmin(c->high[2], pi / 2);
    }
    c->fastest = c->dynamic ? 0.4 * c->scale * place[0] / 4 : 0;
}

void sac_distraction_camera_reset(distraction_camera *c, control_world *w)
{
    double start[3];
    find_target(c, w, c->target);
    memcpy(start, w->data->cam_xpos + 3 * c->camera, sizeof start);
    for (int i = 0; follows(c, w) && i < 3; i++) start[i] -= body_center(w)[i];
    to_sphere(c->plain, start);
}

void sac_distraction_camera_draw(distraction_camera *c, control_world *w, double scale, sac_stream *stream,
                                 const double normal[DISTRACTION_NORMALS])
{
    c->scale = scale;
    set_bounds(c, w);
    for (int i = 0; i < 3; i++) c->place[i] = sac_stream_uniform(stream, c->low[i], c->high[i]);
    c->roll = sac_stream_uniform(stream, -1, 1) * (pi / 2) * c->scale;
    double speed = sac_stream_uniform(stream, 0, 1) * c->fastest, norm = length(normal);
    for (int i = 0; i < 3; i++) c->velocity[i] = norm > 0 ? normal[i] / norm * speed : 0;
    c->roll_speed = c->dynamic ? sac_stream_uniform(stream, -1, 1) * pi / 50 * c->scale : 0;
    place_camera(c, w);
}

// Moves the camera by its velocity. What the bounds take from a move is taken from the velocity, too.
static void move(distraction_camera *c, const double normal[DISTRACTION_NORMALS])
{
    double eye[3], next[3], deviation = c->fastest / 4; // 0.1 of the scale to 0.4
    for (int i = 0; i < 3; i++) c->velocity[i] += deviation * normal[i];
    double speed = length(c->velocity), brake = speed > c->fastest ? c->fastest / speed : 1;
    to_space(eye, c->place);
    for (int i = 0; i < 3; i++) next[i] = eye[i] + brake * c->velocity[i];
    to_sphere(c->place, next);
    for (int i = 0; i < 3; i++) c->place[i] = clamp(c->place[i], c->low[i], c->high[i]);
    to_space(next, c->place);
    for (int i = 0; i < 3; i++) c->velocity[i] = next[i] - eye[i];

    double limit = pi / 50 * c->scale, bound = pi / 2 * c->scale;
    double roll = c->roll + clamp(c->roll_speed + pi / 300 * c->scale * normal[3], -limit, limit);
    roll = clamp(roll, -bound, bound);
    c->roll_speed = roll - c->roll;
    c->roll = roll;
}

void sac_distraction_camera_step(distraction_camera *c, control_world *w, const double normal[DISTRACTION_NORMALS])
{
    if (c->dynamic) move(c, normal);
    place_camera(c, w);
}

void sac_distraction_camera_snapshot(distraction_camera *c, control_world *w, sac_snapshot *snapshot)
{
    sac_snapshot_part(snapshot, c, sizeof *c); // plain data
    if (snapshot->way == SAC_SNAPSHOT_RESTORE) place_camera(c, w);
}
