/* _records.c - pith._read.Records, which fills columns with records, and messages().
 *
 * fill() writes straight into numpy's memory, where a time takes 8 bytes. A Python int would take 32 bytes
 * (sys.getsizeof) and a pointer. Records are read in parts of 65,536, between which signals such as Ctrl-C are
 * handled. */
#include "_read.h"

#include <stddef.h>
#include <string.h>

/* ---- Records ----------------------------------------------------------------------------------------------------- */

struct records {
    PyObject_HEAD struct log *log; /* this object has a reference to its log */
    struct pithlog_iter *iter;     /* NULL: not opened */
    PyObject *ids;                 /* a byte for each definition: 1: wanted; NULL: all are wanted */
    struct pithlog_filter *filter; /* NULL: all records match */
};

static void records_dealloc(struct records *self)
{
    if (self->log) {
        pithlog_iter_close(self->iter);
        pithi_py_release(self->log);
        Py_DECREF((PyObject *)self->log);
    }
    pithlog_filter_free(self->filter);
    Py_XDECREF(self->ids);
    pithi_py_free(self);
}

/* Records(log, from_ns, to_ns, lanes: bytes of uint32 or None, kinds, flags, ids: bytes or None,
 * filter: text or None) */
static PyObject *records_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *log, *ids;
    const char *lanes, *filter;
    Py_ssize_t lanes_bytes;
    long long from_ns, to_ns;
    unsigned kinds, flags;
    struct pithlog_query query;
    int err;

    (void)keywords;
    if (!PyArg_ParseTuple(args, "OLLz#IIOz", &log, &from_ns, &to_ns, &lanes, &lanes_bytes, &kinds, &flags, &ids,
                          &filter))
        return NULL;
    if (!pithi_py_use((struct log *)log))
        return NULL;
    struct pithlog *opened = ((struct log *)log)->log;
    if (ids != Py_None && PyBytes_Size(ids) != (Py_ssize_t)pithlog_get_info(opened)->defs) {
        pithi_py_release((struct log *)log);
        PyErr_SetString(PyExc_ValueError, "ids: not one byte for each definition");
        return NULL;
    }
    query = (struct pithlog_query){from_ns,
                                   to_ns,
                                   (const uint32_t *)(const void *)lanes,
                                   (uint32_t)(lanes_bytes / (Py_ssize_t)sizeof(uint32_t)),
                                   kinds,
                                   flags,
                                   NULL};
    /* From here on, `self` is the user of the log; freeing `self` releases the log. */
    struct records *self = pithi_py_new(type);
    if (!self) {
        pithi_py_release((struct log *)log);
        return NULL;
    }
    self->log = (struct log *)log;
    Py_INCREF(log);
    if (ids != Py_None) {
        self->ids = ids;
        Py_INCREF(ids);
    }
    if (filter && (err = pithlog_filter_parse(filter, &self->filter, NULL)) != PITH_OK) {
        pithi_py_failed(err);
        Py_DECREF((PyObject *)self);
        return NULL;
    }
    query.filter = self->filter;
    Py_BEGIN_ALLOW_THREADS
    err = pithlog_iter_open(opened, &query, &self->iter);
    Py_END_ALLOW_THREADS
    if (err) {
        self->iter = NULL;
        pithi_py_failed(err);
        Py_DECREF((PyObject *)self);
        return NULL;
    }
    return (PyObject *)self;
}

/* The columns in the order of fill()'s arguments, each with the size of its items. */
static const struct column {
    size_t offset, size;
} columns_of[] = {
#define C(field, size)                                                                                                 \
    {                                                                                                                  \
        offsetof(struct pithlog_columns, field), size                                                                  \
    }
    C(time_ns, 8), C(lane, 4),      C(kind, 4),  C(id, 4),    C(comm, 4),     C(peer, 4),     C(tag, 4),
    C(bytes, 8),   C(got_bytes, 8), C(value, 8), C(depth, 4), C(start_ns, 8), C(nested_ns, 8)};
/* AT_ONCE: how many records or messages are read before signals are handled */
enum { COLUMNS = sizeof columns_of / sizeof *columns_of, AT_ONCE = 1 << 16 };

/* Moves the pointers to all wanted columns on by `count` items. Pointers to other columns stay NULL. */
static void advance(struct pithlog_columns *columns, size_t count)
{
    for (int i = 0; i < COLUMNS; i++) {
        char **array = (char **)(void *)((char *)columns + columns_of[i].offset);
        if (*array)
            *array += count * columns_of[i].size;
    }
}

/* fill(at, (time_ns, lane, ...)): fills the arrays from index `at`; None instead of an array: the column is not wanted.
 * -> (number of records, None or the text of a damage). If the number is less than the arrays have room for, and
 * there is no damage, the log has no more records. */
static PyObject *records_fill(struct records *self, PyObject *args)
{
    PyObject *arrays, *damage = Py_None, *result = NULL;
    Py_ssize_t at, room = PY_SSIZE_T_MAX;
    Py_buffer views[COLUMNS];
    struct pithlog_columns columns = {.ids = self->ids ? (const unsigned char *)PyBytes_AsString(self->ids) : NULL};
    int held = 0;
    int64_t count = 0, filled = 0;

    if (!PyArg_ParseTuple(args, "nO!", &at, &PyTuple_Type, &arrays))
        return NULL;
    memset(views, 0, sizeof views);
    /* The shortest array limits how many records are read. All views are kept until the end, so that numpy does not
     * move its memory while other threads run. */
    for (held = 0; held < COLUMNS && held < PyTuple_Size(arrays); held++) {
        PyObject *array = PyTuple_GetItem(arrays, held);
        if (array == Py_None)
            continue;
        if (PyObject_GetBuffer(array, &views[held], PyBUF_WRITABLE | PyBUF_C_CONTIGUOUS))
            goto out;
        Py_ssize_t items = views[held].len / (Py_ssize_t)columns_of[held].size - at;
        if (at < 0 || items < 0 || views[held].itemsize != (Py_ssize_t)columns_of[held].size) {
            PyErr_SetString(PyExc_ValueError, "a column has the wrong type or size");
            held++;
            goto out;
        }
        room = items < room ? items : room;
        /* finds the field by its offset, because the columns have different types */
        *(void **)((char *)&columns + columns_of[held].offset) = views[held].buf;
    }
    if (room == PY_SSIZE_T_MAX) {
        PyErr_SetString(PyExc_ValueError, "no columns");
        goto out;
    }
    advance(&columns, (size_t)at);
    while (filled < room) {
        size_t wanted = room - filled < AT_ONCE ? (size_t)(room - filled) : AT_ONCE;
        Py_BEGIN_ALLOW_THREADS
        count = pithlog_iter_next_columns(self->iter, &columns, wanted);
        Py_END_ALLOW_THREADS
        if (PyErr_CheckSignals())
            goto out;
        if (count < 0) {
            /* -1 - n means n records and then a damaged part. The caller of fill() may call again to read on behind the
             * damage. */
            filled += -1 - count;
            damage = pithi_py_text(pithlog_error());
            break;
        }
        filled += count;
        if ((size_t)count < wanted)
            break;
        advance(&columns, (size_t)count);
    }
    /* `damage` is NULL if its text could not be made; an exception is set then. */
    result = damage ? Py_BuildValue("LO", (long long)filled, damage) : NULL;
    if (damage != Py_None)
        Py_XDECREF(damage);
out:
    while (held-- > 0) /* the view of a column that is not wanted has no obj */
        if (views[held].obj)
            PyBuffer_Release(&views[held]);
    return result;
}

/* payloads() -> list of the texts of all events' payloads, except payloads in damaged parts */
static PyObject *records_payloads(struct records *self, PyObject *unused)
{
    PyObject *all = PyList_New(0);
    struct pithlog_record r;
    const unsigned char *ids = self->ids ? (const unsigned char *)PyBytes_AsString(self->ids) : NULL;
    char line[4096];
    int more;

    (void)unused;
    for (unsigned i = 1; all && (more = pithlog_iter_next(self->iter, &r)) != 0; i++) {
        if (i % AT_ONCE == 0 && PyErr_CheckSignals()) {
            Py_CLEAR(all);
            break;
        }
        if (more < 0 || (ids && !ids[r.id]))
            continue;
        /* `size` includes the final NUL. */
        size_t size = r.payload_bytes ? pithlog_payload_text(self->log->log, &r, line, sizeof line) : 1;
        char *longer = size > sizeof line ? PyMem_Malloc(size) : NULL;
        if (longer)
            pithlog_payload_text(self->log->log, &r, longer, size);
        if (pithi_py_append(
                all, size > sizeof line && !longer
                         ? PyErr_NoMemory()
                         : PyUnicode_DecodeUTF8(longer ? longer : line, (Py_ssize_t)size - 1, "backslashreplace")))
            Py_CLEAR(all);
        PyMem_Free(longer);
    }
    return all;
}

/* ---- Messages ---------------------------------------------------------------------------------------------------- */

/* messages(log, filter: text or None) -> (bytearray of struct pithlog_message, unmatched sends, unmatched receives,
 * None or the text of a damage) */
PyObject *pithi_py_messages(PyObject *module, PyObject *args)
{
    PyObject *log, *all = NULL, *damage = NULL, *result = NULL;
    const char *text;
    struct pithlog_filter *filter = NULL;
    struct pithlog_matcher *matcher;
    struct pithlog_message *part;
    uint64_t sends = 0, recvs = 0;
    int err, more = 1;

    (void)module;
    if (!PyArg_ParseTuple(args, "Oz", &log, &text) || !pithi_py_use((struct log *)log))
        return NULL;
    struct pithlog *opened = ((struct log *)log)->log;
    if (text && (err = pithlog_filter_parse(text, &filter, NULL)) != PITH_OK) {
        pithi_py_release((struct log *)log);
        return pithi_py_failed(err);
    }
    Py_BEGIN_ALLOW_THREADS
    err = pithlog_matcher_open(opened, &matcher);
    Py_END_ALLOW_THREADS
    if (err) {
        pithlog_filter_free(filter);
        pithi_py_release((struct log *)log);
        return pithi_py_failed(err);
    }
    /* Messages are matched in parts without the GIL, and only copied with it. */
    all = PyByteArray_FromStringAndSize(NULL, 0);
    part = PyMem_Malloc(AT_ONCE * sizeof *part);
    while (all && part && more) { /* more: 1: a message; 0: the end; -1: a damaged part, behind which reading goes on */
        size_t count = 0;
        Py_BEGIN_ALLOW_THREADS
        while (count < AT_ONCE && (more = pithlog_matcher_next(matcher, &part[count])) == 1)
            count += !filter || pithlog_filter_message(filter, opened, &part[count]);
        Py_END_ALLOW_THREADS
        if (more < 0 && !damage && !(damage = pithi_py_text(pithlog_error())))
            break;
        Py_ssize_t before = PyByteArray_Size(all), added = (Py_ssize_t)(count * sizeof *part);
        if (PyErr_CheckSignals() || PyByteArray_Resize(all, before + added))
            break;
        memcpy(PyByteArray_AsString(all) + before, part, (size_t)added);
    }
    pithlog_matcher_unmatched(matcher, &sends, &recvs); /* harmless after an exception */
    if (!part)
        PyErr_NoMemory();
    if (all && part && !PyErr_Occurred())
        result =
            Py_BuildValue("OKKO", all, (unsigned long long)sends, (unsigned long long)recvs, damage ? damage : Py_None);
    Py_BEGIN_ALLOW_THREADS
    pithlog_matcher_close(matcher);
    pithlog_filter_free(filter);
    Py_END_ALLOW_THREADS
    PyMem_Free(part);
    Py_XDECREF(all);
    Py_XDECREF(damage);
    pithi_py_release((struct log *)log);
    return result;
}

static PyMethodDef records_methods[] = {METHOD("fill", records_fill, METH_VARARGS),
                                        METHOD("payloads", records_payloads, METH_NOARGS),
                                        {NULL, NULL, 0, NULL}};
static PyType_Slot records_slots[] = {{Py_tp_new, (void *)records_new},
                                      {Py_tp_dealloc, (void *)records_dealloc},
                                      {Py_tp_methods, records_methods},
                                      {0, NULL}};
PyType_Spec pithi_py_records = {"pith._read.Records", sizeof(struct records), 0, Py_TPFLAGS_DEFAULT, records_slots};
