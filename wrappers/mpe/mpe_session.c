/* mpe_session.c - begins and finishes a log: MPE_Init_log to MPE_Finish_log.
 *
 * If libpith-mpi is in the process (`pith run`, -llmpe), libpith-mpi has already joined the job, and both libraries
 * share one log. MPE_Finish_log then writes this log including the MPI calls, so that MPI_Finalize has nothing left to
 * write. Without libpith-mpi, libmpe joins the job itself.
 */
#include "base/launcher.h"
#include "base/open_file.h"
#include "base/say.h"
#include "mpe_internal.h"
#include "pith_tool.h"
#include "real.h"
#include "transport.h"

#include <dlfcn.h>
#include <errno.h>
#include <limits.h>
#include <link.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { NAME_MAX_BYTES = 1024, HOST_BYTES = 256 }; /* bytes */

int pithi_mpe_state, pithi_mpe_ranks;
unsigned pithi_mpe_number;

static const struct pith_transport *transport; /* of the present log */
static int is_own;                             /* 1: libmpe opened the transport; 0: libpith-mpi did */
static char written[NAME_MAX_BYTES];           /* the name of the finished log, from rank 0 */

#if defined(PITHI_STATIC) && !defined(NOMPI)
/* ---- Forwarding to the shared library ---------------------------------------------------------------------------- */

void *pithi_mpe_shared;

/* Called for each loaded library. If it is a library of Pith that contains the shared recorder, stores its folder in
 * `context` and returns 1. */
static int find_folder(struct dl_phdr_info *info, size_t size, void *context)
{
    const char *slash = info->dlpi_name ? strrchr(info->dlpi_name, '/') : NULL;

    (void)size;
    if (!slash || (strcmp(slash, "/libpith-mpi.so") != 0 && strcmp(slash, "/libpith-anim.so") != 0))
        return 0;
    snprintf(context, PATH_MAX, "%.*s", (int)(slash - info->dlpi_name), info->dlpi_name);
    return 1;
}

/* Loads libpith-mpe.so if the shared recorder is loaded. Runs before the program's constructors, which may call MPE.
 * RTLD_GLOBAL lets libpith-mpi find functions of libpith-mpe. */
__attribute__((constructor(101))) static void load_shared(void)
{
    char folder[PATH_MAX], path[PATH_MAX + 32];

    if (!dl_iterate_phdr(find_folder, folder))
        return;
    snprintf(path, sizeof path, "%s/libpith-mpe.so", folder);
    pithi_mpe_shared = dlopen(path, RTLD_NOW | RTLD_GLOBAL);
}

void *pithi_mpe_shared_find(void **slot, const char *name)
{
    void *found = __atomic_load_n(slot, __ATOMIC_RELAXED);

    if (!found) {
        found = dlsym(pithi_mpe_shared, name);
        __atomic_store_n(slot, found, __ATOMIC_RELAXED);
    }
    return found;
}
#endif

/* ---- Begin ------------------------------------------------------------------------------------------------------- */

static void init_mpi(void)
{
#ifdef PITHI_STATIC
    MPI_Init(NULL, NULL);
#else
    int (*init)(int *, char ***);
    void *symbol = dlsym(RTLD_DEFAULT, "MPI_Init"); /* that of a profiling library, if there is one */

    if (!symbol)
        symbol = pithi_real_symbol("MPI_Init");
    memcpy(&init, &symbol, sizeof init);
    if (init)
        init(NULL, NULL);
#endif
}

/* Called in MPI_Finalize. If the program has not called MPE_Finish_log, writes the log, under the name that it had when
 * recording began. */
static void finish_late(void)
{
    if (pithi_mpe_running())
        MPE_Finish_log(NULL);
}

/* Joins the job, by libpith-mpi's transport if there is one. That transport stays open until MPI_Finalize, so later
 * logs use it, too. Returns MPE_LOG_NOT_INITIALIZED if no transport can be opened. */
static int join(void)
{
    static const struct pith_transport *others;

    if (pith_job_joined())
        others = pith_job_joined();
    transport = others;
    is_own = transport == NULL;
    if (others && !pith_job_joined())
        pith_job_join(others);
    if (is_own && (transport = pithi_transport_open()) == NULL)
        return MPE_LOG_NOT_INITIALIZED;
    if (is_own) {
        pith_job_join(transport);
        pithi_mpe_at_finalize(finish_late);
    }
    REAL(MPI_Comm_size)(MPI_COMM_WORLD, &pithi_mpe_ranks);
    return MPE_LOG_OK;
}

#ifndef NOMPI
/* Records constants that CLOG-2 files contain. Their values differ between MPI implementations. */
static void record_constants(void)
{
    static const struct {
        const char *name;
        int value;
    } constants[] = {
        {"MPI_PROC_NULL", MPI_PROC_NULL}, {"MPI_ANY_SOURCE", MPI_ANY_SOURCE}, {"MPI_ANY_TAG", MPI_ANY_TAG}};
    char value[16];

    for (size_t i = 0; i < sizeof constants / sizeof *constants; i++) {
        snprintf(value, sizeof value, "%d", constants[i].value);
        pith_property(constants[i].name, value);
    }
    if (!pithi_old_flag("MPE_LOG_OVERHEAD", 1))
        pith_property("MPE_LOG_OVERHEAD", "no"); /* CLOG-2 then has no definition of CLOG_Buffer_write2disk */
}
#endif

int MPE_Init_log(void)
{
    PITHI_MPE_FORWARD(MPE_Init_log, ());
    if (pithi_mpe_running())
        return MPE_Start_log();
    /* Initializes MPI if necessary. */
    int up = 0, over = 0;

    REAL(MPI_Initialized)(&up);
    if (!up) {
        if (pithi_launcher_rank(0) == 0)
            pithi_say("MPE_Init_log was called before MPI_Init, so it calls MPI_Init");
        init_mpi();
        REAL(MPI_Initialized)(&up);
    }
    REAL(MPI_Finalized)(&over);
    if (!up || over)
        return MPE_LOG_NOT_INITIALIZED;
    if (pithi_mpe_state == PITHI_MPE_FINISHED)
        pith_job_again();
    pithi_old_settings_note();
    int result = join();
    if (result == MPE_LOG_OK) {
        pithi_mpe_comm_begin();
#ifndef NOMPI
        if (transport->rank == 0)
            record_constants();
#endif
        if (pithi_mpe_number++ > 0)
            pithi_mpe_numbers_begin();
        __atomic_store_n(&pithi_mpe_state, PITHI_MPE_RUNNING, __ATOMIC_SEQ_CST);
    }
    return result;
}

int MPE_Initialized_logging(void)
{
    PITHI_MPE_FORWARD(MPE_Initialized_logging, ());
    return __atomic_load_n(&pithi_mpe_state, __ATOMIC_RELAXED);
}

int MPE_Start_log(void)
{
    PITHI_MPE_FORWARD(MPE_Start_log, ());
    if (!pithi_mpe_running())
        return MPE_LOG_NOT_INITIALIZED;
    pith_resume();
    return MPE_LOG_OK;
}

int MPE_Stop_log(void)
{
    PITHI_MPE_FORWARD(MPE_Stop_log, ());
    if (!pithi_mpe_running())
        return MPE_LOG_NOT_INITIALIZED;
    pith_pause();
    return MPE_LOG_OK;
}

int MPE_Log_sync_clocks(void)
{
    PITHI_MPE_FORWARD(MPE_Log_sync_clocks, ());
    if (!pithi_mpe_running())
        return MPE_LOG_NOT_INITIALIZED;
    if (pithi_old_flag("MPE_CLOCKS_SYNC", 1)) {
        pith_sync();
        if (pithi_old_is_clog2()) /* CLOG-2 records it: formats/foreign/clog2/clog2_write.c */
            pith_event(pith_event_define("mpe:sync", NULL, NULL));
    }
    return MPE_LOG_OK;
}

/* ---- End --------------------------------------------------------------------------------------------------------- */

/* On rank 0: makes the log's name from the prefix. Without a usable prefix, `name` becomes "", and the log keeps the
 * name that it had when recording began. */
static void choose_name(char name[NAME_MAX_BYTES], const char *prefix)
{
    const char *path, *spill;

    if (pithi_old_prefix())
        prefix = pithi_old_prefix();
    name[0] = 0;
    if (prefix && *prefix && snprintf(name, NAME_MAX_BYTES, "%s.pith", prefix) >= NAME_MAX_BYTES)
        name[0] = 0;
    if (name[0] && pith_job_log(name) != 0)
        name[0] = 0;
    if (name[0]) {
        pith_where(&path, &spill);
        snprintf(name, NAME_MAX_BYTES, "%s", path);
    }
}

/* Copies rank 0's `name` to all ranks; `name` becomes "" on an error. */
static void share_name(char name[NAME_MAX_BYTES])
{
    if (transport->bcast(transport->context, 0, name, NAME_MAX_BYTES) != 0)
        name[0] = 0;
    name[NAME_MAX_BYTES - 1] = 0;
}

/* On rank 0: writes the line of rank 0, then receives and writes the lines of the other ranks. Returns -1 on an
 * error. */
static int write_hosts(FILE *file, char host[HOST_BYTES])
{
    fprintf(file, "Rank 0 : %s\n", host);
    for (int rank = 1; rank < transport->size; rank++) {
        if (transport->recv(transport->context, rank, host, HOST_BYTES) != 0)
            return -1;
        host[HOST_BYTES - 1] = 0;
        fprintf(file, "Rank %d : %s\n", rank, host);
    }
    return ferror(file) ? -1 : 0;
}

int MPE_Finish_log(const char *prefix)
{
    char name[NAME_MAX_BYTES] = "";
    int over = 0;

    PITHI_MPE_FORWARD(MPE_Finish_log, (prefix));
    if (!pithi_mpe_running())
        return pithi_mpe_state == PITHI_MPE_FINISHED ? MPE_LOG_OK : MPE_LOG_NOT_INITIALIZED;
    REAL(MPI_Finalized)(&over);
    __atomic_store_n(&pithi_mpe_state, PITHI_MPE_FINISHED, __ATOMIC_SEQ_CST);
    if (over) /* libpith-mpi has written the log */
        return MPE_LOG_OK;
    if (transport->rank == 0)
        choose_name(name, prefix);
    share_name(name);
    if (name[0] && transport->rank != 0)
        pith_job_log(name);
    pith_job_finish(transport);
    snprintf(written, sizeof written, "%s", transport->rank == 0 ? pith_job_written() : "");
    share_name(written);
    /* If MPE_LOG_RANK2PROCNAME=yes on rank 0, rank 0 writes the file LOG.pnm, which has a line such as "Rank 3 : host"
     * for each rank. All ranks take part. */
    int32_t wanted = 0;
    char path[4096], part[4096 + 8], host[HOST_BYTES] = "";
    FILE *file = NULL;

    if (transport->rank == 0 && *written && pithi_old_flag("MPE_LOG_RANK2PROCNAME", 0) &&
        snprintf(path, sizeof path, "%s.pnm", written) < (int)sizeof path) {
        snprintf(part, sizeof part, "%s.part", path);
        file = pithi_make_stream(part, "w");
        if (!file)
            pithi_say("%s: cannot create it: %s", path, strerror(errno));
    }
    wanted = file != NULL;
    if (transport->size > 1 && transport->bcast(transport->context, 0, &wanted, sizeof wanted) != 0)
        wanted = 0;
    if (gethostname(host, sizeof host - 1) != 0)
        strcpy(host, "?");
    if (wanted && transport->rank > 0)
        transport->send(transport->context, 0, host, sizeof host);
    if (file) {
        int failed = wanted && write_hosts(file, host) != 0;
        failed |= fclose(file) != 0;
        if (rename(part, path) != 0 || failed)
            pithi_say("%s: the list of hosts is incomplete", path);
    }
    if (is_own)
        pithi_transport_close();
    transport = NULL;
    return written[0] ? MPE_LOG_OK : MPE_LOG_FILE_PROB;
}

const char *MPE_Log_merged_logfilename(void)
{
    PITHI_MPE_FORWARD(MPE_Log_merged_logfilename, ());
    return __atomic_load_n(&pithi_mpe_state, __ATOMIC_RELAXED) == PITHI_MPE_FINISHED ? written : "";
}
