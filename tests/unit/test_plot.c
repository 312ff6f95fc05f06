#include "base/memory.h"
#include "failing_memory.h"
#include "files/atomic.h"
#include "saccade/attention_plots.h"
#include "saccade/plot.h"
#include "saccade/result_plots.h"
#include "scratch.h"
#include "test.h"

static char *slurp(const char *path)
{
    uint8_t *bytes;
    size_t size;
    assert_ok(sac_read_file(&bytes, &size, path, 1 << 24));
    return (char *)bytes;
}

static void write_text(const char *path, const char *text)
{
    assert_ok(sac_write_file(path, text, strlen(text)));
}

static void write_plot(const sac_plot *plot, const char *path)
{
    sac_status status = sac_plot_write(plot, path);
    if (status == SAC_ERROR_UNAVAILABLE) skip_without("cairo (make setup)");
    assert_ok(status);
}

// an axis encloses its data, its marks are round, and there are neither too few nor too many
TEST(axes_are_round_and_enclose)
{
    sac_stream random = sac_stream_create(7, 0, 0);
    for (int i = 0; i < 2000; i++)
    {
        double scale = pow(10, sac_stream_uniform(&random, -6, 9));
        double low = scale * sac_stream_uniform(&random, -1, 1);
        double high = low + scale * sac_stream_uniform(&random, 1e-3, 2);
        sac_axis axis = sac_axis_of(low, high, 6);
        assert_true(axis.first <= low + 1e-8 * axis.step && axis.last >= high - 1e-8 * axis.step);
        assert_true(axis.first > low - axis.step && axis.last < high + axis.step);
        // the rough step is 3/4 to 7/4 of the round one: 4.2 to 10.5 steps in the range, and up to one at either end
        assert_true(axis.count >= 5 && axis.count <= 13);
        assert_near(axis.first + (axis.count - 1) * axis.step, axis.last, 1e-9 * axis.step * axis.count + 1e-9 * scale);
        double mantissa = axis.step / pow(10, floor(log10(axis.step) + 1e-9));
        assert_true(fabs(mantissa - 1) < 1e-6 || fabs(mantissa - 2) < 1e-6 || fabs(mantissa - 5) < 1e-6);
    }
    sac_axis flat = sac_axis_of(5, 5, 6);
    assert_true(flat.first < 5 && flat.last > 5);
}

TEST(logarithmic_axes_enclose_in_powers_of_ten)
{
    sac_stream random = sac_stream_create(8, 0, 0);
    for (int i = 0; i < 2000; i++)
    {
        double low = pow(10, sac_stream_uniform(&random, -30, 30));
        double high = low * pow(10, sac_stream_uniform(&random, 0, 40));
        sac_axis axis = sac_log_axis_of(low, high, 6);
        assert_true(pow(10, axis.first) <= low * (1 + 1e-6) && pow(10, axis.last) >= high * (1 - 1e-6));
        double unit = log10(high / low) < 3.25 ? log10(2) : 1, steps = axis.step / unit, first = axis.first / unit;
        assert_true(steps > 0.99 && fabs(steps - round(steps)) < 1e-9 && fabs(first - round(first)) < 1e-9);
        assert_true(axis.count >= 2 && axis.count <= 10);
        assert_near(axis.first + (axis.count - 1) * axis.step, axis.last, 1e-9);
    }
    sac_axis one = sac_log_axis_of(1, 1, 6);
    assert_true(one.first == 0 && one.last == log10(2));
    char text[24];
    sac_log_axis_text(&one, 1, text, sizeof text);
    assert_string_equal(text, "2");
    sac_axis powers = {log10(16384), log10(65536), log10(4), 2};
    sac_log_axis_text(&powers, 1, text, sizeof text);
    assert_string_equal(text, "65536");
    sac_axis axis = {-6, 12, 3, 7};
    static const char *const texts[] = {
        "10\xe2\x81\xbb\xe2\x81\xb6", "0.001", "1", "1000", "10\xe2\x81\xb6", "10\xe2\x81\xb9", "10\xc2\xb9\xc2\xb2"};
    for (int i = 0; i < axis.count; i++)
    {
        sac_log_axis_text(&axis, i, text, sizeof text);
        assert_string_equal(text, texts[i]);
    }
}

TEST(axis_texts)
{
    char text[24];
    sac_axis axis = {-200, 1000, 200, 7};
    sac_axis_text(&axis, 0, text, sizeof text);
    assert_string_equal(text, "\xe2\x88\x92"
                              "200");
    sac_axis_text(&axis, 1, text, sizeof text);
    assert_string_equal(text, "0");
    axis = (sac_axis){0, 12e6, 2e6, 7};
    sac_axis_text(&axis, 3, text, sizeof text);
    assert_string_equal(text, "6M");
    axis = (sac_axis){0, 50e3, 5e3, 11};
    sac_axis_text(&axis, 1, text, sizeof text);
    assert_string_equal(text, "5k");
}

// tags open and close in order, attributes are quoted: enough to be XML for a file without entities or CDATA
static void check_xml(const char *at)
{
    char stack[64][32];
    int depth = 0, elements = 0;
    for (at = strchr(at, '<'); at; at = strchr(at + 1, '<'))
    {
        const char *end = strchr(at, '>');
        assert_non_null(end);
        if (at[1] == '?' || at[1] == '!') continue;
        int quotes = 0;
        for (const char *c = at; c < end; c++) quotes += *c == '"';
        assert_int_equal(quotes % 2, 0);
        char name[32] = "";
        sscanf(at + 1 + (at[1] == '/'), "%31[A-Za-z]", name);
        if (at[1] == '/')
        {
            assert_true(depth > 0);
            assert_string_equal(name, stack[--depth]);
        }
        else if (end[-1] != '/')
        {
            assert_true(depth < 64);
            strcpy(stack[depth++], name);
        }
        elements++;
    }
    assert_int_equal(depth, 0);
    assert_true(elements > 5);
}

// whether the file has a path of three points whose positions are in the proportions of (0, 0), (1, 10), (3, 5)
static bool has_points(const char *svg)
{
    const double rounding = 4.0 / 256; // cairo keeps coordinates in 1/256 of a point
    for (const char *at = strstr(svg, "d=\"M"); at; at = strstr(at + 1, "d=\"M"))
    {
        double x[3], y[3];
        char after;
        if (sscanf(at, "d=\"M %lf %lf L %lf %lf L %lf %lf %c", &x[0], &y[0], &x[1], &y[1], &x[2], &y[2], &after) != 7)
            continue;
        if (x[1] - x[0] > 50 && fabs((x[2] - x[0]) - 3 * (x[1] - x[0])) < 3 * rounding && y[0] - y[1] > 50 &&
            fabs((y[0] - y[1]) - 2 * (y[0] - y[2])) < 3 * rounding)
            return true;
    }
    return false;
}

TEST(svg_is_xml_and_holds_the_points)
{
    scratch_open();
    static const double x[] = {0, 1, NAN, 3}, y[] = {0, 10, 4, 5}, spread[] = {1, 1, 1, 2};
    sac_plot_line line = {.name = "a <line> & more", .x = x, .y = y, .spread = spread, .count = 4};
    sac_plot plot = {.title = "title", .x_label = "x", .y_label = "y", .lines = &line, .line_count = 1, .mark_x = NAN};
    write_plot(&plot, scratch_path("a.svg"));
    char *svg = slurp(scratch_path("a.svg"));
    check_xml(svg);
    assert_true(has_points(svg));
    sac_free(svg);
    static const double other[] = {0, 10, 4, 9};
    line.y = other;
    write_plot(&plot, scratch_path("a.svg"));
    svg = slurp(scratch_path("a.svg"));
    assert_false(has_points(svg));
    sac_free(svg);
}

// points that a logarithmic axis has no place for are left out, the others stand where their logarithms do
TEST(logarithmic_plots)
{
    scratch_open();
    const double x[] = {-1, 1, 0, 10, 1000, 5}, y[] = {1, 1e-7, 1, 1e3, 1e-2, 0};
    sac_plot_line line = {.name = "points", .x = x, .y = y, .count = 6};
    sac_plot plot = {.lines = &line, .line_count = 1, .mark_x = NAN, .log_x = true, .log_y = true};
    write_plot(&plot, scratch_path("log.svg"));
    char *svg = slurp(scratch_path("log.svg"));
    check_xml(svg);
    assert_true(has_points(svg)); // in powers of ten: (0, -7), (1, 3), (3, -2)
    sac_free(svg);
    line.dots = true;
    write_plot(&plot, scratch_path("log.svg"));
    svg = slurp(scratch_path("log.svg"));
    assert_false(has_points(svg)); // points alone: no line joins them
    sac_free(svg);
    line.count = 1;
    assert_fails(sac_plot_write(&plot, scratch_path("none.svg")), SAC_ERROR_ARGUMENT, "no point to draw");
}

TEST(png_is_written_whole)
{
    scratch_open();
    static const double x[] = {1, 2, 3}, y[] = {1, 2, 3};
    sac_plot_line line = {.x = x, .y = y, .count = 3, .bars = true};
    sac_plot plot = {.lines = &line, .line_count = 1, .mark_x = 2, .mark_name = "here", .from_zero = true};
    write_plot(&plot, scratch_path("a.png"));
    char *png = slurp(scratch_path("a.png"));
    assert_memory_equal(png, "\x89PNG", 4);
    sac_free(png);
    assert_int_not_equal(access(scratch_path("a.png.tmp"), F_OK), 0);
    assert_fails(sac_plot_write(&plot, scratch_path("no/a.png")), SAC_ERROR_FILE,
                 "no/a.png: cannot be written: No such file or directory");
}

TEST(plots_say_what_is_wrong)
{
    static const double x[] = {1}, nothing[] = {NAN};
    sac_plot_line line = {.x = x, .y = x, .count = 1};
    sac_plot plot = {.lines = &line, .line_count = 1, .mark_x = NAN};
    assert_fails(sac_plot_write(&plot, "x.pdf"), SAC_ERROR_ARGUMENT, ".svg or .png");
    line.y = nothing;
    assert_fails(sac_plot_write(&plot, "x.svg"), SAC_ERROR_ARGUMENT, "no point");
}

#define HEADER "generation,steps,seconds,best,mean,std,eval_mean,eval_std,eval_episodes,sigma\n"

// the last row is cut short, as after a kill: it is not there
TEST(curves_of_runs)
{
    scratch_open();
    assert_ok(sac_make_folders(scratch_path("one")));
    write_text(scratch_path("one/metrics.csv"),
               HEADER "1,100,1,5,0,1,,,,0.1\n2,200,2,9,10,1,4,2,8,0.1\n4,400,4,9,5,1,,,,0.1\n"
                      "5,500,5,1");
    const char *runs[] = {scratch_path("one"), scratch_path("one/metrics.csv")};
    sac_status status = sac_plot_curves(runs, 1, SAC_CURVE_STEPS, NULL, scratch_path("one.svg"));
    if (status == SAC_ERROR_UNAVAILABLE) skip_without("cairo (make setup)");
    assert_ok(status);
    char *svg = slurp(scratch_path("one.svg"));
    check_xml(svg);
    assert_true(has_points(svg)); // the mean: (100, 0), (200, 10), (400, 5)
    sac_free(svg);
    assert_ok(sac_plot_curves(runs, 2, SAC_CURVE_MINUTES, "both", scratch_path("two.svg")));
    svg = slurp(scratch_path("two.svg"));
    assert_true(has_points(svg));
    sac_free(svg);
}

// a run of one seed: its evaluations are `level` and three times that
static void write_run(const char *name, const char *sigma, int seed, double level)
{
    char text[512], path[128];
    assert_ok(sac_make_folders(scratch_path(name)));
    snprintf(path, sizeof path, "%s/task.yaml", name);
    snprintf(text, sizeof text, "search:\n  sigma: %s\ntrain:\n  seed: %d\n  generations: %d\n", sigma, seed, seed);
    write_text(scratch_path(path), text);
    snprintf(path, sizeof path, "%s/metrics.csv", name);
    snprintf(text, sizeof text, HEADER "1,100,1,5,0,1,%g,1,4,0.1\n2,200,2,9,10,1,,,,0.1\n3,300,3,9,10,1,%g,1,4,0.1\n",
             level, 3 * level);
    write_text(scratch_path(path), text);
}

TEST(seeds_of_one_task_are_one_line)
{
    scratch_open();
    write_run("a", "0.1", 1, 7);
    write_run("b", "0.1", 2, 1);
    write_run("c", "0.1", 3, 3);
    write_run("d", "0.2", 1, 2);
    static char paths[6][256];
    for (int i = 0; i < 6; i++) snprintf(paths[i], sizeof paths[i], "%s", scratch_path((char[]){(char)('a' + i), 0}));
    const char *runs[] = {paths[0], paths[1], paths[2], paths[3]};
    const char *other[] = {runs[2], runs[3], runs[0], runs[1]};
    assert_true(sac_plot_has_seeds(runs, 4));
    assert_true(sac_plot_has_seeds(runs, 2));
    assert_false(sac_plot_has_seeds(runs + 2, 2));
    assert_false(sac_plot_has_seeds(runs, 1));
    sac_status status = sac_plot_medians(runs, 3, SAC_CURVE_STEPS, "t", scratch_path("m.png"));
    if (status == SAC_ERROR_UNAVAILABLE) skip_without("cairo (make setup)");
    assert_ok(status);
    // the order of runs does not matter
    const char *turned[] = {runs[1], runs[2], runs[0]};
    assert_ok(sac_plot_medians(turned, 3, SAC_CURVE_STEPS, "t", scratch_path("n.png")));
    assert_true(same_bytes("m.png", "n.png"));
    // nor how far away a run above the upper quartile is, once it does not move that quartile
    const char *five[] = {runs[0], runs[1], runs[2], paths[4], paths[5]};
    write_run("e", "0.1", 4, 8);
    write_run("f", "0.1", 5, 9);
    assert_ok(sac_plot_medians(five, 5, SAC_CURVE_STEPS, "t", scratch_path("m.png")));
    write_run("f", "0.1", 5, 90);
    assert_ok(sac_plot_medians(five, 5, SAC_CURVE_STEPS, "t", scratch_path("n.png")));
    assert_true(same_bytes("m.png", "n.png"));
    write_run("a", "0.1", 1, 6);
    assert_ok(sac_plot_medians(five, 5, SAC_CURVE_STEPS, "t", scratch_path("n.png")));
    assert_false(same_bytes("m.png", "n.png"));
    assert_ok(sac_plot_medians(other, 4, SAC_CURVE_MINUTES, NULL, scratch_path("q.svg")));
    write_text(scratch_path("b/metrics.csv"), HEADER "1,100,1,5,0,1,4,1,4,0.1\n");
    assert_fails(sac_plot_medians(runs, 3, SAC_CURVE_STEPS, "t", "x.svg"), SAC_ERROR_ARGUMENT, "a line needs two");
    assert_survives_lack_of_memory(sac_plot_medians(other, 2, SAC_CURVE_STEPS, "t", scratch_path("q.svg")), (void)0);
}

TEST(curves_say_what_is_wrong)
{
    scratch_open();
    const char *run = scratch_path("none");
    assert_fails(sac_plot_curves(&run, 1, SAC_CURVE_STEPS, NULL, "x.svg"), SAC_ERROR_FILE, "none");
    static const struct
    {
        const char *text, *words;
        sac_status status;
    } bad[] = {
        {"", "empty", SAC_ERROR_FORMAT},
        {"a,b\n1,2\n", "names no column 'generation'", SAC_ERROR_FORMAT},
        {HEADER, "no row", SAC_ERROR_FORMAT},
        {HEADER "1,100,1,5,0\n", "line 2 has other columns", SAC_ERROR_FORMAT},
        {HEADER "1,1,1,1,1,1,1,1,1,1\n1,100,1,five,0,1,,,,0.1\n", "line 3 has no number for 'best'", SAC_ERROR_FORMAT}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    {
        write_text(scratch_path("bad.csv"), bad[i].text);
        run = scratch_path("bad.csv");
        assert_fails(sac_plot_curves(&run, 1, SAC_CURVE_STEPS, NULL, "x.svg"), bad[i].status, bad[i].words);
    }
    assert_fails(sac_plot_curves(&run, 17, SAC_CURVE_STEPS, NULL, "x.svg"), SAC_ERROR_ARGUMENT, "1 to 16");
}

// the shares of each frame, sorted, averaged: they fall, their sum is 1, and order of patches does not matter
TEST(shares_of_attention)
{
    scratch_open();
    enum
    {
        N = 12
    };
    float first[N], second[N];
    double expected[N] = {0};
    for (int i = 0; i < N; i++) first[i] = (float)(N - i), second[(i * 5) % N] = (float)((N - i) * (N - i));
    for (int i = 0; i < N; i++) expected[i] = 0.5 * (N - i) / 78.0 + 0.5 * (N - i) * (N - i) / 650.0;
    static const int top[] = {0, 1};
    sac_gaze gaze = {
        .height = 12, .width = 16, .rows = 3, .columns = 4, .patch = 4, .stride = 4, .kept = 2, .top = top};
    sac_attention_share *share;
    assert_ok(sac_attention_share_create(&share, N));
    assert_null(sac_attention_share_mean(share));
    assert_fails(sac_attention_share_plot(share, "t", "x.svg"), SAC_ERROR_ARGUMENT, "no frame");
    gaze.importance = first;
    sac_attention_share_add(share, &gaze);
    gaze.importance = second;
    sac_attention_share_add(share, &gaze);
    const double *mean = sac_attention_share_mean(share);
    for (int i = 0; i < N; i++) assert_near(mean[i], expected[i], 1e-15);
    sac_status status = sac_attention_share_plot(share, "t", scratch_path("share.svg"));
    assert_true(status == SAC_OK || status == SAC_ERROR_UNAVAILABLE);
    sac_attention_share_destroy(share);
    sac_attention_share_destroy(NULL);
}

TEST(curves_survive_lack_of_memory)
{
    scratch_open();
    write_text(scratch_path("m.csv"), HEADER "1,100,1,5,0,1,,,,0.1\n2,200,2,9,10,1,4,2,8,0.1\n");
    const char *run = scratch_path("m.csv");
    sac_status status = sac_plot_curves(&run, 1, SAC_CURVE_STEPS, NULL, scratch_path("m.svg"));
    if (status == SAC_ERROR_UNAVAILABLE) skip_without("cairo (make setup)");
    assert_survives_lack_of_memory(sac_plot_curves(&run, 1, SAC_CURVE_STEPS, NULL, scratch_path("m.svg")), (void)0);
    sac_attention_share *share;
    assert_survives_lack_of_memory(sac_attention_share_create(&share, 49), sac_attention_share_destroy(share));
}

// ---- ellipses

typedef struct box
{
    int left, right, top, bottom;
} box;

// The rectangle of what is in colours: grids and texts are grey, to a shade of blue.
static box box_of(const uint8_t *rgb, int height, int width)
{
    box b = {width, -1, height, -1};
    for (int i = 0; i < height * width; i++)
    {
        const uint8_t *p = rgb + 3 * i;
        if (abs(p[0] - p[1]) < 30 && abs(p[1] - p[2]) < 30) continue;
        b.left = i % width < b.left ? i % width : b.left;
        b.right = i % width > b.right ? i % width : b.right;
        b.top = i / width < b.top ? i / width : b.top;
        b.bottom = i / width > b.bottom ? i / width : b.bottom;
    }
    return b;
}

static box draw_box(double x, double y, double xx, double yy)
{
    const sac_ellipse e = {.x = x, .y = y, .covariance = {xx, 0, yy}, .color = 1, .number = -1};
    const sac_ellipse_panel panel = {NULL, &e, 1};
    const sac_ellipse_plot plot = {.panels = &panel, .panel_count = 1, .reach = 5};
    int height, width;
    sac_ellipse_plot_size(1, &height, &width);
    assert_true(height % 2 == 0 && width % 2 == 0);
    uint8_t *rgb = sac_alloc((size_t)height * (size_t)width * 3);
    sac_status status = sac_ellipse_plot_draw(&plot, rgb);
    if (status == SAC_ERROR_UNAVAILABLE) skip_without("cairo (make setup)");
    assert_ok(status);
    const box b = box_of(rgb, height, width);
    sac_free(rgb);
    return b;
}

// The outer contour is two deviations away on each side: four across, where a step of the centre is one. Lines are 2.6
// pixels thick, half of them outside, and pixels are whole: 5 pixels.
TEST(ellipses_have_their_places_and_sizes)
{
    const box middle = draw_box(0, 0, 1, 1), right = draw_box(1, 0, 1, 1), down = draw_box(0, 1, 1, 1);
    const int unit = right.left - middle.left;
    assert_true(unit > 20 && abs(right.right - middle.right - unit) <= 1 && abs(right.top - middle.top) <= 1);
    assert_true(abs(down.top - middle.top - unit) <= 1 && abs(down.left - middle.left) <= 1);
    assert_true(abs(middle.right - middle.left - 4 * unit) <= 5 && abs(middle.bottom - middle.top - 4 * unit) <= 5);
    const box flat = draw_box(0, 0, 4, 0.25);
    assert_true(abs(flat.right - flat.left - 8 * unit) <= 5 && abs(flat.bottom - flat.top - 2 * unit) <= 5);
    const box large = draw_box(0, 0, (double)INFINITY, (double)INFINITY); // all of the panel, and not more
    assert_true(large.right - large.left <= 10 * unit + 5);
    assert_true(draw_box((double)NAN, 0, 1, 1).right < 0);
}

TEST(ellipses_become_files)
{
    const sac_ellipse e = {.covariance = {1, 0.5, 2}, .number = 7, .faint = true};
    const sac_ellipse_panel panels[] = {{"layer 0", &e, 1}, {"layer 1", &e, 1}, {"layer 2", &e, 1}, {"layer 3", &e, 0}};
    const sac_ellipse_plot plot = {.title = "heads", .panels = panels, .panel_count = 4, .reach = 3};
    sac_status status = sac_ellipse_plot_write(&plot, scratch_path("heads.svg"));
    if (status == SAC_ERROR_UNAVAILABLE) skip_without("cairo (make setup)");
    assert_ok(status);
    char *svg = slurp(scratch_path("heads.svg"));
    check_xml(svg);
    sac_free(svg);
    assert_fails(sac_ellipse_plot_write(&plot, scratch_path("heads.pdf")), SAC_ERROR_ARGUMENT, ".svg or .png");
}

// How many pixels of these columns are not white, in the rows where the names of the first row of panels stand.
static int ink_between(const uint8_t *rgb, int width, int from, int to)
{
    int ink = 0;
    for (int y = 100; y < 158; y++)
        for (int x = from; x < to; x++) ink += rgb[3 * (y * width + x)] < 250;
    return ink;
}

// Panels begin at 30, 260 and 490 points of 720, and are 204 wide; a point is two pixels.
TEST(names_of_panels_stay_above_their_squares)
{
    static const char *const names[] = {
        "layer 0", "epoch 100: 9 shifts, 9 degenerate, 9 out", "epoch 100000: 1000 shifts, 1000 degenerate, 1000 out",
        ("a name that is as long as the longest that the pictures of heads have room for, "
         "all one hundred and twenty-seven bytes")};
    int height, width;
    sac_ellipse_plot_size(3, &height, &width);
    uint8_t *rgb = sac_alloc((size_t)height * (size_t)width * 3);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    {
        const sac_ellipse_panel panels[] = {{names[i], NULL, 0}, {names[i], NULL, 0}, {names[i], NULL, 0}};
        sac_status status =
            sac_ellipse_plot_draw(&(sac_ellipse_plot){.panels = panels, .panel_count = 3, .reach = 3}, rgb);
        if (status == SAC_ERROR_UNAVAILABLE) sac_free(rgb);
        if (status == SAC_ERROR_UNAVAILABLE) skip_without("cairo (make setup)");
        assert_ok(status);
        for (int panel = 0; panel < 3; panel++)
        {
            const int left = 2 * (30 + 230 * panel), right = left + 2 * 204, next = panel < 2 ? left + 2 * 230 : width;
            assert_true(ink_between(rgb, width, left, right) > 100);
            assert_int_equal(ink_between(rgb, width, right + 4, next - 2), 0);
        }
    }
    sac_free(rgb);
}

TESTS(ellipses_have_their_places_and_sizes, ellipses_become_files, names_of_panels_stay_above_their_squares,
      axes_are_round_and_enclose, logarithmic_axes_enclose_in_powers_of_ten, logarithmic_plots, axis_texts,
      svg_is_xml_and_holds_the_points, png_is_written_whole, plots_say_what_is_wrong, curves_of_runs,
      seeds_of_one_task_are_one_line, curves_say_what_is_wrong, shares_of_attention, curves_survive_lack_of_memory)
