#include <math.h>
#include <stdio.h>
#include <string.h>

#include "export/c/agent_c.h"
#include "export/round.h"
#include "export_files.h"

// This file writes constants and parts of the C file.

// Tell whether a line of a header does not belong in a single file.
static bool is_foreign(const char *line)
{
    return strncmp(line, "#pragma once", 12) == 0 || strncmp(line, "#include", 8) == 0;
}

// Parts are files that the build embeds (src/CMakeLists.txt), among them elementary.h, whose functions are those of the
// kernels: lines that belong to a header alone are left out.
void sac_c_part(sac_c_file *file, const char *name)
{
    for (size_t i = 0; i < sizeof embedded / sizeof *embedded; i++)
    {
        if (strcmp(embedded[i].name, name) != 0) continue;
        for (const char *line = embedded[i].text; *line;)
        {
            size_t length = strcspn(line, "\n") + 1;
            if (!is_foreign(line)) sac_grow(&file->text, line, length);
            line += length;
        }
        return;
    }
    snprintf(file->missing, sizeof file->missing, "%s", name);
}

// Nine digits give the same float back.
static void add_numbers(sac_c_file *file, const float *values, size_t count)
{
    sac_growing *text = &file->text;
    for (size_t i = 0; i < count; i++)
    {
        if (i % 8 == 0) sac_grow_text(text, i ? "\n    " : "    ");
        // C99 has no literal for infinity; no float is beyond the largest one, so that a bound there cuts no number
        if (isinf(values[i]))
            sac_grow_text(text, "%s3.40282347e+38f,", values[i] < 0 ? "-" : ""); // the largest float
        else
            sac_grow_text(text, "%.8ef,", (double)values[i]);
    }
    sac_grow_text(text, "\n");
}

void sac_c_floats(sac_c_file *file, const char *name, const float *values, size_t count)
{
    sac_grow_text(&file->text, "static const float %s[%zu] = {\n", name, count);
    add_numbers(file, values, count);
    sac_grow_text(&file->text, "};\n\n");
    file->sizes.constants += count * sizeof(float);
}

// 8 bits a weight, and one scale a row.
static void add_steps(sac_c_file *file, const char *name, const float *weights, int rows, int columns)
{
    sac_growing *text = &file->text;
    sac_grow_text(text, "static const int8_t %s_steps[%d][%d] = {\n", name, rows, columns);
    for (int r = 0; r < rows; r++)
    {
        const float *row = weights + (size_t)r * (size_t)columns;
        float scale = sac_round_scale(row, columns);
        sac_grow_text(text, "    {");
        for (int i = 0; i < columns; i++)
            sac_grow_text(text, "%d,%s", sac_round_step(row[i], scale), i % 24 == 23 ? "\n     " : "");
        sac_grow_text(text, "},\n");
    }
    sac_grow_text(text, "};\n\nstatic const float %s_scale[%d] = {\n", name, rows);
    for (int r = 0; r < rows; r++)
    {
        float scale = sac_round_scale(weights + (size_t)r * (size_t)columns, columns);
        add_numbers(file, &scale, 1);
    }
    sac_grow_text(text, "};\n\n");
    file->sizes.constants += (size_t)rows * ((size_t)columns + sizeof(float));
}

// A matrix is read through a function of its own, so that the same parts serve floats and int8; compilers inline it.
void sac_c_matrix(sac_c_file *file, const char *name, size_t offset, int rows, int columns)
{
    const float *weights = file->policy->parameters + offset;
    if (file->def->int8)
    {
        add_steps(file, name, weights, rows, columns);
        sac_grow_text(&file->text,
                      "static float %s(int row, int column)\n{\n"
                      "    return (float)%s_steps[row][column] * %s_scale[row];\n}\n\n",
                      name, name, name);
        return;
    }
    char numbers[80];
    snprintf(numbers, sizeof numbers, "%.60s_numbers", name);
    sac_c_floats(file, numbers, weights, (size_t)rows * (size_t)columns);
    sac_grow_text(&file->text, "static float %s(int row, int column)\n{\n    return %s[row * %d + column];\n}\n\n",
                  name, numbers, columns);
}

void sac_c_field(sac_c_file *file, const char *type, size_t size, const char *name, const char *shape, size_t count)
{
    // C has no arrays without elements
    if (count == 0) return;
    sac_grow_text(&file->text, "    %s %s%s;\n", type, name, shape);
    file->sizes.memory += size * count;
}
