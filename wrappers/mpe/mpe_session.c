/* mpe_session.c - from MPE_Init_log to MPE_Finish_log.
 *
 * Where libpith-mpi is in the process (pith run, -llmpe) it has joined the job already: then the log is the one that it
 * makes, MPE_Finish_log writes it, MPI calls and all, and MPI_Finalize finds nothing left to write.
 */
#include "mpe_session.h"
#include "mpe_aside.h"

#include "mpe_comm.h"
#include "launcher.h"
#include "mpe_log.h"
#include "mpe_numbers.h"
#include "old_settings.h"
#include "pith_tool.h"
#include "rank_names.h"
#include "real.h"
#include "transport.h"

#include <dlfcn.h>
#include <stdio.h>
#include <string.h>

enum { NAME_MAX_BYTES = 1024 };

int pithi_mpe_state, pithi_mpe_ranks;
unsigned pithi_mpe_number;

static const struct pith_transport *transport;
static int is_own;                   /* the transport was opened here */
static char written[NAME_MAX_BYTES]; /* the log, as rank 0 named it */

/* ---- Begin ------------------------------------------------------------------------------------------------------- */

static void init_mpi(void)
{
#ifdef PITHI_STATIC
    MPI_Init(NULL, NULL);
#else
    int (*init)(int *, char ***);
    void *symbol = dlsym(RTLD_DEFAULT, "MPI_Init"); /* a profiling library's, if there is one */

    if (!symbol)
        symbol = pithi_real_symbol("MPI_Init");
    memcpy(&init, &symbol, sizeof init);
    if (init)
        init(NULL, NULL);
#endif
}

/* 1: MPI can be used. */
static int mpi_is_up(void)
{
    int up = 0, over = 0;

    REAL(MPI_Initialized)(&up);
    if (!up) {
        if (pithi_launcher_rank(0) == 0)
            fprintf(stderr, "pith: MPE_Init_log was called before MPI_Init, so it calls MPI_Init\n");
        init_mpi();
        REAL(MPI_Initialized)(&up);
    }
    REAL(MPI_Finalized)(&over);
    return up && !over;
}

/* A program that forgot MPE_Finish_log gets its log in MPI_Finalize, under the name that recording began with. */
static void finish_late(void)
{
    if (pithi_mpe_running())
        MPE_Finish_log(NULL);
}

/* Where libpith-mpi has the job it has opened the transport, which serves until MPI_Finalize. */
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
/* CLOG-2 files hold these numbers, which differ between MPIs. */
static void tell_constants(void)
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
}
#endif

int MPE_Init_log(void)
{
    PITHI_MPE_ASIDE(MPE_Init_log, ());
    if (pithi_mpe_running())
        return MPE_Start_log();
    if (!mpi_is_up())
        return MPE_LOG_NOT_INITIALIZED;
    if (pithi_mpe_state == PITHI_MPE_FINISHED)
        pith_job_again();
    pithi_old_settings_note();
    int result = join();
    if (result == MPE_LOG_OK) {
        pithi_mpe_comm_begin();
#ifndef NOMPI
        if (transport->rank == 0)
            tell_constants();
#endif
        if (pithi_mpe_number++ > 0)
            pithi_mpe_numbers_begin();
        __atomic_store_n(&pithi_mpe_state, PITHI_MPE_RUNNING, __ATOMIC_SEQ_CST);
    }
    return result;
}

int MPE_Initialized_logging(void)
{
    PITHI_MPE_ASIDE(MPE_Initialized_logging, ());
    return __atomic_load_n(&pithi_mpe_state, __ATOMIC_RELAXED);
}

int MPE_Start_log(void)
{
    PITHI_MPE_ASIDE(MPE_Start_log, ());
    if (!pithi_mpe_running())
        return MPE_LOG_NOT_INITIALIZED;
    pith_resume();
    return MPE_LOG_OK;
}

int MPE_Stop_log(void)
{
    PITHI_MPE_ASIDE(MPE_Stop_log, ());
    if (!pithi_mpe_running())
        return MPE_LOG_NOT_INITIALIZED;
    pith_pause();
    return MPE_LOG_OK;
}

int MPE_Log_sync_clocks(void)
{
    PITHI_MPE_ASIDE(MPE_Log_sync_clocks, ());
    if (!pithi_mpe_running())
        return MPE_LOG_NOT_INITIALIZED;
    if (pithi_old_flag("MPE_CLOCKS_SYNC", 1))
        pith_sync();
    return MPE_LOG_OK;
}

/* ---- End --------------------------------------------------------------------------------------------------------- */

/* The name that rank 0 wants; "": the one that recording began with. */
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

static void tell_all(char name[NAME_MAX_BYTES])
{
    if (transport->bcast(transport->context, 0, name, NAME_MAX_BYTES) != 0)
        name[0] = 0;
    name[NAME_MAX_BYTES - 1] = 0;
}

int MPE_Finish_log(const char *prefix)
{
    char name[NAME_MAX_BYTES] = "";
    int over = 0;

    PITHI_MPE_ASIDE(MPE_Finish_log, (prefix));
    if (!pithi_mpe_running())
        return pithi_mpe_state == PITHI_MPE_FINISHED ? MPE_LOG_OK : MPE_LOG_NOT_INITIALIZED;
    REAL(MPI_Finalized)(&over);
    if (over) { /* libpith-mpi has written the log */
        __atomic_store_n(&pithi_mpe_state, PITHI_MPE_FINISHED, __ATOMIC_SEQ_CST);
        return MPE_LOG_OK;
    }
    __atomic_store_n(&pithi_mpe_state, PITHI_MPE_FINISHED, __ATOMIC_SEQ_CST);
    if (transport->rank == 0)
        choose_name(name, prefix);
    tell_all(name);
    if (name[0] && transport->rank != 0)
        pith_job_log(name);
    pith_job_finish(transport);
    snprintf(written, sizeof written, "%s", transport->rank == 0 ? pith_job_written() : "");
    tell_all(written);
    pithi_rank_names(transport, written);
    if (is_own)
        pithi_transport_close();
    transport = NULL;
    return written[0] ? MPE_LOG_OK : MPE_LOG_FILE_PROB;
}

const char *MPE_Log_merged_logfilename(void)
{
    PITHI_MPE_ASIDE(MPE_Log_merged_logfilename, ());
    return __atomic_load_n(&pithi_mpe_state, __ATOMIC_RELAXED) == PITHI_MPE_FINISHED ? written : "";
}
