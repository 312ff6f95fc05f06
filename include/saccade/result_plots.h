#pragma once

#include "saccade/base.h"

/// These functions plot what the command writes: training curves, changed worlds, importance, attention and kernels.

typedef enum sac_curve_x
{
    SAC_CURVE_STEPS, ///< environment steps
    SAC_CURVE_MINUTES,
    SAC_CURVE_GENERATIONS,
} sac_curve_x;

/// Draw training curves from run folders (or metrics.csv files). One run: best and mean of the population, and the
/// held-out evaluation with a band of one standard deviation. Several: each run's evaluation, and its mean faintly.
/// @param runs   [count], 1..16
/// @param title  NULL: the name of the run
/// @return SAC_ERROR_FILE or SAC_ERROR_FORMAT (naming file and line) when metrics cannot be read; as sac_plot_write
SAC_API SAC_CHECKED sac_status sac_plot_curves(const char *const *runs, int count, sac_curve_x x, const char *title,
                                               const char *path);

/// Draw runs as medians over seeds: runs whose tasks differ only in train.seed are one line, the median of their
/// held-out evaluations at the same x, with a band from the lower to the upper quartile. The legend says what differs
/// between the lines. Between evaluations a run is interpolated linearly, and a line ends where the first of its runs
/// ends.
/// @param runs  [count] folders, 2..256
/// @return as sac_plot_curves; SAC_ERROR_ARGUMENT when a run has no two evaluations, or there are more than 12 lines
SAC_API SAC_CHECKED sac_status sac_plot_medians(const char *const *runs, int count, sac_curve_x x, const char *title,
                                                const char *path);

/// Tell whether sac_plot_medians would put some of these runs together.
SAC_API bool sac_plot_has_seeds(const char *const *runs, int count);

/// The kinds of files that can be drawn; the first line of a file says which it is.
typedef enum sac_plot_kind
{
    SAC_PLOT_RUN,            ///< a run folder, or its metrics.csv: sac_plot_curves, sac_plot_medians
    SAC_PLOT_GENERALISATION, ///< `saccade generalise --out`
    SAC_PLOT_IMPORTANCE,     ///< `saccade attend --csv`
    SAC_PLOT_ATTENTION,      ///< `saccade watch --attention`
    SAC_PLOT_KERNELS,        ///< `saccade bench attention --svg` and `--land`: attention.csv
    SAC_PLOT_FIT,            ///< a run folder of `saccade fit`, or its metrics.csv
} sac_plot_kind;

/// @return SAC_ERROR_FILE when it cannot be read, SAC_ERROR_FORMAT when it is none of these
SAC_API SAC_CHECKED sac_status sac_plot_kind_of(sac_plot_kind *kind, const char *path);

/// Draw policies in changed worlds as bars with whiskers of one standard deviation. Each variant has a group of bars,
/// with the article's agent beside them.
/// @param tables  [count], 1..16, files of saccade generalise
/// @param env     whose rows; NULL: the tables must be of one environment
/// @return as sac_plot_curves; SAC_ERROR_ARGUMENT for two environments, no row, or too many policies or variants
SAC_API SAC_CHECKED sac_status sac_plot_generalisation(const char *const *tables, int count, const char *env,
                                                       const char *title, const char *path);

/// Draw the importance of every patch of one image, the ten best ones numbered.
/// @param table  a file of saccade attend
SAC_API SAC_CHECKED sac_status sac_plot_importance(const char *table, const char *title, const char *path);

/// Draw, over an episode, in which columns and rows the patches lay that the policy kept.
/// @param table  a file of sac_attention_track_write
SAC_API SAC_CHECKED sac_status sac_plot_attention(const char *table, const char *title, const char *path);

/// Draw time (or memory) of forms of attention against the number of tokens, both logarithmic: saccade as lines, the
/// fastest peer as dots of the same colour.
/// @param table  a file of saccade bench attention
SAC_API SAC_CHECKED sac_status sac_plot_kernels(const char *table, bool memory, const char *title, const char *path);

/// Draw what nets that classify pictures get wrong over epochs, in per cent.
/// @param runs  [count], 1..6, run folders of saccade fit, or their metrics.csv
SAC_API SAC_CHECKED sac_status sac_plot_fits(const char *const *runs, int count, const char *title, const char *path);
