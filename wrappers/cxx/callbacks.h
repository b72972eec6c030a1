// callbacks.h - calls of C++ functions from C.
#ifndef PITH_CXX_CALLBACKS_H
#define PITH_CXX_CALLBACKS_H

#include "layers.h"

#include <mutex>

namespace pith_cxx
{

// C passes no argument to an operation or error handler by which it could find its C++ function. So each C++ function
// gets a number, always the same one, and there is a C function for each number. Numbers are never reused, since a
// program has few such functions. If there are too many, MPI::Exception with MPI_ERR_NO_MEM is thrown.
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
    // The C function of a number: Call<number>::call.
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

// Calls use(object) with an object for the communicator that is of its actual class.
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
