#include "base/text.h"

#include <stdio.h>
#include <string.h>

enum
{
    WORD_SIZE = 64,
    LIST_SIZE = 512
};

static int smaller(int a, int b)
{
    return a < b ? a : b;
}

static int length(const char *word)
{
    int n = 0;
    while (n < WORD_SIZE && word[n]) n++;
    return n;
}

// Levenshtein distance with swaps of neighbours, one row at a time. Words beyond WORD_SIZE are cut.
static int edit_distance(const char *a, const char *b)
{
    int rows[3][WORD_SIZE + 1];
    int n = length(a), m = length(b);
    for (int j = 0; j <= m; j++) rows[0][j] = j;
    for (int i = 1; i <= n; i++)
    {
        int *row = rows[i % 3], *above = rows[(i + 2) % 3], *two_above = rows[(i + 1) % 3];
        row[0] = i;
        for (int j = 1; j <= m; j++)
        {
            row[j] = smaller(smaller(row[j - 1], above[j]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = smaller(row[j], two_above[j - 2] + 1);
        }
    }
    return rows[n % 3][m];
}

const char *sac_nearest(const char *word, const char *(*candidates)(const void *user, int index), const void *user)
{
    const char *best = NULL;
    const int letters = (int)strlen(word);
    int best_distance = letters <= 4 ? 1 : 1 + letters / 3; // two of four letters make another word
    for (int i = 0;; i++)
    {
        const char *name = candidates(user, i);
        if (!name) return best;
        int distance = edit_distance(word, name);
        // A word that was cut short counts as meant as well, such as "car" for "car-racing".
        if (strlen(word) >= 3 && strncmp(word, name, strlen(word)) == 0) distance = smaller(distance, 1);
        if (distance < best_distance || (distance == best_distance && !best))
        {
            best = name;
            best_distance = distance;
        }
    }
}

static const char *array_name(const void *user, int index)
{
    return ((const char *const *)user)[index];
}

const char *sac_nearest_of(const char *word, const char *const *names)
{
    return sac_nearest(word, array_name, (const void *)names);
}

const char *sac_did_you_mean(const char *nearest)
{
    static _Thread_local char text[WORD_SIZE + 32];
    if (!nearest) return "";
    snprintf(text, sizeof text, ", did you mean '%.*s'?", WORD_SIZE, nearest);
    return text;
}

const char *sac_expected(const char *word, const char *(*candidates)(const void *user, int index), const void *user)
{
    static _Thread_local char text[LIST_SIZE];
    const char *nearest = sac_nearest(word, candidates, user);
    if (nearest) return sac_did_you_mean(nearest);
    size_t length = 0;
    const char *name;
    text[0] = '\0';
    for (int i = 0; (name = candidates(user, i)) && length < sizeof text; i++)
    {
        const char *between = i == 0 ? ", expected " : candidates(user, i + 1) ? ", " : " or ";
        length += (size_t)snprintf(text + length, sizeof text - length, "%s%s", between, name);
    }
    return text;
}

const char *sac_expected_of(const char *word, const char *const *names)
{
    return sac_expected(word, array_name, (const void *)names);
}

const char *sac_plural(long long count)
{
    return count == 1 ? "" : "s";
}

bool sac_ends_in(const char *name, const char *ending)
{
    size_t length = strlen(name), tail = strlen(ending);
    return length > tail && strcmp(name + length - tail, ending) == 0;
}
