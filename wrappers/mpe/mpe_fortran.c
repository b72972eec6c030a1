/* mpe_fortran.c - the logging calls for Fortran: integer functions, each under the four names that compilers use.
 *
 * A string of Fortran has no terminating NUL; its length follows the other arguments. Trailing blanks are removed, and
 * a blank string becomes NULL.
 */
#include "mpe_internal.h"

#include <stdlib.h>
#include <string.h>

#define NAMES(lower, UPPER, arguments) FORTRAN(int, lower, UPPER, arguments)

/* Uses only the lower 32 bits of `length`, because some compilers pass a length of 32 bits, and then the upper half may
 * contain anything. */
char *pithi_fortran_string(const char *text, size_t length)
{
    size_t size = text ? strnlen(text, (unsigned)length) : 0;

    while (size > 0 && text[size - 1] == ' ')
        size--;
    return size ? strndup(text, size) : NULL;
}

/* ---- The log ----------------------------------------------------------------------------------------------------- */

NAMES(mpe_init_log, MPE_INIT_LOG, (void)) { return MPE_Init_log(); }

NAMES(mpe_finish_log, MPE_FINISH_LOG, (const char *prefix, size_t prefix_length))
{
    char *name = pithi_fortran_string(prefix, prefix_length);
    int result = MPE_Finish_log(name);

    free(name);
    return result;
}

NAMES(mpe_initialized_logging, MPE_INITIALIZED_LOGGING, (void)) { return MPE_Initialized_logging(); }

NAMES(mpe_start_log, MPE_START_LOG, (void)) { return MPE_Start_log(); }

NAMES(mpe_stop_log, MPE_STOP_LOG, (void)) { return MPE_Stop_log(); }

NAMES(mpe_log_sync_clocks, MPE_LOG_SYNC_CLOCKS, (void)) { return MPE_Log_sync_clocks(); }

/* ---- Events and their descriptions ------------------------------------------------------------------------------- */

NAMES(mpe_log_get_state_eventids, MPE_LOG_GET_STATE_EVENTIDS, (int *start, int *final))
{
    return MPE_Log_get_state_eventIDs(start, final);
}

NAMES(mpe_log_get_solo_eventid, MPE_LOG_GET_SOLO_EVENTID, (int *event)) { return MPE_Log_get_solo_eventID(event); }

NAMES(mpe_log_get_event_number, MPE_LOG_GET_EVENT_NUMBER, (void)) { return MPE_Log_get_event_number(); }

NAMES(mpe_describe_info_state, MPE_DESCRIBE_INFO_STATE,
      (const int *start, const int *final, const char *name, const char *colour, const char *format, size_t name_length,
       size_t colour_length, size_t format_length))
{
    char *name_copy = pithi_fortran_string(name, name_length),
         *colour_copy = pithi_fortran_string(colour, colour_length);
    char *format_copy = pithi_fortran_string(format, format_length);
    int result = MPE_Describe_info_state(*start, *final, name_copy, colour_copy, format_copy);

    free(name_copy);
    free(colour_copy);
    free(format_copy);
    return result;
}

NAMES(mpe_describe_state, MPE_DESCRIBE_STATE,
      (const int *start, const int *final, const char *name, const char *colour, size_t name_length,
       size_t colour_length))
{
    return mpe_describe_info_state_(start, final, name, colour, NULL, name_length, colour_length, 0);
}

NAMES(mpe_describe_info_event, MPE_DESCRIBE_INFO_EVENT,
      (const int *event, const char *name, const char *colour, const char *format, size_t name_length,
       size_t colour_length, size_t format_length))
{
    char *name_copy = pithi_fortran_string(name, name_length),
         *colour_copy = pithi_fortran_string(colour, colour_length);
    char *format_copy = pithi_fortran_string(format, format_length);
    int result = MPE_Describe_info_event(*event, name_copy, colour_copy, format_copy);

    free(name_copy);
    free(colour_copy);
    free(format_copy);
    return result;
}

NAMES(mpe_describe_event, MPE_DESCRIBE_EVENT,
      (const int *event, const char *name, const char *colour, size_t name_length, size_t colour_length))
{
    return mpe_describe_info_event_(event, name, colour, NULL, name_length, colour_length, 0);
}

/* ---- Recording --------------------------------------------------------------------------------------------------- */

/* A payload is binary, so its blanks are kept, and a short one is padded with zeros. A payload that has only blanks
 * counts as none. */
NAMES(mpe_log_info_event, MPE_LOG_INFO_EVENT, (const int *event, const char *bytes, size_t length))
{
    MPE_LOG_BYTES copy = {0};
    size_t size = (unsigned)length, i = 0;

    while (bytes && i < size && bytes[i] == ' ')
        i++;
    if (!bytes || i == size)
        return MPE_Log_bare_event(*event);
    memcpy(copy, bytes, size < sizeof copy ? size : sizeof copy);
    return MPE_Log_info_event(*event, copy);
}

NAMES(mpe_log_event, MPE_LOG_EVENT, (const int *event, const int *data, const char *bytes, size_t length))
{
    (void)data;
    return mpe_log_info_event_(event, bytes, length);
}

NAMES(mpe_log_bare_event, MPE_LOG_BARE_EVENT, (const int *event)) { return MPE_Log_bare_event(*event); }

NAMES(mpe_log_pack, MPE_LOG_PACK, (char *bytes, int *pos, const char *token, const int *count, const void *data))
{
    return MPE_Log_pack(bytes, pos, *token, *count, data);
}

NAMES(mpe_log_send, MPE_LOG_SEND, (const int *dest, const int *tag, const int *size))
{
    return MPE_Log_send(*dest, *tag, *size);
}

NAMES(mpe_log_receive, MPE_LOG_RECEIVE, (const int *source, const int *tag, const int *size))
{
    return MPE_Log_receive(*source, *tag, *size);
}
