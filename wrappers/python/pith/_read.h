/* _read.h - what the source files of the module pith._read share; log.py reads logs by this module. */
#ifndef PITH_PYTHON_READ_H
#define PITH_PYTHON_READ_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include "pithlog.h"

/* An open log, `pith._read.Log`. Its fields are only accessed with the GIL held. */
struct log {
    PyObject_HEAD struct pithlog *log; /* NULL: closed */
    int users;      /* how many threads are in libpithlog, and how many iterators, matchers and analyses exist */
    int is_closing; /* 1: the log is closed as soon as `users` is 0 */
};

/* Returns the log, which stays open until pithi_py_release(). If it is closed, sets an exception and returns NULL. */
struct pithlog *pithi_py_use(struct log *self);
void pithi_py_release(struct log *self);

/* Raises the exception of `err` with the text of pithlog_error(); returns NULL. */
PyObject *pithi_py_failed(int err);
/* Returns a name in a log as a str. In logs, names are bytes; a byte that is not UTF-8 becomes \xNN. */
PyObject *pithi_py_text(const char *bytes);
/* Appends `item` to `list`, which takes the reference. `item` may be NULL after an error. Returns 0 on success. */
int pithi_py_append(PyObject *list, PyObject *item);
/* Called during long work without the GIL. Lets Python handle signals. Returns 1 if that raised an exception, so that
 * the work stops. */
int pithi_py_progress(void *context, double part);
/* Allocate an object of a heap type, with all fields 0; free such an object. */
void *pithi_py_new(PyTypeObject *type);
void pithi_py_free(void *self);

#define METHOD(name, function, flags)                                                                                  \
    {                                                                                                                  \
        name, (PyCFunction)(void (*)(void))function, flags, NULL                                                       \
    }

/* Defined in _records.c and _analysis.c, for the module. */
extern PyType_Spec pithi_py_records, pithi_py_analysis;
PyObject *pithi_py_messages(PyObject *module, PyObject *args);

#endif
