#include "classify/trained.h"
#include "saccade/classifier.h"

#include "mend.h"

enum
{
    MAX_NUMBERS = 1 << 18 // of all values of a picture, and parameters
};

// whether a net takes little time and memory
static bool is_small(const sac_trained_net *net)
{
    size_t numbers = sac_net_parameters(net->net);
    for (int i = 0; i < sac_net_value_count(net->net); i++)
    {
        const sac_net_shape s = sac_net_value_shape(net->net, i);
        const size_t tokens = (size_t)s.rows * (size_t)s.columns;
        numbers += tokens * (size_t)s.channels + tokens * tokens; // as attention looks from each token at each
        if (numbers > MAX_NUMBERS) return false;
    }
    return true;
}

// a net that was read classifies pictures, and the same one the same way whatever lies beside it
static void classify(const uint8_t *data, size_t size)
{
    sac_classifier *classifier;
    fuzz_require(sac_classifier_read(&classifier, data, size, "input", 1) == SAC_OK);
    const sac_classifier_shape s = sac_classifier_get_shape(classifier);
    const size_t each = (size_t)s.rows * (size_t)s.columns * (size_t)s.channels, row = (size_t)s.classes;
    uint8_t *pictures = calloc(2, each);
    float *probabilities = calloc(3 * row, sizeof *probabilities);
    int best[3];
    fuzz_require(pictures && probabilities);
    for (size_t i = 0; i < each; i++) pictures[each + i] = (uint8_t)(i * 37);
    sac_classifier_run(classifier, pictures, 2, best, probabilities);
    sac_classifier_run(classifier, pictures + each, 1, best + 2, probabilities + 2 * row);
    fuzz_require(best[1] == best[2] && best[1] >= 0 && best[1] < s.classes);
    fuzz_require(memcmp(probabilities + row, probabilities + 2 * row, row * sizeof *probabilities) == 0);
    free(pictures);
    free(probabilities);
    sac_classifier_destroy(classifier);
}

static void read_net(const uint8_t *data, size_t size)
{
    sac_trained_net net;
    sac_status status = sac_trained_net_read(&net, data, size, "input", NULL, 0);
    fuzz_check_result(status, net.net);
    if (status == SAC_OK && is_small(&net)) classify(data, size);
    sac_trained_net_clear(&net);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_net(data, size);
    fuzz_mend(data, size, read_net);
    return 0;
}
