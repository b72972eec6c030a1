/* _analysis.c - pith._read.Analysis: the results of pithlog_analyze().
 *
 * An analysis works without the GIL, but two threads must not use it at once, because some results are computed when
 * they are first asked for, and then kept. So a method that may compute marks the analysis as busy (take), and a second
 * thread gets an exception instead of wrong numbers. Arrays that exist from the beginning need no mark. */
#include "_read.h"

#include <string.h>

#include "pithlog_findings.h"

/* ---- Analyses ---------------------------------------------------------------------------------------------------- */

struct analysis {
    PyObject_HEAD struct log *log; /* the analysis has a reference to its log */
    struct pithlog_analysis *analysis;
    int is_busy; /* 1: a thread works on it without the GIL */
    int damaged; /* 1: some records could not be read */
};

/* The analysis counts as a user of the log, so the log stays open until this function releases it. */
static void analysis_dealloc(struct analysis *self)
{
    if (self->log) {
        pithlog_analysis_free(self->analysis);
        pithi_py_release(self->log);
        Py_DECREF((PyObject *)self->log);
    }
    pithi_py_free(self);
}

/* Analysis(log, from_ns, to_ns) */
static PyObject *analysis_new(PyTypeObject *type, PyObject *args, PyObject *keywords)
{
    PyObject *log;
    long long from_ns, to_ns;
    int err;

    (void)keywords;
    if (!PyArg_ParseTuple(args, "OLL", &log, &from_ns, &to_ns))
        return NULL;
    struct analysis *self = pithi_py_new(type);
    if (!self || !pithi_py_use((struct log *)log)) {
        Py_XDECREF((PyObject *)self);
        return NULL;
    }
    struct pithlog *opened = ((struct log *)log)->log;
    self->log = (struct log *)log;
    Py_INCREF(log);
    Py_BEGIN_ALLOW_THREADS
    err = pithlog_analyze(opened, &(struct pithlog_analyze_query){from_ns, to_ns, pithi_py_progress, NULL},
                          &self->analysis);
    Py_END_ALLOW_THREADS
    self->damaged = err == PITH_ERR_DAMAGED && self->analysis; /* what could be read was analyzed; log.py warns */
    if (err && !self->damaged) {
        self->analysis = NULL;
        pithi_py_failed(err);
        Py_DECREF((PyObject *)self);
        return NULL;
    }
    return (PyObject *)self;
}

/* info() -> dict of results; efficiencies are from 0 to 1 */
static PyObject *analysis_info(struct analysis *self, PyObject *unused)
{
    const struct pithlog_analysis_info *i = pithlog_analysis_get_info(self->analysis);

    (void)unused;
    return Py_BuildValue("{s:L,s:L,s:O,s:I,s:d,s:d,s:d,s:d,s:d,s:d,s:L,s:L,s:O}", "from_ns", (long long)i->from_ns,
                         "to_ns", (long long)i->to_ns, "has_mpi", i->has_mpi ? Py_True : Py_False, "lanes", i->lanes,
                         "ideal_ns", i->ideal_ns, "parallel", i->parallel, "load_balance", i->load_balance,
                         "communication", i->communication, "serialisation", i->serialisation, "transfer", i->transfer,
                         "wait_ns", (long long)i->wait_ns, "useful_ns", (long long)i->useful_ns, "damaged",
                         self->damaged ? Py_True : Py_False);
}

/* array("wait", lane) -> bytes of all structs of this kind; `lane` matters for wait states only. */
static PyObject *analysis_array(struct analysis *self, PyObject *args)
{
    const char *what;
    unsigned lane = 0;
    const void *array = NULL;
    size_t count, size;

    if (!PyArg_ParseTuple(args, "s|I", &what, &lane))
        return NULL;
    if (strcmp(what, "wait") == 0) {
        count = pithlog_analysis_waits(self->analysis, lane, (const struct pithlog_wait_state **)&array);
        size = sizeof(struct pithlog_wait_state);
    } else if (strcmp(what, "delay") == 0) {
        count = pithlog_analysis_delays(self->analysis, (const struct pithlog_delay **)&array);
        size = sizeof(struct pithlog_delay);
    } else {
        count = pithlog_analysis_path(self->analysis, (const struct pithlog_path_part **)&array);
        size = sizeof(struct pithlog_path_part);
    }
    return PyBytes_FromStringAndSize(count ? array : "", (Py_ssize_t)(count * size)); /* an empty array may be NULL */
}

/* Marks the analysis as used by this thread. Returns 0 and sets an exception if another thread uses it. */
static int take(struct analysis *self)
{
    if (self->is_busy)
        PyErr_SetString(PyExc_RuntimeError, "another thread uses this analysis");
    return !self->is_busy && (self->is_busy = 1);
}

/* iterations(state) -> bytes of struct pithlog_iteration; state 0xffffffff: the state is found automatically */
static PyObject *analysis_iterations(struct analysis *self, PyObject *args)
{
    unsigned state;
    const struct pithlog_iterations *found = NULL;
    int err;

    if (!PyArg_ParseTuple(args, "I", &state) || !take(self))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    err = pithlog_analysis_iterations(self->analysis, state, &found);
    Py_END_ALLOW_THREADS
    self->is_busy = 0;
    return err ? pithi_py_failed(err)
               : PyBytes_FromStringAndSize(found->count ? (const char *)found->all : "",
                                           (Py_ssize_t)(found->count * sizeof *found->all));
}

/* findings() -> [(name, text, ns, share), ...], the largest cost first */
static PyObject *analysis_findings(struct analysis *self, PyObject *unused)
{
    const struct pithlog_finding *findings = NULL;
    uint32_t count = 0;
    int err;

    (void)unused;
    if (!take(self))
        return NULL;
    Py_BEGIN_ALLOW_THREADS
    err = pithlog_analysis_findings(self->analysis, &findings, &count);
    Py_END_ALLOW_THREADS
    self->is_busy = 0;
    if (err)
        return pithi_py_failed(err);
    PyObject *all = PyList_New(0);
    for (uint32_t i = 0; all && i < count; i++)
        if (pithi_py_append(all, Py_BuildValue("NNdd", pithi_py_text(findings[i].name), pithi_py_text(findings[i].text),
                                               findings[i].ns, findings[i].share)))
            Py_CLEAR(all);
    return all;
}

static PyMethodDef analysis_methods[] = {METHOD("info", analysis_info, METH_NOARGS),
                                         METHOD("array", analysis_array, METH_VARARGS),
                                         METHOD("iterations", analysis_iterations, METH_VARARGS),
                                         METHOD("findings", analysis_findings, METH_NOARGS),
                                         {NULL, NULL, 0, NULL}};
static PyType_Slot analysis_slots[] = {{Py_tp_new, (void *)analysis_new},
                                       {Py_tp_dealloc, (void *)analysis_dealloc},
                                       {Py_tp_methods, analysis_methods},
                                       {0, NULL}};
PyType_Spec pithi_py_analysis = {"pith._read.Analysis", sizeof(struct analysis), 0, Py_TPFLAGS_DEFAULT, analysis_slots};
