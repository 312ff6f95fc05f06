#include "base/memory.h"
#include "files/arrays/safetensors.h"
#include "saccade/demonstrations.h"
#include "saccade/play.h"

#include "failing_memory.h"
#include "scratch.h"

// files of demonstrations: what is written is read back, what is damaged is refused, and a recording is what was played

enum
{
    FRAMES = 5,
    PIXELS = 2 * 3 * 3
};

// two episodes of a world with a picture and a vector
typedef struct scene
{
    uint8_t pictures[FRAMES * PIXELS];
    float vectors[FRAMES * 4], actions[FRAMES * 2], low[4], high[4];
    double rewards[FRAMES];
    int64_t lengths[2], seeds[2];
    uint8_t terminated[2], truncated[2];
    sac_space parts[2];
    const void *frames[2];
    sac_setting settings[1];
    sac_demonstrations content;
} scene;

static const sac_demonstrations *scene_fill(scene *s)
{
    static const float low[] = {-1, 0}, high[] = {1, 2};
    *s = (scene){.lengths = {2, 3}, .seeds = {7, -1}, .terminated = {1, 0}, .truncated = {0, 1}};
    for (int i = 0; i < FRAMES * PIXELS; i++) s->pictures[i] = (uint8_t)(i * 7);
    fill_uniform(s->vectors, FRAMES * 4, 1);
    fill_uniform(s->actions, FRAMES * 2, 2);
    for (int i = 0; i < FRAMES; i++) s->rewards[i] = 0.1 * i;
    for (int i = 0; i < 4; i++) s->low[i] = -2, s->high[i] = (float)i;
    s->parts[0] = (sac_space){.name = "camera", .kind = SAC_SPACE_PICTURE, .shape = {2, 3, 3}};
    s->parts[1] = (sac_space){
        .name = "state", .kind = SAC_SPACE_VECTOR, .shape = {4}, .low = s->low, .high = s->high, .privileged = true};
    s->frames[0] = s->pictures;
    s->frames[1] = s->vectors;
    s->settings[0] = (sac_setting){"size", "24"};
    s->content = (sac_demonstrations){
        .environment = "toy",
        .variant = "",
        .settings = s->settings,
        .setting_count = 1,
        .driver = "a test",
        .parts = s->parts,
        .part_count = 2,
        .frames = s->frames,
        .action = {.name = "action", .kind = SAC_SPACE_VECTOR, .shape = {2}, .low = low, .high = high},
        .actions = s->actions,
        .rewards = s->rewards,
        .frame_count = FRAMES,
        .episode_count = 2,
        .lengths = s->lengths,
        .seeds = s->seeds,
        .terminated = s->terminated,
        .truncated = s->truncated};
    return &s->content;
}

TEST(what_is_written_is_read_back)
{
    scene s;
    scratch_open();
    const char *path = scratch_path("a.safetensors");
    assert_ok(sac_demonstrations_save(path, scene_fill(&s)));
    sac_demonstrations_file *file;
    assert_ok(sac_demonstrations_open(&file, path));
    const sac_demonstrations *d = sac_demonstrations_get(file);
    assert_string_equal(d->environment, "toy");
    assert_string_equal(d->variant, "");
    assert_string_equal(d->driver, "a test");
    assert_int_equal(d->setting_count, 1);
    assert_string_equal(d->settings[0].key, "size");
    assert_string_equal(d->settings[0].value, "24");
    assert_int_equal(d->part_count, 2);
    for (int i = 0; i < 2; i++)
    {
        assert_string_equal(d->parts[i].name, s.parts[i].name);
        assert_true(sac_space_same(&d->parts[i], &s.parts[i]));
        assert_int_equal(d->parts[i].privileged, s.parts[i].privileged);
    }
    assert_memory_equal(d->parts[1].low, s.low, sizeof s.low);
    assert_memory_equal(d->parts[1].high, s.high, sizeof s.high);
    assert_true(sac_space_same(&d->action, &s.content.action));
    assert_true(d->action.low[0] == -1 && d->action.high[1] == 2);
    assert_int_equal(d->frame_count, FRAMES);
    assert_memory_equal(d->frames[0], s.pictures, sizeof s.pictures);
    assert_memory_equal(d->frames[1], s.vectors, sizeof s.vectors);
    assert_memory_equal(d->actions, s.actions, sizeof s.actions);
    assert_memory_equal(d->rewards, s.rewards, sizeof s.rewards);
    assert_int_equal(d->episode_count, 2);
    assert_memory_equal(d->lengths, s.lengths, sizeof s.lengths);
    assert_memory_equal(d->seeds, s.seeds, sizeof s.seeds);
    assert_memory_equal(d->terminated, s.terminated, sizeof s.terminated);
    assert_memory_equal(d->truncated, s.truncated, sizeof s.truncated);
    // without returns, the sums of the rewards
    assert_true(d->returns[0] == s.rewards[0] + s.rewards[1]);
    assert_true(d->returns[1] == s.rewards[2] + s.rewards[3] + s.rewards[4]);
    sac_demonstrations_close(file);
}

// what a flipped bit makes of a file is refused, and says so in one line; blanks may be other blanks
TEST(any_damaged_byte_is_noticed)
{
    scene s;
    scratch_open();
    const char *path = scratch_path("a.safetensors");
    assert_ok(sac_demonstrations_save(path, scene_fill(&s)));
    uint8_t *bytes;
    size_t size;
    assert_ok(sac_read_file(&bytes, &size, path, 1 << 20));
    uint64_t header;
    memcpy(&header, bytes, 8);
    for (size_t i = 0; i < size; i++)
        for (int bit = 0; bit < 8; bit++)
        {
            bytes[i] ^= (uint8_t)(1 << bit);
            sac_demonstrations_file *file;
            sac_status status = sac_demonstrations_read(&file, bytes, size, "x");
            bool blank = i >= 8 && i < 8 + header && bytes[i] && strchr(" \t\r\n", bytes[i]);
            if (status == SAC_OK && !blank) fail_msg("bit %d of byte %zu", bit, i);
            assert_true(status == SAC_OK || status == SAC_ERROR_FORMAT);
            assert_null(status == SAC_OK ? NULL : strchr(sac_last_error(), '\n'));
            sac_demonstrations_close(file);
            bytes[i] ^= (uint8_t)(1 << bit);
        }
    // a file that is cut anywhere
    for (size_t i = 0; i < size; i++)
    {
        sac_demonstrations_file *file;
        assert_int_equal(sac_demonstrations_read(&file, bytes, i, "x"), SAC_ERROR_FORMAT);
        assert_null(file);
    }
    sac_free(bytes);
}

// what must not be in a file cannot be written, and nothing is left behind
TEST(what_cannot_be_is_not_written)
{
    scene s;
    scratch_open();
    const char *path = scratch_path("a.safetensors");
    sac_demonstrations d = *scene_fill(&s);
    s.lengths[1] = 4;
    assert_fails(sac_demonstrations_save(path, &d), SAC_ERROR_ARGUMENT, "episode 1 has 4 frames");
    s.lengths[1] = 2;
    assert_fails(sac_demonstrations_save(path, &d), SAC_ERROR_ARGUMENT, "add up to 4");
    s.lengths[1] = 3;
    s.actions[3] = INFINITY;
    assert_fails(sac_demonstrations_save(path, &d), SAC_ERROR_ARGUMENT, "the action of frame 1 is inf");
    s.actions[3] = 0;
    s.seeds[0] = -2;
    assert_fails(sac_demonstrations_save(path, &d), SAC_ERROR_ARGUMENT, "the seed of episode 0");
    s.seeds[0] = 1;
    s.parts[1].name = "camera";
    assert_fails(sac_demonstrations_save(path, &d), SAC_ERROR_ARGUMENT, "two parts");
    s.parts[1].name = "state";
    d.action = (sac_space){.name = "action", .kind = SAC_SPACE_CHOICE, .choices = 3};
    assert_fails(sac_demonstrations_save(path, &d), SAC_ERROR_ARGUMENT, "expected one of the choices");
    assert_int_equal(access(path, F_OK), -1);
    assert_fails(sac_demonstrations_save("/nowhere/at/all", scene_fill(&s)), SAC_ERROR_FILE, "/nowhere/at/all");
}

TEST(other_files_are_refused)
{
    scratch_open();
    float x = 1;
    sac_tensor tensor = {"x", SAC_F32, 1, {1}, &x};
    assert_ok(sac_tensors_save(scratch_path("a"), &tensor, 1, NULL, 0));
    sac_demonstrations_file *file;
    assert_fails(sac_demonstrations_open(&file, scratch_path("a")), SAC_ERROR_FORMAT, "is no file of demonstrations");
    assert_null(file);
    assert_fails(sac_demonstrations_open(&file, scratch_path("b")), SAC_ERROR_FILE, "cannot be read");
    assert_fails(sac_demonstrations_open(&file, scratch), SAC_ERROR_FILE, "expected an ordinary file");
    assert_ok(sac_write_file(scratch_path("c"), "", 0));
    assert_fails(sac_demonstrations_open(&file, scratch_path("c")), SAC_ERROR_FORMAT, "empty");
}

static sac_status write_and_read(void)
{
    scene s;
    sac_demonstrations_file *file;
    sac_status status = sac_demonstrations_save(scratch_path("a.safetensors"), scene_fill(&s));
    if (status == SAC_OK) status = sac_demonstrations_open(&file, scratch_path("a.safetensors"));
    if (status == SAC_OK) sac_demonstrations_close(file);
    return status;
}

TEST(a_lack_of_memory_is_survived)
{
    scratch_open();
    assert_survives_lack_of_memory(write_and_read(), (void)0);
}

// --- recordings --------------------------------------------------------------------------------------------------

static const sac_setting toy_settings[] = {{"size", "24"}, {"max_steps", "40"}};
static const sac_env_def toy = {.id = "toy", .settings = toy_settings, .setting_count = 2};
static const uint64_t seeds[] = {5, 3, 1000000, 4, 9, 3};

enum
{
    COUNT = sizeof seeds / sizeof *seeds
};

static sac_policy *toy_policy(void)
{
    sac_env *env;
    sac_policy *policy;
    assert_ok(sac_env_create(&env, &toy));
    const sac_setting settings[] = {{"top", "3"}, {"hidden", "4"}};
    assert_ok(sac_policy_create_for(&policy, env, "attention-agent", settings, 2));
    sac_env_destroy(env);
    float *parameters = calloc((size_t)sac_policy_parameter_count(policy), sizeof *parameters);
    sac_policy_draw(policy, 3, parameters);
    sac_policy *drawn;
    assert_ok(sac_policy_create_with(&drawn, policy, parameters));
    free(parameters);
    sac_policy_destroy(policy);
    return drawn;
}

static sac_record_def record_def(const sac_policy *policy, const char *name, int threads)
{
    return (sac_record_def){.path = scratch_path(name),
                            .policy = policy,
                            .driver = "a test",
                            .env = &toy,
                            .seeds = seeds,
                            .count = COUNT,
                            .threads = threads};
}

// a recording holds what someone sees who plays the same episode by hand, and its actions replayed give its rewards
TEST(a_recording_is_what_was_played)
{
    scratch_open();
    sac_policy *policy = toy_policy();
    sac_episode episodes[COUNT], evaluated[COUNT];
    sac_record_def def = record_def(policy, "a", 2);
    assert_ok(sac_record(&def, episodes));
    assert_ok(sac_evaluate_seeds(&(sac_evaluation_def){policy, &toy, seeds, COUNT, 1, NULL, NULL}, evaluated));
    sac_demonstrations_file *file;
    assert_ok(sac_demonstrations_open(&file, def.path));
    const sac_demonstrations *d = sac_demonstrations_get(file);
    assert_int_equal(d->episode_count, COUNT);
    sac_env *env;
    assert_ok(sac_env_create(&env, &toy));
    const sac_env_spec *spec = sac_env_get_spec(env);
    const size_t size = sac_space_bytes(&spec->observations[0]);
    uint8_t *seen = malloc(size), terminated, truncated;
    float action[8];
    double reward;
    void *parts[SAC_MAX_PARTS] = {seen};
    const sac_env_row row = {action, parts, &reward, &terminated, &truncated};
    int64_t at = 0;
    for (int e = 0; e < COUNT; e++)
    {
        assert_int_equal(d->seeds[e], seeds[e]);
        assert_int_equal(d->lengths[e], evaluated[e].steps);
        assert_true(d->returns[e] == evaluated[e].episode_return && episodes[e].episode_return == d->returns[e]);
        assert_ok(sac_env_reset(env, seeds[e], &row));
        for (int64_t t = 0; t < d->lengths[e]; t++, at++)
        {
            assert_memory_equal((const uint8_t *)d->frames[0] + (size_t)at * size, seen, size);
            memcpy(action, d->actions + at * spec->action_size, sizeof(float) * (size_t)spec->action_size);
            assert_ok(sac_env_step(env, &row));
            assert_true(d->rewards[at] == reward);
        }
        assert_int_equal(d->terminated[e], terminated);
        assert_int_equal(d->truncated[e], !terminated);
    }
    assert_int_equal(at, d->frame_count);
    free(seen);
    sac_env_destroy(env);
    sac_demonstrations_close(file);
    sac_policy_destroy(policy);
}

TEST(any_number_of_threads_records_the_same_bytes)
{
    scratch_open();
    sac_policy *policy = toy_policy();
    sac_episode episodes[COUNT];
    static const char *const names[] = {"one", "two", "seven"};
    static const int threads[] = {1, 2, 7};
    for (int who = 0; who < 3; who++)
    {
        for (int i = 0; i < 3; i++)
        {
            sac_record_def def = record_def(who ? NULL : policy, names[i], threads[i]);
            def.random = who == 2;
            assert_ok(sac_record(&def, episodes));
        }
        assert_true(same_bytes("one", "two"));
        assert_true(same_bytes("one", "seven"));
    }
    sac_policy_destroy(policy);
}

TEST(a_recording_that_cannot_be_leaves_nothing)
{
    scratch_open();
    sac_episode episodes[COUNT];
    sac_record_def def = record_def(NULL, "a", 2);
    def.parts = "camra";
    assert_fails(sac_record(&def, episodes), SAC_ERROR_ARGUMENT, "did you mean 'camera'?");
    def.parts = "camera";
    const volatile int interrupt = 1;
    def.interrupt = &interrupt;
    assert_int_equal(sac_record(&def, episodes), SAC_ERROR_INTERRUPTED);
    assert_int_equal(access(def.path, F_OK), -1);
    def.interrupt = NULL;
    def.path = "/nowhere/at/all";
    assert_fails(sac_record(&def, episodes), SAC_ERROR_FILE, "/nowhere/at");
}

TEST(a_recording_survives_a_lack_of_memory)
{
    scratch_open();
    sac_policy *policy = toy_policy();
    sac_episode episodes[COUNT];
    sac_record_def def = record_def(policy, "a", 1);
    def.count = 2;
    assert_survives_lack_of_memory(sac_record(&def, episodes), (void)0);
    sac_policy_destroy(policy);
}

TESTS(what_is_written_is_read_back, any_damaged_byte_is_noticed, what_cannot_be_is_not_written, other_files_are_refused,
      a_lack_of_memory_is_survived, a_recording_is_what_was_played, any_number_of_threads_records_the_same_bytes,
      a_recording_that_cannot_be_leaves_nothing, a_recording_survives_a_lack_of_memory)
