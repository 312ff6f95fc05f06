#pragma once

#include "learn/learn.h"

/// A dual encoder: patches of a picture and captions become vectors of one space, in which a caption's is near those of
/// the patches that show what it says (CLIP, Radford et al. 2021, by patch instead of by picture).
///
///     k_j = sqrt(T) f_j(picture) / |f_j|     three convolutions of 4 x 4 with stride 2, one of 3 x 3 over what they
///                                            give, and a linear layer to D numbers: a key for each 8 x 8 pixels
///     q   = sqrt(T) E b / |E b|              b: the caption as a bag of words, E: a learned vector for each word
///
/// so that q.k is T times the cosine of their angle, and exp(q.k) is the article's kernel K. T = exp(t) is learned, and
/// 100 at most.
///
/// The loss is that of a minibatch of pictures with P patches in all, and of the C captions of what they show:
///
///     loss = (A + B) / 2
///     A = mean over captions c of -log (sum over patches that show c of exp(q_c.k_p) / sum over all patches of it)
///     B = mean over patches p that show a caption c of -log (exp(q_c.k_p) / sum over captions b of exp(q_b.k_p))
///
/// What half shows a thing counts in neither. Parameters are one flat vector.

enum
{
    WORDS_LAYERS = 4, ///< convolutions
    WORDS_CELL = 8,   ///< pixels a side of a patch
    WORDS_TENSORS = 2 * WORDS_LAYERS + 4
};

typedef struct words_encoder
{
    int height, width, channels; ///< of a picture
    int words, size;             ///< W, D
    int rows, columns, count;    ///< of the grid of patches; N
    sac_convolution layers[WORDS_LAYERS];
    size_t weights[WORDS_LAYERS], biases[WORDS_LAYERS]; ///< offsets among parameters
    size_t key_weights, key_bias, text, temperature;
    size_t parameters;         ///< how many
    size_t maps[WORDS_LAYERS]; ///< floats of what each layer gives
    size_t workspace;          ///< floats that convolutions need
    size_t room;               ///< floats that a workspace has
    size_t kept;               ///< floats of a picture that backward needs of forward
} words_encoder;

/// A tensor of an encoder, for those who keep its parameters by name.
typedef struct words_tensor
{
    const char *name;
    int rank, shape[4];
    double limit; ///< it is drawn from +-this
    size_t *offset;
} words_tensor;

/// Lay an encoder out.
/// @param height  pixels; multiples of WORDS_CELL, as `width`
/// @param thick   channels of the first layer; the others have 1.5, 2 and 3 times as many
void sac_words_encoder_lay_out(words_encoder *e, int height, int width, int channels, int words, int size, int thick);

/// Its tensors, in the order of its parameters; the offsets are this encoder's to set.
void sac_words_encoder_tensors(words_encoder *e, words_tensor tensors[WORDS_TENSORS]);

/// T.
float sac_words_temperature(const words_encoder *e, const float *parameters);

/// The keys' directions, of unit length, of a picture of bytes.
/// @param[out] keys       [N, D]
/// @param[out] kept       [kept]
/// @param      workspace  [room] floats, aligned to 64 bytes
void sac_words_look(const words_encoder *e, const sac_learn *l, const float *parameters, float *keys, float *kept,
                    const uint8_t *picture, float *workspace);

/// The gradient of a picture's keys' directions, added to that of the parameters.
/// @param kept  is spent
void sac_words_look_back(const words_encoder *e, const sac_learn *l, const float *parameters, float *gradient,
                         const float *dkeys, const float *keys, float *kept, float *workspace);

/// Directions of captions, of unit length.
/// @param[out] queries  [count, D]
/// @param[out] lengths  [count] what backward needs
/// @param      bags     [count, W]
void sac_words_read(const words_encoder *e, const sac_learn *l, const float *parameters, float *queries, float *lengths,
                    const float *bags, int count);
void sac_words_read_back(const words_encoder *e, const sac_learn *l, float *gradient, float *dqueries,
                         const float *queries, const float *lengths, const float *bags, int count);

enum
{
    WORDS_NOTHING = -1, ///< a patch that shows none of the captions
    WORDS_HALF = -2     ///< one that counts in neither sum
};

/// A minibatch's keys and captions, and what each patch shows.
typedef struct words_batch
{
    const float *keys, *queries; ///< [P, D], [C, D] directions
    const int *shown;            ///< [P] a caption, WORDS_NOTHING or WORDS_HALF
    int patches, captions;       ///< P, C
    float *logits, *slopes;      ///< [P, C] workspaces
} words_batch;

/// The loss, and its gradient with respect to directions and t, which are written.
/// @param temperature  T
double sac_words_loss(const words_encoder *e, const sac_learn *l, const words_batch *b, float temperature, float *dkeys,
                      float *dqueries, float *dt);
