/* handle_table.h - a table from handles (communicators, windows, files) to a library's objects. An object begins with a
 * struct pithi_handle. Threads: all functions may be called at once. */
#ifndef PITHI_TABLE_H
#define PITHI_TABLE_H

#include "lock.h"

#include <mpi.h>
#include <stdint.h>

struct pithi_handle {
    struct pithi_handle *next;
    uint64_t key;
};
struct pithi_table {
    struct pithi_handle *buckets[256];
    pthread_mutex_t lock;
};
#define PITHI_TABLE                                                                                                    \
    {                                                                                                                  \
        .lock = PTHREAD_MUTEX_INITIALIZER                                                                              \
    }

/* Handles of different kinds may have the same bits. */
static inline uint64_t pithi_comm_key(MPI_Comm handle) { return (uint64_t)(uintptr_t)handle << 2; }
static inline uint64_t pithi_window_key(MPI_Win handle) { return (uint64_t)(uintptr_t)handle << 2 | 1; }
static inline uint64_t pithi_file_key(MPI_File handle) { return (uint64_t)(uintptr_t)handle << 2 | 2; }

/* The object with that key; NULL: none. */
void *pithi_table_find(struct pithi_table *table, uint64_t key);
void pithi_table_put(struct pithi_table *table, uint64_t key, struct pithi_handle *object);
/* Finds the object and removes it. */
void *pithi_table_take(struct pithi_table *table, uint64_t key);

#endif
