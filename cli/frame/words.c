#include "frame/words.h"

#include <stdio.h>
#include <string.h>

#include "methods/methods.h"
#include "run/task.h"
#include "saccade/env.h"
#include "saccade/evolve.h"
#include "saccade/play.h"
#include "saccade/policy.h"

static bool is_one_of(const char *word, size_t length, const char *const *words)
{
    int i = 0;
    while (words[i] && (strlen(words[i]) != length || strncmp(words[i], word, length) != 0)) i++;
    return words[i] != NULL;
}

cli_words cli_words_of_flag(const cli_flag *flag)
{
    static const char *const numbers[] = {"N", "S", "A..B", "WxH", "TEXT", "[PORT]", NULL};
    static const struct
    {
        const char *name, *metavar;
        cli_words kind;
    } rows[] = {{"env", "ID", CLI_WORDS_WORLDS},
                {"variant", "V", CLI_WORDS_VARIANTS},
                {"variant", "NAME", CLI_WORDS_VARIANTS},
                {"renderer", "NAME", CLI_WORDS_RENDERERS},
                {"x", "AXIS", CLI_WORDS_AXES},
                {"set", "KEY=VALUE", CLI_WORDS_SETTINGS},
                {"set", "SECTION.KEY=VALUE", CLI_WORDS_FIELDS}};
    if (!flag->metavar || is_one_of(flag->metavar, strlen(flag->metavar), numbers)) return CLI_WORDS_NONE;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (strcmp(flag->name, rows[i].name) == 0 && strcmp(flag->metavar, rows[i].metavar) == 0) return rows[i].kind;
    return CLI_WORDS_FILES;
}

cli_words cli_words_of_operand(const char *word, size_t length)
{
    static const char *const worlds[] = {"ENV", "[ENV]", NULL};
    return is_one_of(word, length, worlds) ? CLI_WORDS_WORLDS : CLI_WORDS_FILES;
}

enum
{
    MAX_WORDS = 1024,
    WORD_SIZE = 128
};

// The words so far; completions are printed by one thread, once a process.
static char words[MAX_WORDS][WORD_SIZE];
static int word_count;

static void add(const char *first, const char *second, const char *third)
{
    char word[WORD_SIZE];
    snprintf(word, sizeof word, "%s%s%s", first, second, third);
    for (int i = 0; i < word_count; i++)
        if (strcmp(words[i], word) == 0) return;
    if (word_count < MAX_WORDS) memcpy(words[word_count++], word, sizeof word);
}

static void add_options(const char *section, const sac_option *options)
{
    for (const sac_option *option = options; option && option->name; option++) add(section, option->name, "=");
}

static void add_worlds(cli_words kind)
{
    for (int i = 0; i < sac_env_count(); i++)
    {
        const sac_env_ops *ops = sac_env_at(i);
        if (kind == CLI_WORDS_WORLDS) add(ops->name, "", "");
        if (kind == CLI_WORDS_SETTINGS) add_options("", ops->options);
        if (kind == CLI_WORDS_FIELDS) add_options("env.", ops->options);
        // "video=PATH" is completed as far as it is fixed
        for (int v = 0; kind == CLI_WORDS_VARIANTS && ops->variants && ops->variants[v]; v++)
        {
            char name[WORD_SIZE - 8];
            size_t length = strcspn(ops->variants[v], "=");
            snprintf(name, sizeof name, "%.*s", (int)length, ops->variants[v]);
            add(name, ops->variants[v][length] ? "=" : "", "");
        }
    }
}

static void add_fields(void)
{
    const sac_option *options;
    const char *summary;
    add("env.id=", "", "");
    add("env.variant=", "", "");
    add_worlds(CLI_WORDS_FIELDS);
    add("policy.kind=", "", "");
    for (int i = 0; sac_policy_kind_at(i, &options); i++) add_options("policy.", options);
    // the options of hierarchical depend on what its high level is; a word that it cannot be is as if there were none
    for (int i = 0; sac_policy_kind_at(i, NULL); i++)
    {
        const sac_setting high = {"high.kind", sac_policy_kind_at(i, NULL)};
        add_options("policy.", sac_policy_kind_options("hierarchical", &high, 1));
    }
    add_options("policy.", sac_policy_world_options());
    add("search.method=", "", "");
    for (int i = 0; sac_method_at(i, &summary, &options); i++) add_options("search.", options);
    add_options("train.", sac_task_options("train"));
    for (int i = 0; i < TASK_MAX_STAGES; i++)
    {
        char section[32];
        snprintf(section, sizeof section, "train.stages.%d.", i);
        add_options(section, sac_task_options("stages"));
    }
    add_options("evaluation.", sac_task_options("evaluation"));
}

void cli_list_words(cli_words kind, void (*say)(const char *word))
{
    static const char *const renderers[] = {"own", "opengl", NULL}, *const axes[] = {"steps", "minutes", "generations",
                                                                                     NULL};
    const char *const *fixed = kind == CLI_WORDS_RENDERERS ? renderers : kind == CLI_WORDS_AXES ? axes : NULL;
    word_count = 0;
    for (int i = 0; fixed && fixed[i]; i++) add(fixed[i], "", "");
    if (kind == CLI_WORDS_FIELDS)
        add_fields();
    else
        add_worlds(kind);
    for (int i = 0; i < word_count; i++) say(words[i]);
}
