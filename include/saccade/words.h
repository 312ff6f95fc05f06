#pragma once

#include "saccade/base.h"

/// Navigation by words: how much each patch of a picture has to do with a text, after Leal et al. 2023 (SARA-RT),
/// section II-A. q is the text's embedding, k_j are those of the N patches, all of D numbers:
///
///     s_j = K(q, k_j) / sum_l K(q, k_l)              (1)
///     K(x, y) = phi(x).phi(y)                        (2), linear kernels
///     sum_j s_j a_j = Psi phi(q) / Gamma phi(q)      (3), Psi = sum_j a_j phi(k_j)^T, Gamma = sum_j phi(k_j)^T
///
///     softmax    K(x, y) = exp(scale x.y)
///     relu, exp, square     phi(x) = f(G x) with M rows of normal numbers, G = I where M is 0
///
/// One patch is chosen with chances in proportion to the highest scores alone (three in the article).
///
/// Embeddings are the caller's, in memory or in a file (docs/words.md). Same bits on every machine and CPU level.
/// Scores are immutable once created, so threads may share them, each with its own workspace.

/// What to create. Start from sac_words_default_def().
typedef struct sac_words_def
{
    const char *kernel; ///< softmax, relu, exp or square, default softmax
    int size;           ///< D in 1..65536, no default
    int features;       ///< M in 0..4096 rows of G; default 0: none
    bool orthogonal;    ///< the rows of G are orthogonal in blocks of D, default false: independent, as in the article
    uint64_t seed;      ///< draws G, the same on every machine; default 1
    double scale;       ///< of q.k, default 1
    uint32_t internal;  ///< marks a def that came from the default; do not set
} sac_words_def;

typedef struct sac_words sac_words;

SAC_API sac_words_def sac_words_default_def(void);

/// @param[out] out  released by sac_words_destroy; NULL on failure
/// @param      def  copied; may be discarded after the call
/// @return SAC_OK, SAC_ERROR_ARGUMENT (sac_last_error names the field) or SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_words_create(sac_words **out, const sac_words_def *def);

/// NULL is ignored.
SAC_API void sac_words_destroy(sac_words *words);

/// Bytes that sac_words_score needs as workspace for so many patches.
SAC_API size_t sac_words_workspace_size(const sac_words *words, int patches);

/// The scores (1) of all patches, which add up to 1; zeros where the kernel is zero for all.
/// @param[out] scores     [patches]
/// @param      query      [D]
/// @param      keys       [patches, D]
/// @param      patches    >= 1
/// @param      workspace  sac_words_workspace_size bytes, 64-byte aligned, contents ignored
/// @return false, and zeros, where embeddings are so large that a number on the way leaves the range of float32
SAC_API bool sac_words_score(const sac_words *words, float *scores, const float *query, const float *keys, int patches,
                             void *workspace);

/// Bytes that sac_words_expect needs as workspace.
SAC_API size_t sac_words_expect_workspace_size(const sac_words *words, int patches, int action_size);

/// The actions of all patches, weighed by their scores, for each of several texts. Linear kernels form Psi and Gamma
/// of (3) once, in time and space linear in texts + patches; softmax takes their product. Zeros where the kernel is
/// zero for all patches.
/// @param[out] out        [texts, action_size]
/// @param      queries    [texts, D]
/// @param      keys       [patches, D]
/// @param      actions    [patches, action_size]
/// @param      workspace  64-byte aligned, contents ignored
/// @return false, and zeros for the texts concerned, where a number on the way leaves the range of float32
SAC_API bool sac_words_expect(const sac_words *words, float *out, const float *queries, int texts, const float *keys,
                              const float *actions, int patches, int action_size, void *workspace);

/// Keep the highest scores: their patches, the highest first and of equal ones the one with the lower number, and each
/// one's share of their sum; equal shares where that is zero.
/// @param[out] top     [kept]
/// @param[out] shares  [kept]
/// @param      kept    1..patches
SAC_API void sac_words_keep(int *top, float *shares, int kept, const float *scores, int patches);

/// Choose one of them with these chances.
/// @param chance  in 0..1, uniform
/// @return its index among the kept
SAC_API int sac_words_choose(const float *shares, int kept, double chance);

// --- embeddings of others

/// Embeddings that a file holds: patches [pictures, rows, columns, D] and texts [texts, D] with their names.
typedef struct sac_words_file
{
    int pictures, rows, columns, texts, size;
    const float *patches, *vectors;
    const char *const *names; ///< [texts]
    void *internal;
} sac_words_file;

/// Read such a file.
/// @param[out] file  emptied by sac_words_file_clear, also after a failure
/// @return SAC_ERROR_FILE, SAC_ERROR_FORMAT or SAC_ERROR_MEMORY
SAC_API SAC_CHECKED sac_status sac_words_file_load(sac_words_file *file, const char *path);

/// The same from memory.
/// @param where  names the source in errors
SAC_API SAC_CHECKED sac_status sac_words_file_read(sac_words_file *file, const void *bytes, size_t size,
                                                   const char *where);

/// An emptied one is left as it is.
SAC_API void sac_words_file_clear(sac_words_file *file);
