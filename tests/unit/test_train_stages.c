#include <jansson.h>

#include "train/evolution/evolution.h"
#include "train_scene.h"

/// What is said of a stage, and of which generation.

static const char three_stages[] = "env:\n  id: toy\n  size: 24\n  max_steps: 12\n"
                                   "policy:\n  kind: attention-agent\n  top: 3\n  hidden: 4\n"
                                   "search:\n  method: sep-cma-es\n  population: 8\n"
                                   "train:\n  generations: 6\n  checkpoint_every: 2\n  episodes: 1\n  stages:\n"
                                   "    - {above: -1000, episodes: 2, patience: 5}\n"
                                   "    - {above: -999, sigma: 0.5, average: 0.3, fitness: rank}\n"
                                   "    - {above: -998, patience: 5}\n"
                                   "evaluation:\n  every: 0\n";

static void assert_said(const sac_task *task, int stage, const char *words)
{
    char text[256];
    const sac_stage was = sac_task_stage(task, stage - 1), now = sac_task_stage(task, stage);
    sac_stage_describe(text, sizeof text, stage, &was, &now);
    assert_string_equal(text, words);
}

TEST(a_stage_says_what_changes)
{
    sac_task *task = load_task(three_stages, NULL, 0);
    assert_said(task, 1, "stage 1, above -1000: episodes 1 -> 2, patience 0 -> 5");
    assert_said(task, 2, "stage 2, above -999: average 1 -> 0.3, fitness return -> rank, sigma times 0.5");
    assert_said(task, 3, "stage 3, above -998: nothing changes");
    char tiny[12];
    const sac_stage was = sac_task_stage(task, 0), now = sac_task_stage(task, 1);
    sac_stage_describe(tiny, sizeof tiny, 1, &was, &now);
    assert_string_equal(tiny, "stage 1, ab");
    sac_task_destroy(task);
}

typedef struct seen
{
    uint64_t generation; // of the first note
    char note[1024];
} seen;

static void look(void *user, const sac_progress *p)
{
    seen *s = user;
    if (!p->note || s->generation) return;
    s->generation = p->generation;
    snprintf(s->note, sizeof s->note, "%s", p->note);
}

// the board's note and the page's event are of one generation, in one wording
TEST(events_and_notes_are_of_the_same_generation)
{
    sac_task *task = load_task(three_stages, NULL, 0);
    char dir[512], path[600];
    path_in(dir, "staged");
    seen s = {0};
    assert_ok(sac_train(&(sac_train_def){.task = task, .run_dir = dir, .threads = 1, .progress = look, .user = &s}));
    sac_task_destroy(task);
    assert_int_equal(s.generation, 1); // all stages begin after the first generation

    snprintf(path, sizeof path, "%s/events.jsonl", dir);
    FILE *file = fopen(path, "r");
    char line[1024], joined[1024] = "";
    int stages = 0;
    while (fgets(line, sizeof line, file))
    {
        json_t *event = json_loads(line, 0, NULL);
        const char *kind = json_string_value(json_object_get(event, "event"));
        const char *words = json_string_value(json_object_get(event, "text"));
        if (strcmp(kind, "stage") == 0)
        {
            stages++;
            assert_int_equal(json_integer_value(json_object_get(event, "generation")), s.generation);
        }
        size_t used = strlen(joined);
        if (strcmp(kind, "stage") == 0) snprintf(joined + used, sizeof joined - used, "%s%s", used ? "; " : "", words);
        json_decref(event);
    }
    fclose(file);
    assert_int_equal(stages, 3);
    assert_string_equal(s.note, joined); // every stage, not the last alone
}

// a stage that began after the last checkpoint is said once, however often the run is resumed
TEST(a_resumed_run_says_a_stage_once)
{
    sac_task *task = load_task(three_stages, NULL, 0);
    watcher w = {.at = 2};
    assert_int_equal(train(task, "again", 1, false, &w), SAC_ERROR_INTERRUPTED);
    for (int i = 0; i < 2; i++) assert_ok(train(task, "again", 1, true, &(watcher){0}));
    assert_int_equal(events_that_say("again", "\"stage\""), 3);
    sac_task_destroy(task);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_stage_says_what_changes),
        cmocka_unit_test(events_and_notes_are_of_the_same_generation),
        cmocka_unit_test(a_resumed_run_says_a_stage_once),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
