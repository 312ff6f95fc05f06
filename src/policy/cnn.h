#pragma once

#include "policy/actor.h"
#include "policy/look.h"

/// A convolutional network instead of attention, the baseline that agents are compared with: a few layers over the
/// whole image without padding, ReLU and perhaps max pooling after each, then the controller is told the last layer's
/// pixels.

enum
{
    SAC_MAX_IMAGE_LAYERS = 4
};

typedef struct sac_cnn_config
{
    int crop_top, crop_height, image_size;
    char conv_channels[SAC_TEXT_SIZE];
    int conv_kernel, conv_stride;
    char conv_pool[SAC_TEXT_SIZE];
    sac_actor_config actor;
} sac_cnn_config;

/// A layer over the whole image.
typedef struct sac_image_layer
{
    sac_patches patches;
    sac_layer tensors; ///< weight [outputs, kernel, kernel, channels]
    int pool;          ///< side P of the squares of pixels of which the largest is kept, and their stride; 1: none
    int rows, columns; ///< of what the layer gives: those of `patches` over P; what does not fill a square is left out
} sac_image_layer;

/// What is fixed after creation.
typedef struct sac_cnn
{
    sac_cnn_config config;
    sac_embedding embedding; ///< the first layer
    sac_image_layer layers[SAC_MAX_IMAGE_LAYERS];
    int layer_count;
    size_t image_room, planar_room; ///< floats between two layers
    size_t work_room;               ///< bytes that a projection needs
    sac_actor actor;
} sac_cnn;

/// What changes.
typedef struct sac_cnn_state
{
    sac_policy_state base; // first
    const sac_cnn *cnn;
    sac_embedding_state embedding;
    sac_look_state look;
    sac_actor_state actor;
    float *parameters; ///< [parameter_count]
    float *image;      ///< [rows, columns, channels] that a layer reads
    float *planar;     ///< [channels, pixels in whole lanes] that it writes
    void *work;
} sac_cnn_state;
