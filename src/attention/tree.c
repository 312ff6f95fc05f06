#include <string.h>

#include "attention/blocks.h"
#include "base/error.h"
#include "saccade/tree.h"

/// The binary tree over phi(k): f(v) is the sum of the leaves below v, and children lie side by side.

static int leaves_of(int token_count)
{
    int leaves = 1;
    while (leaves < token_count) leaves *= 2;
    return leaves;
}

static float *node_at(const sac_tree *tree, int node)
{
    return tree->nodes + (size_t)node * (size_t)tree->feature_size;
}

static void add_children(sac_tree *tree, int node)
{
    float *sum = node_at(tree, node);
    const float *left = node_at(tree, 2 * node), *right = left + tree->feature_size;
    for (int f = 0; f < tree->feature_size; f++) sum[f] = left[f] + right[f];
}

size_t sac_tree_size(const sac_attention *attention, int token_count)
{
    return (size_t)2 * (size_t)leaves_of(token_count) * (size_t)sac_attention_feature_size(attention);
}

// Leaves beyond the last key stay zero, so that no walk ends there. A node's sum needs only its children's.
sac_tree sac_tree_create(const sac_attention *attention, float *nodes, const float *keys, int token_count, int stride,
                         void *workspace)
{
    SAC_ASSERT(token_count >= 1);
    int f = attention->feature_size;
    sac_tree tree = {nodes, f, token_count, leaves_of(token_count)};
    memset(nodes, 0, sac_tree_size(attention, token_count) * sizeof *nodes);
    sac_block block;
    sac_block_take(&block, attention, SAC_BLOCK_LARGE, &(sac_workspace){.memory = workspace});
    for (int i = 0; sac_block_read(&block, attention, SAC_KEYS, keys, i, token_count, stride); i += block.size)
        for (int j = 0; j < block.count; j++)
        {
            float *leaf = node_at(&tree, tree.leaves + i + j);
            for (int m = 0; m < f; m++) leaf[m] = block.features[m * block.size + j];
            sac_apply_gains(attention, SAC_KEYS, leaf, leaf, 1);
        }
    for (int node = tree.leaves - 1; node >= 1; node--) add_children(&tree, node);
    return tree;
}

int sac_tree_depth(const sac_tree *tree)
{
    int depth = 0;
    while (1 << depth < tree->leaves) depth++;
    return depth;
}

static double product(const sac_tree *tree, int node, const float *z)
{
    const float *f = node_at(tree, node);
    double sum = 0;
    for (int m = 0; m < tree->feature_size; m++) sum += (double)f[m] * (double)z[m];
    return sum;
}

// The probability of the left child: Choromanski et al. 2021 (Unlocking Pixels, second version), equation 21.
static double left_share(const sac_tree *tree, int node, const float *z)
{
    double left = product(tree, 2 * node, z), right = product(tree, 2 * node + 1, z);
    return left / (left + right);
}

// The walk from the root to a leaf. z.f(left) / (z.f(left) + z.f(right)) is the sum of the scores below the left child
// over that of both, so that a leaf is reached with its share of all scores, in log N steps.
int sac_tree_draw(const sac_tree *tree, const float *z, const double *uniform)
{
    int node = 1;
    while (node < tree->leaves)
    {
        // A share that is NaN goes left, where there always is a key. On the right there may be none, and then the
        // share is 1.
        bool right = *uniform++ >= left_share(tree, node, z);
        node = 2 * node + right;
    }
    return node - tree->leaves;
}

void sac_tree_set(sac_tree *tree, int token, const float *features)
{
    SAC_ASSERT(token >= 0 && token < tree->token_count);
    int node = tree->leaves + token;
    size_t size = (size_t)tree->feature_size * sizeof(float);
    if (features)
        memcpy(node_at(tree, node), features, size);
    else
        memset(node_at(tree, node), 0, size);
    while ((node /= 2) >= 1) add_children(tree, node);
}

static bool is_among(const int *chosen, int count, int token)
{
    for (int i = 0; i < count; i++)
        if (chosen[i] == token) return true;
    return false;
}

// Drawing without replacement: a chosen leaf is cleared, which takes its score out of every sum above it, and all are
// put back at the end, the last one first.
void sac_tree_draw_several(sac_tree *tree, int *chosen, int kept, const float *z, const double *uniform, float *scratch)
{
    SAC_ASSERT(kept <= tree->token_count);
    size_t size = (size_t)tree->feature_size;
    for (int k = 0; k < kept; k++, uniform += sac_tree_depth(tree))
    {
        chosen[k] = sac_tree_draw(tree, z, uniform);
        // Where no probability is left, the lowest index that is not chosen yet comes next.
        for (int token = 0; is_among(chosen, k, chosen[k]); token++) chosen[k] = token;
        memcpy(scratch + (size_t)k * size, node_at(tree, tree->leaves + chosen[k]), size * sizeof *scratch);
        sac_tree_set(tree, chosen[k], NULL);
    }
    for (int k = kept - 1; k >= 0; k--) sac_tree_set(tree, chosen[k], scratch + (size_t)k * size);
}

static void spread(const sac_tree *tree, float *probabilities, const float *z, int node, double share)
{
    if (node >= tree->leaves)
    {
        if (node - tree->leaves < tree->token_count) probabilities[node - tree->leaves] = (float)share;
        return;
    }
    double left = left_share(tree, node, z);
    if (!(left == left)) left = 1;
    spread(tree, probabilities, z, 2 * node, share * left);
    spread(tree, probabilities, z, 2 * node + 1, share * (1 - left));
}

void sac_tree_probabilities(const sac_tree *tree, float *probabilities, const float *z)
{
    spread(tree, probabilities, z, 1, 1);
}
