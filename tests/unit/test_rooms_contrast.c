#include "train_scene.h"

/// Training by contrast on pictures of rooms: the loss falls, and the bytes depend on neither threads nor
/// interruptions.

static const char task[] = "env:\n  id: rooms\n  level: 5\n  things: 4\n  height: 8\n  width: 8\n  steps: 4\n"
                           "policy:\n  kind: finder\n  inputs: image depth motion words\n  size: 8\n  thick: 4\n"
                           "search:\n  method: contrast\n  pictures: 24\n  batch: 8\n  fit_steps: 4\n"
                           "  views: goals=met farthest=3 turned=30\n"
                           "train:\n  generations: 9\n  checkpoint_every: 2\n"
                           "evaluation:\n  every: 3\n  episodes: 2\n";

TEST(any_number_of_threads_learns_the_same)
{
    sac_task *t = load_task(task, NULL, 0);
    assert_same_for_threads(t);
    sac_task_destroy(t);
}

TEST(an_interrupted_run_goes_on_to_the_bit)
{
    sac_task *t = load_task(task, NULL, 0);
    assert_ok(train(t, "whole", 1, false, &(watcher){0}));
    assert_goes_on(t, "whole", 4, 6);
    sac_task_destroy(t);
}

TEST(every_cpu_level_learns_the_same)
{
    const sac_cpu_level best = sac_get_cpu_level();
    sac_task *t = load_task(task, NULL, 0);
    assert_ok(train(t, "best", 1, false, &(watcher){0}));
    sac_set_cpu_level(SAC_CPU_SCALAR);
    assert_ok(train(t, "scalar", 1, false, &(watcher){0}));
    sac_set_cpu_level(best);
    assert_same_file("best", "scalar", "mean.safetensors");
    assert_same_file("best", "scalar", "best.safetensors");
    sac_task_destroy(t);
}

// the first and the last number of a column of contrast.csv
static void ends_of(const char *run, int column, double ends[2])
{
    char path[512], name[64];
    size_t size;
    int row = 0;
    snprintf(name, sizeof name, "%s/contrast.csv", run);
    path_in(path, name);
    char *text = read_text(path, &size), *rest = NULL;
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest), row++)
    {
        const char *at = line;
        for (int i = 0; i < column; i++) at = strchr(at, ',') + 1;
        if (row > 0) ends[row > 1] = strtod(at, NULL);
    }
    sac_free(text);
}

TEST(the_loss_falls)
{
    const sac_setting longer[] = {{"search.fit_steps", "40"}};
    sac_task *t = load_task(task, longer, 1);
    double first[2], last[2];
    assert_ok(train(t, "longer", 1, false, &(watcher){0}));
    ends_of("longer", 1, first);
    ends_of("longer", 2, last);
    assert_true(last[1] < 0.7 * first[0]);
    sac_task_destroy(t);
}

static void refuse(const char *key, const char *value, const char *words)
{
    const sac_setting settings[] = {{key, value}};
    sac_task *t = load_task(task, settings, 1);
    assert_int_equal(train(t, "refused", 1, false, &(watcher){0}), SAC_ERROR_ARGUMENT);
    if (!strstr(sac_last_error(), words)) fail_msg("%s", sac_last_error());
    sac_task_destroy(t);
}

TEST(what_is_wrong_is_named)
{
    refuse("search.views", "goals", "expected OPTION=VALUE");
    refuse("search.views", "things=0", "has no 'image'");
    refuse("search.views", "thing=3", "did you mean 'things'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_FOLDER(any_number_of_threads_learns_the_same), IN_FOLDER(an_interrupted_run_goes_on_to_the_bit),
        IN_FOLDER(every_cpu_level_learns_the_same), IN_FOLDER(the_loss_falls), IN_FOLDER(what_is_wrong_is_named)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
