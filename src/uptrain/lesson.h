#pragma once

#include "saccade/learn.h"
#include "saccade/uptrain.h"

/// Pictures with what a teacher does there, in the order of time, in windows of whole seconds of an episode: what
/// up-training learns from.

typedef struct sac_lesson
{
    int count, capacity;
    int part_count;
    size_t sizes[SAC_MAX_PARTS]; ///< bytes of each of the policy's inputs
    void *parts[SAC_MAX_PARTS];  ///< [capacity, size] of each
    int action_size;             ///< numbers of an action
    float *actions;              ///< [capacity, action_size]
    uint8_t *starts;             ///< [capacity] a window begins
    float *weights; ///< [capacity] 0 at the beginning of a window in the middle of an episode: what a policy
                    ///< remembers is not known there
    int episodes;   ///< that were driven
    uint64_t steps; ///< of the world, in all of them
} sac_lesson;

SAC_CHECKED sac_status sac_lesson_create(sac_lesson *lesson, const sac_policy *teacher, int capacity);
void sac_lesson_clear(sac_lesson *lesson);

/// Add pictures until there are `count`, from episodes of seeds first + lesson->episodes on.
/// @param driver   acts; may be the teacher
/// @param teacher  says what it would do
SAC_CHECKED sac_status sac_lesson_drive(sac_lesson *lesson, const sac_policy *driver, const sac_policy *teacher,
                                        const sac_env_def *env, uint64_t first, int count,
                                        const volatile int *interrupt);

/// Give the lesson in the form in which fits take examples; it must outlive them.
sac_examples sac_lesson_examples(const sac_lesson *lesson);
