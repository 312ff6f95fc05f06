#include "saccade/space.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

enum
{
    MAX_NAME = 48,
};

static int at_least_one(int side)
{
    return side > 0 ? side : 1;
}

size_t sac_space_size(const sac_space *space)
{
    if (space->kind == SAC_SPACE_CHOICE) return 1;
    size_t size = 1;
    for (int i = 0; i < 3; i++) size *= (size_t)at_least_one(space->shape[i]);
    return size;
}

size_t sac_space_bytes(const sac_space *space)
{
    return sac_space_size(space) * (space->kind == SAC_SPACE_PICTURE ? 1 : sizeof(float));
}

bool sac_space_same(const sac_space *a, const sac_space *b)
{
    if (a->kind != b->kind) return false;
    if (a->kind == SAC_SPACE_CHOICE) return a->choices == b->choices;
    for (int i = 0; i < 3; i++)
        if (at_least_one(a->shape[i]) != at_least_one(b->shape[i])) return false;
    return true;
}

bool sac_space_is_image(const sac_space *space)
{
    return space->kind == SAC_SPACE_PICTURE || sac_space_is_floats(space);
}

bool sac_space_is_floats(const sac_space *space)
{
    return space->kind == SAC_SPACE_DEPTH || space->kind == SAC_SPACE_FLOATS;
}

int sac_space_find(const sac_space *spaces, int count, const char *name)
{
    for (int i = 0; i < count; i++)
        if (strcmp(spaces[i].name, name) == 0) return i;
    return -1;
}

int sac_space_find_picture(const sac_space *spaces, int count)
{
    for (int i = 0; i < count; i++)
        if (spaces[i].kind == SAC_SPACE_PICTURE && !spaces[i].privileged) return i;
    return -1;
}

int sac_space_find_image(const sac_space *spaces, int count)
{
    int picture = sac_space_find_picture(spaces, count);
    for (int i = 0; i < count && picture < 0; i++)
        if (sac_space_is_floats(&spaces[i]) && !spaces[i].privileged) picture = i;
    return picture;
}

void sac_space_paint(const sac_space *space, const void *values, uint8_t *bytes)
{
    const size_t size = sac_space_size(space);
    if (space->kind == SAC_SPACE_PICTURE)
    {
        memcpy(bytes, values, size);
        return;
    }
    const float *floats = values;
    float low = INFINITY, high = -INFINITY;
    for (size_t i = 0; i < size; i++) low = fminf(low, floats[i]), high = fmaxf(high, floats[i]);
    if (space->low) low = space->low[0];
    if (space->high) high = space->high[0];
    float span = high > low ? high - low : 1;
    for (size_t i = 0; i < size; i++)
    {
        float x = rintf(255 * (floats[i] - low) / span);
        bytes[i] = (uint8_t)(x > 0 ? x < 255 ? x : 255 : 0);
    }
}

const char *sac_space_format(const sac_space *space, char text[SAC_SPACE_TEXT_SIZE])
{
    const int *shape = space->shape;
    char what[48];
    switch (space->kind)
    {
    case SAC_SPACE_PICTURE:
        snprintf(what, sizeof what, "%d x %d x %d bytes", shape[0], shape[1], at_least_one(shape[2]));
        break;
    case SAC_SPACE_FLOATS:
        snprintf(what, sizeof what, "%d x %d x %d floats", shape[0], shape[1], at_least_one(shape[2]));
        break;
    case SAC_SPACE_DEPTH: snprintf(what, sizeof what, "%d x %d floats", shape[0], shape[1]); break;
    case SAC_SPACE_VECTOR: snprintf(what, sizeof what, "%d numbers", shape[0]); break;
    default: snprintf(what, sizeof what, "a choice of %d", space->choices); break;
    }
    snprintf(text, SAC_SPACE_TEXT_SIZE, "%.*s %.40s", MAX_NAME, space->name ? space->name : "?", what);
    return text;
}

// ---- whether a list of parts can be an observation

static sac_status check_name(const sac_space *spaces, int index, const char *who)
{
    const char *name = spaces[index].name;
    if (!name || !name[0] || strlen(name) >= MAX_NAME || strpbrk(name, " \t\n,:;=\"'"))
        return sac_fail(SAC_ERROR_ARGUMENT,
                        "%s: part %d is called '%.60s', expected a name of 1 to %d characters without spaces, commas, "
                        "colons or quotes",
                        who, index, name ? name : "", MAX_NAME - 1);
    if (sac_space_find(spaces, index, name) >= 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "%s: two parts are called '%s'", who, name);
    return SAC_OK;
}

static bool in_range(int value, int least, int most)
{
    return value >= least && value <= most;
}

static sac_status check_shape(const sac_space *space, const char *who)
{
    const int *shape = space->shape;
    bool good = false;
    switch (space->kind)
    {
    case SAC_SPACE_PICTURE:
    case SAC_SPACE_FLOATS:
        good = in_range(shape[0], 1, SAC_SPACE_MAX_SIDE) && in_range(shape[1], 1, SAC_SPACE_MAX_SIDE) &&
               in_range(shape[2], 0, SAC_SPACE_MAX_CHANNELS);
        break;
    case SAC_SPACE_DEPTH:
        good = in_range(shape[0], 1, SAC_SPACE_MAX_SIDE) && in_range(shape[1], 1, SAC_SPACE_MAX_SIDE) &&
               in_range(shape[2], 0, 1);
        break;
    case SAC_SPACE_VECTOR:
        good = in_range(shape[0], 1, SAC_SPACE_MAX_NUMBERS) && in_range(shape[1], 0, 1) && in_range(shape[2], 0, 1);
        break;
    case SAC_SPACE_CHOICE: good = space->choices >= 1; break;
    }
    if (good) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT,
                    "%s: part '%s' has the shape [%d, %d, %d], expected 1 to %d pixels a side and 1 to %d channels, "
                    "or 1 to %d numbers",
                    who, space->name, shape[0], shape[1], shape[2], SAC_SPACE_MAX_SIDE, SAC_SPACE_MAX_CHANNELS,
                    SAC_SPACE_MAX_NUMBERS);
}

// Returns how many bounds a space has on either side.
static size_t bound_count(const sac_space *space)
{
    return space->kind == SAC_SPACE_VECTOR ? sac_space_size(space) : sac_space_is_floats(space) ? 1 : 0;
}

static sac_status check_bounds(const sac_space *space, const char *who)
{
    for (size_t i = 0; space->low && space->high && i < bound_count(space); i++)
        if (!(space->low[i] <= space->high[i]))
            return sac_fail(SAC_ERROR_ARGUMENT, "%s: number %zu of part '%s' lies in %g..%g, expected bounds in order",
                            who, i, space->name, (double)space->low[i], (double)space->high[i]);
    return SAC_OK;
}

sac_status sac_space_check_parts(const sac_space *spaces, int count, const char *who)
{
    if (count < 1 || count > SAC_MAX_PARTS || !spaces)
        return sac_fail(SAC_ERROR_ARGUMENT, "%s: an observation of %d parts, expected 1 to %d", who, count,
                        SAC_MAX_PARTS);
    for (int i = 0; i < count; i++)
    {
        SAC_TRY(check_name(spaces, i, who));
        SAC_TRY(check_shape(&spaces[i], who));
        SAC_TRY(check_bounds(&spaces[i], who));
    }
    return SAC_OK;
}

// ---- copies

static float *copy_bounds(float **room, const float *bounds, size_t count)
{
    if (!bounds) return NULL;
    float *copy = *room;
    memcpy(copy, bounds, count * sizeof *copy);
    *room += count;
    return copy;
}

sac_space *sac_space_copy_parts(const sac_space *spaces, int count)
{
    size_t numbers = 0, letters = 0;
    for (int i = 0; i < count; i++) numbers += 2 * bound_count(&spaces[i]), letters += strlen(spaces[i].name) + 1;
    // the spaces, then all bounds, then all names
    sac_space *copy = sac_alloc((size_t)count * sizeof *copy + numbers * sizeof(float) + letters);
    if (!copy) return NULL;
    float *bounds = (float *)(copy + count);
    char *names = (char *)(bounds + numbers);
    for (int i = 0; i < count; i++)
    {
        copy[i] = spaces[i];
        copy[i].low = copy_bounds(&bounds, spaces[i].low, bound_count(&spaces[i]));
        copy[i].high = copy_bounds(&bounds, spaces[i].high, bound_count(&spaces[i]));
        copy[i].name = strcpy(names, spaces[i].name);
        names += strlen(names) + 1;
    }
    return copy;
}

void sac_space_free_parts(sac_space *spaces)
{
    sac_free(spaces);
}
