#include "base/memory.h"
#include "files/arrays/safetensors.h"
#include "files/atomic.h"

#include "failing_memory.h"
#include "scratch.h"

#define DATA SAC_SOURCE_DIR "/tests/golden/data/"

// a file from a header and its data
static sac_status read_header(sac_tensors **out, const char *header, size_t data_size)
{
    static uint8_t bytes[4096];
    uint64_t length = strlen(header);
    memcpy(bytes, &length, 8);
    memcpy(bytes + 8, header, length);
    return sac_tensors_read(out, bytes, 8 + length + data_size, "x.safetensors");
}

TEST(reads_what_the_python_package_wrote)
{
    static const struct
    {
        const char *name;
        sac_dtype dtype;
        int start;
    } arrays[] = {{"uint8", SAC_U8, 0},
                  {"int32", SAC_I32, 1},
                  {"int64", SAC_I64, 2},
                  {"float32", SAC_F32, 3},
                  {"float64", SAC_F64, 4}};
    sac_tensors *tensors;
    assert_ok(sac_tensors_load(&tensors, DATA "arrays.safetensors", 1 << 20));
    assert_int_equal(sac_tensors_count(tensors), 13);
    for (int a = 0; a < 5; a++)
    {
        char name[16] = "z";
        strcat(name, arrays[a].name);
        const sac_tensor *tensor;
        assert_ok(sac_tensors_get(&tensor, tensors, name, arrays[a].dtype, 2, (int64_t[]){2, 3}));
        assert_int_equal((uintptr_t)tensor->data % 64, 0);
        for (int i = 0; i < 6; i++)
        {
            double expected = arrays[a].start + 3 * i, found = 0;
            if (tensor->dtype == SAC_U8) found = ((const uint8_t *)tensor->data)[i];
            if (tensor->dtype == SAC_I32) found = ((const int32_t *)tensor->data)[i];
            if (tensor->dtype == SAC_I64) found = (double)((const int64_t *)tensor->data)[i];
            if (tensor->dtype == SAC_F32) found = (double)((const float *)tensor->data)[i];
            if (tensor->dtype == SAC_F64) found = ((const double *)tensor->data)[i];
            assert_true(found == expected);
        }
    }
    const sac_tensor *single, *empty;
    assert_ok(sac_tensors_get(&single, tensors, "single", SAC_F64, 0, NULL));
    assert_true(*(const double *)single->data == 2.5);
    assert_ok(sac_tensors_get(&empty, tensors, "empty", SAC_F32, 2, (int64_t[]){0, -1}));
    assert_int_equal(sac_tensor_count(empty), 0);
    sac_tensors_destroy(tensors);
}

// the same arrays in another order give the very bytes of the Python package
TEST(writes_the_bytes_that_the_python_package_writes)
{
    uint8_t *theirs, *ours;
    size_t their_size, our_size;
    assert_ok(sac_read_file(&theirs, &their_size, DATA "arrays.safetensors", 1 << 20));
    sac_tensors *tensors;
    assert_ok(sac_tensors_read(&tensors, theirs, their_size, "arrays"));
    sac_tensor list[13];
    for (int i = 0; i < 13; i++) list[i] = *sac_tensors_at(tensors, (i * 5 + 3) % 13);
    assert_ok(sac_tensors_write(&ours, &our_size, list, 13, NULL, 0));
    assert_int_equal(our_size, their_size);
    assert_memory_equal(ours, theirs, our_size);
    sac_free(ours);
    sac_free(theirs);
    sac_tensors_destroy(tensors);
}

TEST(metadata_and_checksum_come_back)
{
    scratch_open();
    const char *path = scratch_path("a.safetensors");
    float weights[6] = {1, -2, 3, 1e-38f, 5, 6};
    sac_tensor tensor = {"w", SAC_F32, 2, {2, 3}, weights};
    sac_metadata metadata[] = {{"format", "1"}, {"note", "\"quoted\"\n\xc3\xa9"}, {"checksum", NULL}};
    assert_ok(sac_tensors_save(path, &tensor, 1, metadata, 3));

    sac_tensors *tensors;
    assert_ok(sac_tensors_load(&tensors, path, 1 << 20));
    assert_int_equal(sac_tensors_metadata_count(tensors), 3);
    assert_string_equal(sac_tensors_metadata(tensors, "note"), metadata[1].value);
    assert_string_equal(sac_tensors_metadata_at(tensors, 0).key, "format");
    assert_null(sac_tensors_metadata(tensors, "absent"));
    assert_memory_equal(sac_tensors_find(tensors, "w")->data, weights, sizeof weights);
    assert_ok(sac_tensors_verify(tensors));
    sac_tensors_destroy(tensors);
}

// no single damaged byte goes unnoticed: the file is refused or its checksum differs
TEST(any_damaged_byte_is_noticed)
{
    float weights[4] = {1, 2, 3, 4};
    sac_tensor list[] = {{"w", SAC_F32, 2, {2, 2}, weights}, {"v", SAC_F32, 1, {4}, weights}};
    sac_metadata metadata[] = {{"score", "914"}, {"checksum", NULL}};
    uint8_t *bytes;
    size_t size;
    assert_ok(sac_tensors_write(&bytes, &size, list, 2, metadata, 2));
    uint64_t header;
    memcpy(&header, bytes, 8);
    for (size_t i = 0; i < size; i++)
        for (int bit = 0; bit < 8; bit++)
        {
            bytes[i] ^= (uint8_t)(1 << bit);
            sac_tensors *tensors;
            bool noticed =
                sac_tensors_read(&tensors, bytes, size, "x") != SAC_OK || sac_tensors_verify(tensors) != SAC_OK;
            // padding may become another blank, which changes nothing
            bool blank = i >= 8 && i < 8 + header && strchr(" \t\r\n", bytes[i]) && bytes[i];
            if (!noticed && !blank) fail_msg("bit %d of byte %zu", bit, i);
            sac_tensors_destroy(tensors);
            bytes[i] ^= (uint8_t)(1 << bit);
        }
    for (size_t cut = 0; cut < size; cut++)
    {
        sac_tensors *tensors;
        assert_int_equal(sac_tensors_read(&tensors, bytes, cut, "x"), SAC_ERROR_FORMAT);
        assert_null(tensors);
    }
    sac_free(bytes);
}

TEST(malformed_headers_are_refused_with_a_reason)
{
#define ONE(name, dtype, shape, from, to) \
    "\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":[" #from "," #to "]}"
    static const struct
    {
        const char *header;
        size_t data;
        const char *words;
    } cases[] = {
        {"", 0, "does not begin with '{'"},
        {" {}", 0, "does not begin with '{'"},
        {"[]", 0, "does not begin with '{'"},
        {"{", 0, "header: "},
        {"{}x", 0, "header: "},
        {"{\"a\":\"\xff\"}", 0, "header: "},
        {"{\"a\\u0000\":1}", 0, "header: "},
        {"{}", 1, "bytes follow the last tensor"},
        {"{\"a\":1}", 0, "tensor 'a': expected an object"},
        {"{\"a\":{}}", 0, "tensor 'a': expected an object"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4],\"more\":1}}", 4, "expected an object"},
        {"{\"a\":{\"dtype\":1,\"shape\":[1],\"data_offsets\":[0,4]}}", 4, "dtype is missing"},
        {"{" ONE("a", "BF16", "[2]", 0, 4) "}", 4, "dtype is 'BF16', expected F32, F64, I32, I64 or U8"},
        {"{" ONE("a", "F32", "1", 0, 4) "}", 4, "shape is missing, no list"},
        {"{" ONE("a", "F32", "[1,1,1,1,1,1,1,1,1]", 0, 4) "}", 4, "more than 8"},
        {"{" ONE("a", "F32", "[-1]", 0, 4) "}", 4, "whole numbers from 0"},
        {"{" ONE("a", "F32", "[1.0]", 0, 4) "}", 4, "whole numbers from 0"},
        {"{" ONE("a", "F32", "[99999999999999999999]", 0, 4) "}", 4, "header: "},
        {"{" ONE("a", "F32", "[4611686018427387904,4]", 0, 0) "}", 0, "overflows"},
        {"{" ONE("a", "F32", "[0,4611686018427387904,4]", 0, 0) "}", 0, "overflows"},
        {"{" ONE("a", "F32", "[2]", 0, 4) "}", 4, "the shape needs 8 bytes, data_offsets give 4"},
        {"{" ONE("a", "F32", "[1]", 4, 0) "}", 4, "data_offsets are 4 and 0"},
        {"{" ONE("a", "F32", "[1]", -4, 0) "}", 4, "data_offsets are -4 and 0"},
        {"{" ONE("a", "F32", "[2]", 0, 8) "}", 4, "data_offsets are 0 and 8"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,4,8]}}", 8, "not two whole numbers"},
        {"{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[\"0\",4]}}", 4, "not two whole numbers"},
        {"{" ONE("a", "F32", "[1]", 4, 8) "}", 8, "a hole before"},
        {"{" ONE("a", "F32", "[1]", 0, 4) "," ONE("b", "F32", "[1]", 8, 12) "}", 12, "tensor 'b': there is a hole"},
        {"{" ONE("a", "F32", "[2]", 0, 8) "," ONE("b", "F32", "[1]", 4, 8) "}", 8, "tensor 'b': its data overlaps"},
        {"{" ONE("a", "F32", "[1]", 0, 4) "," ONE("b", "F32", "[1]", 0, 4) "}", 4, "its data overlaps"},
        {"{" ONE("a", "F32", "[1]", 0, 4) "," ONE("a", "F32", "[1]", 4, 8) "}", 8, "header: duplicate"},
        {"{" ONE("a", "F32", "[1]", 0, 4) "}", 5, "bytes follow the last tensor"},
        {"{\"__metadata__\":1}", 0, "__metadata__ is no object"},
        {"{\"__metadata__\":{\"a\":1}}", 0, "metadata 'a' is no text"},
        {"{\"__metadata__\":{\"a\":null}}", 0, "metadata 'a' is no text"},
        {"{\"__metadata__\":{\"a\":\"1\",\"a\":\"2\"}}", 0, "header: duplicate"},
    };
    sac_tensors *tensors;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        assert_fails(read_header(&tensors, cases[i].header, cases[i].data), SAC_ERROR_FORMAT, cases[i].words);
        assert_null(tensors);
        assert_non_null(strstr(sac_last_error(), "x.safetensors: "));
    }
    assert_ok(read_header(&tensors, "{" ONE("b", "F32", "[1]", 4, 8) "," ONE("a", "U8", "[2,2]", 0, 4) "} ", 8));
    assert_string_equal(sac_tensors_at(tensors, 0)->name, "a");
    sac_tensors_destroy(tensors);
    assert_ok(read_header(&tensors, "{}", 0));
    sac_tensors_destroy(tensors);
}

TEST(the_header_length_is_checked_before_it_is_used)
{
    static const uint64_t lengths[] = {7,          1000,           (4u << 20) + 1,         UINT32_MAX,
                                       UINT64_MAX, UINT64_MAX - 7, (uint64_t)INT64_MAX + 1};
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
    {
        uint8_t bytes[14] = "........{}";
        memcpy(bytes, &lengths[i], 8);
        sac_tensors *tensors;
        assert_fails(sac_tensors_read(&tensors, bytes, sizeof bytes, "x"), SAC_ERROR_FORMAT, "the header's length is");
    }
}

TEST(wrong_arrays_are_named)
{
    sac_tensors *tensors;
    const sac_tensor *found;
    assert_ok(read_header(&tensors, "{" ONE("w", "F32", "[2,3]", 0, 24) "}", 24));
    int64_t shape[] = {3, 2}, any[] = {-1, 3};
    assert_fails(sac_tensors_get(&found, tensors, "w", SAC_F32, 2, shape), SAC_ERROR_FORMAT,
                 "x.safetensors: tensor 'w' is F32 [2, 3], expected F32 [3, 2]");
    assert_null(found);
    assert_fails(sac_tensors_get(&found, tensors, "w", SAC_F64, -1, NULL), SAC_ERROR_FORMAT, "expected F64");
    assert_fails(sac_tensors_get(&found, tensors, "w", SAC_F32, 1, any), SAC_ERROR_FORMAT, "expected F32 [any]");
    assert_fails(sac_tensors_get(&found, tensors, "v", SAC_F32, 2, any), SAC_ERROR_FORMAT, "tensor 'v' is missing");
    assert_ok(sac_tensors_get(&found, tensors, "w", SAC_F32, 2, any));
    assert_ok(sac_tensors_get(&found, tensors, "w", SAC_F32, -1, NULL));
    assert_fails(sac_tensors_verify(tensors), SAC_ERROR_FORMAT, "no checksum");
    sac_tensors_destroy(tensors);
}

TEST(writing_refuses_bad_names)
{
    float one = 1;
    sac_tensor twice[] = {{"a", SAC_F32, 0, {0}, &one}, {"a", SAC_F64, 1, {0}, &one}};
    sac_tensor no_text = {"\xff", SAC_F32, 0, {0}, &one}, reserved = {"__metadata__", SAC_F32, 0, {0}, &one};
    sac_tensor negative = {"a", SAC_F32, 1, {-1}, &one};
    sac_metadata keys[] = {{"a", "1"}, {"a", "2"}}, value = {"a", "\xff"};
    uint8_t *bytes;
    size_t size;
    assert_int_equal(sac_tensors_write(&bytes, &size, twice, 2, NULL, 0), SAC_ERROR_ARGUMENT);
    assert_int_equal(sac_tensors_write(&bytes, &size, &no_text, 1, NULL, 0), SAC_ERROR_ARGUMENT);
    assert_int_equal(sac_tensors_write(&bytes, &size, &reserved, 1, NULL, 0), SAC_ERROR_ARGUMENT);
    assert_int_equal(sac_tensors_write(&bytes, &size, &negative, 1, NULL, 0), SAC_ERROR_ARGUMENT);
    assert_int_equal(sac_tensors_write(&bytes, &size, NULL, 0, keys, 2), SAC_ERROR_ARGUMENT);
    assert_int_equal(sac_tensors_write(&bytes, &size, NULL, 0, &value, 1), SAC_ERROR_ARGUMENT);
    assert_null(bytes);

    // a header that could not be read again
    size_t length = 5 << 20;
    char *text = sac_alloc(length);
    memset(text, 'x', length - 1);
    sac_metadata large = {"a", text};
    assert_fails(sac_tensors_write(&bytes, &size, NULL, 0, &large, 1), SAC_ERROR_ARGUMENT, "expected at most 4194304");
    sac_free(text);
}

TEST(files_that_cannot_be_read)
{
    sac_tensors *tensors;
    assert_fails(sac_tensors_load(&tensors, DATA "arrays.safetensors", 100), SAC_ERROR_FORMAT, "expected at most 100");
    assert_fails(sac_tensors_load(&tensors, DATA "none.safetensors", 100), SAC_ERROR_FILE, "none.safetensors: cannot");
    assert_fails(sac_tensors_load(&tensors, DATA, 100), SAC_ERROR_FILE, "expected an ordinary file");
    assert_null(tensors);
}

TEST(lack_of_memory)
{
    sac_tensors *tensors = NULL;
    assert_survives_lack_of_memory(sac_tensors_load(&tensors, DATA "arrays.safetensors", 1 << 20),
                                   sac_tensors_destroy(tensors));
    float one = 1;
    sac_tensor tensor = {"a", SAC_F32, 0, {0}, &one};
    sac_metadata metadata[] = {{"a", "1"}, {"checksum", NULL}};
    uint8_t *bytes;
    size_t size;
    assert_survives_lack_of_memory(sac_tensors_write(&bytes, &size, &tensor, 1, metadata, 2), sac_free(bytes));
}

// arrays that are written in place, in any order, make the very bytes of sac_tensors_save, and can be read in place
TEST(a_file_that_is_written_in_place_is_the_same_file)
{
    scratch_open();
    float weights[6] = {1, -2, 3, 1e-38f, 5, 6};
    uint8_t bytes[5] = {1, 2, 3, 4, 5};
    double number = 0.25;
    const sac_tensor list[] = {
        {"w", SAC_F32, 2, {2, 3}, weights}, {"b", SAC_U8, 1, {5}, bytes}, {"n", SAC_F64, 0, {0}, &number}};
    const size_t sizes[] = {sizeof weights, sizeof bytes, sizeof number};
    const sac_metadata metadata[] = {{"checksum", NULL}, {"note", "\"quoted\"\n\xc3\xa9"}};
    assert_ok(sac_tensors_save(scratch_path("a"), list, 3, metadata, 2));
    sac_tensor places[3];
    memcpy(places, list, sizeof list);
    sac_tensors_writer *writer;
    assert_ok(sac_tensors_begin(&writer, scratch_path("b"), places, 3, metadata, 2));
    for (int i = 2; i >= 0; i--) memcpy((void *)places[i].data, list[i].data, sizes[i]);
    assert_int_equal(access(scratch_path("b"), F_OK), -1); // it has no name yet
    assert_ok(sac_tensors_commit(writer));
    assert_true(same_bytes("a", "b"));

    uint8_t *file;
    size_t size;
    sac_tensors *view;
    assert_ok(sac_read_file(&file, &size, scratch_path("b"), 1 << 20));
    assert_ok(sac_tensors_read_in_place(&view, file, size, "b"));
    assert_ok(sac_tensors_verify(view));
    const uint8_t *data = sac_tensors_find(view, "w")->data;
    assert_true(data > file && data < file + size);
    sac_tensors_destroy(view);
    sac_free(file);

    assert_ok(sac_tensors_begin(&writer, scratch_path("c"), places, 3, metadata, 2));
    sac_tensors_abort(writer);
    assert_int_equal(access(scratch_path("c"), F_OK), -1);
    assert_int_equal(access(scratch_path("c.tmp"), F_OK), -1);
    assert_fails(sac_tensors_begin(&writer, "/dev/null", places, 3, metadata, 2), SAC_ERROR_FILE, "ordinary file");
}

TESTS(a_file_that_is_written_in_place_is_the_same_file, reads_what_the_python_package_wrote,
      writes_the_bytes_that_the_python_package_writes, metadata_and_checksum_come_back, any_damaged_byte_is_noticed,
      malformed_headers_are_refused_with_a_reason, the_header_length_is_checked_before_it_is_used,
      wrong_arrays_are_named, writing_refuses_bad_names, files_that_cannot_be_read, lack_of_memory)
