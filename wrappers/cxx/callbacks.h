// callbacks.h - lets the MPI library, which calls only C functions, call a program's C++ functions.
#ifndef PITH_CXX_CALLBACKS_H
#define PITH_CXX_CALLBACKS_H

#include "layers.h"

#include <mutex>

namespace pith_cxx
{

// An operation or error handler in C++ is registered with MPI as a C function that calls it. MPI passes nothing to this
// C function that says which C++ function to call. So each C++ function has a number, and there is a C function for
// each number. Numbers are never reused, because a program has few such functions. If it has too many, MPI::Exception
// with MPI_ERR_NO_MEM is thrown.
template <class User> class Slots
{
  public:
    int number_of(User *user)
    {
        const std::lock_guard<std::mutex> guard(lock);
        for (int i = 0; i < count; i++) {
            if (!users[i])
                users[i] = user;
            if (users[i] == user)
                return i;
        }
        throw MPI::Exception(MPI_ERR_NO_MEM);
    }
    User *at(int number) const { return users[number]; }
    // Returns the C function of a number, which is Call<number>::call.
    template <class Function, template <int> class Call> Function *function(int number) const
    {
        return Find<Function, Call, count - 1>::function(number);
    }

  private:
    static const int count = 128;
    template <class Function, template <int> class Call, int N> struct Find {
        static Function *function(int n) { return n == N ? &Call<N>::call : Find<Function, Call, N - 1>::function(n); }
    };
    template <class Function, template <int> class Call> struct Find<Function, Call, -1> {
        static Function *function(int) { return nullptr; }
    };
    std::mutex lock;
    User *users[count] = {};
};

// Calls use(object) with an object for the communicator, of the class that fits it (Intercomm, Cartcomm ...).
template <class Use> int with_comm(MPI_Comm comm, Use use)
{
    int inter = 0, topology = MPI_UNDEFINED;
    {
        const Hidden hidden;
        PMPI_Comm_test_inter(comm, &inter);
        if (!inter)
            PMPI_Topo_test(comm, &topology);
    }
    MPI::Intercomm intercomm(comm);
    MPI::Cartcomm cartcomm(comm);
    MPI::Graphcomm graphcomm(comm);
    MPI::Distgraphcomm distgraphcomm(comm);
    MPI::Intracomm intracomm(comm);
    return inter                        ? use(intercomm)
           : topology == MPI_CART       ? use(cartcomm)
           : topology == MPI_GRAPH      ? use(graphcomm)
           : topology == MPI_DIST_GRAPH ? use(distgraphcomm)
                                        : use(intracomm);
}
} // namespace pith_cxx

#endif
