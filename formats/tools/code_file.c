/* code_file.c - see code_file.h. The only file that includes libdw's headers. */
#include "tools/code_file.h"

#include <dlfcn.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pithi_code_file {
    Dwfl *dwfl;
    Dwfl_Module *module;
    GElf_Addr bias; /* libdw's address - address in the file */
    char *name;     /* the last one, demangled */
};

static char *debug_path; /* NULL: the standard places */

static const Dwfl_Callbacks callbacks = {
    .find_elf = dwfl_build_id_find_elf,
    .find_debuginfo = dwfl_standard_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = &debug_path,
};

int pithi_code_file_possible(void) { return 1; }

static int has_build_id(Dwfl_Module *module, const char *build)
{
    const unsigned char *bytes;
    GElf_Addr at;
    int size = dwfl_module_build_id(module, &bytes, &at);
    char two[3];

    if (*build == '\0')
        return 1;
    if (size < 0 || strlen(build) != 2 * (size_t)size)
        return 0;
    for (int i = 0; i < size; i++) {
        snprintf(two, sizeof two, "%02x", bytes[i]);
        if (memcmp(two, build + 2 * i, 2) != 0)
            return 0;
    }
    return 1;
}

struct pithi_code_file *pithi_code_file_open(const char *path, const char *build)
{
    struct pithi_code_file *file = calloc(1, sizeof *file);

    if (!file)
        return NULL;
    if ((file->dwfl = dwfl_begin(&callbacks)) != NULL &&
        (file->module = dwfl_report_offline(file->dwfl, path, path, -1)) != NULL &&
        dwfl_report_end(file->dwfl, NULL, NULL) == 0 && dwfl_module_getelf(file->module, &file->bias) != NULL &&
        has_build_id(file->module, build))
        return file;
    pithi_code_file_close(file);
    return NULL;
}

void pithi_code_file_close(struct pithi_code_file *file)
{
    if (file && file->dwfl)
        dwfl_end(file->dwfl);
    if (file)
        free(file->name);
    free(file);
}

/* Ends a C++ name before its parameters: "Grid<int (*)(int)>::split(double)" -> "Grid<int (*)(int)>::split". */
static void cut_parameters(char *name)
{
    static const char nameless[] = "(anonymous namespace)";
    int angles = 0;

    for (char *c = name; *c; c++) {
        if (!strncmp(c, "operator", 8)) { /* operator(), operator<, operator>> ... */
            c += 8;
            if (!strncmp(c, "()", 2))
                c++;
            else
                c += strspn(c, "<>-=");
            if (!*c--)
                return;
        } else if (!strncmp(c, nameless, sizeof nameless - 1)) {
            c += sizeof nameless - 2;
        } else if (*c == '<' || *c == '>') {
            angles += *c == '<' ? 1 : -1;
        } else if (*c == '(' && angles == 0) {
            *c = '\0';
            return;
        }
    }
}

/* The name as its programmer wrote it; `name` itself if it is one of C. */
static const char *demangle(struct pithi_code_file *file, const char *name)
{
    static char *(*cxx)(const char *, char *, size_t *, int *);
    static int looked;
    const char *module_end = strncmp(name, "__", 2) ? NULL : strstr(name, "_MOD_"); /* of gfortran */
    int status;

    free(file->name);
    file->name = NULL;
    if (module_end) {
        if (asprintf(&file->name, "%.*s::%s", (int)(module_end - name) - 2, name + 2, module_end + 5) < 0)
            file->name = NULL;
    } else if (!strncmp(name, "_Z", 2)) {
        if (!looked++) {
            void *library = dlopen("libstdc++.so.6", RTLD_NOW);
            *(void **)&cxx = library ? dlsym(library, "__cxa_demangle") : NULL;
        }
        if (cxx && (file->name = cxx(name, NULL, NULL, &status)) != NULL)
            cut_parameters(file->name);
    }
    return file->name ? file->name : name;
}

int pithi_code_file_find(struct pithi_code_file *file, uint64_t address, struct pithi_code_place *place)
{
    GElf_Off offset;
    GElf_Sym symbol;
    const char *name = dwfl_module_addrinfo(file->module, address + file->bias, &offset, &symbol, NULL, NULL, NULL);
    Dwfl_Line *line;

    /* Without a symbol that contains the address, libdw names the one before, if that has no size. */
    if (!name || (symbol.st_size && offset >= symbol.st_size))
        return 0;
    place->name = demangle(file, name);
    place->begin = address - offset;
    place->source = NULL;
    place->line = 0;
    if ((line = dwfl_module_getsrc(file->module, address - offset + file->bias)) != NULL)
        place->source = dwfl_lineinfo(line, NULL, &place->line, NULL, NULL, NULL);
    place->at_source = NULL;
    place->at_line = 0;
    if ((line = dwfl_module_getsrc(file->module, address + file->bias)) != NULL)
        place->at_source = dwfl_lineinfo(line, NULL, &place->at_line, NULL, NULL, NULL);
    return 1;
}
