#pragma once

#include "saccade/env.h"
#include "saccade/policy.h"

/// What saccade bench measures: each row is one figure, beside the peer that a person would use instead.
///
/// A row's function measures saccade. The peer is a script in bench/peers that measures the same work in the same run,
/// on the same core and with one thread. Both report the best of several runs, because the least disturbed run is
/// nearest to the truth.

/// What rows share; it is made once, before the first row.
typedef struct bench_place
{
    sac_policy *softmax, *relu;     ///< the published agent, exact and linear, with the same parameters
    uint8_t *frames;                ///< [BENCH_FRAMES, 96, 96, 3] of a drive
    char folder[64];                ///< temporary: holds the files below
    char parameters_path[96];       ///< the parameters, raw float32
    char frames_path[96];           ///< the frames, raw
    int core;                       ///< that everything with one thread runs on
    uint64_t first_seed, last_seed; ///< of the rows that train or search
    const char *task;               ///< of the rows that train; not owned
    const struct bench_row *row;    ///< the one that is being measured
    bool verbose;                   ///< peers may write to standard error
} bench_place;

enum
{
    BENCH_FRAMES = 16,
    BENCH_FRAME_BYTES = 96 * 96 * 3
};

/// One figure over several runs. Starts as zeros.
typedef struct bench_figure
{
    double value; ///< the best
    double worst;
    int runs;
    double p50, p99;     ///< of single calls, where those are what is timed; else 0
    double low, high;    ///< 95 % interval of a median over seeds; else 0
    double paired;       ///< median over runs of this time over that of the row's own peer in the same run; else 0
    double article_less; ///< share of time that an article saves in the same way; else 0
    const char *article; ///< which it is
} bench_figure;

/// One row.
typedef struct bench_row
{
    const char *name;
    const char *unit; ///< "steps/s" is better when larger, a time when smaller
    const char *peer; ///< the peer's script and its arguments; "%p" and "%f": the files of parameters and frames, "%d":
                      ///< the folder, "%s": the seeds; NULL: none. A row that is its own comparison says its name
    bool named_only;  ///< runs only when asked for by name: it takes minutes
    const char *summary;
    /// Fill the figure. A row that is its own comparison also fills `own_peer`, which others leave as it is.
    sac_status (*measure)(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
} bench_row;

/// Every row in order; a NULL name at the end.
extern const bench_row bench_rows[];

/// The answer of a peer.
typedef struct bench_peer
{
    char name[64];
    double value, p50, p99, low, high;
    int agreed, compared; ///< frames on which it looked at the same patches, of those that it reported
} bench_peer;

/// Make what the rows share. `policy_path` names a car-racing policy; NULL: freshly drawn parameters.
sac_status bench_place_create(bench_place *place, const char *policy_path);
void bench_place_destroy(bench_place *place);

/// Make the policy of a blank one's shape with parameters that are drawn from seed 1.
/// @param blank  destroyed
sac_status bench_draw_policy(sac_policy **out, sac_policy *blank);

/// Run on one core from now on, or on all cores again.
void bench_pin(const bench_place *place, bool one_core);

/// Run a row's peer. @return false when it is not installed (quietly) or failed (with a line on standard error)
bool bench_ask_peer(const bench_row *row, const bench_place *place, bench_peer *peer);

/// Why no peer can be asked at all, or NULL.
const char *bench_peers_missing(void);

/// A world that is driven without a policy.
typedef struct bench_drive
{
    const sac_env_def *env;
    int runs, steps;
    void (*act)(int step, float *action); ///< the peer's actions
} bench_drive;

/// Step `count` of them in lockstep, 1..16, with the picture that is the world's first part; only steps are timed.
sac_status bench_measure_drive(const bench_drive *drive, int count, bench_figure *figure);

/// The car's actions in all rows without a policy, as bench/peers/env.py has them.
void bench_steer(int step, float action[3]);

/// |x|^2, what searches minimise.
double bench_sphere(const float *x, int n);

/// Add the value of one more run.
void bench_keep(bench_figure *figure, double value, bool larger_is_better);

sac_status bench_env(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_env_lockstep(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_agent_softmax(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_agent_relu(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_act_batch(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_act_tokens(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_rollout_softmax(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_rollout_relu(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_parts_softmax(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_parts_relu(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_threads(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_search(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_evaluations(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_tokens(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_frame(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_gemm(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_lstm(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_student(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_net(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
/// A row whose name begins with that of one of these: by two threads beside one.
sac_status bench_net_threads(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_vit(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_ppo(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_control(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_take_cover(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_take_cover_workers(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_legs(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_legs_agent(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_rooms(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_rooms_act(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_stance(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_train_800(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_train_850(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_train_900(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_grasp(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_grasp_episode(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_cloud(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
sac_status bench_teach_900(const bench_place *place, bench_figure *figure, bench_figure *own_peer);
