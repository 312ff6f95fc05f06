#pragma once

#include "saccade/base.h"

/// Spaces: what a part of an observation, or an action, looks like.
///
/// A world lists the parts that can be seen of it, a policy names the parts that it takes, and both describe them by
/// this one type, so that "do these fit" is a comparison of spaces.

/// What the numbers of a space are, and how they lie in memory.
typedef enum sac_space_kind
{
    SAC_SPACE_PICTURE, ///< uint8_t [height, width, channels], 0..255
    SAC_SPACE_DEPTH,   ///< float [height, width]: distances or any other picture of one float a pixel
    SAC_SPACE_VECTOR,  ///< float [n]
    SAC_SPACE_CHOICE,  ///< float [1] that holds one of the whole numbers 0..choices-1
    SAC_SPACE_FLOATS,  ///< float [height, width, channels]: a picture that was not rounded to bytes
} sac_space_kind;

enum
{
    SAC_SPACE_TEXT_SIZE = 96,      ///< of sac_space_format
    SAC_MAX_PARTS = 16,            ///< of an observation
    SAC_SPACE_MAX_SIDE = 16384,    ///< pixels
    SAC_SPACE_MAX_CHANNELS = 64,   ///< of a picture: several stacked ones have many
    SAC_SPACE_MAX_NUMBERS = 65536, ///< of a vector
};

/// A named part of an observation, or an action. It does not own what it points to.
typedef struct sac_space
{
    const char *name; ///< such as "camera", without spaces, commas and colons
    sac_space_kind kind;
    int shape[3]; ///< height, width, channels of a picture; height, width of a depth picture; n of a vector. What is
                  ///< left at 0 counts as 1
    int choices;  ///< of a choice
    const float *low;  ///< [n] of a vector, one of a picture of floats: the least value; NULL: none is known
    const float *high; ///< the same, the greatest
    bool privileged;   ///< only teachers, critics and planners may see it
} sac_space;

/// The numbers in one such observation.
SAC_API size_t sac_space_size(const sac_space *space);

/// The bytes that they take: one each in a picture, four otherwise.
SAC_API size_t sac_space_bytes(const sac_space *space);

/// Tell whether two spaces have the same kind, shape and choices. Names and bounds may differ.
SAC_API bool sac_space_same(const sac_space *a, const sac_space *b);

/// Tell whether a space is a picture of bytes or of floats, which a policy can cut into patches.
SAC_API bool sac_space_is_image(const sac_space *space);

/// Tell whether a space is a picture of floats, with one a pixel (a depth picture) or with several.
SAC_API bool sac_space_is_floats(const sac_space *space);

/// Find the part with that name.
/// @return its index; -1: there is none
SAC_API int sac_space_find(const sac_space *spaces, int count, const char *name);

/// The index of the first picture that is not privileged; -1: there is none.
SAC_API int sac_space_find_picture(const sac_space *spaces, int count);

/// The index of the image that people are shown: the first picture of bytes that is not privileged, else the first
/// picture of floats; -1: there is none.
SAC_API int sac_space_find_image(const sac_space *spaces, int count);

/// Draw an image for people: bytes stay, and of floats the bounds, or else the least and the greatest one, become 0 and
/// 255.
/// @param      values  as the space says
/// @param[out] bytes   [height, width, channels]
SAC_API void sac_space_paint(const sac_space *space, const void *values, uint8_t *bytes);

/// A space for people, such as "camera 96 x 96 x 3 bytes".
/// @return text
SAC_API const char *sac_space_format(const sac_space *space, char text[SAC_SPACE_TEXT_SIZE]);

/// Check that a list of parts can be an observation: that it has 1 to SAC_MAX_PARTS parts, each with a name of its own,
/// a shape in range and bounds in order.
/// @param who  begins the sentence of a failure
/// @return SAC_ERROR_ARGUMENT where it cannot
SAC_API SAC_CHECKED sac_status sac_space_check_parts(const sac_space *spaces, int count, const char *who);

/// A copy of a list of parts in one block of memory, names and bounds included, released by sac_space_free_parts.
/// @return NULL on lack of memory
SAC_API sac_space *sac_space_copy_parts(const sac_space *spaces, int count);

/// NULL is ignored.
SAC_API void sac_space_free_parts(sac_space *spaces);
