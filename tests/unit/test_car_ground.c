#include "test.h"

#include "env/carracing/ground.h"
#include "env/carracing/track.h"

// What the car touches: parts of the car and tiles at most 0.02 apart (Box2D's two skins of 0.01).

static car_track track;
static car_ground ground;

// a road of one tile, 10 wide and 4 long, with its left lower corner at the origin
static void lay_one_tile(void)
{
    static const double corners[4][2] = {{0, 4}, {10, 4}, {10, 0}, {0, 0}};
    track.count = 1;
    memcpy(track.tile[0], corners, sizeof corners);
    sac_car_ground_lay(&ground, &track);
}

// a car of which only wheel 0 is anywhere near: its axle at (x, y), turned by an angle
static car_chain wheel_at(float x, float y, float angle)
{
    car_chain chain;
    sac_car_chain_place(&chain, x - 2, y - 2, 0);
    for (int i = 0; i < CAR_BODIES; i++) chain.x[i] = x - 2, chain.y[i] = y - 2;
    chain.x[0] = x - 2, chain.y[0] = y - 2 - 1.0f;
    chain.x[1] = x, chain.y[1] = y;
    chain.sine[1] = sinf(angle), chain.cosine[1] = cosf(angle);
    return chain;
}

static bool touches(float x, float y, float angle)
{
    lay_one_tile();
    car_chain chain = wheel_at(x, y, angle);
    bool on_road[CAR_WHEELS];
    int start_count, visits = sac_car_ground_touch(&ground, &chain, on_road, &start_count);
    assert_int_equal(visits, on_road[0]);
    assert_int_equal(ground.visited[0], on_road[0]);
    assert_int_equal(start_count, on_road[0]);
    for (int j = 1; j < CAR_WHEELS; j++) assert_false(on_road[j]);
    return on_road[0];
}

static const float half_width = 0.28f, half_length = 0.54f, eps = 1e-4f;

TEST(sides_touch_within_the_skin)
{
    for (float y = 0.2f; y < 4; y += 0.9f)
    {
        assert_true(touches(-half_width - 0.02f + eps, y, 0));
        assert_false(touches(-half_width - 0.02f - eps, y, 0));
    }
    assert_true(touches(1, -half_length - 0.02f + eps, 0));
    assert_false(touches(1, -half_length - 0.02f - eps, 0));
}

// near a corner the distance is round, where edges alone would see a square
TEST(corners_touch_at_their_distance)
{
    const float skin = 0.02f;
    for (float direction = 0.1f; direction < 1.5f; direction += 0.2f)
    {
        float dx = cosf(direction), dy = sinf(direction);
        float near = skin - eps, far = skin + eps;
        assert_true(touches(-half_width - near * dx, -half_length - near * dy, 0));
        assert_false(touches(-half_width - far * dx, -half_length - far * dy, 0));
    }
}

// a corner of a turned wheel against the tile's side: the reach of a box in a direction
TEST(turned_wheels_touch_with_their_corners)
{
    for (float angle = 0.1f; angle < 3; angle += 0.3f)
    {
        float reach = half_width * fabsf(cosf(angle)) + half_length * fabsf(sinf(angle));
        assert_true(touches(-reach - 0.02f + eps, 2, angle));
        assert_false(touches(-reach - 0.02f - eps, 2, angle));
    }
}

// the hull colours a tile and visits none
TEST(hull_touches_without_a_visit)
{
    bool on_road[CAR_WHEELS];
    int start_count;
    for (int in = 0; in < 2; in++)
    {
        // the nose is 2.6 ahead of the hull's origin
        lay_one_tile();
        car_chain chain;
        sac_car_chain_place(&chain, 5, -2.6 - 0.02 + (in ? eps : -eps), 0);
        assert_int_equal(sac_car_ground_touch(&ground, &chain, on_road, &start_count), 0);
        assert_int_equal(ground.touched[0], in);
        assert_int_equal(ground.visited_count, 0);
    }
}

// distance of two convex polygons by brute force: any corner to any edge, or 0 when a corner is inside
static double distance(const car_polygon *a, const car_polygon *b)
{
    double least = INFINITY;
    for (int turn = 0; turn < 2; turn++)
    {
        const car_polygon *p = turn ? b : a, *q = turn ? a : b;
        for (int k = 0; k < q->count; k++)
        {
            bool inside = true;
            for (int i = 0; i < p->count; i++)
            {
                int n = (i + 1) % p->count;
                double ex = p->x[n] - p->x[i], ey = p->y[n] - p->y[i], x = q->x[k] - p->x[i], y = q->y[k] - p->y[i];
                inside = inside && ex * y - ey * x >= 0;
                double t = fmin(fmax((x * ex + y * ey) / (ex * ex + ey * ey), 0), 1);
                least = fmin(least, hypot(x - t * ex, y - t * ey));
            }
            if (inside) return 0;
        }
    }
    return least;
}

// every wheel and every tile of a real road, against brute force; circles and blocks lose nothing
TEST(a_road_is_touched_as_brute_force_says)
{
    sac_pcg64 random = sac_pcg64_create(3);
    assert_ok(sac_car_track_draw(&track, &random));
    sac_stream stream = sac_stream_create(1, 0, 0);
    int touched = 0, close = 0;
    for (int trial = 0; trial < 400; trial++)
    {
        int node = (int)sac_stream_below(&stream, (uint32_t)track.count);
        car_chain chain;
        sac_car_chain_place(&chain, track.x[node] + sac_stream_uniform(&stream, -9, 9),
                            track.y[node] + sac_stream_uniform(&stream, -9, 9), sac_stream_uniform(&stream, -4, 4));
        sac_car_ground_lay(&ground, &track);
        bool on_road[CAR_WHEELS], want[CAR_WHEELS] = {0};
        bool doubtful = false;
        int start_count;
        sac_car_ground_touch(&ground, &chain, on_road, &start_count);
        for (int i = 0; i < track.count; i++)
        {
            bool visited = false, unsure = false;
            for (int j = 0; j < CAR_WHEELS; j++)
            {
                car_polygon wheel = {.count = 4};
                for (int k = 0; k < 4; k++)
                {
                    float x = k == 1 || k == 2 ? 0.28f : -0.28f, y = k >= 2 ? 0.54f : -0.54f;
                    wheel.x[k] = chain.cosine[1 + j] * x - chain.sine[1 + j] * y + chain.x[1 + j];
                    wheel.y[k] = chain.sine[1 + j] * x + chain.cosine[1 + j] * y + chain.y[1 + j];
                }
                double gap = distance(&ground.tile[i], &wheel);
                unsure = unsure || fabs(gap - 0.02) < 1e-4; // float32 at 300 units from the origin
                visited = visited || gap <= 0.02;
                want[j] = want[j] || gap <= 0.02;
            }
            close += unsure;
            doubtful = doubtful || unsure;
            touched += visited;
            if (!unsure) assert_int_equal(ground.visited[i], visited);
        }
        for (int j = 0; j < CAR_WHEELS && !doubtful; j++) assert_int_equal(on_road[j], want[j]);
    }
    assert_true(touched > 100 && close < 10);
}

TESTS(sides_touch_within_the_skin, corners_touch_at_their_distance, turned_wheels_touch_with_their_corners,
      hull_touches_without_a_visit, a_road_is_touched_as_brute_force_says)
