/* analyze_json.c - `pith analyze --json`: one object with stable keys. Times are integers in ns. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/hybrid_model.h"
#include "base/error.h"
#include "base/out.h"
#include "tools/analyze.h"

struct json {
    struct pithi_out out;
    const struct pithi_findings *f;
    int is_first; /* no member of the object or array so far */
};

static void comma(struct json *j)
{
    if (!j->is_first)
        pithi_out_char(&j->out, ',');
    j->is_first = 0;
}

static void key(struct json *j, const char *name)
{
    comma(j);
    pithi_out_quoted(&j->out, PITHI_QUOTE_JSON, name);
    pithi_out_char(&j->out, ':');
}

static void put_text(struct json *j, const char *name, const char *text)
{
    key(j, name);
    pithi_out_quoted(&j->out, PITHI_QUOTE_JSON, text);
}

static void put_integer(struct json *j, const char *name, int64_t value)
{
    key(j, name);
    pithi_out_i64(&j->out, value);
}

static void put_number(struct json *j, const char *name, double value)
{
    key(j, name);
    pithi_out_double(&j->out, value);
}

static void put_null(struct json *j, const char *name)
{
    key(j, name);
    pithi_out_text(&j->out, "null");
}

/* In an array. */
static void put_item(struct json *j, int64_t value)
{
    comma(j);
    pithi_out_i64(&j->out, value);
}

/* name: NULL in an array. */
static void begin(struct json *j, const char *name, char bracket)
{
    if (name)
        key(j, name);
    else
        comma(j);
    pithi_out_char(&j->out, bracket);
    j->is_first = 1;
}

static void end(struct json *j, char bracket)
{
    pithi_out_char(&j->out, bracket);
    j->is_first = 0;
}

static void put_lane(struct json *j, uint32_t lane)
{
    put_integer(j, "lane", lane);
    put_integer(j, "rank", pithlog_get_lane(j->f->log, lane)->rank);
}

static void put_efficiencies(struct json *j)
{
    const struct pithlog_analysis_info *info = j->f->info;

    begin(j, "efficiencies", '{');
    put_number(j, "parallel", info->parallel);
    put_number(j, "load_balance", info->load_balance);
    put_number(j, "communication", info->communication);
    put_number(j, "serialisation", info->serialisation);
    put_number(j, "transfer", info->transfer);
    put_integer(j, "ideal_ns", llround(info->ideal_ns));
    end(j, '}');
}

static void put_hybrid(struct json *j)
{
    struct pithlog_efficiency all[PITHLOG_HYBRID];

    if (!pithlog_analysis_hybrid(j->f->analysis, all))
        return;
    put_number(j, "all_threads", all[0].value);
    begin(j, "hybrid", '{');
    put_number(j, "mpi", all[1].value);
    put_number(j, "threads", all[2].value);
    put_number(j, "threads_load_balance", all[3].value);
    put_number(j, "threads_communication", all[4].value);
    begin(j, "omp_wait_ns", '[');
    for (uint32_t lane = 0; lane < pithlog_get_info(j->f->log)->lanes; lane++)
        put_item(j, pithi_thread_wait_ns(j->f->analysis, lane));
    end(j, ']');
    end(j, '}');
}

static void put_trust(struct json *j)
{
    const struct pithi_trust *trust = &j->f->trust;

    begin(j, "trust", '{');
    put_integer(j, "messages", (int64_t)trust->of_messages);
    put_integer(j, "messages_matched", (int64_t)trust->messages);
    put_integer(j, "collective_calls", (int64_t)trust->of_collectives);
    put_integer(j, "collective_calls_matched", (int64_t)trust->collectives);
    put_integer(j, "unknown_ns", llround(trust->unknown_ns));
    put_integer(j, "path_unknown_ns", llround(trust->path_unknown_ns));
    put_integer(j, "replay_ns", llround(trust->replay_ns));
    begin(j, "worst", '[');
    for (uint32_t i = 0; i < trust->worst_count; i++) {
        begin(j, NULL, '{');
        put_text(j, "state", pithi_state_text(j->f->log, trust->worst[i].state));
        put_integer(j, "calls", (int64_t)trust->worst[i].calls);
        put_integer(j, "log_ns", llround(trust->worst[i].log_ns));
        put_integer(j, "replay_ns", llround(trust->worst[i].replay_ns));
        end(j, '}');
    }
    end(j, ']');
    end(j, '}');
}

static void put_groups(struct json *j)
{
    begin(j, "waits", '[');
    for (uint32_t kind = 1; kind < PITHLOG_WAIT_KINDS; kind++)
        for (uint32_t state = 0; state < pithlog_get_info(j->f->log)->defs; state++) {
            const struct pithi_wait_group *group = &j->f->groups[kind];
            if (!group->state_counts[state])
                continue;
            begin(j, NULL, '{');
            put_text(j, "kind", pithlog_wait_kind_name(kind));
            put_text(j, "state", pithi_state_text(j->f->log, state));
            put_integer(j, "ns", group->of_state[state]);
            put_integer(j, "instances", (int64_t)group->state_counts[state]);
            end(j, '}');
        }
    end(j, ']');
}

/* The members are always there: null says that the answer has no such thing. */
static void put_answer(struct json *j)
{
    const struct pithlog_answer *answer = j->f->answer;
    const struct pithlog *log = j->f->log;
    char *command = answer->ns > 0 ? pithi_findings_command(j->f, &answer->place) : NULL;

    begin(j, "answer", '{');
    put_text(j, "text", answer->text);
    put_text(j, "kind", answer->kind);
    put_integer(j, "ns", llround(answer->ns));
    put_number(j, "share", answer->share);
    if (answer->lane != UINT32_MAX)
        put_integer(j, "rank", pithlog_get_lane(log, answer->lane)->rank);
    else
        put_null(j, "rank");
    if (answer->state)
        put_text(j, "state", answer->state);
    else
        put_null(j, "state");
    if (answer->other != UINT32_MAX)
        put_integer(j, "other", pithlog_get_lane(log, answer->other)->rank);
    else
        put_null(j, "other");
    if (answer->last_iteration) {
        begin(j, "iterations", '[');
        put_item(j, (int64_t)answer->first_iteration);
        put_item(j, (int64_t)answer->last_iteration);
        end(j, ']');
    } else
        put_null(j, "iterations");
    if (j->f->answer_site)
        put_text(j, "longest", j->f->answer_site);
    if (command)
        put_text(j, "command", command);
    free(command);
    end(j, '}');
}

static void put_findings(struct json *j)
{
    size_t first, last;

    begin(j, "findings", '[');
    for (uint32_t i = 0; i < j->f->count; i++) {
        const struct pithlog_finding *finding = &j->f->list[i];
        char *command = pithi_findings_command(j->f, &finding->place);
        begin(j, NULL, '{');
        put_text(j, "name", finding->name);
        put_number(j, "ns", finding->ns);
        put_number(j, "percent", 100 * finding->share);
        if (finding->part_of)
            put_integer(j, "part_of", finding->part_of - 1);
        put_text(j, "text", finding->text);
        if (finding->place.lane != UINT32_MAX)
            put_lane(j, finding->place.lane);
        if (finding->place.other != UINT32_MAX)
            put_integer(j, "other_lane", finding->place.other);
        put_integer(j, "from_ns", finding->place.from_ns);
        put_integer(j, "to_ns", finding->place.to_ns);
        if (j->f->functions[i])
            put_text(j, "function", j->f->functions[i]);
        if (j->f->sites[i])
            put_text(j, "longest", j->f->sites[i]);
        if (pithi_finding_iterations(j->f->analysis, finding, &first, &last) > 0) {
            put_integer(j, "first_iteration", (int64_t)first + 1);
            put_integer(j, "last_iteration", (int64_t)last + 1);
        }
        if (command)
            put_text(j, "command", command);
        free(command);
        end(j, '}');
    }
    end(j, ']');
}

static void put_delays(struct json *j)
{
    const struct pithlog_delay *delays;
    size_t count = pithlog_analysis_delays(j->f->analysis, &delays);

    begin(j, "delays", '[');
    for (size_t i = 0; i < count; i++) {
        begin(j, NULL, '{');
        put_lane(j, delays[i].lane);
        put_text(j, "state", pithi_state_text(j->f->log, delays[i].state));
        put_text(j, "causes", pithlog_wait_kind_name(delays[i].kind));
        put_number(j, "direct_ns", delays[i].direct_ns);
        put_number(j, "indirect_ns", delays[i].indirect_ns);
        end(j, '}');
    }
    end(j, ']');
}

static void put_path(struct json *j)
{
    const struct pithlog_path_share *shares;
    size_t count = pithlog_analysis_path_shares(j->f->analysis, &shares);
    const struct pithlog_info *info = pithlog_get_info(j->f->log);

    begin(j, "critical_path", '{');
    put_integer(j, "ns", j->f->info->to_ns - j->f->info->from_ns);
    begin(j, "profile", '[');
    for (size_t i = 0; i < count; i++) {
        begin(j, NULL, '{');
        put_lane(j, shares[i].lane);
        put_text(j, "state", pithi_state_text(j->f->log, shares[i].state));
        put_integer(j, "ns", shares[i].ns);
        end(j, '}');
    }
    end(j, ']');
    begin(j, "states", '[');
    for (uint32_t k = 0; k <= info->defs; k++) {
        uint32_t state = k == info->defs ? PITHLOG_COMPUTING : k;
        int64_t ns = 0;
        for (size_t i = 0; i < count; i++)
            ns += shares[i].state == state ? shares[i].ns : 0;
        if (ns == 0)
            continue;
        begin(j, NULL, '{');
        put_text(j, "state", pithi_state_text(j->f->log, state));
        put_integer(j, "ns", ns);
        put_number(j, "imbalance_ns", pithi_path_imbalance(j->f->analysis, state, (double)ns));
        end(j, '}');
    }
    end(j, ']');
    end(j, '}');
}

static void put_waits(struct json *j)
{
    const struct pithlog_wait_state *waits;

    begin(j, "wait_states", '[');
    for (uint32_t lane = 0; lane < pithlog_get_info(j->f->log)->lanes; lane++) {
        size_t count = pithlog_analysis_waits(j->f->analysis, lane, &waits);
        for (size_t i = 0; i < count; i++) {
            begin(j, NULL, '{');
            put_text(j, "kind", pithlog_wait_kind_name(waits[i].kind));
            put_text(j, "state", pithi_state_text(j->f->log, waits[i].state));
            put_lane(j, lane);
            put_integer(j, "from_ns", waits[i].from_ns);
            put_integer(j, "to_ns", waits[i].to_ns);
            put_integer(j, "cause_lane", waits[i].cause_lane);
            put_integer(j, "release_ns", waits[i].release_ns);
            if (waits[i].order != PITHLOG_IN_ORDER)
                put_text(j, "wrong_order",
                         waits[i].order == PITHLOG_WRONG_ORDER_SAME_SOURCE ? "same source" : "other source");
            put_number(j, "handed_ns", waits[i].handed_ns);
            end(j, '}');
        }
    }
    end(j, ']');
}

static void put_iterations(struct json *j)
{
    const struct pithlog_iterations *all = j->f->iterations;

    begin(j, "iterations", '{');
    put_integer(j, "count", (int64_t)all->count);
    if (all->count) {
        put_text(j, "found_by", pithi_state_text(j->f->log, all->state));
        put_lane(j, all->lane);
        put_integer(j, "from_ns", all->all[0].from_ns);
        put_integer(j, "to_ns", all->all[all->count - 1].to_ns);
        put_number(j, "mean_ns", all->mean_ns);
        put_integer(j, "median_ns", all->median_ns);
        put_integer(j, "min_ns", all->min_ns);
        put_integer(j, "max_ns", all->max_ns);
        put_number(j, "drift_ns_per_iteration", all->drift_ns);
        put_integer(j, "slow_count", (int64_t)all->slow_count);
    }
    begin(j, "slow", '[');
    for (size_t i = 0; i < all->slow_count && i < PITHLOG_SLOW_MOST; i++) {
        const struct pithlog_slow_iteration *slow = &all->slow[i];
        begin(j, NULL, '{');
        put_integer(j, "index", slow->index + (int64_t)1);
        put_integer(j, "from_ns", all->all[slow->index].from_ns);
        put_integer(j, "to_ns", all->all[slow->index].to_ns);
        put_integer(j, "excess_ns", slow->excess_ns);
        put_text(j, "state",
                 slow->kind ? pithlog_wait_kind_name(slow->kind) : pithi_state_text(j->f->log, slow->state));
        put_integer(j, "difference_ns", slow->difference_ns);
        put_lane(j, slow->lane);
        end(j, '}');
    }
    end(j, ']');
    end(j, '}');
}

static void put_sent(struct json *j, const char *name, const struct pithi_rank_traffic *sent)
{
    begin(j, name, '{');
    if (sent->from >= 0)
        put_integer(j, "from", sent->from);
    if (sent->to >= 0)
        put_integer(j, "to", sent->to);
    put_integer(j, "messages", (int64_t)sent->messages);
    put_integer(j, "bytes", llround(sent->bytes));
}

static void put_sizes(struct json *j, const char *name, const struct pithi_send_sizes *sizes)
{
    begin(j, name, '{');
    put_integer(j, "least_bytes", sizes->least);
    put_integer(j, "most_bytes", sizes->most);
    put_integer(j, "calls", (int64_t)sizes->calls);
    put_integer(j, "waited", (int64_t)sizes->waited);
    end(j, '}');
}

static void put_overlap(struct json *j, const char *name, const struct pithi_overlap *of)
{
    begin(j, name, '{');
    if (of->rank >= 0)
        put_integer(j, "rank", of->rank);
    put_integer(j, "messages", (int64_t)of->messages);
    put_integer(j, "ns", of->ns);
    put_integer(j, "computing_ns", of->computing_ns);
    put_integer(j, "waiting_ns", of->waiting_ns);
}

static void put_colls(struct json *j, const struct pithi_communication *c)
{
    begin(j, "collectives", '[');
    for (uint32_t i = 0; i < c->coll_count; i++) {
        const struct pithi_coll_traffic *of = &c->colls[i];
        begin(j, NULL, '{');
        put_text(j, "function", of->function);
        put_integer(j, "calls", (int64_t)of->calls);
        put_integer(j, "calls_without_bytes", (int64_t)of->without_bytes);
        put_integer(j, "ranks", of->ranks);
        put_integer(j, "bytes", llround(of->bytes));
        put_integer(j, "got_bytes", llround(of->got_bytes));
        put_number(j, "mean_bytes", of->bytes / of->ranks);
        if (of->bytes > 0) {
            begin(j, "top_sender", '{');
            put_integer(j, "from", of->sender);
            put_integer(j, "bytes", llround(of->sender_bytes));
            end(j, '}');
        }
        end(j, '}');
    }
    end(j, ']');
}

static void put_communication(struct json *j, const struct pithi_communication *c)
{
    begin(j, "communication", '{');
    put_integer(j, "messages", (int64_t)c->messages);
    put_integer(j, "bytes", llround(c->bytes));
    put_number(j, "messages_a_second", c->run_ns > 0 ? 1e9 * (double)c->messages / c->run_ns : 0);
    begin(j, "pairs", '[');
    for (uint32_t i = 0; i < c->pair_count; i++) {
        put_sent(j, NULL, &c->pairs[i]);
        end(j, '}');
    }
    end(j, ']');
    if (c->messages) {
        put_integer(j, "senders", c->senders);
        put_sent(j, "top_sender", &c->sender);
        end(j, '}');
        put_sent(j, "busiest_sender", &c->busiest);
        end(j, '}');
        put_sent(j, "top_receiver", &c->receiver);
        put_integer(j, "senders", c->receiver_senders);
        put_integer(j, "overlapping_bytes", llround(c->receiver_late_bytes));
        end(j, '}');
    }
    if (c->timed) {
        begin(j, "bandwidth", '{');
        put_integer(j, "messages", (int64_t)c->timed);
        put_number(j, "bytes_a_second", c->bytes_a_second);
        put_number(j, "fitted_bytes_a_second", c->fitted_bytes_a_second);
        put_number(j, "fitted_latency_ns", c->fitted_latency_ns);
        end(j, '}');
    }
    if (c->waiting_sends.calls) {
        begin(j, "late_receivers", '{');
        put_sizes(j, "waiting_sends", &c->waiting_sends);
        put_sizes(j, "other_sends", &c->free_sends);
        end(j, '}');
    }
    if (c->overlap.messages) {
        put_overlap(j, "overlap", &c->overlap);
        begin(j, "ranks", '[');
        for (uint32_t i = 0; i < c->overlap_count; i++) {
            put_overlap(j, NULL, &c->overlaps[i]);
            end(j, '}');
        }
        end(j, ']');
        end(j, '}');
    }
    put_colls(j, c);
    end(j, '}');
}

static void put_run_delay(struct json *j)
{
    struct pithi_run_delay delay;

    if (!pithi_run_delay_find(j->f->log, &delay))
        return;
    begin(j, "run_delay", '{');
    put_integer(j, "delay_ns", (int64_t)delay.delay_ns);
    put_integer(j, "cpu_ns", (int64_t)delay.cpu_ns);
    put_integer(j, "time_ns", (int64_t)delay.time_ns);
    put_integer(j, "ranks", delay.ranks);
    end(j, '}');
}

int pithi_findings_json(const struct pithi_findings *f, FILE *out, int with_waits)
{
    struct json j = {.f = f, .is_first = 1};
    const struct pithlog_info *info = pithlog_get_info(f->log);
    struct pithi_communication communication;

    int err = pithi_communication_find(f->analysis, &f->trust, &communication);
    if (err || (err = pithi_out_open(&j.out, out)) != PITH_OK) {
        pithi_communication_free(&communication);
        return err;
    }
    begin(&j, NULL, '{');
    begin(&j, "window", '{');
    put_integer(&j, "from_ns", f->info->from_ns);
    put_integer(&j, "to_ns", f->info->to_ns);
    put_number(&j, "part", f->info->part);
    end(&j, '}');
    put_integer(&j, "ranks", f->ranks);
    put_integer(&j, "lanes", info->lanes);
    put_integer(&j, "hosts", f->hosts);
    put_integer(&j, "cores", f->cores);
    put_run_delay(&j);
    put_answer(&j);
    put_trust(&j);
    put_integer(&j, "given_up", (int64_t)f->info->given_up);
    put_integer(&j, "ranks_absent", pithi_findings_absent(f));
    put_integer(&j, "gaps", f->info->gaps);
    if (f->info->gaps) {
        begin(&j, "first_gap", '{');
        put_lane(&j, f->info->gap_lane);
        put_integer(&j, "from_ns", f->info->gap_from_ns);
        put_integer(&j, "to_ns", f->info->gap_to_ns);
        end(&j, '}');
    }
    put_integer(&j, "lost_comms", f->info->lost_comms);
    begin(&j, "useful_ns", '[');
    for (uint32_t lane = 0; lane < info->lanes; lane++)
        put_item(&j, pithlog_analysis_useful_ns(f->analysis, lane));
    end(&j, ']');
    put_efficiencies(&j);
    put_hybrid(&j);
    if (f->computation.ipc > 0) {
        begin(&j, "computation", '{');
        put_number(&j, "instructions", f->computation.instructions);
        put_number(&j, "ipc", f->computation.ipc);
        put_number(&j, "cycles_a_second", f->computation.cycles_a_second);
        end(&j, '}');
    }
    put_findings(&j);
    put_groups(&j);
    put_delays(&j);
    put_path(&j);
    put_iterations(&j);
    put_communication(&j, &communication);
    pithi_communication_free(&communication);
    if (with_waits)
        put_waits(&j);
    end(&j, '}');
    pithi_out_char(&j.out, '\n');
    return pithi_out_close(&j.out, PITH_OK);
}
