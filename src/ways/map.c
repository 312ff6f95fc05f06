#include "ways/map.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum
{
    NEIGHBOURS = 8, // the four sides first
    SIDES = 4,
    LISTS = WAYS_DIAGONAL + 1, // lengths that are open at one time
    NONE = -1
};

static const int steps[NEIGHBOURS][2] = {{1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}};

static const double reach = 0.35; // m from a place to the square where its way begins

// --- life

sac_status sac_ways_create(ways_map **out, const double origin[2], double cell, int columns, int rows)
{
    *out = NULL;
    ways_map *m = SAC_NEW(ways_map);
    if (!m) return sac_fail_memory("a map");
    *m = (ways_map){.origin = {origin[0], origin[1]}, .cell = cell, .columns = columns, .rows = rows};
    const size_t squares = (size_t)columns * (size_t)rows;
    m->free = SAC_NEW_ARRAY(uint8_t, squares);
    m->field = SAC_NEW_ARRAY(int32_t, squares);
    m->next = SAC_NEW_ARRAY(int32_t, squares);
    m->previous = SAC_NEW_ARRAY(int32_t, squares);
    if (!m->free || !m->field || !m->next || !m->previous)
    {
        sac_ways_destroy(m);
        return sac_fail_memory("a map");
    }
    *out = m;
    return SAC_OK;
}

void sac_ways_destroy(ways_map *m)
{
    if (!m) return;
    sac_free(m->free);
    sac_free(m->field);
    sac_free(m->next);
    sac_free(m->previous);
    sac_free(m);
}

// --- free squares

void sac_ways_middle(const ways_map *m, int square, double place[2])
{
    const int column = square % m->columns, row = square / m->columns;
    place[0] = m->origin[0] + (column + 0.5) * m->cell;
    place[1] = m->origin[1] + (row + 0.5) * m->cell;
}

// Of what is far outside, and of what is no number, an index that is outside, too
static int index_of(double x, double origin, double cell)
{
    static const double most = 1e9;
    const double index = floor((x - origin) / cell);
    return index >= -most ? (int)fmin(index, most) : (int)-most;
}

static int within(int x, int low, int high)
{
    return x < low ? low : x > high ? high : x;
}

int sac_ways_at(const ways_map *m, double x, double y)
{
    const int column = index_of(x, m->origin[0], m->cell), row = index_of(y, m->origin[1], m->cell);
    return column < 0 || column >= m->columns || row < 0 || row >= m->rows ? NONE : row * m->columns + column;
}

void sac_ways_clear(ways_map *m, int columns, int rows, double radius)
{
    m->columns = columns;
    m->rows = rows;
    const double high[2] = {columns * m->cell - radius, rows * m->cell - radius};
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < columns; c++)
        {
            const double x = (c + 0.5) * m->cell, y = (r + 0.5) * m->cell;
            m->free[r * columns + c] = x >= radius && y >= radius && x <= high[0] && y <= high[1];
        }
}

void sac_ways_block(ways_map *m, const double center[2], const double half[2], bool round, double radius)
{
    int low[2], high[2];
    const int most[2] = {m->columns - 1, m->rows - 1};
    for (int i = 0; i < 2; i++)
    {
        low[i] = within(index_of(center[i] - half[i] - radius, m->origin[i], m->cell), 0, most[i]);
        high[i] = within(index_of(center[i] + half[i] + radius, m->origin[i], m->cell), 0, most[i]);
    }
    for (int r = low[1]; r <= high[1]; r++)
        for (int c = low[0]; c <= high[0]; c++)
        {
            const int square = r * m->columns + c;
            double place[2], away[2], beyond = radius;
            sac_ways_middle(m, square, place);
            for (int i = 0; i < 2; i++)
            {
                away[i] = fabs(place[i] - center[i]);
                if (!round) away[i] = away[i] > half[i] ? away[i] - half[i] : 0;
            }
            if (round) beyond += half[0];
            if (away[0] * away[0] + away[1] * away[1] < beyond * beyond) m->free[square] = 0;
        }
}

// --- ways

// The neighbour of a square on a way, or NONE
static int neighbour(const ways_map *m, int square, int way)
{
    const int column = square % m->columns + steps[way][0], row = square / m->columns + steps[way][1];
    if (column < 0 || column >= m->columns || row < 0 || row >= m->rows) return NONE;
    const int to = row * m->columns + column;
    if (!m->free[to]) return NONE;
    if (way >= SIDES && (!m->free[square + steps[way][0]] || !m->free[square + steps[way][1] * m->columns]))
        return NONE;
    return to;
}

static int length_of(int way)
{
    return way < SIDES ? WAYS_STRAIGHT : WAYS_DIAGONAL;
}

static void put(ways_map *m, int32_t *lists, int square, int32_t length)
{
    int32_t *list = &lists[length % LISTS];
    m->field[square] = length;
    m->next[square] = *list;
    m->previous[square] = NONE;
    if (*list != NONE) m->previous[*list] = square;
    *list = square;
}

static void take(ways_map *m, int32_t *lists, int square)
{
    if (m->previous[square] == NONE)
        lists[m->field[square] % LISTS] = m->next[square];
    else
        m->next[m->previous[square]] = m->next[square];
    if (m->next[square] != NONE) m->previous[m->next[square]] = m->previous[square];
}

// Dijkstra's algorithm with a list for each length that can be open (Dial, 1969): no length that is open is longer than
// the shortest one by more than a diagonal.
void sac_ways_aim(ways_map *m, int goal, int enough)
{
    int32_t lists[LISTS];
    const int squares = m->columns * m->rows;
    for (int i = 0; i < LISTS; i++) lists[i] = NONE;
    for (int i = 0; i < squares; i++) m->field[i] = WAYS_FAR;
    m->goal = goal;
    put(m, lists, goal, 0);
    const int32_t beyond = (int32_t)(1 / m->cell + 0.5) * WAYS_STRAIGHT;
    for (int32_t length = 0, empty = 0; empty < LISTS; length++)
    {
        // what is open by then has a longer way, which may not be its shortest one, and is not looked at
        if (enough >= 0 && m->field[enough] < length - beyond) break;
        const int32_t *list = &lists[length % LISTS];
        empty = *list == NONE ? empty + 1 : 0;
        while (*list != NONE)
        {
            const int square = *list;
            take(m, lists, square);
            for (int way = 0; way < NEIGHBOURS; way++)
            {
                const int to = neighbour(m, square, way);
                const int32_t longer = length + length_of(way);
                if (to == NONE || m->field[to] <= longer) continue;
                if (m->field[to] != WAYS_FAR) take(m, lists, to);
                put(m, lists, to, longer);
            }
        }
    }
}

static double distance_to(const ways_map *m, int square, const double place[2])
{
    double middle[2];
    sac_ways_middle(m, square, middle);
    const double x = middle[0] - place[0], y = middle[1] - place[1];
    return sqrt(x * x + y * y);
}

// The nearest square of those that are at most `most` away, or with `count_way` the one with the shortest way
static int least_near(const ways_map *m, const double place[2], double most, bool count_way, double *least)
{
    const int column = index_of(place[0], m->origin[0], m->cell), row = index_of(place[1], m->origin[1], m->cell);
    const int ring = (int)ceil(most / m->cell);
    const double unit = m->cell / WAYS_STRAIGHT;
    int best = NONE;
    *least = INFINITY;
    for (int r = within(row - ring, 0, m->rows - 1); r <= within(row + ring, 0, m->rows - 1); r++)
        for (int c = within(column - ring, 0, m->columns - 1); c <= within(column + ring, 0, m->columns - 1); c++)
        {
            const int square = r * m->columns + c;
            if (!m->free[square] || m->field[square] == WAYS_FAR) continue;
            const double away = distance_to(m, square, place);
            const double all = count_way ? away + m->field[square] * unit : away;
            if (away <= most && all < *least) *least = all, best = square;
        }
    return best;
}

// What is far beyond the nearest free square may lie around a corner, so it does not count.
int sac_ways_enter(const ways_map *m, const double place[2], double *length)
{
    double nearest, least;
    if (least_near(m, place, reach, false, &nearest) == NONE) return NONE;
    const int best = least_near(m, place, nearest + m->cell, true, &least);
    if (length) *length = least;
    return best;
}

// --- the way ahead

static bool in_view(const ways_map *m, const double from[2], const double to[2])
{
    const double x = to[0] - from[0], y = to[1] - from[1];
    const int count = (int)ceil(sqrt(x * x + y * y) / (m->cell / 2));
    for (int i = 1; i < count; i++)
    {
        const int square = sac_ways_at(m, from[0] + x * i / count, from[1] + y * i / count);
        if (square == NONE || !m->free[square]) return false;
    }
    return true;
}

static int follow(const ways_map *m, int square)
{
    for (int way = 0; way < NEIGHBOURS; way++)
    {
        const int to = neighbour(m, square, way);
        if (to != NONE && m->field[to] == m->field[square] - length_of(way)) return to; // WAYS_FAR has no sum
    }
    return square; // the goal
}

void sac_ways_corner(const ways_map *m, int square, double corner[2])
{
    double from[2], to[2];
    sac_ways_middle(m, square, from);
    memcpy(corner, from, sizeof from);
    while (square != m->goal)
    {
        const int next = follow(m, square);
        if (next == square) return; // squares of the way have been taken from the free ones since it was found
        square = next;
        sac_ways_middle(m, square, to);
        if (!in_view(m, from, to)) return;
        memcpy(corner, to, sizeof to);
    }
}
