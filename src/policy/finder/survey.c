#include "policy/finder/survey.h"

#include <math.h>
#include <string.h>

enum
{
    RAYS = 4,   // for each column of the picture, so that no square between two of them is left out
    around = 3, // squares to each side of an edge that are counted
    worth = 10  // of them that are to be unknown
};

static const double cell = 0.1, stride = 0.05; // m
static const double room = 0.28;               // m that the robot's middle keeps from what stands: 0.2 is its radius
static const double body = 0.3;                // m around its middle that it knows because it stands there
static const double low = 0.06, high = 0.7;    // m above the floor between which a point is in the robot's way

int sac_survey_side(double extent)
{
    return (int)(extent / cell + 0.5);
}

void sac_survey_place(survey *s, int side, sac_workspace *workspace)
{
    const size_t squares = (size_t)side * (size_t)side;
    s->known = sac_take(workspace, squares, 1);
    s->tight = sac_take(workspace, squares, 1);
    s->spent = sac_take(workspace, squares, 1);
}

sac_status sac_survey_open(survey *s, double extent)
{
    const double corner[2] = {-extent / 2, -extent / 2};
    const int side = sac_survey_side(extent);
    return sac_ways_create(&s->ways, corner, cell, side, side);
}

void sac_survey_close(survey *s)
{
    sac_ways_destroy(s->ways);
    s->ways = NULL;
}

static size_t squares_of(const survey *s)
{
    return (size_t)s->ways->columns * (size_t)s->ways->rows;
}

void sac_survey_begin(survey *s)
{
    const size_t squares = squares_of(s);
    memset(s->known, 0, squares);
    memset(s->tight, 0, squares);
    memset(s->spent, 0, squares);
    memset(s->ways->free, 0, squares);
}

// --- looking

static void know(survey *s, int square)
{
    s->known[square] = 1;
    s->ways->free[square] = !s->tight[square];
}

void sac_survey_block(survey *s, double x, double y)
{
    double middle[2], place[2];
    const int at = sac_ways_at(s->ways, x, y), ring = (int)(room / cell) + 1;
    if (at < 0) return;
    s->known[at] = 1;
    sac_ways_middle(s->ways, at, middle);
    for (int i = -ring; i <= ring; i++)
        for (int k = -ring; k <= ring; k++)
        {
            const int square = sac_ways_at(s->ways, middle[0] + i * cell, middle[1] + k * cell);
            if (square < 0 || s->tight[square]) continue;
            sac_ways_middle(s->ways, square, place);
            const double right = place[0] - middle[0], up = place[1] - middle[1];
            if (right * right + up * up >= room * room) continue;
            s->tight[square] = 1;
            s->ways->free[square] = 0;
        }
}

static void to_world(const survey_place *from, double ahead, double left, double point[2])
{
    point[0] = from->x + from->cosine * ahead - from->sine * left;
    point[1] = from->y + from->sine * ahead + from->cosine * left;
}

void sac_survey_point(const survey *s, const survey_place *from, double column, double depth, double point[2])
{
    const double aside = s->camera.tangent * (1 - (2 * column + 1) / s->camera.width);
    to_world(from, s->camera.ahead + depth, depth * aside, point);
}

// Blocks what a column of the picture shows, and returns how far it is free.
static double look_up(survey *s, const survey_place *from, const float *depth, int column)
{
    const survey_camera *c = &s->camera;
    double nearest = c->far;
    for (int row = 0; row < c->height; row++)
    {
        const double away = (double)depth[row * c->width + column];
        const double above = c->up + away * c->high * (1 - (2 * row + 1.0) / c->height);
        double point[2];
        if (away >= c->far * 0.999 || above < low || above > high) continue;
        sac_survey_point(s, from, column, away, point);
        sac_survey_block(s, point[0], point[1]);
        if (away < nearest) nearest = away;
    }
    return nearest;
}

static void look_along(survey *s, const survey_place *from, double aside, double far)
{
    for (int i = 0; i * stride < far; i++)
    {
        const double way = i * stride;
        double point[2];
        to_world(from, s->camera.ahead + way, way * aside, point);
        const int square = sac_ways_at(s->ways, point[0], point[1]);
        if (square < 0) return;
        know(s, square);
    }
}

static void stand(survey *s, const survey_place *at)
{
    const int ring = (int)(body / cell);
    for (int i = -ring; i <= ring; i++)
        for (int k = -ring; k <= ring; k++)
        {
            const int square = sac_ways_at(s->ways, at->x + i * cell, at->y + k * cell);
            if (square >= 0 && (i * i + k * k) * cell * cell <= body * body) know(s, square);
        }
}

void sac_survey_look(survey *s, const survey_place *from, const float *depth)
{
    stand(s, from);
    for (int column = 0; column < s->camera.width; column++)
    {
        const double far = look_up(s, from, depth, column);
        for (int i = 0; i < RAYS; i++)
        {
            const double part = (2.0 * (column * RAYS + i) + 1) / (s->camera.width * RAYS);
            look_along(s, from, s->camera.tangent * (1 - part), far);
        }
    }
}

// --- ways

bool sac_survey_spread(survey *s, const survey_place *from, bool again)
{
    const int reach = 4;
    double least = INFINITY;
    int best = -1;
    for (int i = -reach; i <= reach; i++)
        for (int k = -reach; k <= reach; k++)
        {
            const int square = sac_ways_at(s->ways, from->x + i * cell, from->y + k * cell);
            const double away = (double)(i * i + k * k);
            if (square < 0 || !s->ways->free[square] || away >= least) continue;
            if (!again || s->ways->field[square] == WAYS_FAR) least = away, best = square;
        }
    if (best < 0) return false;
    sac_ways_aim(s->ways, best, -1);
    return true;
}

// Squares around one that are not known and may be free: an edge with few of them is a gap between two rays, or a
// corner that is not worth the way.
static int unknown_around(const survey *s, int square)
{
    const ways_map *m = s->ways;
    const int row = square / m->columns, column = square % m->columns;
    int count = 0;
    for (int r = row - around; r <= row + around; r++)
        for (int c = column - around; c <= column + around; c++)
        {
            if (r < 0 || r >= m->rows || c < 0 || c >= m->columns) continue;
            count += !s->known[r * m->columns + c] && !s->tight[r * m->columns + c];
        }
    return count;
}

bool sac_survey_is_edge(const survey *s, int square, double behind[2])
{
    static const int sides[4][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}};
    const ways_map *m = s->ways;
    double middle[2];
    if (!m->free[square] || s->spent[square]) return false;
    sac_ways_middle(m, square, middle);
    for (int i = 0; i < 4; i++)
    {
        const double x = middle[0] + sides[i][0] * cell, y = middle[1] + sides[i][1] * cell;
        const int next = sac_ways_at(m, x, y);
        if (next < 0 || s->known[next] || s->tight[next]) continue;
        if (unknown_around(s, square) < worth) return false;
        if (behind) behind[0] = middle[0] + 5 * (x - middle[0]), behind[1] = middle[1] + 5 * (y - middle[1]);
        return true;
    }
    return false;
}

int sac_survey_edge(const survey *s, double chance)
{
    const int squares = (int)squares_of(s);
    int best = -1, count = 0;
    for (int i = 0; i < squares; i++)
    {
        if (s->ways->field[i] == WAYS_FAR || !sac_survey_is_edge(s, i, NULL)) continue;
        count++;
        if (best < 0 || s->ways->field[i] < s->ways->field[best]) best = i;
    }
    if (chance < 0 || count == 0) return best;
    int left = (int)(chance * count);
    for (int i = 0; i < squares; i++)
        if (s->ways->field[i] != WAYS_FAR && sac_survey_is_edge(s, i, NULL) && left-- == 0) return i;
    return best;
}

int sac_survey_nearest(const survey *s, const double point[2])
{
    const int squares = (int)squares_of(s);
    double least = INFINITY;
    int best = -1;
    for (int i = 0; i < squares; i++)
    {
        double middle[2];
        if (!s->ways->free[i] || s->ways->field[i] == WAYS_FAR) continue;
        sac_ways_middle(s->ways, i, middle);
        const double x = middle[0] - point[0], y = middle[1] - point[1];
        if (x * x + y * y < least) least = x * x + y * y, best = i;
    }
    return best;
}
