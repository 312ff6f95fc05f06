#include "base/memory.h"
#include "failing_memory.h"
#include "files/atomic.h"
#include "files/pictures/png.h"
#include "saccade/attention_plots.h"
#include "saccade/overlay.h"
#include "saccade/result_plots.h"
#include "scratch.h"
#include "show/plots/table.h"
#include "test.h"

static const char *write_text(const char *name, const char *text)
{
    assert_ok(sac_write_file(scratch_path(name), text, strlen(text)));
    return scratch_path(name);
}

// a plot that must succeed where cairo is there; without it the test ends here
static void must_draw(sac_status status)
{
    if (status == SAC_ERROR_UNAVAILABLE) skip_without("cairo (make setup)");
    assert_ok(status);
}

TEST(tables_are_read_by_the_names_of_columns)
{
    scratch_open();
    sac_table t;
    assert_ok(sac_table_read(&t, write_text("t.csv", "a,b,c\r\n1,x,\n-2.5e1,,3"))); // either end of line, or none
    assert_int_equal(t.rows, 2);
    assert_int_equal(t.columns, 3);
    assert_int_equal(sac_table_find(&t, "b"), 1);
    assert_int_equal(sac_table_find(&t, "d"), -1);
    assert_string_equal(sac_table_cell(&t, 0, 1), "x");
    assert_near(sac_table_number(&t, 1, 0), -25, 0);
    assert_near(sac_table_number(&t, 1, 2), 3, 0);
    assert_true(isnan(sac_table_number(&t, 0, 1)) && isnan(sac_table_number(&t, 0, 2)));
    sac_table_clear(&t);
    static const struct
    {
        const char *text, *words;
    } bad[] = {{"", "empty"}, {"a,b\n1\n", "line 2 has other columns"}, {"a\n1\n1,2\n", "line 3 has other columns"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    {
        assert_fails(sac_table_read(&t, write_text("t.csv", bad[i].text)), SAC_ERROR_FORMAT, bad[i].words);
        sac_table_clear(&t);
    }
    assert_fails(sac_table_read(&t, scratch_path("none.csv")), SAC_ERROR_FILE, "none.csv");
    sac_table_clear(&t);
}

TEST(the_first_line_says_what_a_file_holds)
{
    scratch_open();
    static const struct
    {
        const char *text;
        sac_plot_kind kind;
    } good[] = {{"generation,steps,seconds\n", SAC_PLOT_RUN},
                {"policy,environment,kept\n", SAC_PLOT_GENERALISATION},
                {"row,column,importance,rank\n", SAC_PLOT_IMPORTANCE},
                {"row,column,contribution,rank\n", SAC_PLOT_IMPORTANCE},
                {"step,kept,row0,column0\n", SAC_PLOT_ATTENTION},
                {"by,version,form,tokens\n", SAC_PLOT_KERNELS},
                {"epoch,steps,seconds\n", SAC_PLOT_FIT}};
    sac_plot_kind kind;
    for (size_t i = 0; i < sizeof good / sizeof *good; i++)
    {
        assert_ok(sac_plot_kind_of(&kind, write_text("f.csv", good[i].text)));
        assert_int_equal(kind, good[i].kind);
    }
    assert_ok(sac_plot_kind_of(&kind, scratch_path(".")));
    assert_int_equal(kind, SAC_PLOT_RUN);
    assert_fails(sac_plot_kind_of(&kind, write_text("f.csv", "x,y\n")), SAC_ERROR_FORMAT, "begins with 'x,y'");
    assert_fails(sac_plot_kind_of(&kind, scratch_path("none")), SAC_ERROR_FILE, "none");
}

#define GENERAL "policy,environment,kept,variant,episodes,mean,std,article_mean,article_std\n"

// what is drawn depends on what the rows say, not on the order of columns, nor on rows of other worlds
TEST(generalisation_is_drawn_by_what_rows_say)
{
    scratch_open();
    const char *table = write_text("g.csv", GENERAL "a/p.safetensors,toy,4,original,8,10,2,,\n"
                                                    "a/p.safetensors,toy,4,noise,8,-3,1,4,2\n"
                                                    "b/q.safetensors,toy,4,noise,8,5,1,4,2\n");
    must_draw(sac_plot_generalisation(&table, 1, NULL, NULL, scratch_path("g.png")));
    const char *turned = write_text("t.csv", "variant,policy,environment,episodes,std,mean,article_std,article_mean\n"
                                             "original,a/p.safetensors,toy,8,2,10,,\n"
                                             "noise,a/p.safetensors,toy,8,1,-3,2,4\n"
                                             "noise,b/q.safetensors,toy,8,1,5,2,4\n"
                                             "original,a/p.safetensors,other,8,1,700,2,4\n");
    assert_ok(sac_plot_generalisation(&turned, 1, "toy", NULL, scratch_path("t.png")));
    assert_true(same_bytes("g.png", "t.png"));
    // in two tables or in one
    const char *parts[] = {
        write_text("1.csv",
                   GENERAL "a/p.safetensors,toy,4,original,8,10,2,,\na/p.safetensors,toy,4,noise,8,-3,1,4,2\n"),
        write_text("2.csv", GENERAL "b/q.safetensors,toy,4,noise,8,5,1,4,2\n")};
    assert_ok(sac_plot_generalisation(parts, 2, NULL, NULL, scratch_path("t.png")));
    assert_true(same_bytes("g.png", "t.png"));
    table =
        write_text("g.csv", GENERAL "a/p.safetensors,toy,4,original,8,10,2,,\n"
                                    "a/p.safetensors,toy,4,noise,8,-2,1,4,2\nb/q.safetensors,toy,4,noise,8,5,1,4,2\n");
    assert_ok(sac_plot_generalisation(&table, 1, NULL, NULL, scratch_path("t.png")));
    assert_false(same_bytes("g.png", "t.png"));
    assert_ok(sac_plot_generalisation(&table, 1, NULL, "a title", scratch_path("g.svg")));
    turned = scratch_path("t.csv"); // paths are good for a few calls
    assert_fails(sac_plot_generalisation(&turned, 1, NULL, NULL, scratch_path("t.png")), SAC_ERROR_ARGUMENT,
                 "two worlds");
    assert_fails(sac_plot_generalisation(&turned, 1, "mars", NULL, scratch_path("t.png")), SAC_ERROR_ARGUMENT,
                 "no row of mars");
    table = write_text("g.csv", GENERAL "p,toy,4,original,8,ten,2,,\n");
    assert_fails(sac_plot_generalisation(&table, 1, NULL, NULL, scratch_path("t.png")), SAC_ERROR_FORMAT, "line 2");
    parts[0] = scratch_path("1.csv"), parts[1] = scratch_path("2.csv");
    assert_survives_lack_of_memory(sac_plot_generalisation(parts, 2, NULL, NULL, scratch_path("t.svg")), (void)0);
}

// how many pixels of a picture have this colour
static int count_color(const char *path, const uint8_t color[3])
{
    uint8_t *rgb;
    int height, width, found = 0;
    assert_ok(sac_png_read(&rgb, &height, &width, path, 1 << 24));
    for (int i = 0; i < height * width; i++) found += memcmp(rgb + 3 * i, color, 3) == 0;
    sac_free(rgb);
    return found;
}

// every cell has the colour of its rank, over the same area, however near the values are
TEST(heat_plots_have_the_colours_of_their_ranks)
{
    scratch_open();
    const char *table =
        write_text("i.csv", "row,column,importance,rank\n0,0,1.04,0\n0,1,1.03,1\n1,0,1.01,3\n1,1,1.02,2\n");
    must_draw(sac_plot_importance(table, NULL, scratch_path("i.png")));
    int area[4];
    for (int i = 0; i < 4; i++)
    {
        uint8_t color[3];
        sac_heat_color((float)i / 3, color);
        area[i] = count_color(scratch_path("i.png"), color);
        assert_true(area[i] > 100000); // a fourth of a field of some 800 x 800 pixels, less a number and an edge
        assert_true(abs(area[i] - area[0]) < area[0] / 50);
    }
    assert_ok(sac_plot_importance(table, "t", scratch_path("i.svg")));
    assert_fails(sac_plot_importance(write_text("i.csv", "row,column,importance,rank\n0,0,1,0\n5,0,1,0\n"), NULL,
                                     scratch_path("x.png")),
                 SAC_ERROR_FORMAT, "whole grid");
    assert_fails(
        sac_plot_importance(write_text("i.csv", "row,column,importance,rank\n0,0,0,0\n"), NULL, scratch_path("x.png")),
        SAC_ERROR_ARGUMENT, "no value above 0");
    assert_fails(sac_plot_importance(write_text("i.csv", "row,column\n0,0\n"), NULL, scratch_path("x.png")),
                 SAC_ERROR_FORMAT, "'importance'");
    table = write_text("i.csv", "row,column,importance,rank\n0,0,1,0\n0,1,2,0\n");
    assert_survives_lack_of_memory(sac_plot_importance(table, NULL, scratch_path("x.svg")), (void)0);
}

// shares of rows and of columns sum to 1, and lie where the kept patches do
TEST(attention_over_time)
{
    scratch_open();
    float importance[12];
    int top[] = {7, 4}; // row 1, columns 3 and 0
    for (int i = 0; i < 12; i++) importance[i] = (float)(i + 1);
    const sac_gaze gaze = {.rows = 3, .columns = 4, .importance = importance, .kept = 2, .top = top};
    sac_attention_track *track;
    assert_ok(sac_attention_track_create(&track, 3, 4));
    for (int step = 0; step < 700; step++) // more steps than a plot has columns
    {
        top[0] = step % 12;
        top[1] = (step + 5) % 12;
        assert_ok(sac_attention_track_add(track, &gaze));
    }
    assert_ok(sac_attention_track_write(track, scratch_path("a.csv")));
    sac_attention_track_destroy(track);
    sac_attention_track_destroy(NULL);
    sac_table t;
    assert_ok(sac_table_read(&t, scratch_path("a.csv")));
    assert_int_equal(t.rows, 700);
    for (int step = 0; step < 700; step++)
    {
        int patches[] = {step % 12, (step + 5) % 12};
        double weights[] = {patches[0] + 1, patches[1] + 1}, expected[7] = {0}, sum = weights[0] + weights[1];
        for (int k = 0; k < 2; k++)
        {
            expected[patches[k] / 4] += weights[k] / sum;
            expected[3 + patches[k] % 4] += weights[k] / sum;
        }
        // written with six digits
        assert_near(sac_table_number(&t, step, 1), sum / 78, 1e-6);
        for (int i = 0; i < 7; i++) assert_near(sac_table_number(&t, step, 2 + i), expected[i], 1e-6);
    }
    sac_table_clear(&t);
    must_draw(sac_plot_attention(scratch_path("a.csv"), NULL, scratch_path("a.svg")));
    assert_fails(
        sac_plot_attention(write_text("b.csv", "step,kept,row0,column0\n0,1,1,x\n"), NULL, scratch_path("x.svg")),
        SAC_ERROR_FORMAT, "line 2: column 4");
    assert_fails(sac_plot_attention(write_text("b.csv", "step,kept,row0\n0,1,1\n"), NULL, scratch_path("x.svg")),
                 SAC_ERROR_FORMAT, "column0");
    const char *table = write_text("b.csv", "step,kept,row0,column0\n0,1,1,1\n");
    assert_survives_lack_of_memory(sac_plot_attention(table, NULL, scratch_path("x.svg")), (void)0);
    assert_survives_lack_of_memory(sac_attention_track_create(&track, 3, 4), sac_attention_track_destroy(track));
}

#define KERNELS "by,version,form,tokens,best_us,p50_us,p99_us,calls,memory_bytes\n"

// of several peers the fastest is drawn, in whichever order rows come
TEST(kernels_beside_the_fastest_peer)
{
    scratch_open();
    must_draw(
        sac_plot_kernels(write_text("k.csv", KERNELS "saccade,,relu,64,1,1,1,9,1024\nsaccade,,relu,128,2,2,2,9,2048\n"
                                                     "torch,1,relu,64,10,1,1,9,4096\njax,1,relu,64,20,1,1,9,4096\n"),
                         false, NULL, scratch_path("k.png")));
    assert_ok(
        sac_plot_kernels(write_text("t.csv", KERNELS "jax,1,relu,64,99,1,1,9,4096\nsaccade,,relu,128,2,2,2,9,2048\n"
                                                     "torch,1,relu,64,10,1,1,9,4096\nsaccade,,relu,64,1,1,1,9,1024\n"),
                         false, NULL, scratch_path("t.png")));
    assert_true(same_bytes("k.png", "t.png"));
    assert_ok(sac_plot_kernels(scratch_path("k.csv"), true, NULL, scratch_path("t.png")));
    assert_false(same_bytes("k.png", "t.png"));
    assert_fails(sac_plot_kernels(write_text("x.csv", KERNELS), false, NULL, scratch_path("x.png")), SAC_ERROR_ARGUMENT,
                 "no point");
    assert_fails(sac_plot_kernels(write_text("x.csv", "by,version,form\n"), false, NULL, scratch_path("x.png")),
                 SAC_ERROR_FORMAT, "'tokens'");
    assert_survives_lack_of_memory(sac_plot_kernels(scratch_path("k.csv"), false, NULL, scratch_path("x.svg")),
                                   (void)0);
}

TESTS(tables_are_read_by_the_names_of_columns, the_first_line_says_what_a_file_holds,
      generalisation_is_drawn_by_what_rows_say, heat_plots_have_the_colours_of_their_ranks, attention_over_time,
      kernels_beside_the_fastest_peer)
