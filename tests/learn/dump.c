#include <stdio.h>

#include "files/arrays/safetensors.h"
#include "learn_cases.h"

/// Every layer and loss once, forward and backward, for parity.py: dump OUT.safetensors. Arrays are named
/// CASE.in.NAME, CASE.gradient.NAME, CASE.out and CASE.dout.

enum
{
    MOST = LEARN_CASES * (2 * LEARN_ARRAYS + 2)
};

static sac_tensor tensors[MOST];
static char names[MOST][64];
static int count;

static void add(const char *name, const float *data, int rows, int columns)
{
    snprintf(names[count], sizeof names[count], "%s", name);
    tensors[count] = (sac_tensor){.name = names[count], .dtype = SAC_F32, .rank = 2, .data = data};
    tensors[count].shape[0] = rows;
    tensors[count++].shape[1] = columns;
}

int main(int argc, char **argv)
{
    if (argc != 2) return fputs("usage: dump OUT.safetensors\n", stderr), 2;
    static learn_scene scenes[LEARN_CASES];
    for (int i = 0; i < LEARN_CASES; i++)
    {
        const learn_case *c = &learn_cases[i];
        char name[64];
        scenes[i] = learn_scene_create(c, 1);
        learn_scene_run(&scenes[i]);
        for (int a = 0; a < scenes[i].arrays; a++)
        {
            snprintf(name, sizeof name, "%s.in.%s", c->name, c->in[a].name);
            add(name, scenes[i].in[a], c->in[a].rows, c->in[a].columns);
            snprintf(name, sizeof name, "%s.gradient.%s", c->name, c->in[a].name);
            if (!c->in[a].fixed) add(name, scenes[i].din[a], c->in[a].rows, c->in[a].columns);
        }
        snprintf(name, sizeof name, "%s.out", c->name);
        add(name, scenes[i].out, c->out_rows, c->out_columns);
        snprintf(name, sizeof name, "%s.dout", c->name);
        add(name, scenes[i].dout, c->out_rows, c->out_columns);
    }
    sac_status status = sac_tensors_save(argv[1], tensors, count, NULL, 0);
    for (int i = 0; i < LEARN_CASES; i++) learn_scene_destroy(&scenes[i]);
    if (status == SAC_OK) return 0;
    return fprintf(stderr, "dump: %s\n", sac_last_error()), 1;
}
