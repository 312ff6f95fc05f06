
#include "test.h"

#include <unistd.h>

#include "base/memory.h"
#include "env/carracing/car_racing.h"
#include "env/carracing/track.h"
#include "env/worlds/built_in.h"
#include "files/arrays/tensors.h"
#include "files/atomic.h"
#include "saccade/env.h"

// Recordings of Gymnasium's CarRacing-v3 (tests/peers/record_carracing.py), replayed from reset to the last row.

static const char *const recordings[] = {"seed1",        "seed2",     "seed3",        "driver_seed5",
                                         "standing",     "full_lock", "reverse_spin", "leaving",
                                         "second_reset", "thrown",    "twisted_start"};

enum
{
    RECORDINGS = sizeof recordings / sizeof *recordings,
    OBSERVATION = 96 * 96 * 3
};

typedef struct recording
{
    sac_tensors *file;
    uint64_t seed;
    int resets, steps;
    const float *action, *body, *kick;
    const double *reward, *omega, *phase;
    const uint8_t *terminated, *on_road, *plain;
    const int32_t *visited, *first_visit;
} recording;

static const void *array(const recording *r, const char *name)
{
    const sac_tensor *tensor = sac_tensors_find(r->file, name);
    return tensor ? tensor->data : NULL;
}

static recording open_recording(const char *name)
{
    recording r;
    char path[256];
    snprintf(path, sizeof path, "%s/tests/golden/data/carracing_%s.safetensors", SAC_SOURCE_DIR, name);
    assert_ok(sac_tensors_load(&r.file, path, 1 << 20));
    r.seed = *(const uint64_t *)array(&r, "seed");
    r.resets = *(const int32_t *)array(&r, "resets");
    r.steps = (int)sac_tensors_find(r.file, "action")->shape[0];
    r.action = array(&r, "action"), r.body = array(&r, "body"), r.kick = array(&r, "kick");
    r.reward = array(&r, "reward"), r.omega = array(&r, "omega"), r.phase = array(&r, "phase");
    r.terminated = array(&r, "terminated"), r.on_road = array(&r, "on_road"), r.plain = array(&r, "plain");
    r.visited = array(&r, "visited"), r.first_visit = array(&r, "first_visit");
    return r;
}

typedef struct seat
{
    car_racing *car; // looked into
    double reward;
    uint8_t terminated, truncated;
    uint8_t observation[OBSERVATION];
    void *parts[SAC_MAX_PARTS];
    sac_env_row row;
} seat;

static void sit(seat *s)
{
    car_racing_config config = {.max_steps = 1000, .rules = "v3", .action_repeat = 1};
    void *self;
    assert_ok(sac_car_racing_ops.create(&self, &config, "original"));
    s->car = self;
    s->parts[0] = s->observation;
    s->row = (sac_env_row){NULL, s->parts, &s->reward, &s->terminated, &s->truncated};
}

static void reset_seat(seat *s, const recording *r)
{
    assert_ok(sac_car_racing_ops.reset(s->car, r->seed, &s->row));
    for (int i = 1; i < r->resets; i++) assert_ok(sac_car_racing_ops.reset(s->car, SAC_SEED_NEXT, &s->row));
}

// the recording "thrown" gives the hull a velocity and a spin beyond what a body may move in a step
static void kick(car_chain *chain, const float *velocity)
{
    chain->vx[0] = velocity[1], chain->vy[0] = velocity[2], chain->omega[0] = velocity[3];
}

static void step_seat(seat *s, const float *action)
{
    s->row.action = action;
    assert_ok(sac_car_racing_ops.step(s->car, &s->row));
}

static void leave(seat *s)
{
    sac_car_racing_ops.destroy(s->car);
}

static void assert_row(const recording *r, int row, const car_racing *car, const char *name)
{
    const car_chain *chain = &car->chain;
    for (int i = 0; i < CAR_BODIES; i++)
    {
        const float *want = r->body + (row * CAR_BODIES + i) * 6;
        const float have[] = {chain->x[i], chain->y[i], chain->angle[i], chain->vx[i], chain->vy[i], chain->omega[i]};
        for (int k = 0; k < 6; k++)
            if (have[k] != want[k])
                fail_msg("%s row %d body %d number %d: %.9g, expected %.9g", name, row, i, k, (double)have[k],
                         (double)want[k]);
    }
    for (int j = 0; j < CAR_WHEELS; j++)
    {
        if (car->wheels.on_road[j] != r->on_road[row * 4 + j])
            fail_msg("%s row %d wheel %d: on_road %d", name, row, j, car->wheels.on_road[j]);
        if (car->wheels.omega[j] != r->omega[row * 4 + j] || car->wheels.phase[j] != r->phase[row * 4 + j])
            fail_msg("%s row %d wheel %d: spin %.17g, expected %.17g", name, row, j, car->wheels.omega[j],
                     r->omega[row * 4 + j]);
    }
    if (car->ground.visited_count != r->visited[row])
        fail_msg("%s row %d: %d tiles, expected %d", name, row, car->ground.visited_count, r->visited[row]);
}

// every pose, velocity, spin, visit, reward and end of every recording
TEST(replays_equal_gymnasium)
{
    static seat s;
    for (int n = 0; n < RECORDINGS; n++)
    {
        recording r = open_recording(recordings[n]);
        sit(&s);
        reset_seat(&s, &r);
        assert_row(&r, 0, s.car, recordings[n]);
        for (int k = 0; k < r.steps; k++)
        {
            if (r.kick && (int)r.kick[0] == k) kick(&s.car->chain, r.kick);
            step_seat(&s, r.action + 3 * k);
            assert_row(&r, k + 1, s.car, recordings[n]);
            assert_near(s.reward, r.reward[k], 1e-9);
            assert_int_equal(s.terminated, r.terminated[k]);
            for (int i = 0; r.first_visit && i < s.car->track.count; i++)
                assert_int_equal(s.car->ground.visited[i], r.first_visit[i] >= 0 && r.first_visit[i] <= k + 1);
        }
        for (int i = 0; r.plain && i < s.car->track.count; i++)
            assert_int_equal(s.car->ground.touched[i] || i % 3 == 0, r.plain[i]);
        leave(&s);
        sac_tensors_destroy(r.file);
    }
}

static void assert_track(const car_track *track, const sac_tensor *want, const uint8_t *border)
{
    assert_int_equal(track->count, want->shape[0]);
    const double *node = want->data;
    for (int i = 0; i < track->count; i++, node += 4)
    {
        assert_near(track->alpha[i], node[0], 1e-9);
        assert_near(track->beta[i], node[1], 1e-9);
        assert_near(track->x[i], node[2], 1e-9);
        assert_near(track->y[i], node[3], 1e-9);
        if (border) assert_int_equal(track->has_border[i], border[i]);
    }
}

// tracks that are stored alone, one of them after a rejected attempt
TEST(tracks_equal_gymnasium)
{
    static car_track track;
    sac_tensors *file;
    assert_ok(sac_tensors_load(&file, SAC_SOURCE_DIR "/tests/golden/data/carracing_tracks.safetensors", 1 << 20));
    int rejected = 0;
    for (int seed = 20; seed < 40; seed++)
    {
        char name[3][32];
        snprintf(name[0], sizeof *name, "s%d_track", seed);
        snprintf(name[1], sizeof *name, "s%d_border", seed);
        snprintf(name[2], sizeof *name, "s%d_attempts", seed);
        sac_pcg64 random = sac_pcg64_create((uint64_t)seed);
        assert_ok(sac_car_track_draw(&track, &random));
        assert_track(&track, sac_tensors_find(file, name[0]), sac_tensors_find(file, name[1])->data);
        assert_int_equal(track.attempts, *(const int32_t *)sac_tensors_find(file, name[2])->data);
        rejected += track.attempts - 1;
    }
    assert_true(rejected > 0);
    sac_tensors_destroy(file);
}

// the tracks of the recordings, and of a second reset that goes on with the generator
TEST(a_reset_without_a_seed_goes_on)
{
    static seat s;
    for (int n = 0; n < RECORDINGS; n++)
    {
        recording r = open_recording(recordings[n]);
        sit(&s);
        reset_seat(&s, &r);
        assert_track(&s.car->track, sac_tensors_find(r.file, "track"), array(&r, "border"));
        const sac_tensor *second = sac_tensors_find(r.file, "second_track");
        if (second)
        {
            assert_ok(sac_car_racing_ops.reset(s.car, SAC_SEED_NEXT, &s.row));
            assert_track(&s.car->track, second, array(&r, "second_border"));
        }
        leave(&s);
        sac_tensors_destroy(r.file);
    }
}

// the peer's Python, SACCADE_PEERS or .venv, drives the scenarios again
static bool record_again(const char *folder)
{
    const char *python = getenv("SACCADE_PEERS");
    char command[1024];
    snprintf(command, sizeof command, "'%s' '" SAC_SOURCE_DIR "/tests/peers/record_carracing.py' record '%s' 2>&1",
             python ? python : SAC_SOURCE_DIR "/.venv/bin/python", folder);
    int status = system(command);
    if (status != 0 && status != 77 << 8 && status != 127 << 8) fail_msg("%s failed with %d", command, status);
    return status == 0;
}

// the stored recordings of our own are what Gymnasium does here and now
TEST(recordings_are_reproducible)
{
    char folder[] = "/tmp/saccade_carracing_XXXXXX";
    assert_non_null(mkdtemp(folder));
    bool recorded = record_again(folder);
    for (int n = 4; recorded && n < RECORDINGS; n++)
    {
        char path[2][300];
        uint8_t *bytes[2];
        size_t size[2];
        snprintf(path[0], sizeof *path, "%s/carracing_%s.safetensors", folder, recordings[n]);
        snprintf(path[1], sizeof *path, SAC_SOURCE_DIR "/tests/golden/data/carracing_%s.safetensors", recordings[n]);
        for (int i = 0; i < 2; i++) assert_ok(sac_read_file(&bytes[i], &size[i], path[i], 1 << 20));
        assert_int_equal(size[0], size[1]);
        assert_memory_equal(bytes[0], bytes[1], size[0]);
        for (int i = 0; i < 2; i++) sac_free(bytes[i]);
        unlink(path[0]);
    }
    rmdir(folder);
    if (!recorded) skip_without("Gymnasium 1.4.0 (make worlds)");
}

TESTS(replays_equal_gymnasium, tracks_equal_gymnasium, a_reset_without_a_seed_goes_on, recordings_are_reproducible)
