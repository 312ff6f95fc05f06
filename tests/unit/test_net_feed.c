#include "failing_memory.h"
#include "scratch.h"

#include <jansson.h>
#include <unistd.h>

#include "dash/nets/net_feed.h"

// what the live page of a net is told of its run's files

static sac_net_feed feed;

static void write_text(const char *name, const char *mode, const char *text)
{
    FILE *file = fopen(scratch_path(name), mode);
    assert_non_null(file);
    fputs(text, file);
    assert_int_equal(fclose(file), 0);
}

static void begin(void)
{
    scratch_open();
    assert_ok(sac_net_feed_open(&feed, scratch_path(".")));
}

static void add_epochs(const char *mode, int first, int last)
{
    FILE *file = fopen(scratch_path("metrics.csv"), mode);
    assert_non_null(file);
    if (first == 1) fputs("epoch,steps,seconds,rate,loss,accuracy,test_loss,test_accuracy\n", file);
    for (int e = first; e <= last; e++)
        fprintf(file, "%d,%d,%d.5,0.1,%g,0.5,%s\n", e, 30 * e, e, 2.0 / e, e % 2 == 0 ? "1.25,0.75" : ",");
    assert_int_equal(fclose(file), 0);
}

// two layers of two heads
static void add_heads(const char *mode, int first, int last)
{
    FILE *file = fopen(scratch_path("heads.csv"), mode);
    assert_non_null(file);
    if (first == 0) fputs("epoch,layer,head,row,column,...\n", file);
    for (int e = first; e <= last; e++)
        for (int i = 0; i < 4; i++)
            fprintf(file, "%d,%d,%d,-1.5,%d,inf,0,0.25,0.5,-1,0,0.5,0.75,%s\n", e, i / 2, i % 2, e,
                    i == 0 ? "flat" : "shift");
    assert_int_equal(fclose(file), 0);
}

// What a listener is told under a name, as JSON; NULL: nothing.
static json_t *told(sac_feed_cursor *cursor, const char *event)
{
    sac_growing text = {0};
    char start[64];
    sac_net_feed_tell(&feed, cursor, &text);
    sac_grow(&text, "", 1);
    snprintf(start, sizeof start, "event: %s\ndata: ", event);
    char *at = strstr(text.bytes, start);
    json_t *root = NULL;
    if (at)
    {
        at += strlen(start);
        *strchr(at, '\n') = 0;
        root = json_loads(at, JSON_DECODE_ANY, NULL);
        assert_non_null(root);
    }
    sac_grow_clear(&text);
    return root;
}

static double number_at(const json_t *rows, size_t row, size_t column)
{
    return json_number_value(json_array_get(json_array_get(rows, row), column));
}

TEST(epochs_arrive_once_and_without_a_test_where_there_was_none)
{
    begin();
    assert_false(sac_net_feed_poll(&feed));
    assert_string_equal(feed.watched.summary.state, "waiting");
    add_epochs("w", 1, 4);
    assert_true(sac_net_feed_poll(&feed));
    sac_feed_cursor cursor = {0};
    json_t *rows = told(&cursor, "epochs");
    assert_int_equal(json_array_size(rows), 4);
    assert_near(number_at(rows, 3, 4), 0.5, 1e-9);
    assert_near(number_at(rows, 3, 7), 0.75, 1e-9);
    assert_true(json_is_null(json_array_get(json_array_get(rows, 2), 7)));
    json_decref(rows);
    assert_null(told(&cursor, "epochs"));
    add_epochs("a", 5, 6);
    write_text("metrics.csv", "a", "7,210,7.5,0.1,"); // half a row waits for its end
    assert_true(sac_net_feed_poll(&feed));
    rows = told(&cursor, "epochs");
    assert_int_equal(json_array_size(rows), 2);
    json_decref(rows);
    sac_net_feed_close(&feed);
}

// the rows of an evaluation are told when all of them are there, and numbers that JSON lacks are null
TEST(heads_are_told_by_evaluations)
{
    begin();
    add_heads("w", 0, 2);
    assert_true(sac_net_feed_poll(&feed));
    assert_int_equal(feed.look_count, 2);
    assert_true(sac_net_feed_poll(&feed)); // no more rows came
    assert_int_equal(feed.look_count, 3);
    assert_false(sac_net_feed_poll(&feed));
    sac_feed_cursor cursor = {0};
    json_t *looks = told(&cursor, "looks");
    assert_int_equal(json_array_size(looks), 3);
    const json_t *look = json_array_get(looks, 2), *heads = json_object_get(look, "heads");
    assert_int_equal(json_integer_value(json_object_get(look, "epoch")), 2);
    assert_int_equal(json_array_size(heads), 4);
    assert_near(number_at(heads, 3, 0), 1, 0);
    assert_near(number_at(heads, 3, 2), -1.5, 0);
    assert_true(json_is_null(json_array_get(json_array_get(heads, 0), 4)));
    assert_string_equal(json_string_value(json_array_get(json_array_get(heads, 0), 8)), "flat");
    json_decref(looks);
    assert_null(told(&cursor, "looks"));
    sac_net_feed_close(&feed);
}

// lines that are none are passed over
TEST(noise_is_no_row)
{
    begin();
    write_text("metrics.csv", "w", "epoch,...\n1,2\nnonsense\n,,,,,,,\n\n1,30,0.5,0.1,nan,0.5,,\n");
    write_text("heads.csv", "w", "epoch,...\n0,0,0\n0,0,0,a,b,c,d,e,f,g,h,i,shift\n0,0,0,1,1,1,0,1,1,0,0,0,0,<b>\n");
    write_text("confusion.csv", "w", "class,0,1\n0,5,x\n1,-3,2");
    write_text("progress.json", "w", "{\"epoch\": ");
    sac_net_feed_poll(&feed);
    sac_net_feed_poll(&feed);
    assert_int_equal(feed.epoch_count, 1);
    assert_int_equal(feed.look_count, 0);
    sac_feed_cursor cursor = {0};
    json_t *table = told(&cursor, "confusion"); // the last line is not written to its end
    assert_int_equal(json_array_size(table), 1);
    json_decref(table);
    sac_net_feed_close(&feed);
}

TEST(the_newest_confusion_table_is_told)
{
    begin();
    write_text("confusion.csv", "w", "class,0,1\n0,5,1\n1,0,6\n");
    assert_true(sac_net_feed_poll(&feed));
    assert_false(sac_net_feed_poll(&feed));
    sac_feed_cursor cursor = {0};
    json_t *table = told(&cursor, "confusion");
    assert_near(number_at(table, 0, 0), 5, 0);
    assert_near(number_at(table, 1, 1), 6, 0);
    json_decref(table);
    assert_null(told(&cursor, "confusion"));
    usleep(20000); // a file's time has a step of some milliseconds
    write_text("confusion.csv", "w", "class,0,1\n0,6,0\n1,0,6\n");
    assert_true(sac_net_feed_poll(&feed));
    table = told(&cursor, "confusion");
    assert_near(number_at(table, 0, 0), 6, 0);
    json_decref(table);
    sac_net_feed_close(&feed);
}

// a resume cuts rows: everything is told anew
TEST(a_cut_file_is_read_anew)
{
    begin();
    add_epochs("w", 1, 9);
    add_heads("w", 0, 9);
    sac_net_feed_poll(&feed);
    sac_net_feed_poll(&feed);
    sac_feed_cursor cursor = {0};
    json_decref(told(&cursor, "epochs"));
    add_epochs("w", 1, 3);
    add_heads("w", 0, 3);
    for (int i = 0; i < 3; i++) sac_net_feed_poll(&feed);
    assert_int_equal(feed.epoch_count, 3);
    assert_int_equal(feed.look_count, 4);
    json_decref(told(&cursor, "anew"));
    assert_int_equal(cursor.points, 3);
    assert_int_equal(cursor.scores, 4);
    sac_net_feed_close(&feed);
}

// however many epochs, the memory has a limit, and the first and the newest are there
TEST(long_runs_are_thinned)
{
    begin();
    add_epochs("w", 1, 5000);
    add_heads("w", 0, 5000);
    for (int i = 0; i < 2; i++) sac_net_feed_poll(&feed);
    assert_true(feed.epoch_count >= SAC_NET_FEED_EPOCHS / 2 && feed.epoch_count <= SAC_NET_FEED_EPOCHS);
    assert_near(feed.epochs[feed.epoch_count - 1].epoch, 5000, 0);
    assert_true(feed.look_count >= SAC_NET_FEED_LOOKS / 2 && feed.look_count < SAC_NET_FEED_LOOKS);
    assert_int_equal(feed.looks[0].epoch, 0);
    assert_int_equal(feed.looks[feed.look_count - 1].epoch, 5000);
    for (int i = 1; i < feed.look_count; i++) assert_true(feed.looks[i].epoch > feed.looks[i - 1].epoch);
    sac_net_feed_close(&feed);
}

// a file of one evaluation without end
TEST(one_endless_evaluation_is_cut)
{
    begin();
    for (int i = 0; i < 50; i++)
    {
        FILE *file = fopen(scratch_path("heads.csv"), "a");
        for (int k = 0; k < 5000; k++) fprintf(file, "1,%d,%d,-1.5,1,2,0,0.25,0.5,-1,0,0.5,0.75,shift\n", i, k);
        fclose(file);
    }
    for (int i = 0; i < 2; i++) sac_net_feed_poll(&feed);
    assert_int_equal(feed.look_count, 1);
    assert_true(feed.looks_size < SAC_NET_FEED_LOOKS_SIZE + 4096);
    sac_net_feed_close(&feed);
}

// a server without memory tells less, but goes on
TEST(lack_of_memory_is_survived)
{
    begin();
    add_epochs("w", 1, 5);
    add_heads("w", 0, 5);
    write_text("confusion.csv", "w", "class,0,1\n0,5,1\n1,0,6\n");
    const char *folder = scratch_path(".");
    void *made;
    assert_survives_lack_of_memory(sac_net_feed_calls.create(&made, folder), sac_net_feed_calls.destroy(made));
    sac_set_allocator(&(sac_allocator){failing_allocate, failing_release, NULL});
    for (int at = 0; at < 40; at++)
    {
        sac_growing text = {0};
        failing.until_failure = at;
        failing.held = 0;
        assert_ok(sac_net_feed_open(&feed, folder));
        for (int i = 0; i < 3; i++) sac_net_feed_poll(&feed);
        sac_net_feed_tell(&feed, &(sac_feed_cursor){0}, &text);
        assert_int_equal(feed.epoch_count, 5);
        sac_grow_clear(&text);
        sac_net_feed_close(&feed);
        assert_int_equal(failing.held, 0);
    }
    sac_set_allocator(NULL);
}

TESTS(epochs_arrive_once_and_without_a_test_where_there_was_none, heads_are_told_by_evaluations, noise_is_no_row,
      the_newest_confusion_table_is_told, a_cut_file_is_read_anew, long_runs_are_thinned, one_endless_evaluation_is_cut,
      lack_of_memory_is_survived)
