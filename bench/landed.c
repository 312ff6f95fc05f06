#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "files/atomic.h"
#include "landed.h"

enum
{
    MOST = 512 ///< rows of a file
};

// "AMD EPYC 9R14 96-Core Processor" -> "amd-epyc-9r14-96-core-processor-avx512"
static void name_processor(char *name, size_t size)
{
    char line[256] = "", *model = NULL;
    FILE *file = fopen("/proc/cpuinfo", "r");
    while (file && fgets(line, sizeof line, file))
        if (strncmp(line, "model name", 10) == 0 && (model = strchr(line, ':'))) break;
    if (file) fclose(file);

    size_t length = 0;
    for (const char *c = model ? model : "unknown"; *c && length < size - 16; c++)
    {
        if (isalnum((unsigned char)*c))
            name[length++] = (char)tolower((unsigned char)*c);
        else if (length > 0 && name[length - 1] != '-')
            name[length++] = '-';
    }
    while (length > 0 && name[length - 1] == '-') length--;
    snprintf(name + length, size - length, "-%s", sac_cpu_level_name(sac_get_cpu_level()));
}

void bench_landed_path(char path[256], const char *file, bool make_folder)
{
    char processor[128];
    name_processor(processor, sizeof processor);
    snprintf(path, 256, "bench/results/%s", processor);
    if (make_folder && sac_make_folders(path) != SAC_OK) return; // a failure shows when the file is opened
    snprintf(path + strlen(path), 256 - strlen(path), "/%s", file);
}

// --- the two kinds of files -------------------------------------------------------------------------------------

/// A file of results: how a line becomes a result, and a result becomes a line.
typedef struct table
{
    const char *file, *head;
    bool (*read)(bench_result *r, const char *line);
    void (*write)(const bench_result *r, FILE *file);
} table;

static bool read_figure(bench_result *r, const char *line)
{
    return sscanf(line, "%47[^,],%lg,%15[^,],%lg,%63[^,\n],%lg,%lg", r->name, &r->figure.value, r->unit,
                  &r->figure.worst, r->peer, &r->peer_value, &r->figure.paired) >= 4;
}

static void write_figure(const bench_result *r, FILE *file)
{
    fprintf(file, "%s,%.6g,%s,%.6g", r->name, r->figure.value, r->unit, r->figure.worst);
    if (r->peer[0]) fprintf(file, ",%s,%.6g", r->peer, r->peer_value);
    if (r->peer[0] && r->figure.paired > 0) fprintf(file, ",%.6g", r->figure.paired);
}

static bool read_median(bench_result *r, const char *line)
{
    return sscanf(line, "%47[^,],%d,%lg,%lg,%lg,%63[^,\n],%lg,%lg,%lg", r->name, &r->figure.runs, &r->figure.value,
                  &r->figure.low, &r->figure.high, r->peer, &r->peer_value, &r->peer_low, &r->peer_high) >= 5;
}

static void write_median(const bench_result *r, FILE *file)
{
    fprintf(file, "%s,%d,%.6g,%.6g,%.6g", r->name, r->figure.runs, r->figure.value, r->figure.low, r->figure.high);
    if (r->peer[0]) fprintf(file, ",%s,%.6g,%.6g,%.6g", r->peer, r->peer_value, r->peer_low, r->peer_high);
}

static const table figures = {"bench.csv", "name,value,unit,worst,peer,peer_value,paired\n", read_figure, write_figure},
                   medians = {"evals.csv", "name,seeds,median,low,high,peer,peer_median,peer_low,peer_high\n",
                              read_median, write_median};

// --- reading and landing ----------------------------------------------------------------------------------------

static int read_table(const table *t, bench_result *results, int capacity)
{
    char path[256], line[512];
    bench_landed_path(path, t->file, false);
    FILE *file = fopen(path, "r");
    int count = 0;
    while (file && count < capacity && fgets(line, sizeof line, file))
    {
        results[count] = (bench_result){0};
        count += t->read(&results[count], line);
    }
    if (file) fclose(file);
    return count;
}

int bench_read_landed(bench_result *results, int capacity)
{
    return read_table(&figures, results, capacity);
}

// Put results in the place of those of the same name, or at the end.
static int merge(bench_result *landed, int count, const bench_result *results, int result_count)
{
    for (int i = 0; i < result_count; i++)
    {
        int at = 0;
        while (at < count && strcmp(landed[at].name, results[i].name) != 0) at++;
        if (at == MOST) break;
        if (at == count) count++;
        // A peer that was absent this time keeps its last figure.
        bench_result before = landed[at];
        landed[at] = results[i];
        if (results[i].peer[0] || !before.peer[0] || strcmp(before.name, results[i].name) != 0) continue;
        memcpy(landed[at].peer, before.peer, sizeof before.peer);
        landed[at].peer_value = before.peer_value;
        landed[at].peer_low = before.peer_low;
        landed[at].peer_high = before.peer_high;
    }
    return count;
}

static sac_status land(const table *t, const bench_result *results, int count)
{
    static bench_result landed[MOST];
    memset(landed, 0, sizeof landed);
    int landed_count = merge(landed, read_table(t, landed, MOST), results, count);
    char path[256];
    bench_landed_path(path, t->file, true);
    FILE *file = fopen(path, "w");
    if (!file) return sac_fail(SAC_ERROR_FILE, "%s cannot be written: %s", path, strerror(errno));
    fputs(t->head, file);
    for (int i = 0; i < landed_count; i++)
    {
        t->write(&landed[i], file);
        fputc('\n', file);
    }
    if (fclose(file) != 0) return sac_fail(SAC_ERROR_FILE, "%s cannot be written: %s", path, strerror(errno));
    fprintf(stderr, "landed in %s\n", path);
    return SAC_OK;
}

sac_status bench_land(const bench_result *results, int count)
{
    return land(&figures, results, count);
}

sac_status bench_land_evals(const bench_result *results, int count)
{
    return land(&medians, results, count);
}
