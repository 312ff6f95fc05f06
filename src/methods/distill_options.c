#include "methods/distill_options.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/number.h"
#include "base/text.h"

#define AT(field) offsetof(sac_distill_options, field)

const sac_option sac_distill_option_table[] = {
    {"episodes", SAC_OPTION_INT, AT(episodes), "32", 1, 100000, NULL, "episodes that a round adds to the data"},
    {"share", SAC_OPTION_TEXT, AT(share), "1 0.5 0.3 0.1", 0, 0, NULL,
     "part of a round's episodes that the teacher drives, round by round; the last number holds from then on"},
    {"keep", SAC_OPTION_INT, AT(keep), "100000", 1, 1000000000, NULL,
     "frames that are kept at most; the oldest go first"},
    {"memory", SAC_OPTION_INT, AT(memory), "2048", 0, 1 << 30, NULL,
     "MiB of frames up to which they are kept in memory, otherwise in a nameless file in the run folder"},
    {"fit_steps", SAC_OPTION_INT, AT(fit_steps), "250", 1, 100000000, NULL, "steps of the optimiser a round"},
    {"batch", SAC_OPTION_INT, AT(batch), "192", 1, 1 << 20, NULL, "sequences in a minibatch"},
    {"steps", SAC_OPTION_INT, AT(steps), "0", 0, 1 << 16, NULL,
     "frames in a sequence whose outputs count; 0: 1, or 32 where the policy has memory"},
    {"lead", SAC_OPTION_INT, AT(lead), "-1", -1, 1 << 16, NULL,
     "frames before them whose outputs do not; -1: 0, 1 with motion, 8 with memory"},
    {"measure", SAC_OPTION_INT, AT(measure), "4096", 0, 1 << 30, NULL,
     "sequences by which a policy's normaliser is measured before a round's fit; 0: it stays as it is"},
    {"optimiser", SAC_OPTION_TEXT, AT(optimiser), "adam", 0, 0, "adam adamw sgd", "how parameters follow gradients"},
    {"rate", SAC_OPTION_REAL, AT(rate), "0.002", 0, 1000, NULL, "largest rate of the optimiser"},
    {"last_rate", SAC_OPTION_REAL, AT(last_rate), "0.1", 0, 1, NULL, "part of the rate that is left after `fall`"},
    {"fall", SAC_OPTION_INT, AT(fall), "0", 0, 100000000, NULL,
     "rounds over which the rate falls, along half a cosine; 0: it does not"},
    {"decay", SAC_OPTION_REAL, AT(decay), "0", 0, 1000, NULL, "of weights, for adamw and sgd"},
    {"largest_norm", SAC_OPTION_REAL, AT(largest_norm), "0", 0, 1e9, NULL,
     "a longer gradient is shortened to this; 0: never"},
    {"huber", SAC_OPTION_REAL, AT(huber), "0", 0, 1e9, NULL,
     "where Huber's loss turns from square to straight; 0: the square loss"},
    {"spread", SAC_OPTION_REAL, AT(spread), "0", 0, 1e6, NULL,
     "of actions said by bins: standard deviation in bins of what is learned of a number; 0: the nearest bin alone"},
    {"loss", SAC_OPTION_TEXT, AT(loss), "labels", 0, 0, "labels cost soft",
     "what is learned: labels, the teacher's actions; where it can say what each choice costs, cost: what the "
     "student's choices cost in the mean, or soft: the chances softmax(-cost / softness)"},
    {"softness", SAC_OPTION_REAL, AT(softness), "0.1", 1e-6, 1e6, NULL,
     "of loss: soft, by how much costs differ that tell choices apart"},
    {"flip", SAC_OPTION_TEXT, AT(flip), "", 0, 0, NULL,
     "learn half of the sequences from right to left, drawn anew each step, in a world whose left and right are alike: "
     "the choice that each choice becomes, such as 0 2 1, or the factor of each number of an action, such as -1 1 1"},
    {"choosing", SAC_OPTION_TEXT, AT(choosing), "straight", 0, 0, "straight soft fixed",
     "how an agent that keeps patches learns which ones"},
    {"temperature", SAC_OPTION_REAL, AT(temperature), "1", 1e-6, 1e6, NULL, "of these choices, in the first step"},
    {"last_temperature", SAC_OPTION_REAL, AT(last_temperature), "0", 0, 1e6, NULL,
     "of these choices after `fall`; 0: the same"},
    {"slices", SAC_OPTION_INT, AT(slices), "8", 1, 1024, NULL,
     "parts of a minibatch whose gradients threads compute; decides the order of sums"},
    {0},
};

// Read numbers that spaces or commas separate. Returns how many there are, of which `most` are written; -1: one is
// none.
static int read_numbers(const char *text, double *numbers, int most)
{
    char copy[SAC_TEXT_SIZE], *rest = NULL;
    int count = 0;
    snprintf(copy, sizeof copy, "%s", text);
    for (char *word = strtok_r(copy, " ,", &rest); word; word = strtok_r(NULL, " ,", &rest), count++)
    {
        double number;
        if (!sac_parse_real(word, &number)) return -1;
        if (count < most) numbers[count] = number;
    }
    return count;
}

sac_status sac_distill_read_shares(const char *text, double *shares, int *count)
{
    *count = read_numbers(text, shares, SAC_DISTILL_SHARES);
    bool good = *count >= 0 && *count <= SAC_DISTILL_SHARES;
    for (int i = 0; good && i < *count; i++) good = shares[i] >= 0 && shares[i] <= 1;
    if (!good)
        return sac_fail(SAC_ERROR_ARGUMENT, "search.share: '%.60s', expected up to %d numbers in 0..1", text,
                        SAC_DISTILL_SHARES);
    if (*count > 0) return SAC_OK;
    return sac_fail(SAC_ERROR_ARGUMENT, "search.share is empty, expected numbers in 0..1, such as 1 0.5 0.3 0.1");
}

sac_status sac_distill_read_flip(const char *text, int *flip, int count)
{
    double numbers[SAC_DISTILL_FLIP];
    const int found = read_numbers(text, numbers, SAC_DISTILL_FLIP);
    bool whole = found >= 0;
    for (int i = 0; whole && i < found && i < SAC_DISTILL_FLIP; i++)
        whole = fabs(numbers[i]) <= SAC_DISTILL_FLIP && numbers[i] == (int)numbers[i];
    if (!whole) return sac_fail(SAC_ERROR_ARGUMENT, "search.flip: '%.60s', expected whole numbers", text);
    if (found != count || count > SAC_DISTILL_FLIP)
        return sac_fail(SAC_ERROR_ARGUMENT, "search.flip: '%.60s' has %d number%s, expected %d", text, found,
                        sac_plural(found), count);
    for (int i = 0; i < count; i++) flip[i] = (int)numbers[i];
    return SAC_OK;
}
