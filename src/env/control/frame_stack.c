#include "env/control/frame_stack.h"

#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/memory.h"

struct control_frame_stack
{
    size_t pixels;
    int frames;
    bool has_first;
    uint8_t pictures[]; // [frames, pixels, 3], the newest first
};

static size_t picture_size(const control_frame_stack *stack)
{
    return 3 * stack->pixels;
}

sac_status sac_frame_stack_create(control_frame_stack **out, int frames, size_t pixels)
{
    *out = sac_alloc(sizeof **out + 3 * pixels * (size_t)frames);
    if (!*out) return sac_fail_memory("a stack of frames");
    (*out)->pixels = pixels;
    (*out)->frames = frames;
    (*out)->has_first = false;
    return SAC_OK;
}

void sac_frame_stack_destroy(control_frame_stack *stack)
{
    sac_free(stack);
}

void sac_frame_stack_restart(control_frame_stack *stack)
{
    stack->has_first = false;
}

uint8_t *sac_frame_stack_next(control_frame_stack *stack)
{
    const size_t size = picture_size(stack);
    memmove(stack->pictures + size, stack->pictures, size * (size_t)(stack->frames - 1));
    return stack->pictures;
}

void sac_frame_stack_take(control_frame_stack *stack, uint8_t *out)
{
    const size_t size = picture_size(stack);
    for (int k = 1; k < stack->frames && !stack->has_first; k++)
        memcpy(stack->pictures + (size_t)k * size, stack->pictures, size);
    stack->has_first = true;
    for (size_t pixel = 0; out && pixel < stack->pixels; pixel++)
        for (int k = 0; k < stack->frames; k++)
            for (int c = 0; c < 3; c++) *out++ = stack->pictures[(size_t)k * size + 3 * pixel + (size_t)c];
}

void sac_frame_stack_snapshot(control_frame_stack *stack, sac_snapshot *snapshot)
{
    sac_snapshot_part(snapshot, &stack->has_first, sizeof stack->has_first);
    sac_snapshot_part(snapshot, stack->pictures, picture_size(stack) * (size_t)stack->frames);
}
