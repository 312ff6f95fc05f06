#include "nets_scene.h"

#include "files/arrays/safetensors.h"

/// Nets for images of every form, their outputs and gradients, for PyTorch: nets FILE.

enum
{
    MOST = 4096
};

static sac_tensor tensors[MOST];
static char names[MOST][128];
static int count;

static void put(const char *form, const char *what, const char *name, const float *data, int rank, const int64_t *shape)
{
    assert_true(count < MOST);
    snprintf(names[count], sizeof names[count], "%s/%s/%s", form, what, name);
    tensors[count] = (sac_tensor){.name = names[count], .dtype = SAC_F32, .rank = rank, .data = data};
    for (int i = 0; i < rank; i++) tensors[count].shape[i] = shape[i];
    count++;
}

static void put_form(const net_form *form, net_scene *s)
{
    // gradients, outputs and what is measured are the first minibatch's; pictures are [rows, columns, channels]
    const int side = form->reduced ? 8 : 9, columns = form->reduced ? 8 : 7;
    (void)net_scene_train(s);
    put(form->name, "in", "pictures", s->pictures, 4, (int64_t[]){NET_SAMPLES, side, columns, NET_CHANNELS});
    put(form->name, "out", "logits", sac_net_pass_output(s->pass), 2, (int64_t[]){NET_SAMPLES, NET_CLASSES});
    for (int i = 0; i < sac_net_tensor_count(s->net); i++)
    {
        const sac_net_tensor *t = sac_net_tensor_at(s->net, i);
        put(form->name, "tensor", t->name, s->parameters + t->first, t->rank, t->shape);
        put(form->name, "gradient", t->name, s->gradient + t->first, t->rank, t->shape);
    }
}

int main(int argc, char **argv)
{
    static net_scene scenes[NET_FORMS];
    if (argc != 2) return 2;
    for (int i = 0; i < NET_FORMS; i++)
    {
        scenes[i] = net_scene_create(&net_forms[i], 1);
        put_form(&net_forms[i], &scenes[i]);
    }
    const sac_status status = sac_tensors_save(argv[1], tensors, count, NULL, 0);
    for (int i = 0; i < NET_FORMS; i++) net_scene_destroy(&scenes[i]);
    if (status != SAC_OK) fprintf(stderr, "%s\n", sac_last_error());
    return status == SAC_OK ? 0 : 1;
}
