#include "clog2/clog2.h"
#include "error.h"
int pithi_clog2_write(struct pithlog *log, FILE *out, const struct pithi_convert *how)
{
    (void)log, (void)out, (void)how;
    return pithi_fail(PITH_ERR_UNSUPPORTED, "CLOG-2 cannot be written yet");
}
