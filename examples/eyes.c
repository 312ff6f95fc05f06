// A world with several things to see, in a shared object: two eyes, a depth camera and the sensors of its own body.
//
//     cc -O2 -shared -fPIC $(pkg-config --cflags saccade) eyes.c -o eyes.so -lm
//     saccade envs eyes --plugin ./eyes.so
//     saccade train eyes.yaml --plugin ./eyes.so --run runs/eyes
//
// A ball comes nearer over a dark plain; the action says to which side to lean, and a ball that arrives where the body
// is is caught: a reward of 1. The eyes stand apart, so a near ball is seen at two places. A policy names the parts
// that it takes, such as `inputs: left state` or `inputs: depth state`. docs/plugins.md goes on from here.
#include <math.h>
#include <saccade/plugin.h>
#include <stdlib.h>
#include <string.h>

enum
{
    HEIGHT = 24,
    WIDTH = 32,
    STEPS = 100
};

/// The parts of an observation, in this order in every row.
enum
{
    LEFT,
    RIGHT,
    DEPTH,
    STATE,
    BALL,
    PARTS
};

static const float nearest[] = {0}, farthest[] = {10};
static const float state_low[] = {-1, -1}, state_high[] = {1, 1};

static const sac_space parts[PARTS] = {
    {.name = "left", .kind = SAC_SPACE_PICTURE, .shape = {HEIGHT, WIDTH, 3}},
    {.name = "right", .kind = SAC_SPACE_PICTURE, .shape = {HEIGHT, WIDTH, 3}},
    {.name = "depth", .kind = SAC_SPACE_DEPTH, .shape = {HEIGHT, WIDTH}, .low = nearest, .high = farthest},
    {.name = "state", .kind = SAC_SPACE_VECTOR, .shape = {2}, .low = state_low, .high = state_high},
    {.name = "ball", .kind = SAC_SPACE_VECTOR, .shape = {2}, .privileged = true}, // for teachers alone
};

typedef struct eyes
{
    uint64_t random;
    double side, distance; // of the ball: -1..1, and 10 to 0
    double body, speed;    // of the body: -1..1
} eyes;

// all that is random comes from the seed of the episode
static double draw_number(eyes *e)
{
    e->random = e->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(e->random >> 11) / 9007199254740992.0;
}

static sac_status eyes_create(void **self, const void *config, const char *variant)
{
    (void)config;
    if (strcmp(variant, "original") != 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "eyes: unknown variant '%s', it has none", variant);
    *self = calloc(1, sizeof(eyes));
    return *self ? SAC_OK : sac_fail(SAC_ERROR_MEMORY, "eyes: no memory for a ball");
}

static void eyes_spec(const void *self, sac_env_spec *spec)
{
    static const float low[] = {-1}, high[] = {1};
    static const char *const names[] = {"lean"};
    (void)self;
    *spec = (sac_env_spec){.observations = parts,
                           .observation_count = PARTS,
                           .action_size = 1,
                           .action_low = low,
                           .action_high = high,
                           .max_steps = STEPS,
                           .action_names = names};
}

// ---- what is seen

/// Where the ball is in a picture whose eye stands so far to the right, in pixels.
typedef struct disc
{
    int row, column, radius;
} disc;

static disc find_ball(const eyes *e, double eye)
{
    double size = 1 / (1 + e->distance);
    disc d = {.row = (int)(HEIGHT / 2 + 6 * size), .radius = (int)(1 + 5 * size)};
    d.column = (int)(WIDTH / 2 + (e->side - e->body) * WIDTH / 3 - eye * 6 * size);
    return d;
}

static int covers(const disc *d, int row, int column)
{
    int y = row - d->row, x = column - d->column;
    return x * x + y * y <= d->radius * d->radius;
}

static void draw_eye(const eyes *e, double eye, uint8_t *picture)
{
    disc d = find_ball(e, eye);
    for (int row = 0; row < HEIGHT; row++)
        for (int column = 0; column < WIDTH; column++, picture += 3)
        {
            int ball = covers(&d, row, column);
            picture[0] = ball ? 240 : 20;
            picture[1] = ball ? 120 : (uint8_t)(20 + (row > HEIGHT / 2 ? 3 * (row - HEIGHT / 2) : 0));
            picture[2] = 30;
        }
}

static void measure_depth(const eyes *e, float *depth)
{
    disc d = find_ball(e, 0);
    for (int row = 0; row < HEIGHT; row++)
        for (int column = 0; column < WIDTH; column++)
            *depth++ = covers(&d, row, column) ? (float)e->distance : farthest[0];
}

// each part where somebody wants it; what is not wanted costs nothing
static void show(const eyes *e, const sac_env_row *row)
{
    if (row->parts[LEFT]) draw_eye(e, -1, row->parts[LEFT]);
    if (row->parts[RIGHT]) draw_eye(e, 1, row->parts[RIGHT]);
    if (row->parts[DEPTH]) measure_depth(e, row->parts[DEPTH]);
    float *state = row->parts[STATE], *ball = row->parts[BALL];
    if (state) state[0] = (float)e->body, state[1] = (float)(e->speed * 10);
    if (ball) ball[0] = (float)(e->side - e->body), ball[1] = (float)(e->distance / 10);
}

// ---- what happens

static void throw_ball(eyes *e)
{
    e->side = 2 * draw_number(e) - 1;
    e->distance = 10;
}

static sac_status eyes_reset(void *self, uint64_t seed, const sac_env_row *row)
{
    eyes *e = self;
    if (seed != SAC_SEED_NEXT) e->random = seed * UINT64_C(0x9e3779b97f4a7c15) + 1;
    e->body = e->speed = 0;
    throw_ball(e);
    show(e, row);
    return SAC_OK;
}

static sac_status eyes_step(void *self, const sac_env_row *row)
{
    eyes *e = self;
    e->speed = 0.8 * e->speed + 0.02 * (double)row->action[0];
    e->body = fmin(fmax(e->body + e->speed, -1), 1);
    e->distance -= 0.5;
    if (e->distance <= 0)
    {
        *row->reward = fabs(e->side - e->body) < 0.25;
        throw_ball(e);
    }
    show(e, row);
    return SAC_OK;
}

// all that an episode changes, so that a planner may branch it
static sac_status eyes_snapshot(void *self, sac_snapshot *snapshot)
{
    sac_snapshot_part(snapshot, self, sizeof(eyes));
    return SAC_OK;
}

static void eyes_destroy(void *self)
{
    free(self);
}

static const sac_env_ops eyes_ops = {.name = "eyes",
                                     .summary = "two eyes, a depth camera and a body: catch the ball (examples/eyes.c)",
                                     .create = eyes_create,
                                     .spec = eyes_spec,
                                     .reset = eyes_reset,
                                     .step = eyes_step,
                                     .snapshot = eyes_snapshot,
                                     .destroy = eyes_destroy};

static const sac_env_ops *const worlds[] = {&eyes_ops, NULL};
static const sac_policy_kind_ops *const kinds[] = {NULL};
SAC_PLUGIN(worlds, kinds)
