#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "files/arrays/safetensors.h"
#include "ppo/loss.h"
#include "test.h"

/// The loss of PPO and its gradient for reward.py: reward OUT.safetensors. Arrays are named CASE.NAME.

enum
{
    ROWS = 40,
    MOST = 4,   ///< outputs
    ARRAYS = 13 ///< of a case
};

typedef struct loss_case
{
    const char *name;
    sac_action_head_kind kind;
    int outputs;
    float clip, value, entropy;
    bool clip_value, normalise;
} loss_case;

static const loss_case cases[] = {
    {"box", SAC_HEAD_BOX, 3, 0.2f, 0.5f, 0, true, true},
    {"box_free_values", SAC_HEAD_BOX, 3, 0.2f, 0.5f, 0, false, true},
    {"box_entropy", SAC_HEAD_BOX, 2, 0.2f, 0.5f, 0.01f, true, true},
    {"box_plain_advantages", SAC_HEAD_BOX, 4, 0.1f, 1, 0.01f, true, false},
    {"box_unclipped", SAC_HEAD_BOX, 1, 10, 0.5f, 0, false, true},
    {"threshold", SAC_HEAD_THRESHOLD, 1, 0.2f, 0.5f, 0.01f, true, true},
    {"choice", SAC_HEAD_CHOICE, 4, 0.2f, 0.5f, 0, true, true},
    {"choice_entropy", SAC_HEAD_CHOICE, 3, 0.1f, 0.5f, 0.02f, true, true},
    {"choice_free_values", SAC_HEAD_CHOICE, 2, 0.2f, 2, 0.01f, false, false},
};

enum
{
    CASES = sizeof cases / sizeof *cases
};

typedef struct scene
{
    float words[6], drawn[ROWS * MOST], outputs[ROWS * MOST], logs[MOST], old[ROWS], advantages[ROWS], values[ROWS];
    float old_values[ROWS], targets[ROWS], counted[ROWS], doutputs[ROWS * MOST], dlogs[MOST], dvalues[ROWS], sums[5];
} scene;

static sac_tensor tensors[CASES * (ARRAYS + 1)];
static char names[CASES * (ARRAYS + 1)][64];
static int count;

static void add(const char *scene_name, const char *name, const float *data, int rows, int columns)
{
    snprintf(names[count], sizeof names[count], "%s.%s", scene_name, name);
    tensors[count] = (sac_tensor){.name = names[count], .dtype = SAC_F32, .rank = 2, .data = data};
    tensors[count].shape[0] = rows;
    tensors[count++].shape[1] = columns;
}

static void fill(scene *s, const loss_case *c, uint64_t seed)
{
    float *const arrays[] = {s->drawn, s->outputs, s->logs, s->advantages, s->values, s->old_values, s->targets};
    const size_t sizes[] = {ROWS * MOST, ROWS * MOST, MOST, ROWS, ROWS, ROWS, ROWS};
    const float words[] = {
        (float)(c->kind == SAC_HEAD_CHOICE), c->clip, c->value, c->entropy, (float)c->clip_value, (float)c->normalise};
    memcpy(s->words, words, sizeof words);
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++) fill_uniform(arrays[i], sizes[i], 10 * seed + i);
    for (int i = 0; i < ROWS; i++)
    {
        if (c->kind == SAC_HEAD_CHOICE) s->drawn[i] = (float)(i % c->outputs);
        s->old_values[i] = s->values[i] + 0.5f * s->old_values[i];
        s->counted[i] = i % 5 != 4;
    }
}

// as an update normalises them
static void normalise(float *out, const scene *s, const loss_case *c, int *counted)
{
    double number = 0, sum = 0, squares = 0, mean = 0, deviation = 1;
    for (int i = 0; i < ROWS; i++)
    {
        if (!(s->counted[i] > 0)) continue;
        number++;
        sum += (double)s->advantages[i];
        squares += (double)s->advantages[i] * (double)s->advantages[i];
    }
    if (c->normalise) sac_ppo_normalise(&mean, &deviation, number, sum, squares);
    for (int i = 0; i < ROWS; i++) out[i] = (float)(((double)s->advantages[i] - mean) / deviation);
    *counted = (int)number;
}

static void run(scene *s, const loss_case *c)
{
    const int size = c->kind == SAC_HEAD_CHOICE ? 1 : c->outputs;
    sac_action_head head = {
        .kind = c->kind, .outputs = c->outputs, .size = size, .logs = c->kind == SAC_HEAD_CHOICE ? 0 : c->outputs};
    float advantages[ROWS];
    uint8_t counts[ROWS];
    int counted;
    for (int i = 0; i < ROWS; i++) counts[i] = s->counted[i] > 0;
    normalise(advantages, s, c, &counted);
    float *workspace = sac_alloc(sac_ppo_loss_workspace(&head, ROWS) * sizeof *workspace);
    void *scratch = sac_alloc(SAC_LEARN_SCRATCH);
    sac_learn l = sac_learn_create(scratch);
    // old policies on both sides of the clip, and none near its edges
    sac_action_head_likelihood(&head, &l, s->old, s->drawn, s->outputs, s->logs, ROWS, workspace);
    for (int i = 0; i < ROWS; i++) s->old[i] += 0.12f * (float)(i % 7 - 3);
    const sac_ppo_rows rows = {.head = &head,
                               .count = ROWS,
                               .drawn = s->drawn,
                               .outputs = s->outputs,
                               .logs = s->logs,
                               .old = s->old,
                               .advantages = advantages,
                               .values = s->values,
                               .old_values = s->old_values,
                               .targets = s->targets,
                               .counts = counts,
                               .share = 1.0 / counted,
                               .clip = (double)c->clip,
                               .value = (double)c->value,
                               .entropy = (double)c->entropy,
                               .clip_value = c->clip_value};
    sac_ppo_sums sums = {0};
    sac_ppo_loss(&rows, &l, &sums, s->doutputs, s->dvalues, s->dlogs, workspace);
    const double all[] = {sums.policy, sums.value, sums.entropy, sums.divergence, sums.clipped};
    for (int i = 0; i < 5; i++) s->sums[i] = (float)(rows.share * all[i]);
    sac_free(workspace);
    sac_free(scratch);
}

static void list(const scene *s, const loss_case *c)
{
    const int size = c->kind == SAC_HEAD_CHOICE ? 1 : c->outputs;
    add(c->name, "words", s->words, 1, 6);
    add(c->name, "drawn", s->drawn, ROWS, size);
    add(c->name, "outputs", s->outputs, ROWS, c->outputs);
    add(c->name, "logs", s->logs, 1, c->outputs);
    add(c->name, "old", s->old, ROWS, 1);
    add(c->name, "advantages", s->advantages, ROWS, 1);
    add(c->name, "values", s->values, ROWS, 1);
    add(c->name, "old_values", s->old_values, ROWS, 1);
    add(c->name, "targets", s->targets, ROWS, 1);
    add(c->name, "counts", s->counted, ROWS, 1);
    add(c->name, "sums", s->sums, 1, 5);
    add(c->name, "doutputs", s->doutputs, ROWS, c->outputs);
    add(c->name, "dlogs", s->dlogs, 1, c->outputs);
    add(c->name, "dvalues", s->dvalues, ROWS, 1);
}

int main(int argc, char **argv)
{
    if (argc != 2) return fputs("usage: reward OUT.safetensors\n", stderr), 2;
    static scene scenes[CASES];
    for (int i = 0; i < CASES; i++)
    {
        fill(&scenes[i], &cases[i], (uint64_t)i + 1);
        run(&scenes[i], &cases[i]);
        list(&scenes[i], &cases[i]);
    }
    if (sac_tensors_save(argv[1], tensors, count, NULL, 0) == SAC_OK) return 0;
    return fprintf(stderr, "reward: %s\n", sac_last_error()), 1;
}
