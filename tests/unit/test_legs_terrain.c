#include "env/legs/changes.h"
#include "env/legs/terrain.h"
#include "test.h"

/// Courses for robots with four legs, and what is changed in an episode.

enum
{
    SEEDS = 200
};

static const legs_course courses[] = {LEGS_FLAT, LEGS_OBSTACLES, LEGS_STONES, LEGS_GRID, LEGS_STAIRS};
static legs_terrain course;

static void draw(legs_course which, double level, bool released, bool unmet, uint64_t seed)
{
    const legs_terrain_def def = {.course = which, .length = 20, .level = level, .released = released, .unmet = unmet};
    sac_legs_terrain_draw(&course, &def, seed);
}

static double low_end(const legs_piece *p)
{
    return p->center[0] - p->half[0];
}

static double high_end(const legs_piece *p)
{
    return p->center[0] + p->half[0];
}

// stones of the article: 0.5..0.8 m long, 0.5 m wide, with gaps of 0.1..0.2 m before each, times level / 10
TEST(stones_have_the_sizes_of_the_article)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++)
    {
        const double level = (double)(seed % 12);
        draw(LEGS_STONES, level, false, false, seed);
        assert_true(course.count > 20);
        assert_true(low_end(&course.pieces[0]) <= -0.375 && high_end(&course.pieces[0]) <= 0.5);
        for (int i = 1; i < course.count; i++)
        {
            const legs_piece *p = &course.pieces[i];
            const double gap = low_end(p) - high_end(p - 1), length = 2 * p->half[0];
            assert_true(gap >= 0.1 * level / 10 - 1e-12 && gap <= 0.2 * level / 10 + 1e-12);
            if (i < course.count - 1) assert_true(length >= 0.5 && length <= 0.8);
            assert_true(p->half[1] == 0.25);
            assert_true(fabs(p->center[2] + p->half[2]) < 1e-12);
        }
        assert_true(low_end(&course.pieces[course.count - 1]) >= 20);
    }
}

// Risers and treads of unmet stairs lie below and above all plain ones.
static void check_unmet_stairs(void)
{
    int lower = 0, higher = 0, shorter = 0, longer = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
    {
        draw(LEGS_STAIRS, 10, false, true, seed);
        const legs_piece *p = &course.pieces[1];
        const double rise = p->center[2] + p->half[2], depth = 2 * p->half[0];
        assert_true((rise >= 0.13 && rise < 0.16) || (rise > 0.19 && rise <= 0.22));
        assert_true((depth >= 0.2 && depth < 0.25) || (depth > 0.33 && depth <= 0.4));
        *(rise < 0.16 ? &lower : &higher) += 1, *(depth < 0.25 ? &shorter : &longer) += 1;
    }
    // of 200 fair draws the deviation is 7.1, and six of these are 43
    assert_true(abs(lower - higher) < 86 && abs(shorter - longer) < 86);
}

// What many draws of a gap spread over: all of it but a twentieth at either end, and nothing beyond.
static void assert_spreads(double least, double most, double low, double high)
{
    const double edge = (high - low) / 20;
    if (!(least >= low - 1e-12 && least <= low + edge && most <= high + 1e-12 && most >= high - edge))
        fail_msg("gaps are %g to %g m, and not %g to %g", least, most, low, high);
}

// The gaps before all stones of 200 courses. Of 200 and more draws none lies in a given twentieth by a chance of 4e-5.
static void check_gaps_of_stones(bool unmet, double low, double high)
{
    double least = 1, most = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
    {
        draw(LEGS_STONES, 10, false, unmet, seed);
        for (int i = 1; i < course.count; i++)
        {
            const double gap = low_end(&course.pieces[i]) - high_end(&course.pieces[i - 1]);
            least = fmin(least, gap), most = fmax(most, gap);
        }
    }
    assert_spreads(least, most, low, high);
}

// Squares of a row are numbered from the right to the left, so that two with one turn that follow each other are
// neighbours across the course: the gap of all columns of this course.
static double gap_across(void)
{
    for (int i = 2; i < course.count; i++)
    {
        const legs_piece *a = &course.pieces[i - 1], *b = &course.pieces[i];
        const double x = b->center[0] - a->center[0], y = b->center[1] - a->center[1];
        if (y > 0) return sqrt(x * x + y * y) - 2 * a->half[0];
    }
    return 0;
}

static void check_gaps_of_grids(bool unmet, double side, double low, double high)
{
    double least = 1, most = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
    {
        draw(LEGS_GRID, 10, false, unmet, seed);
        for (int i = 1; i < course.count; i++) assert_true(course.pieces[i].half[0] == side / 2);
        least = fmin(least, gap_across()), most = fmax(most, gap_across());
    }
    assert_spreads(least, most, low, high);
}

// Stones and squares of unmet courses are shorter than any plain one. Gaps between them are drawn from ranges that have
// a part in common with the plain ones: 0.12 to 0.2 and 0.16 to 0.17 m.
TEST(released_and_unmet_courses_have_other_sizes)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++)
    {
        draw(LEGS_STONES, 10, true, false, seed);
        for (int i = 1; i < course.count - 1; i++)
        {
            const double length = 2 * course.pieces[i].half[0];
            assert_true(length >= 0.1 && length <= 0.3 && course.pieces[i].half[1] == 0.3);
        }
        draw(LEGS_STONES, 10, false, true, seed);
        for (int i = 1; i < course.count - 1; i++) assert_true(2 * course.pieces[i].half[0] < 0.5);
    }
    check_unmet_stairs();
    check_gaps_of_stones(false, 0.1, 0.2);
    check_gaps_of_stones(true, 0.12, 0.22);
    check_gaps_of_grids(false, 0.15, 0.13, 0.17);
    check_gaps_of_grids(true, 0.13, 0.16, 0.19);
}

// Whatever the course, there is ground from one end of it to the other wherever a gap is not, and a robot can stand at
// its start.
TEST(every_course_begins_with_level_ground)
{
    for (int c = 0; c < (int)(sizeof courses / sizeof *courses); c++)
        for (uint64_t seed = 0; seed < SEEDS; seed++)
        {
            draw(courses[c], 10, false, seed % 2 == 1, seed);
            const int room = sac_legs_terrain_room(courses[c]), first = sac_legs_terrain_first(&course, room, 0);
            for (double x = -0.35; x < 0.36; x += 0.05)
                for (double y = -0.2; y < 0.21; y += 0.05)
                    assert_true(fabs(sac_legs_terrain_height(&course, first, room, x, y)) < 1e-12);
        }
}

static double last_end(void)
{
    double end = 0;
    for (int i = 0; i < course.count; i++) end = fmax(end, high_end(&course.pieces[i]));
    return end;
}

// Whether each box that lies from 0.8 m behind a robot to 1 m ahead of it has a place.
static bool near_ones_have_places(int room, double x)
{
    const int first = sac_legs_terrain_first(&course, room, x);
    for (int i = course.lasting; i < course.count; i++)
    {
        const legs_piece *p = &course.pieces[i];
        if (high_end(p) < x - 0.8 || low_end(p) > x + 1) continue;
        const int place = course.lasting + i - first;
        if (i < first || place >= room || sac_legs_terrain_near(&course, first, place) != p) return false;
    }
    return true;
}

// At every level the longest course that can be asked for has ground up to its end and beyond, and of its boxes those
// near a robot have places.
TEST(boxes_near_a_robot_have_places)
{
    for (int c = 1; c < (int)(sizeof courses / sizeof *courses); c++)
        for (int kind = 0; kind < 4; kind++)
            for (int level = 0; level <= 12; level++)
            {
                const legs_terrain_def def = {.course = courses[c],
                                              .length = 60,
                                              .level = level,
                                              .released = kind % 2 == 1,
                                              .unmet = kind / 2 == 1};
                sac_legs_terrain_draw(&course, &def, (uint64_t)(4 * level + kind));
                const int room = sac_legs_terrain_room(courses[c]);
                for (int i = 0; i < course.lasting; i++)
                    assert_true(sac_legs_terrain_near(&course, course.lasting, i) == &course.pieces[i]);
                assert_true(last_end() > 60.5);
                for (double x = 0; x < 60; x += 0.31) assert_true(near_ones_have_places(room, x));
            }
}

// squares of 0.15 m, turned by 0.1 rad at most; the corridor is covered on both sides
TEST(grids_are_turned_squares)
{
    double most = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
    {
        draw(LEGS_GRID, 10, false, false, seed);
        bool left = false, right = false;
        for (int i = 1; i < course.count; i++)
        {
            const legs_piece *p = &course.pieces[i];
            assert_true(p->half[0] == 0.075 && p->half[1] == 0.075 && p->turn == course.pieces[1].turn);
            left = left || p->center[1] > 0.4, right = right || p->center[1] < -0.4;
        }
        assert_true(left && right);
        most = fmax(most, fabs(course.pieces[1].turn));
    }
    assert_true(most > 0.09 && most <= 0.1);
}

// how far along the rows' direction a stone lies
static double along(const legs_piece *p)
{
    return p->center[0] * cos(p->turn) + p->center[1] * sin(p->turn);
}

// before each row of stones, the first one included, there are 0.13 to 0.17 m in the rows' direction, and 0.16 to 0.19
// m in unmet grids, times level / 10
TEST(gaps_of_grids_are_in_their_ranges)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++)
    {
        const bool unmet = seed / 10 % 2 == 1;
        const double level = 1 + (double)(seed % 10), half = unmet ? 0.065 : 0.075;
        const double low = unmet ? 0.16 : 0.13, high = unmet ? 0.19 : 0.17; // the plain ones are the article's
        draw(LEGS_GRID, level, false, unmet, seed);
        double before = 0.45; // the platform's end
        int rows = 0;
        for (int i = 1; i < course.count; i++)
        {
            const double u = along(&course.pieces[i]), gap = u - half - before;
            if (i > 1 && fabs(u - along(&course.pieces[i - 1])) < 1e-9) continue; // of the same row
            assert_true(gap >= low * level / 10 - 1e-9 && gap <= high * level / 10 + 1e-9);
            before = u + half;
            rows++;
        }
        assert_true(rows > 20 / 0.33);
    }
}

// of one staircase all risers are alike, between the article's bounds
TEST(stairs_rise_evenly)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++)
    {
        draw(LEGS_STAIRS, 5, false, false, seed);
        double before = 0, rise = 0;
        for (int i = 1; i < course.count - 1; i++)
        {
            const legs_piece *p = &course.pieces[i];
            const double top = p->center[2] + p->half[2], depth = 2 * p->half[0];
            if (i == 1) rise = top;
            assert_true(rise >= 0.08 && rise <= 0.095);
            assert_true(fabs(top - before - rise) < 1e-9);
            assert_true(depth >= 0.25 && depth <= 0.33);
            before = top;
        }
    }
}

// walls close 50 to 65 % of 2 m from alternating sides, 2 to 2.5 m apart
TEST(walls_alternate)
{
    int left_first = 0;
    for (uint64_t seed = 0; seed < SEEDS; seed++)
    {
        draw(LEGS_OBSTACLES, 10, false, false, seed);
        left_first += course.pieces[1].center[1] > 0;
        for (int i = 1; i < course.count; i++)
        {
            const legs_piece *p = &course.pieces[i];
            assert_true(p->half[1] >= 0.5 && p->half[1] <= 0.65);
            assert_true(fabs(fabs(p->center[1]) + p->half[1] - 1) < 1e-12); // from the platform's edge on
            if (i == 1) continue;
            const double apart = p->center[0] - p[-1].center[0];
            assert_true(apart >= 2 && apart <= 2.5 && (p->center[1] > 0) != (p[-1].center[1] > 0));
        }
    }
    assert_true(left_first > SEEDS / 4 && left_first < 3 * SEEDS / 4);
}

// where sides are drawn, a wall's side tells neither its colour nor the side of the next; sizes stay what they are
TEST(sides_of_walls_can_be_drawn)
{
    const legs_terrain_def def = {.course = LEGS_OBSTACLES, .length = 20, .level = 10, .walls = LEGS_ANY};
    int walls = 0, red[2] = {0}, turns[2] = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++)
    {
        sac_legs_terrain_draw(&course, &def, seed);
        for (int i = 1; i < course.count; i++)
        {
            const legs_piece *p = &course.pieces[i];
            assert_true(p->half[1] >= 0.5 && p->half[1] <= 0.65);
            const int left = p->center[1] > 0;
            red[left] += p->rgba[0] > p->rgba[2];
            walls++;
            if (i == 1) continue;
            const double apart = p->center[0] - p[-1].center[0];
            assert_true(apart >= 2 && apart <= 2.5);
            turns[left] += (p[-1].center[1] > 0) != left;
        }
    }
    // of n fair draws the deviation is sqrt(n) / 2, and five of these hold in all but one of a million cases
    for (int left = 0; left < 2; left++)
    {
        assert_true(abs(4 * red[left] - walls) < 4 * 5 * sqrt(walls) / 2);
        assert_true(abs(4 * turns[left] - walls + SEEDS) < 4 * 5 * sqrt(walls) / 2);
    }
}

enum
{
    WIDTH,
    APART, // and what follows, of walls
    CLOSED,
    THICK,
    TALL,
    QUANTITIES
};

// the sizes of a wall and of the platform
static void measure(double sizes[QUANTITIES], int wall)
{
    const legs_piece *platform = &course.pieces[0], *p = &course.pieces[wall];
    sizes[WIDTH] = 2 * platform->half[1];
    sizes[APART] = wall > 1 ? p->center[0] - p->half[0] - (p[-1].center[0] - p[-1].half[0]) : 0; // front to front
    sizes[CLOSED] = p->half[1] / platform->half[1];
    sizes[THICK] = 2 * p->half[0];
    sizes[TALL] = p->center[2] + p->half[2];
}

// Whatever walls a training has met, those of `unmet` differ from them in each size, some below and some above, and so
// do platforms. Colours stay the same two.
TEST(unmet_obstacles_are_met_in_no_training)
{
    double low[QUANTITIES], high[QUANTITIES], sizes[QUANTITIES];
    for (int q = 0; q < QUANTITIES; q++) low[q] = INFINITY, high[q] = -INFINITY;
    for (int walls = LEGS_ALTERNATING; walls <= LEGS_VARIED; walls++)
        for (uint64_t seed = 0; seed < SEEDS; seed++)
        {
            const legs_terrain_def def = {.course = LEGS_OBSTACLES, .length = 20, .level = 10, .walls = walls};
            sac_legs_terrain_draw(&course, &def, seed);
            for (int i = 2; i < course.count; i++)
            {
                measure(sizes, i);
                for (int q = 0; q < QUANTITIES; q++) low[q] = fmin(low[q], sizes[q]), high[q] = fmax(high[q], sizes[q]);
            }
        }
    int below[QUANTITIES] = {0}, above[QUANTITIES] = {0};
    for (uint64_t seed = 0; seed < SEEDS; seed++)
    {
        draw(LEGS_OBSTACLES, 10, false, true, seed);
        for (int i = 2; i < course.count; i++)
        {
            measure(sizes, i);
            for (int q = 0; q < QUANTITIES; q++)
            {
                if (!(sizes[q] < low[q] || sizes[q] > high[q])) fail_msg("quantity %d: %g is met", q, sizes[q]);
                *(sizes[q] < low[q] ? &below[q] : &above[q]) += 1;
            }
        }
    }
    for (int q = 0; q < QUANTITIES; q++) assert_true(below[q] > 0 && above[q] > 0);
}

// the opening is what the wall that comes next leaves of the platform, and after the last wall all of it
TEST(openings_follow_one_another)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++)
    {
        draw(LEGS_OBSTACLES, 10, false, false, seed);
        const legs_piece *platform = &course.pieces[0];
        double opening[2];
        for (int i = 1; i < course.count; i++)
        {
            const legs_piece *wall = &course.pieces[i];
            const double behind = wall->center[0] + wall->half[0] + 0.1; // where a robot has left it behind
            sac_legs_terrain_opening(opening, &course, 12, behind - 1e-9);
            assert_true(opening[0] == wall->center[0]);
            // its middle is as far from the wall's end as from the platform's edge on the other side
            const double side = wall->center[1] > 0 ? -1 : 1, end = wall->center[1] + side * wall->half[1];
            assert_true(fabs((end + side * platform->half[1]) / 2 - opening[1]) < 1e-12);
            sac_legs_terrain_opening(opening, &course, 12, behind + 1e-9);
            assert_true(opening[0] == (i + 1 < course.count ? wall[1].center[0] : 12));
        }
        assert_true(opening[1] == 0);
    }
}

TEST(seeds_decide)
{
    static legs_terrain again;
    for (int c = 1; c < (int)(sizeof courses / sizeof *courses); c++)
    {
        draw(courses[c], 10, false, false, 5);
        again = course;
        draw(courses[c], 10, false, false, 6);
        assert_true(memcmp(again.pieces, course.pieces, sizeof again.pieces) != 0);
        draw(courses[c], 10, false, false, 5);
        assert_memory_equal(again.pieces, course.pieces, (size_t)course.count * sizeof *course.pieces);
    }
}

// --- changes

TEST(variants_are_words)
{
    legs_variant v;
    assert_ok(sac_legs_variant_read(&v, "original"));
    assert_false(v.friction || v.mass || v.latency || v.camera || v.terrain || v.any);
    assert_ok(sac_legs_variant_read(&v, "mass+camera"));
    assert_true(v.mass && v.camera && !v.friction && !v.latency && !v.terrain && !v.any);
    assert_ok(sac_legs_variant_read(&v, "any"));
    assert_true(v.any);
}

TEST(what_is_wrong_with_a_variant_is_said)
{
    const struct
    {
        const char *text, *said;
    } bad[] = {{"masses", "unknown variant 'masses', expected original"},
               {"masses", "did you mean 'mass'?"},
               {"Mass", "did you mean 'mass'?"},
               {"", "unknown variant ''"},
               {"mass+", "variant 'mass+' lacks a word beside a '+'"},
               {"+mass", "variant '+mass' lacks a word beside a '+'"},
               {"mass+mass", "variant 'mass+mass' names 'mass' twice"},
               {"mass+camera+mass", "names 'mass' twice"},
               {"mass+any", "variant 'any' stands alone"},
               {"original+mass", "variant 'original' stands alone"}};
    legs_variant v;
    for (int i = 0; i < (int)(sizeof bad / sizeof *bad); i++)
        assert_fails(sac_legs_variant_read(&v, bad[i].text), SAC_ERROR_ARGUMENT, bad[i].said);
}

// What is not asked for is as in the plain world, and a kind draws the same whatever else is asked for.
TEST(kinds_of_changes_do_not_touch_each_other)
{
    for (uint64_t seed = 0; seed < SEEDS; seed++)
    {
        const legs_variant none = {0}, mass = {.mass = true},
                           all = {.friction = true, .mass = true, .latency = true, .camera = true, .terrain = true};
        const legs_changes plain = sac_legs_changes_draw(&none, seed, 20),
                           loaded = sac_legs_changes_draw(&mass, seed, 20),
                           every = sac_legs_changes_draw(&all, seed, 20);
        assert_true(plain.friction == 1 && plain.load == 0 && plain.latency == 0 && plain.camera_latency == 0);
        assert_true(plain.camera_shift[0] == 0 && plain.camera_tilt[2] == 0 && !plain.terrain);
        assert_true(loaded.friction == 1 && loaded.load == every.load && loaded.latency == 0);
        assert_true(every.load >= 0 && every.load < 4 && every.friction >= 0.5 && every.friction < 1.2);
        assert_true(every.latency >= 0 && every.latency < 0.008 && every.terrain);
        for (int i = 0; i < 3; i++)
            assert_true(fabs(every.camera_shift[i]) <= 0.02 && fabs(every.camera_tilt[i]) <= 0.09);
    }
}

// Of the six looks of "any" each is drawn in its share of episodes: 1,000 draws of probability 1/6 have a standard
// deviation of 11.8, and six of these are 71.
TEST(any_draws_each_kind)
{
    int counts[6] = {0};
    for (uint64_t seed = 0; seed < 1000; seed++)
    {
        const legs_variant any = {.any = true};
        const legs_changes c = sac_legs_changes_draw(&any, seed, 20);
        const int kind = c.friction != 1          ? 0
                         : c.load != 0            ? 1
                         : c.latency != 0         ? 2
                         : c.camera_shift[0] != 0 ? 3
                         : c.terrain              ? 4
                                                  : 5;
        counts[kind]++;
    }
    for (int i = 0; i < 6; i++) assert_true(abs(counts[i] - 167) < 71);
}

TESTS(sides_of_walls_can_be_drawn, unmet_obstacles_are_met_in_no_training, stones_have_the_sizes_of_the_article,
      released_and_unmet_courses_have_other_sizes, every_course_begins_with_level_ground,
      boxes_near_a_robot_have_places, grids_are_turned_squares, gaps_of_grids_are_in_their_ranges, stairs_rise_evenly,
      walls_alternate, openings_follow_one_another, seeds_decide, variants_are_words,
      what_is_wrong_with_a_variant_is_said, kinds_of_changes_do_not_touch_each_other, any_draws_each_kind)
