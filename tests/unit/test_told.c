#include "failing_memory.h"
#include "scratch.h"

#include "classify/told.h"
#include "files/atomic.h"

// what a fit tells those who watch: the same over a stop, and nothing twice

enum
{
    SIDE = 8,
    HEADS = 2 * 4 // layers, heads
};

static const char task_text[] =
    "net: {kind: attention-net, width: 6, layers: 2, heads: 4, hidden: 4}\ntrain: {epochs: 4, batch: 10}\n";

static sac_trained_net draw_net(void)
{
    sac_trained_net n = {.input = {SIDE, SIDE, 1}, .classes = 3};
    sac_classify_task *task;
    assert_ok(sac_classify_task_read(&task, task_text, strlen(task_text), "text", NULL, 0));
    n.task = task;
    const sac_net_def def = {task->kind, task->net, n.input, n.classes};
    assert_ok(sac_net_create(&n.net, &def));
    n.parameters = SAC_NEW_ARRAY(float, sac_net_parameters(n.net));
    n.measured = SAC_NEW_ARRAY(float, sac_net_measured(n.net));
    assert_true(n.parameters && n.measured);
    sac_net_draw(n.net, 5, n.parameters, n.measured);
    return n;
}

static char *text_of(const char *name)
{
    uint8_t *bytes;
    size_t size;
    assert_ok(sac_read_file(&bytes, &size, scratch_path(name), 1 << 20));
    return (char *)bytes;
}

static int lines_of(const char *name)
{
    char *text = text_of(name);
    int count = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++) count++;
    sac_free(text);
    return count;
}

static void tell(const sac_trained_net *net, uint64_t epoch, uint64_t step, uint64_t last)
{
    sac_classify_told *told;
    assert_ok(sac_classify_told_open(&told, scratch_path("."), net, NULL, epoch, step));
    assert_ok(sac_classify_tell_event(told, epoch, step ? "resumed" : "started", "at step %d", (int)step));
    for (uint64_t e = step ? epoch + 1 : 0; e <= last; e++) assert_ok(sac_classify_tell_heads(told, e));
    assert_ok(sac_classify_tell_event(told, last, "interrupted", "a \"word\""));
    assert_ok(sac_classify_told_close(told));
}

TEST(what_comes_after_a_checkpoint_is_told_once)
{
    scratch_open();
    sac_trained_net net = draw_net();
    tell(&net, 0, 0, 3);
    char *whole = text_of("heads.csv");
    assert_int_equal(lines_of("heads.csv"), 1 + 4 * HEADS);
    tell(&net, 1, 13, 3); // from within the second epoch
    char *again = text_of("heads.csv");
    assert_string_equal(again, whole);
    assert_int_equal(lines_of("events.jsonl"), 3); // started, resumed, interrupted
    tell(&net, 0, 3, 3);                           // from within the first epoch: what was told before training stays
    assert_int_equal(lines_of("events.jsonl"), 3);
    sac_free(again);
    again = text_of("heads.csv");
    assert_string_equal(again, whole);
    tell(&net, 0, 0, 1); // anew
    assert_int_equal(lines_of("events.jsonl"), 2);
    assert_int_equal(lines_of("heads.csv"), 1 + 2 * HEADS);
    sac_free(again);
    sac_free(whole);
    sac_trained_net_clear(&net);
}

TEST(numbers_that_are_not_known_are_null)
{
    scratch_open();
    sac_trained_net net = draw_net();
    sac_classify_told *told;
    assert_ok(sac_classify_told_open(&told, scratch_path("."), &net, NULL, 0, 0));
    assert_true(sac_classify_told_is_due(told));
    const sac_classify_now now = {
        .epochs = 4, .steps = 40, .limit_left = NAN, .rate = NAN, .loss = NAN, .accuracy = NAN};
    assert_ok(sac_classify_tell_now(told, &now));
    assert_false(sac_classify_told_is_due(told));
    char *text = text_of("progress.json");
    static const char *const parts[] = {"\"steps\": 40",          "\"loss\": null", "\"limit_left\": null",
                                        "\"seconds_left\": null", "\"layers\": 2",  "\"rows\": 4"};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) assert_non_null(strstr(text, parts[i]));
    sac_free(text);
    assert_ok(sac_classify_told_close(told));
    sac_trained_net_clear(&net);
}

TEST(lack_of_memory_is_said)
{
    scratch_open();
    sac_trained_net net = draw_net();
    const char *folder = scratch_path(".");
    sac_classify_told *told;
    assert_survives_lack_of_memory(sac_classify_told_open(&told, folder, &net, NULL, 1, 12),
                                   assert_ok(sac_classify_told_close(told)));
    sac_trained_net_clear(&net);
}

TESTS(what_comes_after_a_checkpoint_is_told_once, numbers_that_are_not_known_are_null, lack_of_memory_is_said)
