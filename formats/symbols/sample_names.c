/* sample_names.c - finds functions by address. A log has many samples, but few different addresses. So each address is
 * looked up once, in the log or in the files of the program, and the result is kept in a map.
 *
 * A process may load a file of code at any address, so an address has a meaning only together with the pith:module
 * event that says where the file was loaded:
 *
 *     pith:module   /home/u/solve   begin 0x555500001000  end 0x555500009000  bias 0x555500000000
 *     a sample has the return address 0x555500001234
 *     minus 1, which lies in the call instruction      0x555500001233
 *     minus bias, which gives the address in the file          0x1233  ->  (file, 0x1233) is the key of the map
 *
 * So two processes that loaded the file at different addresses share an entry of the map. The entry has a chain of
 * places: first the innermost function, then the functions into which the compiler inlined it.
 *
 * Code that a program made at run time (by a JIT compiler, or Python) is in no file. pith:code events have its names.
 * All addresses of code with the same name share one place.
 */
#include "symbols/sample_names.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/bytes.h"
#include "base/map.h"
#include "base/pair_map.h"
#include "native/log.h"
#include "symbols/code_names.h"

/* A loaded file, from a pith:module event. */
struct module {
    uint32_t lane;             /* a lane of the process that loaded it */
    uint32_t file;             /* index in `files` */
    int64_t time_ns;           /* time of the event, from which on the file is loaded */
    uint64_t begin, end, bias; /* addresses in the process; an address minus `bias` is the address in the file */
};

/* Code that was made at run time, from a pith:code event. */
struct code {
    uint32_t file;       /* index in `files` of an entry whose path is the name of the code */
    uint32_t before;     /* 1 + index of the code that the same rank made before this one; 0: none */
    uint64_t begin, end; /* addresses */
};

struct file {
    char *path, *build;           /* from malloc; "" if unknown */
    uint32_t next;                /* 1 + index of the next file with the same hash; 0: none */
    int is_code;                  /* 1: code made at run time, without a file */
    struct pithi_code_file *code; /* NULL: the file was not found on this machine */
    int tried;                    /* 1: `code` was searched */
};

struct pithi_sample_names {
    struct pithlog *log;                             /* NULL: for a running program */
    struct pithlog_follow *follow;                   /* the running program; NULL: for a log */
    uint32_t def_count;                              /* number of the running program's definitions seen so far */
    uint32_t sample_id, module_id, site_id, code_id; /* ids of the events; UINT32_MAX: not in the log */
    int64_t period_ns;                               /* period of the samples */
    int wall;                                        /* 1: samples by wall-clock time, 0: by CPU time */
    struct module *modules;                          /* in order of time */
    uint32_t module_count, module_room;
    struct code *codes; /* in order of time */
    uint32_t code_count, code_room;
    struct pithi_map newest_code;    /* from the rank to 1 + index of its newest code */
    struct pithi_pair_map code_keys; /* from (rank, address) to an index of code_at */
    uint32_t *code_at;               /* 1 + index of the code at the address; 0: none */
    uint32_t code_at_room;
    struct file *files; /* [file_count] */
    uint32_t file_count;
    struct pithi_map file_of;       /* from the hash of path and build to 1 + index of a file */
    struct pithi_code_names stored; /* names that the log has */
    struct pithi_pair_map places;   /* from (1 + index of the file, address in the file) to an index of `found` */
    struct pithi_place **found;     /* the innermost place of the chain at the address */
    uint32_t found_room;
    struct pithi_pair_map starts; /* from (1 + index of the file, hash of name and place) to the function's number */
    struct pithi_function *functions; /* by the function's number */
    uint32_t function_room;
};

/* ---- Events ------------------------------------------------------------------------------------------------------ */

static uint64_t big_endian(const unsigned char *p) { return (uint64_t)pithi_get_be32(p) << 32 | pithi_get_be32(p + 4); }

/* Returns the rank of a lane. In a running program, the rank changes when the process joins its job. */
static int32_t rank_of(const struct pithi_sample_names *s, uint32_t lane)
{
    return (s->log ? pithlog_get_lane(s->log, lane) : pithlog_follow_get_lane(s->follow, lane))->rank;
}

/* Returns the next string of a payload, from malloc; NULL if the payload ends within it, or if there is no memory. */
static char *take_string(const unsigned char **p, const unsigned char *end)
{
    size_t size;
    char *text;
    if (end - *p < 2 || (size_t)(end - *p) - 2 < (size = (size_t)((*p)[0] << 8 | (*p)[1])))
        return NULL;
    text = strndup((const char *)*p + 2, size);
    *p += 2 + size;
    return text;
}

/* Sets *number to the index of a file; adds the file if it is new. Takes over `path` and `build`. */
static int number_file(struct pithi_sample_names *s, char *path, char *build, uint32_t *number)
{
    uint64_t *first = pithi_map_at(&s->file_of, pithi_hash_text(pithi_hash_text(PITHI_HASH, path), build));

    for (uint32_t i = first ? (uint32_t)*first : 0; i; i = s->files[i - 1].next)
        if (!strcmp(s->files[i - 1].path, path) && !strcmp(s->files[i - 1].build, build)) {
            *number = i - 1;
            free(path);
            free(build);
            return PITH_OK;
        }
    if (!first || !pithi_grow_one(&s->files, s->file_count, sizeof *s->files)) {
        free(path);
        free(build);
        return pithi_no_memory();
    }
    s->files[s->file_count] = (struct file){.path = path, .build = build, .next = (uint32_t)*first};
    *number = s->file_count++;
    *first = s->file_count;
    return PITH_OK;
}

static int add_module(struct pithi_sample_names *s, const struct pithlog_record *r)
{
    const unsigned char *p = r->payload, *end = p + r->payload_bytes;
    struct module module = {.lane = r->lane, .time_ns = r->time_ns};
    char *path, *build;

    if (r->payload_bytes < 24)
        return PITH_OK;
    module.begin = big_endian(p);
    module.end = big_endian(p + 8);
    module.bias = big_endian(p + 16);
    p += 24;
    build = take_string(&p, end);
    path = build ? take_string(&p, end) : NULL;
    if (!path) {
        free(build);
        return PITH_OK;
    }
    CHECK(number_file(s, path, build, &module.file));
    if (!pithi_grow(&s->modules, s->module_count, &s->module_room, sizeof *s->modules))
        return pithi_no_memory();
    s->modules[s->module_count++] = module;
    return PITH_OK;
}

static int add_code(struct pithi_sample_names *s, const struct pithlog_record *r)
{
    const unsigned char *p = r->payload + 16;
    struct code code;
    uint64_t *newest;
    char *name = r->payload_bytes > 16 ? take_string(&p, r->payload + r->payload_bytes) : NULL, *kind;

    if (!name)
        return PITH_OK;
    if (!(kind = strdup("code"))) {
        free(name);
        return pithi_no_memory();
    }
    CHECK(number_file(s, name, kind, &code.file));
    s->files[code.file].is_code = 1;
    code.begin = big_endian(r->payload);
    code.end = big_endian(r->payload + 8);
    newest = pithi_map_at(&s->newest_code, (uint32_t)rank_of(s, r->lane));
    if (!newest || !pithi_grow(&s->codes, s->code_count, &s->code_room, sizeof *s->codes))
        return pithi_no_memory();
    code.before = (uint32_t)*newest;
    s->codes[s->code_count++] = code;
    *newest = s->code_count;
    return PITH_OK;
}

static int read_modules(struct pithi_sample_names *s)
{
    struct pithlog_query query = {.from_ns = INT64_MIN, .to_ns = INT64_MAX, .kinds = 1u << PITHLOG_EVENT};
    struct pithlog_record record;
    struct pithlog_iter *iter;
    int err = PITH_OK, more;

    CHECK(pithlog_iter_open(s->log, &query, &iter));
    while (!err && (more = pithlog_iter_next(iter, &record)) != 0) /* leaves out damaged records */
        if (more == 1 && record.id == s->module_id)
            err = add_module(s, &record);
        else if (more == 1 && record.id == s->code_id)
            err = add_code(s, &record);
    pithlog_iter_close(iter);
    return err;
}

int pithi_samples_in(const struct pithlog *log)
{
    int has = 0;

    for (uint32_t i = 0; i < pithlog_get_info(log)->defs; i++) {
        enum pithi_code_event is = pithi_code_event(pithlog_get_def(log, i));
        has |= is == PITHI_CODE_SAMPLE ? PITHI_HAS_SAMPLES : is == PITHI_CODE_SITE ? PITHI_HAS_SITES : 0;
    }
    return has;
}

static void learn_def(struct pithi_sample_names *s, uint32_t id, const struct pithlog_def *def)
{
    uint32_t *const ids[] = {[PITHI_CODE_SAMPLE] = &s->sample_id,
                             [PITHI_CODE_SITE] = &s->site_id,
                             [PITHI_CODE_MODULE] = &s->module_id,
                             [PITHI_CODE_NAME] = &s->code_id};
    enum pithi_code_event is = pithi_code_event(def);

    if (is != PITHI_NO_CODE)
        *ids[is] = id;
}

/* Returns 1 if the payloads of the samples and call sites are text, perhaps cut. Such payloads come from a conversion
 * through a format that cannot hold the original ones. */
static int were_converted(const struct pithlog *log)
{
    for (uint32_t i = 0; i < pithlog_get_info(log)->defs; i++) {
        const struct pithlog_def *def = pithlog_get_def(log, i);
        if (def->kind == PITHLOG_EVENT_TYPE && (!strcmp(def->name, "pith:sample") || !strcmp(def->name, "pith:site")))
            return pithi_code_event(def) == PITHI_NO_CODE;
    }
    return 0;
}

int pithi_sample_names_open(struct pithlog *log, enum pithi_names_need need, struct pithi_sample_names **names)
{
    const struct pithlog_info *info = pithlog_get_info(log);
    struct pithi_sample_names *s = calloc(1, sizeof *s);
    int err;

    *names = s;
    if (!s)
        return pithi_no_memory();
    s->log = log;
    s->sample_id = s->module_id = s->site_id = s->code_id = UINT32_MAX;
    for (uint32_t i = 0; i < info->defs; i++)
        learn_def(s, i, pithlog_get_def(log, i));
    s->period_ns = pithi_sample_timing(log, &s->wall);
    int lacks_sites = s->site_id == UINT32_MAX;
    int lacks = need == PITHI_NEED_SITES ? lacks_sites
                                         : s->sample_id == UINT32_MAX && (need == PITHI_NEED_SAMPLES || lacks_sites);
    if (lacks && were_converted(log))
        return pithi_fail(PITH_ERR_USAGE,
                          "%s: its samples became text when it was converted; use the log that it was "
                          "made from",
                          log->path);
    if (lacks && need == PITHI_NEED_SITES)
        return pithi_fail(PITH_ERR_USAGE, "%s: the log has no call sites; record with PITH_CALLSITES=1", log->path);
    if (lacks)
        return pithi_fail(PITH_ERR_USAGE, "%s: the log has no samples; record with pith run --sample", log->path);
    CHECK(pithi_code_names_read(&s->stored, log));
    if ((err = read_modules(s)) == PITH_OK && !pithi_code_file_possible() && s->stored.count == 0)
        fprintf(stderr, "pith: note: functions have no names, because Pith was built without libdw\n");
    return err;
}

int pithi_sample_names_follow(struct pithlog_follow *follow, struct pithi_sample_names **names)
{
    struct pithi_sample_names *s = *names = calloc(1, sizeof *s);

    if (!s)
        return pithi_no_memory();
    s->follow = follow;
    s->sample_id = s->module_id = s->site_id = s->code_id = UINT32_MAX;
    return PITH_OK;
}

int pithi_sample_names_take(struct pithi_sample_names *s, const struct pithlog_record *r)
{
    for (; s->def_count < pithlog_follow_get_info(s->follow)->defs; s->def_count++)
        learn_def(s, s->def_count, pithlog_follow_get_def(s->follow, s->def_count));
    return r->id == s->module_id ? add_module(s, r) : r->id == s->code_id ? add_code(s, r) : PITH_OK;
}

void pithi_sample_names_close(struct pithi_sample_names *s)
{
    if (!s)
        return;
    for (uint32_t i = 0; i < s->file_count; i++) {
        pithi_code_file_close(s->files[i].code);
        free(s->files[i].path);
        free(s->files[i].build);
    }
    for (uint32_t i = 0; i < s->starts.count && i < s->function_room; i++) {
        free(s->functions[i].name);
        free(s->functions[i].source);
    }
    for (uint32_t i = 0; i < s->places.count && i < s->found_room; i++)
        for (struct pithi_place *place = s->found[i], *outer; place; place = outer) {
            outer = (struct pithi_place *)(uintptr_t)place->outer;
            free((char *)(uintptr_t)place->source);
            free(place);
        }
    pithi_code_names_free(&s->stored);
    pithi_map_free(&s->newest_code);
    pithi_map_free(&s->file_of);
    free(s->code_keys.slots);
    free(s->code_at);
    free(s->places.slots);
    free(s->found);
    free(s->starts.slots);
    free(s->functions);
    free(s->files);
    free(s->modules);
    free(s->codes);
    free(s);
}

int pithi_sample_read(const struct pithi_sample_names *s, const struct pithlog_record *r, struct pithi_sample *sample)
{
    const unsigned char *p = r->payload;

    if (r->kind != PITHLOG_EVENT || r->id != s->sample_id || r->payload_bytes < 16)
        return 0;
    sample->cpu_ns = (int64_t)big_endian(p);
    sample->own = UINT32_MAX;
    sample->count = r->payload_bytes / 8 - 1;
    if (sample->count > PITHI_SAMPLE_FRAMES)
        sample->count = PITHI_SAMPLE_FRAMES;
    for (uint32_t i = 0; i < sample->count; i++)
        sample->addresses[i] = big_endian(p + 8 * (i + 1));
    return 1;
}

int pithi_site_read(const struct pithi_sample_names *s, const struct pithlog_record *r, uint64_t *address)
{
    if (r->kind != PITHLOG_EVENT || r->id != s->site_id || r->payload_bytes != 8)
        return 0;
    *address = big_endian(r->payload);
    return 1;
}

int64_t pithi_sample_period_ns(const struct pithi_sample_names *s) { return s->period_ns; }

struct pithi_sample_length pithi_sample_length(const struct pithi_sample_names *s, const struct pithlog_record *r,
                                               const struct pithi_sample *sample, const struct pithi_sample_last *last)
{
    struct pithi_sample_length length = {s->period_ns, s->period_ns};

    if (last->seen && sample->cpu_ns >= last->cpu_ns && r->time_ns >= last->time_ns) {
        length.cpu_ns = sample->cpu_ns - last->cpu_ns;
        length.ns = s->wall ? r->time_ns - last->time_ns : length.cpu_ns;
    }
    return length;
}

/* ---- Functions --------------------------------------------------------------------------------------------------- */

/* Makes room for item `number` of an array. Returns 0 if there is no memory. */
static int make_room(void *array, uint32_t number, uint32_t *room, size_t item)
{
    uint32_t more = *room ? 2 * *room : 256;

    if (number < *room)
        return 1;
    if (!pithi_resize(array, *room, more, item))
        return 0;
    *room = more;
    return 1;
}

/* Sets *code to the code that a rank made at run time at an address, or to NULL if there is none. JIT compilers may put
 * new code where old code was, and names are recorded only at the end of the run, so the newest code at the address is
 * taken. Each address of a rank is searched only once. */
static int find_code(struct pithi_sample_names *s, int32_t rank, uint64_t address, const struct code **code)
{
    const uint64_t *newest = pithi_map_find(&s->newest_code, (uint32_t)rank);
    uint32_t before = s->code_keys.count, key, i;

    *code = NULL;
    if (!newest)
        return PITH_OK;
    CHECK(pithi_pair_number(&s->code_keys, (uint32_t)rank, address, &key));
    if (!make_room(&s->code_at, key, &s->code_at_room, sizeof *s->code_at))
        return pithi_no_memory();
    if (s->code_keys.count > before) {
        for (i = (uint32_t)*newest; i; i = s->codes[i - 1].before)
            if (address >= s->codes[i - 1].begin && address < s->codes[i - 1].end)
                break;
        s->code_at[key] = i;
    }
    *code = s->code_at[key] ? &s->codes[s->code_at[key] - 1] : NULL;
    return PITH_OK;
}

int pithi_function_is_own(const struct pithi_function *function)
{
    const char *name = function ? strrchr(function->module, '/') : NULL;
    return name && !strncmp(name, "/libpith", 8);
}

/* Returns the name of an MPI function without the P of PMPI: MPI_Send for PMPI_Send and for MPI_Send. */
static const char *mpi_name(const char *name) { return name + (strncmp(name, "PMPI_", 5) == 0); }

static int add_function(struct pithi_sample_names *s, uint32_t number, const char *path,
                        const struct pithi_code_frame *frame)
{
    struct pithi_function function = {.line = frame->line, .module = path};

    if (!make_room(&s->functions, number, &s->function_room, sizeof *s->functions))
        return pithi_no_memory();
    function.name = strdup(pithi_function_is_own(&function) ? mpi_name(frame->name) : frame->name);
    if (frame->source)
        function.source = strdup(frame->source);
    s->functions[number] = function;
    return function.name && (function.source || !frame->source) ? PITH_OK : pithi_no_memory();
}

/* Finds the functions at an address of a file, and returns how many there are. The names in the log are tried first,
 * and then the file on this machine. With `fresh`, the file is tried first, and then the log. */
static unsigned find_frames(struct pithi_sample_names *s, struct file *file, uint64_t address, int fresh,
                            struct pithi_code_frame *frames)
{
    int stored = fresh ? 0 : pithi_code_names_find(&s->stored, file->path, file->build, address, frames);
    unsigned count = 0;

    if (stored > 0)
        return (unsigned)stored;
    if (!file->tried) {
        file->tried = 1;
        file->code = pithi_code_file_open(file->path, file->build);
        /* if the log says that the address has no name, no name is missed, and no note is printed */
        if (!file->code && (stored != 0 || fresh) && pithi_code_file_possible() && file->path[0] == '/')
            fprintf(stderr, "pith: note: %s is not here, or is not the file that was recorded: no names from it\n",
                    file->path);
    }
    if (file->code)
        count = pithi_code_file_find(file->code, address, frames);
    if (count == 0 && fresh)
        stored = pithi_code_names_find(&s->stored, file->path, file->build, address, frames);
    return count > 0 || stored < 0 ? count : (unsigned)stored;
}

/* Makes the place of a frame, and links it to *place, which is the place of the next outer function (NULL: none). Then
 * sets *place to the new place, so that further calls add the functions inside it. Adds the function of the frame if it
 * is new. */
static int go_in(struct pithi_sample_names *s, uint32_t file_1, const char *path, const struct pithi_code_frame *frame,
                 struct pithi_place **place)
{
    const struct pithi_code_frame nameless = {.name = "[unknown]"};
    frame = *frame->name ? frame : &nameless; /* no name may be empty, because flame graphs join the names by ; */
    uint64_t hash = pithi_hash_text(PITHI_HASH, frame->name);
    uint32_t before = s->starts.count;
    struct pithi_place *inner = calloc(1, sizeof *inner);
    int err;

    if (!inner)
        return pithi_no_memory();
    inner->outer = *place;
    inner->line = frame->at_line;
    inner->source = frame->at_source ? strdup(frame->at_source) : NULL;
    *place = inner;
    hash = frame->source ? pithi_hash_number(pithi_hash_text(hash, frame->source), (uint64_t)frame->line)
                         : pithi_hash_number(hash, frame->begin);
    err = pithi_pair_number(&s->starts, file_1, hash, &inner->function);
    return !err && s->starts.count > before ? add_function(s, inner->function, path, frame) : err;
}

/* Makes the chain of places of an address in a file. file_1 is 1 + the index of the file; if it is 0, there is no file,
 * and the address 1 stands for the end of a stack that was cut. */
static int find_place(struct pithi_sample_names *s, uint32_t file_1, uint64_t address, struct pithi_place **place)
{
    struct file *file = file_1 ? &s->files[file_1 - 1] : NULL;
    const char *slash = file ? strrchr(file->path, '/') : NULL;
    struct pithi_code_frame frames[PITHI_CODE_FRAMES], none = {.name = address == 1 ? "[cut]" : "[unknown]"};
    unsigned count = file && !file->is_code ? find_frames(s, file, address, 0, frames) : 0;
    const char *path = file ? file->path : "";
    char name[300];
    int err = PITH_OK;

    *place = NULL;
    if (file && file->is_code) {
        none.name = file->path;
        if (!strncmp(file->path, "py::", 4) && (slash = strchr(file->path + 4, ':')) != NULL) { /* py::NAME:FILE */
            snprintf(name, sizeof name, "%.*s", (int)(slash - file->path) - 4, file->path + 4);
            none.name = name;
            path = slash + 1;
        } else {
            path = "";
        }
    } else if (file) {
        snprintf(name, sizeof name, "[%.250s]", slash ? slash + 1 : file->path);
        none.name = name;
    }
    if (count == 0)
        return go_in(s, file_1, path, &none, place);
    while (!err && count-- > 0)
        err = go_in(s, file_1, path, &frames[count], place);
    return err;
}

int pithi_sample_place(struct pithi_sample_names *s, const struct pithlog_record *r, uint64_t address, int is_return,
                       const struct pithi_place **to)
{
    int32_t rank = rank_of(s, r->lane);
    int cut = address == 0;
    uint32_t before = s->places.count, file_1, place;
    const struct module *module = NULL;
    const struct code *code = NULL;
    int err = PITH_OK;

    /* Goes back into the call instruction, because if the call is the last instruction of a function, the return
     * address is after the function's end. */
    address -= (uint64_t)is_return;
    /* Finds the rank's module that contains the address. Of several such modules, the last one that was loaded before
     * the sample is taken. If none was loaded before the sample, the first one is taken, because a flight recorder may
     * have overwritten its earlier records. */
    for (uint32_t i = 0; i < s->module_count; i++) {
        const struct module *m = &s->modules[i];
        if (address >= m->begin && address < m->end && rank_of(s, m->lane) == rank &&
            (!module || m->time_ns <= r->time_ns))
            module = m;
    }
    if (!module && (err = find_code(s, rank, address, &code)) != PITH_OK)
        return err;
    file_1 = module ? module->file + 1 : code ? code->file + 1 : 0;
    address = module ? address - module->bias : (uint64_t)cut; /* outside of modules, all addresses share one place */
    if ((err = pithi_pair_number(&s->places, file_1, address, &place)) != PITH_OK)
        return err;
    if (s->places.count > before) {
        if (!make_room(&s->found, place, &s->found_room, sizeof *s->found))
            return pithi_no_memory();
        if ((err = find_place(s, file_1, address, &s->found[place])) != PITH_OK)
            return err;
    }
    *to = s->found[place];
    return PITH_OK;
}

/* Returns the innermost function of the frame with index `frame` in a sample, or NULL if the sample has fewer frames,
 * or on an error. */
static const struct pithi_function *innermost(struct pithi_sample_names *s, const struct pithlog_record *r,
                                              const struct pithi_sample *sample, uint32_t frame)
{
    const struct pithi_place *place;

    if (frame >= sample->count || pithi_sample_place(s, r, sample->addresses[frame], frame > 0, &place) != PITH_OK)
        return NULL;
    return &s->functions[place->function];
}

/* Returns 1 if a function belongs to the recorder itself, even if it is inlined or linked into the program. */
static int is_core(const struct pithi_function *function)
{
    const char *name = function ? strrchr(function->module, '/') : NULL;
    return function && ((name && !strncmp(name, "/libpith.so", 11)) || !strncmp(function->name, "pith_", 5) ||
                        !strncmp(function->name, "pithi_", 6));
}

int pithi_function_is_libc(const struct pithi_function *function)
{
    static const char *const files[] = {"libc.so", "libc-", "ld-",        "libpthread",
                                        "librt",   "libdl", "linux-vdso", "[vdso]"};
    const char *slash = strrchr(function->module, '/'), *file = slash ? slash + 1 : function->module;

    for (size_t i = 0; i < sizeof files / sizeof *files; i++)
        if (!strncmp(file, files[i], strlen(files[i])))
            return 1;
    return 0;
}

/* Returns 1 if `inner`, a function of libc, is the function that the wrapper records. It is enough that the name of
 * `inner` contains the wrapper's name, because read, for example, is __GI___libc_read inside libc. */
static int is_wrapped(const struct pithi_function *wrapper, const struct pithi_function *inner)
{
    char name[64];
    size_t length;

    snprintf(name, sizeof name, "%s", wrapper->name);
    length = strlen(name);
    if (length > 2 && !strcmp(name + length - 2, "64"))
        name[length - 2] = '\0';
    return inner->name[0] == '[' || strstr(inner->name, name) != NULL;
}

/* Returns the number of innermost frames that are work of Pith itself; the last of these frames is the wrapper, if
 * there is one. The frames up to the wrapper are Pith's work in three cases: the innermost function is Pith's; a
 * function of the recorder is among them; or the wrapper has called a function of libc other than the one that it
 * records. In all other cases it returns 0. */
static uint32_t own_frames(struct pithi_sample_names *s, const struct pithlog_record *r,
                           const struct pithi_sample *sample)
{
    const struct pithi_function *function = NULL, *inner = NULL;
    uint32_t first = 0, end;
    int has_core = 0;

    for (; first < sample->count; first++, inner = function) {
        function = innermost(s, r, sample, first);
        if (!function || pithi_function_is_own(function) || is_core(function))
            break;
    }
    if (!function || first == sample->count)
        return 0;
    for (end = first; end < sample->count; end++) {
        const struct pithi_function *next = innermost(s, r, sample, end);
        if (!pithi_function_is_own(next) && !is_core(next))
            break;
        has_core |= is_core(next);
    }
    return first == 0 || has_core || (pithi_function_is_libc(inner) && !is_wrapped(function, inner)) ? end : 0;
}

/* Returns 1 if a frame is hidden; `function` is its innermost function. Of Pith's libraries, only the wrapper is shown,
 * which has the name of the MPI call. The MPI function that the wrapper calls is hidden, because it has the same name;
 * so an MPI call is one function in all samples. Of neighbouring frames in the same file without symbols, only the
 * outermost is shown. */
static int is_hidden(struct pithi_sample_names *s, const struct pithlog_record *r, const struct pithi_sample *sample,
                     uint32_t frame, const struct pithi_function *function)
{
    const struct pithi_function *outer = innermost(s, r, sample, frame + 1);

    if (function->name[0] == '[')
        return outer == function;
    return pithi_function_is_own(outer) &&
           (pithi_function_is_own(function) || !strcmp(outer->name, mpi_name(function->name)));
}

/* Adds [recording] as the innermost function, in place of all functions of the recorder. It is then inside the wrapper,
 * or inside the program's function that calls the recorder directly (for example pith_begin). */
static int add_recording(struct pithi_sample_names *s, struct pithi_inlined *functions)
{
    const struct pithi_code_frame frame = {.name = PITHI_RECORDING};
    uint32_t before = s->starts.count, number;
    int err = pithi_pair_number(&s->starts, 0, pithi_hash_text(PITHI_HASH, frame.name), &number);

    if (!err && s->starts.count > before)
        err = add_function(s, number, "", &frame);
    for (uint32_t i = 0; !err && i < functions->count; i++)
        if (is_core(&s->functions[functions->functions[i]])) {
            functions->count = i;
            break;
        }
    if (!err) {
        functions->places[functions->count] = NULL;
        functions->functions[functions->count++] = number;
    }
    return err;
}

int pithi_sample_functions(struct pithi_sample_names *s, const struct pithlog_record *r, struct pithi_sample *sample,
                           uint32_t frame, struct pithi_inlined *functions)
{
    const struct pithi_place *place, *p;
    int err = pithi_sample_place(s, r, sample->addresses[frame], frame > 0, &place);
    uint32_t at = 0;

    if (sample->own == UINT32_MAX)
        sample->own = own_frames(s, r, sample);
    functions->count = 0;
    if (frame + 1 < sample->own)
        return err;

    for (p = err ? NULL : place; p; p = p->outer)
        at++;
    functions->count = at;
    for (p = err ? NULL : place; p; p = p->outer)
        functions->functions[--at] = p->function, functions->places[at] = p;
    if (!err && frame + 1 == sample->own) {
        if (pithi_function_is_own(&s->functions[place->function]))
            functions->count = 1;
        return add_recording(s, functions);
    }
    if (!err && is_hidden(s, r, sample, frame, &s->functions[place->function]))
        functions->count = 0;
    else if (!err && pithi_function_is_own(&s->functions[place->function]))
        functions->count = 1;
    return err;
}

int pithi_sample_names_store(struct pithi_sample_names *s, struct pithi_defs *defs, struct pithi_names_sum *sum)
{
    struct pithi_code_frame frames[PITHI_CODE_FRAMES];

    *sum = (struct pithi_names_sum){0, 0, 0};
    for (uint32_t i = 0; i < s->places.room; i++) {
        const struct pithi_pair_slot *slot = &s->places.slots[i];
        struct file *file = slot->number_1 && slot->a ? &s->files[slot->a - 1] : NULL;
        unsigned count;
        if (!file || file->is_code)
            continue;
        count = find_frames(s, file, slot->b, 1, frames);
        sum->addresses++;
        sum->named += count > 0;
        sum->with_source += count > 0 && frames[0].at_source;
        CHECK(pithi_code_names_put(defs, file->path, file->build, slot->b, frames, count));
    }
    return PITH_OK;
}

const struct pithi_function *pithi_function_get(const struct pithi_sample_names *s, uint32_t function)
{
    return &s->functions[function];
}

uint32_t pithi_function_count(const struct pithi_sample_names *s) { return s->starts.count; }

void pithi_function_place(const struct pithi_function *function, char *text, size_t size)
{
    const char *file = function->source ? function->source : function->module, *slash = strrchr(file, '/');

    snprintf(text, size, function->source ? "%.250s:%d" : "%.250s", slash ? slash + 1 : file, function->line);
}

uint32_t pithi_function_rgb(uint32_t function)
{
    uint32_t hash = function * 2654435769u;
    return (205 + (hash >> 24) % 50) << 16 | (120 + (hash >> 16) % 100) << 8 | (60 + (hash >> 8) % 50);
}
