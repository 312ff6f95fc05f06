#pragma once

#include "saccade/policy.h"
#include "saccade/rollout.h"

/// Demonstrations: files of whole episodes, of what was seen, what was done and what came of it. A policy, a baseline
/// or people's own programs write them; `saccade distill` and sac_fit learn from them. docs/demonstrations.md describes
/// the file.
///
/// Frames of all episodes lie one after the other, in the order of time: frame t holds what was seen before action t,
/// that action, and the reward that followed it.

/// What a file holds. The pointers belong to the file, or to who writes one.
typedef struct sac_demonstrations
{
    const char *environment;     ///< id of the world; "": unknown
    const char *variant;         ///< of it; "": the task itself
    const sac_setting *settings; ///< options of the world
    int setting_count;           ///< 0..256
    const char *driver;          ///< who decided, in words: a policy's file, "random", "idle", ...
    const sac_space *parts;      ///< [part_count] what was observed
    int part_count;              ///< 1..SAC_MAX_PARTS
    const void *const
        *frames;            ///< [part_count], each [frame_count, the part's shape], bytes or floats as its space says
    sac_space action;       ///< a vector of floats, or a choice
    const float *actions;   ///< [frame_count, numbers of the action], finite
    const double *rewards;  ///< [frame_count]
    int64_t frame_count;    ///< the sum of the lengths
    int episode_count;      ///< 1 at least
    const int64_t *lengths; ///< [episode_count] frames of each episode, 1 at least
    const int64_t *seeds;   ///< [episode_count]; -1: it had none
    const double *returns;  ///< [episode_count]
    const uint8_t *terminated; ///< [episode_count] 1 where the task itself ended
    const uint8_t *truncated;  ///< [episode_count] 1 where a time limit or who recorded ended it
} sac_demonstrations;

/// A file that is open for reading.
typedef struct sac_demonstrations_file sac_demonstrations_file;

/// Open a file of demonstrations. It is mapped into memory and checked as a whole, its checksum included (a second a
/// gigabyte or two); it must not be changed while it is open.
/// @param[out] out  released by sac_demonstrations_close; NULL on failure
/// @return SAC_ERROR_FILE, SAC_ERROR_FORMAT for a damaged file or another kind of file, SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_demonstrations_open(sac_demonstrations_file **out, const char *path);

/// The same from memory.
/// @param bytes  [size], 8-byte aligned; must outlive the file
/// @param where  names the source in errors
SAC_API SAC_CHECKED sac_status sac_demonstrations_read(sac_demonstrations_file **out, const void *bytes, size_t size,
                                                       const char *where);

/// Close a file. NULL is ignored.
SAC_API void sac_demonstrations_close(sac_demonstrations_file *file);

/// What it holds; valid until it is closed.
SAC_API const sac_demonstrations *sac_demonstrations_get(const sac_demonstrations_file *file);

/// Write a file of demonstrations, whole or not at all.
/// @param demonstrations  `returns` NULL: the sums of the rewards; `seeds` NULL: none; `terminated`, `truncated` NULL:
/// 0
/// @return SAC_ERROR_ARGUMENT for what cannot be read back, such as an action that is not finite; SAC_ERROR_FILE
SAC_API SAC_CHECKED sac_status sac_demonstrations_save(const char *path, const sac_demonstrations *demonstrations);

/// What to record.
typedef struct sac_record_def
{
    const char *path;         ///< of the file
    const sac_policy *policy; ///< who decides; NULL: nobody
    bool random;              ///< where nobody decides: actions drawn uniformly, as `eval --random` does; false: the
                              ///< idle action
    const char *driver;       ///< for the file, in words
    const sac_env_def *env;
    const uint64_t *seeds; ///< [count] of the episodes, each at most 2^63 - 1
    int count;             ///< 1 at least
    const char *parts;     ///< names of the parts that are kept, separated by blanks, privileged ones too; NULL or
                           ///< "": all that are not privileged
    int threads;           ///< 1 at least; any number writes the same bytes
    const volatile int *interrupt; ///< NULL or a flag that ends the recording when it is not 0; nothing is written then
} sac_record_def;

/// Play episodes by the environment's own rules and write them to a file, whole or not at all. What is recorded waits
/// in a nameless file beside it, so that it may be larger than the memory there is.
/// @param[out] episodes  [count], in the order of the seeds
/// @return SAC_ERROR_ARGUMENT for a part that is not there (with "did you mean") or a policy that does not fit,
///         SAC_ERROR_INTERRUPTED, SAC_ERROR_FILE
SAC_API SAC_CHECKED sac_status sac_record(const sac_record_def *def, sac_episode *episodes);
