/* no_writers.c - a page reads logs and writes none, so the writers of formats are left out of its module. The table of
 * formats names all writers; each has a stub here, which is weak: a writer that is in the module after all replaces it.
 * A reader that is missing in the module is an error of the linker, except for the two at the end. */
#include "base/error.h"
#include "foreign/formats.h"

#define FORMAT(name, ...)                                                                                              \
    __attribute__((weak)) int pithi_##name##_write(struct pithlog *log, FILE *out, const struct pithi_convert *how)    \
    {                                                                                                                  \
        (void)log, (void)out, (void)how;                                                                               \
        return pithi_fail(PITH_ERR_UNSUPPORTED, "a page writes no logs");                                              \
    }                                                                                                                  \
    __attribute__((weak)) int pithi_##name##_write_folder(struct pithlog *log, const char *folder,                     \
                                                          const struct pithi_convert *how)                             \
    {                                                                                                                  \
        (void)log, (void)folder, (void)how;                                                                            \
        return pithi_fail(PITH_ERR_UNSUPPORTED, "a page writes no logs");                                              \
    }
#include "base/formats.def"
#undef FORMAT

/* A folder of the Common Trace Format is recognised only to be replaced by a new one. */
int pithi_ctf_probe(const struct pithi_input *input) { return (void)input, 0; }

/* Always fails, because the reader of OTF2 needs a library, and a page cannot load libraries. No other reader does. */
int pithi_otf2_read(const struct pithi_input *input, struct pithi_writer *writer)
{
    (void)writer;
    return pithi_fail(PITH_ERR_UNSUPPORTED,
                      "%s: a page cannot read OTF2, which needs libotf2; `pith convert` makes a .pith of it",
                      input->path);
}
