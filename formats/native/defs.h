/* defs.h - functions of a set of definitions that only files of the native format need; the others are in segment.h. */
#ifndef PITHI_DEFS_H
#define PITHI_DEFS_H

#include "base/bytes.h"
#include "base/map.h"
#include "native/segment.h"
#include "pithlog.h"

/* ---- Hosts and communicators ------------------------------------------------------------------------------------- */

/* The hosts and communicators of all ranks of a log. They belong to the set of definitions
 * (pithi_defs_places) and to the DEFS chunk. So they are collected from the ranks together with the definitions, and a
 * reader has all of them without reading the data of any rank. */

struct pithi_place_comm {
    uint64_t key;
    char *name;
    int32_t size, remote_size; /* 0, 0: no rank lists the members */
    int32_t teller;            /* the rank whose descriptions list the members */
};

struct pithi_places {
    char **hosts; /* [host_count] malloc'ed */
    uint32_t host_count, host_room;
    struct pithi_place_comm *comms; /* [comm_count] */
    uint32_t comm_count, comm_room;
    struct pithi_map host_map, comm_map; /* by hash of the name; by key */
};

/* Begins the tables with host 0, "", and communicator 0, the world. Returns 0 if there is no memory. */
int pithi_places_begin(struct pithi_places *places);
void pithi_places_free(struct pithi_places *places);

/* Set *index to the number of a host or communicator, and add it if it is new. Return 0 if there is no memory.
 * pithi_places_comm also fills in an unknown name or size of a communicator; `teller` is the rank that gives the
 * size. */
int pithi_places_host(struct pithi_places *places, const char *host, uint32_t *index);
int pithi_places_comm(struct pithi_places *places, const struct pithlog_comm *comm, int32_t teller, uint32_t *index);
/* Find an existing host or communicator. Return 0 if there is none. */
int pithi_places_find_host(const struct pithi_places *places, const char *host, uint32_t *index);
int pithi_places_find_comm(const struct pithi_places *places, uint64_t key, uint32_t *index);

/* Packs the definitions from id `first` on, and all properties. A writer calls it when it has new definitions. */
int pithi_defs_pack_from(const struct pithi_defs *defs, uint32_t first, void **data, size_t *size);
/* Like pithi_defs_unpack; *first and *count are the range of ids in the bytes. */
int pithi_defs_unpack_from(struct pithi_defs *defs, const void *data, size_t size, uint32_t *first, uint32_t *count,
                           uint32_t **ids);
/* Returns the key of a property; NULL if `index` is past the last one. */
const char *pithi_defs_get_property(const struct pithi_defs *defs, uint32_t index, const char **value);

/* Adds a property unless there is one with this key. */
int pithi_defs_new_property(struct pithi_defs *defs, const char *key, const char *value);
/* Adds a property that other processes may also have. Of several values, the last one stays. An exception is the
 * property with the meaning of an event number (event_numbers.h), of which the first value stays. */
int pithi_defs_property_of_many(struct pithi_defs *defs, const char *key, const char *value);
/* Finds the id of a definition. Returns 1, or 0 if no definition has this kind and name. */
int pithi_defs_find(const struct pithi_defs *defs, enum pithlog_def_kind kind, const char *name, uint32_t *id);
/* Removes each of the first `count` definitions whose `gone` is not 0; the ids of later definitions decrease. */
void pithi_defs_remove(struct pithi_defs *defs, const unsigned char *gone, uint32_t count);

/* Returns the set's hosts and communicators. */
struct pithi_places *pithi_defs_places(struct pithi_defs *defs);

/* ---- Incomplete logs --------------------------------------------------------------------------------------------- */

/* The property "incomplete" says that data is missing in a log, and why. All formats use it: a reader sets it if its
 * file is cut or damaged, and a native log that was rebuilt from its blocks has it as well. A property stays with the
 * log when it is copied or converted; pithlog_get_info() returns its value. */
#define PITHI_INCOMPLETE "incomplete"

/* Adds a reason, without the name of the file: "byte 9130: the file ends here". Several reasons are joined by "; ". */
int pithi_incomplete(struct pithi_defs *defs, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Returns all reasons; NULL if the log is complete. */
const char *pithi_incomplete_reason(const struct pithi_defs *defs);

/* ---- Names of functions ------------------------------------------------------------------------------------------ */

/* Keys of properties with the names of functions begin with this (SPEC.md; symbols/code_names.h). */
#define PITHI_CODE_NAMES "code "
static inline int pithi_is_code_name(const char *key)
{
    return strncmp(key, PITHI_CODE_NAMES, sizeof PITHI_CODE_NAMES - 1) == 0;
}

#endif
