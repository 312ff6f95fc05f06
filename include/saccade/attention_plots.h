#pragma once

#include "saccade/policy.h"
#include "saccade/viewer.h"

/// These functions collect attention over an episode, step by step, and draw it.

/// A track says, step by step, in which rows and columns the patches lie that a policy keeps, weighted by their
/// attention. Where a policy keeps none, all patches count.
typedef struct sac_attention_track sac_attention_track;

/// @param rows, columns  of the gazes that will be added
SAC_API SAC_CHECKED sac_status sac_attention_track_create(sac_attention_track **out, int rows, int columns);

/// NULL is ignored.
SAC_API void sac_attention_track_destroy(sac_attention_track *track);

/// Add the next step.
SAC_API SAC_CHECKED sac_status sac_attention_track_add(sac_attention_track *track, const sac_gaze *gaze);

/// Write CSV: step, the share of all attention that the kept patches get, and of that what each row gets, from the top,
/// and each column, from the left.
SAC_API SAC_CHECKED sac_status sac_attention_track_write(const sac_attention_track *track, const char *path);

/// A patch sheet shows examples of what wins attention over an episode and of what does not. It has three rows of
/// patches, drawn at random from the K that are kept (the ten most important where a policy keeps none), from those
/// around the best twentieth, and from the less important half.
typedef struct sac_patch_sheet sac_patch_sheet;

/// @param gaze      of the policy whose patches will be added
/// @param channels  of a patch
SAC_API SAC_CHECKED sac_status sac_patch_sheet_create(sac_patch_sheet **out, const sac_gaze *gaze, int channels);

/// NULL is ignored.
SAC_API void sac_patch_sheet_destroy(sac_patch_sheet *sheet);

/// Add what the viewer's policy looks at. Never allocates.
SAC_API void sac_patch_sheet_add(sac_patch_sheet *sheet, const sac_viewer *viewer);

/// Write the sheet as a PNG picture.
SAC_API SAC_CHECKED sac_status sac_patch_sheet_write(const sac_patch_sheet *sheet, const char *path);

/// An attention share says how concentrated attention is: the share of all importance that the patch of each rank gets,
/// averaged over frames.
typedef struct sac_attention_share sac_attention_share;

/// @param patches  N, of the gazes that will be added
SAC_API SAC_CHECKED sac_status sac_attention_share_create(sac_attention_share **out, int patches);

/// NULL is ignored.
SAC_API void sac_attention_share_destroy(sac_attention_share *share);

/// Add a frame. Never allocates. A gaze without any importance is not counted.
SAC_API void sac_attention_share_add(sac_attention_share *share, const sac_gaze *gaze);

/// Give the mean over frames for each rank, [N], falling, with sum 1; NULL before the first frame.
SAC_API const double *sac_attention_share_mean(sac_attention_share *share);

/// Draw the shares of the first ranks as bars, and their sum with a band of one standard deviation between frames.
SAC_API SAC_CHECKED sac_status sac_attention_share_plot(sac_attention_share *share, const char *title,
                                                        const char *path);
