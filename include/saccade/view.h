#pragma once

#include "saccade/base.h"
#include "saccade/env.h"
#include "saccade/policy.h"

/// What people see: where a policy looks, drawn over what it sees; frames, films and plots of it.
///
/// Pictures are [height, width, 3], 0..255, dense, in the caller's memory unless said otherwise. Drawing never fails,
/// never allocates and never writes outside; every pixel is a pure function of what is drawn, so films are the same on
/// every machine that has the same encoder.

/// The paper's overlay: the K top patches are blended with white in the order of rank, the patch of rank r (from 0)
/// with weight 1 - r/K. All blends are with white, so what they leave of a pixel is the product of r/K over the
/// patches that cover it: 1 where none does.
/// @param[out] keep  [height, width], of the observation
SAC_API void sac_overlay_keep(float *keep, int height, int width, const sac_gaze *gaze);

/// Blend a picture of any size with white: v keep + 255 (1 - keep), rounded to nearest. The map is stretched over the
/// picture by nearest neighbour, so an observation that was enlarged gets the same patches as one that was not.
/// @param strength  0..1, multiplies the weight of white; 1 is the paper's
SAC_API void sac_overlay_blend(uint8_t *rgb, int height, int width, const float *keep, int keep_height, int keep_width,
                               float strength);

/// Where a policy keeps no patch but mixes them all, no patch can be marked as chosen. The overlay then leaves a
/// picture's light where the levels are high and dims it where they are low: what is left of a pixel is 0.3 + 0.7 of
/// the level of the patch whose centre is nearest.
/// @param[out] keep    [height, width], of the observation
/// @param      levels  [N], of sac_heat_levels
SAC_API void sac_overlay_light(float *keep, int height, int width, const sac_gaze *gaze, const float *levels);

/// Dim a picture of any size: v keep, rounded to nearest; the rest is as in sac_overlay_blend.
SAC_API void sac_overlay_dim(uint8_t *rgb, int height, int width, const float *keep, int keep_height, int keep_width,
                             float strength);

/// The colour of a value in 0..1 (others are clamped): from near black over violet and orange to pale yellow. Lightness
/// (of the colour space OKLab) rises in proportion to the value, so equal steps look equal, in grey as well.
SAC_API void sac_heat_color(float value, uint8_t rgb[3]);

/// How bright every patch is in a heat map, 0..1: its rank, not its amount. A level is the number of patches that are
/// less important, all that are least counted as one, divided by that of the most important one; so equal patches are
/// equally bright, the least are 0, and all colours are used however attention is spread. Where all are equal all are
/// 0; a NaN counts as the least.
/// @param[out] levels      [count]
/// @param[out] sorted      [count] the importances, rising; must not overlap an input
/// @param      importance  [count], count >= 1
/// @return the share of all importance that the best twentieth of the patches gets (rounded up to whole patches): what
///         the ranks do not say; 0.05 where attention is even, NaN where the sum is no positive number
SAC_API double sac_heat_levels(float *levels, float *sorted, const float *importance, int count);

/// Draw levels as a heat map over the extent of the image that the policy looks at; pixels take the colour of the patch
/// whose centre is nearest.
/// @param levels  [N], of sac_heat_levels
SAC_API void sac_heat_map(uint8_t *rgb, int height, int width, const sac_gaze *gaze, const float *levels);

/// A composed frame: at the left the world as people see it and under it a line with return, step and action; at the
/// right the observation with the overlay and the heat map.
typedef struct sac_frame sac_frame;

enum
{
    SAC_FRAME_MIN_WIDTH = 240,
    SAC_FRAME_MIN_HEIGHT = 160,
    SAC_FRAME_MAX_SIDE = 7680,
    SAC_FRAME_WIDTH = 1136, ///< what is drawn unless asked otherwise
    SAC_FRAME_HEIGHT = 720,
};

/// What is drawn into a frame. Pointers are read during the call only.
typedef struct sac_frame_content
{
    const uint8_t *observation; ///< of the frame's spec
    const sac_gaze *gaze;       ///< NULL: a policy that does not look
    const float *levels;        ///< [N], of sac_heat_levels; NULL: no heat map
    double best_share;          ///< what sac_heat_levels returned; not said where it is no positive number
    const float *action;        ///< [action_size]; NULL: none yet
    bool overlay_world;         ///< draw the patches faintly on the people's picture too: it has the same view
    double episode_return;
    int step;
    const char *title; ///< such as "car-racing, color, seed 3"
    const char *note;  ///< such as "paused"; NULL: none
} sac_frame_content;

/// Create a frame for an environment.
/// @param spec  copied; what it points to must stay valid
/// @return SAC_ERROR_ARGUMENT when the size is out of range or odd (films need even sides), SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_frame_create(sac_frame **out, int width, int height, const sac_env_spec *spec);

/// Destroy a frame. NULL is ignored.
SAC_API void sac_frame_destroy(sac_frame *frame);

/// Where the people's picture goes before sac_frame_draw: draw into it with sac_env_picture.
SAC_API uint8_t *sac_frame_world(sac_frame *frame, int *height, int *width);

/// Compose. The result belongs to the frame and is valid until the next call: [height, width, 3].
SAC_API const uint8_t *sac_frame_draw(sac_frame *frame, const sac_frame_content *content);

/// A film that is being written: an MP4 file, or a folder of PNG images named by frame, 000000.png and on. An MP4
/// appears under its name when it is finished and not before.
typedef struct sac_film sac_film;

/// Begin a film.
/// @param path               of a file that ends in .mp4
/// @param frames_per_second  1..1000
/// @return SAC_ERROR_ARGUMENT for another ending or odd sides, SAC_ERROR_UNAVAILABLE without FFmpeg's libraries,
///         SAC_ERROR_FILE when the file cannot be written
SAC_API SAC_CHECKED sac_status sac_film_create(sac_film **out, const char *path, int width, int height,
                                               int frames_per_second);

/// Begin a film that is PNG images in a folder, which is made where it is not there.
SAC_API SAC_CHECKED sac_status sac_film_create_images(sac_film **out, const char *folder, int width, int height);

/// Add a frame, [height, width, 3].
SAC_API SAC_CHECKED sac_status sac_film_add(sac_film *film, const uint8_t *rgb);

/// Write the end and put the file in its place. The film must still be destroyed.
SAC_API SAC_CHECKED sac_status sac_film_finish(sac_film *film);

/// Destroy a film; one that was not finished leaves no file. NULL is ignored.
SAC_API void sac_film_destroy(sac_film *film);

/// A viewer plays one policy in one environment and draws a frame of every step. It has one owner.
typedef struct sac_viewer sac_viewer;

/// Create a viewer. It must be reset before anything else.
/// @param policy  NULL: nobody drives but the caller; otherwise it must outlive the viewer
/// @param env     copied in what it creates
/// @return what sac_env_create and sac_frame_create return; SAC_ERROR_ARGUMENT when policy and environment do not fit
SAC_API SAC_CHECKED sac_status sac_viewer_create(sac_viewer **out, const sac_policy *policy, const sac_env_def *env,
                                                 int width, int height);

/// Destroy a viewer. NULL is ignored.
SAC_API void sac_viewer_destroy(sac_viewer *viewer);

/// Start an episode; the policy looks at the first observation.
SAC_API SAC_CHECKED sac_status sac_viewer_reset(sac_viewer *viewer, uint64_t seed);

/// One step, not after the end. The policy looks at what comes of it.
/// @param action  [action_size]; NULL: what the policy decided (nothing at all where there is no policy)
SAC_API SAC_CHECKED sac_status sac_viewer_step(sac_viewer *viewer, const float *action);

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

/// Where the policy looks at present; NULL for one that does not look.
SAC_API const sac_gaze *sac_viewer_gaze(const sac_viewer *viewer);

/// A window with a picture, where there is a display. Used by one thread, the one that created it.
typedef struct sac_window sac_window;

/// Open a window. It may be resized; the picture is scaled.
/// @return SAC_ERROR_UNAVAILABLE without SDL2 or without a display
SAC_API SAC_CHECKED sac_status sac_window_create(sac_window **out, const char *title, int width, int height);

/// Close a window. NULL is ignored.
SAC_API void sac_window_destroy(sac_window *window);

/// Show a picture of the window's first size, [height, width, 3].
SAC_API void sac_window_show(sac_window *window, const uint8_t *rgb);

/// The next key: a small letter, a digit, ' ', '>' for the right arrow, 27 for escape or a closed window; 0: none.
SAC_API int sac_window_key(sac_window *window);

/// Turn the arrow keys (or W, A, S, D) that are held into an action, a fifth of the way from the last one to what is
/// held.
/// @param[in,out] action  [action_size]
SAC_API void sac_window_drive(sac_window *window, const sac_env_spec *spec, float *action);

/// A line of a plot.
typedef struct sac_plot_line
{
    const char *name;     ///< in the legend; NULL: not there
    const double *x, *y;  ///< [count]; points that are not finite are left out
    const double *spread; ///< [count]: a band y - spread .. y + spread; NULL: none
    int count;
    int color;                ///< 0..5
    bool faint;               ///< thin and pale: context for the others
    bool bars;                ///< a bar from 0 at every x instead of a line; its spread is a whisker
    bool dots;                ///< points alone, not joined
    const double *low, *high; ///< [count]: a band between them, instead of spread; NULL: none
    double offset, width;     ///< of bars: from x to their middle, and across; width 0: 0.84
} sac_plot_line;

/// A plot: lines over round axes.
typedef struct sac_plot
{
    const char *title, *subtitle, *x_label, *y_label; ///< UTF-8; NULL: none
    const sac_plot_line *lines;
    int line_count;
    double mark_x; ///< a dashed line across with its name; NaN: none
    const char *mark_name;
    bool from_zero;             ///< both axes begin at 0
    bool log_x, log_y;          ///< logarithmic; points that are not positive are left out
    const char *const *x_names; ///< stand at x = 0, 1, ... instead of numbers; NULL: numbers
    int x_name_count;           ///< 1..24
} sac_plot;

/// Draw a plot into a file that ends in .svg or .png.
/// @return SAC_ERROR_ARGUMENT for another ending or when there is no finite point, SAC_ERROR_UNAVAILABLE without cairo,
///         SAC_ERROR_FILE
SAC_API SAC_CHECKED sac_status sac_plot_write(const sac_plot *plot, const char *path);

/// A field of cells in the heat map's colours, see sac_heat_color.
typedef struct sac_heat_field
{
    const char *name, *y_label; ///< NULL: none
    const double *values;       ///< [rows, columns], row 0 at the top
    int rows, columns;
    const int *numbers; ///< [rows, columns]: written on a cell where it is above 0; NULL: none
} sac_heat_field;

/// Fields one below the other over one axis, with a bar that says which colour is which value.
typedef struct sac_heat_plot
{
    const char *title, *subtitle, *x_label, *value_label; ///< NULL: none
    const sac_heat_field *fields;                         ///< colours are ranks among the values of all
    int field_count;                                      ///< 1..4
    double x_first, x_last;                               ///< what the first and the last column stand for
    bool square;                                          ///< cells are squares
} sac_heat_plot;

/// Draw fields into a file that ends in .svg or .png.
/// @return as sac_plot_write
SAC_API SAC_CHECKED sac_status sac_heat_plot_write(const sac_heat_plot *plot, const char *path);

/// Round numbers at which an axis is marked: a step of 1, 2 or 5 times a power of ten, about `wanted` of them, and the
/// first and last multiple of it that enclose low..high.
typedef struct sac_axis
{
    double first, last, step;
    int count; ///< of marks: first, first + step, ..., last
} sac_axis;

SAC_API sac_axis sac_axis_of(double low, double high, int wanted);

/// The same for a logarithmic axis from low to high, both positive: powers of ten, or of two over short ranges, every
/// so many of them that there are about `wanted`; first, last and step are logarithms to the base 10.
SAC_API sac_axis sac_log_axis_of(double low, double high, int wanted);

/// The text of a mark, such as "250", "0.5", "40k" or "2M": one unit for the whole axis.
SAC_API void sac_axis_text(const sac_axis *axis, int index, char *text, size_t size);

/// The text of a mark of a logarithmic axis: "0.01", "1", "1000", far from 1 "10" with a raised exponent.
SAC_API void sac_log_axis_text(const sac_axis *axis, int index, char *text, size_t size);

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

/// Draw runs as medians over seeds: runs whose tasks differ in train.seed alone are one line, the median of their
/// held-out evaluations at the same x, with a band from the lower to the upper quartile. What the legend says is what
/// differs between the lines. Between evaluations a run is taken as straight; a line goes as far as all its runs do.
/// @param runs  [count] folders, 2..256
/// @return as sac_plot_curves; SAC_ERROR_ARGUMENT when a run has no two evaluations, or there are more than 12 lines
SAC_API SAC_CHECKED sac_status sac_plot_medians(const char *const *runs, int count, sac_curve_x x, const char *title,
                                                const char *path);

/// Whether sac_plot_medians would put some of these runs together.
SAC_API bool sac_plot_has_seeds(const char *const *runs, int count);

/// What a file holds that can be drawn; its first line says it.
typedef enum sac_plot_kind
{
    SAC_PLOT_RUN,            ///< a run folder, or its metrics.csv: sac_plot_curves, sac_plot_medians
    SAC_PLOT_GENERALISATION, ///< `saccade generalise --out`
    SAC_PLOT_IMPORTANCE,     ///< `saccade attend --csv`
    SAC_PLOT_ATTENTION,      ///< `saccade watch --attention`
    SAC_PLOT_KERNELS,        ///< `saccade bench attention --svg` and `--land`: attention.csv
} sac_plot_kind;

/// @return SAC_ERROR_FILE when it cannot be read, SAC_ERROR_FORMAT when it is none of these
SAC_API SAC_CHECKED sac_status sac_plot_kind_of(sac_plot_kind *kind, const char *path);

/// Draw policies in changed worlds as bars with whiskers of one standard deviation, a group each variant, the article's
/// agent beside them.
/// @param tables  [count], 1..16, files of saccade generalise
/// @param env     whose rows; NULL: the tables must be of one environment
/// @return as sac_plot_curves; SAC_ERROR_ARGUMENT for two environments, no row, or too many policies or variants
SAC_API SAC_CHECKED sac_status sac_plot_generalisation(const char *const *tables, int count, const char *env,
                                                       const char *title, const char *path);

/// Draw the importance of every patch of one image, the ten best ones numbered.
/// @param table  a file of saccade attend
SAC_API SAC_CHECKED sac_status sac_plot_importance(const char *table, const char *title, const char *path);

/// Draw over an episode in which columns and rows the patches lay that the policy kept.
/// @param table  a file of sac_attention_track_write
SAC_API SAC_CHECKED sac_status sac_plot_attention(const char *table, const char *title, const char *path);

/// Draw time (or memory) of forms of attention against the number of tokens, both logarithmic: saccade as lines, the
/// fastest peer as dots of the same colour.
/// @param table  a file of saccade bench attention
SAC_API SAC_CHECKED sac_status sac_plot_kernels(const char *table, bool memory, const char *title, const char *path);

/// In which rows and columns the patches lie that a policy keeps, weighted by their attention, step by step; all
/// patches where it keeps none.
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

/// Examples of what wins attention over an episode and of what does not: three rows of patches, drawn by lot from the K
/// that are kept (the ten most important where a policy keeps none), from those around the best twentieth, and from the
/// less important half.
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

/// How concentrated attention is: the share of all importance that the patch of each rank gets, averaged over frames.
typedef struct sac_attention_share sac_attention_share;

/// @param patches  N, of the gazes that will be added
SAC_API SAC_CHECKED sac_status sac_attention_share_create(sac_attention_share **out, int patches);

/// NULL is ignored.
SAC_API void sac_attention_share_destroy(sac_attention_share *share);

/// Add a frame. Never allocates. A gaze without any importance is not counted.
SAC_API void sac_attention_share_add(sac_attention_share *share, const sac_gaze *gaze);

/// The mean over frames for each rank, [N], falling, with sum 1; NULL before the first frame.
SAC_API const double *sac_attention_share_mean(sac_attention_share *share);

/// Draw the shares of the first ranks as bars, and their sum with a band of one standard deviation between frames.
SAC_API SAC_CHECKED sac_status sac_attention_share_plot(sac_attention_share *share, const char *title,
                                                        const char *path);
