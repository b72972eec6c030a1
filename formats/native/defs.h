/* defs.h - what only the native format's own files need of a set of definitions; the rest is in segment.h. */
#ifndef PITHI_DEFS_H
#define PITHI_DEFS_H

#include "native/places.h"
#include "native/segment.h"

/* Only the definitions from id `first` on (and all properties): a writer that learns of new ones. */
int pithi_defs_pack_from(const struct pithi_defs *defs, uint32_t first, void **data, size_t *size);
/* As pithi_defs_unpack; *first and *count: which ids the bytes are about. */
int pithi_defs_unpack_from(struct pithi_defs *defs, const void *data, size_t size, uint32_t *first, uint32_t *count,
                           uint32_t **ids);
/* The key of a property, NULL past the last. */
const char *pithi_defs_get_property(const struct pithi_defs *defs, uint32_t index, const char **value);

/* A property that other processes tell too: of what numbers mean (event_numbers.h) the first word stays, else the last.
 */
int pithi_defs_property_of_many(struct pithi_defs *defs, const char *key, const char *value);
/* The id of a definition; 0: there is none of that name. */
int pithi_defs_find(const struct pithi_defs *defs, enum pithlog_def_kind kind, const char *name, uint32_t *id);
/* Takes those out of the first `count` whose `gone` is not 0; the ids of others move up. */
void pithi_defs_remove(struct pithi_defs *defs, const unsigned char *gone, uint32_t count);

/* The set's hosts and communicators. */
struct pithi_places *pithi_defs_places(struct pithi_defs *defs);

#endif
