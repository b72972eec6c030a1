/* peer_otf2.c - the loop of peer.h written by OTF2 into the archive peer_otf2/; times by the time stamp counter, or
 * with -DCLOCK by clock_gettime. */
#include <otf2/otf2.h>

#include "peer.h"
#include "pith.h"

static OTF2_Archive *archive;
static OTF2_EvtWriter *writer;

static uint64_t now(void)
{
#ifdef CLOCK
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
#else
    return pith_ticks_();
#endif
}

static inline void peer_begin(uint32_t state) { OTF2_EvtWriter_Enter(writer, NULL, now(), state); }
static inline void peer_end(uint32_t state) { OTF2_EvtWriter_Leave(writer, NULL, now(), state); }

static OTF2_FlushType before_flush(void *data, OTF2_FileType type, OTF2_LocationRef location, void *caller, bool final)
{
    (void)data, (void)type, (void)location, (void)caller, (void) final;
    return OTF2_FLUSH;
}
static OTF2_TimeStamp after_flush(void *data, OTF2_FileType type, OTF2_LocationRef location)
{
    (void)data, (void)type, (void)location;
    return now();
}
static OTF2_FlushCallbacks flush = {before_flush, after_flush};

static uint64_t first, events;

/* String i is the name of state i; behind those come "", and the names of the machine. */
static void define(void)
{
    OTF2_GlobalDefWriter *defs = OTF2_Archive_GetGlobalDefWriter(archive);
    uint64_t last = now();
    char name[16];

    OTF2_GlobalDefWriter_WriteClockProperties(defs, 1000000000, first, last - first + 1, OTF2_UNDEFINED_TIMESTAMP);
    for (uint32_t i = 0; i < PEER_STATES; i++) {
        snprintf(name, sizeof name, "state %u", (unsigned)i);
        OTF2_GlobalDefWriter_WriteString(defs, i, name);
    }
    OTF2_GlobalDefWriter_WriteString(defs, PEER_STATES, "machine");
    for (uint32_t i = 0; i < PEER_STATES; i++)
        OTF2_GlobalDefWriter_WriteRegion(defs, i, i, i, i, OTF2_REGION_ROLE_FUNCTION, OTF2_PARADIGM_USER,
                                         OTF2_REGION_FLAG_NONE, OTF2_UNDEFINED_STRING, 0, 0);
    OTF2_GlobalDefWriter_WriteSystemTreeNode(defs, 0, PEER_STATES, PEER_STATES, OTF2_UNDEFINED_SYSTEM_TREE_NODE);
    OTF2_GlobalDefWriter_WriteLocationGroup(defs, 0, PEER_STATES, OTF2_LOCATION_GROUP_TYPE_PROCESS, 0,
                                            OTF2_UNDEFINED_LOCATION_GROUP);
    OTF2_GlobalDefWriter_WriteLocation(defs, 0, PEER_STATES, OTF2_LOCATION_TYPE_CPU_THREAD, events, 0);
}

static void end(void)
{
    OTF2_EvtWriter_GetNumberOfEvents(writer, &events);
    OTF2_Archive_CloseEvtWriter(archive, writer);
    OTF2_Archive_CloseEvtFiles(archive);
    OTF2_Archive_OpenDefFiles(archive);
    OTF2_Archive_CloseDefWriter(archive, OTF2_Archive_GetDefWriter(archive, 0));
    OTF2_Archive_CloseDefFiles(archive);
    define();
    OTF2_Archive_Close(archive);
}

int main(int argc, char **argv)
{
    archive = OTF2_Archive_Open("peer_otf2", "peer", OTF2_FILEMODE_WRITE, 1024 * 1024, 4 * 1024 * 1024,
                                OTF2_SUBSTRATE_POSIX, OTF2_COMPRESSION_NONE);
    if (archive == NULL)
        return 1;
    OTF2_Archive_SetFlushCallbacks(archive, &flush, NULL);
    OTF2_Archive_SetSerialCollectiveCallbacks(archive);
    OTF2_Archive_OpenEvtFiles(archive);
    writer = OTF2_Archive_GetEvtWriter(archive, 0);
    first = now();
    return peer_run(argc, argv, end);
}
