#pragma once

#include "saccade/env.h"
#include "saccade/policy.h"

/// One policy in one environment, played for people.
///
/// show.h describes pictures.

/// A viewer plays one policy in one environment and draws a frame of every step. It has one owner.
typedef struct sac_viewer sac_viewer;

/// Create a viewer. It must be reset before anything else.
/// @param policy  NULL: only the caller drives; otherwise it must outlive the viewer
/// @param env     copied in what it creates
/// @return what sac_env_create and sac_frame_create return; SAC_ERROR_ARGUMENT when policy and environment do not fit
SAC_API SAC_CHECKED sac_status sac_viewer_create(sac_viewer **out, const sac_policy *policy, const sac_env_def *env,
                                                 int width, int height);

/// Destroy a viewer. NULL is ignored.
SAC_API void sac_viewer_destroy(sac_viewer *viewer);

/// Start an episode; the policy looks at the first observation.
SAC_API SAC_CHECKED sac_status sac_viewer_reset(sac_viewer *viewer, uint64_t seed);

/// Take one step, but not after the end. The policy looks at the resulting observation.
/// @param action  [action_size]; NULL: what the policy decided (where there is no policy: the action nearest to zero)
SAC_API SAC_CHECKED sac_status sac_viewer_step(sac_viewer *viewer, const float *action);

/// Take a step without looking at what comes of it, for worlds in which a step lasts long, such as a whole grasp: its
/// moments are then drawn by sac_viewer_draw_moment, as far as they are wanted, and sac_viewer_finish ends it. The next
/// step, and a reset, end one that was not finished.
/// @param action  as of sac_viewer_step
SAC_API SAC_CHECKED sac_status sac_viewer_start(sac_viewer *viewer, const float *action);

/// Let the policy look at the observation that the started step resulted in. Where none was started nothing is done.
SAC_API SAC_CHECKED sac_status sac_viewer_finish(sac_viewer *viewer);

/// How many moments of the step that was started can be drawn, SAC_MOMENTS_A_SECOND of them to a second of the world's
/// own time; 0 where none was, and in worlds whose steps are short.
SAC_API int sac_viewer_moments(const sac_viewer *viewer);

/// Draw a moment of the step that was started, beside what the policy saw and decided before it; otherwise as
/// sac_viewer_draw.
/// @param moment  0..sac_viewer_moments - 1
SAC_API SAC_CHECKED sac_status sac_viewer_draw_moment(sac_viewer *viewer, int moment, const char *title,
                                                      const char *note, const uint8_t **rgb);

/// Draw the present.
/// @param note       such as "paused"; NULL: none
/// @param[out] rgb   [height, width, 3], belongs to the viewer, valid until the next call
SAC_API SAC_CHECKED sac_status sac_viewer_draw(sac_viewer *viewer, const char *title, const char *note,
                                               const uint8_t **rgb);

SAC_API bool sac_viewer_ended(const sac_viewer *viewer);
SAC_API int sac_viewer_steps(const sac_viewer *viewer);
SAC_API double sac_viewer_return(const sac_viewer *viewer);
SAC_API const sac_env_spec *sac_viewer_spec(const sac_viewer *viewer);

/// The pixels of a patch as the policy sees it at present, [patch, patch, channels], 0..1; false where there are none.
SAC_API bool sac_viewer_patch(const sac_viewer *viewer, int index, float *pixels);

/// Tell where the policy looks at present; NULL for one that does not look.
SAC_API const sac_gaze *sac_viewer_gaze(const sac_viewer *viewer);
