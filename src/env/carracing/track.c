#include "env/carracing/track.h"

#include <math.h>

#include "base/error.h"

// Gymnasium's constants: pixels of its first version over a scale of 6
#define PI          3.141592653589793
#define RADIUS      (900 / 6.0)
#define NODE_STEP   (21 / 6.0)
#define TURN_RATE   0.31
#define HALF_WIDTH  (40 / 6.0)
#define BORDER      (8 / 6.0)
#define START_ALPHA (2 * PI * (-0.5) / CHECKPOINTS)

enum
{
    CHECKPOINTS = 12,
    MAX_WALK = 2500,
    MAX_LAPS = 4,
    BORDER_NODES = 4,
    MAX_ATTEMPTS = 10000,
};

typedef struct checkpoint
{
    double alpha, x, y;
} checkpoint;

typedef struct node
{
    double alpha, beta, x, y;
} node;

// car_racing.py, CarRacing._create_track: twelve checkpoints, one in each sector, at random angles and distances.
static void draw_checkpoints(checkpoint *points, sac_pcg64 *random)
{
    for (int c = 0; c < CHECKPOINTS; c++)
    {
        // Both numbers are drawn even where they are not used, because Gymnasium draws them.
        double alpha = 2 * PI * c / CHECKPOINTS + sac_pcg64_uniform(random, 0, 2 * PI * 1 / CHECKPOINTS);
        double radius = sac_pcg64_uniform(random, RADIUS / 3, RADIUS);
        if (c == 0) alpha = 0;
        if (c == CHECKPOINTS - 1) alpha = 2 * PI * c / CHECKPOINTS;
        if (c == 0 || c == CHECKPOINTS - 1) radius = 1.5 * RADIUS;
        points[c] = (checkpoint){alpha, radius * cos(alpha), radius * sin(alpha)};
    }
}

// Finds the first checkpoint from *index on that lies ahead of *alpha. Once round without one, a turn is taken off
// alpha.
static checkpoint find_destination(const checkpoint *points, int *index, double *alpha)
{
    for (;;)
    {
        do
        {
            checkpoint point = points[*index % CHECKPOINTS];
            if (*alpha <= point.alpha) return point;
            ++*index;
        } while (*index % CHECKPOINTS != 0);
        *alpha -= 2 * PI;
    }
}

// Towards the destination, by at most TURN_RATE a node; between -0.3 and 0.3 the walk goes straight on.
static double turn(double projection)
{
    double angle = fmin(TURN_RATE, fabs(0.001 * projection));
    return projection > 0.3 ? -angle : projection < -0.3 ? angle : 0;
}

// Steers from checkpoint to checkpoint for more than four laps. Returns the number of nodes.
// _create_track once more: a point walks a step at a time, steering to the next checkpoint. `projection` is how far the
// destination lies to its right, and the angle beta, of the direction across the road, follows it.
static int walk(node *nodes, const checkpoint *points)
{
    double x = 1.5 * RADIUS, y = 0, beta = 0;
    int index = 0, laps = 0, count = 0;
    bool was_below = false;
    while (laps <= MAX_LAPS && count < MAX_WALK)
    {
        double alpha = atan2(y, x);
        if (was_below && alpha > 0)
        {
            laps++;
            was_below = false;
        }
        if (alpha < 0)
        {
            was_below = true;
            alpha += 2 * PI;
        }
        checkpoint to = find_destination(points, &index, &alpha);
        double across_x = cos(beta), across_y = sin(beta);
        double projection = across_x * (to.x - x) + across_y * (to.y - y);
        while (beta - alpha > 1.5 * PI) beta -= 2 * PI;
        while (beta - alpha < -1.5 * PI) beta += 2 * PI;
        double before = beta;
        beta += turn(projection * 6.0);
        x += -across_y * NODE_STEP;
        y += across_x * NODE_STEP;
        nodes[count++] = (node){alpha, before * 0.5 + beta * 0.5, x, y};
    }
    return count;
}

// Finds the last whole lap between two crossings of the start. Returns its length, or 0 when none closes.
static int find_lap(const node *nodes, int count, int *first)
{
    int later = -1, earlier = -1;
    for (int i = count - 1; i > 0 && earlier < 0; i--)
    {
        if (!(nodes[i].alpha > START_ALPHA && nodes[i - 1].alpha <= START_ALPHA)) continue;
        if (later < 0)
            later = i;
        else
            earlier = i;
    }
    if (earlier < 0) return 0;
    int length = later - 1 - earlier;
    if (length < 1 || length > CAR_MAX_NODES) return 0;

    const node *head = &nodes[earlier], *tail = &nodes[later - 2];
    double gap_x = cos(head->beta) * (head->x - tail->x), gap_y = sin(head->beta) * (head->y - tail->y);
    *first = earlier;
    return sqrt(gap_x * gap_x + gap_y * gap_y) > NODE_STEP ? 0 : length;
}

static double sign(double x)
{
    return (x > 0) - (x < 0);
}

static int wrap(int i, int count)
{
    return i < 0 ? i + count : i;
}

// Red and white kerbs lie where the road turns sharply for several nodes, and along the nodes before.
static void mark_borders(car_track *track)
{
    int count = track->count;
    for (int i = 0; i < count; i++)
    {
        // A kerb is where four turns in a row are sharp and to one side.
        bool good = true;
        double side = 0;
        for (int back = 0; back < BORDER_NODES; back++)
        {
            double change = track->beta[wrap(i - back, count)] - track->beta[wrap(i - back - 1, count)];
            good = good && fabs(change) > TURN_RATE * 0.2;
            side += sign(change);
        }
        track->has_border[i] = good && fabs(side) == BORDER_NODES;
    }
    for (int i = 0; i < count; i++)
        for (int back = 0; back < BORDER_NODES; back++)
            track->has_border[wrap(i - back, count)] |= track->has_border[i];
}

// Computes the point at `offset` across the road from node i.
static void across(double *point, const car_track *track, int i, double offset)
{
    point[0] = track->x[i] + offset * cos(track->beta[i]);
    point[1] = track->y[i] + offset * sin(track->beta[i]);
}

static void lay_tiles(car_track *track)
{
    for (int i = 0; i < track->count; i++)
    {
        int previous = wrap(i - 1, track->count);
        across(track->tile[i][0], track, i, -HALF_WIDTH);
        across(track->tile[i][1], track, i, HALF_WIDTH);
        across(track->tile[i][2], track, previous, HALF_WIDTH);
        across(track->tile[i][3], track, previous, -HALF_WIDTH);
        if (!track->has_border[i]) continue;

        double side = sign(track->beta[previous] - track->beta[i]);
        across(track->border[i][0], track, i, side * HALF_WIDTH);
        across(track->border[i][1], track, i, side * (HALF_WIDTH + BORDER));
        across(track->border[i][2], track, previous, side * (HALF_WIDTH + BORDER));
        across(track->border[i][3], track, previous, side * HALF_WIDTH);
    }
}

sac_status sac_car_track_draw(car_track *track, sac_pcg64 *random)
{
    checkpoint points[CHECKPOINTS];
    node nodes[MAX_WALK];
    int first = 0;
    track->count = track->attempts = 0;
    while (track->count == 0)
    {
        if (track->attempts++ == MAX_ATTEMPTS)
            return sac_fail(SAC_ERROR_ENVIRONMENT, "car-racing: no closed track in %d attempts", MAX_ATTEMPTS);
        draw_checkpoints(points, random);
        track->count = find_lap(nodes, walk(nodes, points), &first);
    }
    for (int i = 0; i < track->count; i++)
    {
        track->alpha[i] = nodes[first + i].alpha;
        track->beta[i] = nodes[first + i].beta;
        track->x[i] = nodes[first + i].x;
        track->y[i] = nodes[first + i].y;
    }
    mark_borders(track);
    lay_tiles(track);
    return SAC_OK;
}
