#define _GNU_SOURCE
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "peer.h"

enum
{
    MISSING = 3,
    MAX_WORDS = 12,
    ANSWER = 1 << 20
};

// Find the Python that has the peers: SACCADE_PEERS, or else .venv.
static const char *python(void)
{
    const char *path = getenv("SACCADE_PEERS");
    if (!path || !*path) path = ".venv/bin/python";
    return access(path, X_OK) == 0 ? path : NULL;
}

// Split "agent.py jax %p %f" into words for execv, after the interpreter. The words live in `text` and in `seeds`.
static void split(const char *command, const bench_place *place, const char *interpreter, char *text, size_t size,
                  char seeds[48], const char *words[MAX_WORDS])
{
    int count = 0;
    snprintf(seeds, 48, "%llu..%llu", (unsigned long long)place->first_seed, (unsigned long long)place->last_seed);
    words[count++] = interpreter;
    snprintf(text, size, "bench/peers/%s", command);
    for (char *word = strtok(text, " "); word && count < MAX_WORDS - 1; word = strtok(NULL, " "))
        words[count++] = strcmp(word, "%p") == 0   ? place->parameters_path
                         : strcmp(word, "%f") == 0 ? place->frames_path
                         : strcmp(word, "%d") == 0 ? place->folder
                         : strcmp(word, "%s") == 0 ? seeds
                                                   : word;
    words[count] = NULL;
}

// standard output of a program; the child keeps this process's core. @return its exit code, -1 when it did not run
static int run(const char *const *words, bool verbose, char *answer, size_t size)
{
    int ends[2];
    if (pipe(ends) != 0) return -1;
    pid_t child = fork();
    if (child < 0)
    {
        close(ends[0]), close(ends[1]);
        return -1;
    }
    if (child == 0)
    {
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]), close(ends[1]);
        // Let frameworks keep the memory that they free; without this PyTorch is three times slower in some runs.
        setenv("MALLOC_TRIM_THRESHOLD_", "8589934592", 1);
        setenv("MALLOC_MMAP_THRESHOLD_", "8589934592", 1);
        setenv("PYTHONWARNINGS", "ignore", 1);
        if (!freopen("/dev/null", "r", stdin)) _exit(127);
        if (!verbose && !freopen("/dev/null", "w", stderr)) _exit(127);
        execv(words[0], (char *const *)words);
        _exit(127);
    }
    close(ends[1]);
    size_t filled = 0;
    ssize_t got;
    while (filled < size - 1 && (got = read(ends[0], answer + filled, size - 1 - filled)) > 0) filled += (size_t)got;
    answer[filled] = 0;
    close(ends[0]);
    int status;
    if (waitpid(child, &status, 0) != child) return -1;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

// Compare what the peer looked at on each frame with saccade's exact agent.
static void compare_top(const json_t *top, const bench_place *place, bench_peer *peer)
{
    sac_policy_state *state;
    if (!json_is_array(top) || sac_policy_state_create(&state, place->softmax) != SAC_OK) return;
    for (size_t i = 0; i < json_array_size(top) && i < BENCH_FRAMES; i++)
    {
        float action[3];
        sac_gaze gaze;
        sac_policy_act(state, place->frames + i * BENCH_FRAME_BYTES, action);
        sac_policy_gaze(state, &gaze);
        const json_t *one = json_array_get(top, i);
        bool same = json_array_size(one) == (size_t)gaze.kept;
        for (int k = 0; same && k < gaze.kept; k++)
            same = json_integer_value(json_array_get(one, (size_t)k)) == gaze.top[k];
        peer->agreed += same;
        peer->compared++;
    }
    sac_policy_state_destroy(state);
}

const char *bench_peers_missing(void)
{
    if (access("bench/peers/common.py", R_OK) != 0) return "bench/peers is not here: the root of the repository has it";
    return python() ? NULL : "there is no Python that has them ('make peers', or SACCADE_PEERS)";
}

json_t *bench_peer_answer(const char *command, const bench_place *place)
{
    const char *interpreter = python();
    if (!command || bench_peers_missing()) return NULL;

    char text[256], seeds[48];
    const char *words[MAX_WORDS];
    split(command, place, interpreter, text, sizeof text, seeds, words);
    char *answer = malloc(ANSWER);
    int code = answer ? run(words, place->verbose, answer, ANSWER) : -1;
    json_t *json = code == 0 ? json_loads(answer, 0, NULL) : NULL;
    free(answer);
    bool good = json_is_string(json_object_get(json, "peer")) && json_is_number(json_object_get(json, "value"));
    if (good) return json;
    if (code != MISSING)
        fprintf(stderr, "saccade: bench: %s: the peer failed%s\n", command,
                place->verbose ? "" : " (--verbose shows why)");
    json_decref(json);
    return NULL;
}

bool bench_ask_peer(const bench_row *row, const bench_place *place, bench_peer *peer)
{
    *peer = (bench_peer){0};
    json_t *json = bench_peer_answer(row->peer, place);
    if (!json) return false;
    snprintf(peer->name, sizeof peer->name, "%s", json_string_value(json_object_get(json, "peer")));
    peer->value = json_number_value(json_object_get(json, "value"));
    peer->p50 = json_number_value(json_object_get(json, "p50"));
    peer->p99 = json_number_value(json_object_get(json, "p99"));
    peer->low = json_number_value(json_object_get(json, "low"));
    peer->high = json_number_value(json_object_get(json, "high"));
    compare_top(json_object_get(json, "top"), place, peer);
    json_decref(json);
    return true;
}
