// A net of `saccade fit` tells what it sees in pictures that are drawn here: classify [NET.safetensors]
//
// The net was trained on the pictures of examples/pictures.py, whose four classes are stripes in four directions.
#include <saccade/classifier.h>
#include <stdio.h>

enum
{
    SIDE = 8,
    CLASSES = 4
};

static const char *const names[CLASSES] = {"lying", "standing", "falling to the left", "falling to the right"};

static int fail(void)
{
    fprintf(stderr, "classify: %s\n", sac_last_error());
    return 1;
}

// two rows of pixels are bright and two are dark, and so on, in the direction of a class
static void draw_stripes(uint8_t *picture, int label)
{
    static const int steps[CLASSES][2] = {{1, 0}, {0, 1}, {1, 1}, {1, 3}}; // 3 is -1 where fours are counted
    for (int y = 0; y < SIDE; y++)
        for (int x = 0; x < SIDE; x++)
            picture[y * SIDE + x] = (steps[label][0] * y + steps[label][1] * x) % 4 < 2 ? 190 : 60;
}

int main(int argc, char **argv)
{
    const char *path = argc > 1 ? argv[1] : "tests/golden/data/net_v2.safetensors";
    static uint8_t pictures[CLASSES][SIDE * SIDE];
    static float probabilities[CLASSES][CLASSES];
    int best[CLASSES], right = 0;
    sac_classifier *classifier;

    if (sac_classifier_load(&classifier, path, 1)) return fail();
    const sac_classifier_shape shape = sac_classifier_get_shape(classifier);
    if (shape.rows != SIDE || shape.columns != SIDE || shape.channels != 1 || shape.classes != CLASSES)
    {
        fprintf(stderr, "classify: the net is not one for stripes\n");
        sac_classifier_destroy(classifier);
        return 1;
    }
    for (int i = 0; i < CLASSES; i++) draw_stripes(pictures[i], i);
    sac_classifier_run(classifier, pictures[0], CLASSES, best, probabilities[0]);
    sac_classifier_destroy(classifier);

    for (int i = 0; i < CLASSES; i++)
    {
        printf("stripes that are %s: taken for %s, %.1f %%\n", names[i], names[best[i]],
               100 * (double)probabilities[i][best[i]]);
        right += best[i] == i;
    }
    return right == CLASSES ? 0 : 1;
}
