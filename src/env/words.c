#include "env/words.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/text.h"

enum
{
    MOST_WORDS = 16
};

static int count_of(const char *const *words)
{
    int count = 0;
    while (words[count]) count++;
    return count;
}

// "friction, mass and camera"
static void join(char *out, size_t size, const char *const *words)
{
    const int count = count_of(words);
    size_t used = 0;
    out[0] = 0;
    for (int i = 0; i < count && used < size; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%s",
                                 i == 0          ? ""
                                 : i + 1 < count ? ", "
                                                 : " and ",
                                 words[i]);
}

static const char *nearest(const char *word, const char *const *words)
{
    const char *known[MOST_WORDS + 3] = {"original", "any"};
    const int count = count_of(words);
    SAC_ASSERT(count <= MOST_WORDS);
    for (int i = 0; i < count; i++) known[2 + i] = words[i];
    return sac_did_you_mean(sac_nearest_of(word, known));
}

static sac_status refuse(const char *text, const char *at, size_t length, const char *const *words)
{
    char word[80], all[200];
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word), at);
    if (length == 0 && *text) return sac_fail(SAC_ERROR_ARGUMENT, "variant '%.80s' lacks a word beside a '+'", text);
    if (strcmp(word, "original") == 0 || strcmp(word, "any") == 0)
        return sac_fail(SAC_ERROR_ARGUMENT, "variant '%s' stands alone, and '%.80s' joins it to others", word, text);
    for (int i = 0; words[i]; i++)
        if (strcmp(word, words[i]) == 0)
            return sac_fail(SAC_ERROR_ARGUMENT, "variant '%.80s' names '%s' twice", text, word);
    join(all, sizeof all, words);
    return sac_fail(SAC_ERROR_ARGUMENT, "unknown variant '%s', expected original, any, or some of %s joined by '+'%s",
                    word, all, nearest(word, words));
}

sac_status sac_env_words_read(bool *flags, bool *any, const char *const *words, const char *text)
{
    const int count = count_of(words);
    for (int i = 0; i < count; i++) flags[i] = false;
    *any = strcmp(text, "any") == 0;
    if (*any || strcmp(text, "original") == 0) return SAC_OK;
    for (const char *at = text;;)
    {
        const size_t length = strcspn(at, "+");
        int i = 0;
        while (i < count && (strlen(words[i]) != length || strncmp(words[i], at, length) != 0)) i++;
        if (i == count || flags[i]) return refuse(text, at, length, words);
        flags[i] = true;
        at += length;
        if (!*at) return SAC_OK;
        at++;
    }
}
