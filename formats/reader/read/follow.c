/* follow.c - pithlog_follow: finds the processes of a running job, fits their clocks, and merges their records.
 *
 * To deliver the records of all lanes in time order, a look (pithlog_follow_look) first reads the clock. All records
 * made before that time are then in the files, so the lanes can be merged up to that time, which is called the horizon.
 * Records after the horizon wait for the next look.
 *
 *     look at 100:  lane 0 has 80, 95, 103     lane 1 has 90         horizon 100
 *     delivered:    80, 90, 95                 103 waits: lane 1 may have stored 101 after its file was read
 *     look at 200:  103 ...
 *
 * Without the horizon, 103 would be delivered before 101. The horizon needs a clock that the processes share with this
 * program. If some processes run on other hosts, their clocks are only fitted. Then there is no horizon, no record
 * waits, and records of different hosts may come in a slightly wrong order.
 *
 * At most one record of each lane is read ahead: the lane's head. The heads are in a heap, ordered by time. After a
 * head was delivered, the next record of its lane is read only at the next call, because the payload of the delivered
 * record is valid until then. */
#include "reader/read/follow.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/error.h"
#include "base/heap.h"
#include "reader/read/match.h"
#include "spill/spill_time.h"

static int no_memory(const struct pithlog_follow *follow)
{
    return pithi_fail(PITH_ERR_MEMORY, "%s: no memory to follow it", follow->path);
}

/* ---- Clocks ------------------------------------------------------------------------------------------------------ */

/* Finds or adds the machine of a process. Processes with the same boot id and the same kind of clock are on one
 * machine. Returns NULL if there is no memory. */
static struct pithi_follow_machine *machine_of(struct pithlog_follow *follow, const struct pithi_spill_page *page,
                                               uint32_t *index)
{
    struct pithi_follow_machine *machine;
    uint32_t i;
    for (i = 0; i < follow->machine_count; i++) {
        machine = &follow->machines[i];
        if (strcmp(machine->boot_id, page->boot_id) == 0 && machine->clock == page->clock) {
            *index = i;
            return machine;
        }
    }
    if (!pithi_grow(&follow->machines, follow->machine_count, &follow->machine_room, sizeof *machine))
        return NULL;
    *index = follow->machine_count;
    machine = &follow->machines[follow->machine_count++];
    memset(machine, 0, sizeof *machine);
    memcpy(machine->boot_id, page->boot_id, sizeof machine->boot_id);
    machine->clock = page->clock;
    /* The difference between the clock and real time is taken from the machine's first process, and used for all its
     * processes, so that their lanes fit together even if somebody sets the system's clock meanwhile. */
    machine->shift_ns = pithi_ns_apart(page->first.real_ns, page->first.mono_ns);
    machine->base = (struct pithi_anchor_pair){page->first, page->first};
    return machine;
}

/* Fits the clock through its two most distant anchors. (An anchor is a reading of several clocks at one moment,
 * spill/spill.h.) The greater their distance, the less an error in one of them counts. */
static int fit_machine(struct pithi_follow_machine *machine)
{
    struct pithi_anchor anchors[2] = {machine->base.first, machine->base.last};
    const struct pithi_spill_page page = {.clock = machine->clock};
    struct pithi_spill_time time;
    CHECK(pithi_time_fit(&time, &page, anchors, 2, NULL));
    machine->spans[0] = time.spans[0];
    /* an entry that ends the list of spans, which are the lines of the fit */
    machine->spans[1] = (struct pithi_span){UINT64_MAX, 0, 0};
    pithi_time_free(&time);
    return PITH_OK;
}

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Fits the clocks of all machines, and sets the horizon. */
static int read_clocks(struct pithlog_follow *follow)
{
    uint32_t i;
    int here = 1, err = PITH_OK;
    int64_t now_ns = clock_ns(CLOCK_REALTIME);
    for (i = 0; i < follow->process_count; i++) {
        const struct pithi_spill_page *page = &follow->processes[i]->spill.page;
        struct pithi_follow_machine *machine = machine_of(follow, page, &follow->processes[i]->machine);
        struct pithi_anchor_pair pair = pithi_spill_base(page);
        int64_t begin_ns;
        int same;
        if (machine == NULL)
            return no_memory(follow);
        if (page->ahead_ns != 0) {
            /* The tick counter of this process no longer goes with CLOCK_MONOTONIC, so the process needs spans of its
             * own. */
            struct pithi_anchor anchors[2] = {follow->processes[i]->spill.page.first,
                                              follow->processes[i]->spill.page.parted[0]};
            if (follow->processes[i]->spill.time.spans == NULL) {
                CHECK(pithi_time_fit(&follow->processes[i]->spill.time, &follow->processes[i]->spill.page, anchors, 2,
                                     NULL));
            }
        }
        /* the fit becomes better with each look, because the anchors lie further apart */
        pithi_anchor_longest(&machine->base, &pair);
        same = pithi_spill_is_here(page);
        if (same)
            /* the process uses this host's clock, so the current time is exact; on other hosts, real time is used */
            now_ns = pithi_ns_sum(clock_ns(CLOCK_MONOTONIC), machine->shift_ns);
        if (machine->clock != PITHI_CLOCK_NS && pithi_spill_now(page, &pair.last))
            pithi_anchor_longest(&machine->base, &pair);
        here &= same;
        /* Time 0 is the begin of the first process. If an earlier process is found, time 0 moves to its begin, but only
         * until there are lanes, because the times of their records count from time 0. */
        begin_ns = pithi_ns_sum(page->first.mono_ns, machine->shift_ns);
        if (!follow->started || (follow->info.lanes == 0 && begin_ns < follow->info.zero_unix_ns))
            follow->info.zero_unix_ns = begin_ns;
        follow->started = 1;
    }
    for (i = 0; i < follow->machine_count && err == PITH_OK; i++)
        err = fit_machine(&follow->machines[i]);
    follow->info.now_ns = pithi_ns_apart(now_ns, follow->info.zero_unix_ns);
    /* no horizon (INT64_MAX) if processes run on other hosts */
    follow->horizon_ns = here && follow->process_count > 0 ? follow->info.now_ns : INT64_MAX;
    return err;
}

/* ---- Processes --------------------------------------------------------------------------------------------------- */

static int is_known(const struct pithlog_follow *follow, const char *path)
{
    uint32_t i;
    for (i = 0; i < follow->process_count; i++)
        if (strcmp(follow->processes[i]->path, path) == 0)
            return 1;
    return 0;
}

static int add_process(struct pithlog_follow *follow, const char *path)
{
    struct pithi_follow_process *process;
    int err = pithi_follow_process_open(&process, path);
    if (err == PITH_ERR_MEMORY)
        return err;
    if (err != PITH_OK) /* the file was removed meanwhile, or cannot be followed: ignores it */
        return PITH_OK;
    if (!pithi_grow(&follow->processes, follow->process_count, &follow->process_room, sizeof *follow->processes)) {
        pithi_follow_process_close(process);
        return no_memory(follow);
    }
    follow->processes[follow->process_count++] = process;
    return PITH_OK;
}

/* Returns the newest job in the folder that has a running process; if there is none, the newest job; NULL if there are
 * no jobs. */
static const struct pithi_spill_job *choose_job(const struct pithi_spill_folder *folder)
{
    uint32_t i;
    for (i = folder->job_count; i-- > 0;)
        if (folder->jobs[i].running > 0)
            return &folder->jobs[i];
    return folder->job_count > 0 ? &folder->jobs[folder->job_count - 1] : NULL;
}

/* Opens the folder of spill files. If the user named a file, this is the folder that the file is in, because the other
 * processes of the file's job are there. */
static int open_folder(const struct pithlog_follow *follow, struct pithi_spill_folder *folder)
{
    const char *slash = strrchr(follow->path, '/');
    struct stat info;
    char path[4096];
    /* If the user named a file, the first look reads this file alone, to find the job; later looks read the folder. */
    if (follow->job == 0 || (stat(follow->path, &info) == 0 && S_ISDIR(info.st_mode)))
        return pithi_spill_folder_open(folder, follow->path);
    snprintf(path, sizeof path, "%.*s",
             slash == NULL           ? 1
             : slash == follow->path ? 1
                                     : (int)(slash - follow->path),
             slash == NULL ? "." : follow->path);
    return pithi_spill_folder_open(folder, path);
}

static int find_processes(struct pithlog_follow *follow)
{
    struct pithi_spill_folder folder;
    const struct pithi_spill_job *job;
    uint32_t i;
    int err = open_folder(follow, &folder);
    if (err != PITH_OK) /* if a job is being followed, the folder may have disappeared with its last file */
        return follow->job != 0 && err != PITH_ERR_MEMORY ? PITH_OK : err;
    job = choose_job(&folder);
    /* if there is no job that can be followed, looks whether a file is of another version */
    if (follow->job == 0 && job == NULL && folder.unreadable > 0 &&
        pithi_spill_other_version(folder.unreadable_paths[0])) {
        err = PITH_ERR_UNSUPPORTED;
        goto out;
    }
    if (follow->job == 0 && job == NULL) {
        err = pithi_fail(PITH_ERR_FORMAT, "%s: holds nothing that is being recorded", follow->path);
        goto out;
    }
    /* follows this job from now on, even if a newer one begins in the folder */
    if (follow->job == 0)
        follow->job = folder.members[job->first].job;
    for (i = 0; i < folder.member_count; i++)
        if (folder.members[i].job == follow->job && !is_known(follow, folder.members[i].path))
            TRY(add_process(follow, folder.members[i].path));
out:
    pithi_spill_folder_close(&folder);
    return err;
}

static int is_alive(const struct pithi_follow_process *process, const struct pithi_spill_folder *folder)
{
    uint32_t i;
    for (i = 0; i < folder->member_count; i++)
        if (strcmp(folder->members[i].path, process->path) == 0)
            return folder->members[i].running;
    return 0;
}

/* Marks processes that have ended. A process has ended if its log was written, or if it is dead. Only a process on this
 * host can be seen to be dead. */
static void see_ends(struct pithlog_follow *follow)
{
    uint32_t i;
    follow->info.running = 0;
    follow->info.finished = follow->process_count > 0;
    for (i = 0; i < follow->process_count; i++) {
        struct pithi_follow_process *process = follow->processes[i];
        if (!process->ended)
            pithi_follow_process_page(process);
        /* A process on another host counts as running until its page says that the log was written. Of a process on
         * this host, the folder shows whether it still runs. */
        if (!process->ended && process->spill.page.finished == 0 && pithi_spill_is_here(&process->spill.page)) {
            struct pithi_spill_folder folder;
            process->ended = 1;
            if (pithi_spill_folder_open(&folder, process->path) == PITH_OK) {
                process->ended = !is_alive(process, &folder);
                pithi_spill_folder_close(&folder);
            }
            pithi_follow_process_page(process); /* the process may have written its log just before it died */
        }
        process->ended |= process->spill.page.finished != 0;
        follow->info.running += !process->ended;
        follow->info.finished &= process->spill.page.finished != 0;
    }
}

/* ---- Ids --------------------------------------------------------------------------------------------------------- */

/* Makes a table longer. New entries are UINT32_MAX, which means that the follower's number is not known yet. */
static int extend(uint32_t **map, uint32_t *count, uint32_t want)
{
    uint32_t *more = want > *count ? realloc(*map, want * sizeof *more) : *map;
    if (want <= *count)
        return PITH_OK;
    if (more == NULL)
        return pithi_fail(PITH_ERR_MEMORY, "no memory to follow a program");
    *map = more;
    while (*count < want)
        more[(*count)++] = UINT32_MAX;
    return PITH_OK;
}

static int add_comm(struct pithlog_follow *follow, uint64_t key, uint32_t *index)
{
    if (pithi_map_get(&follow->comm_map, key, index))
        return PITH_OK;
    if (!pithi_grow(&follow->comms, follow->info.comms, &follow->comm_room, sizeof *follow->comms) ||
        !pithi_map_put(&follow->comm_map, key, follow->info.comms))
        return no_memory(follow);
    *index = follow->info.comms++;
    memset(&follow->comms[*index], 0, sizeof *follow->comms);
    follow->comms[*index].comm.key = key;
    return PITH_OK;
}

/* Copies the name and the members of a communicator from a process, as far as the process knows them. A later process
 * replaces the name, but not the members. */
static int describe_comm(struct pithi_follow_comm *known, const struct pithlog_comm *comm)
{
    size_t count = (size_t)(uint32_t)comm->size + (uint32_t)comm->remote_size;
    if (comm->name != NULL && *comm->name != '\0' &&
        (known->comm.name == NULL || strcmp(known->comm.name, comm->name) != 0)) {
        free((char *)(uintptr_t)known->comm.name);
        known->comm.name = strdup(comm->name);
    }
    if (known->comm.size == 0 && comm->size > 0) {
        int32_t *ranks = malloc(count * sizeof *ranks);
        if (ranks == NULL)
            return pithi_fail(PITH_ERR_MEMORY, "no memory to follow a program");
        memcpy(ranks, comm->world_ranks, count * sizeof *ranks);
        known->comm.world_ranks = ranks;
        known->comm.size = comm->size;
        known->comm.remote_size = comm->remote_size;
    }
    return PITH_OK;
}

static int map_comms(struct pithlog_follow *follow, struct pithi_follow_process *process)
{
    struct pithi_spill *spill = &process->spill;
    uint32_t i;
    int err = extend(&process->comms, &process->comm_count, spill->comm_count);
    for (i = 0; err == PITH_OK && i < spill->comm_count; i++) {
        if (!spill->comms[i].defined)
            continue;
        if (process->comms[i] == UINT32_MAX)
            /* communicator 0 of each process is the world and gets key 0 */
            err = add_comm(follow, i == 0 ? 0 : spill->comms[i].comm.key, &process->comms[i]);
        if (err == PITH_OK)
            err = describe_comm(&follow->comms[process->comms[i]], &spill->comms[i].comm);
    }
    return err;
}

/* ---- Lanes ------------------------------------------------------------------------------------------------------- */

static struct pithi_follow_lane *new_lane(struct pithlog_follow *follow, uint32_t process, uint32_t number)
{
    struct pithi_follow_lane *lane = calloc(1, sizeof *lane);
    if (lane == NULL || !pithi_grow(&follow->lanes, follow->info.lanes, &follow->lane_room, sizeof *follow->lanes)) {
        free(lane);
        return NULL;
    }
    lane->process = process;
    lane->whole.lane = number;
    lane->walk.lane_id = follow->info.lanes;
    lane->walk.last_ns = INT64_MIN;
    lane->head.peer = -1;
    /* first_ns > last_ns means that no record was delivered */
    lane->seen = (struct pithlog_lane){.thread = number, .name = "", .first_ns = 0, .last_ns = -1};
    follow->lanes[follow->info.lanes++] = lane;
    return lane;
}

/* Adds new lanes of a process, and updates its known lanes. */
static int update_lanes(struct pithlog_follow *follow, uint32_t index)
{
    struct pithi_follow_process *process = follow->processes[index];
    struct pithi_follow_machine *machine = &follow->machines[process->machine];
    const struct pithi_spill *spill = &process->spill;
    uint32_t i;
    for (i = 0; i < spill->lane_count; i++) {
        uint32_t k;
        struct pithi_follow_lane *lane = NULL;
        for (k = 0; k < follow->info.lanes; k++)
            if (follow->lanes[k]->process == index && follow->lanes[k]->whole.lane == spill->lanes[i].lane) {
                lane = follow->lanes[k];
                break;
            }

        if (lane == NULL && (lane = new_lane(follow, index, spill->lanes[i].lane)) == NULL)
            return no_memory(follow);
        /* gives the lane the spans of the clock, which was fitted again */
        lane->view.time = (struct pithi_spill_time){.spans = machine->spans, .count = 1};
        if (spill->page.ahead_ns != 0)
            lane->view.time = spill->time;
        lane->walk.span = lane->view.time.spans;
        lane->walk.shift_ns = pithi_ns_apart(machine->shift_ns, follow->info.zero_unix_ns);
        lane->seen.rank = spill->page.size > 0 && spill->page.rank >= 0 ? spill->page.rank : 0;
        lane->seen.host = spill->page.host;
        lane->seen.name = spill->lanes[i].name;
    }
    return PITH_OK;
}

/* ---- The heap of heads ------------------------------------------------------------------------------------------- */

/* Returns 1 if head `a` is to be delivered before head `b`. At equal times, the lower lane comes first, so that the
 * order of records does not depend on the order in the heap. */
static int is_before(const void *a, const void *b)
{
    const struct pithi_follow_head *x = a, *y = b;
    return x->time_ns != y->time_ns ? x->time_ns < y->time_ns : x->lane < y->lane;
}

/* Reads the next record of a lane into its head, if it has no head and its file has another record by now. */
static void fill(struct pithlog_follow *follow, uint32_t index)
{
    struct pithi_follow_lane *lane = follow->lanes[index];
    if (!lane->has_head && pithi_follow_lane_next(follow->processes[lane->process], lane)) {
        struct pithi_follow_head head = {lane->head.time_ns, index};
        lane->has_head = 1;
        pithi_heap_add(follow->heap, &follow->heap_count, &head, sizeof head, is_before);
    }
}

/* ---- Public functions -------------------------------------------------------------------------------------------- */

/* After an error, *follow is NULL, so the caller has nothing to close. */
int pithlog_follow_open(const char *path, struct pithlog_follow **follow)
{
    struct pithlog_follow *f = *follow = calloc(1, sizeof *f);
    uint32_t world;
    int err = PITH_ERR_MEMORY;
    if (f == NULL || path == NULL || (f->path = strdup(path)) == NULL || pithi_defs_new(&f->defs) != PITH_OK ||
        (f->match = pithi_match_new()) == NULL || add_comm(f, 0, &world) != PITH_OK) {
        err = path == NULL ? pithi_fail(PITH_ERR_USAGE, "no name of a spill folder was given")
                           : pithi_fail(PITH_ERR_MEMORY, "%s: no memory to follow it", path);
    } else {
        /* there is no lane to read again */
        f->refill = UINT32_MAX;
        f->info.ranks = 1;
        f->info.log = f->log;
        f->info.program = f->program;
        err = find_processes(f);
        if (err == PITH_OK && f->process_count == 0)
            err = pithi_fail(PITH_ERR_OPEN, "%s: its files are gone: the program has ended", path);
    }
    if (err != PITH_OK) {
        pithlog_follow_close(f);
        *follow = NULL;
    }
    return err;
}

/* The order of the steps matters: first find processes, then read the clocks (the horizon), then see which processes
 * have ended, then read new chunks and definitions. So the file of a process that is marked as ended is read after the
 * process ended, and no record is missed. */
int pithlog_follow_look(struct pithlog_follow *follow)
{
    follow->message_first = follow->message_count = 0;
    /* takes the job and the count of ranks from processes that have joined a job since the last look */
    for (uint32_t i = 0; i < follow->process_count; i++) {
        const struct pithi_spill_page *page = &follow->processes[i]->spill.page;
        if (page->size > 0)
            follow->job = page->job;
        if (page->size > (int32_t)follow->info.ranks)
            follow->info.ranks = (uint32_t)page->size;
    }
    /* looks for further processes if ranks are missing, or if the first process has not joined a job yet */
    if (follow->process_count < follow->info.ranks || follow->processes[0]->spill.page.size == 0)
        CHECK(find_processes(follow));
    CHECK(read_clocks(follow));
    see_ends(follow); /* before reading, so that ended processes add no more records */
    for (uint32_t i = 0; i < follow->process_count; i++) {
        CHECK(pithi_follow_process_look(follow->processes[i]));
        CHECK(pithi_spill_numbers_said(&follow->processes[i]->spill, follow->defs));
    }
    for (uint32_t i = 0; i < follow->process_count; i++) {
        /* extends the table of ids, because a process makes definitions while it runs */
        struct pithi_spill *spill = &follow->processes[i]->spill;
        int err = extend(&follow->processes[i]->ids, &follow->processes[i]->id_count, spill->def_count);
        if (err == PITH_OK)
            err = pithi_spill_numbers_more(spill, follow->defs, follow->processes[i]->ids,
                                           &follow->processes[i]->numbers);
        follow->info.defs = pithi_defs_count(follow->defs);
        if (err != PITH_OK)
            return err;
        CHECK(map_comms(follow, follow->processes[i]));
        CHECK(update_lanes(follow, i));
    }
    const struct pithi_spill_page *page = &follow->processes[0]->spill.page;
    follow->info.processes = follow->process_count;
    /* adds up the lost records anew, because each page has the process's total */
    follow->info.lost = 0;
    for (uint32_t i = 0; i < follow->process_count; i++) {
        const struct pithi_spill_page *each = &follow->processes[i]->spill.page;
        if (each->size > (int32_t)follow->info.ranks)
            follow->info.ranks = (uint32_t)each->size;
        follow->info.lost += each->lost;
    }
    memcpy(follow->log, page->log, sizeof follow->log);
    memcpy(follow->program, page->program, sizeof follow->program);
    /* makes room for the heads of all lanes, so that `fill` cannot fail */
    while (follow->heap_room < follow->info.lanes)
        if (!pithi_grow(&follow->heap, follow->heap_room, &follow->heap_room, sizeof *follow->heap))
            CHECK(no_memory(follow));
    if (follow->refill == UINT32_MAX || !follow->lanes[follow->refill]->has_head)
        follow->refill = UINT32_MAX;
    for (uint32_t i = 0; i < follow->info.lanes; i++)
        fill(follow, i);
    return PITH_OK;
}

/* Gives a send or receive to the matcher, and collects the messages that are now complete. Returns -1 if there is no
 * memory. */
static int match(struct pithlog_follow *follow, const struct pithlog_record *record)
{
    const struct pithi_follow_lane *lane = follow->lanes[record->lane];
    struct pithlog_message message;
    int status = pithi_match_take(follow->match, lane->process, lane->seen.rank, record, record->lane, &message);
    while (status == 1) {
        if (!pithi_grow(&follow->messages, follow->message_count, &follow->message_room, sizeof message))
            return -1;
        follow->messages[follow->message_count++] = message;
        /* one record may complete several messages, because receives may have waited for it */
        status = pithi_match_ready(follow->match, lane->process, lane->seen.rank, 0, &message);
    }
    return status;
}

int pithlog_follow_next(struct pithlog_follow *follow, struct pithlog_record *record)
{
    struct pithi_follow_lane *lane;
    if (follow->refill != UINT32_MAX)
        fill(follow, follow->refill);
    follow->refill = UINT32_MAX;
    if (follow->heap_count == 0) {
        follow->info.ended = follow->process_count > 0 && follow->info.running == 0;
        return 0;
    }
    /* A record after the horizon waits, because an earlier one may still come, unless all processes have ended. */
    if (follow->heap[0].time_ns > follow->horizon_ns && follow->info.running > 0)
        return 0;
    struct pithi_follow_head head;
    pithi_heap_take(follow->heap, &follow->heap_count, &head, sizeof head, is_before);
    follow->refill = head.lane;
    lane = follow->lanes[follow->refill];
    lane->has_head = 0;
    *record = lane->head;
    if (lane->seen.records++ == 0)
        lane->seen.first_ns = record->time_ns;
    lane->seen.last_ns = record->time_ns;
    follow->info.records++;
    if ((record->kind == PITHLOG_SEND || record->kind == PITHLOG_RECV) && match(follow, record) < 0) {
        no_memory(follow);
        return -1;
    }
    return 1;
}

int pithlog_follow_message(struct pithlog_follow *follow, struct pithlog_message *message)
{
    if (follow->message_first == follow->message_count) {
        /* Empties the list now, because many records may follow before the next look. */
        follow->message_first = follow->message_count = 0;
        return 0;
    }
    *message = follow->messages[follow->message_first++];
    return 1;
}

const struct pithlog_follow_info *pithlog_follow_get_info(const struct pithlog_follow *follow) { return &follow->info; }

const struct pithlog_def *pithlog_follow_get_def(const struct pithlog_follow *follow, uint32_t id)
{
    return pithi_defs_get(follow->defs, id);
}

const struct pithlog_lane *pithlog_follow_get_lane(const struct pithlog_follow *follow, uint32_t lane)
{
    return lane < follow->info.lanes ? &follow->lanes[lane]->seen : NULL;
}

int pithlog_follow_is_running(const struct pithlog_follow *follow, uint32_t lane)
{
    return lane < follow->info.lanes && !follow->processes[follow->lanes[lane]->process]->ended;
}

const struct pithlog_comm *pithlog_follow_get_comm(const struct pithlog_follow *follow, uint32_t comm)
{
    return comm < follow->info.comms ? &follow->comms[comm].comm : NULL;
}

void pithlog_follow_close(struct pithlog_follow *follow)
{
    uint32_t i;
    if (follow == NULL)
        return;
    for (i = 0; i < follow->info.lanes; i++) {
        pithi_follow_lane_close(follow->lanes[i]);
        free(follow->lanes[i]->payload);
        free(follow->lanes[i]);
    }
    for (i = 0; i < follow->process_count; i++)
        pithi_follow_process_close(follow->processes[i]);
    for (i = 0; i < follow->info.comms; i++) {
        free((char *)(uintptr_t)follow->comms[i].comm.name);
        free((int32_t *)(uintptr_t)follow->comms[i].comm.world_ranks);
    }
    free(follow->lanes);
    free(follow->processes);
    free(follow->comms);
    free(follow->machines);
    free(follow->heap);
    free(follow->messages);
    pithi_map_free(&follow->comm_map);
    pithi_match_free(follow->match);
    pithi_defs_free(follow->defs);
    free(follow->path);
    free(follow);
}
