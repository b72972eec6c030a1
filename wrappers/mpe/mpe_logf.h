!     mpe_logf.h - MPE's logging calls for Fortran (mpe(3)): integer
!     functions with the return codes of C. For fixed and free form.
      INTEGER MPE_LOG_OK, MPE_LOG_LOCKED_OUT, MPE_LOG_NO_MEMORY
      INTEGER MPE_LOG_FILE_PROB, MPE_LOG_NOT_INITIALIZED
      INTEGER MPE_LOG_PACK_FAIL
      PARAMETER (MPE_LOG_OK = 0, MPE_LOG_LOCKED_OUT = 1)
      PARAMETER (MPE_LOG_NO_MEMORY = 2, MPE_LOG_FILE_PROB = 3)
      PARAMETER (MPE_LOG_NOT_INITIALIZED = 4, MPE_LOG_PACK_FAIL = 5)

      INTEGER MPE_Init_log, MPE_Finish_log, MPE_Initialized_logging
      EXTERNAL MPE_Init_log, MPE_Finish_log, MPE_Initialized_logging
      INTEGER MPE_Start_log, MPE_Stop_log, MPE_Log_sync_clocks
      EXTERNAL MPE_Start_log, MPE_Stop_log, MPE_Log_sync_clocks
      INTEGER MPE_Log_get_state_eventIDs, MPE_Log_get_solo_eventID
      EXTERNAL MPE_Log_get_state_eventIDs, MPE_Log_get_solo_eventID
      INTEGER MPE_Log_get_event_number
      EXTERNAL MPE_Log_get_event_number
      INTEGER MPE_Describe_state, MPE_Describe_info_state
      EXTERNAL MPE_Describe_state, MPE_Describe_info_state
      INTEGER MPE_Describe_event, MPE_Describe_info_event
      EXTERNAL MPE_Describe_event, MPE_Describe_info_event
      INTEGER MPE_Log_event, MPE_Log_bare_event, MPE_Log_info_event
      EXTERNAL MPE_Log_event, MPE_Log_bare_event, MPE_Log_info_event
      INTEGER MPE_Log_pack, MPE_Log_send, MPE_Log_receive
      EXTERNAL MPE_Log_pack, MPE_Log_send, MPE_Log_receive
