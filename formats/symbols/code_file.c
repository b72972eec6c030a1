/* code_file.c - finds functions and lines with libdw. This is the only file that includes the headers of libdw, so that
 * Pith can be built without libdw.
 *
 * An address is looked up in three tables of a file, each of which may be missing:
 *
 *     symbols                     _ZN4Grid5splitEv + 0x33       the function whose own code is at the address
 *     debug information           Grid::split, in it norm       this function, and the functions inlined into it there
 *     lines                       mesh.cc:212                   the source line in the innermost of these functions
 *
 * Without debug information, only the function of the symbol is known. Names are shown as programmers write them: C++
 * names are demangled and have no parameters; __mesh_MOD_split of gfortran is shown as mesh::split, and
 * memcpy@GLIBC_2.14 as memcpy.
 *
 * A file is used only if it has the build id that the log has. If a program was built again, other functions are at the
 * same addresses, and a wrong name is worse than no name.
 */
#include "symbols/code_file.h"

#include <dlfcn.h>
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwfl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/map.h"
#include "base/open_file.h"

struct pithi_code_file {
    Dwfl *dwfl;                     /* handle of libdw */
    Dwfl_Module *module;            /* the only file of `dwfl` */
    GElf_Addr bias;                 /* libdw's address minus the address in the file */
    char *names[PITHI_CODE_FRAMES]; /* demangled names of the frames found last; NULL: not demangled */
    Dwarf_Die *unit;                /* the compilation unit that find_unit found last by searching all; NULL: none */
    Dwarf_Addr unit_bias;           /* libdw's address minus the address in this unit */
};

static char *debug_path; /* where libdw looks for debug information; NULL: only in the standard places */
static const char **search_dirs;
static uint32_t search_count, search_room; /* of `search_dirs` */

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

int pithi_code_file_search(const char *dir)
{
    char *path;

    if (!pithi_grow(&search_dirs, search_count, &search_room, sizeof *search_dirs) ||
        asprintf(&path, "%s:%s", debug_path ? debug_path : ":.debug:/usr/lib/debug", dir) < 0)
        return pithi_no_memory();
    search_dirs[search_count++] = dir;
    free(debug_path);
    debug_path = path;
    return PITH_OK;
}

static struct pithi_code_file *open_file(const char *path, const char *build)
{
    struct pithi_code_file *file;
    /* Checks that the file is a regular one, because a path in a log may name a pipe or device. (libdw opens the file
     * again by its path.) */
    int fd = pithi_open_input(path, 0);

    if (fd < 0)
        return NULL;
    close(fd);
    if (!(file = calloc(1, sizeof *file)))
        return NULL;
    if ((file->dwfl = dwfl_begin(&callbacks)) != NULL &&
        (file->module = dwfl_report_offline(file->dwfl, path, path, -1)) != NULL &&
        dwfl_report_end(file->dwfl, NULL, NULL) == 0 && dwfl_module_getelf(file->module, &file->bias) != NULL &&
        has_build_id(file->module, build))
        return file;
    pithi_code_file_close(file);
    return NULL;
}

static struct pithi_code_file *open_by_build_id(const char *dir, const char *build)
{
    static const char *const suffixes[] = {".debug", ""};
    struct pithi_code_file *file = NULL;
    char name[4096];

    for (size_t i = 0; strlen(build) > 2 && !file && i < 2; i++) {
        snprintf(name, sizeof name, "%s/.build-id/%.2s/%s%s", dir, build, build + 2, suffixes[i]);
        file = open_file(name, build);
    }
    return file;
}

struct pithi_code_file *pithi_code_file_open(const char *path, const char *build)
{
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    struct pithi_code_file *file = NULL;
    char name[4096];

    for (uint32_t i = 0; !file && i < search_count; i++) {
        const char *dir = search_dirs[i];
        file = open_by_build_id(dir, build);
        if (!file && snprintf(name, sizeof name, "%s/%s.debug", dir, base) < (int)sizeof name)
            file = open_file(name, build);
        if (!file && snprintf(name, sizeof name, "%s/%s", dir, base) < (int)sizeof name)
            file = open_file(name, build);
        if (!file && snprintf(name, sizeof name, "%s/%s", dir, path) < (int)sizeof name)
            file = open_file(name, build);
    }
    if (!file)
        file = open_file(path, build);
    return file ? file : open_by_build_id("/usr/lib/debug", build);
}

static void forget_names(struct pithi_code_file *file)
{
    for (unsigned i = 0; i < PITHI_CODE_FRAMES; i++) {
        free(file->names[i]);
        file->names[i] = NULL;
    }
}

void pithi_code_file_close(struct pithi_code_file *file)
{
    if (!file)
        return;
    if (file->dwfl)
        dwfl_end(file->dwfl);
    forget_names(file);
    free(file);
}

/* Removes the parameters from a demangled C++ name, and the type of the result, with which the name of a template
 * function begins: "void Grid<int (*)(int)>::split<int>(double)" becomes "Grid<int (*)(int)>::split<int>". */
static void cut_parameters(char *name)
{
    static const char nameless[] = "(anonymous namespace)";
    char *begin = name, *c;
    int angles = 0, in_operator = 0;

    for (c = name; *c; c++) {
        if (!strncmp(c, "operator", 8)) { /* ( < > of operator(), operator<, operator>> belong to the name */
            in_operator = 1;
            c += 8;
            if (!strncmp(c, "()", 2))
                c++;
            else
                c += strspn(c, "<>-=");
            if (!*c--)
                break;
        } else if (!strncmp(c, nameless, sizeof nameless - 1)) {
            c += sizeof nameless - 2;
        } else if (*c == '<' || *c == '>') {
            angles += *c == '<' ? 1 : -1;
        } else if (*c == ' ' && angles == 0 && !in_operator) {
            begin = c + 1;
        } else if (*c == '(' && angles == 0) {
            *c = '\0';
            break;
        }
    }
    memmove(name, begin, strlen(begin) + 1);
}

/* Returns the name as the programmer wrote it. For C, this is `name` itself. For other languages it is a string from
 * malloc, which is also stored in *made so that the caller can free it. */
static const char *demangle(const char *name, char **made)
{
    static char *(*cxx)(const char *, char *, size_t *, int *);
    static int looked;
    const char *module_end = strncmp(name, "__", 2) ? NULL : strstr(name, "_MOD_"); /* of gfortran */
    int status;

    if (module_end) {
        if (asprintf(made, "%.*s::%s", (int)(module_end - name) - 2, name + 2, module_end + 5) < 0)
            *made = NULL;
    } else if (!strncmp(name, "_Z", 2)) {
        if (!looked++) {
            void *library = dlopen("libstdc++.so.6", RTLD_NOW);
            *(void **)&cxx = library ? dlsym(library, "__cxa_demangle") : NULL;
        }
        if (cxx && (*made = cxx(name, NULL, NULL, &status)) != NULL)
            cut_parameters(*made);
    } else if (strchr(name, '@')) { /* removes the version of a symbol */
        *made = strndup(name, strcspn(name, "@"));
    }
    return *made ? *made : name;
}

/* ---- Debug information ------------------------------------------------------------------------------------------- */

/* Returns 1 if `symbol` is `name` with a suffix that compilers add: for `work`, it may be work.part.0, work.cold, or
 * work_ in Fortran. */
static int is_symbol_of(const char *symbol, const char *name)
{
    size_t size = strlen(name);
    return !strncmp(symbol, name, size) && (symbol[size] == '.' || !strcmp(symbol + size, "_"));
}

/* Returns the source file that declares a function, or NULL if it is unknown. It does not call dwarf_decl_file, because
 * that function of libdw 0.188 aborts if the program was built with -gsplit-dwarf. */
static const char *declared_in(Dwarf_Die *die)
{
    Dwarf_Attribute attribute;
    Dwarf_Word number;
    Dwarf_Files *files;
    Dwarf_Die unit;
    Dwarf_Half version;

    if (dwarf_formudata(dwarf_attr_integrate(die, DW_AT_decl_file, &attribute), &number) == 0 &&
        dwarf_cu_info(attribute.cu, &version, NULL, &unit, NULL, NULL, NULL, NULL) == 0 &&
        (version >= 5 || number > 0) && /* before version 5, files are numbered from 1 */
        dwarf_getsrcfiles(&unit, &files, NULL) == 0)
        return dwarf_filesrc(files, number, NULL, NULL);
    return NULL;
}

/* Returns the compilation unit of an address; NULL if it is unknown. libdw finds units by a table that clang does not
 * write; without the table, all units are searched. */
static Dwarf_Die *find_unit(struct pithi_code_file *file, uint64_t address, Dwarf_Addr *bias)
{
    Dwarf_Die *found = dwfl_module_addrdie(file->module, address, bias), *unit = NULL;

    if (found)
        return found;
    *bias = file->unit_bias;
    if (file->unit && dwarf_haspc(file->unit, address - *bias) > 0)
        return file->unit;
    while ((unit = dwfl_module_nextcu(file->module, unit, bias)) != NULL)
        if (dwarf_haspc(unit, address - *bias) > 0) {
            file->unit = unit;
            file->unit_bias = *bias;
            break;
        }
    return unit;
}

/* Returns the source file of an address, and sets *number to the line. Returns NULL if file and line are unknown. */
static const char *find_line(struct pithi_code_file *file, uint64_t address, int *number)
{
    Dwarf_Addr bias;
    Dwarf_Die *unit = find_unit(file, address, &bias);
    Dwarf_Line *line = unit ? dwarf_getsrc_die(unit, address - bias) : NULL;

    return line && dwarf_lineno(line, number) == 0 ? dwarf_linesrc(line, NULL, NULL) : NULL;
}

static int is_function(int tag) { return tag == DW_TAG_subprogram || tag == DW_TAG_inlined_subroutine; }

/* Adds the functions inside `parent` that contain the address to `chain`, outermost first, and returns the new number
 * of functions in `chain`. It only compares addresses. It does not follow references to the abstract declaration of an
 * inlined function (abstract origins), because with -flto these are in another unit. With `everywhere`, it also looks
 * inside functions that do not contain the address, because a function that is declared inside another one (CONTAINS in
 * Fortran) may have its code elsewhere. */
enum { NESTED = 256 };
static unsigned find_inside(Dwarf_Die *parent, Dwarf_Addr address, int everywhere, Dwarf_Die *chain, unsigned count)
{
    Dwarf_Die die;
    unsigned after;

    if (count == NESTED || dwarf_child(parent, &die) != 0)
        return count;
    do {
        int tag = dwarf_tag(&die), has_code = is_function(tag) || tag == DW_TAG_lexical_block ||
                                              tag == DW_TAG_try_block || tag == DW_TAG_catch_block;
        if (has_code && dwarf_haspc(&die, address) > 0) {
            if (is_function(tag))
                chain[count++] = die;
            return find_inside(&die, address, everywhere, chain, count);
        }
        if (has_code ? everywhere
                     : tag == DW_TAG_namespace || tag == DW_TAG_module || tag == DW_TAG_class_type ||
                           tag == DW_TAG_structure_type || tag == DW_TAG_union_type) {
            after = find_inside(&die, address, everywhere, chain, count);
            if (after > count)
                return after;
        }
    } while (dwarf_siblingof(&die, &die) == 0);
    return count;
}

/* Finds the functions at an address by debug information, innermost first. Returns the number of functions, which is 0
 * if there is no debug information. `at_source` and `at_line` are the file and line of the address. */
static unsigned find_scopes(struct pithi_code_file *file, uint64_t address, const char *symbol,
                            struct pithi_code_frame *frames, const char *at_source, int at_line)
{
    Dwarf_Addr bias;
    Dwarf_Attribute attribute;
    Dwarf_Word number;
    Dwarf_Files *files;
    Dwarf_Half version;
    uint8_t type;
    Dwarf_Die split, chain[NESTED], *unit = find_unit(file, address, &bias);
    unsigned count = 0, found = 0;

    /* with -gsplit-dwarf, the program has only a skeleton of the unit, and the rest of the unit is in another file */
    if (unit && dwarf_cu_info(unit->cu, &version, &type, NULL, &split, NULL, NULL, NULL) == 0 &&
        type == DW_UT_skeleton && dwarf_tag(&split) == DW_TAG_compile_unit)
        unit = &split;
    for (int everywhere = 0; unit && !count && everywhere < 2; everywhere++)
        count = find_inside(unit, address - bias, everywhere, chain, 0);
    while (count-- > 0 && found < PITHI_CODE_FRAMES) {
        int tag = dwarf_tag(&chain[count]);
        frames[found] = (struct pithi_code_frame){.at_source = at_source, .at_line = at_line};
        struct pithi_code_frame *frame = &frames[found];
        const char *own = tag == DW_TAG_subprogram ? symbol : NULL; /* an inlined function has no symbol */
        char **made = &file->names[found++];
        const char *linked = dwarf_formstring(dwarf_attr_integrate(&chain[count], DW_AT_linkage_name, &attribute));
        const char *plain = dwarf_diename(&chain[count]);
        if (!linked)
            linked = dwarf_formstring(dwarf_attr_integrate(&chain[count], DW_AT_MIPS_linkage_name, &attribute));
        if (linked && !(plain && is_symbol_of(linked, plain)))
            frame->name = demangle(linked, made);
        else if (plain && (linked || !own || is_symbol_of(own, plain)))
            frame->name = plain;
        else
            frame->name = demangle(own ? own : "[inlined]", made);
        frame->source = declared_in(&chain[count]);
        if (!frame->source || dwarf_decl_line(&chain[count], &frame->line) != 0)
            frame->source = NULL;
        if (tag == DW_TAG_subprogram)
            break;
        /* the next frame is the function that calls this inlined function; its line is that of the call */
        at_source = NULL;
        if (dwarf_formudata(dwarf_attr(&chain[count], DW_AT_call_file, &attribute), &number) == 0 &&
            dwarf_getsrcfiles(unit, &files, NULL) == 0)
            at_source = dwarf_filesrc(files, number, NULL, NULL);
        at_line =
            dwarf_formudata(dwarf_attr(&chain[count], DW_AT_call_line, &attribute), &number) == 0 ? (int)number : 0;
    }
    return found;
}

unsigned pithi_code_file_find(struct pithi_code_file *file, uint64_t address,
                              struct pithi_code_frame frames[PITHI_CODE_FRAMES])
{
    GElf_Addr there = address + file->bias;
    GElf_Off offset = 0;
    GElf_Sym symbol;
    const char *name = dwfl_module_addrinfo(file->module, there, &offset, &symbol, NULL, NULL, NULL);
    int at = 0;
    const char *source = find_line(file, there, &at);
    unsigned found;

    forget_names(file);
    /* If no symbol contains the address, libdw returns the symbol before it. That symbol is used only if it has no
     * size, because a symbol with a size ends before the address. */
    if (name && symbol.st_size && offset >= symbol.st_size)
        name = NULL;
    found = find_scopes(file, there, name, frames, source, at);
    if (!found && !name)
        return 0;
    /* If only the symbol is known, the line of its first address is taken as the line of its declaration. */
    if (!found) {
        frames[found++] = (struct pithi_code_frame){.at_source = source, .at_line = at};
        frames[0].name = demangle(name, &file->names[0]);
        frames[0].source = find_line(file, there - offset, &frames[0].line);
    }
    for (unsigned i = 0; i < found; i++)
        frames[i].begin = name ? address - offset : address;
    return found;
}

void pithi_code_file_each(struct pithi_code_file *file, void (*visit)(void *context, uint64_t address), void *context)
{
    int count = dwfl_module_getsymtab(file->module);
    GElf_Addr address;
    GElf_Sym symbol;

    for (int i = 1; i < count; i++)
        if (dwfl_module_getsym_info(file->module, i, &symbol, &address, NULL, NULL, NULL) &&
            GELF_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF)
            visit(context, address - file->bias);
}
