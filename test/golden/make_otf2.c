/* make_otf2.c - make_otf2 FOLDER [alone]: an archive as measurement systems write them, with what Pith reads and does
 * not write: a clock of its own with corrections, numbers of a location's own, requests, threads and a stream of an
 * accelerator, several values at once, accesses to windows, calling contexts, samples. Two ranks without names.
 * `alone`: the first rank has events that lack their partners. */
#include <otf2/otf2.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static OTF2_Archive *archive;
static OTF2_GlobalDefWriter *defs;
static uint32_t strings;

/* Locations: of rank 0 the main thread, another one, and a stream; of rank 1 the main thread. */
enum { MAIN_0 = 70, THREAD = 71, STREAM = 72, MAIN_1 = 80 };
enum { START = 1000, TICKS = 1000000 }; /* the clock counts microseconds from 1000 */

static void must(OTF2_ErrorCode code)
{
    if (code != OTF2_SUCCESS)
        exit(1);
}

static uint32_t text(const char *string)
{
    must(OTF2_GlobalDefWriter_WriteString(defs, strings, string));
    return strings++;
}

static OTF2_FlushType flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool last)
{
    (void)data, (void)type, (void)location, (void)caller, (void)last;
    return OTF2_FLUSH;
}
static OTF2_FlushCallbacks callbacks = {flush, NULL};

/* ---- Events ------------------------------------------------------------------------------------------------------ */

static void main_0(OTF2_EvtWriter *w)
{
    OTF2_Type types[] = {OTF2_TYPE_UINT64, OTF2_TYPE_INT64};
    OTF2_MetricValue values[] = {{.unsigned_int = 5}, {.signed_int = -3}};
    OTF2_Type power = OTF2_TYPE_DOUBLE;
    OTF2_MetricValue watts = {.floating_point = 2.5};

    must(OTF2_EvtWriter_ProgramBegin(w, NULL, START, text("heat"), 0, NULL));
    must(OTF2_EvtWriter_Enter(w, NULL, START + 1, 0));
    must(OTF2_EvtWriter_Metric(w, NULL, START + 1, 0, 2, types, values));
    must(OTF2_EvtWriter_MpiIrecvRequest(w, NULL, START + 2, 900));
    must(OTF2_EvtWriter_MpiIrecvRequest(w, NULL, START + 3, 901));
    must(OTF2_EvtWriter_MpiIrecvRequest(w, NULL, START + 4, 902));
    must(OTF2_EvtWriter_ThreadFork(w, NULL, START + 5, OTF2_PARADIGM_OPENMP, 2));
    must(OTF2_EvtWriter_MpiIrecv(w, NULL, START + 20, 1, 0, 7, 16, 901));
    must(OTF2_EvtWriter_MpiRequestCancelled(w, NULL, START + 21, 902));
    must(OTF2_EvtWriter_MpiIrecvRequest(w, NULL, START + 22, 901)); /* the number again */
    must(OTF2_EvtWriter_MpiIrecv(w, NULL, START + 23, 1, 0, 7, 24, 901));
    must(OTF2_EvtWriter_MpiIsend(w, NULL, START + 25, 0, 1, 5, 32, 903)); /* in a turned communicator: to rank 1 */
    must(OTF2_EvtWriter_MpiIsendComplete(w, NULL, START + 26, 903));
    must(OTF2_EvtWriter_MpiSend(w, NULL, START + 27, 0, 2, 6, 40)); /* to itself */
    must(OTF2_EvtWriter_NonBlockingCollectiveRequest(w, NULL, START + 28, 904));
    must(OTF2_EvtWriter_NonBlockingCollectiveComplete(w, NULL, START + 29, OTF2_COLLECTIVE_OP_BCAST, 1, 1, 8, 8, 904));
    must(OTF2_EvtWriter_RmaPut(w, NULL, START + 30, 0, 1, 64, 1));
    must(OTF2_EvtWriter_Metric(w, NULL, START + 31, 2, 1, &power, &watts));
    must(OTF2_EvtWriter_ParameterInt(w, NULL, START + 32, 0, -7));
    must(OTF2_EvtWriter_ParameterString(w, NULL, START + 33, 1, text("fast lane")));
    must(OTF2_EvtWriter_BufferFlush(w, NULL, START + 34, START + 36));
    must(OTF2_EvtWriter_MeasurementOnOff(w, NULL, START + 37, OTF2_MEASUREMENT_OFF));
    must(OTF2_EvtWriter_MeasurementOnOff(w, NULL, START + 38, OTF2_MEASUREMENT_ON));
    must(OTF2_EvtWriter_Leave(w, NULL, START + 40, 0));
}

static void thread(OTF2_EvtWriter *w)
{
    must(OTF2_EvtWriter_CallingContextEnter(w, NULL, START + 10, 0, 1));
    must(OTF2_EvtWriter_MpiIrecv(w, NULL, START + 12, 1, 0, 7, 8, 900)); /* posted by the main thread */
    must(OTF2_EvtWriter_CallingContextSample(w, NULL, START + 13, 2, 3, 0));
    must(OTF2_EvtWriter_CallingContextSample(w, NULL, START + 14, 1, 1, 0));
    must(OTF2_EvtWriter_CallingContextLeave(w, NULL, START + 15, 0));
}

static void stream(OTF2_EvtWriter *w)
{
    must(OTF2_EvtWriter_Enter(w, NULL, START + 11, 2));
    must(OTF2_EvtWriter_Leave(w, NULL, START + 19, 2));
}

/* Leaves without an enter: one inside a state that is never left, one inside a state that is. A message with nobody. */
static void main_0_alone(OTF2_EvtWriter *w)
{
    must(OTF2_EvtWriter_Enter(w, NULL, START + 1, 0));
    must(OTF2_EvtWriter_Leave(w, NULL, START + 2, 2));
    must(OTF2_EvtWriter_Enter(w, NULL, START + 10, 1));
    must(OTF2_EvtWriter_MpiSend(w, NULL, START + 11, 9, 0, 7, 8));
    must(OTF2_EvtWriter_Leave(w, NULL, START + 20, 1));
}

static void thread_alone(OTF2_EvtWriter *w)
{
    must(OTF2_EvtWriter_Enter(w, NULL, START + 1, 0));
    must(OTF2_EvtWriter_Leave(w, NULL, START + 2, 2));
    must(OTF2_EvtWriter_Leave(w, NULL, START + 20, 0));
}

/* Its regions have numbers of its own, 0 for 1, and its clock is 100 ticks late. */
static void main_1(OTF2_EvtWriter *w)
{
    for (uint32_t i = 0; i < 3; i++) {
        must(OTF2_EvtWriter_Enter(w, NULL, START + 5 + i - 100, 0));
        must(OTF2_EvtWriter_MpiSend(w, NULL, START + 5 + i - 100, 0, 0, 7, 8 * (i + 1)));
        must(OTF2_EvtWriter_Leave(w, NULL, START + 6 + i - 100, 0));
    }
}

static uint64_t write_events(OTF2_LocationRef location, void (*write)(OTF2_EvtWriter *w))
{
    OTF2_EvtWriter *w = OTF2_Archive_GetEvtWriter(archive, location);
    uint64_t count;

    write(w);
    must(OTF2_EvtWriter_GetNumberOfEvents(w, &count));
    must(OTF2_Archive_CloseEvtWriter(archive, w));
    return count;
}

static void write_local_definitions(void)
{
    static const OTF2_LocationRef locations[] = {MAIN_0, THREAD, STREAM, MAIN_1};
    static const uint64_t mapping[] = {1, 0};

    must(OTF2_Archive_OpenDefFiles(archive));
    for (int i = 0; i < 4; i++) {
        OTF2_DefWriter *w = OTF2_Archive_GetDefWriter(archive, locations[i]);
        if (locations[i] == MAIN_1) {
            OTF2_IdMap *map = OTF2_IdMap_CreateFromUint64Array(2, mapping, false);
            must(OTF2_DefWriter_WriteMappingTable(w, OTF2_MAPPING_REGION, map));
            OTF2_IdMap_Free(map);
            must(OTF2_DefWriter_WriteClockOffset(w, 0, 100, 0));
            must(OTF2_DefWriter_WriteClockOffset(w, START + 100, 100, 0));
        }
        must(OTF2_Archive_CloseDefWriter(archive, w));
    }
    must(OTF2_Archive_CloseDefFiles(archive));
}

/* ---- Definitions ------------------------------------------------------------------------------------------------- */

static void put_regions(void)
{
    uint32_t none = text("");

    must(OTF2_GlobalDefWriter_WriteRegion(defs, 0, text("solve(int)"), text("_Z5solvei"), none,
                                          OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_COMPILER, 0, none, 1, 9));
    must(OTF2_GlobalDefWriter_WriteRegion(defs, 1, text("MPI_Send"), none, none, OTF2_REGION_ROLE_POINT2POINT,
                                          OTF2_PARADIGM_MPI, 0, none, 0, 0));
    must(OTF2_GlobalDefWriter_WriteRegion(defs, 2, text("kernel"), none, none, OTF2_REGION_ROLE_FUNCTION,
                                          OTF2_PARADIGM_CUDA, 0, none, 0, 0));
    must(OTF2_GlobalDefWriter_WriteRegion(defs, 3, text("never used"), none, none, OTF2_REGION_ROLE_FUNCTION,
                                          OTF2_PARADIGM_USER, 0, none, 0, 0));
    must(OTF2_GlobalDefWriter_WriteSourceCodeLocation(defs, 0, none, 3));
    must(OTF2_GlobalDefWriter_WriteRegion(defs, 4, text("flux"), none, none, OTF2_REGION_ROLE_FUNCTION,
                                          OTF2_PARADIGM_SAMPLING, 0, none, 0, 0));
    must(OTF2_GlobalDefWriter_WriteCallingContext(defs, 0, 0, 0, OTF2_UNDEFINED_CALLING_CONTEXT));
    must(OTF2_GlobalDefWriter_WriteCallingContext(defs, 1, 4, OTF2_UNDEFINED_SOURCE_CODE_LOCATION, 0));
    must(OTF2_GlobalDefWriter_WriteCallingContext(defs, 2, 4, OTF2_UNDEFINED_SOURCE_CODE_LOCATION, 1));
    must(OTF2_GlobalDefWriter_WriteInterruptGenerator(defs, 0, text("timer"), OTF2_INTERRUPT_GENERATOR_MODE_TIME,
                                                      OTF2_BASE_DECIMAL, -6, 2));
    must(OTF2_GlobalDefWriter_WriteParameter(defs, 0, text("step"), OTF2_PARAMETER_TYPE_INT64));
    must(OTF2_GlobalDefWriter_WriteParameter(defs, 1, text("mode"), OTF2_PARAMETER_TYPE_STRING));
}

static void put_metrics(void)
{
    OTF2_MetricMemberRef two[] = {0, 1}, one = 2;
    uint32_t none = text("");

    must(OTF2_GlobalDefWriter_WriteMetricMember(defs, 0, text("PAPI_L1"), none, OTF2_METRIC_TYPE_PAPI,
                                                OTF2_METRIC_ACCUMULATED_START, OTF2_TYPE_UINT64, OTF2_BASE_DECIMAL, 3,
                                                text("misses")));
    must(OTF2_GlobalDefWriter_WriteMetricMember(defs, 1, text("drift"), none, OTF2_METRIC_TYPE_OTHER,
                                                OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_INT64, OTF2_BASE_BINARY, -1,
                                                none));
    must(OTF2_GlobalDefWriter_WriteMetricMember(defs, 2, text("watts"), none, OTF2_METRIC_TYPE_OTHER,
                                                OTF2_METRIC_ABSOLUTE_POINT, OTF2_TYPE_DOUBLE, OTF2_BASE_DECIMAL, 0,
                                                none));
    must(
        OTF2_GlobalDefWriter_WriteMetricClass(defs, 0, 2, two, OTF2_METRIC_SYNCHRONOUS_STRICT, OTF2_RECORDER_KIND_CPU));
    must(OTF2_GlobalDefWriter_WriteMetricClass(defs, 1, 1, &one, OTF2_METRIC_ASYNCHRONOUS, OTF2_RECORDER_KIND_CPU));
    must(OTF2_GlobalDefWriter_WriteMetricInstance(defs, 2, 1, MAIN_0, OTF2_SCOPE_SYSTEM_TREE_NODE, 1));
}

static void put_places(const uint64_t *counts)
{
    must(OTF2_GlobalDefWriter_WriteClockProperties(defs, TICKS, START, 100, UINT64_C(1000000000000000001)));
    must(OTF2_GlobalDefWriter_WriteSystemTreeNode(defs, 0, text("cluster"), text("machine"),
                                                  OTF2_UNDEFINED_SYSTEM_TREE_NODE));
    must(OTF2_GlobalDefWriter_WriteSystemTreeNode(defs, 1, text("node7"), text("node"), 0));
    must(OTF2_GlobalDefWriter_WriteSystemTreeNode(defs, 2, text("socket 0"), text("socket"), 1));
    must(OTF2_GlobalDefWriter_WriteLocationGroup(defs, 0, text("gpu"), OTF2_LOCATION_GROUP_TYPE_ACCELERATOR, 1, 2));
    must(OTF2_GlobalDefWriter_WriteLocationGroup(defs, 1, text("second"), OTF2_LOCATION_GROUP_TYPE_PROCESS, 2,
                                                 OTF2_UNDEFINED_LOCATION_GROUP));
    must(OTF2_GlobalDefWriter_WriteLocationGroup(defs, 2, text("first"), OTF2_LOCATION_GROUP_TYPE_PROCESS, 2,
                                                 OTF2_UNDEFINED_LOCATION_GROUP));
    must(OTF2_GlobalDefWriter_WriteLocation(defs, STREAM, text("stream"), OTF2_LOCATION_TYPE_ACCELERATOR_STREAM,
                                            counts[2], 0));
    must(OTF2_GlobalDefWriter_WriteLocation(defs, THREAD, text("OMP thread 1"), OTF2_LOCATION_TYPE_CPU_THREAD,
                                            counts[1], 2));
    must(OTF2_GlobalDefWriter_WriteLocation(defs, MAIN_0, text("Master thread"), OTF2_LOCATION_TYPE_CPU_THREAD,
                                            counts[0], 2));
    must(OTF2_GlobalDefWriter_WriteLocation(defs, MAIN_1, text("Master thread"), OTF2_LOCATION_TYPE_CPU_THREAD,
                                            counts[3], 1));
    must(OTF2_GlobalDefWriter_WriteLocation(defs, 99, text("nobody's values"), OTF2_LOCATION_TYPE_METRIC, 0, 2));
}

static void put_comms(void)
{
    static const uint64_t locations[] = {MAIN_0, MAIN_1}, all[] = {0, 1}, turned[] = {1, 0};
    uint32_t none = text("");

    must(OTF2_GlobalDefWriter_WriteGroup(defs, 0, none, OTF2_GROUP_TYPE_COMM_LOCATIONS, OTF2_PARADIGM_MPI, 0, 2,
                                         locations));
    must(OTF2_GlobalDefWriter_WriteGroup(defs, 1, none, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, 2, all));
    must(OTF2_GlobalDefWriter_WriteGroup(defs, 2, none, OTF2_GROUP_TYPE_COMM_GROUP, OTF2_PARADIGM_MPI, 0, 2, turned));
    must(OTF2_GlobalDefWriter_WriteGroup(defs, 3, none, OTF2_GROUP_TYPE_COMM_SELF, OTF2_PARADIGM_MPI, 0, 0, NULL));
    must(OTF2_GlobalDefWriter_WriteComm(defs, 0, none, 1, OTF2_UNDEFINED_COMM, 0));
    must(OTF2_GlobalDefWriter_WriteComm(defs, 1, text("turned"), 2, 0, 0));
    must(OTF2_GlobalDefWriter_WriteComm(defs, 2, text("self"), 3, OTF2_UNDEFINED_COMM, 0));
    must(OTF2_GlobalDefWriter_WriteRmaWin(defs, 0, none, 0, 0));
}

int main(int argc, char **argv)
{
    uint64_t counts[4];

    int alone = argc == 3 && strcmp(argv[2], "alone") == 0;

    if (argc != 2 + alone)
        return 2;
    archive = OTF2_Archive_Open(argv[1], "trace", OTF2_FILEMODE_WRITE, 1 << 20, 1 << 22, OTF2_SUBSTRATE_POSIX,
                                OTF2_COMPRESSION_NONE);
    if (!archive)
        return 1;
    must(OTF2_Archive_SetFlushCallbacks(archive, &callbacks, NULL));
    must(OTF2_Archive_SetSerialCollectiveCallbacks(archive));
    defs = OTF2_Archive_GetGlobalDefWriter(archive);
    must(OTF2_Archive_OpenEvtFiles(archive));
    counts[0] = write_events(MAIN_0, alone ? main_0_alone : main_0);
    counts[1] = write_events(THREAD, alone ? thread_alone : thread);
    counts[2] = write_events(STREAM, stream);
    counts[3] = write_events(MAIN_1, main_1);
    must(OTF2_Archive_CloseEvtFiles(archive));
    write_local_definitions();
    put_regions();
    put_metrics();
    put_places(counts);
    put_comms();
    must(OTF2_Archive_Close(archive));
    return 0;
}
