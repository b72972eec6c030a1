/* otf2_none.c - stands in for the OTF2 reader and writer if Pith is built without libotf2's headers. */
#include <stdlib.h>

#include "base/error.h"
#include "foreign/otf2/otf2_probe.h"

static int without(const char *path)
{
    return pithi_fail(PITH_ERR_UNSUPPORTED,
                      "%s: this pith was built without OTF2; install libotf2-trace-dev (libotf2 3.0 or later, with its "
                      "headers) and build it again",
                      path);
}

int pithi_otf2_read(const struct pithi_input *input, struct pithi_writer *writer)
{
    (void)writer;
    return without(input->path);
}

int pithi_otf2_write_folder(struct pithlog *log, const char *folder, const struct pithi_convert *how)
{
    char *name = pithi_otf2_final_name(folder);
    int err = without(name ? name : folder);

    (void)log, (void)how;
    free(name);
    return err;
}
