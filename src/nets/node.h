#pragma once

#include "learn/slices.h"
#include "nets/net.h"

/// What nodes are made of: for those who add a kind of node (ops/) or of net (kinds/).

enum
{
    NET_NODES = 512,
    NET_TENSORS = 1024,
    NET_NODE_TENSORS = 10,
    NET_NONE = -1
};

/// What the heads of the attention net know of places.
typedef enum net_encoding
{
    NET_QUADRATIC_ISOTROPIC, ///< -|s (p_i - p_j - mu)|^2 / 2
    NET_QUADRATIC,           ///< -|R (p_i - p_j - mu)|^2 / 2
    NET_RELATIVE,            ///< v . r(p_i - p_j)
    NET_RELATIVE_CONTENT,    ///< q_i . k_j + v . r(p_i - p_j)
    NET_TRANSFORMER_XL,      ///< (q_i + u) . k_j + (q_i + v) . r(p_i - p_j)
} net_encoding;

typedef struct net_node net_node;
typedef struct net_pass net_pass;

/// What a kind of node does. A part is a slice of the minibatch. Functions of parts run in all threads at once, the
/// others in one, between them. NULL: nothing to do.
typedef struct net_op
{
    const char *name;
    void (*prepare)(const net_pass *p, const net_node *n);                        ///< before forward, from parameters
    void (*measure)(const net_pass *p, const net_node *n, const sac_slice *part); ///< training: what all parts need
    void (*join)(const net_pass *p, const net_node *n);                           ///< after measure, or without it
    void (*forward)(const net_pass *p, const net_node *n, const sac_slice *part);
    void (*measure_back)(const net_pass *p, const net_node *n, const sac_slice *part);
    void (*join_back)(const net_pass *p, const net_node *n);
    void (*backward)(const net_pass *p, const net_node *n, const sac_slice *part);
    void (*finish)(const net_pass *p, const net_node *n); ///< after backward, adds to the sum of all parts' gradients
} net_op;

/// A node.
struct net_node
{
    const net_op *op;
    char name[40];
    int in[2], out;                ///< values; NET_NONE: no second one
    bool add[2];                   ///< the gradient of this input has been written by a later node
    int tensors[NET_NODE_TENSORS]; ///< of the net
    size_t measured;               ///< first of its measured numbers
    size_t kept;                   ///< floats a sample that backward reads
    size_t shared;                 ///< floats for all samples
    size_t sliced;                 ///< bytes a slice
    size_t workspace;              ///< floats a thread
    union
    {
        sac_convolution convolution;
        struct
        {
            bool relu;
        } norm;
        struct
        {
            int outputs;
            bool bias;
        } linear;
        struct
        {
            int side; ///< of a block of pixels
        } blocks;
        struct
        {
            float epsilon;
        } layer_norm;
        struct
        {
            double share; ///< that is dropped
        } dropout;
        struct
        {
            int heads;
            net_encoding encoding;
            int size; ///< of a query and a key, or of half an embedding
        } heads;
        struct
        {
            sac_attend attend;
            bool linear;
            enum sac_phi phi;
            int features; ///< rows of the matrix; 0: none
        } attention;
    };
};

/// A net.
struct sac_net
{
    net_node nodes[NET_NODES];
    sac_net_shape values[NET_NODES + 1]; ///< 0 is the input; the last one's channels are the classes
    sac_net_tensor tensors[NET_TENSORS];
    int node_count, value_count, tensor_count;
    size_t parameters, decaying, measured;
    sac_status status; ///< of building: the first failure
};

/// A run of a net: arrays of a minibatch. `training` is false where moments are those that were measured.
struct net_pass
{
    const sac_net *net;
    const float *parameters;
    float *measured;
    bool training;
    double momentum; ///< share of the newest moments in those that are measured
    uint64_t draw;   ///< names this minibatch
    int samples;     ///< of this minibatch
    int slices;
    float *values[NET_NODES + 1], *gradients[NET_NODES + 1];          ///< [samples, size]; the input has no gradient
    size_t value_steps[NET_NODES + 1], gradient_steps[NET_NODES + 1]; ///< floats a sample before a slice's first one
    float *kept[NET_NODES], *shared[NET_NODES];
    size_t kept_steps[NET_NODES];     ///< likewise
    unsigned char *sliced[NET_NODES]; ///< [slices, bytes]
    size_t sliced_size[NET_NODES];
    float *slice_gradients; ///< [slices, parameters]
    float *sum;             ///< [parameters] of all slices, in finish
    sac_learn *tables;      ///< a thread's each
    float **workspaces;     ///< likewise
};

// --- arrays of a run ---

static inline int net_tokens(const sac_net_shape *s)
{
    return s->rows * s->columns;
}
static inline size_t net_size(const sac_net_shape *s)
{
    return (size_t)net_tokens(s) * (size_t)s->channels;
}
static inline const sac_net_shape *net_shape_in(const net_pass *p, const net_node *n, int i)
{
    return &p->net->values[n->in[i]];
}
static inline const sac_net_shape *net_shape_out(const net_pass *p, const net_node *n)
{
    return &p->net->values[n->out];
}

/// A value, or its gradient, from the slice's first sample on. The samples of a slice lie side by side; those of two
/// slices do not where values share memory (share.h).
static inline float *net_value(const net_pass *p, int value, const sac_slice *part)
{
    return p->values[value] + (size_t)part->first * p->value_steps[value];
}
static inline float *net_gradient(const net_pass *p, int value, const sac_slice *part)
{
    return p->gradients[value] ? p->gradients[value] + (size_t)part->first * p->gradient_steps[value] : NULL;
}

/// A tensor of a node, and where a slice's gradient of it is added.
static inline const float *net_tensor(const net_pass *p, const net_node *n, int i)
{
    return p->parameters + p->net->tensors[n->tensors[i]].first;
}
static inline float *net_slice_gradient(const net_pass *p, const net_node *n, int i, const sac_slice *part)
{
    return p->slice_gradients + (size_t)part->index * p->net->parameters + p->net->tensors[n->tensors[i]].first;
}
static inline size_t net_index(const net_pass *p, const net_node *n)
{
    return (size_t)(n - p->net->nodes);
}
static inline float *net_kept(const net_pass *p, const net_node *n, const sac_slice *part)
{
    return p->kept[net_index(p, n)] + (size_t)part->first * p->kept_steps[net_index(p, n)];
}
static inline float *net_shared(const net_pass *p, const net_node *n)
{
    return p->shared[net_index(p, n)];
}
static inline void *net_sliced(const net_pass *p, const net_node *n, int slice)
{
    return p->sliced[net_index(p, n)] + (size_t)slice * p->sliced_size[net_index(p, n)];
}

// --- building ---

/// Add a node and its value. After a failure everything is accepted and nothing happens.
net_node *sac_net_add(sac_net *net, const net_op *op, const char *name, int in, int beside, sac_net_shape out);

/// Give a node its next tensor, [rows, columns]; columns 0: a vector.
void sac_net_give(sac_net *net, net_node *node, int index, const char *name, int rows, int columns, sac_net_start start,
                  double spread, bool decays);

/// Each gives the index of its value.
int sac_net_convolution(sac_net *net, const char *name, int x, int outputs, int patch, int stride, int padding);
int sac_net_batch_norm(sac_net *net, const char *name, int x, int beside, bool relu);
int sac_net_mean(sac_net *net, const char *name, int x);
int sac_net_linear(sac_net *net, const char *name, int x, int outputs, bool bias, double spread);
int sac_net_gelu(sac_net *net, const char *name, int x);
int sac_net_layer_norm(sac_net *net, const char *name, int x, int beside, double epsilon);
int sac_net_sum(sac_net *net, const char *name, int x, int beside);
int sac_net_blocks(sac_net *net, const char *name, int x, int side);
int sac_net_places(sac_net *net, const char *name, int x);
int sac_net_dropout(sac_net *net, const char *name, int x, double share); ///< none where the share is 0

/// Heads that look at places whatever is there, and heads that look at contents, too: out [tokens, heads channels].
int sac_net_shift_heads(sac_net *net, const char *name, int x, int heads, net_encoding encoding, int size);
int sac_net_content_heads(sac_net *net, const char *name, int x, int queries_keys, int heads, net_encoding encoding,
                          int size);

/// Attention of a transformer over [queries keys values] of `heads` heads; attention: "softmax" or a linear form.
int sac_net_attention(sac_net *net, const char *name, int x, int heads, const char *attention, int features);

/// A kind of net.
typedef struct net_kind
{
    const char *name;
    const sac_option *options;
    void (*build)(sac_net *net, const void *config, int classes); ///< value 0 is the picture
} net_kind;

extern const net_kind sac_net_resnet, sac_net_attention_net, sac_net_vit;

/// Fail a build: the first failure stays.
void sac_net_fail(sac_net *net, sac_status status);
