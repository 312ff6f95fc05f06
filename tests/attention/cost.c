#include <stdio.h>
#include <stdlib.h>

#include "saccade/attention.h"

// one importance of a form at L tokens, for counting its instructions: cost FORM L

int main(int argc, char **argv)
{
    if (argc != 3) return 2;
    int n = atoi(argv[2]), size = 16, features = argv[1][0] == 'h' ? 10 : 16;
    sac_attention_def def = sac_attention_default_def();
    def.form = argv[1];
    def.key_size = size;
    def.feature_count = features;
    sac_attention *attention;
    if (sac_attention_create(&attention, &def) != SAC_OK)
    {
        fprintf(stderr, "cost: %s\n", sac_last_error());
        return 1;
    }
    size_t count = (size_t)n * (size_t)size;
    float *queries = calloc(count, sizeof *queries), *keys = calloc(count, sizeof *keys);
    float *importance = calloc((size_t)n, sizeof *importance);
    void *workspace = aligned_alloc(64, sac_attention_workspace_size(attention, n) / 64 * 64 + 64);
    if (!queries || !keys || !importance || !workspace) return 1;
    sac_attention_importance(attention, importance, queries, keys, n, n, workspace);
    printf("%g\n", (double)importance[n - 1]);
    free(queries);
    free(keys);
    free(importance);
    free(workspace);
    sac_attention_destroy(attention);
    return 0;
}
