#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"
#include "files/append.h"
#include "files/atomic.h"
#include "files/checksum.h"
#include "files/json.h"

#include "failing_memory.h"
#include "scratch.h"

static void assert_holds(const char *path, const char *text)
{
    uint8_t *bytes;
    size_t size;
    assert_ok(sac_read_file(&bytes, &size, path, 1 << 20));
    assert_int_equal(size, strlen(text));
    assert_string_equal((const char *)bytes, text);
    sac_free(bytes);
}

TEST(a_file_is_replaced_whole)
{
    scratch_open();
    const char *path = scratch_path("a");
    assert_ok(sac_write_file(path, "first", 5));
    assert_holds(path, "first");
    assert_ok(sac_write_file(path, "2", 1));
    assert_holds(path, "2");
    assert_ok(sac_write_file(path, NULL, 0));
    assert_holds(path, "");
    assert_int_not_equal(access(scratch_path("a.tmp"), F_OK), 0);
    // a name alone is a file of the current folder
    char folder[SAC_PATH_SIZE];
    assert_non_null(getcwd(folder, sizeof folder));
    assert_int_equal(chdir(scratch), 0);
    assert_ok(sac_write_file("b", "here", 4));
    assert_int_equal(chdir(folder), 0);
    assert_holds(scratch_path("b"), "here");
}

// until the commit the old file stands; an abort leaves nothing behind
TEST(commit_and_abort)
{
    scratch_open();
    const char *path = scratch_path("a");
    assert_ok(sac_write_file(path, "old", 3));
    sac_atomic file = {0};
    assert_ok(sac_atomic_begin(&file, path));
    assert_ok(sac_atomic_write(&file, "ne", 2));
    assert_holds(path, "old");
    sac_atomic_abort(&file);
    sac_atomic_abort(&file);
    assert_holds(path, "old");
    assert_int_not_equal(access(scratch_path("a.tmp"), F_OK), 0);

    assert_ok(sac_atomic_begin(&file, path));
    assert_ok(sac_atomic_write(&file, "ne", 2));
    assert_ok(sac_atomic_write(&file, "w", 1));
    assert_ok(sac_atomic_commit(&file));
    sac_atomic_abort(&file);
    assert_holds(path, "new");
    sac_atomic_abort(&(sac_atomic){0});
}

TEST(two_writers_do_not_mix)
{
    scratch_open();
    sac_atomic first = {0}, second = {0};
    assert_ok(sac_atomic_begin(&first, scratch_path("a")));
    assert_fails(sac_atomic_begin(&second, scratch_path("a")), SAC_ERROR_FILE, "another process is writing it");
    sac_atomic_abort(&second);
    assert_ok(sac_atomic_write(&first, "1", 1));
    assert_ok(sac_atomic_commit(&first));
    assert_ok(sac_atomic_begin(&second, scratch_path("a")));
    sac_atomic_abort(&second);
    assert_holds(scratch_path("a"), "1");
}

// what a killed process left aside is no obstacle
TEST(a_leftover_is_overwritten)
{
    scratch_open();
    assert_ok(sac_write_file(scratch_path("b"), "a long leftover", 15));
    assert_int_equal(rename(scratch_path("b"), scratch_path("a.tmp")), 0);
    assert_ok(sac_write_file(scratch_path("a"), "x", 1));
    assert_holds(scratch_path("a"), "x");
}

// one letter repeated: any mixture or missing part shows
static void write_for_ever(const char *path)
{
    static char text[1 << 16];
    for (int i = 0;; i++)
    {
        memset(text, 'a' + i % 26, sizeof text);
        if (sac_write_file(path, text, sizeof text) != SAC_OK) _exit(1);
    }
}

TEST(a_killed_writer_leaves_a_whole_file)
{
    scratch_open();
    const char *path = scratch_path("a");
    for (int i = 0; i < 12; i++)
    {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) write_for_ever(path);
        for (int wait = 0; wait < 100000 && access(path, F_OK) != 0; wait++) usleep(100);
        usleep(1000 * (useconds_t)i + 137);
        assert_int_equal(kill(child, SIGKILL), 0);
        int status;
        assert_int_equal(waitpid(child, &status, 0), child);
        assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);

        uint8_t *bytes;
        size_t size;
        assert_ok(sac_read_file(&bytes, &size, path, 1 << 20));
        assert_int_equal(size, 1 << 16);
        for (size_t j = 1; j < size; j++) assert_int_equal(bytes[j], bytes[0]);
        sac_free(bytes);
    }
    assert_ok(sac_write_file(path, "x", 1));
    assert_holds(path, "x");
}

TEST(what_is_no_ordinary_file_is_written_directly)
{
    assert_ok(sac_write_file("/dev/null", "x", 1));
    struct stat info;
    assert_int_equal(stat("/dev/null", &info), 0);
    assert_true(S_ISCHR(info.st_mode));
}

TEST(failures_name_the_file)
{
    scratch_open();
    uint8_t *bytes;
    size_t size;
    char long_path[SAC_PATH_SIZE + 8];
    memset(long_path, 'x', sizeof long_path);
    long_path[sizeof long_path - 1] = 0;
    assert_fails(sac_write_file(scratch_path("no/a"), "x", 1), SAC_ERROR_FILE, "no/a: cannot be written: No such file");
    assert_fails(sac_write_file(long_path, "x", 1), SAC_ERROR_ARGUMENT, "the path is longer");
    assert_fails(sac_write_file(scratch, "x", 1), SAC_ERROR_FILE, "cannot be written");
    assert_fails(sac_read_file(&bytes, &size, scratch_path("none"), 1), SAC_ERROR_FILE, "none: cannot be read");
    assert_fails(sac_read_file(&bytes, &size, scratch, 1), SAC_ERROR_FILE, "expected an ordinary file");
    assert_ok(sac_write_file(scratch_path("a"), "xy", 2));
    assert_fails(sac_read_file(&bytes, &size, scratch_path("a"), 1), SAC_ERROR_FORMAT, "2 bytes, expected at most 1");
    assert_null(bytes);
    assert_survives_lack_of_memory(sac_read_file(&bytes, &size, scratch_path("a"), 2), sac_free(bytes));
    if (access("/dev/full", W_OK) == 0)
        assert_fails(sac_write_file("/dev/full", "x", 1), SAC_ERROR_FILE, "No space left");
}

// with a name behind it, an empty path would be the root folder
TEST(an_empty_path_is_refused_wherever_one_is_taken)
{
    uint8_t *bytes;
    size_t size;
    sac_append *file;
    char path[SAC_PATH_SIZE];
    static const char words[] = "a path is empty";
    assert_fails(sac_write_file("", "x", 1), SAC_ERROR_ARGUMENT, words);
    assert_fails(sac_read_file(&bytes, &size, "", 1), SAC_ERROR_ARGUMENT, words);
    assert_fails(sac_make_folders(""), SAC_ERROR_ARGUMENT, words);
    assert_fails(sac_join_path(path, "", "task.yaml"), SAC_ERROR_ARGUMENT, words);
    assert_string_equal(path, "");
    assert_fails(sac_append_open(&file, "", 0), SAC_ERROR_ARGUMENT, words);
    assert_null(file);
}

TEST(folders)
{
    scratch_open();
    assert_ok(sac_make_folders(scratch_path("a/b//c/")));
    assert_ok(sac_make_folders(scratch_path("a/b/c")));
    assert_ok(sac_write_file(scratch_path("a/b/c/file"), "x", 1));
    assert_fails(sac_make_folders(scratch_path("a/b/c/file")), SAC_ERROR_FILE, "expected a folder");
    assert_fails(sac_make_folders(scratch_path("a/b/c/file/d")), SAC_ERROR_FILE, "the folder cannot be made");
    char path[SAC_PATH_SIZE], name[SAC_PATH_SIZE];
    assert_ok(sac_join_path(path, "a/b", "c"));
    assert_string_equal(path, "a/b/c");
    memset(name, 'x', sizeof name - 1);
    name[sizeof name - 1] = 0;
    assert_fails(sac_join_path(path, "a", name), SAC_ERROR_ARGUMENT, "longer than 4095");
}

TEST(a_growing_file_goes_on_where_the_checkpoint_was)
{
    scratch_open();
    const char *path = scratch_path("metrics.csv");
    sac_append *file;
    assert_ok(sac_append_open(&file, path, 0));
    assert_ok(sac_append_print(file, "%s,%d\n", "generation", 1));
    assert_ok(sac_append_flush(file));
    assert_holds(path, "generation,1\n");
    uint64_t checkpoint = sac_append_size(file);
    assert_ok(sac_append_bytes(file, "lost\n", 5));
    assert_int_equal(sac_append_size(file), checkpoint + 5);
    assert_ok(sac_append_close(file));
    assert_holds(path, "generation,1\nlost\n");

    assert_ok(sac_append_open(&file, path, checkpoint));
    assert_ok(sac_append_print(file, "again\n"));
    assert_ok(sac_append_close(file));
    assert_holds(path, "generation,1\nagain\n");

    assert_ok(sac_append_open(&file, path, 0));
    assert_ok(sac_append_close(file));
    assert_holds(path, "");
}

TEST(a_growing_file_takes_any_amount)
{
    scratch_open();
    sac_append *file;
    assert_ok(sac_append_open(&file, scratch_path("a"), 0));
    uint8_t *expected = sac_alloc(1 << 20), *bytes;
    size_t size = 0;
    sac_stream stream = sac_stream_create(3, 0, 0);
    for (int i = 0; i < 60; i++)
    {
        size_t part = sac_stream_below(&stream, i % 10 == 9 ? 60000 : 3000);
        for (size_t j = 0; j < part; j++) expected[size + j] = (uint8_t)sac_stream_u32(&stream);
        assert_ok(sac_append_bytes(file, expected + size, part));
        size += part;
    }
    assert_int_equal(sac_append_size(file), size);
    assert_ok(sac_append_close(file));
    size_t found;
    assert_ok(sac_read_file(&bytes, &found, scratch_path("a"), 1 << 20));
    assert_int_equal(found, size);
    assert_memory_equal(bytes, expected, size);
    sac_free(bytes);
    sac_free(expected);
}

TEST(growing_files_that_cannot_be_opened)
{
    scratch_open();
    sac_append *file;
    assert_ok(sac_write_file(scratch_path("a"), "xy", 2));
    assert_fails(sac_append_open(&file, scratch_path("a"), 3), SAC_ERROR_FILE, "2 bytes, expected at least 3");
    assert_null(file);
    assert_holds(scratch_path("a"), "xy");
    assert_fails(sac_append_open(&file, scratch_path("none"), 3), SAC_ERROR_FILE, "none: cannot be opened");
    assert_int_not_equal(access(scratch_path("none"), F_OK), 0);
    assert_fails(sac_append_open(&file, scratch_path("no/a"), 0), SAC_ERROR_FILE, "no/a: cannot be opened");
    assert_survives_lack_of_memory(sac_append_open(&file, scratch_path("a"), 0), sac_append_close(file));
    assert_ok(sac_append_close(NULL));

    char text[5000];
    memset(text, 'x', sizeof text);
    text[sizeof text - 1] = 0;
    assert_ok(sac_append_open(&file, scratch_path("a"), 0));
    assert_fails(sac_append_print(file, "%s", text), SAC_ERROR_ARGUMENT, "more than 4095");
    assert_ok(sac_append_close(file));
}

// the published check values of both functions for "123456789", and any split gives the same
TEST(checksums)
{
    const char *digits = "123456789";
    assert_int_equal(sac_crc32c(0, digits, 9), 0xe3069283);
    assert_true(sac_hash_bytes(SAC_HASH_START, digits, 9) == UINT64_C(0x06d5573923c6cdfc));
    assert_true(sac_hash_bytes(SAC_HASH_START, "a", 1) == UINT64_C(0xaf63dc4c8601ec8c));
    uint8_t zeros[32] = {0}; // RFC 3720, B.4
    assert_int_equal(sac_crc32c(0, zeros, 32), 0x8a9136aa);
    for (size_t split = 0; split <= 9; split++)
    {
        assert_int_equal(sac_crc32c(sac_crc32c(0, digits, split), digits + split, 9 - split), 0xe3069283);
        uint64_t part = sac_hash_bytes(SAC_HASH_START, digits, split);
        assert_true(sac_hash_bytes(part, digits + split, 9 - split) == UINT64_C(0x06d5573923c6cdfc));
    }
}

TEST(json_numbers)
{
    scratch_open();
    FILE *file = fopen(scratch_path("a"), "w");
    double third = 1.0 / 3;
    assert_ok(sac_json_print(file, json_pack("{s:o,s:o,s:o,s:s}", "a", sac_json_number(third), "b",
                                             sac_json_number(NAN), "c", sac_json_number(-INFINITY), "d", "\n")));
    fclose(file);
    assert_holds(scratch_path("a"), "{\"a\":0.33333333333333331,\"b\":null,\"c\":null,\"d\":\"\\n\"}\n");
    assert_int_equal(sac_json_print(stdout, NULL), SAC_ERROR_MEMORY);
}

TESTS(a_file_is_replaced_whole, commit_and_abort, two_writers_do_not_mix, a_leftover_is_overwritten,
      a_killed_writer_leaves_a_whole_file, what_is_no_ordinary_file_is_written_directly, failures_name_the_file,
      an_empty_path_is_refused_wherever_one_is_taken, folders, a_growing_file_goes_on_where_the_checkpoint_was,
      a_growing_file_takes_any_amount, growing_files_that_cannot_be_opened, checksums, json_numbers)
