#include <math.h>

#include "base/random.h"
#include "env/rooms/robot.h"
#include "env/rooms/seen.h"
#include "test.h"

/// What a robot has seen of a house, and the ways that follow from it.

enum
{
    SEEDS = 30,
    LOOKS = 30
};

static const rooms_plan_def usual = {.size = 10, .door_low = 0.8, .door_high = 1, .loops = 0.5, .furniture = 3};
static const double tangent = 0.57735;

typedef struct scene
{
    rooms_house *house;
    rooms_seen *seen;
    rooms_place places[LOOKS];
} scene;

static void begin(scene *s, uint64_t seed)
{
    sac_rooms_house_draw(s->house, &usual, 1, 10, seed);
    sac_rooms_seen_begin(s->seen, s->house);
}

// The i-th of some places at which a robot can be, in some direction
static rooms_place place_of(const scene *s, uint64_t seed, int i)
{
    sac_stream random = sac_stream_create(seed, 9, (uint64_t)i);
    const ways_map *m = s->house->map;
    double at[2];
    int square;
    do square = (int)sac_stream_below(&random, (uint32_t)(m->columns * m->rows));
    while (!m->free[square]);
    sac_ways_middle(m, square, at);
    const double yaw = sac_stream_uniform(&random, -3, 3);
    return (rooms_place){at[0], at[1], cos(yaw), sin(yaw)};
}

static void open_scene(scene *s)
{
    assert_ok(sac_rooms_house_create(&s->house, 10, NULL));
    assert_ok(sac_rooms_seen_create(&s->seen, s->house, 4, tangent));
}

static void close_scene(scene *s)
{
    sac_rooms_seen_destroy(s->seen);
    sac_rooms_house_destroy(s->house);
}

static bool is_in(const rooms_piece *p, bool round, double x, double y)
{
    const double dx = fabs(x - p->center[0]), dy = fabs(y - p->center[1]);
    return round ? hypot(dx, dy) < p->half[0] : dx < p->half[0] && dy < p->half[1];
}

static bool is_solid(const rooms_plan *plan, double x, double y)
{
    for (int i = 0; i < plan->box_count; i++)
        if (is_in(&plan->boxes[i], false, x, y)) return true;
    for (int i = 0; i < plan->round_count; i++)
        if (is_in(&plan->rounds[i], true, x, y)) return true;
    return false;
}

// m of something solid on the straight line between two places
static double thickness(const rooms_plan *plan, const double a[2], const double b[2])
{
    const double length = hypot(b[0] - a[0], b[1] - a[1]);
    const int count = (int)(length / 0.01) + 1;
    int met = 0;
    for (int i = 0; i < count; i++)
        met += is_solid(plan, a[0] + (b[0] - a[0]) * i / count, a[1] + (b[1] - a[1]) * i / count);
    return length * met / count;
}

// What a look shows lies in the field of view or at the robot's side, no farther than the camera sees, and not behind
// a wall: a ray ends with the first square whose middle is in something solid, so that it has passed at most two
// squares' diagonals of it (a thicker piece may hide one whole square of itself), and is half a square off its line.
TEST(what_is_seen_is_before_the_robot)
{
    scene s;
    open_scene(&s);
    int learned = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
    {
        begin(&s, seed);
        const rooms_place p = place_of(&s, seed, 0);
        sac_rooms_seen_look(s.seen, s.house, &p);
        for (int i = 0; i < s.house->map->columns * s.house->map->rows; i++)
        {
            double at[2];
            if (s.seen->map->free[i]) continue;
            assert_false(s.house->map->free[i]); // and it is true
            learned++;
            sac_ways_middle(s.house->map, i, at);
            const double x = at[0] - p.x, y = at[1] - p.y, here[2] = {p.x, p.y};
            const double ahead = p.cosine * x + p.sine * y, aside = p.cosine * y - p.sine * x;
            if (hypot(x, y) < 0.3 * 1.4143 + 0.1) continue; // touched
            assert_true(ahead > 0 && ahead < 4 + 0.1 && fabs(aside) < tangent * ahead + 0.15);
            assert_true(thickness(s.house->plan, here, at) < 2 * 0.1 * 1.4143);
        }
    }
    assert_true(learned > 20 * SEEDS);
    close_scene(&s);
}

static void look_around(scene *s, uint64_t seed, int count)
{
    for (int i = 0; i < count; i++)
    {
        const rooms_place p = place_of(s, seed, i);
        sac_rooms_seen_look(s->seen, s->house, &p);
    }
}

// What was not seen counts as free, so that a way by what was seen is never longer than the true one, and grows with
// each look.
TEST(ways_grow_by_what_is_seen)
{
    scene s;
    open_scene(&s);
    for (uint64_t seed = 0; seed < SEEDS; seed++)
    {
        begin(&s, seed);
        const int squares = s.house->map->columns * s.house->map->rows;
        int32_t *before = calloc((size_t)squares, sizeof *before);
        for (int looks = 0; looks < LOOKS; looks += 6)
        {
            look_around(&s, seed, looks);
            sac_ways_aim(s.seen->map, s.house->map->goal, -1);
            for (int i = 0; i < squares; i++)
            {
                if (!s.seen->map->free[i]) continue;
                assert_true(s.seen->map->field[i] <= s.house->map->field[i]);
                assert_true(s.seen->map->field[i] >= before[i]);
                before[i] = s.seen->map->field[i];
            }
        }
        free(before);
    }
    close_scene(&s);
}

// Where the search for ways may end early, all ways that are no longer than that of the square that is asked for are as
// they would be.
TEST(enough_is_enough)
{
    scene s;
    open_scene(&s);
    for (uint64_t seed = 0; seed < SEEDS; seed++)
    {
        begin(&s, seed);
        const ways_map *m = s.house->map;
        const int squares = m->columns * m->rows, goal = m->goal;
        int32_t *all = calloc((size_t)squares, sizeof *all);
        memcpy(all, m->field, (size_t)squares * sizeof *all);
        const rooms_place p = place_of(&s, seed, 0);
        const int square = sac_ways_at(m, p.x, p.y);
        if (all[square] != WAYS_FAR)
        {
            sac_ways_aim(s.house->map, goal, square);
            for (int i = 0; i < squares; i++)
                if (all[i] <= all[square] + 9 * WAYS_STRAIGHT && m->free[i]) assert_true(m->field[i] == all[i]);
        }
        free(all);
    }
    close_scene(&s);
}

TESTS(what_is_seen_is_before_the_robot, ways_grow_by_what_is_seen, enough_is_enough)
