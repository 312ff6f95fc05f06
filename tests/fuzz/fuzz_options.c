#include "saccade/options.h"

#include "fuzz.h"

typedef struct config
{
    bool yes;
    int whole;
    uint64_t seed;
    double real;
    char word[SAC_TEXT_SIZE], text[SAC_TEXT_SIZE];
} config;

static const sac_option table[] = {
    {"yes", SAC_OPTION_BOOL, offsetof(config, yes), "true", 0, 0, NULL, "a switch"},
    {"whole", SAC_OPTION_INT, offsetof(config, whole), "7", -5, 1000000, NULL, "a whole number"},
    {"seed", SAC_OPTION_SEED, offsetof(config, seed), "0", 0, 0, NULL, "a seed"},
    {"real", SAC_OPTION_REAL, offsetof(config, real), "0.5", 0, 0, NULL, "a number"},
    {"word", SAC_OPTION_TEXT, offsetof(config, word), "one", 0, 0, "one two three", "a word"},
    {"text", SAC_OPTION_TEXT, offsetof(config, text), NULL, 0, 0, NULL, "a text that must be given"},
    {0},
};

enum
{
    MAX_SETTINGS = 16
};

// lines of key=value; returns how many
static int split(char *lines, sac_setting *settings)
{
    int count = 0;
    while (lines && count < MAX_SETTINGS)
    {
        char *line = strsep(&lines, "\n"), *equals = strchr(line, '=');
        if (!equals) continue;
        *equals = 0;
        settings[count++] = (sac_setting){line, equals + 1};
    }
    return count;
}

// what was read, written and read again is the same to the bit
static void round_trip(const config *first)
{
    char texts[MAX_SETTINGS][SAC_TEXT_SIZE];
    sac_setting settings[MAX_SETTINGS];
    int count = 0;
    for (const sac_option *option = table; option->name; option++, count++)
    {
        sac_options_format(option, first, texts[count]);
        settings[count] = (sac_setting){option->name, texts[count]};
    }
    config second;
    memset(&second, 0, sizeof second);
    fuzz_require(sac_options_read(table, &second, settings, count, "again") == SAC_OK);
    fuzz_require(first->yes == second.yes && first->whole == second.whole && first->seed == second.seed);
    fuzz_require(memcmp(&first->real, &second.real, sizeof second.real) == 0);
    fuzz_require(strcmp(first->word, second.word) == 0 && strcmp(first->text, second.text) == 0);
    fuzz_require(first->whole >= -5 && first->whole <= 1000000 && first->seed != UINT64_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *lines = calloc(size + 1, 1);
    fuzz_require(lines);
    memcpy(lines, data, size);
    sac_setting settings[MAX_SETTINGS];
    int count = split(lines, settings);
    config c;
    memset(&c, 0, sizeof c);
    sac_status status = sac_options_read(table, &c, settings, count, "input");
    fuzz_check_result(status, status == SAC_OK ? &c : NULL);
    if (status == SAC_OK) round_trip(&c);
    free(lines);
    return 0;
}
