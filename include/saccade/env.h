#pragma once

#include "saccade/base.h"
#include "saccade/options.h"
#include "saccade/space.h"

/// Environments: an action goes in, what can be seen and a reward come out.
///
/// What can be seen is a list of parts: pictures of bytes or of floats, vectors of numbers. A caller says with its row
/// which of them it wants; the others are not drawn. Parts that are privileged tell what no camera and no sensor of the
/// world would: they are for teachers, critics and planners alone.
///
/// Observations, actions, rewards and ends live in the caller's arrays; an environment writes its own row of them and
/// nothing else. An environment is deterministic: the seed of an episode and its actions decide every bit. It has one
/// owner at a time; different environments may run in different threads. Nothing allocates while stepping.
///
/// An environment of one's own is a sac_env_ops table. It is registered by sac_env_register, or comes in a shared
/// object (saccade/plugin.h). Where it fails, it says why with sac_fail:
///
///     return sac_fail(SAC_ERROR_ENVIRONMENT, "fall: the camera of robot %d is silent", robot);

/// One environment's own row of the caller's batch arrays.
typedef struct sac_env_row
{
    const float *action; ///< [action_size], in the environment's own bounds; not read by reset
    /// [observation_count] where each part of the observation goes, sac_space_bytes of it each; an entry of NULL: this
    /// part is not wanted; NULL as a whole: none is
    void *const *parts;
    double *reward;      ///< [1]
    uint8_t *terminated; ///< [1], 1 when the task itself ended
    uint8_t *truncated;  ///< [1], 1 when only the time limit was reached
} sac_env_row;

/// One column of what `saccade replay` writes beside step, reward and ends. `saccade eval` counts flags and counts, as
/// they are after the last step of each episode.
typedef struct sac_env_column
{
    const char *name;
    enum
    {
        SAC_COLUMN_FLOAT,  ///< printed as %.9g
        SAC_COLUMN_DOUBLE, ///< printed as %.17g
        SAC_COLUMN_INT,    ///< printed as %d
        SAC_COLUMN_FLAG,   ///< printed as %d: 1 once something has happened in the episode, before that 0
        SAC_COLUMN_COUNT,  ///< printed as %d: how often something has happened in the episode so far
    } type;
} sac_env_column;

enum
{
    SAC_MOMENTS_A_SECOND = 50 ///< of what happens during a step
};

/// What an environment looks like from outside. The pointers belong to the environment.
typedef struct sac_env_spec
{
    /// [observation_count] the parts that can be seen, one at least that is not privileged. A world of one picture may
    /// leave them out and give height, width and channels alone: the picture is then its part "camera", and its row
    /// always has a place for it.
    const sac_space *observations;
    int observation_count;
    int height, width, channels; ///< of the first picture that is not privileged; 0: there is none
    int action_size;             ///< floats in an action
    int action_choices;          ///< 0: a box; n: one float that holds a choice 0..n-1
    const float *action_low;     ///< [action_size], finite; NULL: 0, for a choice alone
    const float *action_high;    ///< [action_size], finite; NULL: action_choices - 1, for a choice alone
    /// >= 1: after so many steps an episode that has not terminated is truncated, whatever the environment says. So no
    /// episode goes on for ever, and an environment need not count its steps.
    int max_steps;
    int lanes; ///< environments worth stepping at once in a thread; 0: any number
    const sac_env_column *columns;
    int column_count;
    const char *const *action_names; ///< for people: [action_size], or [action_choices] for a choice; NULL: none
    float picture_aspect;            ///< width over height that suits sac_env_picture; 0: as the observation
    bool picture_same_view;          ///< at that aspect the picture shows just what the observation shows
    /// For people: names of the pictures, one above the other and equally high, that depth parts are made of, NULL at
    /// the end; NULL: each is one picture.
    const char *const *depth_views;
} sac_env_spec;

/// Episode seed that means: the episode after this one, from where this one's random numbers stand.
#define SAC_SEED_NEXT UINT64_MAX

/// A field of a state that was stored in a file, such as "qpos".
typedef struct sac_env_field
{
    const char *name;
    const double *values; ///< [count]
    size_t count;
} sac_env_field;

/// What a snapshot is doing with an environment.
typedef enum sac_snapshot_way
{
    SAC_SNAPSHOT_MEASURE, ///< count the bytes, touch nothing
    SAC_SNAPSHOT_SAVE,    ///< copy the environment to the caller's memory
    SAC_SNAPSHOT_RESTORE, ///< copy the caller's memory to the environment
} sac_snapshot_way;

/// A snapshot under way. An environment hands each part of itself that can differ between two moments of its life to
/// sac_snapshot_part, in an order that never changes, so that one list of parts serves all three ways.
typedef struct sac_snapshot
{
    sac_snapshot_way way;
    uint8_t *to;         ///< SAVE: where the next part goes
    const uint8_t *from; ///< RESTORE: where it comes from
    size_t size;         ///< bytes handed over so far
} sac_snapshot;

/// Measure, save or restore one part.
/// @param part  [size] bytes of plain data; read while saving, written while restoring
SAC_API void sac_snapshot_part(sac_snapshot *snapshot, void *part, size_t size);

/// What a backend supplies. `self` is its own struct; it holds all state, random numbers included.
typedef struct sac_env_ops
{
    /// The world's id as it is typed on the command line, such as "car-racing". A name that ends with ':', such as
    /// "gym:", stands for every id that begins with it; what follows becomes the value of its option "name".
    const char *name;
    const char *summary;         ///< one line; NULL: none
    const sac_option *options;   ///< table over the backend's config struct; NULL: none
    size_t config_size;          ///< bytes of that struct
    const char *const *variants; ///< for listings: names, NULL at the end; NULL: none but "original"
    /// Names of the options, NULL at the end, whose values leave the world and its rewards as they are: how it is
    /// shown, how long an action lasts (rewards of the steps between are added up), how it is run. Returns compare
    /// whatever these say, and not where another option differs. NULL: there are none.
    const char *const *same_world;

    /// @param variant  never NULL; "original" when none was asked for
    sac_status (*create)(void **self, const void *config, const char *variant);
    void (*spec)(const void *self, sac_env_spec *spec);
    sac_status (*reset)(void *self, uint64_t seed, const sac_env_row *row);
    /// Take one step; never reset by itself, never allocate. The row comes with a reward of 0 and both ends as 0.
    /// row->parts is never NULL, but entries of it may be: what is not wanted need not be computed.
    sac_status (*step)(void *self, const sac_env_row *row);
    /// Step several at once, the same bits as one by one; NULL: they are stepped one by one.
    sac_status (*step_batch)(void *const *selves, const sac_env_row *rows, int count);
    /// Take this action with the next step in place of the row's, [action_size]; NULL: the world computes in floats.
    void (*precise)(void *self, const double *action);
    /// Go on from a state that was stored in a file; NULL: it cannot.
    sac_status (*set_state)(void *self, const sac_env_field *fields, int count, const sac_env_row *row);
    /// Hand over everything that a reset or a step changes, random numbers included, and after restoring rebuild what
    /// follows from it; NULL: the world cannot be saved. The size is the same for all environments of one def.
    sac_status (*snapshot)(void *self, sac_snapshot *snapshot);
    /// Write the values of spec.columns; NULL when there are none.
    void (*state)(const void *self, double *values);
    /// Draw the scene for people at any size, [height, width, 3]; NULL: the observation is all there is.
    sac_status (*picture)(void *self, uint8_t *rgb, int height, int width);
    /// For people, of worlds whose steps last long: how many moments of the last step can be drawn,
    /// SAC_MOMENTS_A_SECOND of them to a second of the world's own time; 0 after a reset. NULL: none ever.
    int (*moments)(const void *self);
    /// Draw such a moment as `picture` draws the present, which stays as it is; NULL where `moments` is.
    sac_status (*picture_at)(void *self, int moment, uint8_t *rgb, int height, int width);
    void (*destroy)(void *self); ///< NULL is ignored
} sac_env_ops;

typedef struct sac_env sac_env;

/// What to create.
typedef struct sac_env_def
{
    const char *id;              ///< such as "car-racing"
    const char *variant;         ///< NULL or "original": the task itself
    const sac_setting *settings; ///< options of the environment
    int setting_count;
} sac_env_def;

/// Add an environment under its own name, beside the built-in ones. `ops` must stay valid. Not while threads create.
/// @return SAC_ERROR_ARGUMENT when the name is taken, a required function is missing, or its options do not fit
SAC_API SAC_CHECKED sac_status sac_env_register(const sac_env_ops *ops);

/// The number of known environments, and the i-th one.
SAC_API int sac_env_count(void);
SAC_API const sac_env_ops *sac_env_at(int index);

/// The environment that an id names; NULL: there is none.
SAC_API const sac_env_ops *sac_env_find(const char *id);

/// Create an environment. It must be reset before it is stepped.
/// @param[out] out  released by sac_env_destroy; NULL on failure
/// @return SAC_ERROR_ARGUMENT for an unknown id, variant or option (with "did you mean"); SAC_ERROR_ENVIRONMENT where
///         the environment's spec is out of range
SAC_API SAC_CHECKED sac_status sac_env_create(sac_env **out, const sac_env_def *def);

/// Destroy an environment. NULL is ignored.
SAC_API void sac_env_destroy(sac_env *env);

SAC_API const sac_env_spec *sac_env_get_spec(const sac_env *env);
SAC_API const sac_env_ops *sac_env_get_ops(const sac_env *env);

/// The space of the environment's actions, called "action". Its bounds belong to the environment.
SAC_API sac_space sac_env_action_space(const sac_env_spec *spec);

/// Start an episode: writes the first observation, a reward of 0 and both ends as 0.
/// @param seed  decides the episode; SAC_SEED_NEXT goes on from the last one
SAC_API SAC_CHECKED sac_status sac_env_reset(sac_env *env, uint64_t seed, const sac_env_row *row);

/// One step. After an end the environment must be reset; stepping it further is a caller's bug. An episode ends with
/// its max_steps-th step at the latest: where it has not terminated by then, it is truncated.
SAC_API SAC_CHECKED sac_status sac_env_step(sac_env *env, const sac_env_row *row);

/// Step `count` environments, all created from the same def; rows[i] belongs to envs[i]. The bits are those of
/// sac_env_step one by one.
SAC_API SAC_CHECKED sac_status sac_env_step_batch(sac_env *const *envs, const sac_env_row *rows, int count);

/// An action in full precision: the next step takes it in place of its row's, rounded to floats where the world
/// computes in floats. For replays.
/// @param action  [action_size]
/// @return whether the world takes it; otherwise the row's action counts
SAC_API bool sac_env_act_precisely(sac_env *env, const double *action);

/// Go on from a state that was stored in a file, after a reset: writes its observation.
/// @return SAC_ERROR_ARGUMENT where the environment cannot, SAC_ERROR_FORMAT for fields that do not fit
SAC_API SAC_CHECKED sac_status sac_env_set_state(sac_env *env, const sac_env_field *fields, int count,
                                                 const sac_env_row *row);

/// Bytes that a snapshot takes: the same for all environments of one def, at any time; 0: this world cannot be saved.
SAC_API size_t sac_env_snapshot_size(const sac_env *env);

/// Save the whole world as it stands between two steps, random numbers included, so that it can be branched, searched
/// in and put back. The observation is the caller's and is not part of it. Never allocates. Costs
/// microseconds, and a tenth of a millisecond where car-racing has to draw another track.
/// @param[out] snapshot  [sac_env_snapshot_size]; may be copied, kept, and given to any environment of the same def
/// @return SAC_ERROR_ARGUMENT before the first reset, or where the world cannot be saved
SAC_API SAC_CHECKED sac_status sac_env_save(sac_env *env, void *snapshot);

/// Put a world back to where it was saved: from here the same actions give the same bits as they gave from there, also
/// by sac_env_step_batch, and a reset with SAC_SEED_NEXT starts the same episode. No observation is written; a picture
/// of the observation's own kind comes with the next step. Never allocates.
/// @param snapshot  [size], from an environment of the same def and the same build of saccade
/// @return SAC_ERROR_FORMAT for other bytes, changed ones included; the world is then as it was
SAC_API SAC_CHECKED sac_status sac_env_restore(sac_env *env, const void *snapshot, size_t size);

/// The values of spec.columns, [column_count].
SAC_API void sac_env_state(const sac_env *env, double *values);

/// Draw the scene for people, rgb [height, width, 3]. Where the environment has no picture of its own, the last
/// picture that was observed, enlarged by nearest neighbour; the caller must still have it.
/// @return SAC_ERROR_ARGUMENT before the first reset, or where no picture was asked for
SAC_API SAC_CHECKED sac_status sac_env_picture(sac_env *env, uint8_t *rgb, int height, int width);

/// How many moments of the last step can be drawn: of worlds whose steps last long, such as a whole grasp,
/// SAC_MOMENTS_A_SECOND of them to a second of the world's own time. 0 for other worlds, before the first step of an
/// episode, and after sac_env_restore.
SAC_API int sac_env_moments(const sac_env *env);

/// Draw the scene for people as it was at a moment of the last step, rgb [height, width, 3].
/// @param moment  0..sac_env_moments - 1, the first one first; the step's end is what sac_env_picture draws
SAC_API SAC_CHECKED sac_status sac_env_picture_at(sac_env *env, int moment, uint8_t *rgb, int height, int width);
