/* mpe_log.h - MPE's logging calls, implemented by Pith (mpe(3)).
 *
 *     int begin, end;
 *     MPE_Init_log();
 *     MPE_Log_get_state_eventIDs(&begin, &end);
 *     MPE_Describe_state(begin, end, "compute", "red");   // on one rank or on all
 *     MPE_Log_event(begin, 0, NULL);  ...  MPE_Log_event(end, 0, NULL);
 *     MPE_Finish_log("run");                              // run.pith
 *
 * Calls return MPE_LOG_OK unless stated otherwise. Before MPE_Init_log and after MPE_Finish_log, all other calls do
 * nothing and return MPE_LOG_NOT_INITIALIZED. Strings are copied, may have any length, and may be NULL. Any thread may
 * make calls that are not collective. Recording takes no lock.
 */
#ifndef MPE_LOG_H
#define MPE_LOG_H

#if defined(NOMPI) || defined(CLOG_NOMPI) || defined(MPE_NOMPI) /* MPE knows all three */
#include "mpe_nompi.h"
#else
#include <mpi.h>
#endif

#if defined(__cplusplus)
extern "C" {
#endif

#if defined(__GNUC__)
#define MPE_API_ __attribute__((visibility("default")))
#else
#define MPE_API_
#endif

#define MPE_LOG_OK 0
#define MPE_LOG_LOCKED_OUT 1
#define MPE_LOG_NO_MEMORY 2
#define MPE_LOG_FILE_PROB 3
#define MPE_LOG_NOT_INITIALIZED 4
#define MPE_LOG_PACK_FAIL 5
#define MPE_Log_OK MPE_LOG_OK
#define MPE_Log_LOCKED_OUT MPE_LOG_LOCKED_OUT
#define MPE_Log_NO_MEMORY MPE_LOG_NO_MEMORY
#define MPE_Log_FILE_PROB MPE_LOG_FILE_PROB
#define MPE_Log_NOT_INITIALIZED MPE_LOG_NOT_INITIALIZED
#define MPE_Log_PACK_FAIL MPE_LOG_PACK_FAIL

/* The payload of a record. Logging calls read all of its 32 bytes. A shorter string may be passed, too; the bytes
 * behind it are then recorded as well. */
#define MPE_LOG_BYTESIZE (4 * sizeof(double))
typedef char MPE_LOG_BYTES[32];

/* ---- The log ----------------------------------------------------------------------------------------------------- */

/* Begins recording (collective over MPI_COMM_WORLD). If MPI is not initialized, prints a message and calls MPI_Init.
 * While a log is being recorded, MPE_Init_log acts as MPE_Start_log. After MPE_Finish_log, it begins a new log. */
MPE_API_ int MPE_Init_log(void);

/* Ends recording and writes the log of all ranks (collective): PREFIX.pith, or PREFIX.clog2 with PITH_FORMAT=clog2. The
 * prefix is rank 0's; rank 0's MPE_LOGFILE_PREFIX overrides it, and PITH_LOG overrides both. A second call for the same
 * log does nothing. */
MPE_API_ int MPE_Finish_log(const char *prefix);

/* Returns 0 before MPE_Init_log, 1 while a log is recorded, 2 after MPE_Finish_log. */
MPE_API_ int MPE_Initialized_logging(void);

/* Resume and pause recording in this process. The log shows the pauses. Definitions take effect even during a pause. */
MPE_API_ int MPE_Start_log(void);
MPE_API_ int MPE_Stop_log(void);

/* The name of the file that MPE_Finish_log wrote; "" before that. */
MPE_API_ const char *MPE_Log_merged_logfilename(void);

/* Compares the clocks of the job's machines again (collective). */
MPE_API_ int MPE_Log_sync_clocks(void);

/* ---- Events and their descriptions ---------------------------------------------------------------------------------
 * Records contain event numbers. A state has two numbers, one for its start and one for its end. A number may be
 * described at any time and on any rank. A description holds for all ranks that have none of their own. */

/* Get the numbers of a new state: 600 and 601, then 602 and 603 ... Each process counts by itself. */
MPE_API_ int MPE_Log_get_state_eventIDs(int *start, int *final);
/* Gets the number of a new event that belongs to no state: 5000, 5001 ... */
MPE_API_ int MPE_Log_get_solo_eventID(int *event);
/* Returns the next single number for states; call it twice for a state. */
MPE_API_ int MPE_Log_get_event_number(void);

/* `colour`: an X11 colour name. `format`: how to show the payload, as text with the tokens of MPE_Log_pack, such as
 * "iter=%d e=%E". */
MPE_API_ int MPE_Describe_state(int start, int final, const char *name, const char *colour);
MPE_API_ int MPE_Describe_info_state(int start, int final, const char *name, const char *colour, const char *format);
MPE_API_ int MPE_Describe_comm_state(MPI_Comm comm, int start, int final, const char *name, const char *colour,
                                     const char *format);
MPE_API_ int MPE_Describe_event(int event, const char *name, const char *colour);
MPE_API_ int MPE_Describe_info_event(int event, const char *name, const char *colour, const char *format);
MPE_API_ int MPE_Describe_comm_event(MPI_Comm comm, int event, const char *name, const char *colour,
                                     const char *format);

/* ---- Recording --------------------------------------------------------------------------------------------------- */

/* Records an event. `data` is ignored. `bytes`: a payload, or NULL. */
MPE_API_ int MPE_Log_event(int event, int data, const char *bytes);
MPE_API_ int MPE_Log_bare_event(int event);
MPE_API_ int MPE_Log_info_event(int event, const char *bytes);
MPE_API_ int MPE_Log_comm_event(MPI_Comm comm, int event, const char *bytes);

/* Appends `count` values to a payload at *pos, big-endian, and advances *pos. Tokens: h 16-bit, d and x 32-bit, l and X
 * 64-bit integers, e float, E double, s a string of `count` bytes. If the values do not fit or the token is unknown,
 * changes nothing and returns MPE_LOG_PACK_FAIL. */
MPE_API_ int MPE_Log_pack(MPE_LOG_BYTES bytes, int *pos, char token, int count, const void *data);

/* Records a message of `size` bytes in MPI_COMM_WORLD or in `comm`. Call MPE_Log_send before the send and
 * MPE_Log_receive after the receive. Messages to or from MPI_PROC_NULL are not recorded. */
MPE_API_ int MPE_Log_send(int dest, int tag, int size);
MPE_API_ int MPE_Log_receive(int source, int tag, int size);
MPE_API_ int MPE_Log_comm_send(MPI_Comm comm, int dest, int tag, int size);
MPE_API_ int MPE_Log_comm_receive(MPI_Comm comm, int source, int tag, int size);

#if defined(__cplusplus)
}
#endif
#endif
