// layers.h - used by the generated members of the classes in MPI and PMPI. A member in MPI passes its arguments to the
// member in PMPI, which passes them to the C function.
#ifndef PITH_CXX_LAYERS_H
#define PITH_CXX_LAYERS_H

#include "mpicxx.h"

#include <atomic>
#include <memory>
#include <new>

// For a function or object that the program may define itself instead, even if both are linked statically.
#define WEAK __attribute__((weak))
// For an object that is constructed before the program's global objects, because these may use it.
#define EARLY __attribute__((init_priority(101)))
#define HIDDEN __attribute__((visibility("hidden")))

// Defined in libpith-mpi (wrappers/mpi/binding.h); null if libpith-mpi is not loaded.
extern "C" void pithi_binding_hide(void *room) __attribute__((weak));
extern "C" void pithi_binding_leave(void *room) __attribute__((weak));

namespace pith_cxx
{

// While an object of this class exists, calls of MPI are not recorded. The bindings use it for calls of their own.
class Hidden
{
  public:
    Hidden()
    {
        if (pithi_binding_hide)
            pithi_binding_hide(room);
    }
    ~Hidden()
    {
        if (pithi_binding_hide)
            pithi_binding_leave(room);
    }
    Hidden(const Hidden &) = delete;
    Hidden &operator=(const Hidden &) = delete;

  private:
    void *room[8];
};

// ---- Whether MPI is running (environment.cc)
HIDDEN extern std::atomic<int> mpi_runs; // 1: MPI is known to be between Init and Finalize
HIDDEN void find_mpi();                  // sets mpi_runs; throws MPI::Exception if MPI is not running
// True if an error handler has noted an error in this thread, which check() must throw. In MPICH 5.0.2, a call returns
// MPI_SUCCESS after its error handler has returned, so only this note says that there was an error. A call in C may
// also leave such a note; forget() clears it when a call in C++ begins.
HIDDEN extern __thread bool is_pending;
#if defined MPICH_NUMVERSION && MPICH_NUMVERSION >= 50000000
inline void forget() { is_pending = false; }
inline bool is_bad(int error_code) { return error_code != MPI_SUCCESS || is_pending; }
#else
inline void forget() {}
inline bool is_bad(int error_code) { return error_code != MPI_SUCCESS; }
#endif
inline void need_mpi()
{
    forget();
    if (__builtin_expect(!mpi_runs.load(std::memory_order_relaxed), 0))
        find_mpi();
}

// ---- Errors (errors.cc)
// Throws the exception that the error handler noted. Returns if no handler noted an exception (ERRORS_RETURN).
HIDDEN void failed(int error_code);
inline void check(int error_code)
{
    if (__builtin_expect(is_bad(error_code), 0))
        failed(error_code);
}

HIDDEN void check_file(int error_code, MPI_File file); // as check(), for calls with a file or MPI_FILE_NULL

// ---- From PMPI to C
template <class T> T *unconst(const T *p) { return const_cast<T *>(p); }
inline char **unconst(const char **p) { return const_cast<char **>(p); }
inline char ***unconst(const char ***p) { return const_cast<char ***>(p); }

// Returns an array of PMPI objects as an array of C handles. This is possible because such an object contains only its
// handle.
template <class P> auto raw(P *objects) -> decltype(objects->address())
{
    static_assert(sizeof(P) == sizeof(*objects->address()), "a PMPI object is its handle");
    return objects ? objects->address() : nullptr;
}

// An array of n things, on the stack if n is small, else on the heap. n < 0 counts as 0, and MPI will report the error.
template <class T> class Frame
{
  public:
    explicit Frame(int n) : size(n > 0 ? n : 0), things(n <= few ? reinterpret_cast<T *>(local) : allocate(n)) {}
    ~Frame()
    {
        if (things != reinterpret_cast<T *>(local))
            ::operator delete(things);
    }
    Frame(const Frame &) = delete;
    Frame &operator=(const Frame &) = delete;
    T *data() { return things; }

  protected:
    int size;

  private:
    static const int few = 16;
    static T *allocate(int n) { return static_cast<T *>(::operator new(sizeof(T) * static_cast<unsigned>(n))); }
    alignas(T) unsigned char local[few * sizeof(T)];
    T *things;
};

// An int[] for C in place of a bool[]. In_flags copies the bools when it is constructed; the destructor of Out_flags
// copies the ints to the bools.
class In_flags : public Frame<int>
{
  public:
    In_flags(int n, const bool *flags) : Frame<int>(n)
    {
        for (int i = 0; i < size; i++)
            data()[i] = flags[i];
    }
};
class Out_flags : public Frame<int>
{
  public:
    Out_flags(int n, bool *out) : Frame<int>(n), flags(out)
    {
        for (int i = 0; i < size; i++)
            data()[i] = 0;
    }
    ~Out_flags()
    {
        for (int i = 0; i < size; i++)
            flags[i] = data()[i] != 0;
    }

  private:
    bool *flags;
};

// ---- From MPI to PMPI
// A copy of an array of MPI objects as PMPI objects. If the array is not const, the destructor copies the values back,
// even after an exception.
template <class P, class M> struct Copy_back {
    static void all(M *objects, P *data, int n)
    {
        for (int i = 0; i < n; i++)
            objects[i] = *data[i].address();
    }
};
template <class P, class M> struct Copy_back<P, const M> {
    static void all(const M *, P *, int) {}
};
template <class P, class M> class Objects : public Frame<P>
{
  public:
    Objects(int n, M *array) : Frame<P>(n), objects(array)
    {
        for (int i = 0; i < this->size; i++)
            new (this->data() + i) P(objects[i].pmpi());
    }
    ~Objects() { Copy_back<P, M>::all(objects, this->data(), this->size); }

  private:
    M *objects;
};
} // namespace pith_cxx

#endif
