#include "base/error.h"
#include "env/carracing/car_racing.h"
#include "env/carracing/track.h"

sac_status sac_car_lay_track(car_racing *car, sac_pcg64 *random)
{
    SAC_TRY(sac_car_track_draw(&car->track, random));
    // A variant draws from numbers of its own, so that it changes no track.
    sac_car_variant_reset(car->variant, car->episode ? sac_mix_seed(car->seed, car->episode, 0) : car->seed);
    sac_car_ground_lay(&car->ground, &car->track);
    return SAC_OK;
}

// Compares field by field, because padding has no value.
static bool same_numbers(const sac_pcg64 *a, const sac_pcg64 *b)
{
    return a->state_high == b->state_high && a->state_low == b->state_low && a->increment_high == b->increment_high &&
           a->increment_low == b->increment_low && a->has_half == b->has_half && a->half == b->half;
}

// Carries what the track and the variant's look are drawn from, in place of the track itself.
static sac_status carry_episode(car_racing *car, sac_snapshot *snapshot)
{
    sac_pcg64 drawn_from = car->drawn_from;
    uint64_t seed = car->seed, episode = car->episode;
    sac_snapshot_part(snapshot, &drawn_from, sizeof drawn_from);
    sac_snapshot_part(snapshot, &seed, sizeof seed);
    sac_snapshot_part(snapshot, &episode, sizeof episode);
    if (snapshot->way != SAC_SNAPSHOT_RESTORE) return SAC_OK;

    bool same = car->track.count > 0 && seed == car->seed && episode == car->episode &&
                same_numbers(&drawn_from, &car->drawn_from);
    car->drawn_from = drawn_from;
    car->seed = seed;
    car->episode = episode;
    return same ? SAC_OK : sac_car_lay_track(car, &drawn_from);
}

// Carries the scene without its pointers, which lead into the car itself.
static void carry_scene(car_racing *car, sac_snapshot *snapshot)
{
    car_scene scene = car->scene;
    scene.track = NULL;
    scene.touched = NULL;
    sac_snapshot_part(snapshot, &scene, sizeof scene);
    scene.track = &car->track;
    scene.touched = car->ground.touched;
    if (snapshot->way == SAC_SNAPSHOT_RESTORE) car->scene = scene;
}

sac_status sac_car_snapshot(void *self, sac_snapshot *snapshot)
{
    car_racing *car = self;
    SAC_TRY(carry_episode(car, snapshot));
    sac_snapshot_part(snapshot, &car->random, sizeof car->random);
    sac_snapshot_part(snapshot, &car->chain, sizeof car->chain);
    sac_snapshot_part(snapshot, &car->wheels, sizeof car->wheels);
    sac_snapshot_part(snapshot, car->ground.touched, sizeof car->ground.touched);
    sac_snapshot_part(snapshot, car->ground.visited, sizeof car->ground.visited);
    sac_snapshot_part(snapshot, &car->ground.visited_count, sizeof car->ground.visited_count);
    carry_scene(car, snapshot);
    sac_snapshot_part(snapshot, &car->reward, sizeof car->reward);
    sac_snapshot_part(snapshot, &car->paid, sizeof car->paid);
    sac_snapshot_part(snapshot, &car->step, sizeof car->step);
    sac_snapshot_part(snapshot, &car->lap_done, sizeof car->lap_done);
    sac_snapshot_part(snapshot, &car->bad_action, sizeof car->bad_action);
    return SAC_OK;
}
