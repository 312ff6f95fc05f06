#include "dash/runs/folder_feed.h"

#include <jansson.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "scratch.h"

/// What the live page of a folder is told: which runs there are, in what they differ, and each row of each of them
/// once.

static sac_folder_feed *feed;

static void write_text(const char *name, const char *text)
{
    assert_ok(sac_write_file(scratch_path(name), text, strlen(text)));
}

static void add_run(const char *name, const char *task)
{
    char path[64];
    snprintf(path, sizeof path, "%s/checkpoints", name);
    assert_ok(sac_make_folders(scratch_path(path)));
    snprintf(path, sizeof path, "%s/task.yaml", name);
    write_text(path, task);
}

static void add_rows(const char *name, int first, int last, double evaluation)
{
    char path[64];
    snprintf(path, sizeof path, "%s/metrics.csv", name);
    FILE *file = fopen(scratch_path(path), first == 1 ? "w" : "a");
    assert_non_null(file);
    for (int g = first; g <= last; g++)
    {
        fprintf(file, "%d,%d,%d,%d,%d,1,", g, 10 * g, g, g + 5, g);
        if (g % 10 == 0)
            fprintf(file, "%g,2,4,0.1\n", evaluation);
        else
            fputs(",,,0.1\n", file);
    }
    assert_int_equal(fclose(file), 0);
}

// also what is read only now and then
static void poll_all(void)
{
    for (int i = 0; i < 50; i++)
    {
        feed->scan_at = 0;
        for (int k = 0; k < feed->count; k++) feed->runs[k]->feed.watched.summarise_at = 0;
        (void)sac_folder_feed_poll(feed);
    }
}

static const char first_task[] = "env:\n  id: toy\nsearch:\n  sigma: 0.1\n  population: 8\ntrain:\n  seed: 1\n",
                  second_task[] = "env:\n  id: toy\nsearch:\n  sigma: 0.2\n  population: 8\ntrain:\n  seed: 1\n",
                  other_task[] =
                      "env:\n  id: toy\nsearch:\n  sigma: 0.1\n  rate: 3\n  population: 8\ntrain:\n  seed: 1\n",
                  net_task[] = "net:\n  kind: attention-net\ntrain:\n  seed: 1\n";

static void begin(void)
{
    scratch_open();
    assert_ok(sac_folder_feed_create(&feed, scratch_path(".")));
}

/// What a listener has been told.
typedef struct heard
{
    int tables, curves, points, scores, anew;
    json_t *table; ///< the newest
} heard;

static void take_curve(heard *h, const json_t *curve)
{
    h->curves++;
    h->anew += json_is_true(json_object_get(curve, "anew"));
    h->points += (int)json_array_size(json_object_get(curve, "points"));
    h->scores += (int)json_array_size(json_object_get(curve, "scores"));
}

static heard listen(sac_folder_cursor *cursor)
{
    heard h = {0};
    sac_growing text = {0};
    sac_folder_feed_tell(feed, cursor, &text);
    sac_grow(&text, "", 1);
    char *at = text.bytes;
    for (char *data; (data = strstr(at, "\ndata: ")); at = data)
    {
        data += 7;
        char *end = strchr(data, '\n');
        assert_non_null(end);
        json_t *root = json_loadb(data, (size_t)(end - data), JSON_DECODE_ANY, NULL);
        assert_non_null(root);
        if (json_object_get(root, "points")) take_curve(&h, root);
        if (json_object_get(root, "keys"))
        {
            h.tables++;
            json_decref(h.table);
            h.table = json_incref(root);
        }
        json_decref(root);
    }
    sac_grow_clear(&text);
    return h;
}

static json_t *entry(const heard *h, int run, const char *key)
{
    return json_object_get(json_array_get(json_object_get(h->table, "runs"), (size_t)run), key);
}

TEST(every_row_arrives_once_and_the_table_when_it_changes)
{
    begin();
    sac_folder_cursor cursor = {0};
    heard h = listen(&cursor); // an empty folder is told, too
    assert_int_equal(h.tables, 1);
    json_decref(h.table);
    add_run("a", first_task);
    add_run("deep/er/b", second_task);
    add_rows("a", 1, 30, 5);
    poll_all();
    assert_int_equal(feed->count, 2);
    h = listen(&cursor);
    assert_int_equal(h.tables, 1);
    assert_int_equal(h.points, 30);
    assert_int_equal(h.scores, 3);
    assert_string_equal(json_string_value(entry(&h, 0, "name")), "a");
    assert_string_equal(json_string_value(entry(&h, 1, "name")), "deep/er/b");
    assert_int_equal(json_integer_value(entry(&h, 0, "generation")), 30);
    assert_near(json_number_value(json_array_get(entry(&h, 0, "best"), 0)), 5, 0);
    assert_true(json_is_null(entry(&h, 1, "best")));
    json_decref(h.table);

    h = listen(&cursor);
    assert_int_equal(h.tables + h.curves, 0);
    add_rows("deep/er/b", 1, 7, 0);
    poll_all();
    h = listen(&cursor);
    assert_int_equal(h.tables, 1);
    assert_int_equal(h.curves, 1);
    assert_int_equal(h.points, 7);
    json_decref(h.table);

    // another listener hears it all, and one whose run was begun anew hears that again
    sac_folder_cursor late = {0};
    h = listen(&late);
    assert_int_equal(h.points, 37);
    json_decref(h.table);
    add_rows("a", 1, 2, 5);
    poll_all();
    h = listen(&cursor);
    assert_int_equal(h.anew, 1);
    assert_int_equal(h.points, 2);
    json_decref(h.table);
    sac_folder_feed_destroy(feed);
}

static void assert_keys(const char *expected)
{
    char keys[1024] = "";
    for (int k = 0; k < feed->key_count; k++) strcat(strcat(keys, feed->keys[k]), " ");
    assert_string_equal(keys, expected);
}

TEST(the_settings_that_differ_are_told)
{
    begin();
    add_run("a", first_task);
    poll_all();
    assert_keys("");
    add_run("b", first_task);
    poll_all();
    assert_keys("");
    add_run("c", second_task);
    poll_all();
    assert_keys("search.sigma ");
    add_run("d", other_task);
    poll_all();
    assert_keys("search.sigma search.rate ");
    sac_folder_cursor cursor = {0};
    heard h = listen(&cursor);
    assert_string_equal(json_string_value(json_array_get(entry(&h, 2, "values"), 0)), "0.2");
    assert_string_equal(json_string_value(json_array_get(entry(&h, 2, "values"), 1)), "");
    assert_string_equal(json_string_value(json_array_get(entry(&h, 3, "values"), 1)), "3");
    json_decref(h.table);
    sac_folder_feed_destroy(feed);
}

// rows of a net are no rows of a policy
TEST(a_net_is_listed_without_a_curve)
{
    begin();
    add_run("net", net_task);
    write_text("net/metrics.csv", "1,20,0.5,0.1,2.3,0.2,2.1,0.25\n2,40,1.0,0.1,1.3,0.6,1.1,0.75\n");
    poll_all();
    sac_folder_cursor cursor = {0};
    heard h = listen(&cursor);
    assert_int_equal(h.points + h.scores, 0);
    assert_near(json_number_value(entry(&h, 0, "accuracy")), 0.75, 1e-9);
    json_decref(h.table);
    sac_folder_feed_destroy(feed);
}

TEST(the_best_runs_are_found)
{
    begin();
    static const double best[] = {3, 9, -2, 9, 4};
    char name[2] = "a";
    for (int i = 0; i < 5; i++, name[0]++)
    {
        add_run(name, first_task);
        add_rows(name, 1, 10, best[i]);
    }
    add_run("f", first_task); // has no evaluation
    poll_all();
    int runs[8];
    assert_int_equal(sac_folder_feed_best(feed, runs, 8), 5);
    static const int order[] = {1, 3, 4, 0, 2};
    assert_memory_equal(runs, order, sizeof order);
    assert_int_equal(sac_folder_feed_best(feed, runs, 2), 2);
    assert_memory_equal(runs, order, 2 * sizeof *order);
    sac_folder_feed_destroy(feed);
}

// however many runs there are, and however long they are
TEST(a_folder_takes_the_same_memory)
{
    begin();
    char name[32];
    for (int i = 0; i < SAC_FOLDER_RUNS + 5; i++)
    {
        snprintf(name, sizeof name, "run-%d", i);
        add_run(name, first_task);
    }
    add_rows("run-7", 1, 100000, 1);
    poll_all();
    assert_int_equal(feed->count, SAC_FOLDER_RUNS);
    assert_int_equal(feed->found, SAC_FOLDER_RUNS + 5);
    assert_string_equal(feed->runs[9]->name, "run-9"); // as people count
    sac_folder_cursor cursor = {0};
    heard h = listen(&cursor);
    assert_in_range(h.points, SAC_FOLDER_POINTS / 2, SAC_FOLDER_POINTS);
    assert_in_range(h.scores, SAC_FOLDER_POINTS / 2 - 1, SAC_FOLDER_POINTS);
    json_decref(h.table);
    sac_folder_feed_destroy(feed);
}

TESTS(every_row_arrives_once_and_the_table_when_it_changes, the_settings_that_differ_are_told,
      a_net_is_listed_without_a_curve, the_best_runs_are_found, a_folder_takes_the_same_memory)
