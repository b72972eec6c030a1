// cxx_calls_data.cc - calls of the C++ bindings that move data: messages, requests, datatypes, collectives, operations.
#include "cxx_calls.h"

#include <set>

using MPI::COMM_SELF;
using MPI::COMM_WORLD;

static void sends(const MPI::Comm &comm)
{
    int out = 7, in = 0;
    MPI::Status status;
    MPI::Request request = comm.Irecv(&in, 1, MPI::INT, 0, 1);
    comm.Send(&out, 1, MPI::INT, 0, 1);
    request.Wait(status);
    CHECK(in == 7 && status.Get_source() == 0 && status.Get_tag() == 1 && status.Get_count(MPI::INT) == 1);
    CHECK(request == MPI::REQUEST_NULL);
    request = comm.Irecv(&in, 1, MPI::INT, 0, 2);
    out = 8;
    comm.Ssend(&out, 1, MPI::INT, 0, 2);
    request.Wait();
    CHECK(in == 8);
    request = comm.Irecv(&in, 1, MPI::INT, MPI::ANY_SOURCE, MPI::ANY_TAG);
    out = 9;
    comm.Rsend(&out, 1, MPI::INT, 0, 3);
    request.Wait();
    CHECK(in == 9);
    std::vector<char> space(1000 + MPI::BSEND_OVERHEAD);
    MPI::Attach_buffer(space.data(), static_cast<int>(space.size()));
    out = 10;
    comm.Bsend(&out, 1, MPI::INT, 0, 4);
    comm.Recv(&in, 1, MPI::INT, 0, 4);
    CHECK(in == 10);
    out = 11;
    request = comm.Ibsend(&out, 1, MPI::INT, 0, 4);
    comm.Recv(&in, 1, MPI::INT, 0, 4, status);
    request.Wait();
    CHECK(in == 11 && status.Get_source() == 0);
    void *detached = nullptr;
    CHECK(MPI::Detach_buffer(detached) == static_cast<int>(space.size()) && detached == space.data());
}

static void immediate_sends(const MPI::Comm &comm)
{
    int out = 20, in[3] = {0, 0, 0};
    MPI::Request requests[6];
    for (int i = 0; i < 3; i++)
        requests[i] = comm.Irecv(&in[i], 1, MPI::INT, 0, i);
    requests[3] = comm.Isend(&out, 1, MPI::INT, 0, 0);
    requests[4] = comm.Issend(&out, 1, MPI::INT, 0, 1);
    requests[5] = comm.Irsend(&out, 1, MPI::INT, 0, 2);
    MPI::Request::Waitall(6, requests);
    CHECK(in[0] == 20 && in[1] == 20 && in[2] == 20 && requests[5] == MPI::REQUEST_NULL);
}

static void probes(const MPI::Comm &comm)
{
    int out = 30, in = 0;
    MPI::Status status;
    CHECK(!comm.Iprobe(0, 77));
    CHECK(!comm.Iprobe(0, 77, status));
    MPI::Request request = comm.Isend(&out, 1, MPI::INT, 0, 5);
    comm.Probe(0, 5);
    comm.Probe(MPI::ANY_SOURCE, MPI::ANY_TAG, status);
    CHECK(status.Get_tag() == 5 && status.Get_count(MPI::INT) == 1);
    CHECK(comm.Iprobe(0, 5));
    comm.Recv(&in, 1, MPI::INT, 0, 5);
    request.Wait();
}

void point_to_point()
{
    sends(COMM_SELF);
    immediate_sends(COMM_SELF);
    probes(COMM_SELF);
    const int next = (rank_here + 1) % size_here, before = (rank_here + size_here - 1) % size_here;
    int out = rank_here, in = -1;
    MPI::Status status;
    COMM_WORLD.Sendrecv(&out, 1, MPI::INT, next, 1, &in, 1, MPI::INT, before, 1);
    CHECK(in == before);
    COMM_WORLD.Sendrecv(&out, 1, MPI::INT, next, 1, &in, 1, MPI::INT, before, 1, status);
    CHECK(in == before && status.Get_source() == before);
    COMM_WORLD.Sendrecv_replace(&in, 1, MPI::INT, before, 2, next, 2);
    CHECK(in == rank_here);
    COMM_WORLD.Sendrecv_replace(&in, 1, MPI::INT, next, 3, before, 3, status);
    CHECK(in == before && status.Get_tag() == 3);
}

static void persistent()
{
    int out = 1, in[4] = {0, 0, 0, 0};
    std::vector<char> space(1000 + MPI::BSEND_OVERHEAD);
    void *detached;
    MPI::Attach_buffer(space.data(), static_cast<int>(space.size()));
    MPI::Prequest r[8];
    for (int i = 0; i < 4; i++)
        r[i] = COMM_SELF.Recv_init(&in[i], 1, MPI::INT, 0, i);
    r[4] = COMM_SELF.Send_init(&out, 1, MPI::INT, 0, 0);
    r[5] = COMM_SELF.Bsend_init(&out, 1, MPI::INT, 0, 1);
    r[6] = COMM_SELF.Ssend_init(&out, 1, MPI::INT, 0, 2);
    r[7] = COMM_SELF.Rsend_init(&out, 1, MPI::INT, 0, 3);
    for (int turn = 0; turn < 2; turn++) {
        out = 40 + turn;
        if (turn == 0)
            MPI::Prequest::Startall(8, r);
        else
            for (int i = 0; i < 8; i++)
                r[i].Start();
        for (int i = 0; i < 8; i++)
            r[i].Wait();
        CHECK(in[0] == out && in[1] == out && in[2] == out && in[3] == out);
    }
    for (int i = 0; i < 8; i++) {
        r[i].Free();
        CHECK(r[i] == MPI::REQUEST_NULL);
    }
    MPI::Detach_buffer(detached);
}

// n pairs of requests of which all can complete.
static std::vector<MPI::Request> pairs(int n, int *in, const int *out)
{
    std::vector<MPI::Request> r;
    for (int i = 0; i < n; i++) {
        r.push_back(COMM_SELF.Irecv(&in[i], 1, MPI::INT, 0, i));
        r.push_back(COMM_SELF.Isend(&out[i], 1, MPI::INT, 0, i));
    }
    return r;
}

void requests()
{
    const int n = 20; // 40 requests: more than fit in the frame of a call
    int in[n], out[n], indices[2 * n], index = -1;
    MPI::Status status, statuses[2 * n];
    for (int i = 0; i < n; i++)
        out[i] = 100 + i;
    std::vector<MPI::Request> r = pairs(n, in, out);
    MPI::Request::Waitall(2 * n, r.data(), statuses);
    CHECK(in[n - 1] == 100 + n - 1 && statuses[2 * n - 2].Get_tag() == n - 1 && r[2 * n - 1] == MPI::REQUEST_NULL);
    r = pairs(n, in, out);
    while (!MPI::Request::Testall(2 * n, r.data()))
        continue;
    r = pairs(n, in, out);
    while (!MPI::Request::Testall(2 * n, r.data(), statuses))
        continue;
    CHECK(statuses[2].Get_tag() == 1);
    r = pairs(1, in, out);
    index = MPI::Request::Waitany(2, r.data(), status);
    CHECK((index == 0 || index == 1) && r[static_cast<size_t>(index)] == MPI::REQUEST_NULL);
    CHECK(MPI::Request::Waitany(2, r.data()) == 1 - index);
    CHECK(MPI::Request::Waitany(2, r.data()) == MPI::UNDEFINED);
    r = pairs(1, in, out);
    while (!MPI::Request::Testany(2, r.data(), index))
        continue;
    while (!MPI::Request::Testany(2, r.data(), index, status))
        continue;
    CHECK(r[0] == MPI::REQUEST_NULL && r[1] == MPI::REQUEST_NULL);
    for (int kind = 0; kind < 4; kind++) {
        r = pairs(2, in, out);
        for (int done = 0; done < 4;) {
            int some = 0;
            if (kind == 0)
                some = MPI::Request::Waitsome(4, r.data(), indices);
            if (kind == 1)
                some = MPI::Request::Waitsome(4, r.data(), indices, statuses);
            if (kind == 2)
                some = MPI::Request::Testsome(4, r.data(), indices);
            if (kind == 3)
                some = MPI::Request::Testsome(4, r.data(), indices, statuses);
            CHECK(some >= 0 && some <= 4);
            done += some;
        }
        CHECK(r[3] == MPI::REQUEST_NULL);
    }
    r = pairs(1, in, out);
    while (!r[0].Get_status())
        continue;
    CHECK(r[0].Get_status(status) && status.Get_tag() == 0 && r[0] != MPI::REQUEST_NULL);
    while (!r[0].Test())
        continue;
    while (!r[1].Test(status))
        continue;
    MPI::Request never = COMM_SELF.Irecv(in, 1, MPI::INT, 0, 99);
    never.Cancel();
    never.Wait(status);
    CHECK(status.Is_cancelled());
    persistent();
}

// ---- statuses and generalized requests
static int freed, cancelled;
static int query(void *extra, MPI::Status &status)
{
    status.Set_source(*static_cast<int *>(extra));
    status.Set_tag(6);
    status.Set_elements(MPI::INT, 3);
    status.Set_cancelled(cancelled != 0);
    return MPI::SUCCESS;
}
static int free_it(void *) { return freed++, MPI::SUCCESS; }
static int cancel_it(void *, bool complete) { return cancelled += complete ? 100 : 1, MPI::SUCCESS; }

void statuses()
{
    static int source = 5;
    MPI::Status status;
    freed = cancelled = 0;
    status.Set_error(MPI::ERR_TAG);
    status.Set_elements(MPI::INT, 0);
    status.Set_cancelled(true);
    CHECK(status.Get_error() == MPI::ERR_TAG && status.Is_cancelled());
    MPI::Grequest request = MPI::Grequest::Start(query, free_it, cancel_it, &source);
    CHECK(!request.Test());
    request.Complete();
    request.Wait(status);
    CHECK(status.Get_source() == 5 && status.Get_tag() == 6 && !status.Is_cancelled());
    CHECK(status.Get_elements(MPI::INT) == 3 && status.Get_count(MPI::INT) == 3 && freed == 1);
    request = MPI::Grequest::Start(query, free_it, cancel_it, &source);
    request.Cancel();
    request.Complete();
    request.Wait(status);
    CHECK(cancelled == 1 && status.Is_cancelled() && freed == 2);
}

// ---- datatypes
static int extent_of(const MPI::Datatype &type)
{
    MPI::Aint lb, extent;
    type.Get_extent(lb, extent);
    return static_cast<int>(extent);
}

static void makers()
{
    const int lengths[2] = {1, 2}, displacements[2] = {0, 3}, sizes[2] = {4, 4}, subsizes[2] = {2, 2},
              starts[2] = {1, 1};
    const MPI::Aint bytes[2] = {0, 16};
    const int distribs[1] = {MPI::DISTRIBUTE_BLOCK}, dargs[1] = {MPI::DISTRIBUTE_DFLT_DARG}, psizes[1] = {1},
              gsizes[1] = {8};
    const MPI::Datatype types[2] = {MPI::INT, MPI::CHAR};
    MPI::Datatype made[] = {
        MPI::INT.Create_contiguous(3),
        MPI::INT.Create_vector(2, 1, 3),
        MPI::INT.Create_hvector(2, 1, 12),
        MPI::INT.Create_indexed(2, lengths, displacements),
        MPI::INT.Create_hindexed(2, lengths, bytes),
        MPI::INT.Create_indexed_block(2, 1, displacements),
        MPI::Datatype::Create_struct(2, lengths, bytes, types),
        MPI::INT.Create_subarray(2, sizes, subsizes, starts, MPI::ORDER_C),
        MPI::INT.Create_darray(1, 0, 1, gsizes, distribs, dargs, psizes, MPI::ORDER_C),
        MPI::INT.Create_resized(0, 32),
        MPI::INT.Dup(),
    };
    const int size[] = {12, 8, 8, 12, 12, 8, 6, 16, 32, 4, 4}, extent[] = {12, 16, 16, 20, 24, 16, 20, 64, 32, 32, 4};
    for (int i = 0; i < 11; i++) {
        CHECK(made[i].Get_size() == size[i]);
        CHECK(extent_of(made[i]) == extent[i]);
        made[i].Commit();
    }
    int integers, addresses, datatypes, combiner, numbers[8];
    MPI::Aint places[8], lb, true_extent;
    MPI::Datatype inner[2];
    made[6].Get_envelope(integers, addresses, datatypes, combiner);
    CHECK(integers == 3 && addresses == 2 && datatypes == 2 && combiner == MPI::COMBINER_STRUCT);
    const std::set<int> combiners = {MPI::COMBINER_NAMED,           MPI::COMBINER_DUP,
                                     MPI::COMBINER_CONTIGUOUS,      MPI::COMBINER_VECTOR,
                                     MPI::COMBINER_HVECTOR_INTEGER, MPI::COMBINER_HVECTOR,
                                     MPI::COMBINER_INDEXED,         MPI::COMBINER_HINDEXED_INTEGER,
                                     MPI::COMBINER_HINDEXED,        MPI::COMBINER_INDEXED_BLOCK,
                                     MPI::COMBINER_STRUCT_INTEGER,  MPI::COMBINER_STRUCT,
                                     MPI::COMBINER_SUBARRAY,        MPI::COMBINER_DARRAY,
                                     MPI::COMBINER_F90_REAL,        MPI::COMBINER_F90_COMPLEX,
                                     MPI::COMBINER_F90_INTEGER,     MPI::COMBINER_RESIZED};
    CHECK(combiners.size() == 18);
    made[6].Get_contents(3, 2, 2, numbers, places, inner);
    CHECK(numbers[0] == 2 && numbers[2] == 2 && places[1] == 16 && inner[0] == MPI::INT && inner[1] == MPI::CHAR);
    made[9].Get_true_extent(lb, true_extent);
    CHECK(lb == 0 && true_extent == 4);
    for (MPI::Datatype &type : made) {
        type.Free();
        CHECK(type == MPI::DATATYPE_NULL);
    }
}

void datatypes()
{
    makers();
    CHECK(MPI::Datatype::Create_f90_integer(9).Get_size() == 4);
    CHECK(MPI::Datatype::Create_f90_real(6, 30).Get_size() == 4);
    CHECK(MPI::Datatype::Create_f90_complex(6, 30).Get_size() == 8);
    CHECK(MPI::Datatype::Match_size(MPI::TYPECLASS_REAL, 8).Get_size() == 8);
    int out[3] = {1, 2, 3}, in[3] = {0, 0, 0}, position = 0, length;
    char space[100], name[MPI::MAX_OBJECT_NAME];
    CHECK(MPI::INT.Pack_size(3, COMM_WORLD) >= 12);
    MPI::INT.Pack(out, 3, space, 100, position, COMM_WORLD);
    CHECK(position >= 12);
    position = 0;
    MPI::INT.Unpack(space, 100, in, 3, position, COMM_WORLD);
    CHECK(in[2] == 3);
    MPI::Aint place = 0;
    CHECK(MPI::INT.Pack_external_size("external32", 3) == 12);
    MPI::INT.Pack_external("external32", out, 3, space, 100, place);
    CHECK(place == 12 && space[3] == 1);
    in[2] = 0;
    place = 0;
    MPI::INT.Unpack_external("external32", space, 12, place, in, 3);
    CHECK(in[2] == 3);
    MPI::Datatype named = MPI::INT.Dup();
    named.Set_name("mine");
    named.Get_name(name, length);
    CHECK(std::strcmp(name, "mine") == 0 && length == 4);
    named.Free();
    MPI::INT.Set_name("int"); // const, as all predefined types
    MPI::INT.Get_name(name, length);
    CHECK(std::strcmp(name, "int") == 0);
    MPI::INT.Set_name("MPI_INT");
    MPI::BOOL.Get_name(name, length);
    CHECK(std::strcmp(name, "MPI::BOOL") == 0 && length == 9);
    MPI::COMPLEX.Get_name(name, length);
    CHECK(std::strcmp(name, "MPI::COMPLEX") == 0);
    MPI::LONG_DOUBLE_COMPLEX.Set_name("wide");
    MPI::LONG_DOUBLE_COMPLEX.Get_name(name, length);
    CHECK(std::strcmp(name, "wide") == 0);
    MPI::LONG_DOUBLE_COMPLEX.Set_name("MPI_CXX_LONG_DOUBLE_COMPLEX");
    MPI::LONG_DOUBLE_COMPLEX.Get_name(name, length);
    CHECK(std::strcmp(name, "MPI::LONG_DOUBLE_COMPLEX") == 0);
}

// ---- collectives
static void gathers()
{
    const size_t n = static_cast<size_t>(size_here);
    int mine = rank_here + 1, one = 0;
    std::vector<int> all(n), counts(n, 1), places(n);
    for (int i = 0; i < size_here; i++)
        places[static_cast<size_t>(i)] = i;
    COMM_WORLD.Gather(&mine, 1, MPI::INT, all.data(), 1, MPI::INT, 0);
    COMM_WORLD.Scatter(all.data(), 1, MPI::INT, &one, 1, MPI::INT, 0);
    CHECK(one == mine);
    COMM_WORLD.Gatherv(&mine, 1, MPI::INT, all.data(), counts.data(), places.data(), MPI::INT, 0);
    COMM_WORLD.Scatterv(all.data(), counts.data(), places.data(), MPI::INT, &one, 1, MPI::INT, 0);
    CHECK(one == mine);
    COMM_WORLD.Allgather(&mine, 1, MPI::INT, all.data(), 1, MPI::INT);
    CHECK(all[n - 1] == size_here);
    all[n - 1] = 0;
    COMM_WORLD.Allgatherv(&mine, 1, MPI::INT, all.data(), counts.data(), places.data(), MPI::INT);
    CHECK(all[n - 1] == size_here);
    std::vector<int> got(n);
    COMM_WORLD.Alltoall(counts.data(), 1, MPI::INT, got.data(), 1, MPI::INT);
    CHECK(got[n - 1] == 1);
    COMM_WORLD.Alltoallv(places.data(), counts.data(), places.data(), MPI::INT, got.data(), counts.data(),
                         places.data(), MPI::INT);
    CHECK(got[n - 1] == rank_here);
    std::vector<MPI::Datatype> types(n, MPI::INT);
    std::vector<int> bytes(n);
    for (size_t i = 0; i < n; i++)
        bytes[i] = static_cast<int>(i * sizeof(int));
    got[n - 1] = -1;
    COMM_WORLD.Alltoallw(places.data(), counts.data(), bytes.data(), types.data(), got.data(), counts.data(),
                         bytes.data(), types.data());
    CHECK(got[n - 1] == rank_here);
}

void collectives()
{
    gathers();
    COMM_WORLD.Barrier();
    int number = rank_here == 0 ? 5 : 0, sum = 0, before = 0;
    COMM_WORLD.Bcast(&number, 1, MPI::INT, 0);
    CHECK(number == 5);
    COMM_WORLD.Reduce(&number, &sum, 1, MPI::INT, MPI::SUM, 0);
    CHECK(rank_here != 0 || sum == 5 * size_here);
    COMM_WORLD.Allreduce(&number, &sum, 1, MPI::INT, MPI::SUM);
    CHECK(sum == 5 * size_here);
    sum = 5;
    COMM_WORLD.Allreduce(MPI::IN_PLACE, &sum, 1, MPI::INT, MPI::SUM);
    CHECK(sum == 5 * size_here);
    COMM_WORLD.Scan(&number, &sum, 1, MPI::INT, MPI::SUM);
    CHECK(sum == 5 * (rank_here + 1));
    COMM_WORLD.Exscan(&number, &before, 1, MPI::INT, MPI::SUM);
    CHECK(before == 5 * rank_here);
    std::vector<int> ones(static_cast<size_t>(size_here), 1), counts(ones);
    COMM_WORLD.Reduce_scatter(ones.data(), &sum, counts.data(), MPI::INT, MPI::SUM);
    CHECK(sum == size_here);
    sum = 0;
    COMM_WORLD.Reduce_scatter_block(ones.data(), &sum, 1, MPI::INT, MPI::SUM);
    CHECK(sum == size_here);
}

static bool right_type;
static void larger(const void *in, void *inout, int len, const MPI::Datatype &type)
{
    right_type = type == MPI::INT;
    for (int i = 0; i < len; i++)
        if (static_cast<const int *>(in)[i] > static_cast<int *>(inout)[i])
            static_cast<int *>(inout)[i] = static_cast<const int *>(in)[i];
}
static void left(const void *in, void *inout, int len, const MPI::Datatype &)
{
    std::memcpy(inout, in, sizeof(int) * static_cast<size_t>(len));
}
void operations()
{
    MPI::Op max, first;
    int a = 3, b = 2, result = 0;
    CHECK(max == MPI::OP_NULL);
    max.Init(larger, true);
    first.Init(left, false);
    CHECK(max.Is_commutative() && !first.Is_commutative());
    max.Reduce_local(&a, &b, 1, MPI::INT);
    CHECK(b == 3 && right_type);
    COMM_WORLD.Allreduce(&rank_here, &result, 1, MPI::INT, max);
    CHECK(result == size_here - 1);
    COMM_WORLD.Allreduce(&rank_here, &result, 1, MPI::INT, first);
    CHECK(result == 0);
    max.Free();
    first.Free();
    CHECK(max == MPI::OP_NULL);
    for (int i = 0; i < 1000; i++) { // the same function again takes no new place
        max.Init(larger, true);
        max.Free();
    }
}
