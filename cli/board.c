#define _GNU_SOURCE // memrchr
#include "board.h"

#include <inttypes.h>
#include <langinfo.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/number.h"
#include "files/json.h"

/// The board never hides the cursor nor changes a mode of the terminal, and every drawing is one write that ends below
/// the board without colour: however the process ends, there is nothing to restore.

enum
{
    WIDEST = 100,
    TEXT = 8192
};

void cli_board_open(cli_board *b, const char *title, bool json, bool quiet, bool alone)
{
    const char *term = getenv("TERM"), *no_colour = getenv("NO_COLOR");
    setlocale(LC_CTYPE, "");
    // mpirun gives rank 0 a terminal of its own whatever stands behind it
    bool terminal = alone && isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0;
    *b = (cli_board){.mode = quiet      ? CLI_BOARD_QUIET
                             : json     ? CLI_BOARD_JSON
                             : terminal ? CLI_BOARD_LIVE
                                        : CLI_BOARD_LINES,
                     .colour = !no_colour || !no_colour[0],
                     .unicode = strcmp(nl_langinfo(CODESET), "UTF-8") == 0,
                     .title = title,
                     .opened = sac_clock(),
                     .merged = 1};
}

static void format_time(char text[32], double seconds)
{
    int s = (int)fmin(fmax(seconds, 0), 1e8);
    if (s < 3600)
        snprintf(text, 32, "%d:%02d", s / 60, s % 60);
    else
        snprintf(text, 32, "%d:%02d:%02d", s / 3600, s / 60 % 60, s % 60);
}

// seconds to go, whichever end comes first; NaN: unknown
static double time_left(const sac_progress *p)
{
    return fmin(p->seconds_left, p->limit_left);
}

// Tells whether the time will be over before the generations are done
static bool ends_by_time(const sac_progress *p)
{
    return !isnan(p->limit_left) && p->generation < p->generations && !(p->seconds_left < p->limit_left);
}

// "/2000", or nothing where the last generation is not what the command will end at
static void format_total(char text[32], const sac_progress *p)
{
    text[0] = 0;
    if (!ends_by_time(p)) snprintf(text, 32, "/%" PRIu64, p->generations);
}

static void format_left(char text[32], const sac_progress *p)
{
    double left = time_left(p);
    if (isnan(left))
        snprintf(text, 32, "-");
    else
        format_time(text, left);
}

void board_format_score(char text[2 * SAC_VALUE_SIZE], const sac_score *score)
{
    if (score->episodes)
        sac_format_spread(text, score->mean, "+-", score->std);
    else
        snprintf(text, 2, "-");
}

// --- one line a generation --------------------------------------------------------------------------------------

static void print_line(const sac_progress *p)
{
    char total[32], evaluation[2 * SAC_VALUE_SIZE], best[SAC_VALUE_SIZE], mean[SAC_VALUE_SIZE], elapsed[32], left[32];
    format_total(total, p);
    sac_format_value(best, p->best);
    sac_format_value(mean, p->mean);
    board_format_score(evaluation, &p->evaluation);
    format_time(elapsed, p->seconds);
    format_left(left, p);
    printf("%6" PRIu64 "%-7s %8s %8s %14s %11" PRIu64 " %8.0f %8s %8s%s%s\n", p->generation, total, best, mean,
           evaluation, p->steps, p->steps_per_second, elapsed, left, p->note ? "  " : "", p->note ? p->note : "");
    fflush(stdout);
}

static void print_json(const sac_progress *p)
{
    json_t *phases = json_object();
    for (int i = 0; i < SAC_PHASE_COUNT; i++)
        json_object_set_new(phases, sac_phase_name((sac_phase)i), sac_json_number(p->phases[i]));
    json_t *evaluation = p->evaluated
                             ? json_pack("{s:o, s:o, s:i}", "mean", sac_json_number(p->evaluation.mean), "std",
                                         sac_json_number(p->evaluation.std), "episodes", p->evaluation.episodes)
                             : json_null();
    json_t *root = json_pack(
        "{s:I, s:I, s:I, s:I, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "generation",
        (json_int_t)p->generation, "generations", (json_int_t)p->generations, "steps", (json_int_t)p->steps,
        "bad_episodes", (json_int_t)p->bad_episodes, "seconds", sac_json_number(p->seconds), "steps_per_second",
        sac_json_number(p->steps_per_second), "seconds_left", sac_json_number(time_left(p)), "best",
        sac_json_number(p->best), "mean", sac_json_number(p->mean), "std", sac_json_number(p->std), "sigma",
        sac_json_number(p->sigma), "evaluation", evaluation, "phases", phases, "note",
        p->note ? json_string(p->note) : json_null(), "learning", p->learning ? json_string(p->learning) : json_null());
    json_dumpf(root, stdout, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(17));
    putchar('\n');
    fflush(stdout);
    json_decref(root);
}

// --- the board --------------------------------------------------------------------------------------------------

static void remember(cli_board *b, double mean)
{
    if (!isfinite(mean)) return;
    if (b->pending == 0) b->history[b->points] = 0;
    b->history[b->points] += mean / b->merged;
    if (++b->pending < b->merged) return;
    b->pending = 0;
    if (++b->points < CLI_BOARD_HISTORY) return;
    for (int i = 0; i < CLI_BOARD_HISTORY / 2; i++) b->history[i] = 0.5 * (b->history[2 * i] + b->history[2 * i + 1]);
    b->points = CLI_BOARD_HISTORY / 2;
    b->merged *= 2;
}

/// A drawing under way.
typedef struct canvas
{
    char text[TEXT];
    size_t size;
    int column, width, lines;
    bool colour;
} canvas;

static void put_raw(canvas *c, const char *text)
{
    size_t length = strlen(text);
    if (c->size + length >= sizeof c->text) return;
    memcpy(c->text + c->size, text, length + 1);
    c->size += length;
}

// text as far as the line has room: each character that is no continuation of another takes one column
static void put(canvas *c, const char *text)
{
    char one[8];
    while (*text && c->column < c->width)
    {
        size_t length = 1;
        while ((text[length] & 0xC0) == 0x80 && length < 4) length++;
        memcpy(one, text, length);
        one[length] = 0;
        put_raw(c, one);
        c->column++;
        text += length;
    }
}

// all of a text, or as many of its words as there is room for; `text` is ASCII
static void put_words(canvas *c, const char *text)
{
    int room = c->width - c->column;
    char some[400];
    snprintf(some, sizeof some, "%s", text);
    if ((int)strlen(some) > room && room >= 0)
    {
        const int mark = 4; // of " ..."
        char *end = room > mark ? memrchr(some, ' ', (size_t)(room - mark + 1)) : NULL;
        snprintf(end ? end : some, end ? sizeof " ..." : 1, " ...");
    }
    put(c, some);
}

static void style(canvas *c, const char *code)
{
    char text[16];
    snprintf(text, sizeof text, "\033[%sm", code);
    if (c->colour) put_raw(c, text);
}

static void end_line(canvas *c)
{
    style(c, "0");
    put_raw(c, "\033[K\n");
    c->column = 0;
    c->lines++;
}

// "label value   ", the value in bold; where the line has no room for both, neither
static void put_value(canvas *c, const char *label, const char *value)
{
    if (c->column + (int)(strlen(label) + 1 + strlen(value)) > c->width) return;
    style(c, "2");
    put(c, label);
    style(c, "0");
    put(c, " ");
    style(c, "1");
    put(c, value);
    style(c, "0");
    put(c, "   ");
}

static void put_number(canvas *c, const char *label, const char *format, double value)
{
    char text[40];
    snprintf(text, sizeof text, format, value); // NOLINT(clang-diagnostic-format-nonliteral)
    put_value(c, label, text);
}

static void put_return(canvas *c, const char *label, double value)
{
    char text[SAC_VALUE_SIZE];
    sac_format_value(text, value);
    put_value(c, label, text);
}

static void put_bar(canvas *c, double share, int width, bool unicode)
{
    int full = (int)lround(share * width);
    style(c, "36");
    for (int i = 0; i < width; i++)
    {
        if (i == full) style(c, "2");
        put(c, i < full ? unicode ? "█" : "#" : unicode ? "░" : ".");
    }
    style(c, "0");
}

static void put_curve(canvas *c, const cli_board *b)
{
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"}, *const marks[] = {"_", ".", "-", "="};
    int levels = b->unicode ? 8 : 4, columns = b->points < c->width - 4 ? b->points : c->width - 4;
    if (columns < 2) return;
    double low = INFINITY, high = -INFINITY;
    for (int i = 0; i < b->points; i++) low = fmin(low, b->history[i]), high = fmax(high, b->history[i]);
    style(c, "36");
    for (int i = 0; i < columns; i++)
    {
        int from = i * b->points / columns, to = (i + 1) * b->points / columns;
        double sum = 0;
        for (int k = from; k < to; k++) sum += b->history[k];
        double place = high > low ? (sum / (to - from) - low) / (high - low) : 0;
        int level = (int)fmin(place * levels, levels - 1);
        put(c, b->unicode ? blocks[level] : marks[level]);
    }
}

static void put_phases(canvas *c, const sac_progress *p)
{
    double sum = 0;
    for (int i = 0; i < SAC_PHASE_COUNT; i++) sum += p->phases[i];
    for (int i = 0; i < SAC_PHASE_COUNT && sum > 0; i++)
        put_number(c, sac_phase_name((sac_phase)i), "%.0f%%", 100 * p->phases[i] / sum);
}

static void draw_board(canvas *c, const cli_board *b, const sac_progress *p)
{
    char text[2 * SAC_VALUE_SIZE], left[32];
    format_total(left, p);
    snprintf(text, sizeof text, "%" PRIu64 "%s", p->generation, left);
    put_value(c, "generation", text);
    double share = (double)p->generation / (double)p->generations;
    double elapsed = sac_clock() - b->opened;
    if (ends_by_time(p)) share = elapsed / (elapsed + p->limit_left);
    put_bar(c, share, 20, b->unicode);
    put(c, "   ");
    format_left(left, p);
    put_value(c, "to go", left);
    put_words(c, b->title);
    end_line(c);
    put_return(c, "best", p->best);
    put_return(c, "mean", p->mean);
    board_format_score(text, &p->evaluation);
    put_value(c, "evaluation", text);
    if (p->evaluation.episodes) put_return(c, "best so far", p->best_evaluation);
    end_line(c);
    put_curve(c, b);
    end_line(c);
    put_number(c, "steps/s", "%.0f", p->steps_per_second);
    put_number(c, "steps", "%.2f M", (double)p->steps * 1e-6);
    format_time(left, p->seconds);
    put_value(c, "time", left);
    put_number(c, "sigma", "%.3g", p->sigma);
    end_line(c);
    put_phases(c, p);
    end_line(c);
    if (!p->learning) return;
    put(c, p->learning);
    end_line(c);
}

static int terminal_width(void)
{
    struct winsize size = {0};
    int width = ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
    return width - 1 < WIDEST ? width - 1 : WIDEST; // a full line would wrap
}

// all of a text, on as many lines as it takes; those after the first are indented
static void put_wrapped(canvas *c, int indent, const char *text)
{
    char some[400];
    while ((int)strlen(text) > c->width - c->column)
    {
        int room = c->width - c->column < (int)sizeof some - 1 ? c->width - c->column : (int)sizeof some - 1;
        const char *blank = room > 0 ? memrchr(text, ' ', (size_t)room + 1) : NULL;
        if (!blank) break; // no word has room
        snprintf(some, sizeof some, "%.*s", (int)(blank - text), text);
        put(c, some);
        end_line(c);
        snprintf(some, sizeof some, "%*s", indent, "");
        put(c, some);
        text = blank + 1;
    }
    put(c, text);
    end_line(c);
}

// events and evaluations stay above the board
static void keep_line(canvas *c, const sac_progress *p)
{
    char text[400], score[2 * SAC_VALUE_SIZE];
    if (p->note)
    {
        snprintf(text, sizeof text, "%6" PRIu64 "  ", p->generation);
        put(c, text);
        put_wrapped(c, 8, p->note);
    }
    if (!p->evaluated) return;
    board_format_score(score, &p->evaluation);
    snprintf(text, sizeof text, "%6" PRIu64 "  evaluation %s%s", p->generation, score,
             p->evaluation.mean >= p->best_evaluation ? ", the best so far" : "");
    put(c, text);
    end_line(c);
}

static void show_live(cli_board *b, const sac_progress *p)
{
    bool keep = p->evaluated || p->note, last = p->generation == p->generations;
    remember(b, p->mean);
    if (!keep && !last && sac_clock() - b->last < 0.1) return;
    b->last = sac_clock();
    canvas c = {.width = terminal_width(), .colour = b->colour};
    char up[32];
    snprintf(up, sizeof up, "\033[%dA", b->lines);
    if (b->lines) put_raw(&c, up);
    keep_line(&c, p);
    c.lines = 0;
    draw_board(&c, b, p);
    put_raw(&c, "\033[J");
    b->lines = c.lines;
    for (size_t done = 0; done < c.size;)
    {
        ssize_t written = write(STDOUT_FILENO, c.text + done, c.size - done);
        if (written <= 0) break;
        done += (size_t)written;
    }
}

void cli_board_show(void *user, const sac_progress *p)
{
    cli_board *b = user;
    b->bad_episodes = p->bad_episodes;
    if (!b->started)
    {
        b->started = true;
        if (b->mode == CLI_BOARD_LINES)
            puts("   generation     best     mean     evaluation       steps  steps/s     time      ETA");
    }
    if (b->mode == CLI_BOARD_LIVE) show_live(b, p);
    if (b->mode == CLI_BOARD_LINES) print_line(p);
    if (b->mode == CLI_BOARD_JSON) print_json(p);
}

void cli_board_close(cli_board *b)
{
    fflush(stdout);
    b->lines = 0;
}
