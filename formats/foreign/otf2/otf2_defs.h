/* otf2_defs.h - the definitions of an archive, kept while its events are read: one table for each kind, searched by
 * reference. Definitions come in any order. Some tools (eztrace) define a reference twice; the first definition is
 * used. */
#ifndef PITHI_OTF2_DEFS_H
#define PITHI_OTF2_DEFS_H

#include "base/map.h"
#include "foreign/otf2/otf2_library.h"

/* The rows of one kind. Each row begins with its reference. */
struct otf2_table {
    struct pithi_map places; /* reference -> index + 1 */
    char *rows;              /* [count], row_size bytes each */
    uint32_t count, room;
    size_t row_size;
};

/* Returns the row of a reference, or NULL if there is none. */
void *pithi_otf2_table_get(const struct otf2_table *table, uint64_t ref);

#define OTF2_ROWS(table, type) ((type *)(void *)(table).rows)

struct otf2_string {
    uint64_t ref;
    char *text; /* malloc'ed */
};
struct otf2_node {
    uint64_t ref;
    OTF2_StringRef name, class_name;
    OTF2_SystemTreeNodeRef parent; /* undefined: the root of the tree */
};
struct otf2_property { /* a property of the root of the system tree; `ref` is its index */
    uint64_t ref;
    OTF2_StringRef name, value;
};
struct otf2_process { /* a location group */
    uint64_t ref;
    OTF2_StringRef name;
    OTF2_LocationGroupType type;
    OTF2_SystemTreeNodeRef node;   /* the host that it runs on */
    OTF2_LocationGroupRef creator; /* the process that created it (for a GPU); else undefined */
    int32_t rank;                  /* world rank, set later; -1: none yet */
};
struct otf2_location {
    uint64_t ref;
    OTF2_StringRef name;
    OTF2_LocationType type;
    OTF2_LocationGroupRef process; /* the location group to which it belongs */
    uint64_t events;               /* number of events, by the definition */
    int is_main;                   /* set later: it is the MPI location of its rank */
    int32_t rank;                  /* set later */
    uint32_t thread, lane;         /* set later */
    int64_t last_ns;               /* time of the last record read */
};
struct otf2_region {
    uint64_t ref;
    OTF2_StringRef name;
    OTF2_Paradigm paradigm;
    OTF2_RegionRole role;
    uint64_t group;  /* reference of its group of regions + 1 */
    uint32_t id;     /* set later: id of the state + 1 */
    int32_t sampled; /* set later: the last rank with a sample in the region, among the ranks read so far; stored + 1 */
};
struct otf2_group {
    uint64_t ref;
    OTF2_StringRef name;
    OTF2_GroupType type;
    OTF2_Paradigm paradigm;
    uint32_t count;
    uint64_t *members; /* malloc'ed */
};
struct otf2_comm {
    uint64_t ref;
    OTF2_StringRef name;
    OTF2_GroupRef group, remote;         /* remote: OTF2_UNDEFINED_GROUP if none */
    uint32_t index;                      /* set later: index in the log + 1 */
    const struct otf2_group *near, *far; /* set later: its group and its remote group, or NULL */
    int32_t rank;                        /* set later: the world rank to which `is_far` applies; -1: none */
    int is_far;                          /* 1: `rank` is in `far`, not in `near` */
};
struct otf2_window { /* an RMA window */
    uint64_t ref;
    OTF2_CommRef comm; /* the communicator of its members */
};
struct otf2_member { /* a member of a metric */
    uint64_t ref;
    OTF2_StringRef name, unit; /* `unit`: "B", "s" ... */
    double factor;             /* base ^ exponent */
};
struct otf2_metric { /* a metric class or instance */
    uint64_t ref;
    OTF2_MetricRef of;           /* the class of an instance; else undefined */
    OTF2_MetricScope scope_kind; /* of an instance: the kind of thing that it measures */
    uint64_t scope;              /* reference of the thing that it measures */
    uint8_t count;
    OTF2_MetricMemberRef *members; /* [count] */
    uint32_t *ids;                 /* set later: one counter id + 1 for each member */
};
struct otf2_parameter {
    uint64_t ref;
    OTF2_StringRef name;
    OTF2_ParameterType type;
    uint32_t id;        /* set later: id of the event + 1 */
    const char *format; /* set later: format of its payload */
};
struct otf2_context {
    uint64_t ref;
    OTF2_RegionRef region;         /* the function */
    OTF2_CallingContextRef parent; /* undefined: outermost */
};

struct otf2_defs {
    struct otf2_table strings, nodes, properties, processes, locations, regions, groups, comms, windows, members,
        metrics, parameters, contexts;
    struct pithi_map notes;  /* hash of a property's name -> its index + 1 */
    struct otf2_group ranks; /* locations of ranks 0, 1, 2 ... in the preferred paradigm */
    /* Properties of the archive's clock. `offset` is the log's time 0 in ticks; `realtime` is that time in ns since
     * 1970 */
    uint64_t ticks_a_second, offset, realtime;
    double sample_s; /* time between two samples; 0: unknown */
    int no_memory;   /* 1: a callback got no memory */
};

/* Reads the global definitions of an open archive. */
int pithi_otf2_defs_read(struct otf2_defs *defs, const struct pithi_otf2 *otf2, OTF2_Reader *reader, const char *path);
void pithi_otf2_defs_free(struct otf2_defs *defs);

/* Returns "" if there is no such string. */
const char *pithi_otf2_defs_string(const struct otf2_defs *defs, uint64_t ref);
/* Returns the value of the property whose name is `what` followed by `name`, such as "colour of state " and "solve".
 * Returns "" if there is none. */
const char *pithi_otf2_defs_note(const struct otf2_defs *defs, const char *what, const char *name);

#endif
