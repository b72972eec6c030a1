/* places.c - hosts and communicators of a log, see places.h. */
#include "native/places.h"

int pithi_places_begin(struct pithi_places *places)
{
    uint32_t index;
    return pithi_places_host(places, "", &index) &&
           pithi_places_comm(places, &(struct pithlog_comm){.name = "MPI_COMM_WORLD"}, 0, &index);
}

void pithi_places_free(struct pithi_places *places)
{
    for (uint32_t i = 0; i < places->host_count; i++)
        free(places->hosts[i]);
    for (uint32_t i = 0; i < places->comm_count; i++)
        free(places->comms[i].name);
    free(places->hosts);
    free(places->comms);
    pithi_map_free(&places->host_map);
    pithi_map_free(&places->comm_map);
    *places = (struct pithi_places){0};
}

/* ---- Hosts ------------------------------------------------------------------------------------------------------- */

static uint64_t hash_of(const char *name)
{
    uint64_t h = UINT64_C(14695981039346656037);
    for (; *name; name++)
        h = (h ^ (unsigned char)*name) * UINT64_C(1099511628211);
    return h;
}

/* 1: there, by *index; 0: not there, and *key is free for it. */
static int find_host(const struct pithi_places *places, const char *host, uint64_t *key, uint32_t *index)
{
    for (*key = hash_of(host); pithi_map_get(&places->host_map, *key, index); ++*key)
        if (strcmp(places->hosts[*index], host) == 0)
            return 1;
    return 0;
}

int pithi_places_find_host(const struct pithi_places *places, const char *host, uint32_t *index)
{
    uint64_t key;
    return find_host(places, host, &key, index);
}

int pithi_places_host(struct pithi_places *places, const char *host, uint32_t *index)
{
    uint64_t key;
    if (find_host(places, host, &key, index))
        return 1;
    char *copy = strdup(host);
    if (!copy || !pithi_grow(&places->hosts, places->host_count, &places->host_room, sizeof *places->hosts) ||
        !pithi_map_put(&places->host_map, key, places->host_count)) {
        free(copy);
        return 0;
    }
    *index = places->host_count;
    places->hosts[places->host_count++] = copy;
    return 1;
}

/* ---- Communicators ----------------------------------------------------------------------------------------------- */

int pithi_places_find_comm(const struct pithi_places *places, uint64_t key, uint32_t *index)
{
    return pithi_map_get(&places->comm_map, key, index);
}

static int add_comm(struct pithi_places *places, uint64_t key, uint32_t *index)
{
    char *name = strdup("");
    if (!name || !pithi_grow(&places->comms, places->comm_count, &places->comm_room, sizeof *places->comms) ||
        !pithi_map_put(&places->comm_map, key, places->comm_count)) {
        free(name);
        return 0;
    }
    *index = places->comm_count;
    places->comms[places->comm_count++] = (struct pithi_place_comm){.key = key, .name = name};
    return 1;
}

int pithi_places_comm(struct pithi_places *places, const struct pithlog_comm *comm, int32_t teller, uint32_t *index)
{
    if (!pithi_places_find_comm(places, comm->key, index) && !add_comm(places, comm->key, index))
        return 0;
    struct pithi_place_comm *c = &places->comms[*index];
    if (comm->name && *comm->name && strcmp(comm->name, c->name) != 0) {
        char *name = strdup(comm->name);
        if (!name)
            return 0;
        free(c->name);
        c->name = name;
    }
    if (comm->size > 0 && c->size == 0) {
        c->size = comm->size;
        c->remote_size = comm->remote_size;
        c->teller = teller;
    }
    return 1;
}

/* ---- As bytes ---------------------------------------------------------------------------------------------------- */

int pithi_places_pack(const struct pithi_places *places, struct pithi_buffer *out)
{
    int ok = pithi_buffer_varint(out, places->host_count);
    for (uint32_t i = 0; ok && i < places->host_count; i++)
        ok = pithi_buffer_string(out, places->hosts[i]);
    ok = ok && pithi_buffer_varint(out, places->comm_count);
    for (uint32_t i = 0; ok && i < places->comm_count; i++) {
        const struct pithi_place_comm *c = &places->comms[i];
        unsigned char key[8];
        pithi_put64(key, c->key);
        ok = pithi_buffer_add(out, key, sizeof key) && pithi_buffer_string(out, c->name) &&
             pithi_buffer_varint(out, (uint32_t)c->size) && pithi_buffer_varint(out, (uint32_t)c->remote_size) &&
             pithi_buffer_varint(out, pithi_zigzag(c->teller));
    }
    return ok;
}

static const unsigned char *unpack_host(struct pithi_places *places, const unsigned char *p, const unsigned char *end,
                                        int *err)
{
    char *host = NULL;
    uint32_t index;
    *err = PITH_ERR_DAMAGED;
    if (!(p = pithi_get_string(p, end, &host)))
        return NULL;
    *err = pithi_places_host(places, host, &index) ? PITH_OK : PITH_ERR_MEMORY;
    free(host);
    return *err == PITH_OK ? p : NULL;
}

static const unsigned char *unpack_comm(struct pithi_places *places, const unsigned char *p, const unsigned char *end,
                                        int *err)
{
    struct pithlog_comm comm = {0};
    uint64_t size, remote, teller;
    char *name = NULL;
    uint32_t index;
    *err = PITH_ERR_DAMAGED;
    if (end - p < 8)
        return NULL;
    comm.key = pithi_get64(p);
    if (!(p = pithi_get_string(p + 8, end, &name)))
        return NULL;
    if ((p = pithi_get_varint(p, end, &size)) && (p = pithi_get_varint(p, end, &remote)) &&
        (p = pithi_get_varint(p, end, &teller)) && size <= INT32_MAX && remote <= INT32_MAX && teller <= UINT32_MAX) {
        comm.name = name;
        comm.size = (int32_t)size;
        comm.remote_size = (int32_t)remote;
        *err = pithi_places_comm(places, &comm, (int32_t)pithi_unzigzag(teller), &index) ? PITH_OK : PITH_ERR_MEMORY;
    }
    free(name);
    return *err == PITH_OK ? p : NULL;
}

const unsigned char *pithi_places_unpack(struct pithi_places *places, const unsigned char *p, const unsigned char *end,
                                         int *err)
{
    uint64_t count;
    *err = PITH_ERR_DAMAGED;
    if (!(p = pithi_get_varint(p, end, &count)))
        return NULL;
    for (uint64_t i = 0; i < count; i++)
        if (!(p = unpack_host(places, p, end, err)))
            return NULL;
    *err = PITH_ERR_DAMAGED;
    if (!(p = pithi_get_varint(p, end, &count)))
        return NULL;
    for (uint64_t i = 0; i < count; i++)
        if (!(p = unpack_comm(places, p, end, err)))
            return NULL;
    *err = PITH_OK;
    return p;
}
