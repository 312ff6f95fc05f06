#include <zlib.h>

#include "base/memory.h"
#include "files/arrays/npy.h"
#include "files/arrays/npz.h"
#include "files/atomic.h"

#include "failing_memory.h"

#define DATA SAC_SOURCE_DIR "/tests/golden/data/"

// an archive of one stored or deflated member, built field by field so that each can be made wrong
typedef struct zip
{
    uint8_t bytes[2048];
    size_t size, local, central, end; // where the records begin
} zip;

static void put(zip *z, uint64_t value, int bytes)
{
    for (int i = 0; i < bytes; i++) z->bytes[z->size++] = i < 8 ? (uint8_t)(value >> (8 * i)) : 0;
}

static void put_text(zip *z, const void *text, size_t size)
{
    memcpy(z->bytes + z->size, text, size);
    z->size += size;
}

static zip make_zip(const char *name, const void *data, size_t packed, size_t unpacked, uint32_t crc, int method)
{
    zip z = {.size = 0};
    put_text(&z, "PK\3\4\24\0\0\0", 8);
    put(&z, (uint64_t)method, 2);
    put(&z, 0, 16); // time, checksum and sizes: left to the directory
    put(&z, strlen(name), 2);
    put(&z, 0, 2);
    put_text(&z, name, strlen(name));
    put_text(&z, data, packed);
    z.central = z.size;
    put_text(&z, "PK\1\2\24\0\24\0\0\0", 10);
    put(&z, (uint64_t)method, 2);
    put(&z, 0, 4);
    put(&z, crc, 4);
    put(&z, packed, 4);
    put(&z, unpacked, 4);
    put(&z, strlen(name), 2);
    put(&z, 0, 16);
    put_text(&z, name, strlen(name));
    z.end = z.size;
    put_text(&z, "PK\5\6\0\0\0\0\1\0\1\0", 12);
    put(&z, z.end - z.central, 4);
    put(&z, z.central, 4);
    put(&z, 0, 2);
    return z;
}

// an npy array with this header text, padded as NumPy does
static size_t make_npy(uint8_t *out, const char *header, size_t data)
{
    memcpy(out, "\x93NUMPY\1\0", 8);
    size_t length = strlen(header);
    out[8] = (uint8_t)length;
    out[9] = (uint8_t)(length >> 8);
    memcpy(out + 10, header, length);
    memset(out + 10 + length, 0, data);
    return 10 + length + data;
}

static zip make_good(void)
{
    uint8_t npy[256];
    size_t size = make_npy(npy, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", 8);
    return make_zip("a.npy", npy, size, size, (uint32_t)crc32(0, npy, (uInt)size), 0);
}

static void assert_same(const char *path)
{
    sac_tensors *npz, *tensors;
    assert_ok(sac_npz_load(&npz, path));
    assert_ok(sac_tensors_load(&tensors, DATA "arrays.safetensors", 1 << 20));
    assert_int_equal(sac_tensors_count(npz), sac_tensors_count(tensors));
    for (int i = 0; i < sac_tensors_count(npz); i++)
    {
        const sac_tensor *a = sac_tensors_at(npz, i), *b = sac_tensors_find(tensors, a->name);
        assert_non_null(b);
        assert_int_equal(a->dtype, b->dtype);
        assert_int_equal(a->rank, b->rank);
        for (int r = 0; r < a->rank; r++) assert_int_equal(a->shape[r], b->shape[r]);
        assert_memory_equal(a->data, b->data, sac_tensor_count(a) * sac_dtype_size(a->dtype));
    }
    sac_tensors_destroy(npz);
    sac_tensors_destroy(tensors);
}

TEST(stored_and_deflated_archives_hold_what_the_safetensors_file_holds)
{
    assert_same(DATA "arrays_stored.npz");
    assert_same(DATA "arrays_deflated.npz");
}

TEST(the_released_vector_reads)
{
    const char *path = SAC_SOURCE_DIR "/../shared/golden/attention_agent/CarRacing_released.npz";
    FILE *file = fopen(path, "rb");
    if (!file) skip_without("../shared/golden/attention_agent");
    fclose(file);
    sac_tensors *npz;
    const sac_tensor *params;
    assert_ok(sac_npz_load(&npz, path));
    assert_ok(sac_tensors_get(&params, npz, "params", SAC_F32, 1, (int64_t[]){3667}));
    sac_tensors_destroy(npz);
}

TEST(npy_headers)
{
    static const struct
    {
        const char *header;
        size_t data;
        const char *words; // NULL: it reads
    } cases[] = {
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3), }   \n", 24, NULL},
        {"{\"shape\":(),\"descr\":\"<f8\",\"fortran_order\":False}", 8, NULL},
        {"{'descr': '|b1', 'fortran_order': False, 'shape': (3,)}", 3, NULL},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (0, 9)}", 0, NULL},
        {"[]", 0, "no dictionary"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)", 8, "expected a comma"},
        {"{'descr': '<f4', 'fortran_order': False}", 4, "expected descr, fortran_order and shape"},
        {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': ()}", 4, "comes twice"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (), 'x': 1}", 4, "unknown"},
        {"{descr: '<f4'}", 4, "expected a key and a colon"},
        {"{'descr': '>f4', 'fortran_order': False, 'shape': ()}", 4, "elements of type '>f4'"},
        {"{'descr': '|O', 'fortran_order': False, 'shape': ()}", 8, "elements of type '|O'"},
        {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': ()}", 4, "descr is no simple type"},
        {"{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3)}", 24, "not in C order"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2)}", 8, "shape is no tuple"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}", 8, "shape is no tuple"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (,)}", 8, "shape is no tuple"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1)}", 4, "shape is no tuple"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", 4, "shape is no tuple"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}", 0, "overflows"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", 9, "9 bytes of data, the shape needs 8"},
        {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x", 8, "text follows"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        uint8_t bytes[256];
        size_t size = make_npy(bytes, cases[i].header, cases[i].data);
        sac_tensor tensor = {0};
        if (cases[i].words)
            assert_fails(sac_npy_read(&tensor, bytes, size, "a.npy"), SAC_ERROR_FORMAT, cases[i].words);
        else
            assert_ok(sac_npy_read(&tensor, bytes, size, "a.npy"));
    }
}

TEST(npy_beginnings)
{
    uint8_t bytes[64];
    sac_tensor tensor;
    size_t size = make_npy(bytes, "{}", 8);
    assert_fails(sac_npy_read(&tensor, bytes, 11, "a"), SAC_ERROR_FORMAT, "no npy array");
    bytes[9] = 1;
    assert_fails(sac_npy_read(&tensor, bytes, size, "a"), SAC_ERROR_FORMAT, "longer than the array");
    bytes[6] = 2;
    memset(bytes + 8, 0xff, 4);
    assert_fails(sac_npy_read(&tensor, bytes, size, "a"), SAC_ERROR_FORMAT, "longer than the array");
    bytes[6] = 4;
    assert_fails(sac_npy_read(&tensor, bytes, size, "a"), SAC_ERROR_FORMAT, "expected version 1, 2 or 3");
    bytes[0] = 0;
    assert_fails(sac_npy_read(&tensor, bytes, size, "a"), SAC_ERROR_FORMAT, "no npy array");
}

// one field wrong at a time
TEST(malformed_archives_are_refused_with_a_reason)
{
    zip good = make_good();
    struct
    {
        size_t at;
        uint8_t value;
        const char *words;
    } cases[] = {
        {good.end, 'x', "no npz file"},
        {good.end + 4, 1, "several volumes"},
        {good.end + 8, 2, "several volumes"},
        {good.end + 11, 5, "several volumes"},
        {good.end + 12, 1, "not where the end record says"},
        {good.end + 17, 0xff, "not where the end record says"},
        {good.central, 'x', "the directory is damaged"},
        {good.central + 8, 1, "encrypted"},
        {good.central + 10, 1, "compression 1"},
        {good.central + 10, 8, "cannot be inflated"},
        {good.central + 16, (uint8_t)(good.bytes[good.central + 16] + 1), "checksum differs"},
        {good.central + 21, 1, "cut short"},
        {good.central + 24, 1, "two sizes"},
        {good.central + 27, 0x20, "hold more than"},
        {good.central + 28, 200, "the directory is cut short"},
        {good.central + 30, 1, "the directory is cut short"},
        {good.central + 42, 1, "not where the directory says"},
        {good.central + 45, 0xf0, "not where the directory says"},
        {good.central + 46 + 4, 'z', "expected NAME.npy"},
        {good.central + 46 + 1, 0, "holds a zero byte"},
        {good.local + 27, 0xff, "cut short"},
    };
    sac_tensors *npz;
    assert_ok(sac_npz_read(&npz, good.bytes, good.size, "x.npz"));
    sac_tensors_destroy(npz);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        zip bad = good;
        bad.bytes[cases[i].at] = cases[i].value;
        assert_fails(sac_npz_read(&npz, bad.bytes, bad.size, "x.npz"), SAC_ERROR_FORMAT, cases[i].words);
        assert_null(npz);
    }
    for (size_t cut = 0; cut < good.size; cut++)
        assert_int_equal(sac_npz_read(&npz, good.bytes, cut, "x.npz"), SAC_ERROR_FORMAT);
}

TEST(a_member_that_claims_another_size_is_refused)
{
    uint8_t npy[256], packed[512];
    size_t size = make_npy(npy, "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n", 8);
    z_stream stream = {.next_in = npy, .avail_in = (uInt)size, .next_out = packed, .avail_out = sizeof packed};
    deflateInit2(&stream, 9, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
    size_t packed_size = stream.total_out;
    deflateEnd(&stream);
    uint32_t crc = (uint32_t)crc32(0, npy, (uInt)size);

    sac_tensors *npz;
    zip z = make_zip("a.npy", packed, packed_size, size, crc, 8);
    assert_ok(sac_npz_read(&npz, z.bytes, z.size, "x"));
    sac_tensors_destroy(npz);
    for (int wrong = -1; wrong <= 1; wrong += 2)
    {
        z = make_zip("a.npy", packed, packed_size, size + (size_t)wrong, crc, 8);
        assert_fails(sac_npz_read(&npz, z.bytes, z.size, "x"), SAC_ERROR_FORMAT, "inflated to its size");
        z = make_zip("a.npy", packed, packed_size + (size_t)wrong, size, crc, 8);
        assert_fails(sac_npz_read(&npz, z.bytes, z.size, "x"), SAC_ERROR_FORMAT, "inflated to its size");
    }
}

TEST(lack_of_memory)
{
    sac_tensors *npz = NULL;
    assert_survives_lack_of_memory(sac_npz_load(&npz, DATA "arrays_deflated.npz"), sac_tensors_destroy(npz));
}

TESTS(stored_and_deflated_archives_hold_what_the_safetensors_file_holds, the_released_vector_reads, npy_headers,
      npy_beginnings, malformed_archives_are_refused_with_a_reason, a_member_that_claims_another_size_is_refused,
      lack_of_memory)
