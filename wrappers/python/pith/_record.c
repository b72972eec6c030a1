/* _record.c - recording from Python: what pith/recording.py needs of libpith. The begin and the end of a state need no
 * new object and no access to a dictionary, so a pair costs little more than two calls of methods.
 *
 *     with solve:            __enter__ is state_enter, __exit__ is state_exit
 *         step.record()      event_record
 *
 * solve and step are made once, and have their ids in liblog. METH_FASTCALL and METH_NOARGS pass arguments without a
 * tuple. Wrong arguments raise an exception. If liblog cannot record something, it only counts this, and lost() returns
 * the count. So recording never stops a program. */
#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>
#include <stddef.h>

#include "pith.h"

struct definition {
    PyObject_HEAD uint32_t id; /* its id in liblog */
};

/* Frees an object, and drops its reference to its type. Each object has such a reference, because the types are heap
 * types. */
static void definition_dealloc(PyObject *self)
{
    PyTypeObject *type = Py_TYPE(self);
    freefunc free_it = (freefunc)PyType_GetSlot(type, Py_tp_free);

    free_it(self);
    Py_DECREF((PyObject *)type);
}

/* Makes an object. If `id` is 0 (the name is empty, or liblog cannot define more), records of this object count as
 * lost. */
static PyObject *make(PyTypeObject *type, uint32_t id)
{
    allocfunc alloc = (allocfunc)PyType_GetSlot(type, Py_tp_alloc);
    struct definition *self = (struct definition *)alloc(type, 0);

    if (self)
        self->id = id;
    return (PyObject *)self;
}

/* State(name, colour="") */
static PyObject *state_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"name", "colour", NULL};
    const char *name, *colour = "";

    return PyArg_ParseTupleAndKeywords(args, keywords, "s|s", names, &name, &colour)
               ? make(type, pith_state_define(name, colour))
               : NULL;
}

/* Event(name, colour="", format=None): without a format, a payload is a text. */
static PyObject *event_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"name", "colour", "format", NULL};
    const char *name, *colour = "", *format = NULL;

    return PyArg_ParseTupleAndKeywords(args, keywords, "s|sz", names, &name, &colour, &format)
               ? make(type, pith_event_define(name, colour, format))
               : NULL;
}

/* Counter(name, unit="") */
static PyObject *counter_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    static char *names[] = {"name", "unit", NULL};
    const char *name, *unit = "";

    return PyArg_ParseTupleAndKeywords(args, keywords, "s|s", names, &name, &unit)
               ? make(type, pith_counter_define(name, unit))
               : NULL;
}

/* begin() and end() replace `with` for states that are not nested like blocks. */
static PyObject *state_begin(struct definition *self, PyObject *unused)
{
    (void)unused;
    pith_begin(self->id);
    Py_RETURN_NONE;
}

static PyObject *state_end(struct definition *self, PyObject *unused)
{
    (void)unused;
    pith_end(self->id);
    Py_RETURN_NONE;
}

static PyObject *state_enter(struct definition *self, PyObject *unused)
{
    (void)unused;
    Py_INCREF((PyObject *)self); /* a reference for the result, which is `s` in `with state as s` */
    pith_begin(self->id);
    return (PyObject *)self;
}

/* __exit__(type, value, traceback): the end is recorded even if an exception ended the block. */
static PyObject *state_exit(struct definition *self, PyObject *const *unused, Py_ssize_t count)
{
    (void)unused, (void)count;
    pith_end(self->id);
    Py_RETURN_FALSE; /* an exception is passed on */
}

/* event.record(payload=None): str and bytes are stored as they are. If the event has a format, the bytes must be packed
 * accordingly. */
static PyObject *event_record(struct definition *self, PyObject *const *args, Py_ssize_t count)
{
    Py_buffer view;
    const char *string;
    Py_ssize_t size;

    if (count > 1) {
        PyErr_SetString(PyExc_TypeError, "record() takes at most one payload");
        return NULL;
    }
    if (count == 0 || args[0] == Py_None) {
        pith_event(self->id);
    } else if (PyUnicode_Check(args[0])) {
        if (!(string = PyUnicode_AsUTF8AndSize(args[0], &size)))
            return NULL;
        pith_event_data(self->id, string, (size_t)size);
    } else {
        if (PyObject_GetBuffer(args[0], &view, PyBUF_SIMPLE)) /* bytes, bytearray, memoryview, numpy arrays */
            return NULL;
        pith_event_data(self->id, view.buf, (size_t)view.len);
        PyBuffer_Release(&view);
    }
    Py_RETURN_NONE;
}

/* set(value) */
static PyObject *counter_set(struct definition *self, PyObject *value)
{
    double number = PyFloat_AsDouble(value);

    if (number == -1 && PyErr_Occurred()) /* without an exception, -1 is the value */
        return NULL;
    pith_count(self->id, number);
    Py_RETURN_NONE;
}

/* ---- Functions --------------------------------------------------------------------------------------------------- */

/* Records a message by `tell`, for the Python functions send(peer, tag, size) and recv(peer, tag, size). The size may
 * be any kind of integer, such as numpy's. */
static PyObject *message(PyObject *args, void (*tell)(int32_t peer, int32_t tag, uint64_t size_bytes))
{
    int peer, tag;
    PyObject *given, *size;
    unsigned long long size_bytes;

    if (!PyArg_ParseTuple(args, "iiO", &peer, &tag, &given) || !(size = PyNumber_Index(given)))
        return NULL;
    size_bytes = PyLong_AsUnsignedLongLong(size);
    Py_DECREF(size);
    if (PyErr_Occurred())
        return PyErr_Format(PyExc_ValueError, "the size of a message is from 0 to 2**64 - 1 bytes, not %R", given);
    tell(peer, tag, size_bytes);
    Py_RETURN_NONE;
}

static PyObject *send(PyObject *module, PyObject *args)
{
    (void)module;
    return message(args, pith_send);
}

static PyObject *recv(PyObject *module, PyObject *args)
{
    (void)module;
    return message(args, pith_recv);
}

/* thread_name(name): names the calling thread */
static PyObject *thread_name(PyObject *module, PyObject *name)
{
    const char *bytes = PyUnicode_AsUTF8AndSize(name, NULL);

    (void)module;
    if (!bytes)
        return NULL;
    pith_thread_name(bytes);
    Py_RETURN_NONE;
}

/* Calls pause, resume, flush or finish of libpith without the GIL, because they may wait for the disk. */
static PyObject *call(void (*function)(void))
{
    Py_BEGIN_ALLOW_THREADS
    function();
    Py_END_ALLOW_THREADS
    Py_RETURN_NONE;
}

#define CALL(name)                                                                                                     \
    static PyObject *call_##name(PyObject *module, PyObject *unused)                                                   \
    {                                                                                                                  \
        (void)module, (void)unused;                                                                                    \
        return call(pith_##name);                                                                                      \
    }
CALL(pause)
CALL(resume)
CALL(flush)
CALL(finish)

/* snapshot(path=None) -> True if the log of the records so far was written */
static PyObject *snapshot(PyObject *module, PyObject *args)
{
    PyObject *path = NULL;
    int status;

    (void)module;
    if (!PyArg_ParseTuple(args, "|O&", PyUnicode_FSConverter, &path))
        return NULL;
    const char *name = path ? PyBytes_AsString(path) : NULL;
    Py_BEGIN_ALLOW_THREADS
    status = pith_snapshot(name);
    Py_END_ALLOW_THREADS
    Py_XDECREF(path);
    return PyBool_FromLong(status == 0);
}

/* lost() -> number of records that could not be stored */
static PyObject *lost(PyObject *module, PyObject *unused)
{
    (void)module, (void)unused;
    return PyLong_FromUnsignedLongLong(pith_lost());
}

#define METHOD(name, function, flags)                                                                                  \
    {                                                                                                                  \
        name, (PyCFunction)(void (*)(void))function, flags, NULL                                                       \
    }
static PyMethodDef state_methods[] = {METHOD("begin", state_begin, METH_NOARGS),
                                      METHOD("end", state_end, METH_NOARGS),
                                      METHOD("__enter__", state_enter, METH_NOARGS),
                                      METHOD("__exit__", state_exit, METH_FASTCALL),
                                      {NULL, NULL, 0, NULL}};
static PyMethodDef event_methods[] = {METHOD("record", event_record, METH_FASTCALL), {NULL, NULL, 0, NULL}};
static PyMethodDef counter_methods[] = {METHOD("set", counter_set, METH_O), {NULL, NULL, 0, NULL}};
static PyMethodDef module_methods[] = {
    METHOD("send", send, METH_VARARGS),         METHOD("recv", recv, METH_VARARGS),
    METHOD("thread_name", thread_name, METH_O), METHOD("pause", call_pause, METH_NOARGS),
    METHOD("resume", call_resume, METH_NOARGS), METHOD("flush", call_flush, METH_NOARGS),
    METHOD("finish", call_finish, METH_NOARGS), METHOD("snapshot", snapshot, METH_VARARGS),
    METHOD("lost", lost, METH_NOARGS),          {NULL, NULL, 0, NULL}};
static PyModuleDef module = {PyModuleDef_HEAD_INIT, "pith._record", NULL, -1, module_methods, NULL, NULL, NULL, NULL};

#define TYPE(name, new, methods, flags)                                                                                \
    {                                                                                                                  \
        "pith._record." name, sizeof(struct definition), 0, Py_TPFLAGS_DEFAULT | flags, (PyType_Slot[])                \
        {                                                                                                              \
            {Py_tp_new, (void *)new}, {Py_tp_dealloc, (void *)definition_dealloc}, {Py_tp_methods, methods},           \
            {                                                                                                          \
                0, NULL                                                                                                \
            }                                                                                                          \
        }                                                                                                              \
    }

PyMODINIT_FUNC PyInit__record(void);
PyMODINIT_FUNC PyInit__record(void)
{
    PyType_Spec types[] = {TYPE("State", state_new, state_methods, Py_TPFLAGS_BASETYPE),
                           TYPE("Event", event_new, event_methods, 0),
                           TYPE("Counter", counter_new, counter_methods, 0)};
    const char *names[] = {"State", "Event", "Counter"};
    PyObject *made = PyModule_Create(&module);
    int bad = !made;

    for (int i = 0; i < 3 && !bad; i++) {
        PyObject *type = PyType_FromSpec(&types[i]);
        bad = !type || PyModule_AddObjectRef(made, names[i], type);
        Py_XDECREF(type);
    }
    if (bad)
        Py_CLEAR(made);
    return made;
}
