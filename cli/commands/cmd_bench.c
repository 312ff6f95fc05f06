#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"
#include "bench.h"
#include "cli.h"
#include "curves/attention.h"
#include "landed.h"
#include "vision/vision.h"

static const cli_flag flags[] = {
    {"json", NULL,
     "print a list of name, value, unit, peer, peer_value, ratio (how many times as fast; of 'act-tokens-*' the median "
     "of paired runs, as less_time is); not for 'attention'",
     false},
    {"policy", "FILE", "the car-racing policy whose parameters drive (default: the zoo's, else a fresh one)", false},
    {"seeds", "A..B", "seeds of the rows that train or search (default 1)", false},
    {"task", "FILE", "of the rows that train (default tasks/car-racing-pairs.yaml)", false},
    {"tokens", "A..B", "for 'attention': token counts from A to B (default 64..65536)", false},
    {"pixels", "A..B", "for 'vision': pictures of sides from A to B (default 224..1344)", false},
    {"form", "NAME", "for 'attention' and 'vision': this form alone", false},
    {"svg", "DIR", "for 'attention': write the table, its curves and the papers' figures into this folder", false},
    {"list", NULL, "print the names of the rows and what each measures, and measure nothing", false},
    {"verbose", NULL, "also show what peers write to standard error, and how long kinds of nodes of a net take", false},
    {"land", NULL, "write the figures to bench/results/<processor>/", false},
    {0},
};

enum
{
    MOST = 256
};

static bool larger_is_better(const char *unit)
{
    return strchr(unit, '/') != NULL;
}

static double ratio(const bench_result *r)
{
    if (r->figure.paired > 0) return 1 / r->figure.paired; // which is of times
    return larger_is_better(r->unit) ? r->figure.value / r->peer_value : r->peer_value / r->figure.value;
}

// peers write a target that was not reached as 1e300: JSON has no infinity
static double reached(double value)
{
    return value < 1e300 ? value : INFINITY;
}

// every word that may stand in the place of NAME: the rows, then the two that sweep over sizes
static const char *name_at(const void *user, int index)
{
    (void)user;
    static const char *const sweeps[] = {"attention", "vision", NULL};
    int rows = 0;
    while (rows < index && bench_rows[rows].name) rows++;
    return bench_rows[rows].name ? bench_rows[rows].name : sweeps[index - rows];
}

static sac_status measure(const bench_row *row, const bench_place *place, bench_result *r)
{
    *r = (bench_result){0};
    snprintf(r->name, sizeof r->name, "%s", row->name);
    snprintf(r->unit, sizeof r->unit, "%s", row->unit);
    bench_figure own_peer = {0};
    sac_status status = row->measure(place, &r->figure, &own_peer);
    if (status != SAC_OK) return status;
    bench_peer peer;
    if (own_peer.value > 0)
    {
        snprintf(r->peer, sizeof r->peer, "%s", row->peer ? row->peer : "one thread");
        r->peer_value = own_peer.value;
    }
    else if (bench_ask_peer(row, place, &peer))
    {
        // once more after the peer, so that a machine that slowed down meanwhile slows both; a count stays what it is
        if (r->figure.low == 0) status = row->measure(place, &r->figure, &own_peer);
        memcpy(r->peer, peer.name, sizeof r->peer);
        r->peer_value = reached(peer.value);
        r->peer_p50 = peer.p50;
        r->peer_p99 = peer.p99;
        r->peer_low = reached(peer.low);
        r->peer_high = reached(peer.high);
        if (peer.agreed < peer.compared)
            fprintf(stderr, "%s: looked at the same patches on %d of %d frames\n", peer.name, peer.agreed,
                    peer.compared);
    }
    return status;
}

// a median over seeds with its interval, and the peer's
static void print_median(const bench_result *r)
{
    printf("%-34s %9.0f %-5s [%.0f, %.0f]", r->name, r->figure.value, r->unit, r->figure.low, r->figure.high);
    if (r->peer[0] && isfinite(r->peer_value))
        printf("  %5.2f x %s: %.0f [%.0f, %.0f]", ratio(r), r->peer, r->peer_value, r->peer_low, r->peer_high);
    else if (r->peer[0])
        printf("  %s: not reached", r->peer);
    puts("");
    fflush(stdout);
}

static void print_row(const bench_result *r, const bench_result *landed, int landed_count)
{
    if (!isfinite(r->figure.value))
    {
        printf("%-28s not reached\n", r->name);
        return;
    }
    if (r->figure.low > 0)
    {
        print_median(r);
        return;
    }
    double spread = larger_is_better(r->unit) ? r->figure.value / r->figure.worst : r->figure.worst / r->figure.value;
    printf("%-28s %10.4g %-8s +%3.0f %%", r->name, r->figure.value, r->unit, 100 * (spread - 1));
    if (r->figure.p50 > 0) printf("  p50 %.4g, p99 %.4g", r->figure.p50, r->figure.p99);
    if (r->peer[0]) printf("  %6.1f x %s (%.4g", ratio(r), r->peer, r->peer_value);
    if (r->peer[0] && r->peer_p50 > 0) printf("; p50 %.4g, p99 %.4g", r->peer_p50, r->peer_p99);
    if (r->peer[0]) printf(")");
    if (r->figure.article)
        printf("; %.0f %% less time, %s %.0f %%", 100 * (1 - r->figure.paired), r->figure.article,
               100 * r->figure.article_less);
    for (int i = 0; i < landed_count; i++)
        if (strcmp(landed[i].name, r->name) == 0)
            printf("  landed %.4g, now %.2f x", landed[i].figure.value,
                   larger_is_better(r->unit) ? r->figure.value / landed[i].figure.value
                                             : landed[i].figure.value / r->figure.value);
    puts("");
    fflush(stdout);
}

// null for a target that was not reached
static json_t *number(double value)
{
    return isfinite(value) ? json_real(value) : json_null();
}

static void print_json(const bench_result *results, int count)
{
    json_t *list = json_array();
    for (int i = 0; i < count; i++)
    {
        const bench_result *r = &results[i];
        json_t *row = json_pack("{s:s, s:o, s:s}", "name", r->name, "value", number(r->figure.value), "unit", r->unit);
        bool peer = r->peer[0];
        json_object_set_new(row, "peer", peer ? json_string(r->peer) : json_null());
        json_object_set_new(row, "peer_value", peer ? number(r->peer_value) : json_null());
        json_object_set_new(row, "ratio", peer ? number(ratio(r)) : json_null());
        if (r->figure.p50 > 0)
        {
            json_object_set_new(row, "p50", number(r->figure.p50));
            json_object_set_new(row, "p99", number(r->figure.p99));
        }
        if (r->figure.article)
        {
            json_object_set_new(row, "less_time", number(1 - r->figure.paired));
            json_object_set_new(row, "article", json_string(r->figure.article));
            json_object_set_new(row, "article_less_time", number(r->figure.article_less));
        }
        if (r->figure.low > 0)
        {
            json_object_set_new(row, "low", number(r->figure.low));
            json_object_set_new(row, "high", number(r->figure.high));
        }
        json_array_append_new(list, row);
    }
    json_dumpf(list, stdout, JSON_INDENT(2) | JSON_REAL_PRECISION(6));
    puts("");
    json_decref(list);
}

// Tells whether a name is that of the row, or the words with which the row's name begins ("evals-sphere"). Where a row
// has the whole name, it is the only one.
static bool is_named(const bench_row *row, const char *name)
{
    for (const bench_row *other = bench_rows; other->name; other++)
        if (strcmp(other->name, name) == 0) return row == other;
    size_t length = strlen(name);
    return strncmp(row->name, name, length) == 0 && row->name[length] == '-';
}

static sac_status measure_all(const cli_args *args, bench_place *place, bench_result *results, int *count)
{
    const char *name = cli_positional(args, 0);
    bench_result landed[MOST];
    int landed_count = bench_read_landed(landed, MOST);
    *count = 0;
    for (const bench_row *row = bench_rows; row->name; row++)
    {
        if (name ? !is_named(row, name) : row->named_only) continue;
        place->row = row;
        sac_status status = measure(row, place, &results[*count]);
        if (status != SAC_OK) return status;
        if (!cli_has(args, "json")) print_row(&results[*count], landed, landed_count);
        ++*count;
    }
    return SAC_OK;
}

// What is given and means nothing there is refused, rather than measuring for an hour without it. @return an exit code
static int check_flags(const cli_args *args, const char *what, const char *const *known)
{
    for (const cli_flag *flag = flags; flag->name; flag++)
    {
        int i = 0;
        while (known[i] && strcmp(known[i], flag->name) != 0) i++;
        if (!known[i] && cli_has(args, flag->name)) return cli_usage("bench: --%s is not for %s", flag->name, what);
    }
    return CLI_OK;
}

static void say_missing_peers(void)
{
    const char *why = bench_peers_missing();
    if (why) fprintf(stderr, "saccade: bench: without peers: %s\n", why);
}

static const char *form_name(const void *user, int index)
{
    (void)user;
    return bench_forms[index].name;
}

static int run_attention(const cli_args *args)
{
    static const char *const allowed[] = {"tokens", "form", "svg", "verbose", "land", NULL};
    if (check_flags(args, "'attention'", allowed) != CLI_OK) return CLI_USAGE;
    bool ok = true;
    uint64_t first, last;
    cli_range(args, "tokens", "64..65536", &first, &last, &ok);
    if (!ok) return CLI_USAGE;
    const char *form = cli_value(args, "form");
    if (form && !bench_form_named(form))
        return cli_usage("bench: unknown form '%.80s'%s", form, sac_expected(form, form_name, NULL));
    const int *size = bench_sizes;
    while (*size && ((uint64_t)*size < first || (uint64_t)*size > last)) size++;
    if (!*size)
        return cli_usage("bench: --tokens %s holds no power of two from 64 to 65536", cli_value(args, "tokens"));

    bench_place place;
    bench_points points = {0};
    say_missing_peers();
    sac_status status = bench_place_create(&place, NULL);
    place.verbose = cli_has(args, "verbose");
    bench_pin(&place, true);
    if (status == SAC_OK) status = bench_sweep(&place, form, (int)first, (int)last, &points);
    if (status == SAC_OK && cli_value(args, "svg")) status = bench_draw(&points, cli_value(args, "svg"));
    if (status == SAC_OK && cli_has(args, "land")) status = bench_land_points(&points);
    bench_points_destroy(&points);
    bench_place_destroy(&place);
    return status == SAC_OK ? CLI_OK : cli_fail(status);
}

static const char *vision_form_name(const void *user, int index)
{
    (void)user;
    return bench_vision_forms[index];
}

static int run_vision(const cli_args *args)
{
    static const char *const allowed[] = {"json", "pixels", "form", "verbose", "land", NULL};
    if (check_flags(args, "'vision'", allowed) != CLI_OK) return CLI_USAGE;
    bool ok = true;
    uint64_t first, last;
    cli_range(args, "pixels", "224..1344", &first, &last, &ok);
    if (!ok) return CLI_USAGE;
    const char *form = cli_value(args, "form");
    int known = 0;
    while (form && bench_vision_forms[known] && strcmp(bench_vision_forms[known], form) != 0) known++;
    if (!bench_vision_forms[known])
        return cli_usage("bench: unknown form '%.80s'%s", form, sac_expected(form, vision_form_name, NULL));
    const int *side = bench_vision_sides;
    while (*side && ((uint64_t)*side < first || (uint64_t)*side > last)) side++;
    if (!*side)
        return cli_usage("bench: --pixels %s holds none of 224, 448, 672, 896, 1344", cli_value(args, "pixels"));

    static bench_looks looks;
    say_missing_peers();
    bench_place place;
    sac_status status = bench_place_create(&place, NULL);
    place.verbose = cli_has(args, "verbose");
    bench_pin(&place, true);
    if (status == SAC_OK) status = bench_vision_sweep(&place, form, (int)first, (int)last, &looks);
    if (status == SAC_OK && cli_has(args, "json"))
        bench_vision_print_json(&looks);
    else if (status == SAC_OK)
        bench_vision_print(&looks);
    if (status == SAC_OK && cli_has(args, "land")) status = bench_vision_land(&looks);
    bench_place_destroy(&place);
    return status == SAC_OK ? CLI_OK : cli_fail(status);
}

// Those that begin with the name, or all; a star marks those that run only when they are asked for.
static int list_rows(const char *name)
{
    for (const bench_row *row = bench_rows; row->name; row++)
        if (!name || is_named(row, name))
            printf("%-30s %-8s %s%s\n", row->name, row->unit, row->summary, row->named_only ? " *" : "");
    if (!name)
        printf("%-30s %-8s every form of attention at every number of tokens\n"
               "%-30s %-8s vision transformers at every size of a picture\n"
               "a row with a star takes minutes and runs only when it is asked for\n",
               "attention", "", "vision", "");
    return CLI_OK;
}

static int run(const cli_args *args)
{
    const char *name = cli_positional(args, 0), *policy = cli_value(args, "policy"), *task = cli_value(args, "task");
    if (name && strcmp(name, "attention") == 0) return run_attention(args);
    if (name && strcmp(name, "vision") == 0) return run_vision(args);
    const bench_row *row = bench_rows;
    while (name && row->name && !is_named(row, name)) row++;
    if (!row->name)
        return cli_usage("bench: unknown row '%.80s'%s (--list names them)", name,
                         sac_did_you_mean(sac_nearest(name, name_at, NULL)));
    if (cli_has(args, "list")) return list_rows(name);

    static const char *const allowed[] = {"json", "policy", "seeds", "task", "verbose", "land", NULL};
    if (check_flags(args, "rows, but for 'attention' or 'vision'", allowed) != CLI_OK) return CLI_USAGE;
    bool ok = true;
    uint64_t first, last;
    cli_range(args, "seeds", "1", &first, &last, &ok);
    if (!ok) return CLI_USAGE;
    static const char shipped[] = "zoo/car-racing/softmax.safetensors";
    if (!policy && access(shipped, R_OK) == 0) policy = shipped;

    bench_place place;
    bench_result results[MOST];
    int count = 0;
    say_missing_peers();
    sac_status status = bench_place_create(&place, policy);
    place.first_seed = first, place.last_seed = last;
    place.verbose = cli_has(args, "verbose");
    place.task = task ? task : "tasks/car-racing-pairs.yaml";
    bench_pin(&place, true);
    if (status == SAC_OK) status = measure_all(args, &place, results, &count);
    if (status == SAC_OK && cli_has(args, "json")) print_json(results, count);
    if (status == SAC_OK && cli_has(args, "land"))
        status = count > 0 && results[0].figure.low > 0 ? bench_land_evals(results, count) : bench_land(results, count);
    bench_place_destroy(&place);
    return status == SAC_OK ? CLI_OK : cli_fail(status);
}

const cli_command cli_bench = {"bench", "[NAME]",
                               "every figure, those whose names begin with the words NAME, or 'attention' or 'vision' "
                               "at every size, beside its peer",
                               flags, run};
