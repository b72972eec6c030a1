/* peer_otf2_read.c ANCHOR - every event of an OTF2 archive by its callbacks, in order of time; prints million events a
 * second. */
#include <otf2/otf2.h>

#include "peer.h"

static inline void peer_begin(uint32_t state) { (void)state; }
static inline void peer_end(uint32_t state) { (void)state; }

static uint64_t sum, count;

static OTF2_CallbackCode location(void *data, OTF2_LocationRef self, OTF2_StringRef name, OTF2_LocationType type,
                                  uint64_t events, OTF2_LocationGroupRef group)
{
    (void)name, (void)type, (void)events, (void)group;
    OTF2_Reader_SelectLocation(data, self);
    return OTF2_CALLBACK_SUCCESS;
}
static OTF2_CallbackCode event(OTF2_LocationRef location, OTF2_TimeStamp time, void *data,
                               OTF2_AttributeList *attributes, OTF2_RegionRef region)
{
    (void)location, (void)data, (void)attributes;
    sum += time + region;
    count++;
    return OTF2_CALLBACK_SUCCESS;
}

int main(int argc, char **argv)
{
    OTF2_Reader *reader = argc > 1 ? OTF2_Reader_Open(argv[1]) : NULL;
    OTF2_GlobalDefReaderCallbacks *definitions = OTF2_GlobalDefReaderCallbacks_New();
    OTF2_GlobalEvtReaderCallbacks *events = OTF2_GlobalEvtReaderCallbacks_New();
    OTF2_GlobalDefReader *global;
    OTF2_GlobalEvtReader *all;
    uint64_t read;
    double begin;

    if (reader == NULL)
        return 1;
    OTF2_Reader_SetSerialCollectiveCallbacks(reader);
    global = OTF2_Reader_GetGlobalDefReader(reader);
    OTF2_GlobalDefReaderCallbacks_SetLocationCallback(definitions, location);
    OTF2_Reader_RegisterGlobalDefCallbacks(reader, global, definitions, reader);
    OTF2_Reader_ReadAllGlobalDefinitions(reader, global, &read);
    OTF2_Reader_OpenEvtFiles(reader);
    OTF2_Reader_GetEvtReader(reader, 0);
    all = OTF2_Reader_GetGlobalEvtReader(reader);
    OTF2_GlobalEvtReaderCallbacks_SetEnterCallback(events, event);
    OTF2_GlobalEvtReaderCallbacks_SetLeaveCallback(events, event);
    OTF2_Reader_RegisterGlobalEvtCallbacks(reader, all, events, NULL);
    begin = peer_cpu_ns();
    OTF2_Reader_ReadAllGlobalEvents(reader, all, &read);
    printf("%.3f\n", sum == 0 ? 0.0 : (double)count * 1e3 / (peer_cpu_ns() - begin));
    OTF2_Reader_Close(reader);
    return 0;
}
