/* handle_table.c - a hash table with chains. A program has few of these handles at a time. */
#include "handle_table.h"

#include "real.h"

#include <stddef.h>

int pithi_many_threads;

void pithi_lock_begin(void)
{
    int level = MPI_THREAD_SINGLE;

    REAL(MPI_Query_thread)(&level);
    pithi_many_threads |= level == MPI_THREAD_MULTIPLE;
}

/* The link to the object with that key; *NULL: not found. */
static struct pithi_handle **place_of(struct pithi_table *table, uint64_t key)
{
    struct pithi_handle **at = &table->buckets[key * UINT64_C(0x9e3779b97f4a7c15) >> 56];

    while (*at && (*at)->key != key)
        at = &(*at)->next;
    return at;
}

void *pithi_table_find(struct pithi_table *table, uint64_t key)
{
    pithi_lock(&table->lock);
    struct pithi_handle *object = *place_of(table, key);
    pithi_unlock(&table->lock);
    return object;
}

void pithi_table_put(struct pithi_table *table, uint64_t key, struct pithi_handle *object)
{
    pithi_lock(&table->lock);
    struct pithi_handle **bucket = &table->buckets[key * UINT64_C(0x9e3779b97f4a7c15) >> 56];
    object->key = key;
    object->next = *bucket;
    *bucket = object;
    pithi_unlock(&table->lock);
}

void *pithi_table_take(struct pithi_table *table, uint64_t key)
{
    pithi_lock(&table->lock);
    struct pithi_handle **at = place_of(table, key), *object = *at;
    if (object)
        *at = object->next;
    pithi_unlock(&table->lock);
    return object;
}
