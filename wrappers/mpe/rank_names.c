/* rank_names.c - see rank_names.h. */
#include "rank_names.h"

#include "old_settings.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

struct host {
    char name[256];
};

static void own_name(struct host *host)
{
    memset(host, 0, sizeof *host);
    if (gethostname(host->name, sizeof host->name - 1) != 0)
        strcpy(host->name, "?");
}

/* Rank 0: the file, and each line as its rank is heard. */
static int write_list(const struct pith_transport *transport, FILE *file)
{
    struct host host;

    own_name(&host);
    fprintf(file, "Rank 0 : %s\n", host.name);
    for (int rank = 1; rank < transport->size; rank++) {
        if (transport->recv(transport->context, rank, &host, sizeof host) != 0)
            return -1;
        host.name[sizeof host.name - 1] = 0;
        fprintf(file, "Rank %d : %s\n", rank, host.name);
    }
    return ferror(file) ? -1 : 0;
}

void pithi_rank_names(const struct pith_transport *transport, const char *log)
{
    int32_t wanted = 0;
    char path[4096];
    FILE *file = NULL;
    struct host host;

    if (transport->rank == 0 && *log && pithi_old_flag("MPE_LOG_RANK2PROCNAME", 0) &&
        snprintf(path, sizeof path, "%s.pnm", log) < (int)sizeof path) {
        file = fopen(path, "w");
        if (!file)
            fprintf(stderr, "pith: %s: cannot be made: %s\n", path, strerror(errno));
    }
    wanted = file != NULL;
    if (transport->size > 1 && transport->bcast(transport->context, 0, &wanted, sizeof wanted) != 0)
        wanted = 0;
    if (wanted && transport->rank > 0) {
        own_name(&host);
        transport->send(transport->context, 0, &host, sizeof host);
    }
    if (!file)
        return;
    int failed = (wanted && write_list(transport, file) != 0) | (fclose(file) != 0);
    if (failed)
        fprintf(stderr, "pith: %s: not written whole\n", path);
}
