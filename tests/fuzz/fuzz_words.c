#include "saccade/words.h"

#include "mend.h"

// Embeddings that were read give scores that are shares of one, or zeros where they are said to be too large, and a
// patch that is one of the kept.
static void score(const sac_words_file *f)
{
    const int count = f->rows * f->columns;
    if (count > 1 << 12 || f->size > 1 << 10) return;
    sac_words_def def = sac_words_default_def();
    sac_words *words;
    int top[1];
    float share[1];
    def.size = f->size;
    fuzz_require(sac_words_create(&words, &def) == SAC_OK);
    float *scores = calloc((size_t)count, sizeof *scores);
    void *workspace = sac_alloc(sac_words_workspace_size(words, count));
    fuzz_require(scores && workspace);
    const bool finite = sac_words_score(words, scores, f->vectors, f->patches, count, workspace);
    double sum = 0;
    for (int i = 0; i < count; i++) sum += (double)scores[i];
    fuzz_require(finite ? sum > 0.999 && sum < 1.001 : sum == 0);
    sac_words_keep(top, share, 1, scores, count);
    fuzz_require(top[0] >= 0 && top[0] < count && sac_words_choose(share, 1, 0.5) == 0);
    free(scores);
    sac_free(workspace);
    sac_words_destroy(words);
}

static void read_words(const uint8_t *data, size_t size)
{
    sac_words_file file;
    const sac_status status = sac_words_file_read(&file, data, size, "input");
    fuzz_check_result(status, file.internal);
    size_t length = 0;
    for (int i = 0; status == SAC_OK && i < file.texts; i++) length += strlen(file.names[i]);
    fuzz_require(status != SAC_OK || length < size);
    if (status == SAC_OK) score(&file);
    sac_words_file_clear(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    read_words(data, size);
    fuzz_mend(data, size, read_words);
    return 0;
}
