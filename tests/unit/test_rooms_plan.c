#include <math.h>

#include "env/rooms/changes.h"
#include "env/rooms/house.h"
#include "env/rooms/robot.h"
#include "test.h"

/// Floor plans, the grid of free squares, and ways over it.

enum
{
    SEEDS = 200
};

static const rooms_plan_def usual = {.size = 10, .door_low = 0.8, .door_high = 1, .loops = 0.5, .furniture = 3};

static rooms_plan plan; // large

static rooms_plan_def def_of(uint64_t seed)
{
    rooms_plan_def def = usual;
    def.size = 3 + (double)(seed % 14);
    def.loops = (double)(seed % 3) / 2;
    def.furniture = (int)(seed % 9);
    def.unmet = seed % 4 == 3;
    if (seed % 5 == 4) def.door_low = 0.7, def.door_high = 0.8;
    return def;
}

// Rooms fill the square without overlap, and have sides of 2.5 to 5 m.
TEST(rooms_tile_the_plan)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++)
    {
        const rooms_plan_def def = def_of(seed);
        double area = 0;
        sac_rooms_plan_draw(&plan, &def, seed);
        for (int i = 0; i < plan.room_count; i++)
        {
            const rooms_rectangle *r = &plan.rooms[i];
            for (int k = 0; k < 2; k++)
            {
                const double side = r->high[k] - r->low[k];
                assert_true(side <= 5 + 1e-9 && (side >= 2.5 - 1e-9 || side == def.size));
                assert_true(r->low[k] >= 0 && r->high[k] <= def.size);
            }
            area += (r->high[0] - r->low[0]) * (r->high[1] - r->low[1]);
            for (int j = 0; j < i; j++)
            {
                const rooms_rectangle *o = &plan.rooms[j];
                const bool apart = o->high[0] <= r->low[0] || r->high[0] <= o->low[0] || o->high[1] <= r->low[1] ||
                                   r->high[1] <= o->low[1];
                assert_true(apart);
            }
        }
        assert_near(area, def.size * def.size, 1e-9);
        if (def.size > 5) assert_true(plan.room_count > 1);
    }
}

static bool overlap(const rooms_piece *a, const rooms_piece *b)
{
    for (int i = 0; i < 2; i++)
        if (fabs(a->center[i] - b->center[i]) >= a->half[i] + b->half[i] - 1e-9) return false;
    return true;
}

// A door has a width within its bounds, lies in the wall between the rooms that it names, and nothing stands in it.
TEST(doors_join_the_rooms_that_they_name)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++)
    {
        const rooms_plan_def def = def_of(seed);
        sac_rooms_plan_draw(&plan, &def, seed);
        for (int i = 0; i < plan.door_count; i++)
        {
            const rooms_door *d = &plan.doors[i];
            const rooms_rectangle *a = &plan.rooms[d->rooms[0]], *b = &plan.rooms[d->rooms[1]];
            const int along = 1 - d->across;
            assert_true(d->width >= def.door_low && d->width <= def.door_high);
            assert_true(a->high[d->across] == d->line && b->low[d->across] == d->line);
            assert_true(d->middle - d->width / 2 > fmax(a->low[along], b->low[along]));
            assert_true(d->middle + d->width / 2 < fmin(a->high[along], b->high[along]));
            rooms_piece opening = {.center = {d->middle, d->middle}, .half = {d->width / 2, d->width / 2}};
            opening.center[d->across] = d->line;
            opening.half[d->across] = plan.thickness;
            for (int k = 0; k < plan.box_count; k++) assert_false(overlap(&opening, &plan.boxes[k]));
            for (int k = 0; k < plan.round_count; k++) assert_false(overlap(&opening, &plan.rounds[k]));
        }
    }
}

static int root_of(const int *up, int room)
{
    while (up[room] != room) room = up[room];
    return room;
}

// Doors make one set of all rooms; without loops there are no more doors than that takes.
TEST(every_room_can_be_reached)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++)
    {
        const rooms_plan_def def = def_of(seed);
        int up[ROOMS_MOST_ROOMS], sets;
        sac_rooms_plan_draw(&plan, &def, seed);
        sets = plan.room_count;
        for (int i = 0; i < plan.room_count; i++) up[i] = i;
        for (int i = 0; i < plan.door_count; i++)
        {
            const int a = root_of(up, plan.doors[i].rooms[0]), b = root_of(up, plan.doors[i].rooms[1]);
            if (a != b) up[a] = b, sets--;
        }
        assert_int_equal(sets, 1);
        if (def.loops == 0) assert_int_equal(plan.door_count, plan.room_count - 1);
    }
}

// From every free square a way leads to every other one: no piece of furniture closes a passage. A few squares in
// a corner behind a piece may be cut off from the rest, as their sides are 0.1 m.
TEST(furniture_closes_no_way)
{
    int cut = 0, all = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
    {
        const rooms_plan_def def = def_of(seed);
        rooms_house *house;
        assert_ok(sac_rooms_house_create(&house, 16, NULL));
        sac_rooms_house_draw(house, &def, 1, 10, seed);
        const ways_map *m = house->map;
        for (int i = 0; i < m->columns * m->rows; i++)
        {
            all += m->free[i];
            cut += m->free[i] && m->field[i] == WAYS_FAR;
        }
        for (int r = 0; r < house->plan->room_count; r++) // and each room has squares that are reached
        {
            const rooms_rectangle *room = &house->plan->rooms[r];
            int reached = 0;
            for (int i = 0; i < m->columns * m->rows; i++)
            {
                double at[2];
                sac_ways_middle(m, i, at);
                reached += at[0] > room->low[0] && at[0] < room->high[0] && at[1] > room->low[1] &&
                           at[1] < room->high[1] && m->free[i] && m->field[i] != WAYS_FAR;
            }
            assert_true(reached > 50);
        }
        sac_rooms_house_destroy(house);
    }
    if (cut * 1000 > all) fail_msg("%d of %d free squares are cut off", cut, all);
}

// A start is free, and its way is as long as was asked for where there is one.
TEST(starts_are_as_far_as_was_asked_for)
{
    rooms_house *house;
    assert_ok(sac_rooms_house_create(&house, 10, NULL));
    for (uint64_t seed = 0; seed < SEEDS; seed++)
    {
        double way;
        sac_rooms_house_draw(house, &usual, 4, 5, seed);
        assert_true(sac_ways_enter(house->map, house->start, &way) >= 0);
        assert_true(way >= 4 - 0.1 && way <= 5 + 1e-9);
    }
    sac_rooms_house_destroy(house);
}

// Where a plan is too small for that, the start is as far from the goal as any place is.
TEST(starts_are_the_farthest_where_none_is_far_enough)
{
    rooms_house *house;
    rooms_plan_def small = usual;
    small.size = 5; // one room
    assert_ok(sac_rooms_house_create(&house, 5, NULL));
    for (uint64_t seed = 0; seed < SEEDS; seed++)
    {
        sac_rooms_house_draw(house, &small, 9, 10, seed);
        const ways_map *m = house->map;
        const int start = sac_ways_at(m, house->start[0], house->start[1]);
        assert_true(m->free[start] && m->field[start] * m->cell / WAYS_STRAIGHT < 9);
        for (int i = 0; i < m->columns * m->rows; i++)
            assert_true(!m->free[i] || m->field[i] == WAYS_FAR || m->field[i] <= m->field[start]);
    }
    sac_rooms_house_destroy(house);
}

// --- ways

static bool is_free(const ways_map *m, int column, int row)
{
    return column >= 0 && row >= 0 && column < m->columns && row < m->rows && m->free[row * m->columns + column];
}

// The way to a goal by letting every square look at its neighbours until nothing changes (Bellman and Ford)
static void solve(int64_t *ways, const ways_map *m, int goal)
{
    const int squares = m->columns * m->rows;
    for (int i = 0; i < squares; i++) ways[i] = i == goal ? 0 : INT32_MAX;
    for (bool changed = true; changed;)
    {
        changed = false;
        for (int i = 0; i < squares; i++)
            for (int dx = -1; dx <= 1; dx++)
                for (int dy = -1; dy <= 1; dy++)
                {
                    const int c = i % m->columns, r = i / m->columns;
                    if ((dx == 0 && dy == 0) || !m->free[i] || !is_free(m, c + dx, r + dy)) continue;
                    if (dx != 0 && dy != 0 && !(is_free(m, c + dx, r) && is_free(m, c, r + dy))) continue;
                    const int64_t way = ways[(r + dy) * m->columns + c + dx] + (dx != 0 && dy != 0 ? 99 : 70);
                    if (way < ways[i]) ways[i] = way, changed = true;
                }
    }
}

TEST(ways_are_the_shortest)
{
    static int64_t ways[160 * 160];
    rooms_house *house;
    assert_ok(sac_rooms_house_create(&house, 16, NULL));
    for (uint64_t seed = 0; seed < 30; seed++)
    {
        const rooms_plan_def def = def_of(seed);
        sac_rooms_house_draw(house, &def, 1, 10, seed);
        solve(ways, house->map, house->map->goal);
        for (int i = 0; i < house->map->columns * house->map->rows; i++)
            if (house->map->free[i]) assert_true(house->map->field[i] == ways[i]);
    }
    sac_rooms_house_destroy(house);
}

// A robot that goes straight from corner to corner comes to the goal, and its way is not longer than that of the grid.
// It never comes nearer than its radius to anything: a straight line between squares that were looked at every 5 cm is
// at most half a square's diagonal (0.07 m) off their middles, which keep 0.25 m.
TEST(corners_lead_to_the_goal)
{
    rooms_house *house;
    assert_ok(sac_rooms_house_create(&house, 10, NULL));
    for (uint64_t seed = 0; seed < SEEDS; seed++)
    {
        double at[2], next[2], left, length = 0;
        int corners = 0;
        sac_rooms_house_draw(house, &usual, 1, 20, seed);
        memcpy(at, house->start, sizeof at);
        int square = sac_ways_enter(house->map, at, &left);
        sac_ways_middle(house->map, square, at);
        while (square != house->map->goal && corners < 100)
        {
            sac_ways_corner(house->map, square, next);
            length += hypot(next[0] - at[0], next[1] - at[1]);
            memcpy(at, next, sizeof at);
            square = (int)(at[1] / 0.1) * house->map->columns + (int)(at[0] / 0.1);
            corners++;
        }
        assert_true(square == house->map->goal);
        assert_true(length <= left + 0.1 && length >= 0.9 * left - 0.1);
    }
    sac_rooms_house_destroy(house);
}

// Pieces near and far: a blocked square is one whose middle is nearer than the radius, as geometry has it.
TEST(blocked_squares_are_those_that_are_near)
{
    static const double origin[2] = {-1, 2}, center[2] = {0.33, 3.1}, both[2][2] = {{0.4, 0.21}, {0.4, 0.4}};
    for (int round = 0; round < 2; round++)
    {
        const double *half = both[round];
        ways_map *m;
        assert_ok(sac_ways_create(&m, origin, 0.05, 60, 50));
        sac_ways_clear(m, 60, 50, 0);
        sac_ways_block(m, center, half, round, 0.25);
        for (int i = 0; i < 60 * 50; i++)
        {
            double at[2];
            sac_ways_middle(m, i, at);
            const double x = fabs(at[0] - center[0]), y = fabs(at[1] - center[1]);
            const double away = round ? hypot(x, y) - half[0] : hypot(fmax(x - half[0], 0), fmax(y - half[1], 0));
            if (fabs(away - 0.25) > 1e-9) assert_true(m->free[i] == (away > 0.25));
        }
        sac_ways_destroy(m);
    }
}

static bool is_moved(const rooms_camera *c)
{
    bool moved = false;
    for (int i = 0; i < 3; i++) moved = moved || c->shift[i] != 0 || c->tilt[i] != 0;
    return moved;
}

static int change_count(const rooms_changes *c)
{
    return c->furniture + c->doors + c->plan + (c->noise > 0) + is_moved(&c->camera);
}

// Each word of a variant changes one thing, by as much as it does beside others, and "any" one of them or none.
TEST(words_change_one_thing_each)
{
    static const char *const words[ROOMS_WORDS] = {"furniture", "doors", "noise", "camera", "plan"};
    rooms_variant all, any;
    assert_ok(sac_rooms_variant_read(&all, "plan+camera+noise+doors+furniture"));
    assert_ok(sac_rooms_variant_read(&any, "any"));
    int drawn[2] = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++)
    {
        const rooms_changes everything = sac_rooms_changes_draw(&all, seed), some = sac_rooms_changes_draw(&any, seed);
        assert_int_equal(change_count(&everything), ROOMS_WORDS);
        assert_true(everything.noise >= 0.01 && everything.noise < 0.05);
        assert_true(change_count(&some) <= 1);
        drawn[change_count(&some)]++;
        for (int w = 0; w < ROOMS_WORDS; w++)
        {
            rooms_variant v;
            assert_ok(sac_rooms_variant_read(&v, words[w]));
            const rooms_changes one = sac_rooms_changes_draw(&v, seed);
            assert_int_equal(change_count(&one), 1);
            const bool it[ROOMS_WORDS] = {one.furniture, one.doors, one.noise == everything.noise,
                                          memcmp(&one.camera, &everything.camera, sizeof one.camera) == 0, one.plan};
            assert_true(it[w]);
        }
    }
    assert_true(drawn[0] > 10 && drawn[1] > 100);
}

TESTS(rooms_tile_the_plan, doors_join_the_rooms_that_they_name, every_room_can_be_reached, furniture_closes_no_way,
      starts_are_as_far_as_was_asked_for, starts_are_the_farthest_where_none_is_far_enough, ways_are_the_shortest,
      corners_lead_to_the_goal, blocked_squares_are_those_that_are_near, words_change_one_thing_each)
