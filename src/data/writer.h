#pragma once

#include "files/arrays/safetensors.h"
#include "saccade/demonstrations.h"

/// A file of demonstrations under way: laid out, then filled in place, then committed.
typedef struct sac_demonstrations_writer sac_demonstrations_writer;

/// Where what a file holds goes.
typedef struct sac_demonstrations_room
{
    uint8_t *frames[SAC_MAX_PARTS]; ///< as in sac_demonstrations
    float *actions;
    double *rewards, *returns;
    int64_t *lengths, *seeds;
    uint8_t *terminated, *truncated;
} sac_demonstrations_room;

/// Lay out a file.
/// @param[out] out   ended by commit or abort; NULL on failure
/// @param      shape what the file is to hold: its facts, parts, action, returns and counts are read, no other array is
/// @param[out] room  zeros so far
SAC_CHECKED sac_status sac_demonstrations_begin(sac_demonstrations_writer **out, const char *path,
                                                const sac_demonstrations *shape, sac_demonstrations_room *room);

/// Put the file in its place, and release the writer, also after a failure.
SAC_CHECKED sac_status sac_demonstrations_commit(sac_demonstrations_writer *writer);

/// NULL is ignored.
void sac_demonstrations_abort(sac_demonstrations_writer *writer);

/// What both sides know of the file.
#define SAC_DEMONSTRATIONS_FORMAT  "saccade demonstrations"
#define SAC_DEMONSTRATIONS_VERSION "1"
#define SAC_DEMONSTRATIONS_NAME    64 ///< bytes of a tensor's name

/// The tensor of a part with its type and shape, without its data.
/// @param name  where its name goes
sac_tensor sac_demonstrations_tensor(char name[SAC_DEMONSTRATIONS_NAME], const sac_space *part, int64_t frames);

/// Check facts that a file must fulfil, however it came to be: lengths that add up, actions that the space allows.
/// @param status  of a failure
SAC_CHECKED sac_status sac_demonstrations_check(const sac_demonstrations *d, const char *where, sac_status status);
