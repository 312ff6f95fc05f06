#include <pthread.h>

#include "failing_memory.h"
#include "nets_scene.h"

// Gradients of whole nets. tests/learn/nets.py compares them with PyTorch's number by number; here they are compared
// with differences of the loss, and with themselves over threads.

static double loss_along(net_scene *s, const sac_net_tensor *t, const float *kept, const float *direction, double step)
{
    for (size_t i = 0; i < t->count; i++)
        s->parameters[t->first + i] = (float)((double)kept[i] + step * (double)direction[i]);
    const double loss = net_scene_train(s).loss / NET_SAMPLES;
    memcpy(s->parameters + t->first, kept, t->count * sizeof *kept);
    return loss;
}

// Along the gradient of one tensor, the loss rises by the gradient's length. A difference of fourth order over a step
// of h = 0.02 has an error of h^4 times a fifth derivative, which is about 1e-7 of lengths near 1, and that of the
// loss, whose floats are off by a few 1e-7, divided by h: 3e-5. Tensors with gradients below 1e-2 stay in that noise.
static void check_tensor(net_scene *s, const net_form *form, const sac_net_tensor *t)
{
    const double step = 0.02;
    float *direction = net_memory(t->count * sizeof *direction), *kept = net_memory(t->count * sizeof *kept);
    double square = 0;
    memcpy(kept, s->parameters + t->first, t->count * sizeof *kept);
    (void)net_scene_train(s);
    for (size_t i = 0; i < t->count; i++)
        square += (double)s->gradient[t->first + i] * (double)s->gradient[t->first + i];
    const double length = sqrt(square);
    for (size_t i = 0; i < t->count; i++) direction[i] = (float)((double)s->gradient[t->first + i] / (length + 1e-30));
    const double near = loss_along(s, t, kept, direction, step) - loss_along(s, t, kept, direction, -step);
    const double far = loss_along(s, t, kept, direction, 2 * step) - loss_along(s, t, kept, direction, -2 * step);
    const double slope = (8 * near - far) / (12 * step);
    if (!(fabs(slope - length) <= 0.01 * length + 1e-4))
        fail_msg("%s: along %s the loss rises by %.6g, and its gradient is %.6g long", form->name, t->name, slope,
                 length);
    free(direction);
    free(kept);
}

TEST(losses_rise_as_gradients_say)
{
    for (int i = 0; i < NET_FORMS; i++)
    {
        // ReLU has corners, which a step may cross: PyTorch checks those nets
        if (strcmp(net_forms[i].kind, "resnet") == 0 || strncmp(net_forms[i].name, "relu", 4) == 0) continue;
        net_scene s = net_scene_create(&net_forms[i], 1);
        for (int t = 0; t < sac_net_tensor_count(s.net); t++)
            check_tensor(&s, &net_forms[i], sac_net_tensor_at(s.net, t));
        net_scene_destroy(&s);
    }
}

static const net_form dropped[] = {
    {"dropped attention net", "attention-net", {"width", "10", "dropout", "0.3"}, true},
    {"dropped vit", "vit", {"width", "12", "dropout", "0.3"}, true},
};

// what is dropped depends on the minibatch's name alone, so differences of the loss see one function
TEST(dropout_has_its_gradient)
{
    for (int i = 0; i < 2; i++)
    {
        net_scene s = net_scene_create(&dropped[i], 1), threads = net_scene_create(&dropped[i], 3);
        for (int t = 0; t < sac_net_tensor_count(s.net); t++)
            check_tensor(&s, &dropped[i], sac_net_tensor_at(s.net, t));
        const double one = net_scene_train(&s).loss, many = net_scene_train(&threads).loss;
        assert_memory_equal(&one, &many, sizeof one);
        assert_memory_equal(s.gradient, threads.gradient, s.count * sizeof(float));
        // another minibatch, and none in evaluation
        memcpy(sac_net_pass_input(s.pass), s.pictures, NET_SAMPLES * s.picture * sizeof(float));
        const double other =
            sac_net_pass_train(s.pass, s.gradient, s.parameters, s.measured, s.labels, NET_SAMPLES, 4).loss;
        assert_true(fabs(other - one) > 1e-4);
        const double plain = sac_net_pass_evaluate(s.pass, s.parameters, s.measured, s.labels, NET_SAMPLES).loss;
        assert_true(fabs(plain - one) > 1e-4);
        net_scene_destroy(&s);
        net_scene_destroy(&threads);
    }
}

// of many numbers the share is dropped, and the mean stays
TEST(dropout_drops_its_share)
{
    const net_form wide = {"wide", "vit", {"width", "96", "dropout", "0.3", "layers", "1"}, true};
    net_scene s = net_scene_create(&wide, 1);
    (void)net_scene_train(&s);
    int drops = 0, zeros = 0, all = 0;
    for (int i = 0; i < sac_net_value_count(s.net); i++)
    {
        if (!strstr(sac_net_value_name(s.net, i), "dropout")) continue;
        const float *x = sac_net_pass_value(s.pass, i);
        const size_t count = NET_SAMPLES * 16 * 96;
        for (size_t k = 0; k < count; k++) zeros += x[k] == 0.0f;
        all += (int)count;
        drops++;
    }
    assert_int_equal(drops, 2);
    // a binomial's deviation is sqrt(0.21 / 15360) = 0.0037: five of them
    assert_near((double)zeros / all, 0.3, 0.0185);
    net_scene_destroy(&s);
}

// a pass without backward, whose values share memory, gives what one with a place for each value gives
TEST(values_that_share_memory_are_the_same)
{
    for (int i = 0; i < NET_FORMS; i++)
    {
        net_scene s = net_scene_create(&net_forms[i], 1);
        memcpy(sac_net_pass_input(s.pass), s.pictures, NET_SAMPLES * s.picture * sizeof(float));
        const sac_net_outcome expected = sac_net_pass_evaluate(s.pass, s.parameters, s.measured, s.labels, NET_SAMPLES);
        for (int threads = 1; threads <= 3; threads++)
        {
            sac_threads *shared_threads;
            sac_net_pass *shared;
            assert_int_equal(sac_threads_create(&shared_threads, threads), SAC_OK);
            const sac_net_pass_def def = {.net = s.net, .threads = shared_threads, .slices = 3, .samples = NET_SAMPLES};
            assert_int_equal(sac_net_pass_create(&shared, &def), SAC_OK);
            for (int again = 0; again < 2; again++) // the input is still there
            {
                if (again == 0) memcpy(sac_net_pass_input(shared), s.pictures, NET_SAMPLES * s.picture * sizeof(float));
                const sac_net_outcome o =
                    sac_net_pass_evaluate(shared, s.parameters, s.measured, s.labels, NET_SAMPLES);
                assert_memory_equal(&o.loss, &expected.loss, sizeof o.loss);
                assert_memory_equal(sac_net_pass_output(shared), sac_net_pass_output(s.pass),
                                    NET_SAMPLES * NET_CLASSES * sizeof(float));
            }
            sac_net_pass_destroy(shared);
            sac_threads_destroy(shared_threads);
        }
        net_scene_destroy(&s);
    }
}

TEST(any_number_of_threads_gives_the_same_bits)
{
    for (int i = 0; i < NET_FORMS; i++)
    {
        net_scene one = net_scene_create(&net_forms[i], 1);
        const sac_net_outcome expected = net_scene_train(&one);
        for (int threads = 2; threads <= 5; threads += 3)
        {
            net_scene many = net_scene_create(&net_forms[i], threads);
            const sac_net_outcome got = net_scene_train(&many);
            assert_memory_equal(&got.loss, &expected.loss, sizeof got.loss);
            assert_int_equal(got.right, expected.right);
            assert_memory_equal(many.gradient, one.gradient, one.count * sizeof(float));
            assert_memory_equal(many.measured, one.measured, sac_net_measured(one.net) * sizeof(float));
            net_scene_destroy(&many);
        }
        net_scene_destroy(&one);
    }
}

// ---- processes, as threads that tell each other what they have computed

enum
{
    MAX_PARTS = 4,
    ROOM = 1 << 22
};

typedef struct process
{
    net_scene scene;
    const net_form *form;
    int part, parts;
    pthread_barrier_t *barrier;
    uint8_t *room; // of all
    sac_net_outcome outcome;
} process;

static sac_status gather(void *user, void *all, const size_t *sizes)
{
    process *me = user;
    size_t at = 0, size = 0;
    for (int i = 0; i < me->part; i++) at += sizes[i];
    for (int i = 0; i < me->parts; i++) size += sizes[i];
    assert_true(size <= ROOM);
    memcpy(me->room + at, (uint8_t *)all + at, sizes[me->part]);
    pthread_barrier_wait(me->barrier);
    memcpy(all, me->room, size);
    pthread_barrier_wait(me->barrier);
    return SAC_OK;
}

static void *run_process(void *argument)
{
    process *me = argument;
    net_scene *s = &me->scene;
    const sac_net_pass_def def = {.net = s->net,
                                  .threads = s->threads,
                                  .slices = 3,
                                  .samples = NET_SAMPLES,
                                  .backward = true,
                                  .momentum = 0.1,
                                  .exchange = {me->part, me->parts, gather, me}};
    int first, end;
    sac_net_pass_destroy(s->pass);
    assert_int_equal(sac_net_pass_create(&s->pass, &def), SAC_OK);
    // what belongs to others is not there
    sac_net_pass_part(s->pass, NET_SAMPLES, &first, &end);
    for (size_t i = 0; i < NET_SAMPLES * s->picture; i++)
        if (i < (size_t)first * s->picture || i >= (size_t)end * s->picture) s->pictures[i] = NAN;
    me->outcome = net_scene_train(s);
    assert_int_equal(sac_net_pass_verdict(s->pass), SAC_OK);
    return NULL;
}

static void check_processes(const net_form *form, const net_scene *one, const sac_net_outcome *expected, int parts)
{
    process all[MAX_PARTS];
    pthread_t threads[MAX_PARTS];
    pthread_barrier_t barrier;
    uint8_t *room = net_memory(ROOM);
    assert_int_equal(pthread_barrier_init(&barrier, NULL, (unsigned)parts), 0);
    for (int i = 0; i < parts; i++)
        all[i] = (process){.scene = net_scene_create(form, 1),
                           .form = form,
                           .part = i,
                           .parts = parts,
                           .barrier = &barrier,
                           .room = room};
    for (int i = 0; i < parts; i++) assert_int_equal(pthread_create(&threads[i], NULL, run_process, &all[i]), 0);
    for (int i = 0; i < parts; i++) pthread_join(threads[i], NULL);
    for (int i = 0; i < parts; i++)
    {
        net_scene *s = &all[i].scene;
        assert_memory_equal(&all[i].outcome.loss, &expected->loss, sizeof expected->loss);
        assert_int_equal(all[i].outcome.right, expected->right);
        assert_memory_equal(s->gradient, one->gradient, one->count * sizeof(float));
        assert_memory_equal(s->measured, one->measured, sac_net_measured(one->net) * sizeof(float));
        net_scene_destroy(s);
    }
    pthread_barrier_destroy(&barrier);
    free(room);
}

// also where there are more processes than slices
TEST(any_number_of_processes_gives_the_same_bits)
{
    for (int i = 0; i < NET_FORMS; i++)
    {
        net_scene one = net_scene_create(&net_forms[i], 1);
        const sac_net_outcome expected = net_scene_train(&one);
        for (int parts = 2; parts <= MAX_PARTS; parts++) check_processes(&net_forms[i], &one, &expected, parts);
        net_scene_destroy(&one);
    }
}

static sac_status fail_to_gather(void *user, void *all, const size_t *sizes)
{
    (void)user, (void)all, (void)sizes;
    return SAC_ERROR_FILE;
}

TEST(an_exchange_that_fails_is_told)
{
    net_scene s = net_scene_create(&net_forms[0], 1);
    const sac_net_pass_def def = {.net = s.net,
                                  .threads = s.threads,
                                  .slices = 3,
                                  .samples = NET_SAMPLES,
                                  .backward = true,
                                  .momentum = 0.1,
                                  .exchange = {0, 2, fail_to_gather, NULL}};
    sac_net_pass_destroy(s.pass);
    assert_int_equal(sac_net_pass_create(&s.pass, &def), SAC_OK);
    (void)net_scene_train(&s);
    assert_int_equal(sac_net_pass_verdict(s.pass), SAC_ERROR_FILE);
    net_scene_destroy(&s);
}

TEST(every_level_gives_the_same_bits)
{
    const sac_cpu_level best = sac_get_cpu_level();
    for (int i = 0; i < NET_FORMS; i++)
    {
        net_scene expected = net_scene_create(&net_forms[i], 1);
        (void)net_scene_train(&expected);
        for (int level = SAC_CPU_SCALAR; level < (int)best; level++)
        {
            sac_set_cpu_level((sac_cpu_level)level); // one that is not there is the next lower one
            net_scene got = net_scene_create(&net_forms[i], 1);
            (void)net_scene_train(&got);
            assert_memory_equal(got.gradient, expected.gradient, got.count * sizeof(float));
            net_scene_destroy(&got);
        }
        sac_set_cpu_level(best);
        net_scene_destroy(&expected);
    }
}

TEST(lack_of_memory_is_survived)
{
    net_scene s = net_scene_create(&net_forms[0], 2);
    const sac_net_pass_def def = {.net = s.net,
                                  .threads = s.threads,
                                  .slices = 2,
                                  .samples = NET_SAMPLES,
                                  .backward = true,
                                  .momentum = 0.1,
                                  .profile = true};
    sac_net_pass *pass;
    assert_survives_lack_of_memory(sac_net_pass_create(&pass, &def), sac_net_pass_destroy(pass));
    net_scene_destroy(&s);
}

TEST(nothing_allocates_while_a_net_runs)
{
    for (int i = 0; i < NET_FORMS; i++)
    {
        net_scene s = net_scene_create(&net_forms[i], 2);
        sac_set_allocator(&(sac_allocator){failing_allocate, failing_release, NULL});
        failing.until_failure = 0; // the first one would fail
        failing.failed = false;
        (void)net_scene_train(&s);
        (void)sac_net_pass_evaluate(s.pass, s.parameters, s.measured, s.labels, 2);
        assert_false(failing.failed);
        sac_set_allocator(NULL);
        net_scene_destroy(&s);
    }
}

// a minibatch of one class and one of another lead the same net to tell them apart
TEST(every_net_learns)
{
    for (int i = 0; i < NET_FORMS; i++)
    {
        net_scene s = net_scene_create(&net_forms[i], 1);
        const double first = net_scene_train(&s).loss;
        double last = first;
        for (int step = 0; step < 200; step++)
        {
            double square = 0;
            for (size_t k = 0; k < s.count; k++) square += (double)s.gradient[k] * (double)s.gradient[k];
            const float rate = (float)(0.1 / (1 + sqrt(square)));
            for (size_t k = 0; k < s.count; k++) s.parameters[k] -= rate * s.gradient[k];
            last = net_scene_train(&s).loss;
        }
        if (!(last < 0.5 * first)) fail_msg("%s: the loss went from %g to %g", net_forms[i].name, first, last);
        net_scene_destroy(&s);
    }
}

// moments that are kept are those of minibatches, and evaluation uses them: after many steps over one minibatch with
// parameters that stay, both ways give the same
TEST(evaluation_uses_the_moments_that_were_kept)
{
    net_scene s = net_scene_create(&net_forms[0], 1);
    double trained = 0;
    for (int i = 0; i < 400; i++) trained = net_scene_train(&s).loss;
    memcpy(sac_net_pass_input(s.pass), s.pictures, NET_SAMPLES * s.picture * sizeof(float));
    const double evaluated = sac_net_pass_evaluate(s.pass, s.parameters, s.measured, s.labels, NET_SAMPLES).loss;
    // the variance that is kept is N / (N - 1) of the other; the last layers have N = 5 * 5 * 4 = 100 places
    assert_near(evaluated, trained, 0.03 * trained);
    net_scene_destroy(&s);
}

TEST(names_of_nodes_are_unlike)
{
    for (int i = 0; i < NET_FORMS; i++)
    {
        net_scene s = net_scene_create(&net_forms[i], 1);
        for (int t = 0; t < sac_net_tensor_count(s.net); t++)
            assert_ptr_equal(sac_net_find(s.net, sac_net_tensor_at(s.net, t)->name), sac_net_tensor_at(s.net, t));
        net_scene_destroy(&s);
    }
}

TESTS(losses_rise_as_gradients_say, dropout_has_its_gradient, dropout_drops_its_share,
      values_that_share_memory_are_the_same, any_number_of_threads_gives_the_same_bits,
      any_number_of_processes_gives_the_same_bits, an_exchange_that_fails_is_told, every_level_gives_the_same_bits,
      lack_of_memory_is_survived, nothing_allocates_while_a_net_runs, every_net_learns,
      evaluation_uses_the_moments_that_were_kept, names_of_nodes_are_unlike)
