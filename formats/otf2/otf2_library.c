/* otf2_library.c - see otf2_library.h. */
#include "otf2/otf2_library.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "error.h"

static const struct pithi_otf2 *shared; /* once loaded, for ever */
static OTF2_ErrorCallback callback_before;

/* What libotf2 said first on this thread since the beginning. */
static _Thread_local char said[200];
static _Thread_local int inside; /* between begin and end */

static const struct {
    const char *name;
    size_t offset;
} list[] = {
#define ROW(name) {"OTF2_" #name, offsetof(struct pithi_otf2, name)},
    ROW(Error_RegisterCallback) ROW(Error_GetDescription) PITHI_OTF2_READING(ROW) PITHI_OTF2_WRITING(ROW)
#undef ROW
#define ROW(name)                                                                                                      \
    {"OTF2_GlobalDefReaderCallbacks_Set" #name "Callback",                                                             \
     offsetof(struct pithi_otf2, GlobalDefReaderCallbacks_Set##name##Callback)},
        PITHI_OTF2_GLOBAL_DEFS(ROW)
#undef ROW
#define ROW(name)                                                                                                      \
    {"OTF2_GlobalEvtReaderCallbacks_Set" #name "Callback",                                                             \
     offsetof(struct pithi_otf2, GlobalEvtReaderCallbacks_Set##name##Callback)},
            PITHI_OTF2_EVENTS(ROW)
#undef ROW
};

static void say(OTF2_ErrorCode code, const char *format, va_list values)
{
    int size = snprintf(said, sizeof said, "%s", shared->Error_GetDescription(code));

    if (format && *format && size >= 0 && (size_t)size + 2 < sizeof said) {
        memcpy(said + size, ": ", 3);
        vsnprintf(said + size + 2, sizeof said - (size_t)size - 2, format, values);
    }
}

/* The program around may use libotf2 as well: what others do wrong goes where it went before. */
static OTF2_ErrorCode on_error(void *data, const char *file, uint64_t line, const char *function, OTF2_ErrorCode code,
                               const char *format, va_list values)
{
    if (!inside && callback_before)
        return callback_before(data, file, line, function, code, format, values);
    if (!inside)
        fprintf(stderr, "OTF2: %s:%llu: %s: %s\n", file, (unsigned long long)line, function,
                shared->Error_GetDescription(code));
    else if (!*said)
        say(code, format, values);
    return code;
}

static int find_functions(const char *path, void *handle, struct pithi_otf2 *functions)
{
    for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
        void *function = dlsym(handle, list[i].name);
        if (!function)
            return pithi_fail(PITH_ERR_UNSUPPORTED, "%s: %s has no %s; install libotf2 3.0 or later", path,
                              PITHI_OTF2_SONAME, list[i].name);
        memcpy((char *)functions + list[i].offset, &function, sizeof function);
    }
    return PITH_OK;
}

/* The library stays loaded: what it gave may be held by others in this process. Of threads that load at once the first
 * one's table is everybody's. */
static int load(const char *path)
{
    void *handle = dlopen(PITHI_OTF2_SONAME, RTLD_NOW | RTLD_LOCAL);
    const struct pithi_otf2 *before = NULL;
    struct pithi_otf2 *functions;
    int err;

    if (!handle)
        return pithi_fail(PITH_ERR_UNSUPPORTED, "%s: OTF2 needs the library %s, which is not here; install libotf2",
                          path, PITHI_OTF2_SONAME);
    if (!(functions = malloc(sizeof *functions)))
        return pithi_fail(PITH_ERR_MEMORY, "out of memory");
    TRY(find_functions(path, handle, functions));
    if (__atomic_compare_exchange_n(&shared, &before, functions, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        callback_before = functions->Error_RegisterCallback(on_error, NULL);
        return PITH_OK;
    }
out:
    free(functions);
    return err;
}

int pithi_otf2_begin(const char *path, const struct pithi_otf2 **otf2)
{
    int err = PITH_OK;

    if (!__atomic_load_n(&shared, __ATOMIC_ACQUIRE))
        TRY(load(path));
    *otf2 = shared;
    *said = 0;
    inside = 1;
out:
    return err;
}

void pithi_otf2_end(void) { inside = 0; }

int pithi_otf2_complained(void) { return *said != 0; }

int pithi_otf2_fail(int err, const char *path, const char *what, OTF2_ErrorCode code)
{
    const char *cause = *said ? said : code != OTF2_SUCCESS ? shared->Error_GetDescription(code) : "no reason given";

    return pithi_fail(err, "%s: %s; libotf2: %s", path, what, cause);
}
