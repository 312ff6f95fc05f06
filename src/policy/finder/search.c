#include <math.h>
#include <string.h>

#include "base/random.h"
#include "policy/actor.h"
#include "policy/finder/finder.h"

/// What a finder looks for, and where.

static const double near = 0.8;       // m from a thing at which it should have been found
static const double same = 0.6;       // m within which two points are the same thing
static const double arrived = 0.25;   // m from a square that is gone to
static const int patience = 15;       // steps near a thing that turns out not to be it, or near an edge
static const int parts = 3;           // of the map that are cut off from each other, in which an edge is looked for
static const int lasts = 50;          // steps that a map lasts at least
static const int backwards = 8;       // steps back from what was run into
static const double bump_room = 0.25; // m ahead where something stands that was touched

static double away(const survey_place *from, const double point[2])
{
    const double x = point[0] - from->x, y = point[1] - from->y;
    return sqrt(x * x + y * y);
}

static double draw(finder_state *s)
{
    sac_stream random = sac_stream_create(finder_config_of(s)->seed, 0x66696e64, (uint64_t)s->draws++);
    return sac_stream_uniform(&random, 0, 1);
}

// --- words

// Keys and query that an encoder of its own makes, and both of a length of sqrt(T) for the scores
static void embed(finder_state *s, const uint8_t *picture, const float *words)
{
    const words_encoder *e = &finder_of(s)->encoder;
    const float root = sqrtf(sac_words_temperature(e, s->parameters));
    sac_words_look(e, &s->learn, s->parameters, s->keys, s->kept, picture, s->workspace);
    sac_words_read(e, &s->learn, s->parameters, s->query, s->lengths, words, 1);
    for (int i = 0; i < e->count * e->size; i++) s->scaled[i] = root * s->keys[i];
    for (int i = 0; i < e->size; i++) s->scaled_query[i] = root * s->query[i];
}

// False where given embeddings are too large for scores, and so say nothing
static bool score(finder_state *s, const void *const *inputs)
{
    const finder *f = finder_of(s);
    const int kept = finder_config_of(s)->kept;
    bool good;
    if (f->keys < 0)
    {
        embed(s, inputs[f->image], inputs[f->words]);
        good = sac_words_score(f->kernel, s->scores, s->scaled_query, s->scaled, f->count, s->kernel_room);
    }
    else
    {
        sac_tell_finite(s->keys, inputs[f->keys], (size_t)f->count * (size_t)f->size);
        sac_tell_finite(s->query, inputs[f->query], (size_t)f->size);
        good = sac_words_score(f->kernel, s->scores, s->query, s->keys, f->count, s->kernel_room);
    }
    sac_words_keep(s->top, s->shares, kept, s->scores, f->count);
    s->chosen = s->top[sac_words_choose(s->shares, kept, draw(s))];
    return good;
}

// The cosine between a patch and the words; NaN where a vector is zero
static double likeness(const finder_state *s, int patch)
{
    const int size = finder_of(s)->size;
    const float *key = s->keys + (ptrdiff_t)patch * size;
    double sum = 0, keys = 0, queries = 0;
    for (int i = 0; i < size; i++)
    {
        sum += (double)key[i] * (double)s->query[i];
        keys += (double)key[i] * (double)key[i];
        queries += (double)s->query[i] * (double)s->query[i];
    }
    return finder_of(s)->keys < 0 ? sum : sum / sqrt(keys * queries); // learned ones have a length of 1
}

// Where the nearest of what a patch shows is; false where that is out of sight.
static bool locate(const finder_state *s, const survey_place *place, const float *depth, int patch, double point[2])
{
    const finder *f = finder_of(s);
    const survey_camera *c = &f->camera;
    const int rows = c->height / f->rows, columns = c->width / f->columns;
    const int top = patch / f->columns * rows, left = patch % f->columns * columns;
    double nearest = c->far, at = 0;
    for (int i = 0; i < rows; i++)
        for (int k = 0; k < columns; k++)
        {
            const double here = (double)depth[(top + i) * c->width + left + k];
            if (here < nearest) nearest = here, at = left + k;
        }
    if (nearest >= 0.999 * c->far) return false;
    sac_survey_point(&s->survey, place, at, nearest, point);
    return true;
}

static bool is_refused(const finder_state *s, const double point[2])
{
    for (int i = 0; i < s->refused_count; i++)
    {
        const double x = s->refused[i][0] - point[0], y = s->refused[i][1] - point[1];
        if (x * x + y * y < same * same) return true;
    }
    return false;
}

void sac_finder_look(finder_state *s, const survey_place *place, const void *const *inputs)
{
    double point[2];
    if (!score(s, inputs)) return;
    const double like = likeness(s, s->chosen);
    const bool sure = like >= finder_config_of(s)->sure; // NaN is not
    if (!sure || !locate(s, place, inputs[finder_of(s)->depth], s->chosen, point) || is_refused(s, point)) return;
    const double x = point[0] - s->target[0], y = point[1] - s->target[1];
    const bool known = s->aim == FINDER_THING && x * x + y * y < same * same;
    if (s->aim == FINDER_THING && !known && like <= s->like) return;
    if (!known) s->waited = 0;
    s->aim = FINDER_THING;
    s->like = like;
    memcpy(s->target, point, sizeof s->target);
}

// --- where to go

static void choose_edge(finder_state *s, const survey_place *place)
{
    const bool random = strcmp(finder_config_of(s)->frontier, "random") == 0;
    const double chance = random ? draw(s) : -1;
    s->square = sac_survey_edge(&s->survey, chance);
    for (int i = 0; i < parts && s->square < 0 && sac_survey_spread(&s->survey, place, true); i++)
        s->square = sac_survey_edge(&s->survey, chance);
    s->aim = s->square >= 0 ? FINDER_EDGE : FINDER_NOWHERE;
    s->waited = 0;
    if (s->square >= 0 || s->steps - s->begun < lasts) return;
    // nothing is left to be known, and the thing was not found: what seemed to close a way may have been none
    sac_survey_begin(&s->survey);
    s->begun = s->steps;
}

static bool is_worth_going(const finder_state *s)
{
    return s->aim == FINDER_EDGE && s->survey.ways->field[s->square] != WAYS_FAR &&
           sac_survey_is_edge(&s->survey, s->square, NULL);
}

void sac_finder_decide(finder_state *s, const survey_place *place)
{
    if (!sac_survey_spread(&s->survey, place, false))
    {
        if (s->aim == FINDER_EDGE) s->aim = FINDER_NOWHERE;
        s->square = -1;
        return;
    }
    if (s->aim == FINDER_THING)
        s->square = sac_survey_nearest(&s->survey, s->target);
    else if (!is_worth_going(s))
        choose_edge(s, place);
    if (s->aim == FINDER_EDGE) sac_survey_is_edge(&s->survey, s->square, s->behind);
    if (s->square >= 0) sac_ways_aim(s->survey.ways, s->square, -1);
}

void sac_finder_corner(const finder_state *s, const survey_place *place, double corner[2])
{
    const double *look = s->aim == FINDER_THING ? s->target : s->behind;
    double middle[2];
    corner[0] = place->x - place->sine; // to the left: nowhere to go, so it turns to see more
    corner[1] = place->y + place->cosine;
    if (s->aim == FINDER_NOWHERE) return;
    memcpy(corner, look, sizeof middle);
    if (s->square < 0) return;
    sac_ways_middle(s->survey.ways, s->square, middle);
    if (away(place, middle) < arrived) return;
    const int from = sac_ways_enter(s->survey.ways, (double[2]){place->x, place->y}, NULL);
    if (from >= 0) sac_ways_corner(s->survey.ways, from, corner);
}

// --- what has come of it

static void give_up(finder_state *s)
{
    if (s->aim == FINDER_THING && s->refused_count < FINDER_REFUSED)
        memcpy(s->refused[s->refused_count++], s->target, sizeof s->target);
    if (s->aim == FINDER_EDGE) s->survey.spent[s->square] = 1;
    s->aim = FINDER_NOWHERE;
    s->square = -1;
    s->waited = 0;
}

void sac_finder_notice(finder_state *s, const survey_place *place, const float *motion)
{
    double middle[2];
    const bool bumped = motion[FINDER_MOTION - 1] > 0;
    if (s->backing > 0) s->backing--;
    if (bumped && s->backing == 0)
    {
        s->backing = backwards;
        sac_survey_block(&s->survey, place->x + bump_room * place->cosine, place->y + bump_room * place->sine);
    }
    if (s->aim == FINDER_NOWHERE || s->square < 0) return;
    sac_ways_middle(s->survey.ways, s->square, middle);
    const bool there = away(place, middle) < arrived || (s->aim == FINDER_THING && away(place, s->target) < near);
    if (there && ++s->waited > patience) give_up(s);
}
