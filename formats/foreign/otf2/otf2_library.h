/* otf2_library.h - loads libotf2 with dlopen at first use, because most programs that read logs do not need it; and
 * maps the names of MPI functions to OTF2's operations, roles and paradigms.
 *
 * All functions that Pith uses are in one list; library->Reader_Open is OTF2_Reader_Open. */
#ifndef PITHI_OTF2_LIBRARY_H
#define PITHI_OTF2_LIBRARY_H

#include <otf2/otf2.h>

#define PITHI_OTF2_GLOBAL_DEFS(F)                                                                                      \
    F(ClockProperties)                                                                                                 \
    F(String)                                                                                                          \
    F(SystemTreeNode)                                                                                                  \
    F(SystemTreeNodeProperty)                                                                                          \
    F(LocationGroup)                                                                                                   \
    F(Location)                                                                                                        \
    F(Region)                                                                                                          \
    F(Group)                                                                                                           \
    F(MetricMember)                                                                                                    \
    F(MetricClass)                                                                                                     \
    F(MetricInstance)                                                                                                  \
    F(Comm)                                                                                                            \
    F(InterComm)                                                                                                       \
    F(Parameter)                                                                                                       \
    F(RmaWin)                                                                                                          \
    F(CallingContext)                                                                                                  \
    F(InterruptGenerator)

#define PITHI_OTF2_EVENTS(F)                                                                                           \
    F(Unknown)                                                                                                         \
    F(BufferFlush)                                                                                                     \
    F(MeasurementOnOff)                                                                                                \
    F(Enter)                                                                                                           \
    F(Leave)                                                                                                           \
    F(MpiSend)                                                                                                         \
    F(MpiIsend)                                                                                                        \
    F(MpiIsendComplete)                                                                                                \
    F(MpiCollectiveBegin)                                                                                              \
    F(NonBlockingCollectiveRequest)                                                                                    \
    F(MpiIrecvRequest)                                                                                                 \
    F(MpiRecv)                                                                                                         \
    F(MpiIrecv)                                                                                                        \
    F(MpiRequestCancelled)                                                                                             \
    F(MpiCollectiveEnd)                                                                                                \
    F(NonBlockingCollectiveComplete)                                                                                   \
    F(Metric)                                                                                                          \
    F(ParameterString)                                                                                                 \
    F(ParameterInt)                                                                                                    \
    F(ParameterUnsignedInt)                                                                                            \
    F(RmaCollectiveEnd)                                                                                                \
    F(RmaPut)                                                                                                          \
    F(RmaGet)                                                                                                          \
    F(RmaAtomic)                                                                                                       \
    F(CallingContextEnter)                                                                                             \
    F(CallingContextLeave)                                                                                             \
    F(CallingContextSample)                                                                                            \
    F(ProgramBegin)                                                                                                    \
    F(CommCreate)                                                                                                      \
    F(CommDestroy)

#define PITHI_OTF2_READING(F)                                                                                          \
    F(Reader_Open)                                                                                                     \
    F(Reader_Close)                                                                                                    \
    F(Reader_SetSerialCollectiveCallbacks)                                                                             \
    F(Reader_GetCreator)                                                                                               \
    F(Reader_GetGlobalDefReader)                                                                                       \
    F(Reader_RegisterGlobalDefCallbacks)                                                                               \
    F(Reader_ReadAllGlobalDefinitions)                                                                                 \
    F(Reader_CloseGlobalDefReader)                                                                                     \
    F(Reader_SelectLocation)                                                                                           \
    F(Reader_OpenDefFiles)                                                                                             \
    F(Reader_GetDefReader)                                                                                             \
    F(Reader_ReadAllLocalDefinitions)                                                                                  \
    F(Reader_CloseDefReader)                                                                                           \
    F(Reader_CloseDefFiles)                                                                                            \
    F(Reader_OpenEvtFiles)                                                                                             \
    F(Reader_GetEvtReader)                                                                                             \
    F(Reader_GetGlobalEvtReader)                                                                                       \
    F(Reader_RegisterGlobalEvtCallbacks)                                                                               \
    F(Reader_ReadGlobalEvents)                                                                                         \
    F(Reader_CloseGlobalEvtReader)                                                                                     \
    F(Reader_CloseEvtFiles)                                                                                            \
    F(GlobalDefReaderCallbacks_New)                                                                                    \
    F(GlobalDefReaderCallbacks_Delete)                                                                                 \
    F(GlobalEvtReaderCallbacks_New)                                                                                    \
    F(GlobalEvtReaderCallbacks_Delete)

#define PITHI_OTF2_WRITING(F)                                                                                          \
    F(Archive_Open)                                                                                                    \
    F(Archive_Close)                                                                                                   \
    F(Archive_SetCreator)                                                                                              \
    F(Archive_SetFlushCallbacks)                                                                                       \
    F(Archive_SetMemoryCallbacks)                                                                                      \
    F(Archive_SetSerialCollectiveCallbacks)                                                                            \
    F(Archive_OpenEvtFiles)                                                                                            \
    F(Archive_GetEvtWriter)                                                                                            \
    F(Archive_CloseEvtWriter)                                                                                          \
    F(Archive_CloseEvtFiles)                                                                                           \
    F(Archive_OpenDefFiles)                                                                                            \
    F(Archive_GetDefWriter)                                                                                            \
    F(Archive_CloseDefWriter)                                                                                          \
    F(Archive_CloseDefFiles)                                                                                           \
    F(Archive_GetGlobalDefWriter)                                                                                      \
    F(Archive_CloseGlobalDefWriter)                                                                                    \
    F(GlobalDefWriter_WriteClockProperties)                                                                            \
    F(GlobalDefWriter_WriteParadigm)                                                                                   \
    F(GlobalDefWriter_WriteString)                                                                                     \
    F(GlobalDefWriter_WriteSystemTreeNode)                                                                             \
    F(GlobalDefWriter_WriteSystemTreeNodeProperty)                                                                     \
    F(GlobalDefWriter_WriteSystemTreeNodeDomain)                                                                       \
    F(GlobalDefWriter_WriteLocationGroup)                                                                              \
    F(GlobalDefWriter_WriteLocation)                                                                                   \
    F(GlobalDefWriter_WriteRegion)                                                                                     \
    F(GlobalDefWriter_WriteGroup)                                                                                      \
    F(GlobalDefWriter_WriteMetricMember)                                                                               \
    F(GlobalDefWriter_WriteMetricClass)                                                                                \
    F(GlobalDefWriter_WriteComm)                                                                                       \
    F(GlobalDefWriter_WriteInterComm)                                                                                  \
    F(GlobalDefWriter_WriteParameter)                                                                                  \
    F(GlobalDefWriter_WriteCallingContext)                                                                             \
    F(GlobalDefWriter_WriteInterruptGenerator)                                                                         \
    F(EvtWriter_GetNumberOfEvents)                                                                                     \
    F(EvtWriter_Enter)                                                                                                 \
    F(EvtWriter_Leave)                                                                                                 \
    F(EvtWriter_CallingContextEnter)                                                                                   \
    F(EvtWriter_CallingContextLeave)                                                                                   \
    F(EvtWriter_CallingContextSample)                                                                                  \
    F(EvtWriter_MpiSend)                                                                                               \
    F(EvtWriter_MpiRecv)                                                                                               \
    F(EvtWriter_MpiIrecvRequest)                                                                                       \
    F(EvtWriter_MpiIrecv)                                                                                              \
    F(EvtWriter_MpiRequestCancelled)                                                                                   \
    F(EvtWriter_MpiCollectiveBegin)                                                                                    \
    F(EvtWriter_MpiCollectiveEnd)                                                                                      \
    F(EvtWriter_Metric)                                                                                                \
    F(EvtWriter_ParameterString)                                                                                       \
    F(EvtWriter_ParameterInt)                                                                                          \
    F(EvtWriter_ParameterUnsignedInt)                                                                                  \
    F(EvtWriter_MeasurementOnOff)                                                                                      \
    F(EvtWriter_CommCreate)                                                                                            \
    F(EvtWriter_CommDestroy)

struct pithi_otf2 { /* one member for each function, by its name without OTF2_ */
#define FIELD(name) __typeof__(OTF2_##name) *name;
    FIELD(Error_RegisterCallback)
    FIELD(Error_GetDescription)
    PITHI_OTF2_READING(FIELD)
    PITHI_OTF2_WRITING(FIELD)
#undef FIELD
#define FIELD(name)                                                                                                    \
    __typeof__(OTF2_GlobalDefReaderCallbacks_Set##name##Callback) *GlobalDefReaderCallbacks_Set##name##Callback;
    PITHI_OTF2_GLOBAL_DEFS(FIELD)
#undef FIELD
#define FIELD(name)                                                                                                    \
    __typeof__(OTF2_GlobalEvtReaderCallbacks_Set##name##Callback) *GlobalEvtReaderCallbacks_Set##name##Callback;
    PITHI_OTF2_EVENTS(FIELD)
#undef FIELD
};

/* Loads libotf2. Until pithi_otf2_end, its errors on this thread are kept and not printed. After an error do not call
 * pithi_otf2_end. */
int pithi_otf2_begin(const char *path, const struct pithi_otf2 **otf2);
void pithi_otf2_end(void);

/* Returns 1 if libotf2 has reported an error since pithi_otf2_begin. This is needed because functions of libotf2 return
 * success even if they could not write their files. */
int pithi_otf2_complained(void);

/* Calls pithi_fail with the first message of libotf2 since pithi_otf2_begin, or else with the text of `code`. */
int pithi_otf2_fail(int err, const char *path, const char *what, OTF2_ErrorCode code);

/* Returns the collective operation for the name of a state ("MPI_Bcast", "MPI_Ibcast"), or -1 if it has none. */
int pithi_otf2_operation(const char *name);
/* Return the role and the paradigm of the region that is written for a state with this name and group. */
OTF2_RegionRole pithi_otf2_role(const char *name, const char *group);
OTF2_Paradigm pithi_otf2_paradigm(const char *name, const char *group);

/* Returns the group of the state that is made for a region, by the region's name, paradigm and role. Needed for regions
 * that are in no group of regions. */
const char *pithi_otf2_group(const char *name, OTF2_Paradigm paradigm, OTF2_RegionRole role);

#endif
