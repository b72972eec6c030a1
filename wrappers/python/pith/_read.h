/* _read.h - shared by the files of pith._read, the module that log.py reads logs with. */
#ifndef PITH_PYTHON_READ_H
#define PITH_PYTHON_READ_H

#define PY_SSIZE_T_CLEAN
#define Py_LIMITED_API 0x030b0000
#include <Python.h>

#include "pithlog.h"

/* An open log, `pith._read.Log`. Its fields are changed with the GIL held. */
struct log {
    PyObject_HEAD struct pithlog *log; /* NULL: closed */
    int users;      /* threads in a function of libpithlog, and iterators, matchers, analyses of this log */
    int is_closing; /* closed when users becomes 0 */
};

/* The open log, in use until pithi_py_release(); NULL after an exception. */
struct pithlog *pithi_py_use(struct log *self);
void pithi_py_release(struct log *self);

/* Raises the exception of `err` with the text of pithlog_error(); returns NULL. */
PyObject *pithi_py_failed(int err);
/* Names in logs are bytes: bytes that are not UTF-8 become \xNN. */
PyObject *pithi_py_text(const char *bytes);
/* Adds `item`, which may be NULL after an error, to `list`; 0 on success. */
int pithi_py_append(PyObject *list, PyObject *item);
/* For functions that work long without the GIL: lets Python handle signals; its exception stops the work. */
int pithi_py_progress(void *context, double part);
/* Allocates an object of a heap type, all fields 0; and frees it. */
void *pithi_py_new(PyTypeObject *type);
void pithi_py_free(void *self);

#define METHOD(name, function, flags)                                                                                  \
    {                                                                                                                  \
        name, (PyCFunction)(void (*)(void))function, flags, NULL                                                       \
    }

/* What _records.c and _analysis.c add to the module. */
extern PyType_Spec pithi_py_records, pithi_py_analysis;
PyObject *pithi_py_messages(PyObject *module, PyObject *args);

#endif
