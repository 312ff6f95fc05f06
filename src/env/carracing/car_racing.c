#include "env/carracing/car_racing.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "env/carracing/track.h"
#include "saccade/env.h"

/// car-racing: Gymnasium's CarRacing-v3, the same tracks, motion and rewards to the last bit, without Box2D.

#define PLAYFIELD (2000 / 6.0)
#define LAP_SHARE 0.95 // of the tiles, that must be visited for a lap to count

enum
{
    MAX_BATCH = 64
};

static const sac_option options[] = {
    {"max_steps", SAC_OPTION_INT, offsetof(car_racing_config, max_steps), "1000", 1, 1000000, NULL,
     "steps in an episode"},
    {"rules", SAC_OPTION_TEXT, offsetof(car_racing_config, rules), "v3", 0, 0, "v3 v0",
     "v3: Gymnasium's; v0: the article's, all tiles to finish, the view follows the velocity"},
    {"action_repeat", SAC_OPTION_INT, offsetof(car_racing_config, action_repeat), "1", 1, 1000, NULL,
     "steps that an action lasts; their rewards are added, and the last is shown"},
    {0},
};

static const char *const same_world[] = {"action_repeat", NULL};

static const sac_env_column columns[] = {
    {"x", SAC_COLUMN_FLOAT},  {"y", SAC_COLUMN_FLOAT},     {"angle", SAC_COLUMN_FLOAT}, {"vx", SAC_COLUMN_FLOAT},
    {"vy", SAC_COLUMN_FLOAT}, {"omega", SAC_COLUMN_FLOAT}, {"tiles", SAC_COLUMN_INT},
};

static void car_destroy(void *self)
{
    car_racing *car = self;
    if (!car) return;
    sac_car_picture_destroy(car->camera);
    sac_car_picture_destroy(car->poster);
    sac_car_variant_destroy(car->variant);
    sac_free(car);
}

static sac_status car_create(void **self, const void *config, const char *variant)
{
    const car_racing_config *def = config;
    car_racing *car = SAC_NEW(car_racing);
    if (!car) return sac_fail_memory("car-racing");
    car->max_steps = def->max_steps;
    car->action_repeat = def->action_repeat;
    car->lap_rule = strcmp(def->rules, "v3") == 0;
    car->random = sac_pcg64_create(0);
    car->scene.track = &car->track;
    car->scene.touched = car->ground.touched;
    car->scene.follow_velocity = !car->lap_rule;
    sac_status status = sac_car_variant_create(&car->variant, variant);
    if (status == SAC_OK)
        status = sac_car_picture_create(&car->camera, CAR_CAMERA_SIDE, CAR_CAMERA_SIDE, CAR_STYLE_AGENT);
    if (status != SAC_OK)
        car_destroy(car);
    else
        *self = car;
    return status;
}

static void car_spec(const void *self, sac_env_spec *spec)
{
    static const float low[] = {-1, 0, 0}, high[] = {1, 1, 1};
    static const char *const names[] = {"steer", "gas", "brake"};
    const car_racing *car = self;
    *spec = (sac_env_spec){.observations = sac_car_parts,
                           .observation_count = CAR_PARTS,
                           .action_size = 3,
                           .action_low = low,
                           .action_high = high,
                           .max_steps = (car->max_steps + car->action_repeat - 1) / car->action_repeat,
                           .columns = columns,
                           .column_count = sizeof columns / sizeof *columns,
                           .action_names = names,
                           .picture_aspect = 1.25f,
                           .picture_same_view = true};
}

static car_body body_of(const car_chain *chain, int i)
{
    return (car_body){chain->x[i], chain->y[i], chain->angle[i], chain->vx[i], chain->vy[i], chain->omega[i]};
}

static void set_scene(car_racing *car)
{
    car_scene *scene = &car->scene;
    scene->hull = body_of(&car->chain, 0);
    for (int j = 0; j < CAR_WHEELS; j++)
    {
        scene->wheel[j] = body_of(&car->chain, 1 + j);
        scene->wheel_omega[j] = car->wheels.omega[j];
        scene->wheel_phase[j] = car->wheels.phase[j];
    }
    scene->joint_angle = car->chain.angle[1] - car->chain.angle[0];
    scene->time += 1.0 / 50;
    scene->shown_reward = car->reward;
}

// An action that is not a number never reaches the world: the pedals stay, and the episode ends with a reward of NaN.
static void take_action(car_racing *car, const float *action)
{
    car->bad_action = isnan(action[0]) || isnan(action[1]) || isnan(action[2]);
    if (!car->bad_action) sac_car_wheels_control(&car->wheels, action);
}

// The part of a step before the bodies move. As in Gymnasium, friction is that of the tiles touched when the last step
// began.
static void act(car_racing *car)
{
    sac_car_wheels_step(&car->wheels, &car->chain);
    int start_count, visits = sac_car_ground_touch(&car->ground, &car->chain, car->wheels.on_road, &start_count);
    for (int i = 0; i < visits; i++) car->reward += 1000.0 / car->track.count;
    if (car->lap_rule && (double)start_count / car->track.count > LAP_SHARE) car->lap_done = true;
}

static void show(car_racing *car, const sac_env_row *row, const car_picture *paper)
{
    if (row->parts[CAR_CAMERA]) sac_car_draw_on(car->camera, paper, &car->scene, car->variant, row->parts[CAR_CAMERA]);
    if (row->parts[CAR_STATE]) sac_car_observe(car, row->parts[CAR_STATE]);
}

// The part of a step after the bodies have moved: reward and ends. Returns whether the episode goes on.
static bool judge(car_racing *car, const sac_env_row *row, double *sum)
{
    set_scene(car);
    car->reward -= 0.1;
    double reward = car->reward - car->paid;
    car->paid = car->reward;
    bool done = car->lap_done || car->ground.visited_count == car->track.count;
    if (fabsf(car->chain.x[0]) > PLAYFIELD || fabsf(car->chain.y[0]) > PLAYFIELD)
    {
        done = true;
        reward = -100;
    }
    if (car->bad_action)
    {
        done = true;
        reward = NAN;
    }
    car->step++;
    *sum += reward;
    *row->reward = *sum;
    *row->terminated = done;
    *row->truncated = !done && car->step >= car->max_steps;
    return !*row->terminated && !*row->truncated;
}

static sac_status car_reset(void *self, uint64_t seed, const sac_env_row *row)
{
    car_racing *car = self;
    if (seed == SAC_SEED_NEXT)
        car->episode++;
    else
    {
        car->random = sac_pcg64_create(seed);
        car->seed = seed;
        car->episode = 0;
    }
    car->drawn_from = car->random;
    SAC_TRY(sac_car_lay_track(car, &car->random));
    sac_car_chain_place(&car->chain, car->track.x[0], car->track.y[0], car->track.beta[0]);
    car->wheels = (car_wheels){0};
    car->reward = car->paid = car->scene.time = 0;
    car->step = 0;
    car->lap_done = false;

    // Gymnasium's reset makes a step without an action, whose visits the first real step pays
    act(car);
    sac_car_chain_step(&(car_chain *){&car->chain}, 1);
    set_scene(car);
    show(car, row, car->camera);
    return SAC_OK;
}

// Cars side by side, each with what its action has earned so far.
typedef struct fleet
{
    car_racing *car[MAX_BATCH];
    const sac_env_row *row[MAX_BATCH];
    double sum[MAX_BATCH];
    int count;
} fleet;

// A step of the simulator, in which the cars' joints are solved side by side. Cars stay while their episodes go on and
// their actions last.
static void drive(fleet *f, int steps_before)
{
    car_chain *chains[MAX_BATCH];
    for (int i = 0; i < f->count; i++)
    {
        take_action(f->car[i], f->row[i]->action);
        act(f->car[i]);
        chains[i] = &f->car[i]->chain;
    }
    sac_car_chain_step(chains, f->count);
    int stay = 0;
    for (int i = 0; i < f->count; i++)
    {
        if (!judge(f->car[i], f->row[i], &f->sum[i]) || steps_before + 1 == f->car[i]->action_repeat) continue;
        f->car[stay] = f->car[i];
        f->row[stay] = f->row[i];
        f->sum[stay++] = f->sum[i];
    }
    f->count = stay;
}

// Pictures are drawn one after another on the planes of the first car's picture, which then stay in the cache.
static sac_status car_step_batch(void *const *selves, const sac_env_row *rows, int count)
{
    for (int first = 0; first < count; first += MAX_BATCH)
    {
        fleet f = {.count = count - first < MAX_BATCH ? count - first : MAX_BATCH};
        const int part = f.count;
        for (int i = 0; i < part; i++)
        {
            f.car[i] = selves[first + i];
            f.row[i] = &rows[first + i];
        }
        const car_racing *leader = selves[first];
        for (int step = 0; f.count > 0; step++) drive(&f, step);
        for (int i = 0; i < part; i++) show(selves[first + i], &rows[first + i], leader->camera);
    }
    return SAC_OK;
}

// Pictures for people come in any size. The memory for the last size is kept.
static sac_status car_picture_at(void *self, uint8_t *rgb, int height, int width)
{
    car_racing *car = self;
    if (car->track.count == 0) return sac_fail(SAC_ERROR_ARGUMENT, "car-racing: picture before reset");
    if (height != car->poster_height || width != car->poster_width)
    {
        sac_car_picture_destroy(car->poster);
        car->poster = NULL;
        car->poster_height = car->poster_width = 0;
        SAC_TRY(sac_car_picture_create(&car->poster, height, width, CAR_STYLE_PEOPLE));
        car->poster_height = height;
        car->poster_width = width;
    }
    sac_car_draw(car->poster, &car->scene, car->variant, rgb);
    return SAC_OK;
}

static sac_status car_step(void *self, const sac_env_row *row)
{
    return car_step_batch(&self, row, 1);
}

static void car_state(const void *self, double *values)
{
    const car_racing *car = self;
    const car_body *hull = &car->scene.hull;
    values[0] = hull->x, values[1] = hull->y, values[2] = hull->angle;
    values[3] = hull->vx, values[4] = hull->vy, values[5] = hull->omega;
    values[6] = car->ground.visited_count;
}

const sac_env_ops sac_car_racing_ops = {
    .name = "car-racing",
    .summary = "drive a lap on a track that is new in every episode",
    .options = options,
    .same_world = same_world,
    .config_size = sizeof(car_racing_config),
    .variants = sac_car_variant_names,
    .create = car_create,
    .spec = car_spec,
    .reset = car_reset,
    .step = car_step,
    .step_batch = car_step_batch,
    .state = car_state,
    .snapshot = sac_car_snapshot,
    .picture = car_picture_at,
    .destroy = car_destroy,
};
