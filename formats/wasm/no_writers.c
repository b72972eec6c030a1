/* no_writers.c - a page reads logs and writes none, so the writers of formats are left out of its module. */
#include "base/error.h"
#include "foreign/formats.h"
#include "reader/read/native.h"

#define NO_WRITER(name)                                                                                                \
    int pithi_##name##_write(struct pithlog *log, FILE *out, const struct pithi_convert *how)                          \
    {                                                                                                                  \
        (void)log, (void)out, (void)how;                                                                               \
        return pithi_fail(PITH_ERR_UNSUPPORTED, "a page writes no logs");                                              \
    }
#define NO_FOLDER(name)                                                                                                \
    int pithi_##name##_write_folder(struct pithlog *log, const char *folder, const struct pithi_convert *how)          \
    {                                                                                                                  \
        (void)log, (void)folder, (void)how;                                                                            \
        return pithi_fail(PITH_ERR_UNSUPPORTED, "a page writes no logs");                                              \
    }

NO_WRITER(clog2)
NO_WRITER(slog2)
NO_WRITER(alog)
NO_WRITER(picl)
NO_WRITER(paraver)
NO_WRITER(perfetto)
NO_WRITER(chrome)
NO_WRITER(paje)
NO_WRITER(sqlite)
NO_WRITER(text)
NO_WRITER(csv)
NO_WRITER(json)
NO_FOLDER(ctf)
int pithi_ctf_probe(const struct pithi_input *input) { return (void)input, 0; }

/* Always fails, because the reader of OTF2 needs a library, and a page cannot load libraries. No other reader does. */
int pithi_otf2_read(const struct pithi_input *input, struct pithi_writer *writer)
{
    (void)writer;
    return pithi_fail(PITH_ERR_UNSUPPORTED,
                      "%s: a page cannot read OTF2, which needs libotf2; `pith convert` makes a .pith of it",
                      input->path);
}
NO_FOLDER(otf2)
