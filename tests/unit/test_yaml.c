#include "base/memory.h"
#include "files/yaml.h"

#include "test.h"

static const char task[] = "# a task\n"
                           "env:\n"
                           "  id: car-racing\n"
                           "  rules: 'v3'\n"
                           "train:\n"
                           "  stages:\n"
                           "    - {above: 100, episodes: 2}\n"
                           "    - above: 800\n"
                           "      episodes: 4\n"
                           "note: \"two\\nlines: # and signs\"\n"
                           "empty:\n";

static sac_status read_text(sac_yaml **out, const char *text)
{
    return sac_yaml_read(out, text, strlen(text), "task.yaml");
}

TEST(maps_and_lists_become_dotted_paths)
{
    static const sac_yaml_entry expected[] = {
        {"env.id", "car-racing", 3},
        {"env.rules", "v3", 4},
        {"train.stages.0.above", "100", 7},
        {"train.stages.0.episodes", "2", 7},
        {"train.stages.1.above", "800", 8},
        {"train.stages.1.episodes", "4", 9},
        {"note", "two\nlines: # and signs", 10},
        {"empty", "", 12},
    };
    sac_yaml *yaml;
    assert_ok(read_text(&yaml, task));
    assert_int_equal(sac_yaml_count(yaml), 8);
    for (int i = 0; i < 8; i++)
    {
        assert_string_equal(sac_yaml_at(yaml, i)->key, expected[i].key);
        assert_string_equal(sac_yaml_at(yaml, i)->value, expected[i].value);
        if (i < 7) assert_int_equal(sac_yaml_at(yaml, i)->line, expected[i].line);
    }
    assert_string_equal(sac_yaml_find(yaml, "env.rules")->value, "v3");
    assert_null(sac_yaml_find(yaml, "env"));
    sac_yaml_destroy(yaml);
}

TEST(writing_reads_back_the_same)
{
    sac_yaml *first, *second;
    assert_ok(read_text(&first, task));
    sac_setting settings[16];
    int count = sac_yaml_count(first);
    for (int i = 0; i < count; i++)
        settings[i] = (sac_setting){sac_yaml_at(first, i)->key, sac_yaml_at(first, i)->value};
    char *text;
    assert_ok(sac_yaml_write(&text, settings, count));
    assert_non_null(strstr(text, "  stages:\n  - above: 100\n    episodes: 2\n"));
    assert_ok(read_text(&second, text));
    assert_int_equal(sac_yaml_count(second), count);
    for (int i = 0; i < count; i++)
    {
        assert_string_equal(sac_yaml_at(second, i)->key, settings[i].key);
        assert_string_equal(sac_yaml_at(second, i)->value, settings[i].value);
    }
    sac_free(text);
    sac_yaml_destroy(first);
    sac_yaml_destroy(second);
}

// whatever a value holds, it comes back
TEST(awkward_values_come_back)
{
    static const char *const values[] = {"",
                                         " space ",
                                         "#",
                                         "a: b",
                                         "- x",
                                         "true",
                                         "~",
                                         "'",
                                         "\"\\",
                                         "\t",
                                         "a\n\n b ",
                                         "{a}",
                                         "\xc3\xa9\xe2\x82\xac",
                                         "*a",
                                         "!t",
                                         "\x01",
                                         "%x",
                                         "---",
                                         "...",
                                         "? a",
                                         "a #b",
                                         "[",
                                         "|",
                                         ">"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
    {
        sac_setting setting[] = {{"a.b", values[i]}, {"a.list.0", values[i]}, {"a.list.1", values[i]}};
        char *text;
        assert_ok(sac_yaml_write(&text, setting, 3));
        sac_free(text);
    }
}

TEST(writing_refuses_what_would_not_read_back)
{
    static const struct
    {
        sac_setting settings[3];
        int count;
    } cases[] = {
        {{{"a.b", "1"}, {"c", "2"}, {"a.d", "3"}}, 3}, // a section that was left
        {{{"a", "1"}, {"a", "2"}}, 2},
        {{{"a", "1"}, {"a.b", "2"}}, 2},
        {{{"a.0", "1"}, {"a.2", "2"}}, 2}, // a list with a gap
        {{{"", "1"}}, 1},
        {{{"a..b", "1"}}, 1},
        {{{"a.b.c.d.e.f.g.h.i", "1"}}, 1}, // too deep
        {{{"a", "\xff"}}, 1},              // no UTF-8
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        char *text;
        assert_int_not_equal(sac_yaml_write(&text, cases[i].settings, cases[i].count), SAC_OK);
        assert_null(text);
    }
}

TEST(errors_say_the_line_and_what_is_wrong)
{
    static const char *const cases[][2] = {
        {"a: 1\nb: 2\na: 3\n", "task.yaml:3: 'a' comes twice, first in line 1"},
        {"a:\n  b: 1\n  b: 2\n", "task.yaml:3: 'a.b' comes twice, first in line 2"},
        {"a: 1\na: {b: 2}\n", "task.yaml:2: 'a' comes twice, first in line 1"},
        {"a: &x 1\n", "task.yaml:1: an anchor"},
        {"a: {}\nb: *x\n", "task.yaml:2: an alias"},
        {"a: !!int 1\n", "task.yaml:1: a tag"},
        {"a: !!map {}\n", "task.yaml:1: a tag"},
        {"a: {b: {c: {d: {e: {f: {g: {h: {i: 1}}}}}}}}\n", "deeper than 8"},
        {"- a\n- b\n", "found a list"},
        {"word\n", "expected 'key: value'"},
        {"a: 1\n---\nb: 2\n", "task.yaml:2: a second document"},
        {"a.b: 1\n", "holds a dot"},
        {"'': 1\n", "a key that is empty"},
        {"? [a]\n: 1\n", "a key that is no word"},
        {"a: \"x\\0y\"\n", "a zero byte"},
        {"a: [1, 2\n", "task.yaml:2: YAML: "},
        {"a: \"b\n", "YAML: "},
        {"a: \xff\n", "YAML: "},
        {"\ta: 1\n", "YAML: "},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        sac_yaml *yaml;
        assert_fails(read_text(&yaml, cases[i][0]), SAC_ERROR_FORMAT, cases[i][1]);
        assert_null(yaml);
    }
}

TEST(limits)
{
    sac_yaml *yaml;
    size_t size = SAC_YAML_LIMIT + 1;
    char *text = sac_alloc(size + 1);
    memset(text, '#', size);
    assert_fails(sac_yaml_read(&yaml, text, size, "task.yaml"), SAC_ERROR_FORMAT, "expected at most 262144");
    assert_ok(sac_yaml_read(&yaml, text, size - 1, "task.yaml"));
    assert_int_equal(sac_yaml_count(yaml), 0);
    sac_yaml_destroy(yaml);

    char *at = text;
    for (int i = 0; i < 1024; i++) at += sprintf(at, "k%d: %d\n", i, i);
    assert_ok(read_text(&yaml, text));
    sac_yaml_destroy(yaml);
    strcpy(at, "last: 1\n");
    assert_fails(read_text(&yaml, text), SAC_ERROR_FORMAT, "task.yaml:1025: more than 1024 entries");

    memset(text, 'k', 256);
    strcpy(text + 256, ": 1\n");
    assert_fails(read_text(&yaml, text), SAC_ERROR_FORMAT, "too long together");
    strcpy(text + 255, ": 1\n");
    assert_ok(read_text(&yaml, text));
    sac_yaml_destroy(yaml);
    strcpy(text + 255, ": [1]\n");
    assert_fails(read_text(&yaml, text), SAC_ERROR_FORMAT, "too long together");
    strcpy(text + 253, ": [1]\n");
    assert_ok(read_text(&yaml, text));
    assert_int_equal(strlen(sac_yaml_at(yaml, 0)->key), 255);
    sac_yaml_destroy(yaml);
    strcpy(text + 253, ": [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]\n"); // the number takes a letter more
    assert_fails(read_text(&yaml, text), SAC_ERROR_FORMAT, "too long together");
    sac_free(text);
}

TESTS(maps_and_lists_become_dotted_paths, writing_reads_back_the_same, awkward_values_come_back,
      writing_refuses_what_would_not_read_back, errors_say_the_line_and_what_is_wrong, limits)
