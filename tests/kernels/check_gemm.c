#include <string.h>

#include "check.h"
#include "gemm/gemm.h"

// products of matrices, whichever way their operands lie

// a matrix of [rows, columns], or the same lying on its side, with gaps; its two steps
static float *any_matrix(int rows, int columns, ptrdiff_t *row, ptrdiff_t *column)
{
    bool turned = check_integer(0, 1);
    int gap = check_integer(0, 3), width = (turned ? rows : columns) + gap,
        count = (turned ? columns : rows) * width - gap;
    float *values = check_floats(count > 0 ? count : 1);
    check_fill(values, count > 0 ? count : 1, -1, 1);
    *row = turned ? 1 : width;
    *column = turned ? width : 1;
    return values;
}

static void check_one(int rows, int columns, int inner)
{
    sac_gemm g = {.rows = rows, .columns = columns, .inner = inner, .add = check_integer(0, 1)};
    g.a = any_matrix(rows, inner, &g.a_row, &g.a_column);
    g.b = any_matrix(inner, columns, &g.b_row, &g.b_column);
    g.activation = (sac_activation)check_integer(0, SAC_ACTIVATION_SIGMOID);
    g.out_row = columns + check_integer(0, 3);
    int count = (int)((rows - 1) * g.out_row + columns);
    float *bias = check_floats(columns), *expected = check_floats(count), *out = check_floats(count);
    check_fill(bias, columns, -1, 1);
    check_fill(expected, count, -1, 1);
    memcpy(out, expected, (size_t)count * sizeof(float)); // what lies between rows stays
    g.bias = check_integer(0, 1) ? bias : NULL;
    void *scratch = check_buffer(SAC_GEMM_SCRATCH, 64);
    sac_gemm other = g;
    g.out = expected;
    other.out = out;
    sac_gemm_scalar(&g, scratch);
    SAC_AT_LEVEL(sac_gemm)(&other, scratch);
    check_same_floats(expected, out, count, "rows %d, columns %d, inner %d, steps %td %td, add %d, activation %d", rows,
                      columns, inner, g.a_row, g.b_row, g.add, g.activation);
}

void check_gemm(const sac_kernels *ref, const sac_kernels *now)
{
    (void)ref, (void)now; // the harness has set the level
    if (!check_begin("gemm", (check_any *)sac_gemm_scalar, (check_any *)SAC_AT_LEVEL(sac_gemm))) return;
    static const int rows[] = {1, 2, 5, 7, 12, 13, 24, 29, 47}, columns[] = {1, 15, 16, 17, 31, 32, 33, 64, 65, 100},
                     inner[] = {0, 1, 2, 17, 64};
    for (int r = 0; r < 9; r++)
        for (int c = 0; c < 10; c++)
            for (int k = 0; k < 5; k++)
            {
                check_one(rows[r], columns[c], inner[k]);
                check_release();
            }
    // over the ends of blocks
    check_one(SAC_GEMM_ROWS + 13, 35, 3);
    check_one(3, 97, 2 * SAC_GEMM_INNER + 1);
    check_release();
}
