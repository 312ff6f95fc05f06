#include "data/dataset.h"

#include "failing_memory.h"
#include "scratch.h"

// the frames that a policy learns from: the newest ones, in a ring whose episodes stay apart

enum
{
    CAPACITY = 10
};

static const sac_space parts[] = {{.name = "camera", .kind = SAC_SPACE_PICTURE, .shape = {1, 2, 1}},
                                  {.name = "state", .kind = SAC_SPACE_VECTOR, .shape = {1}}};

static sac_status create(sac_dataset **out, size_t memory)
{
    return sac_dataset_create(out, &(sac_dataset_def){.parts = parts,
                                                      .part_count = 2,
                                                      .action = 1,
                                                      .costs = 3,
                                                      .capacity = CAPACITY,
                                                      .memory = memory,
                                                      .beside = scratch_path("frames")});
}

// an episode whose frame i holds its own number, written from the last pair to the first one
static void add(sac_dataset *d, int frames)
{
    const int64_t first = sac_dataset_add(d, frames);
    for (int at = (frames - 1) / 2 * 2; at >= 0; at -= 2)
    {
        const int count = frames - at < 2 ? frames - at : 2;
        uint8_t pictures[4];
        float states[2], actions[2], costs[6];
        for (int i = 0; i < count; i++)
        {
            const int64_t number = first + at + i;
            pictures[2 * i] = (uint8_t)number;
            pictures[2 * i + 1] = (uint8_t)(number + 100);
            states[i] = (float)number;
            actions[i] = -(float)number;
            for (int c = 0; c < 3; c++) costs[3 * i + c] = (float)(number + c);
        }
        const uint8_t *columns[] = {pictures, (const uint8_t *)states};
        sac_dataset_put(d, first + at, count, at == 0, columns, actions, costs);
    }
}

static void assert_row(const sac_examples *e, int row, int number, int start)
{
    const uint8_t *picture = (const uint8_t *)e->parts[0] + 2 * row;
    assert_int_equal(picture[0], number);
    assert_int_equal(picture[1], number + 100);
    assert_true(((const float *)e->parts[1])[row] == (float)number);
    assert_true(e->actions[row] == -(float)number);
    for (int c = 0; c < 3; c++) assert_true(e->costs[3 * row + c] == (float)(number + c));
    assert_int_equal(e->starts[row], start);
}

static void walk(size_t memory)
{
    sac_dataset *d;
    scratch_open();
    assert_ok(create(&d, memory));
    add(d, 4);
    add(d, 3);
    sac_examples e = sac_dataset_examples(d);
    assert_int_equal(e.count, 7);
    for (int i = 0; i < 7; i++) assert_row(&e, i, i, i == 0 || i == 4);

    // frames 7..11: 10 and 11 take the places of 0 and 1, and 2 is the oldest, whose episode has lost its beginning
    add(d, 5);
    e = sac_dataset_examples(d);
    assert_int_equal(e.count, CAPACITY);
    for (int i = 0; i < CAPACITY; i++) assert_row(&e, i, i < 2 ? 10 + i : i, i == 2 || i == 4 || i == 7);

    // an episode that is longer than all that is kept: 12..36, of which 27..36 are left
    add(d, 25);
    e = sac_dataset_examples(d);
    assert_int_equal(e.count, CAPACITY);
    for (int i = 0; i < CAPACITY; i++) assert_row(&e, i, i < 7 ? 30 + i : 20 + i, i == 7);
    sac_dataset_destroy(d);
}

TEST(the_newest_frames_are_kept)
{
    walk(1 << 20);
}

TEST(a_file_serves_as_memory_does)
{
    walk(0);
}

// a run that goes on: the same rows as if it had never stopped
TEST(frames_that_come_again_take_their_old_places)
{
    sac_dataset *d;
    scratch_open();
    assert_ok(create(&d, 1 << 20));
    sac_dataset_restart(d, 4); // the episodes before are of no use any more
    add(d, 3);
    add(d, 8);
    assert_int_equal(sac_dataset_next(d), 15);
    const sac_examples e = sac_dataset_examples(d);
    assert_int_equal(e.count, CAPACITY);
    for (int i = 0; i < CAPACITY; i++) assert_row(&e, i, i < 5 ? 10 + i : i, i == 5 || i == 7);
    sac_dataset_destroy(d);
}

TEST(a_place_that_is_not_there_is_said)
{
    sac_dataset *d;
    const sac_dataset_def def = {
        .parts = parts, .part_count = 2, .action = 1, .capacity = CAPACITY, .beside = "/nowhere/at/all"};
    assert_fails(sac_dataset_create(&d, &def), SAC_ERROR_FILE, "/nowhere/at/");
    assert_null(d);
}

static sac_status create_and_destroy(void)
{
    sac_dataset *d;
    sac_status status = create(&d, 1 << 20);
    sac_dataset_destroy(d);
    return status;
}

TEST(a_lack_of_memory_is_survived)
{
    scratch_open();
    assert_survives_lack_of_memory(create_and_destroy(), (void)0);
}

TESTS(the_newest_frames_are_kept, a_file_serves_as_memory_does, frames_that_come_again_take_their_old_places,
      a_place_that_is_not_there_is_said, a_lack_of_memory_is_survived)
