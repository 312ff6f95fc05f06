#pragma once

#include "base/random.h"
#include "env/rooms/plan.h"
#include "saccade/render.h"

/// Things that have a name of two words, a colour and a shape, such as "red ball". The k-th name has the colour k / 6
/// and the shape k % 6. One shape of each colour, and so one colour of each shape, is kept for tests of whether words
/// that were learned apart are understood together: `unmet` names.

enum
{
    ROOMS_COLOURS = 6,
    ROOMS_SHAPES = 6,
    ROOMS_NAMES = ROOMS_COLOURS * ROOMS_SHAPES,
    ROOMS_VOCABULARY = ROOMS_COLOURS + ROOMS_SHAPES, ///< words: the colours, then the shapes
    ROOMS_THING_GEOMS = 8                            ///< of one thing, at most
};

/// Which names there are, or which of them the goal may have.
typedef enum rooms_names
{
    ROOMS_ALL_NAMES,
    ROOMS_MET_NAMES,  ///< nothing in the plan has an unmet name
    ROOMS_UNMET_NAMES ///< the goal has one; the other things have any
} rooms_names;

/// A word of the vocabulary.
const char *sac_rooms_word(int index);

bool sac_rooms_unmet(int name);

/// The caption of a name as a bag of words: [ROOMS_VOCABULARY], ones for its two words and zeros.
void sac_rooms_caption(int name, float *bag);

/// Put up to `count` things of different names into the rooms of a plan that has walls and no furniture yet, the first
/// of them with a name that the goal may have.
void sac_rooms_add_things(rooms_plan *plan, int count, rooms_names names, sac_stream *random);

/// The solids of a thing as geoms, from its middle on the floor.
/// @param[out] geoms  [ROOMS_THING_GEOMS]
/// @return how many
int sac_rooms_thing_geoms(const rooms_piece *thing, sac_geom *geoms);
