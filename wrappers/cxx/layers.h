// layers.h - what the generated members of PMPI and MPI are written with: how arguments go from one layer to the next.
#ifndef PITH_CXX_LAYERS_H
#define PITH_CXX_LAYERS_H

#include "mpicxx.h"

#include <atomic>
#include <memory>
#include <new>

// A definition of the user replaces a weak one, also where both are linked statically.
#define WEAK __attribute__((weak))
// Made before the objects of the program, which may use them.
#define EARLY __attribute__((init_priority(101)))
#define HIDDEN __attribute__((visibility("hidden")))

// Of libpith-mpi (wrappers/mpi/binding.h), where that is: what the bindings ask MPI for themselves is no call of the
// program.
extern "C" void pithi_binding_hide(void *room) __attribute__((weak));
extern "C" void pithi_binding_leave(void *room) __attribute__((weak));

namespace pith_cxx
{

class Unseen
{
  public:
    Unseen()
    {
        if (pithi_binding_hide)
            pithi_binding_hide(room);
    }
    ~Unseen()
    {
        if (pithi_binding_hide)
            pithi_binding_leave(room);
    }
    Unseen(const Unseen &) = delete;
    Unseen &operator=(const Unseen &) = delete;

  private:
    void *room[8];
};

// ---- is there an MPI? (environment.cc)
HIDDEN extern std::atomic<int> mpi_runs; // 1 between Init and Finalize, once that is known
HIDDEN void find_mpi();                  // finds out; throws MPI::Exception where there is none
inline void need_mpi()
{
    if (__builtin_expect(!mpi_runs.load(std::memory_order_relaxed), 0))
        find_mpi();
}

// ---- errors (errors.cc)
// Throws what the error handler of the object left to throw; returns where it left nothing (ERRORS_RETURN).
HIDDEN void failed(int error_code);
inline void check(int error_code)
{
    if (__builtin_expect(error_code != MPI_SUCCESS, 0))
        failed(error_code);
}

HIDDEN void check_file(int error_code, MPI_File file); // of a call for this file: MPI_FILE_NULL may throw, too

// ---- from PMPI to C
template <class T> T *unconst(const T *p) { return const_cast<T *>(p); }
inline char **unconst(const char **p) { return const_cast<char **>(p); }
inline char ***unconst(const char ***p) { return const_cast<char ***>(p); }

// An array of PMPI objects is an array of C handles: they hold nothing else.
template <class P> auto raw(P *objects) -> decltype(objects->address())
{
    static_assert(sizeof(P) == sizeof(*objects->address()), "a PMPI object is its handle");
    return objects ? objects->address() : nullptr;
}

// Array of n things in the frame, or on the heap where there are many. n < 0 counts as none: MPI says what is wrong.
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

// bool[] and the int[] of C.
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

// ---- from MPI to PMPI
// An array of MPI objects as one of PMPI's; goes back at the end, also when an exception ends it.
template <class P, class M> struct Give_back {
    static void all(M *objects, P *data, int n)
    {
        for (int i = 0; i < n; i++)
            objects[i] = *data[i].address();
    }
};
template <class P, class M> struct Give_back<P, const M> {
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
    ~Objects() { Give_back<P, M>::all(objects, this->data(), this->size); }

  private:
    M *objects;
};
} // namespace pith_cxx

#endif
