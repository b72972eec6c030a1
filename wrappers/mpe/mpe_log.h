/* mpe_log.h - MPE's logging calls, kept by Pith (mpe(3)).
 *
 *     int begin, end;
 *     MPE_Init_log();
 *     MPE_Log_get_state_eventIDs(&begin, &end);
 *     MPE_Describe_state(begin, end, "compute", "red");   // on one rank or on all
 *     MPE_Log_event(begin, 0, NULL);  ...  MPE_Log_event(end, 0, NULL);
 *     MPE_Finish_log("run");                              // run.pith
 *
 * Calls return MPE_LOG_OK unless it is said otherwise. Before MPE_Init_log and after MPE_Finish_log all but those two
 * do nothing and return MPE_LOG_NOT_INITIALIZED. Strings are copied, may be of any length, and may be NULL. Any thread
 * may call what is not collective; recording takes no lock.
 */
#ifndef MPE_LOG_H
#define MPE_LOG_H

#if defined(NOMPI) || defined(CLOG_NOMPI)
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

/* The payload of a record. Logging calls read all 32 bytes of one that they are given; of a plain string no more than
 * there is. */
#define MPE_LOG_BYTESIZE (4 * sizeof(double))
typedef char MPE_LOG_BYTES[32];

/* ---- The log ----------------------------------------------------------------------------------------------------- */

/* Recording begins (collective over MPI_COMM_WORLD). MPI_Init is called, with a warning, if that was not done. While a
 * log is under way it does what MPE_Start_log does; after MPE_Finish_log it begins a new log. */
MPE_API_ int MPE_Init_log(void);

/* Writes the log of all ranks and ends recording (collective): PREFIX.pith, with PITH_FORMAT=clog2 PREFIX.clog2. Rank
 * 0's prefix counts, before it rank 0's MPE_LOGFILE_PREFIX, before that PITH_LOG. A second call does nothing. */
MPE_API_ int MPE_Finish_log(const char *prefix);

/* 0: no MPE_Init_log yet; 1: a log is under way; 2: it is written. */
MPE_API_ int MPE_Initialized_logging(void);

/* Recording goes on, or stops, on this process; both moments are in the log. Definitions are kept in either case. */
MPE_API_ int MPE_Start_log(void);
MPE_API_ int MPE_Stop_log(void);

/* The file that MPE_Finish_log wrote; "" before. */
MPE_API_ const char *MPE_Log_merged_logfilename(void);

/* Compares the clocks of the job's machines once more (collective). */
MPE_API_ int MPE_Log_sync_clocks(void);

/* ---- Events and what they mean ------------------------------------------------------------------------------------
 * Records carry numbers; two of them that are described as a state's start and end make it. A number may be described
 * at any time and by any rank: one description serves all that gave none of their own. */

/* Numbers for a new state: 600 and 601, then 602 and 603 ... Each process counts for itself. */
MPE_API_ int MPE_Log_get_state_eventIDs(int *start, int *final);
/* A number for a new event that stands for itself: 5000, 5001 ... */
MPE_API_ int MPE_Log_get_solo_eventID(int *event);
/* The next single number of those for states; two calls give a state's. */
MPE_API_ int MPE_Log_get_event_number(void);

/* `colour`: an X11 name. `format`: how to show the payload, text with the tokens of MPE_Log_pack: "iter=%d e=%E". */
MPE_API_ int MPE_Describe_state(int start, int final, const char *name, const char *colour);
MPE_API_ int MPE_Describe_info_state(int start, int final, const char *name, const char *colour, const char *format);
MPE_API_ int MPE_Describe_comm_state(MPI_Comm comm, int start, int final, const char *name, const char *colour,
                                     const char *format);
MPE_API_ int MPE_Describe_event(int event, const char *name, const char *colour);
MPE_API_ int MPE_Describe_info_event(int event, const char *name, const char *colour, const char *format);
MPE_API_ int MPE_Describe_comm_event(MPI_Comm comm, int event, const char *name, const char *colour,
                                     const char *format);

/* ---- Recording --------------------------------------------------------------------------------------------------- */

/* `data` is not used. `bytes`: a payload, or NULL. */
MPE_API_ int MPE_Log_event(int event, int data, const char *bytes);
MPE_API_ int MPE_Log_bare_event(int event);
MPE_API_ int MPE_Log_info_event(int event, const char *bytes);
MPE_API_ int MPE_Log_comm_event(MPI_Comm comm, int event, const char *bytes);

/* Appends `count` values to a payload at *pos, big-endian, and moves *pos behind them. Tokens: h 16-bit, d and x
 * 32-bit, l and X 64-bit integers, e float, E double, s a string of `count` bytes. MPE_LOG_PACK_FAIL where they do not
 * fit or there is no such token; *pos and the bytes are then as they were. */
MPE_API_ int MPE_Log_pack(MPE_LOG_BYTES bytes, int *pos, char token, int count, const void *data);

/* A message of `size` bytes, in MPI_COMM_WORLD or in `comm`: to be called before the send, after the receive. Nothing
 * is recorded of MPI_PROC_NULL. */
MPE_API_ int MPE_Log_send(int dest, int tag, int size);
MPE_API_ int MPE_Log_receive(int source, int tag, int size);
MPE_API_ int MPE_Log_comm_send(MPI_Comm comm, int dest, int tag, int size);
MPE_API_ int MPE_Log_comm_receive(MPI_Comm comm, int source, int tag, int size);

#if defined(__cplusplus)
}
#endif
#endif
