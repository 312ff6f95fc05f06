#include "uptrain/lesson.h"

#include <string.h>

#include "base/error.h"
#include "base/memory.h"
#include "play/play.h"

enum
{
    WINDOW = 128, // steps of an episode that are kept
    APART = 512,  // from the beginning of one window to that of the next
    LEAD = 8,     // of a window in the middle of an episode that do not count
};

sac_status sac_lesson_create(sac_lesson *lesson, const sac_policy *teacher, int capacity)
{
    const sac_policy_def *def = sac_policy_get_def(teacher);
    *lesson = (sac_lesson){.capacity = capacity, .part_count = def->input_count, .action_size = def->action_size};
    bool seen = true;
    for (int i = 0; i < def->input_count; i++)
    {
        lesson->sizes[i] = sac_space_bytes(&def->inputs[i]);
        lesson->parts[i] = sac_alloc_array((size_t)capacity, lesson->sizes[i]);
        seen = seen && lesson->parts[i];
    }
    lesson->actions = SAC_NEW_MATRIX(float, (size_t)capacity, (size_t)def->action_size);
    lesson->starts = SAC_NEW_ARRAY(uint8_t, (size_t)capacity);
    lesson->weights = SAC_NEW_ARRAY(float, (size_t)capacity);
    if (seen && lesson->actions && lesson->starts && lesson->weights) return SAC_OK;
    sac_lesson_clear(lesson);
    return sac_fail_memory("the pictures of up-training");
}

void sac_lesson_clear(sac_lesson *lesson)
{
    for (int i = 0; i < lesson->part_count; i++) sac_free(lesson->parts[i]);
    sac_free(lesson->actions);
    sac_free(lesson->starts);
    sac_free(lesson->weights);
    *lesson = (sac_lesson){0};
}

// keep what is seen, where the episode's step lies in a window
static void keep(sac_lesson *lesson, const sac_play *play, const float *action)
{
    const int at = play->steps % APART, i = lesson->count;
    if (at >= WINDOW) return;
    for (int p = 0; p < lesson->part_count; p++)
        memcpy((uint8_t *)lesson->parts[p] + (size_t)i * lesson->sizes[p], play->inputs[p], lesson->sizes[p]);
    memcpy(lesson->actions + (size_t)i * (size_t)lesson->action_size, action,
           (size_t)lesson->action_size * sizeof *action);
    lesson->starts[i] = at == 0;
    lesson->weights[i] = play->steps == at || at >= LEAD ? 1 : 0;
    lesson->count++;
}

// one episode, to its end or until there are enough pictures
static sac_status drive_episode(sac_lesson *lesson, sac_play *play, sac_policy_state *teacher, float *said,
                                uint64_t seed, int count, const volatile int *interrupt)
{
    SAC_TRY(sac_play_reset(play, seed));
    if (teacher) sac_policy_state_reset(teacher);
    while (lesson->count < count && !sac_play_ended(play))
    {
        if (interrupt && *interrupt) return sac_fail(SAC_ERROR_INTERRUPTED, "up-training was interrupted");
        SAC_TRY(sac_play_decide(play));
        if (teacher) sac_policy_act_on(teacher, play->inputs, said);
        keep(lesson, play, teacher ? said : play->action);
        SAC_TRY(sac_play_step(play));
        lesson->steps++;
    }
    return SAC_OK;
}

sac_status sac_lesson_drive(sac_lesson *lesson, const sac_policy *driver, const sac_policy *teacher,
                            const sac_env_def *env, uint64_t first, int count, const volatile int *interrupt)
{
    SAC_ASSERT(count <= lesson->capacity);
    sac_play play = {0};
    sac_policy_state *state = NULL;
    float *said = SAC_NEW_ARRAY(float, (size_t)lesson->action_size);
    sac_status status = said ? SAC_OK : sac_fail_memory("actions");
    if (status == SAC_OK) status = sac_play_open(&play, driver, env, SAC_PLAY_INPUTS);
    if (status == SAC_OK && driver != teacher) status = sac_policy_state_create(&state, teacher);
    while (status == SAC_OK && lesson->count < count)
        status = drive_episode(lesson, &play, state, said, first + (uint64_t)lesson->episodes++, count, interrupt);
    sac_policy_state_destroy(state);
    sac_play_close(&play);
    sac_free(said);
    return status;
}

sac_examples sac_lesson_examples(const sac_lesson *lesson)
{
    return (sac_examples){.count = lesson->count,
                          .parts = (const void *const *)lesson->parts,
                          .actions = lesson->actions,
                          .starts = lesson->starts,
                          .weights = lesson->weights};
}
