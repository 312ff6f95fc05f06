#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "theorems.h"

theory_row *theory_claim(theory_report *report, theory_kind kind, const char *format, ...)
{
    SAC_ASSERT(report->count < THEORY_MAX_ROWS);
    theory_row *row = &report->rows[report->count++];
    *row = (theory_row){.kind = kind};
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(row->claim, sizeof row->claim, format, arguments);
    va_end(arguments);
    return row;
}

void theory_predict(theory_row *row, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(row->predicted, sizeof row->predicted, format, arguments);
    va_end(arguments);
}

void theory_measure(theory_row *row, const char *format, ...)
{
    size_t length = strlen(row->measured);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(row->measured + length, sizeof row->measured - length, format, arguments);
    va_end(arguments);
}

void theory_judge(theory_row *row, bool holds)
{
    row->holds = holds;
}

const char *theory_verdict(const theory_report *report)
{
    bool printed = true, mended = true;
    int mended_count = 0;
    for (int i = 0; i < report->count; i++)
    {
        const theory_row *row = &report->rows[i];
        if (row->kind == THEORY_PRINTED) printed = printed && row->holds;
        if (row->kind == THEORY_MENDED) mended = mended && row->holds, mended_count++;
    }
    if (printed) return "HOLDS";
    return mended_count > 0 && mended ? "FAILS as printed; mended: HOLDS" : "FAILS";
}

bool theory_is_sound(const theory_report *report)
{
    for (int i = 0; i < report->count; i++)
        if (report->rows[i].kind != THEORY_PRINTED && !report->rows[i].holds) return false;
    return true;
}
