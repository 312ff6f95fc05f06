#include "train/tuned.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "base/number.h"
#include "base/text.h"

static const char *name_at(const void *user, int index)
{
    const sac_policy *policy = user;
    return index < sac_policy_tensor_count(policy) ? sac_policy_tensor_at(policy, index)->name : NULL;
}

// gives the tensors whose names begin with the word their factor; how many there are
static int mark(sac_tuned *tuned, const sac_policy *policy, const char *word, float factor)
{
    int found = 0;
    for (int v = 0; v < sac_policy_tensor_count(policy); v++)
    {
        const sac_policy_tensor *tensor = sac_policy_tensor_at(policy, v);
        if (tensor->measured || strncmp(tensor->name, word, strlen(word)) != 0) continue;
        for (size_t i = 0; i < sac_policy_tensor_size(tensor); i++) tuned->factor[tensor->offset + i] = factor;
        found++;
    }
    return found;
}

static sac_status mark_word(sac_tuned *tuned, const sac_policy *policy, char *word)
{
    double factor = 1;
    char *colon = strchr(word, ':');
    if (colon)
    {
        *colon = 0;
        if (!sac_parse_real(colon + 1, &factor) || !(factor > 1e-6 && factor < 1e6))
            return sac_fail(SAC_ERROR_ARGUMENT, "train.tune: the factor of '%s' is '%s', expected a positive number",
                            word, colon + 1);
    }
    if (mark(tuned, policy, word, (float)factor) > 0) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT, "train.tune: no tensor of the policy begins with '%s'%s", word,
                    sac_did_you_mean(sac_nearest(word, name_at, policy)));
}

static sac_status mark_words(sac_tuned *tuned, const sac_policy *policy, const char *words)
{
    for (const char *at = words + strspn(words, " "); *at; at += strspn(at, " "))
    {
        char word[96];
        size_t length = strcspn(at, " "), kept = length < sizeof word - 1 ? length : sizeof word - 1;
        memcpy(word, at, kept);
        word[kept] = 0;
        SAC_TRY(mark_word(tuned, policy, word));
        at += length;
    }
    return SAC_OK;
}

sac_status sac_tuned_create(sac_tuned *tuned, const sac_policy *policy, const char *words, const float *start)
{
    int total = sac_policy_parameter_count(policy);
    bool all = strcmp(words, "all") == 0;
    *tuned = (sac_tuned){.count = total, .total = total};
    if (all && sac_policy_normaliser_size(policy) == 0) return SAC_OK;

    tuned->index = SAC_NEW_ARRAY(int, (size_t)total);
    tuned->factor = SAC_NEW_ARRAY(float, (size_t)total);
    tuned->rest = SAC_NEW_ARRAY(float, (size_t)total);
    if (!tuned->index || !tuned->factor || !tuned->rest) return sac_fail_memory("the tuned parameters");
    memcpy(tuned->rest, start, (size_t)total * sizeof *start);
    if (all)
        mark(tuned, policy, "", 1); // every name begins with it
    else
        SAC_TRY(mark_words(tuned, policy, words));
    tuned->count = 0;
    for (int i = 0; i < total; i++)
        if (tuned->factor[i] > 0) tuned->index[tuned->count++] = i;
    return tuned->count ? SAC_OK : sac_fail(SAC_ERROR_ARGUMENT, "train.tune names no tensor");
}

void sac_tuned_clear(sac_tuned *tuned)
{
    sac_free(tuned->index);
    sac_free(tuned->factor);
    sac_free(tuned->rest);
}

void sac_tuned_gather(const sac_tuned *tuned, float *parameters)
{
    for (int i = 0; tuned->index && i < tuned->count; i++)
        parameters[i] = parameters[tuned->index[i]] / tuned->factor[tuned->index[i]];
}

void sac_tuned_scatter(const sac_tuned *tuned, float *parameters)
{
    if (!tuned->index) return;
    // index[i] >= i, so moving the last number first overwrites none that is still to be moved
    for (int i = tuned->count - 1; i >= 0; i--)
        parameters[tuned->index[i]] = parameters[i] * tuned->factor[tuned->index[i]];
    for (int i = 0; i < tuned->total; i++)
        if (tuned->factor[i] == 0) parameters[i] = tuned->rest[i];
}
