#include <jansson.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli.h"
#include "files/json.h"
#include "plots.h"
#include "theorems.h"

/// saccade theory: the papers' theorems, numerically, as a table.

static const cli_flag flags[] = {
    {"json", NULL, "print a list of name, source, title, verdict and statements", false},
    {"svg", "DIR", "draw the plots into this folder as well", false},
    {"list", NULL, "print the names of the theorems alone", false},
    {0},
};

enum
{
    CLAIM = 40,
    PREDICTED = 32,
    MEASURED = 40
};

static const char *const kinds[] = {"printed", "mended", "further"};

// the next piece of a text that fits a column, broken at a blank where there is one; *text moves past it
static int next_piece(const char **text, int width)
{
    const char *begin = *text;
    int length = (int)strlen(begin), cut = length;
    if (length > width)
    {
        cut = width;
        while (cut > 0 && begin[cut] != ' ') cut--;
        if (cut == 0) cut = width;
    }
    *text = begin + cut;
    while (**text == ' ') ++*text;
    return cut;
}

static void print_row(const theory_row *row)
{
    static const int widths[] = {CLAIM, PREDICTED, MEASURED};
    char claim[sizeof row->claim + 16];
    snprintf(claim, sizeof claim, "%s%s",
             row->kind == THEORY_MENDED    ? "mended: "
             : row->kind == THEORY_FURTHER ? "also: "
                                           : "",
             row->claim);
    const char *texts[] = {claim, row->predicted, row->measured};
    for (int line = 0; line == 0 || *texts[0] || *texts[1] || *texts[2]; line++)
    {
        printf("  ");
        for (int i = 0; i < 3; i++)
        {
            const char *begin = texts[i];
            int length = next_piece(&texts[i], widths[i]);
            bool last = i == 2 && line > 0;
            printf("%.*s%*s", length, begin, last ? 0 : widths[i] - length + 2, "");
        }
        puts(line > 0 ? "" : row->holds ? "HOLDS" : "FAILS");
    }
}

static void print_header(void)
{
    printf("  %-*s%-*s%-*s%s\n\n", CLAIM + 2, "claim", PREDICTED + 2, "predicted", MEASURED + 2, "measured", "verdict");
}

static void print_theorem(const theory_theorem *theorem, const theory_report *report)
{
    printf("%s  (%s)  %s\n  %s\n", theorem->name, theorem->source, theory_verdict(report), theorem->title);
    for (int i = 0; i < report->count; i++) print_row(&report->rows[i]);
    puts("");
    fflush(stdout);
}

static json_t *make_json(const theory_theorem *theorem, const theory_report *report)
{
    json_t *list = json_array();
    for (int i = 0; i < report->count; i++)
    {
        const theory_row *row = &report->rows[i];
        json_array_append_new(list,
                              json_pack("{s:s, s:s, s:s, s:s, s:b}", "kind", kinds[row->kind], "claim", row->claim,
                                        "predicted", row->predicted, "measured", row->measured, "holds", row->holds));
    }
    return json_pack("{s:s, s:s, s:s, s:s, s:o}", "name", theorem->name, "source", theorem->source, "title",
                     theorem->title, "verdict", theory_verdict(report), "statements", list);
}

// a theorem by its name, or all of a paper by what stands before the dash; NULL asks for all
static bool is_asked(const char *name, const char *asked)
{
    if (!asked || strcmp(name, asked) == 0) return true;
    size_t length = strlen(asked);
    return strncmp(name, asked, length) == 0 && name[length] == '-' && !strchr(asked, '-');
}

static const char *theorem_name(const void *user, int index)
{
    (void)user;
    return theory_theorems[index].name;
}

static int list_names(void)
{
    for (const theory_theorem *t = theory_theorems; t->name; t++)
        printf("%-22s %-24s %s\n", t->name, t->source, t->title);
    return CLI_OK;
}

// *asked: how many there were; *sound: what saccade says holds
static sac_status check_all(const char *name, json_t *json, int *asked, bool *sound)
{
    for (const theory_theorem *theorem = theory_theorems; theorem->name; theorem++)
    {
        if (!is_asked(theorem->name, name)) continue;
        if (++*asked == 1 && !json) print_header();
        theory_report report = {0};
        sac_status status = theorem->check(&report);
        if (status != SAC_OK) return status;
        *sound = *sound && theory_is_sound(&report);
        if (json)
            json_array_append_new(json, make_json(theorem, &report));
        else
            print_theorem(theorem, &report);
    }
    return SAC_OK;
}

static int run(const cli_args *args)
{
    if (cli_has(args, "list")) return list_names();
    const char *name = cli_positional(args, 0), *folder = cli_value(args, "svg");
    bool sound = true;
    int asked = 0;
    json_t *json = cli_has(args, "json") ? json_array() : NULL;
    sac_status status = check_all(name, json, &asked, &sound);
    if (status == SAC_OK && asked == 0)
    {
        json_decref(json);
        return cli_usage("theory: unknown theorem '%.80s'%s", name,
                         sac_did_you_mean(sac_nearest(name, theorem_name, NULL)));
    }
    if (json && status == SAC_OK)
    {
        json_dumpf(json, stdout, JSON_INDENT(2));
        puts("");
    }
    json_decref(json);
    if (status == SAC_OK && folder) status = theory_draw_plots(folder);
    if (status != SAC_OK) return cli_fail(status);
    return sound ? CLI_OK : CLI_FAILURE;
}

const cli_command cli_theory = {
    "theory", "[THEOREM]", "the papers' theorems checked numerically: claim, predicted, measured, verdict", flags, run};
