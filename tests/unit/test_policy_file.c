#include "policy_scene.h"
#include "scratch.h"

#include "base/memory.h"
#include "files/arrays/safetensors.h"
#include "files/atomic.h"

static const char *path;

static void begin(void)
{
    scratch_open();
    path = scratch_path("policy.safetensors");
}

// nothing but the file is there, nothing half written
static void end(void)
{
    remove(path);
    assert_int_equal(rmdir(scratch), 0);
}

static void same_policies(const sac_policy *a, const sac_policy *b)
{
    const sac_policy_def *x = sac_policy_get_def(a), *y = sac_policy_get_def(b);
    assert_string_equal(sac_policy_kind(a), sac_policy_kind(b));
    assert_int_equal(sac_policy_parameter_count(a), sac_policy_parameter_count(b));
    assert_memory_equal(sac_policy_parameters(a), sac_policy_parameters(b),
                        (size_t)sac_policy_parameter_count(a) * sizeof(float));
    assert_int_equal(x->setting_count, y->setting_count);
    for (int i = 0; i < x->setting_count; i++)
    {
        assert_string_equal(x->settings[i].key, y->settings[i].key);
        assert_string_equal(x->settings[i].value, y->settings[i].value);
    }
    assert_true(x->height == y->height && x->width == y->width && x->channels == y->channels);
    assert_true(x->action_size == y->action_size && x->action_choices == y->action_choices);
    assert_memory_equal(x->action_low, y->action_low, (size_t)x->action_size * sizeof(float));
    assert_memory_equal(x->action_high, y->action_high, (size_t)x->action_size * sizeof(float));
}

TEST(what_is_saved_is_loaded)
{
    static const char *const agents[] = {
        "", "scale=0.1,attention=relu,attention_seed=18446744073709551614",
        "patch_features=positions+conv,conv_channels=3:2,controller=mlp,normalise_positions=false"};
    begin();
    for (int i = 0; i < 3; i++)
    {
        sac_policy *policy = scene_policy(agents[i], 2), *loaded;
        sac_setting settings[] = {{"rules", "v0"}, {"max_steps", "1000"}};
        sac_policy_info info = {"car-racing", "bars", "0.1.0", UINT64_MAX - 1, 12, 914.25, 15.125, 100, settings, 2};
        sac_policy_info read;
        assert_ok(sac_policy_save(policy, NULL, &info, path));
        assert_ok(sac_policy_load(&loaded, &read, path));
        same_policies(policy, loaded);
        assert_string_equal(read.environment, "car-racing");
        assert_string_equal(read.variant, "bars");
        assert_string_equal(read.version, "0.1.0");
        assert_true(read.seed == UINT64_MAX - 1 && read.generation == 12 && read.score_episodes == 100);
        assert_true(read.score == 914.25 && read.score_std == 15.125);
        assert_int_equal(read.setting_count, 2);
        assert_string_equal(read.settings[1].key, "max_steps");
        assert_string_equal(read.settings[1].value, "1000");
        sac_policy_info_clear(&read);
        assert_null(read.settings);
        sac_policy_destroy(loaded);
        sac_policy_destroy(policy);
    }
    end();
}

TEST(equal_policies_are_equal_bytes)
{
    begin();
    sac_policy *policy = scene_policy("", 2);
    uint8_t *first, *second;
    size_t first_size, second_size;
    assert_ok(sac_policy_save(policy, NULL, NULL, path));
    assert_ok(sac_read_file(&first, &first_size, path, 1 << 20));
    assert_ok(sac_policy_save(policy, sac_policy_parameters(policy), NULL, path));
    assert_ok(sac_read_file(&second, &second_size, path, 1 << 20));
    assert_int_equal(first_size, second_size);
    assert_memory_equal(first, second, first_size);
    sac_free(first);
    sac_free(second);
    sac_policy_destroy(policy);
    end();
}

TEST(no_info_and_no_bounds_are_kept_too)
{
    begin();
    const sac_setting none = {"activation", "none"};
    const float low[] = {-INFINITY, 0.1f}, high[] = {INFINITY, 1e30f};
    sac_policy_def def = {"attention-agent", &none, 1, 32, 40, 1, 2, 0, low, high, NULL, 0};
    sac_policy *policy, *loaded;
    sac_policy_info info;
    assert_ok(sac_policy_create(&policy, &def));
    assert_ok(sac_policy_save(policy, NULL, NULL, path));
    assert_ok(sac_policy_load(&loaded, &info, path));
    same_policies(policy, loaded);
    assert_true(isnan(info.score) && info.environment[0] == 0 && info.setting_count == 0);
    sac_policy_destroy(loaded);
    sac_policy_destroy(policy);
    end();
}

TEST(numbers_that_are_none_are_not_saved)
{
    begin();
    static float theta[3667];
    sac_policy *policy = scene_policy("", 2);
    memcpy(theta, sac_policy_parameters(policy), sizeof theta);
    theta[700] = NAN;
    assert_fails(sac_policy_save(policy, theta, NULL, path), SAC_ERROR_ARGUMENT, "key.weight");
    assert_int_not_equal(access(path, F_OK), 0);
    sac_policy_destroy(policy);
    end();
}

// a file whose parts a test may spoil before it is written again
typedef struct draft
{
    sac_tensors *tensors;
    sac_tensor list[16];
    int count;
    sac_metadata metadata[8];
    int metadata_count;
} draft;

static draft open_draft(void)
{
    draft d = {0};
    sac_policy *policy = scene_policy("", 2);
    sac_policy_info info = {.environment = "car-racing", .score = 1};
    assert_ok(sac_policy_save(policy, NULL, &info, path));
    sac_policy_destroy(policy);
    assert_ok(sac_tensors_load(&d.tensors, path, 1 << 20));
    d.count = sac_tensors_count(d.tensors);
    d.metadata_count = sac_tensors_metadata_count(d.tensors);
    for (int i = 0; i < d.count; i++) d.list[i] = *sac_tensors_at(d.tensors, i);
    for (int i = 0; i < d.metadata_count; i++)
    {
        d.metadata[i] = sac_tensors_metadata_at(d.tensors, i);
        if (strcmp(d.metadata[i].key, "checksum") == 0) d.metadata[i].value = NULL; // computed anew
    }
    return d;
}

static sac_metadata *entry(draft *d, const char *key)
{
    for (int i = 0; i < d->metadata_count; i++)
        if (strcmp(d->metadata[i].key, key) == 0) return &d->metadata[i];
    fail_msg("no %s", key);
    return NULL;
}

static sac_tensor *find(draft *d, const char *name)
{
    for (int i = 0; i < d->count; i++)
        if (strcmp(d->list[i].name, name) == 0) return &d->list[i];
    fail_msg("no %s", name);
    return NULL;
}

static void refused(draft *d, const char *words)
{
    assert_ok(sac_tensors_save(path, d->list, d->count, d->metadata, d->metadata_count));
    sac_policy *policy;
    sac_policy_info info;
    assert_fails(sac_policy_load(&policy, &info, path), SAC_ERROR_FORMAT, words);
    assert_non_null(strstr(sac_last_error(), path));
    assert_null(policy);
    assert_int_equal(info.setting_count, 0);
    sac_tensors_destroy(d->tensors);
}

TEST(files_that_are_no_policies_are_refused)
{
    begin();
    draft d = open_draft();
    entry(&d, "format")->value = "something";
    refused(&d, "no policy file");
    d = open_draft();
    d.metadata_count = 0;
    refused(&d, "no policy file");
    d = open_draft();
    entry(&d, "version")->value = "3";
    refused(&d, "version 3 are unknown, expected 1 or 2");
    d = open_draft();
    *entry(&d, "policy") = (sac_metadata){"x", "y"};
    refused(&d, "no 'policy'");
    d = open_draft();
    *entry(&d, "checksum") = (sac_metadata){"checksum", "0000000000000000"};
    refused(&d, "checksum");
    end();
}

TEST(tensors_must_be_those_of_the_architecture)
{
    begin();
    draft d = open_draft();
    find(&d, "lstm.weight_hh")->name = "lstm.weight";
    refused(&d, "lstm.weight_hh");
    d = open_draft();
    *find(&d, "key.bias") = d.list[--d.count];
    refused(&d, "");
    d = open_draft();
    d.list[d.count] = d.list[0];
    d.list[d.count++].name = "more";
    refused(&d, "11 tensors");
    d = open_draft();
    sac_tensor *weight = find(&d, "query.weight");
    weight->shape[0] = 147, weight->shape[1] = 4;
    refused(&d, "query.weight");
    d = open_draft();
    find(&d, "output.bias")->dtype = SAC_I32;
    refused(&d, "output.bias");
    d = open_draft();
    static const float bad[3] = {0, INFINITY, 0};
    find(&d, "output.bias")->data = bad;
    refused(&d, "output.bias");
    end();
}

TEST(descriptions_are_checked)
{
    static const struct
    {
        const char *from, *to, *words;
    } changes[] = {
        {"{\"kind\"", "[\"kind\"", "JSON"},
        {"attention-agent", "attention-agnet", "did you mean 'attention-agent'?"},
        {"\"patch\":\"7\"", "\"patch\":\"8\"", "query.weight"},
        {"\"patch\":\"7\"", "\"patch\":7", "patch"},
        {"\"patch\":\"7\"", "\"patch\":\"-1\"", "patch"},
        {"\"patch\":\"7\"", "\"ptach\":\"7\"", "did you mean 'patch'?"},
        {"\"height\":96", "\"height\":1e9", "description"},
        {"\"height\":96", "\"height\":-96", "observation"},
        {"\"height\":96,", "", "description"},
        {"\"height\":96", "\"heigth\":96", "description"},
        {"\"action_size\":3", "\"action_size\":2000000000", "action_low"},
        {"\"action_low\":[-1.0", "\"action_low\":[\"a\"", "action_low"},
        {"\"action_low\":[-1.0", "\"action_low\":[-1.0,0", "action_low"},
        {"\"hidden\":\"16\"", "\"hidden\":\"1024\"", "lstm.bias_hh"},
    };
    begin();
    for (size_t i = 0; i < sizeof changes / sizeof *changes; i++)
    {
        draft d = open_draft();
        const char *text = entry(&d, "policy")->value, *at = strstr(text, changes[i].from);
        if (!at) fail_msg("%s is not in %s", changes[i].from, text);
        char changed[8192];
        snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, changes[i].to,
                 at + strlen(changes[i].from));
        entry(&d, "policy")->value = changed;
        refused(&d, changes[i].words);
    }
    draft d = open_draft();
    entry(&d, "info")->value = "{\"environment\":3}";
    refused(&d, "info");
    end();
}

TEST(no_cut_and_no_changed_byte_is_overlooked)
{
    begin();
    sac_policy *policy = scene_policy("top=3,hidden=2", 2), *loaded;
    sac_policy_info info = {.environment = "car-racing"};
    uint8_t *bytes;
    size_t size;
    assert_ok(sac_policy_save(policy, NULL, &info, path));
    assert_ok(sac_read_file(&bytes, &size, path, 1 << 20));
    for (size_t cut = 0; cut < size; cut += cut < 200 ? 1 : 97)
        assert_int_equal(sac_policy_read(&loaded, NULL, bytes, cut, "cut"), SAC_ERROR_FORMAT);
    for (size_t at = 0; at < size; at += 23)
    {
        bytes[at] ^= 0x10;
        sac_status status = sac_policy_read(&loaded, NULL, bytes, size, "changed");
        if (status == SAC_OK)
        {
            // only the spelling of the header may change without harm
            same_policies(policy, loaded);
            sac_policy_destroy(loaded);
        }
        else
            assert_int_equal(status, SAC_ERROR_FORMAT);
        bytes[at] ^= 0x10;
    }
    sac_free(bytes);
    sac_policy_destroy(policy);
    end();
}

TEST(a_missing_file_is_named)
{
    sac_policy *policy;
    assert_fails(sac_policy_load(&policy, NULL, "/nowhere/x.safetensors"), SAC_ERROR_FILE, "/nowhere/x.safetensors");
    assert_null(policy);
}

// what version 1 wrote stays readable
TEST(the_first_version_is_read)
{
    sac_policy *policy, *expected = scene_policy("patch=12,stride=12,key_size=2,top=2,hidden=2,controller=mlp", 5);
    sac_policy_info info;
    assert_ok(sac_policy_load(&policy, &info, "tests/golden/data/policy_v1.safetensors"));
    same_policies(policy, expected);
    assert_string_equal(info.environment, "car-racing");
    assert_true(info.score == 12.5 && info.seed == 3);
    sac_policy_info_clear(&info);
    sac_policy_destroy(policy);
    sac_policy_destroy(expected);
}

// the peers' Python, where it is
static const char *python(void)
{
    const char *given = getenv("SACCADE_PEERS");
    return given ? given : access(".venv/bin/python", X_OK) == 0 ? ".venv/bin/python" : NULL;
}

TEST(the_python_package_reads_it)
{
    char command[512];
    snprintf(command, sizeof command, "%s -c 'import safetensors.numpy' 2>/dev/null", python() ? python() : "false");
    if (system(command) != 0) skip_without("Python with safetensors (scripts/python.sh readers)");
    begin();
    sac_policy *policy = scene_policy("", 2);
    assert_ok(sac_policy_save(policy, NULL, NULL, path));
    snprintf(command, sizeof command,
             "%s -c 'import json, safetensors; f = safetensors.safe_open(\"%s\", \"np\"); "
             "assert f.get_tensor(\"lstm.weight_ih\").shape == (64, 20); "
             "assert json.loads(f.metadata()[\"policy\"])[\"settings\"][\"patch\"] == \"7\"'",
             python(), path);
    assert_int_equal(system(command), 0);
    sac_policy_destroy(policy);
    end();
}

TESTS(what_is_saved_is_loaded, equal_policies_are_equal_bytes, no_info_and_no_bounds_are_kept_too,
      numbers_that_are_none_are_not_saved, files_that_are_no_policies_are_refused,
      tensors_must_be_those_of_the_architecture, descriptions_are_checked, no_cut_and_no_changed_byte_is_overlooked,
      a_missing_file_is_named, the_first_version_is_read, the_python_package_reads_it)
