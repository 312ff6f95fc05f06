#include <math.h>
#include <unistd.h>

#include "classify/heads.h"
#include "classify/trained.h"
#include "nets/look.h"
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

// ---- what heads look at

static char folder[] = "/tmp/saccade-fuzz-net-XXXXXX";
static const char *const parts[] = {"t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"};

static void name_part(char path[96], int part)
{
    snprintf(path, 96, "%s/%s", folder, parts[part]);
}

static void remove_pictures(void)
{
    char path[96];
    for (int i = 0; i < 2; i++)
    {
        name_part(path, i);
        unlink(path);
    }
    rmdir(folder);
}

// an IDX file of bytes that tells of these sizes
static void write_idx(int part, const int *sizes, int rank)
{
    char path[96];
    name_part(path, part);
    FILE *file = fopen(path, "wb");
    fuzz_require(file);
    size_t count = 1;
    fprintf(file, "%c%c%c%c", 0, 0, 8, rank);
    for (int i = 0; i < rank; i++)
    {
        for (int shift = 24; shift >= 0; shift -= 8) fputc(sizes[i] >> shift & 255, file);
        count *= (size_t)sizes[i];
    }
    for (size_t i = 0; i < count; i++) fputc(part == 0 ? (int)(i * 37 & 255) : 0, file);
    fuzz_require(fclose(file) == 0);
}

// two pictures of the size that a net takes, as a data set
static sac_image_set *open_pictures(const sac_net_shape *input)
{
    static bool made;
    if (!made)
    {
        fuzz_require(mkdtemp(folder));
        fuzz_require(atexit(remove_pictures) == 0);
        made = true;
    }
    sac_image_set *set;
    write_idx(0, (const int[]){2, input->rows, input->columns, input->channels}, 4);
    write_idx(1, (const int[]){2}, 1);
    fuzz_require(sac_image_set_open(&set, "idx", folder, true) == SAC_OK);
    return set;
}

// heads that can be seen are numbers, and what cannot be seen is refused in one line
static void see_heads(const sac_trained_net *net)
{
    if (sac_net_look_layer(net->net, 0) < 0) return;
    sac_heads_seen seen;
    sac_image_set *set = sac_net_looks_at_content(net->net, 0) ? open_pictures(&net->input) : NULL;
    const sac_status status = sac_heads_see(&seen, net, set, 2, "input");
    fuzz_check_result(status, seen.seen);
    for (int i = 0; status == SAC_OK && i < seen.layers * seen.heads; i++)
    {
        char text[SAC_HEAD_TEXT];
        const sac_head_seen *h = &seen.seen[i];
        fuzz_require(isfinite(h->centre[0]) && isfinite(h->centre[1]) && h->share >= 0 && h->share <= 1);
        sac_head_print(text, h);
        fuzz_require(strlen(text) + 1 < sizeof text);
    }
    sac_heads_seen_clear(&seen);
    sac_image_set_close(set);
}

static void read_net(const uint8_t *data, size_t size)
{
    sac_trained_net net;
    sac_status status = sac_trained_net_read(&net, data, size, "input", NULL, 0);
    fuzz_check_result(status, net.net);
    if (status == SAC_OK && is_small(&net))
    {
        classify(data, size);
        see_heads(&net);
    }
    sac_trained_net_clear(&net);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_net(data, size);
    fuzz_mend(data, size, read_net);
    return 0;
}
