#include "base/memory.h"
#include "files/csv.h"

#include "failing_memory.h"
#include "scratch.h"

static sac_status read_text(double **values, size_t *rows, const char *text, int columns)
{
    return sac_csv_read(values, rows, text, strlen(text), columns, 4, "a.csv");
}

TEST(rows_of_numbers)
{
    static const char *const same[] = {"1,-2.5,3e-1\n4,5,6\n", "1,-2.5,3e-1\r\n4,5,6", " 1 ,\t-2.5, +.3\n4.,5,6e0 \n"};
    static const double expected[] = {1, -2.5, 0.3, 4, 5, 6};
    for (size_t i = 0; i < sizeof same / sizeof *same; i++)
    {
        double *values;
        size_t rows;
        assert_ok(read_text(&values, &rows, same[i], 3));
        assert_int_equal(rows, 2);
        assert_memory_equal(values, expected, sizeof expected);
        sac_free(values);
    }
}

TEST(an_empty_file_has_no_rows)
{
    double *values;
    size_t rows = 1;
    assert_ok(read_text(&values, &rows, "", 3));
    assert_int_equal(rows, 0);
    sac_free(values);
}

// every double printed with 17 digits comes back to the bit
TEST(numbers_come_back)
{
    sac_stream stream = sac_stream_create(7, 0, 0);
    for (int i = 0; i < 20000; i++)
    {
        uint64_t bits = (uint64_t)sac_stream_u32(&stream) << 32 | sac_stream_u32(&stream);
        double number, *values;
        memcpy(&number, &bits, sizeof number);
        if (!isfinite(number)) continue;
        char text[64];
        snprintf(text, sizeof text, "%.17g\n", number);
        size_t rows;
        assert_ok(read_text(&values, &rows, text, 1));
        assert_memory_equal(values, &number, sizeof number);
        sac_free(values);
    }
}

TEST(errors_say_line_and_column)
{
    static const char *const cases[][2] = {
        {"1,2,3\n4,x,6\n", "a.csv:2: column 2: 'x' is no finite number"},
        {"1,2,3\n4,5\n", "a.csv:2: 2 columns, expected 3"},
        {"1,2,3,4\n", "a.csv:1: more than 3 columns"},
        {"1,2,3,\n", "a.csv:1: more than 3 columns"},
        {"1,,3\n", "a.csv:1: column 2: empty"},
        {"1,2,\n", "a.csv:1: column 3: empty"},
        {"1,2,3\n\n1,2,3\n", "a.csv:2: column 1: empty"},
        {"1,2 3,4\n", "a.csv:1: column 2: '2' is no finite number"},
        {"1,nan,3\n", "column 2: 'nan'"},
        {"1,inf,3\n", "column 2: 'inf'"},
        {"1,1e309,3\n", "column 2: '1e309'"},
        {"1,0x10,3\n", "column 2: '0x10'"},
        {"1,1e,3\n", "column 2: '1e'"},
        {"1,--1,3\n", "column 2: '--1'"},
        {"steer,gas,brake\n", "a.csv:1: column 1: 'steer'"},
        {"1,2,3\n1,2,3\n1,2,3\n1,2,3\n1,2,3\n", "5 rows, expected at most 4"},
        {"1\n", "a.csv:1: 1 column, expected 3"},
        {"1,2\n1,2\n1,2\n", "a.csv:1: 2 columns, expected 3"},
        {",,\n,,\n,,\n", "a.csv: empty columns, expected 3 numbers in each row"},
        {"1,2,3\n1,2\n1\n1\n", "a.csv:2: 2 columns, expected 3"},
        {"1,1.0000000000000000000000000000000000000000000000000000000000000000000000000000,3\n", "column 2: '1.000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        double *values;
        size_t rows;
        assert_fails(read_text(&values, &rows, cases[i][0], 3), SAC_ERROR_FORMAT, cases[i][1]);
        assert_null(values);
        assert_int_equal(rows, 0);
    }
    double *values;
    size_t rows;
    assert_fails(sac_csv_read(&values, &rows, "1,\0,3\n", 6, 3, 4, "a.csv"), SAC_ERROR_FORMAT, "a.csv:1: column 2");
}

TEST(files)
{
    scratch_open();
    FILE *file = fopen(scratch_path("a.csv"), "w");
    fputs("1,2\n3,4\n", file);
    fclose(file);
    double *values;
    size_t rows;
    assert_survives_lack_of_memory(sac_csv_load(&values, &rows, scratch_path("a.csv"), 2, 2), sac_free(values));
    assert_fails(sac_csv_load(&values, &rows, scratch_path("b.csv"), 2, 2), SAC_ERROR_FILE, "b.csv: cannot be read");
}

TESTS(rows_of_numbers, an_empty_file_has_no_rows, numbers_come_back, errors_say_line_and_column, files)
