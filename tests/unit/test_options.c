#include "saccade/options.h"

#include "test.h"

typedef struct config
{
    bool normalise;
    int patch;
    uint64_t seed;
    double sigma;
    char attention[SAC_TEXT_SIZE], note[SAC_TEXT_SIZE];
} config;

static const sac_option table[] = {
    {"normalise", SAC_OPTION_BOOL, offsetof(config, normalise), "true", 0, 0, NULL, "divide by 255"},
    {"patch", SAC_OPTION_INT, offsetof(config, patch), "7", 1, 64, NULL, "side of a patch in pixels"},
    {"seed", SAC_OPTION_SEED, offsetof(config, seed), "0", 0, 0, NULL, "of everything"},
    {"sigma", SAC_OPTION_REAL, offsetof(config, sigma), "0.1", -1, 2.5, NULL, "first step size"},
    {"attention", SAC_OPTION_TEXT, offsetof(config, attention), "softmax", 0, 0, "softmax relu sara-relu", "its form"},
    {"note", SAC_OPTION_TEXT, offsetof(config, note), "", 0, 0, NULL, "any text"},
    {0},
};

static const sac_option required[] = {
    {"patch", SAC_OPTION_INT, offsetof(config, patch), NULL, 1, 64, NULL, "side of a patch in pixels"},
    {0},
};

TEST(defaults_then_settings_in_order)
{
    config c;
    sac_setting settings[] = {{"patch", "9"}, {"note", "a b"}, {"patch", "11"}};
    assert_ok(sac_options_read(table, &c, settings, 3, "policy"));
    assert_true(c.normalise);
    assert_int_equal(c.patch, 11);
    assert_int_equal(c.seed, 0);
    assert_true(c.sigma == 0.1);
    assert_string_equal(c.attention, "softmax");
    assert_string_equal(c.note, "a b");
}

TEST(good_values)
{
    config c;
    static const char *const cases[][2] = {
        {"normalise", "false"},
        {"patch", "1"},
        {"patch", "64"},
        {"seed", "18446744073709551614"},
        {"sigma", "-1"},
        {"sigma", "2.5"},
        {"sigma", "1e-300"},
        {"attention", "relu"},
        {"attention", "sara-relu"},
        {"note", "softmax relu"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_ok(sac_options_set(table, &c, cases[i][0], cases[i][1], "policy"));
}

TEST(bad_values_say_what_was_expected)
{
    static const char *const cases[][3] = {
        {"normalise", "yes", "policy: normalise is 'yes', expected true or false"},
        {"normalise", "", "expected true or false"},
        {"patch", "0", "policy: patch is '0', expected a whole number from 1 to 64"},
        {"patch", "65", "from 1 to 64"},
        {"patch", "7.5", "expected a whole number"},
        {"patch", "", "expected a whole number"},
        {"patch", "7 ", "expected a whole number"},
        {"patch", " 7", "expected a whole number"},
        {"patch", "4294967303", "expected a whole number"}, // 7 in its lower 32 bits
        {"patch", "99999999999999999999", "expected a whole number"},
        {"seed", "-1", "expected a whole number from 0"},
        {"seed", " -1", "expected a whole number from 0"},
        {"seed", "18446744073709551615", "expected a whole number from 0"}, // means "the next episode"
        {"seed", "18446744073709551616", "expected a whole number from 0"},
        {"seed", "", "expected a whole number from 0"},
        {"patch", "10000000000", "policy: patch is '10000000000', expected a whole number from 1 to 64"},
        {"patch.0", "3", "policy: patch takes one value, not a list"},
        {"attention.name", "relu", "policy: attention takes one value, not a map"},
        {"sigma", "2.6", "policy: sigma is '2.6', expected -1 to 2.5"},
        {"sigma", "nan", "expected a number"},
        {"sigma", "inf", "expected a number"},
        {"sigma", "1e999", "expected a number"},
        {"sigma", "0x1p0", "expected a number"},
        {"sigma", "1,5", "expected a number"},
        {"sigma", "", "expected a number"},
        {"sigma", " 1", "expected a number"},
        {"attention", "sofmax", "expected one of: softmax, relu, sara-relu, did you mean 'softmax'?"},
        {"attention", "sara", "did you mean 'sara-relu'?"},
        {"attention", "", "expected one of"},
        {"attention", "softmax relu", "expected one of"},
        {"attention", "soft", "expected one of"},
        {"attention", "max", "expected one of"},
    };
    config c;
    assert_ok(sac_options_read(table, &c, NULL, 0, "policy"));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        config before = c;
        assert_fails(sac_options_set(table, &c, cases[i][0], cases[i][1], "policy"), SAC_ERROR_ARGUMENT, cases[i][2]);
        assert_memory_equal(&before, &c, sizeof c);
    }
    char text[SAC_TEXT_SIZE + 1];
    memset(text, 'x', sizeof text);
    text[SAC_TEXT_SIZE] = 0;
    assert_fails(sac_options_set(table, &c, "note", text, "policy"), SAC_ERROR_ARGUMENT, "at most 255 characters");
    text[SAC_TEXT_SIZE - 1] = 0;
    assert_ok(sac_options_set(table, &c, "note", text, "policy"));
    assert_string_equal(c.note, text);
}

// a table's words may be put together by a program, with a blank behind the last
TEST(the_words_of_a_choice_are_listed_whole)
{
    static const sac_option words[] = {
        {"attention", SAC_OPTION_TEXT, offsetof(config, attention), "mlp", 0, 0, "lstm mlp linear ", "controller"},
        {0}};
    config c;
    assert_fails(sac_options_set(words, &c, "attention", "lstn", "policy"), SAC_ERROR_ARGUMENT,
                 "policy: attention is 'lstn', expected one of: lstm, mlp, linear, did you mean 'lstm'?");
}

TEST(unknown_keys_and_missing_ones)
{
    config c = {0};
    sac_setting patches = {"patchs", "7"}, zebra = {"zebra", "7"}, patch = {"patch", "7"};
    assert_fails(sac_options_read(table, &c, &patches, 1, "a.yaml:3"), SAC_ERROR_ARGUMENT,
                 "a.yaml:3: unknown option 'patchs', did you mean 'patch'?");
    assert_fails(sac_options_read(table, &c, &zebra, 1, "x"), SAC_ERROR_ARGUMENT, "x: unknown option 'zebra'");
    assert_null(strstr(sac_last_error(), "did you mean"));
    assert_fails(sac_options_read(required, &c, NULL, 0, "x"), SAC_ERROR_ARGUMENT,
                 "x: patch is missing (side of a patch in pixels)");
    assert_ok(sac_options_read(required, &c, &patch, 1, "x"));
}

// any value reads back to the bit from the text that it is written as
TEST(formats_read_back)
{
    sac_stream stream = sac_stream_create(1, 0, 0);
    sac_option real = {"sigma", SAC_OPTION_REAL, offsetof(config, sigma), "0", 0, 0, NULL, ""};
    sac_option whole = {"patch", SAC_OPTION_INT, offsetof(config, patch), "0", 0, 0, NULL, ""};
    sac_option seed = {"seed", SAC_OPTION_SEED, offsetof(config, seed), "0", 0, 0, NULL, ""};
    sac_option any[] = {real, whole, seed, {0}};
    config in, out = {0};
    char text[SAC_TEXT_SIZE];
    for (int i = 0; i < 20000; i++)
    {
        uint64_t bits = (uint64_t)sac_stream_u32(&stream) << 32 | sac_stream_u32(&stream);
        memcpy(&in.sigma, &bits, sizeof bits);
        in.patch = (int)(uint32_t)bits;
        in.seed = bits == UINT64_MAX ? 0 : bits;
        for (const sac_option *option = any; option->name; option++)
        {
            if (option->type == SAC_OPTION_REAL && !isfinite(in.sigma)) continue;
            sac_options_format(option, &in, text);
            assert_ok(sac_options_set(any, &out, option->name, text, "x"));
        }
        assert_int_equal(out.patch, in.patch);
        assert_int_equal(out.seed, in.seed);
        if (isfinite(in.sigma)) assert_memory_equal(&out.sigma, &in.sigma, sizeof in.sigma);
    }
    in.sigma = 0.1;
    sac_options_format(&real, &in, text);
    assert_string_equal(text, "0.1");
    strcpy(in.note, " any = text ");
    sac_options_format(&table[5], &in, text);
    assert_string_equal(text, in.note);
    for (int yes = 0; yes <= 1; yes++)
    {
        in.normalise = yes;
        sac_options_format(&table[0], &in, text);
        assert_string_equal(text, yes ? "true" : "false");
    }
}

TESTS(defaults_then_settings_in_order, good_values, bad_values_say_what_was_expected,
      the_words_of_a_choice_are_listed_whole, unknown_keys_and_missing_ones, formats_read_back)
