#pragma once

#include "saccade/base.h"

/// What take-cover's episodes look like: its variants, and the scenario with a map for each scene that they need. A
/// scene differs from ViZDoom's in the height of its ceiling and in the texture of its floor alone, so that monsters
/// and fireballs do the same in all of them.

/// Its variants, for listings; NULL at the end. Beside them there is any=KIND+KIND, with the kinds original, walls,
/// floor, text and other.
extern const char *const sac_doom_variants[];

enum
{
    SAC_DOOM_KINDS = 5,
    SAC_DOOM_SCENES = 32 ///< at most; maps have numbers of two digits
};

typedef struct sac_doom_scene
{
    int ceiling;       ///< map units
    const char *floor; ///< the name of a flat
} sac_doom_scene;

typedef struct sac_doom_looks
{
    int kinds[SAC_DOOM_KINDS], kind_count; ///< of which each episode has one
    sac_doom_scene scenes[SAC_DOOM_SCENES];
    int scene_count; ///< 1 or more; the maps of the scenario in this order
    bool has_text;   ///< whether some episodes show the panel
} sac_doom_looks;

/// An episode's look.
typedef struct sac_doom_look
{
    int scene;
    bool text;
} sac_doom_look;

/// Read a variant.
/// @return SAC_ERROR_ARGUMENT for one that there is not
SAC_CHECKED sac_status sac_doom_looks_read(sac_doom_looks *looks, const char *variant);

/// Whether the scenario must be written, because it is not ViZDoom's own.
bool sac_doom_looks_rewritten(const sac_doom_looks *looks);

/// Draw an episode's look, a pure function of its seed: a kind, all alike likely, and then one of its scenes.
sac_doom_look sac_doom_looks_draw(const sac_doom_looks *looks, uint64_t seed);

/// Write the scenario: the maps MAP01, MAP02 and so on, one for each scene.
/// @param path        where the original is
/// @param descriptor  of the file that is written, from its beginning
SAC_CHECKED sac_status sac_doom_looks_write(const sac_doom_looks *looks, const char *path, int descriptor);
