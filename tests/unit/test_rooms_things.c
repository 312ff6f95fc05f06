#include <math.h>

#include "env/rooms/house.h"
#include "env/rooms/things.h"
#include "env/rooms/world.h"
#include "world_scene.h"

/// Things with names in rooms: where they stand, what is seen of them, and when one counts as found.

enum
{
    SEEDS = 200,
    REACHED = 5, // a column
    HALF = 32    // pixels of the picture's half
};

static rooms_plan plan; // large

static double gap(const rooms_piece *a, const rooms_piece *b)
{
    double square = 0;
    for (int i = 0; i < 2; i++) square += pow(fmax(fabs(a->center[i] - b->center[i]) - a->half[i] - b->half[i], 0), 2);
    return sqrt(square);
}

static rooms_plan_def def_of(uint64_t seed)
{
    return (rooms_plan_def){.size = 3 + (double)(seed % 14),
                            .door_low = 0.8,
                            .door_high = 1,
                            .loops = 0.5,
                            .furniture = (int)(seed % 9),
                            .things = 1 + (int)(seed % ROOMS_MOST_THINGS),
                            .names = (int)(seed % 3)};
}

// Things stand in no wall and in nothing else, keep doors free, and have names that differ and may be.
TEST(things_stand_where_there_is_room)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++)
    {
        const rooms_plan_def def = def_of(seed);
        sac_rooms_plan_draw(&plan, &def, seed);
        assert_true(plan.thing_count >= 1 && plan.thing_count <= def.things);
        if (def.size >= 10 && def.things <= 8) assert_int_equal(plan.thing_count, def.things);
        for (int i = 0; i < plan.thing_count; i++)
        {
            const rooms_piece *p = &plan.rounds[i];
            const int name = p->name - 1;
            assert_true(name >= 0 && name < ROOMS_NAMES);
            if (def.names == ROOMS_MET_NAMES) assert_false(sac_rooms_unmet(name));
            if (def.names == ROOMS_UNMET_NAMES && i == 0) assert_true(sac_rooms_unmet(name));
            for (int k = 0; k < plan.box_count; k++) assert_true(gap(p, &plan.boxes[k]) > -1e-9);
            for (int k = 0; k < plan.wall_count; k++)
            {
                const rooms_piece *wall = &plan.boxes[k];
                const bool apart = fabs(p->center[0] - wall->center[0]) > p->half[0] + wall->half[0] - 1e-9 ||
                                   fabs(p->center[1] - wall->center[1]) > p->half[1] + wall->half[1] - 1e-9;
                assert_true(apart);
            }
            for (int k = 0; k < i; k++) assert_true(gap(p, &plan.rounds[k]) > 0.5 && plan.rounds[k].name != p->name);
            assert_true(p->center[0] > 0 && p->center[0] < plan.size && p->center[1] > 0 && p->center[1] < plan.size);
        }
    }
}

// Without things a plan is what it was before there were any: nothing is drawn for them.
TEST(no_things_change_no_plan)
{
    static rooms_plan with;
    for (uint64_t seed = 0; seed < 20; seed++)
    {
        rooms_plan_def def = def_of(seed);
        def.things = 0;
        sac_rooms_plan_draw(&plan, &def, seed);
        def.things = 3;
        sac_rooms_plan_draw(&with, &def, seed);
        assert_int_equal(plan.thing_count, 0);
        assert_int_equal(plan.wall_count, with.wall_count);
        assert_memory_equal(plan.boxes, with.boxes, (size_t)plan.wall_count * sizeof *plan.boxes);
        for (int i = 0; i < plan.round_count; i++) assert_int_equal(plan.rounds[i].name, 0);
    }
}

// The goal is a thing, from the square beside which nothing hides it, and a way leads there.
TEST(goals_can_be_reached)
{
    int things = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
    {
        const rooms_plan_def def = def_of(seed);
        rooms_house *house;
        assert_ok(sac_rooms_house_create(&house, 16, NULL));
        sac_rooms_house_draw(house, &def, 1, 10, seed);
        if (house->thing >= 0)
        {
            const double *at = house->plan->rounds[house->thing].center;
            things++;
            assert_true(hypot(at[0] - house->goal[0], at[1] - house->goal[1]) < 0.9);
            assert_true(sac_rooms_house_clear(house, house->goal, house->thing));
            const int start = sac_ways_at(house->map, house->start[0], house->start[1]);
            assert_true(house->map->field[start] != WAYS_FAR);
        }
        sac_rooms_house_destroy(house);
    }
    assert_int_equal(things, SEEDS);
}

// A robot that starts within `turned` of its goal sees it: its name is in `shown`, mostly, and in the middle where it
// looks straight at it. The bag of words has the two words of the name.
TEST(what_is_shown_is_what_is_named)
{
    scene s;
    int shown = 0;
    open_scene(&s, "rooms", "original", "things=3,height=16,width=16,turned=1,nearest=1,farthest=2");
    for (uint64_t seed = 0; seed < 40; seed++)
    {
        assert_ok(sac_env_reset(s.env, seed, &s.row));
        const float *names = part(&s, "shown"), *words = part(&s, "words");
        const int name = (int)*(const float *)part(&s, "name");
        float bag[ROOMS_VOCABULARY], sum = 0;
        sac_rooms_caption(name, bag);
        assert_memory_equal(words, bag, sizeof bag);
        for (int i = 0; i < ROOMS_VOCABULARY; i++) sum += words[i];
        assert_true(sum == 2);
        int mine = 0, aside = 0;
        for (int i = 0; i < 256; i++)
            if ((int)names[i] == name + 1) mine++, aside += i % 16 < 4 || i % 16 >= 12;
        shown += mine > 0 && 2 * aside <= mine;
    }
    assert_true(shown > 30);
    close_scene(&s);
}

// Pixels of the colour picture where a red thing is seen are red, and so on: but for a few that are between the legs of
// a chair, whose pixels of depth are larger.
TEST(colours_are_those_of_the_names)
{
    scene s;
    int counts[3] = {0}, right[3] = {0};
    open_scene(&s, "rooms", "original", "things=1,height=16,width=16,turned=1,nearest=0.5,farthest=1.5,furniture=0");
    for (uint64_t seed = 0; seed < 120; seed++)
    {
        assert_ok(sac_env_reset(s.env, seed, &s.row));
        const float *names = part(&s, "shown");
        const uint8_t *image = part(&s, "image");
        const int colour = (int)*(const float *)part(&s, "name") / ROOMS_SHAPES;
        if (colour > 2) continue;
        for (int i = 0; i < 256; i++)
        {
            // the middle of the depth pixel's four by four
            const uint8_t *pixel = image + (size_t)(((i / 16) * 4 + 1) * 64 + (i % 16) * 4 + 1) * 3;
            if (names[i] > 0 && i % 16 > 0 && names[i - 1] == names[i] && i % 16 < 15 && names[i + 1] == names[i] &&
                i >= 16 && names[i - 16] == names[i] && i < 240 && names[i + 16] == names[i])
            {
                const int others =
                    pixel[(colour + 1) % 3] > pixel[(colour + 2) % 3] ? (colour + 1) % 3 : (colour + 2) % 3;
                counts[colour]++;
                right[colour] += pixel[others] < pixel[colour] / 2;
            }
        }
    }
    for (int c = 0; c < 3; c++) assert_true(counts[c] > 50 && right[c] > 0.9 * counts[c]);
    close_scene(&s);
}

// A thing within a metre counts once it is in view, and not while the robot looks away from it.
TEST(a_thing_is_found_by_looking_at_it)
{
    scene s;
    int found = 0;
    open_scene(&s, "rooms", "original", "things=2,nearest=0.5,farthest=0.6,level=4,furniture=0");
    for (uint64_t seed = 0; seed < 30; seed++)
    {
        assert_ok(sac_env_reset(s.env, seed, &s.row));
        s.action[0] = 0;
        s.action[1] = 1;
        int steps = 0;
        while (!s.terminated && steps++ < 40) assert_ok(sac_env_step(s.env, &s.row)); // once around
        const float *map = part(&s, "map");
        const double away = hypot((double)map[0], (double)map[1]);
        if (!s.terminated) continue;
        found++;
        assert_true(column(&s, REACHED) == 1 && away <= 1 + 1e-6);
        assert_true(map[0] > 0.12f && fabsf(map[1]) <= 0.5774f * (map[0] - 0.12f) + 1e-5f); // 60 degrees
    }
    assert_true(found > 5);
    close_scene(&s);
}

TEST(what_is_wrong_is_named)
{
    sac_env *env;
    assert_int_equal(env_create(&env, "rooms", NULL, "things=25"), SAC_ERROR_ARGUMENT);
    assert_int_equal(env_create(&env, "rooms", NULL, "goals=mett,things=2"), SAC_ERROR_ARGUMENT);
    assert_non_null(strstr(sac_last_error(), "goals"));
    assert_int_equal(env_create(&env, "rooms", NULL, "plan=tests/data/rooms.xml,things=2"), SAC_ERROR_ARGUMENT);
    assert_non_null(strstr(sac_last_error(), "'things' is for plans that are drawn"));
}

TESTS(things_stand_where_there_is_room, no_things_change_no_plan, goals_can_be_reached, what_is_shown_is_what_is_named,
      colours_are_those_of_the_names, a_thing_is_found_by_looking_at_it, what_is_wrong_is_named)
