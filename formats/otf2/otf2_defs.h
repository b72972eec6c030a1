/* otf2_defs.h - the definitions of an archive, kept while its events are read: a table a kind, by reference. They come
 * in any order, and some tools (eztrace) define things twice: the first of a reference holds. */
#ifndef PITHI_OTF2_DEFS_H
#define PITHI_OTF2_DEFS_H

#include "foreign/lookup.h"
#include "otf2/otf2_library.h"

/* Rows of one kind, each of which begins with its reference. */
struct otf2_table {
    struct pithi_lookup places; /* reference -> index + 1 */
    char *rows;
    uint32_t count, room;
    size_t row_size;
};

/* The row of a reference, or NULL. */
void *pithi_otf2_table_get(const struct otf2_table *table, uint64_t ref);
/* A new row, all else 0. NULL: no memory, or (then *there) it is there already. */
void *pithi_otf2_table_add(struct otf2_table *table, uint64_t ref, int *there);

#define OTF2_ROWS(table, type) ((type *)(void *)(table).rows)

struct otf2_string {
    uint64_t ref;
    char *text;
};
struct otf2_node {
    uint64_t ref;
    OTF2_StringRef name, class_name;
    OTF2_SystemTreeNodeRef parent;
};
struct otf2_property { /* of the root of the system tree; ref: its index */
    uint64_t ref;
    OTF2_StringRef name, value;
};
struct otf2_process { /* a location group */
    uint64_t ref;
    OTF2_StringRef name;
    OTF2_LocationGroupType type;
    OTF2_SystemTreeNodeRef node;
    OTF2_LocationGroupRef creator;
    int32_t rank; /* made; -1: none yet */
};
struct otf2_location {
    uint64_t ref;
    OTF2_StringRef name;
    OTF2_LocationType type;
    OTF2_LocationGroupRef process;
    uint64_t events;
    int is_main;           /* made: it stands for its rank in MPI */
    int32_t rank;          /* made */
    uint32_t thread, lane; /* made */
    int64_t last_ns;       /* while reading: of its last record */
};
struct otf2_region {
    uint64_t ref;
    OTF2_StringRef name;
    OTF2_Paradigm paradigm;
    OTF2_RegionRole role;
    uint64_t group; /* reference of a group of regions + 1 */
    uint32_t id;    /* made: the state's + 1 */
};
struct otf2_group {
    uint64_t ref;
    OTF2_StringRef name;
    OTF2_GroupType type;
    OTF2_Paradigm paradigm;
    uint32_t count;
    uint64_t *members;
};
struct otf2_comm {
    uint64_t ref;
    OTF2_StringRef name;
    OTF2_GroupRef group, remote;         /* remote: OTF2_UNDEFINED_GROUP */
    uint32_t index;                      /* made: the log's + 1 */
    const struct otf2_group *near, *far; /* made: these groups, or NULL */
    int32_t rank;                        /* asked about last, -1: none; in which group it is */
    int is_far;
};
struct otf2_window { /* of RMA */
    uint64_t ref;
    OTF2_CommRef comm;
};
struct otf2_member { /* of a metric */
    uint64_t ref;
    OTF2_StringRef name, unit;
    double factor; /* base ^ exponent */
};
struct otf2_metric { /* a class, or an instance of one */
    uint64_t ref;
    OTF2_MetricRef of; /* instance: its class; else undefined */
    OTF2_MetricScope scope_kind;
    uint64_t scope;
    uint8_t count;
    OTF2_MetricMemberRef *members;
    uint32_t *ids; /* made: of counters, + 1, as many as members */
};
struct otf2_parameter {
    uint64_t ref;
    OTF2_StringRef name;
    OTF2_ParameterType type;
    uint32_t id;        /* made: the event's + 1 */
    const char *format; /* made: of its payload */
};
struct otf2_context {
    uint64_t ref;
    OTF2_RegionRef region;
};

struct otf2_defs {
    struct otf2_table strings, nodes, properties, processes, locations, regions, groups, comms, windows, members,
        metrics, parameters, contexts;
    struct pithi_lookup notes; /* hash of a property's name -> its index + 1 */
    struct otf2_group ranks;   /* which locations are ranks 0, 1, 2 ...; of the most likely paradigm */
    uint64_t ticks_a_second, offset, realtime;
    int no_memory;
};

/* Reads the global definitions of an open archive. */
int pithi_otf2_defs_read(struct otf2_defs *defs, const struct pithi_otf2 *otf2, OTF2_Reader *reader, const char *path);
void pithi_otf2_defs_free(struct otf2_defs *defs);

/* "" when there is none. */
const char *pithi_otf2_defs_string(const struct otf2_defs *defs, uint64_t ref);
/* Of the property of which the name is these two, one behind the other ("colour of state " "solve"); "" when there is
 * none. */
const char *pithi_otf2_defs_note(const struct otf2_defs *defs, const char *what, const char *name);

#endif
