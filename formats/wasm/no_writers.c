/* no_writers.c - stubs for the writers of formats. A web page reads logs and writes none, so the writers are left out
 * of its WebAssembly module. But the table of formats names all writers, so each has a stub here. The stubs are weak
 * symbols: if the module has a writer after all, the writer is used. Readers have no stubs, except for the two at the
 * end, so that the linker reports a reader that was left out by mistake. */
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

/* This function recognises a folder of the Common Trace Format, which is needed only before a writer replaces it. */
int pithi_ctf_probe(const struct pithi_input *input) { return (void)input, 0; }

/* Always fails, because the reader of OTF2 needs a library, and a web page cannot load libraries. OTF2 is the only
 * format whose reader needs a library. */
int pithi_otf2_read(const struct pithi_input *input, struct pithi_writer *writer)
{
    (void)writer;
    return pithi_fail(PITH_ERR_UNSUPPORTED,
                      "%s: a page cannot read OTF2, which needs libotf2; `pith convert` makes a .pith of it",
                      input->path);
}
