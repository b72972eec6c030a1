/* seekable.c - see seekable.h. */
#include "foreign/seekable.h"

#include "error.h"

static int copy(FILE *from, FILE *to)
{
    char bytes[65536];
    size_t size;

    rewind(from);
    while ((size = fread(bytes, 1, sizeof bytes, from)) > 0)
        if (fwrite(bytes, 1, size, to) != size)
            break;
    if (ferror(from) || ferror(to) || fflush(to) != 0)
        return pithi_fail(PITH_ERR_IO, "the log cannot be written");
    return PITH_OK;
}

int pithi_write_seekable(struct pithlog *log, FILE *out, const struct pithi_convert *how,
                         int (*write)(struct pithlog *log, FILE *out, const struct pithi_convert *how))
{
    FILE *whole;
    int err;

    if (fseeko(out, 0, SEEK_CUR) == 0 && ftello(out) == 0)
        return write(log, out, how);
    whole = tmpfile();
    if (!whole)
        return pithi_fail(PITH_ERR_IO, "no temporary file can be made");
    TRY(write(log, whole, how));
    TRY(copy(whole, out));
out:
    fclose(whole);
    return err;
}
