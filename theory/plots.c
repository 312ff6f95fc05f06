#include "plots.h"

#include <math.h>
#include <stdio.h>

#include "base/error.h"
#include "base/memory.h"
#include "conversion.h"
#include "files/atomic.h"
#include "map.h"
#include "random.h"
#include "saccade/plot.h"
#include "saccade/theory.h"
#include "scene.h"

enum
{
    M = 10,
    R = 5,
    SIZE = 4,
    CURVE_POINTS = 721,
    MEASURED_POINTS = 20,
    DRAWS = 8000,
    MAX_LINES = 8
};

static const double pi = 3.141592653589793;
static const double least = 1e-5; // curves that vanish end at the foot of the plot

// a line with room for its points
typedef struct curve
{
    double x[CURVE_POINTS], y[CURVE_POINTS];
    sac_plot_line line;
} curve;

static void begin(curve *c, const char *name, int color)
{
    c->line = (sac_plot_line){.name = name, .x = c->x, .y = c->y, .color = color};
}

static void add(curve *c, double x, double y)
{
    SAC_ASSERT(c->line.count < CURVE_POINTS);
    c->x[c->line.count] = x;
    c->y[c->line.count++] = y;
}

static sac_status draw(sac_plot plot, const curve *curves, int count, const char *folder, const char *name)
{
    sac_plot_line lines[MAX_LINES];
    SAC_ASSERT(count <= MAX_LINES);
    for (int i = 0; i < count; i++) lines[i] = curves[i].line;
    plot.lines = lines;
    plot.line_count = count;
    plot.mark_x = NAN;
    char path[SAC_PATH_SIZE];
    SAC_TRY(sac_join_path(path, folder, name));
    return sac_plot_write(&plot, path);
}

// ---- errors over the angle

static const char *const forms[] = {"trig", "positive", "hybrid"};
static const char *const form_names[] = {"trig", "exp", "hybrid"};

static double closed_form(int form, const double *x, const double *y, int size)
{
    if (form == 0) return sac_theory_mse_trig(x, y, size, M);
    if (form == 1) return sac_theory_mse_exp(x, y, size, M);
    return sac_theory_mse_hybrid(x, y, size, M, R);
}

// Draw equal lengths; the angle is in multiples of pi and may have any sign.
static void add_closed_forms(curve *c, int form, double length, double from, double to, bool relative)
{
    for (int i = 0; i < CURVE_POINTS; i++)
    {
        double share = from + (to - from) * i / (CURVE_POINTS - 1), angle = share * pi;
        double x[2] = {length, 0}, y[2] = {length * cos(angle), length * sin(angle)};
        double kernel = relative ? exp(length * length * cos(angle)) : 1;
        add(c, share, fmax(closed_form(form, x, y, 2) / (kernel * kernel), least));
    }
}

// Points are drawn only where the tail is light enough for so many draws: |x + y|^2 <= 1.5, or trig.
static sac_status add_measured(curve *c, int form, double length, double from, double to, bool relative)
{
    for (int i = 0; i < MEASURED_POINTS; i++)
    {
        double share = from + (to - from) * (i + 0.5) / MEASURED_POINTS, angle = acos(cos(share * pi));
        double x[SIZE], y[SIZE], kernel = exp(length * length * cos(angle));
        if (form > 0 && 2 * length * length * (1 + cos(angle)) > 1.5) continue;
        theory_pair(x, y, SIZE, length, length, angle, 71, (uint64_t)i);
        sac_attention_def def = theory_def(forms[form], SIZE, M);
        def.direction_count = R;
        theory_moments misses;
        SAC_TRY(theory_squared_misses(&misses, &def, x, y, kernel, DRAWS));
        double error = misses.mean / (relative ? kernel * kernel : 1);
        if (error >= least) add(c, share, error);
    }
    return SAC_OK;
}

static const sac_plot angle_plot = {.x_label = "angle between x and y, in multiples of \xcf\x80", .log_y = true};

// Figure 3: one estimator, with a curve for each length.
static sac_status draw_lengths(const char *folder, int form, curve *curves)
{
    static const double lengths[] = {0.5, 0.75, 1, 1.25};
    static const char *const names[] = {"|x| = |y| = 0.5", "0.75", "1", "1.25"};
    for (int i = 0; i < 4; i++)
    {
        begin(&curves[i], names[i], i);
        add_closed_forms(&curves[i], form, lengths[i], 0, 1, false);
        begin(&curves[4 + i], i == 3 ? "measured" : NULL, i);
        curves[4 + i].line.dots = true;
        SAC_TRY(add_measured(&curves[4 + i], form, lengths[i], 0, 1, false));
    }
    char title[64], name[64];
    snprintf(title, sizeof title, "Mean squared error of %s features", form_names[form]);
    snprintf(name, sizeof name, "mse-%s.svg", form_names[form]);
    sac_plot plot = angle_plot;
    plot.title = title;
    plot.subtitle = form == 2 ? "m = 10, r = 5; curves: IAP v1, Eq. 10; points: the library's features, d = 4"
                              : "m = 10; curves: IAP v1, Eq. 13 and 14; points: the library's features, d = 4";
    plot.y_label = "mean squared error";
    return draw(plot, curves, 8, folder, name);
}

// Figure 4: all three estimators at one length over the extended angle.
static sac_status draw_slices(const char *folder, bool relative, curve *curves)
{
    for (int form = 0; form < 3; form++)
    {
        begin(&curves[form], form_names[form], form);
        add_closed_forms(&curves[form], form, 1, -2, 2, relative);
        begin(&curves[3 + form], form == 2 ? "measured" : NULL, form);
        curves[3 + form].line.dots = true;
        SAC_TRY(add_measured(&curves[3 + form], form, 1, -2, 2, relative));
    }
    sac_plot plot = angle_plot;
    plot.title =
        relative ? "Relative error: the hybrid is bounded best" : "The hybrid error vanishes where either does";
    plot.subtitle = "|x| = |y| = 1, m = 10, r = 5; curves: closed forms; points: the library's features, d = 4";
    plot.y_label = relative ? "mean squared error / SM\xc2\xb2" : "mean squared error";
    return draw(plot, curves, 6, folder, relative ? "mse-relative.svg" : "mse-slices.svg");
}

// ---- recall

static sac_status draw_recall(const char *folder, curve *curves)
{
    // The numbers a token takes: m; 2m; 3m(1 + r).
    static const int counts[] = {8, 16, 32, 64, 128, 256, 512};
    static const int hybrids[][2] = {{2, 1}, {4, 1}, {4, 3}, {8, 3}, {10, 5}, {16, 5}, {24, 7}};
    for (int form = 0; form < 3; form++)
    {
        begin(&curves[form], form == 2 ? "hybrid (m, r)" : form_names[form], form);
        for (int i = 0; i < 7; i++)
        {
            int m = form == 2 ? hybrids[i][0] : form == 0 ? counts[i] / 2 : counts[i], r = hybrids[i][1];
            double recall;
            SAC_TRY(
                theory_recall(&recall, &(theory_scorer){forms[form], m, form == 2 ? r : 0, 0}, SIZE, THEORY_MEAN, 20));
            add(&curves[form], form == 2 ? 3 * m * (1 + r) : counts[i], recall);
        }
    }
    begin(&curves[3], "chance", 5);
    curves[3].line.faint = true;
    add(&curves[3], 8, (double)THEORY_TOP / THEORY_TOKENS);
    add(&curves[3], 576, (double)THEORY_TOP / THEORY_TOKENS);
    sac_plot plot = {.title = "Top 10 of softmax that a feature map finds",
                     .subtitle = "Gaussian queries and keys, normalised, d = 4, L = 529, mean of 20 draws",
                     .x_label = "numbers a token",
                     .y_label = "share of the top 10",
                     .log_x = true};
    return draw(plot, curves, 4, folder, "recall.svg");
}

// ---- hashing

static sac_status draw_hashing(const char *folder, curve *curves, theory_scene *scene)
{
    enum
    {
        HASH_M = 16,
        HASH_DRAWS = 8
    };
    float exact[THEORY_TOKENS], hashed[THEORY_TOKENS];
    begin(&curves[0], "bound of Theorem 4.3 (bits of its proof, p = 0.1)", 1);
    begin(&curves[1], "largest error of 529 scores", 0);
    begin(&curves[2], "root mean square error", 2);
    for (int bits = 32; bits <= 8192; bits *= 2)
    {
        double worst = 0, square = 0, eps = sqrt(2 / (double)bits * (log(THEORY_TOKENS) + log(2 / 0.1)));
        for (int i = 0; i < HASH_DRAWS; i++)
        {
            uint64_t seed = 2000 + (uint64_t)i;
            theory_scene_draw(scene, SIZE, THEORY_TOKENS, THEORY_MEAN, seed);
            SAC_TRY(theory_scene_importance(scene, exact, "trig", HASH_M, 0, seed));
            SAC_TRY(theory_scene_hash(scene, hashed, HASH_M, bits, seed));
            double most = 0;
            for (int k = 0; k < THEORY_TOKENS; k++)
            {
                double miss = fabs((double)hashed[k] - (double)exact[k]);
                most = fmax(most, miss);
                square += miss * miss / (THEORY_TOKENS * HASH_DRAWS);
            }
            worst += most / HASH_DRAWS;
        }
        add(&curves[0], bits, exp(sqrt(SIZE)) * pi / 2 * eps);
        add(&curves[1], bits, worst);
        add(&curves[2], bits, sqrt(square));
    }
    sac_plot plot = {.title = "Scores from sign hashing",
                     .subtitle = "trig features m = 16, d = 4, normalised, L = 529; mean of 8 draws",
                     .x_label = "bits a token",
                     .y_label = "error of a score",
                     .log_x = true,
                     .log_y = true};
    return draw(plot, curves, 3, folder, "hashing.svg");
}

// ---- a convolution as heads

static sac_status draw_convolution(const char *folder)
{
    static const double alphas[] = {0.25, 0.5, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 16, 18, 20, 24};
    enum
    {
        COUNT = sizeof alphas / sizeof *alphas,
        SIDE = 12
    };
    theory_conversion found[COUNT];
    float weights[9 * 3 * 4], bias[4], x[3 * SIDE * SIDE];
    char path[SAC_PATH_SIZE];
    theory_uniform(weights, sizeof weights / sizeof *weights, 0, 1);
    theory_uniform(bias, sizeof bias / sizeof *bias, 0, 2);
    theory_uniform(x, sizeof x / sizeof *x, 0, 0);
    for (int i = 0; i < COUNT; i++)
        SAC_TRY(
            theory_convert(&found[i], &(sac_filter){3, 3, 4, weights, bias}, alphas[i], &(sac_planes){x, SIDE, SIDE}));
    SAC_TRY(sac_join_path(path, folder, "convolution.svg"));
    return theory_draw_conversion(found, COUNT, "3 x 3, 3 channels to 4, as nine heads; a picture of 12 x 12; float32",
                                  path);
}

static sac_status draw_all(const char *folder, curve *curves, theory_scene *scene)
{
    for (int form = 0; form < 3; form++) SAC_TRY(draw_lengths(folder, form, curves));
    SAC_TRY(draw_slices(folder, false, curves));
    SAC_TRY(draw_slices(folder, true, curves));
    SAC_TRY(draw_recall(folder, curves));
    SAC_TRY(draw_hashing(folder, curves, scene));
    return draw_convolution(folder);
}

sac_status theory_draw_plots(const char *folder)
{
    SAC_TRY(sac_make_folders(folder));
    curve *curves = SAC_NEW_ARRAY(curve, MAX_LINES);
    theory_scene *scene = SAC_NEW(theory_scene);
    sac_status status = curves && scene ? draw_all(folder, curves, scene) : sac_fail_memory("the plots");
    sac_free(curves);
    sac_free(scene);
    return status;
}
