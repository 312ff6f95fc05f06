#include <jansson.h>

#include "base/memory.h"
#include "files/arrays/safetensors.h"
#include "files/yaml.h"
#include "saccade/attention.h"
#include "saccade/env.h"
#include "saccade/evolve.h"
#include "saccade/train.h"

#include "failing_memory.h"

// whatever is created: each allocation may fail, which is a status, and nothing is held afterwards

TEST(environments)
{
    for (int i = 0; i < sac_env_count(); i++)
    {
        // of worlds with the same functions, such as the control suite's, one is enough
        if (i > 0 && sac_env_at(i)->step == sac_env_at(i - 1)->step) continue;
        sac_env *env = NULL;
        sac_env_def def = {.id = sac_env_at(i)->name};
        if (sac_env_create(&env, &def) != SAC_OK) continue; // a world whose engine is not here
        sac_env_destroy(env);
        assert_survives_lack_of_memory(sac_env_create(&env, &def), sac_env_destroy(env));
    }
    sac_env_destroy(NULL);
}

TEST(searches)
{
    const char *name;
    for (int i = 0; (name = sac_search_method_at(i, NULL, NULL)); i++)
    {
        sac_search *search = NULL;
        sac_search_def def = {.method = name, .dimension = 5};
        assert_survives_lack_of_memory(sac_search_create(&search, &def), sac_search_destroy(search));
    }
    sac_search_destroy(NULL);
}

TEST(attentions)
{
    const char *name;
    for (int i = 0; (name = sac_attention_form_at(i, NULL)); i++)
    {
        sac_attention *attention = NULL;
        sac_attention_def def = sac_attention_default_def();
        def.form = name;
        def.key_size = 4;
        assert_survives_lack_of_memory(sac_attention_create(&attention, &def), sac_attention_destroy(attention));
    }
    sac_attention_destroy(NULL);
}

TEST(tasks)
{
    sac_task *task = NULL;
    assert_survives_lack_of_memory(sac_task_load(&task, SAC_SOURCE_DIR "/tasks/toy.yaml", NULL, 0),
                                   sac_task_destroy(task));
    sac_task_destroy(NULL);
}

TEST(yaml)
{
    sac_yaml *yaml = NULL;
    assert_survives_lack_of_memory(sac_yaml_load(&yaml, SAC_SOURCE_DIR "/tasks/toy.yaml"), sac_yaml_destroy(yaml));
    static const sac_setting settings[] = {{"a.0", "1"}, {"a.1", "2"}, {"b.c", "3"}};
    char *text;
    assert_survives_lack_of_memory(sac_yaml_write(&text, settings, 3), sac_free(text));
    sac_yaml_destroy(NULL);
}

// memory of Jansson's own, which does not pass through our hooks

static struct
{
    int until_failure, held;
} jansson;

static void *jansson_allocate(size_t size)
{
    if (jansson.until_failure-- == 0) return NULL;
    jansson.held++;
    return malloc(size);
}

static void jansson_release(void *memory)
{
    jansson.held -= memory != NULL;
    free(memory);
}

TEST(json_that_lacks_memory)
{
    float one = 1;
    sac_tensor tensor = {"a", SAC_F32, 2, {1, 1}, &one};
    static const sac_metadata metadata[] = {{"k", "v"}, {"checksum", NULL}};
    uint8_t *bytes, *expected;
    size_t size, expected_size;
    assert_ok(sac_tensors_write(&expected, &expected_size, &tensor, 1, metadata, 2));
    json_set_alloc_funcs(jansson_allocate, jansson_release);
    bool written = false, read = false;
    for (int at = 0; !written || !read; at++)
    {
        assert_true(at < 1000);
        jansson.until_failure = at;
        jansson.held = 0;
        sac_tensors *tensors;
        read = sac_tensors_read(&tensors, expected, expected_size, "x") == SAC_OK;
        assert_true(read == (tensors != NULL));
        // Jansson may lose a letter of a text instead of failing: the checksum notices
        read = read && sac_tensors_verify(tensors) == SAC_OK;
        sac_tensors_destroy(tensors);
        assert_int_equal(jansson.held, 0);

        jansson.until_failure = at;
        written = sac_tensors_write(&bytes, &size, &tensor, 1, metadata, 2) == SAC_OK;
        assert_true(written == (bytes != NULL));
        // what is written although an allocation failed is whole all the same
        if (written) assert_memory_equal(bytes, expected, expected_size);
        sac_free(bytes);
        assert_int_equal(jansson.held, 0);
    }
    json_set_alloc_funcs(malloc, free);
    sac_free(expected);
}

TESTS(environments, searches, attentions, tasks, yaml, json_that_lacks_memory)
