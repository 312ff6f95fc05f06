#include "dash/feed.h"

#include <inttypes.h>

#include "scratch.h"

// what the live page is told of a run's files

static sac_feed feed;

static void add_rows(const char *mode, int first, int last)
{
    FILE *file = fopen(scratch_path("metrics.csv"), mode);
    assert_non_null(file);
    if (first == 1) fputs("generation,steps,seconds,best,mean,std,eval_mean,eval_std,eval_episodes,sigma\n", file);
    for (int g = first; g <= last; g++)
        fprintf(file, "%d,%d,%d,%d,%d,1,%s,0.1\n", g, 10 * g, g, g + 5, g,
                g % 10 == 0 ? g == 70 ? "99,2,4" : "7,2,4" : ",,");
    assert_int_equal(fclose(file), 0);
}

static void begin(void)
{
    scratch_open();
    assert_ok(sac_feed_open(&feed, scratch_path(".")));
}

// each listener gets every row once, whenever it asks
static int told(sac_feed_cursor *cursor, const char *event)
{
    sac_growing text = {0};
    sac_feed_tell(&feed, cursor, &text);
    sac_grow(&text, "", 1);
    const char *at = strstr(text.bytes, event);
    int rows = 0;
    for (; at && *at && *at != ']'; at++)
    {
        if (*at != '[') continue;
        rows++;
        at += strcspn(at + 1, "]") + 1;
        if (at[1] == ']') break;
    }
    sac_grow_clear(&text);
    return rows;
}

TEST(rows_arrive_once)
{
    begin();
    assert_false(sac_feed_poll(&feed)); // a folder without a run is one to wait for
    assert_string_equal(feed.watched.summary.state, "waiting");
    add_rows("w", 1, 30);
    assert_true(sac_feed_poll(&feed));
    assert_int_equal(feed.point_count, 30);
    assert_int_equal(feed.score_count, 3);
    sac_feed_cursor cursor = {0};
    assert_true(told(&cursor, "event: points") > 0);
    assert_int_equal(cursor.points, 30);
    assert_int_equal(told(&cursor, "event: points"), 0);
    add_rows("a", 31, 33);
    assert_true(sac_feed_poll(&feed));
    told(&cursor, "event: points");
    assert_int_equal(cursor.points, 33);
    assert_near(feed.points[32].rate, 10, 1e-9); // ten steps a second
}

// a row that is not written to its end waits for its end
TEST(half_a_row_waits)
{
    begin();
    add_rows("w", 1, 5);
    FILE *file = fopen(scratch_path("metrics.csv"), "a");
    fputs("6,60,6,11,6,1,", file);
    fclose(file);
    sac_feed_poll(&feed);
    assert_int_equal(feed.point_count, 5);
    file = fopen(scratch_path("metrics.csv"), "a");
    fputs(",,,0.1\n", file);
    fclose(file);
    sac_feed_poll(&feed);
    assert_int_equal(feed.point_count, 6);
}

// however many rows, the memory is the same and nothing is left out: points are means of equal numbers of rows
TEST(long_runs_are_merged)
{
    begin();
    add_rows("w", 1, 40000);
    sac_feed_poll(&feed);
    assert_true(feed.point_count >= SAC_FEED_POINTS / 2 && feed.point_count <= SAC_FEED_POINTS);
    int rows = feed.point_count * feed.merged;
    assert_true(rows <= 40000 && rows + feed.merged > 40000);
    double sum = 0;
    for (int i = 0; i < feed.point_count; i++) sum += feed.points[i].mean;
    assert_near(sum / feed.point_count, 0.5 * (rows + 1), 1e-6); // of the means 1, 2, ..., rows
    assert_true(feed.score_count <= SAC_FEED_SCORES);
    double best = 0;
    for (int i = 0; i < feed.score_count; i++) best = fmax(best, feed.scores[i].mean);
    assert_near(best, 99, 0); // the best evaluation is never dropped
}

// a resume cuts rows: everything is told anew
TEST(a_cut_file_is_read_anew)
{
    begin();
    add_rows("w", 1, 50);
    sac_feed_poll(&feed);
    sac_feed_cursor cursor = {0};
    told(&cursor, "event: points");
    add_rows("w", 1, 20);
    sac_feed_poll(&feed);
    sac_feed_poll(&feed);
    assert_int_equal(feed.point_count, 20);
    told(&cursor, "event: points");
    assert_int_equal(cursor.points, 20);
    assert_int_equal(cursor.scores, 2);
}

TEST(events_are_passed_on_when_they_are_json)
{
    begin();
    FILE *file = fopen(scratch_path("events.jsonl"), "w");
    fputs("{\"generation\": 1, \"event\": \"started\", \"text\": \"\\u2028<script>\"}\nnonsense\n", file);
    for (int i = 0; i < 100; i++) fprintf(file, "{\"generation\": %d, \"event\": \"stage\", \"text\": \"x\"}\n", i);
    fclose(file);
    sac_feed_poll(&feed);
    assert_int_equal(feed.watched.event_count, 101);
    sac_feed_cursor cursor = {0};
    told(&cursor, "event: events");
    assert_int_equal(cursor.events, 101);
}

TESTS(rows_arrive_once, half_a_row_waits, long_runs_are_merged, a_cut_file_is_read_anew,
      events_are_passed_on_when_they_are_json)
