/* sample_text.c - writes the functions of a sample or call site as one line. The code that writes other formats belongs
 * to a lower layer than symbols/ and cannot include its headers, so it calls these functions through the pointers of
 * struct pithi_naming. */
#include "symbols/sample_text.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "symbols/sample_names.h"

struct pithi_sample_text {
    struct pithi_sample_names *names;
    struct pithi_sample sample;
    char *text; /* the text of the last record, from malloc */
    size_t size;
};

/* Returns the functions of a sample, outermost first, separated by ';', or the function and line of a call site; NULL
 * for another record, or on an error. */
static const char *name_functions(void *context, const struct pithlog_record *record)
{
    struct pithi_sample_text *n = context;
    const struct pithi_place *place;
    struct pithi_inlined in;
    int is_sample = pithi_sample_read(n->names, record, &n->sample), is_first = 1, err = PITH_OK;
    FILE *out;

    if (!is_sample && !pithi_site_read(n->names, record, &n->sample.addresses[0]))
        return NULL;
    free(n->text);
    n->text = NULL;
    if (!(out = open_memstream(&n->text, &n->size)))
        return NULL;
    if (!is_sample && (err = pithi_sample_place(n->names, record, n->sample.addresses[0], 1, &place)) == PITH_OK) {
        const char *slash = place->source ? strrchr(place->source, '/') : NULL;
        fputs(pithi_function_get(n->names, place->function)->name, out);
        if (place->source)
            fprintf(out, " (%s:%d)", slash ? slash + 1 : place->source, place->line);
    }
    for (uint32_t i = is_sample ? n->sample.count : 0; !err && i-- > 0;) {
        err = pithi_sample_functions(n->names, record, &n->sample, i, &in);
        for (uint32_t k = 0; !err && k < in.count; k++, is_first = 0) {
            const char *name = pithi_function_get(n->names, in.functions[k])->name;
            if (!is_first)
                fputc(';', out);
            for (; *name; name++)
                fputc(*name == ';' ? ':' : *name, out);
        }
    }
    return fclose(out) == 0 && !err ? n->text : NULL;
}

int pithi_sample_text_open(struct pithlog *log, struct pithi_sample_text **text, struct pithi_naming *naming)
{
    if (!pithi_samples_in(log))
        return PITH_OK;
    if (!(*text = calloc(1, sizeof **text)))
        return pithi_no_memory();
    *naming = (struct pithi_naming){name_functions, *text};
    return pithi_sample_names_open(log, PITHI_NEED_ANY, &(*text)->names);
}

void pithi_sample_text_close(struct pithi_sample_text *text)
{
    if (!text)
        return;
    pithi_sample_names_close(text->names);
    free(text->text);
    free(text);
}
