#pragma once

#include "saccade/base.h"

/// Sets of pictures with labels, and what training sees of them: crops of padded pictures, some of them mirrored,
/// normalised. What is drawn for a picture depends on (seed, epoch, number) alone.

typedef struct sac_image_set sac_image_set;

enum
{
    SAC_IMAGE_CHANNELS = 4 ///< at most
};

/// How pictures are seen.
typedef struct sac_image_view
{
    int padding;                     ///< pixels of black on each side, of which a crop of the old size is drawn
    bool flip;                       ///< half of the pictures are mirrored, left to right
    double mean[SAC_IMAGE_CHANNELS]; ///< of numbers in 0..1, which it takes away
    double deviation[SAC_IMAGE_CHANNELS];
} sac_image_view;

/// Open one part of a data set. Files are mapped into memory; those that gzip has packed are unpacked into it. A
/// file that is mapped must not become shorter (files/arrays/mapped.h).
///
/// Of "idx", the MNIST family: FOLDER/train-images-idx3-ubyte and train-labels-idx1-ubyte, or t10k-... for testing,
/// each with or without .gz. Of "cifar-10": FOLDER/data_batch_1.bin to data_batch_5.bin, or test_batch.bin.
/// @param[out] out  released by sac_image_set_close; NULL on failure
/// @return SAC_ERROR_FILE (with where to get it) or SAC_ERROR_FORMAT
SAC_CHECKED sac_status sac_image_set_open(sac_image_set **out, const char *format, const char *folder, bool test);

/// NULL is ignored.
void sac_image_set_close(sac_image_set *set);

int sac_image_set_count(const sac_image_set *set);
void sac_image_set_shape(const sac_image_set *set, int *rows, int *columns, int *channels);

/// One more than the largest label, and whether the first `count` labels, of 1 or more, are all the same.
int sac_image_set_classes(const sac_image_set *set);
bool sac_image_set_one_class(const sac_image_set *set, int count);
int sac_image_set_label(const sac_image_set *set, int index);

/// What all bytes of pictures and labels come to, whether their files are packed or not: sets that differ have another
/// digest, but for an accident.
uint64_t sac_image_set_digest(const sac_image_set *set);

/// Measure each channel's mean and deviation over all pixels.
void sac_image_set_measure(const sac_image_set *set, sac_image_view *view);

/// A picture as it is: out [rows, columns, channels], (x / 255 - mean) / deviation.
void sac_image_set_see(const sac_image_set *set, const sac_image_view *view, float *out, int index);

/// The same of bytes [rows, columns, channels] that belong to no set, with the same bits.
void sac_image_see(const sac_image_view *view, float *out, const uint8_t *picture, int rows, int columns, int channels);

/// A picture as it is seen in an epoch of training.
void sac_image_set_draw(const sac_image_set *set, const sac_image_view *view, float *out, int index, uint64_t seed,
                        uint64_t epoch);

/// The order of an epoch's pictures 0..count-1.
void sac_image_order(int *order, int count, uint64_t seed, uint64_t epoch);
