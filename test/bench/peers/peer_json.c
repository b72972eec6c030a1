/* peer_json.c - the loop of peer.h, each event a line of JSON written by fprintf, as programs do that record for
 * Chrome's trace viewer by themselves. */
#include "peer.h"

static FILE *out;

static void event(uint32_t state, char phase)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    fprintf(out, "{\"name\":\"state %u\",\"ph\":\"%c\",\"ts\":%.3f,\"pid\":0,\"tid\":0},\n", (unsigned)state, phase,
            1e6 * (double)t.tv_sec + 1e-3 * (double)t.tv_nsec);
}
static inline void peer_begin(uint32_t state) { event(state, 'B'); }
static inline void peer_end(uint32_t state) { event(state, 'E'); }

static void end(void)
{
    fprintf(out, "{}]\n");
    fclose(out);
}

int main(int argc, char **argv)
{
    out = fopen("peer.json", "w");
    if (out == NULL)
        return 1;
    fprintf(out, "[\n");
    return peer_run(argc, argv, end);
}
