/* _read.c - what pith/log.py needs of libpithlog. Arrays are passed as buffers: Python makes numpy arrays, which this
 * module fills; arrays of structs are passed as bytes, with a description of the struct's layout. So no object is made
 * for a record. The GIL is released while a log is read, so other threads run. Ctrl-C stops a long read.
 *
 * While a thread reads without the GIL, another one must not close its log. So a log counts its users:
 *
 *     thread 1   use: users 1, reads ...                     ... release: users 0, closes
 *     thread 2                          close(): is_closing
 *
 * After close(), new uses raise ValueError, while the reading that has begun goes on to its end. The counter is only
 * changed while the GIL is held, so it needs no lock. */
#include "_read.h"

#include <stddef.h>
#include <string.h>

/* [enum pith_err] the exception for this error, from set_errors; [0] is not used */
static PyObject *errors[PITH_ERR_STOPPED + 1];

PyObject *pithi_py_failed(int err)
{
    if (err == PITH_ERR_STOPPED && PyErr_Occurred()) /* by Ctrl-C: see pithi_py_progress */
        return NULL;
    PyErr_SetString(err > PITH_OK && err <= PITH_ERR_STOPPED && errors[err] ? errors[err] : PyExc_RuntimeError,
                    pithlog_error());
    return NULL;
}

/* See _read.h. A byte that is not UTF-8 is not dropped but becomes a text such as \\xff, so that different names stay
 * different. */
PyObject *pithi_py_text(const char *bytes)
{
    return PyUnicode_DecodeUTF8(bytes ? bytes : "", bytes ? (Py_ssize_t)strlen(bytes) : 0, "backslashreplace");
}

int pithi_py_append(PyObject *list, PyObject *item)
{
    int status = item ? PyList_Append(list, item) : -1;

    Py_XDECREF(item);
    return status;
}

/* See _read.h. An exception may be set already, because the work may call this function once more between the exception
 * and its end. */
int pithi_py_progress(void *context, double part)
{
    PyGILState_STATE state = PyGILState_Ensure();
    int stop = PyErr_Occurred() || PyErr_CheckSignals();

    (void)context, (void)part;
    PyGILState_Release(state);
    return stop;
}

/* See _read.h. Gets the type's function by PyType_GetSlot, since the limited API does not show the fields of types. */
void *pithi_py_new(PyTypeObject *type)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);

    return alloc(type, 0);
}

/* Frees an object, and drops the reference to its type that each object of a heap type has. */
void pithi_py_free(void *self)
{
    PyTypeObject *type = Py_TYPE((PyObject *)self);
    freefunc free_it = (freefunc)PyType_GetSlot(type, Py_tp_free);

    free_it(self);
    Py_DECREF((PyObject *)type);
}

/* ---- Arrays of structs ------------------------------------------------------------------------------------------- */

struct field {                 /* in a list, which ends with a field without a name */
    const char *name, *format; /* format: the field's type, as numpy writes it */
    size_t offset;             /* in the struct */
};
struct layout { /* in a list, which ends with a layout without a name */
    const char *name;
    const struct field *fields;
    size_t size; /* of the struct */
};
/* The C compiler gives the sizes and offsets, so numpy's dtype is right on each machine. */
#define F(type, field, format)                                                                                         \
    {                                                                                                                  \
#field, format, offsetof(struct type, field)                                                                   \
    }
static const struct field message_fields[] = {F(pithlog_message, send_lane, "u4"), F(pithlog_message, recv_lane, "u4"),
                                              F(pithlog_message, send_ns, "i8"),   F(pithlog_message, recv_ns, "i8"),
                                              F(pithlog_message, tag, "i4"),       F(pithlog_message, comm, "u4"),
                                              F(pithlog_message, bytes, "u8"),     {NULL, NULL, 0}};
static const struct field wait_fields[] = {
    F(pithlog_wait_state, from_ns, "i8"),    F(pithlog_wait_state, to_ns, "i8"),
    F(pithlog_wait_state, release_ns, "i8"), F(pithlog_wait_state, handed_ns, "f8"),
    F(pithlog_wait_state, kind, "u4"),       F(pithlog_wait_state, lane, "u4"),
    F(pithlog_wait_state, state, "u4"),      F(pithlog_wait_state, cause_lane, "u4"),
    F(pithlog_wait_state, order, "u4"),      {NULL, NULL, 0}};
static const struct field delay_fields[] = {F(pithlog_delay, lane, "u4"),        F(pithlog_delay, state, "u4"),
                                            F(pithlog_delay, kind, "u4"),        F(pithlog_delay, direct_ns, "f8"),
                                            F(pithlog_delay, indirect_ns, "f8"), {NULL, NULL, 0}};
static const struct field part_fields[] = {F(pithlog_path_part, lane, "u4"),
                                           F(pithlog_path_part, from_ns, "i8"),
                                           F(pithlog_path_part, to_ns, "i8"),
                                           {NULL, NULL, 0}};
static const struct field iteration_fields[] = {F(pithlog_iteration, from_ns, "i8"),
                                                F(pithlog_iteration, to_ns, "i8"),
                                                F(pithlog_iteration, lane, "u4"),
                                                {NULL, NULL, 0}};
static const struct layout layouts[] = {{"message", message_fields, sizeof(struct pithlog_message)},
                                        {"wait", wait_fields, sizeof(struct pithlog_wait_state)},
                                        {"delay", delay_fields, sizeof(struct pithlog_delay)},
                                        {"path", part_fields, sizeof(struct pithlog_path_part)},
                                        {"iteration", iteration_fields, sizeof(struct pithlog_iteration)},
                                        {NULL, NULL, 0}};

/* {"message": ([(name, format, offset), ...], itemsize), ...} */
static PyObject *make_layouts(void)
{
    PyObject *all = PyDict_New();

    for (const struct layout *l = layouts; all && l->name; l++) {
        PyObject *fields = PyList_New(0), *pair = NULL;
        int bad = !fields;

        for (const struct field *f = l->fields; !bad && f->name; f++)
            bad = pithi_py_append(fields, Py_BuildValue("ssn", f->name, f->format, (Py_ssize_t)f->offset));
        if (!bad)
            pair = Py_BuildValue("On", fields, (Py_ssize_t)l->size);
        Py_XDECREF(fields);
        if (!pair || PyDict_SetItemString(all, l->name, pair))
            Py_CLEAR(all);
        Py_XDECREF(pair);
    }
    return all;
}

/* ---- Logs -------------------------------------------------------------------------------------------------------- */

/* Ends a use of the log. If close() was called and this was the last use, closes the log. */
void pithi_py_release(struct log *self)
{
    if (--self->users == 0 && self->is_closing && self->log) {
        pithlog_close(self->log);
        self->log = NULL;
    }
}

struct pithlog *pithi_py_use(struct log *self)
{
    if (!self->log || self->is_closing) {
        PyErr_SetString(PyExc_ValueError, "the log is closed");
        return NULL;
    }
    self->users++;
    return self->log;
}

/* close(): a second call does nothing. close() counts as a user itself, so that its own pithi_py_release closes the log
 * if there is no other user. */
static PyObject *log_close(struct log *self, PyObject *unused)
{
    (void)unused;
    self->is_closing = 1;
    self->users++;
    pithi_py_release(self);
    Py_RETURN_NONE;
}

static void log_dealloc(struct log *self)
{
    pithlog_close(self->log); /* there are no users, as they have references to the object */
    pithi_py_free(self);
}

/* Makes the object of an open log, which then owns the log. */
static PyObject *log_of(PyTypeObject *type, struct pithlog *log)
{
    struct log *self = pithi_py_new(type);

    if (self)
        self->log = log;
    else
        pithlog_close(log);
    return (PyObject *)self;
}

/* Log(path): bytes, str or a path object, as for open(). */
static PyObject *log_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *path;
    struct pithlog *log = NULL;
    int err;

    (void)keywords;
    if (!PyArg_ParseTuple(args, "O&", PyUnicode_FSConverter, &path))
        return NULL;
    const char *name = PyBytes_AsString(path); /* valid as long as `path` exists */
    Py_BEGIN_ALLOW_THREADS
    err = pithlog_open_watched(name, pithi_py_progress, NULL, &log);
    Py_END_ALLOW_THREADS
    Py_DECREF(path);
    return err ? pithi_py_failed(err) : log_of(type, log);
}

/* part(query) -> Log of the records that match. */
static PyObject *log_part(struct log *self, PyObject *args)
{
    const char *text;
    struct pithlog_filter *filter = NULL;
    struct pithlog *part = NULL;
    int err;

    if (!PyArg_ParseTuple(args, "s", &text))
        return NULL;
    if ((err = pithlog_filter_parse(text, &filter, NULL)) != PITH_OK)
        return pithi_py_failed(err);
    if (!pithi_py_use(self)) {
        pithlog_filter_free(filter);
        return NULL;
    }
    struct pithlog *log = self->log; /* read here, as fields are only accessed with the GIL held */
    Py_BEGIN_ALLOW_THREADS
    err = pithlog_open_part(log, filter, &part);
    pithlog_filter_free(filter);
    Py_END_ALLOW_THREADS
    pithi_py_release(self);
    return err ? pithi_py_failed(err) : log_of(Py_TYPE((PyObject *)self), part);
}

/* info() -> dict, the fields of struct pithlog_info */
static PyObject *log_info(struct log *self, PyObject *unused)
{
    (void)unused;
    if (!pithi_py_use(self))
        return NULL;
    const struct pithlog_info *i = pithlog_get_info(self->log);
    PyObject *info = Py_BuildValue(
        "{s:s,s:I,s:O,s:I,s:I,s:I,s:I,s:K,s:K,s:K,s:K,s:K,s:L,s:L,s:K,s:z}", "format", i->format, "version", i->version,
        "complete", i->complete ? Py_True : Py_False, "ranks", i->ranks, "lanes", i->lanes, "definitions", i->defs,
        "communicators", i->comms, "records", (unsigned long long)i->records, "states", (unsigned long long)i->states,
        "events", (unsigned long long)i->events, "messages", (unsigned long long)i->messages, "lost",
        (unsigned long long)i->lost, "start_ns", (long long)i->start_ns, "end_ns", (long long)i->end_ns, "bytes",
        (unsigned long long)i->bytes, "incomplete", i->incomplete);
    pithi_py_release(self);
    return info;
}

/* properties() -> dict */
static PyObject *log_properties(struct log *self, PyObject *unused)
{
    PyObject *all;
    const char *key, *value;

    (void)unused;
    if (!pithi_py_use(self))
        return NULL;
    all = PyDict_New();
    for (uint32_t i = 0; all && (key = pithlog_get_property(self->log, i, &value)); i++) {
        PyObject *k = pithi_py_text(key), *v = pithi_py_text(value);
        if (!k || !v || PyDict_SetItem(all, k, v))
            Py_CLEAR(all);
        Py_XDECREF(k);
        Py_XDECREF(v);
    }
    pithi_py_release(self);
    return all;
}

/* definitions() -> [(kind, name, rgb, group, format), ...], indexed by id */
static PyObject *log_definitions(struct log *self, PyObject *unused)
{
    PyObject *all;

    (void)unused;
    if (!pithi_py_use(self))
        return NULL;
    uint32_t count = pithlog_get_info(self->log)->defs;
    all = PyList_New(0);
    for (uint32_t i = 0; all && i < count; i++) {
        const struct pithlog_def *d = pithlog_get_def(self->log, i);
        /* "N" in the format takes over the reference to a text. */
        if (pithi_py_append(all, d ? Py_BuildValue("iNINN", (int)d->kind, pithi_py_text(d->name),
                                                   pithlog_def_rgb(self->log, i), pithi_py_text(d->group),
                                                   pithi_py_text(d->format))
                                   : pithi_py_failed(PITH_ERR_DAMAGED)))
            Py_CLEAR(all);
    }
    pithi_py_release(self);
    return all;
}

/* lanes() -> [(rank, thread, name, host, first_ns, last_ns, records), ...] */
static PyObject *log_lanes(struct log *self, PyObject *unused)
{
    PyObject *all;

    (void)unused;
    if (!pithi_py_use(self))
        return NULL;
    uint32_t count = pithlog_get_info(self->log)->lanes;
    all = PyList_New(0);
    for (uint32_t i = 0; all && i < count; i++) {
        const struct pithlog_lane *l = pithlog_get_lane(self->log, i);
        if (pithi_py_append(all, l ? Py_BuildValue("iINNLLK", l->rank, l->thread, pithi_py_text(l->name),
                                                   pithi_py_text(l->host), (long long)l->first_ns,
                                                   (long long)l->last_ns, (unsigned long long)l->records)
                                   : pithi_py_failed(PITH_ERR_DAMAGED)))
            Py_CLEAR(all);
    }
    pithi_py_release(self);
    return all;
}

/* communicators() -> [(name, size, remote_size, bytes of world ranks), ...] */
static PyObject *log_communicators(struct log *self, PyObject *unused)
{
    PyObject *all;

    (void)unused;
    if (!pithi_py_use(self))
        return NULL;
    uint32_t count = pithlog_get_info(self->log)->comms;
    all = PyList_New(0);
    for (uint32_t i = 0; all && i < count; i++) {
        const struct pithlog_comm *c = pithlog_get_comm(self->log, i);
        /* b"" if the members are unknown */
        Py_ssize_t members = c && c->world_ranks ? (Py_ssize_t)c->size + c->remote_size : 0;
        if (pithi_py_append(all, c ? Py_BuildValue("Niiy#", pithi_py_text(c->name), c->size, c->remote_size,
                                                   (const char *)c->world_ranks,
                                                   members * (Py_ssize_t)sizeof *c->world_ranks)
                                   : pithi_py_failed(PITH_ERR_DAMAGED)))
            Py_CLEAR(all);
    }
    pithi_py_release(self);
    return all;
}

/* find(word, is_end) -> ns: the time for which `word` stands as the begin or end of an interval */
static PyObject *log_find(struct log *self, PyObject *args)
{
    const char *word;
    int is_end, err;
    int64_t time_ns = 0;

    if (!PyArg_ParseTuple(args, "si", &word, &is_end) || !pithi_py_use(self))
        return NULL;
    struct pithlog *log = self->log;
    Py_BEGIN_ALLOW_THREADS
    err = pithlog_time_find(log, word, is_end ? PITHLOG_EDGE_END : PITHLOG_EDGE_BEGIN, &time_ns);
    Py_END_ALLOW_THREADS
    pithi_py_release(self);
    return err ? pithi_py_failed(err) : PyLong_FromLongLong(time_ns);
}

/* ---- The module -------------------------------------------------------------------------------------------------- */

/* set_errors([the exception for PITH_ERR_OPEN, for PITH_ERR_IO, ...]) */
static PyObject *set_errors(PyObject *module, PyObject *list)
{
    (void)module;
    for (Py_ssize_t i = 0; i < PITH_ERR_STOPPED; i++) {
        PyObject *error = PyList_GetItem(list, i);
        if (!error)
            return NULL;
        Py_INCREF(error); /* PyList_GetItem returns a borrowed reference */
        errors[i + 1] = error;
    }
    Py_RETURN_NONE;
}

/* check_query(text): raises an exception if the query is wrong */
static PyObject *check_query(PyObject *module, PyObject *args)
{
    const char *text;
    struct pithlog_filter *filter;
    int err;

    (void)module;
    if (!PyArg_ParseTuple(args, "s", &text))
        return NULL;
    if ((err = pithlog_filter_parse(text, &filter, NULL)) != PITH_OK)
        return pithi_py_failed(err);
    pithlog_filter_free(filter);
    Py_RETURN_NONE;
}

/* wait_kind_name(number) -> str */
static PyObject *wait_kind_name(PyObject *module, PyObject *number)
{
    unsigned long kind = PyLong_AsUnsignedLong(number);

    (void)module;
    return PyErr_Occurred() ? NULL : pithi_py_text(pithlog_wait_kind_name((uint32_t)kind));
}

static PyMethodDef log_methods[] = {METHOD("close", log_close, METH_NOARGS),
                                    METHOD("part", log_part, METH_VARARGS),
                                    METHOD("info", log_info, METH_NOARGS),
                                    METHOD("properties", log_properties, METH_NOARGS),
                                    METHOD("definitions", log_definitions, METH_NOARGS),
                                    METHOD("lanes", log_lanes, METH_NOARGS),
                                    METHOD("communicators", log_communicators, METH_NOARGS),
                                    METHOD("find", log_find, METH_VARARGS),
                                    {NULL, NULL, 0, NULL}};
static PyMethodDef module_methods[] = {METHOD("messages", pithi_py_messages, METH_VARARGS),
                                       METHOD("check_query", check_query, METH_VARARGS),
                                       METHOD("set_errors", set_errors, METH_O),
                                       METHOD("wait_kind_name", wait_kind_name, METH_O),
                                       {NULL, NULL, 0, NULL}};

static PyType_Slot log_slots[] = {
    /* slots, because these are heap types; the limited API has no other types */
    {Py_tp_new, (void *)log_new},
    {Py_tp_dealloc, (void *)log_dealloc},
    {Py_tp_methods, log_methods},
    {0, NULL}};
static PyType_Spec log_spec = {"pith._read.Log", sizeof(struct log), 0, Py_TPFLAGS_DEFAULT, log_slots};
/* The size -1 says that the module keeps its state in C variables, so that subinterpreters share it. */
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "pith._read", NULL, -1, module_methods, NULL, NULL, NULL, NULL};

PyMODINIT_FUNC PyInit__read(void);
PyMODINIT_FUNC PyInit__read(void)
{
    PyType_Spec *types[] = {&log_spec, &pithi_py_records, &pithi_py_analysis};
    const char *names[] = {"Log", "Records", "Analysis"};
    PyObject *made = PyModule_Create(&module), *all = make_layouts(); /* NULL after an error, which is handled below */
    int bad = !made || !all || PyModule_AddObjectRef(made, "layouts", all);

    Py_XDECREF(all);
    for (int i = 0; i < 3 && !bad; i++) {
        PyObject *type = PyType_FromSpec(types[i]);
        bad = !type || PyModule_AddObjectRef(made, names[i], type);
        Py_XDECREF(type);
    }
    if (bad)
        Py_CLEAR(made);
    return made;
}
