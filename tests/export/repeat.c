/* Gives an exported agent a recorded episode (episode.c): repeat FILE PIXELS ACTIONS. It exits with 0 when every action
   has the recorded bits. Linked with the agent, natively or for a processor under emulation; there, with -DSTACK, it
   also says how deep the agent's stack was, by cortex_m.c. */

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void agent_reset(void);
void agent_act(const uint8_t *image, float *action);
void paint_stack(void);
int stack_depth(void);

int main(int argc, char **argv)
{
    static uint8_t image[1 << 16];
    float action[16], expected[16];
    long steps = 0, wrong = 0;
    int depth = 0;
    size_t pixels = argc > 3 ? (size_t)atol(argv[2]) : 0, actions = argc > 3 ? (size_t)atol(argv[3]) : 0;
    FILE *file = argc > 3 ? fopen(argv[1], "rb") : NULL;
    if (!file || pixels > sizeof image || actions > 16) return 2;
    agent_reset();
    while (fread(image, 1, pixels, file) == pixels && fread(expected, sizeof(float), actions, file) == actions)
    {
#ifdef STACK
        paint_stack();
        agent_act(image, action);
        depth = stack_depth() > depth ? stack_depth() : depth;
#else
        agent_act(image, action);
#endif
        wrong += memcmp(action, expected, actions * sizeof(float)) != 0;
        steps++;
    }
    printf("%ld steps, %ld differ\n", steps, wrong);
    if (depth > 0) printf("%d bytes of stack\n", depth);
    fclose(file);
    return steps == 0 || wrong != 0;
}
