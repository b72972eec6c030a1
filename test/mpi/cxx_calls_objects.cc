// cxx_calls_objects.cc - calls of the C++ bindings about groups, communicators, topologies, attributes, info, errors,
// lifetime.
#include "cxx_calls.h"

using MPI::COMM_SELF;
using MPI::COMM_WORLD;

void groups()
{
    const MPI::Group world = COMM_WORLD.Get_group(), self = COMM_SELF.Get_group();
    const int zero[1] = {0}, range[1][3] = {{0, size_here - 1, 1}};
    int there[1] = {-1};
    CHECK(world.Get_size() == size_here && world.Get_rank() == rank_here);
    CHECK(MPI::Group::Compare(world, world) == MPI::IDENT);
    MPI::Group first = world.Incl(1, zero), others = world.Excl(1, zero);
    CHECK(first.Get_size() == 1 && others.Get_size() == size_here - 1);
    MPI::Group both = MPI::Group::Union(first, others), common = MPI::Group::Intersect(world, first),
               rest = MPI::Group::Difference(world, first), all = world.Range_incl(1, range),
               none = world.Range_excl(1, range);
    CHECK(both.Get_size() == size_here && common.Get_size() == 1 && rest.Get_size() == size_here - 1);
    CHECK(all.Get_size() == size_here && none.Get_size() == 0);
    CHECK(none == MPI::GROUP_EMPTY || MPI::Group::Compare(none, MPI::GROUP_EMPTY) == MPI::IDENT);
    MPI::Group::Translate_ranks(self, 1, zero, world, there);
    CHECK(there[0] == rank_here);
    first.Free();
    CHECK(first == MPI::GROUP_NULL);
    for (MPI::Group *group : {&others, &both, &common, &rest, &all, &none})
        if (*group != MPI::GROUP_EMPTY)
            group->Free();
}

static void intercommunicators()
{
    if (size_here < 2)
        return;
    const int side = rank_here % 2;
    MPI::Intracomm half = COMM_WORLD.Split(side, rank_here);
    MPI::Intercomm across = half.Create_intercomm(0, COMM_WORLD, 1 - side, 5);
    CHECK(across.Is_inter() && !half.Is_inter());
    CHECK(across.Get_remote_size() == (side ? (size_here + 1) / 2 : size_here / 2));
    MPI::Group remote = across.Get_remote_group();
    CHECK(remote.Get_size() == across.Get_remote_size());
    remote.Free();
    MPI::Intracomm merged = across.Merge(side == 1);
    CHECK(merged.Get_size() == size_here);
    MPI::Intercomm copy = across.Dup(), &clone = across.Clone();
    CHECK(MPI::Comm::Compare(copy, across) == MPI::CONGRUENT && copy != across &&
          clone.Get_size() == across.Get_size());
    MPI::Intercomm same = across.Split(0, rank_here);
    CHECK(same.Get_remote_size() == across.Get_remote_size());
    MPI::Group mine = across.Get_group();
    MPI::Intercomm created = across.Create(mine);
    CHECK(created.Get_size() == across.Get_size());
    mine.Free();
    for (MPI::Comm *comm : std::vector<MPI::Comm *>{&created, &same, &merged, &copy, &clone, &across, &half})
        comm->Free();
    CHECK(across == MPI::COMM_NULL);
    delete &clone;
}

void communicators()
{
    char name[MPI::MAX_OBJECT_NAME];
    int length;
    MPI::Intracomm copy = COMM_WORLD.Dup();
    CHECK(MPI::Comm::Compare(COMM_WORLD, copy) == MPI::CONGRUENT && copy != COMM_WORLD);
    copy.Set_name("copy");
    copy.Get_name(name, length);
    CHECK(std::strcmp(name, "copy") == 0 && length == 4);
    MPI::Comm &clone = copy.Clone();
    CHECK(dynamic_cast<MPI::Intracomm *>(&clone) && clone.Get_size() == size_here);
    clone.Free();
    delete &clone;
    MPI::Group group = copy.Get_group();
    MPI::Intracomm created = copy.Create(group), half = copy.Split(rank_here % 2, 0);
    CHECK(created.Get_size() == size_here && half.Get_size() <= size_here);
    created.Free();
    half.Disconnect();
    CHECK(half == MPI::COMM_NULL);
    group.Free();
    copy.Free();
    intercommunicators();
}

// ---- attributes
static int copies, deletes;
static int copy_comm(const MPI::Comm &comm, int, void *extra, void *in, void *out, bool &flag)
{
    CHECK(comm.Get_size() == size_here && extra == &copies);
    *static_cast<void **>(out) = static_cast<char *>(in) + 1;
    flag = true;
    return copies++, MPI::SUCCESS;
}
static int delete_comm(MPI::Comm &comm, int, void *, void *)
{
    CHECK(comm.Get_size() == size_here && dynamic_cast<MPI::Cartcomm *>(&comm));
    return deletes++, MPI::SUCCESS;
}
static int copy_type(const MPI::Datatype &type, int, void *, const void *, void *, bool &flag)
{
    CHECK(type.Get_size() == 8);
    flag = false;
    return copies++, MPI::SUCCESS;
}
static int copy_type_mutable(const MPI::Datatype &type, int, void *, void *, void *, bool &flag)
{
    CHECK(type.Get_size() == 8);
    flag = false;
    return copies++, MPI::SUCCESS;
}
static int delete_type(MPI::Datatype &type, int, void *, void *)
{
    CHECK(type.Get_size() == 8);
    return deletes++, MPI::SUCCESS;
}
static int refuse(const MPI::Comm &, int, void *, void *, void *, bool &) { throw MPI::Exception(MPI::ERR_ARG); }

void attributes()
{
    static char value[2];
    const int dims[1] = {size_here};
    const bool periods[1] = {true};
    char *got = nullptr;
    copies = deletes = 0;
    int key = MPI::Comm::Create_keyval(copy_comm, delete_comm, &copies);
    MPI::Cartcomm comm = COMM_WORLD.Create_cart(1, dims, periods, false);
    CHECK(!comm.Get_attr(key, &got));
    comm.Set_attr(key, &value[0]);
    CHECK(comm.Get_attr(key, &got) && got == &value[0]);
    MPI::Cartcomm copy = comm.Dup();
    CHECK(copies == 1 && copy.Get_attr(key, &got) && got == &value[1]);
    copy.Delete_attr(key);
    CHECK(deletes == 1 && !copy.Get_attr(key, &got));
    copy.Free();
    comm.Free();
    CHECK(deletes == 2);
    MPI::Comm::Free_keyval(key);
    CHECK(key == MPI::KEYVAL_INVALID);
    key = MPI::Comm::Create_keyval(MPI::Comm::DUP_FN, MPI::Comm::NULL_DELETE_FN, nullptr);
    MPI::Intracomm one = COMM_SELF.Dup();
    one.Set_attr(key, &value[1]);
    MPI::Intracomm two = one.Dup();
    CHECK(two.Get_attr(key, &got) && got == &value[1]);
    two.Free();
    MPI::Comm::Free_keyval(key);
    key = MPI::Comm::Create_keyval(refuse, MPI::Comm::NULL_DELETE_FN, nullptr);
    one.Set_attr(key, value);
    bool thrown = false;
    try {
        one.Dup();
    } catch (const MPI::Exception &) {
        thrown = true;
    }
    CHECK(thrown);
    one.Delete_attr(key);
    one.Free();
    MPI::Comm::Free_keyval(key);
    int *bound = nullptr;
    CHECK(COMM_WORLD.Get_attr(MPI::TAG_UB, &bound) && *bound >= 32767);

    copies = deletes = 0;
    MPI::Datatype type = MPI::DOUBLE.Dup();
    key = MPI::Datatype::Create_keyval(copy_type, delete_type, nullptr);
    type.Set_attr(key, value);
    CHECK(type.Get_attr(key, &got) && got == value);
    MPI::Datatype other = type.Dup();
    CHECK(copies == 1 && !other.Get_attr(key, &got));
    type.Delete_attr(key);
    CHECK(deletes == 1);
    MPI::Datatype::Free_keyval(key);
    type.Free();
    other.Free();

    // What was taken by the MPIs' own bindings: void * where MPI-2.2 says const void *.
    copies = 0;
    type = MPI::DOUBLE.Dup();
    key = MPI::Datatype::Create_keyval(copy_type_mutable, delete_type, nullptr);
    type.Set_attr(key, value);
    other = type.Dup();
    CHECK(copies == 1);
    MPI::Datatype::Free_keyval(key);
    type.Free();
    other.Free();
}

// ---- topologies
static void distributed_graphs()
{
    const int next[1] = {(rank_here + 1) % size_here}, before[1] = {(rank_here + size_here - 1) % size_here},
              one[1] = {1};
    const int me[1] = {rank_here}, weight[1] = {3};
    MPI::Distgraphcomm made[4];
    made[0] = COMM_WORLD.Dist_graph_create_adjacent(1, before, weight, 1, next, weight, MPI::INFO_NULL, false);
    made[1] = COMM_WORLD.Dist_graph_create_adjacent(1, before, 1, next, MPI::INFO_NULL, false);
    made[2] = COMM_WORLD.Dist_graph_create(1, me, one, next, weight, MPI::INFO_NULL, false);
    made[3] = COMM_WORLD.Dist_graph_create(1, me, one, next, MPI::INFO_NULL, false);
    for (int i = 0; i < 4; i++) {
        int in, out, sources[1], destinations[1], in_weights[1] = {0}, out_weights[1] = {0};
        bool weighted;
        made[i].Get_dist_neighbors_count(rank_here, &in, &out, weighted);
        CHECK(in == 1 && out == 1 && weighted == (i % 2 == 0) && made[i].Get_topology() == MPI::DIST_GRAPH);
        int same_in = 0, same_out = 0;
        made[i].Get_dist_neighbors_count(same_in, same_out, weighted);
        CHECK(same_in == 1 && same_out == 1 && weighted == (i % 2 == 0));
        made[i].Get_dist_neighbors(1, sources, in_weights, 1, destinations, out_weights);
        CHECK(sources[0] == before[0] && destinations[0] == next[0] && (!weighted || out_weights[0] == 3));
    }
    MPI::Distgraphcomm copy = made[0].Dup(), &clone = made[0].Clone();
    CHECK(copy.Get_topology() == MPI::DIST_GRAPH && clone.Get_topology() == MPI::DIST_GRAPH);
    clone.Free();
    delete &clone;
    copy.Free();
    for (MPI::Distgraphcomm &comm : made)
        comm.Free();
}

void topologies()
{
    const int dims[2] = {size_here, 1};
    const bool periods[2] = {true, false}, keep[2] = {true, false};
    int got_dims[2], coords[2], from, to;
    bool got_periods[2];
    MPI::Cartcomm cart = COMM_WORLD.Create_cart(2, dims, periods, false);
    CHECK(cart.Get_topology() == MPI::CART && COMM_WORLD.Get_topology() == MPI::UNDEFINED && cart.Get_dim() == 2);
    cart.Get_topo(2, got_dims, got_periods, coords);
    CHECK(got_dims[0] == size_here && got_periods[0] && !got_periods[1] && coords[0] == rank_here);
    CHECK(cart.Get_cart_rank(coords) == rank_here);
    cart.Get_coords(rank_here, 2, coords);
    CHECK(coords[0] == rank_here);
    cart.Shift(0, 1, from, to);
    CHECK(to == (rank_here + 1) % size_here);
    CHECK(cart.Map(2, dims, periods) >= 0);
    MPI::Cartcomm line = cart.Sub(keep), copy = cart.Dup(), &clone = cart.Clone();
    CHECK(line.Get_dim() == 1 && copy.Get_dim() == 2 && clone.Get_dim() == 2);
    MPI::Cartcomm past_types = cart; // a copy is the same communicator
    CHECK(past_types == cart);
    clone.Free();
    delete &clone;
    copy.Free();
    line.Free();
    cart.Free();

    std::vector<int> index, edges;
    for (int i = 0; i < size_here; i++) {
        index.push_back(i + 1);
        edges.push_back((i + 1) % size_here);
    }
    MPI::Graphcomm graph = COMM_WORLD.Create_graph(size_here, index.data(), edges.data(), false);
    int nodes[1], arcs[1], neighbour[1];
    graph.Get_dims(nodes, arcs);
    CHECK(nodes[0] == size_here && arcs[0] == size_here);
    std::vector<int> got_index(index), got_edges(edges);
    got_edges[0] = -1;
    graph.Get_topo(size_here, size_here, got_index.data(), got_edges.data());
    CHECK(got_edges == edges && got_index == index);
    CHECK(graph.Get_neighbors_count(rank_here) == 1);
    graph.Get_neighbors(rank_here, 1, neighbour);
    CHECK(neighbour[0] == (rank_here + 1) % size_here);
    CHECK(graph.Map(size_here, index.data(), edges.data()) >= 0);
    MPI::Graphcomm same = graph.Dup(), &other = graph.Clone();
    CHECK(same.Get_topology() == MPI::GRAPH && other.Get_topology() == MPI::GRAPH);
    other.Free();
    delete &other;
    same.Free();
    graph.Free();
    distributed_graphs();
}

void infos()
{
    char value[MPI::MAX_INFO_VAL + 1], key[MPI::MAX_INFO_KEY + 1];
    int length = 0;
    MPI::Info info = MPI::Info::Create();
    info.Set("colour", "green");
    CHECK(info.Get_nkeys() == 1 && info.Get("colour", 10, value) && std::strcmp(value, "green") == 0);
    CHECK(!info.Get("size", 10, value) && info.Get_valuelen("colour", length) && length == 5);
    info.Get_nthkey(0, key);
    CHECK(std::strcmp(key, "colour") == 0);
    MPI::Info copy = info.Dup();
    info.Delete("colour");
    CHECK(info.Get_nkeys() == 0 && copy.Get_nkeys() == 1);
    info.Free();
    copy.Free();
    CHECK(info == MPI::INFO_NULL);
}

// ---- errors
static int handled, handled_code;
struct Own {
    int number;
};
static void note_comm(MPI::Comm &comm, int *code, ...)
{
    CHECK(comm.Get_size() == 1);
    handled++;
    handled_code = *code;
}
static void throw_own(MPI::Comm &, int *, ...) { throw Own{17}; }

void error_handlers()
{
    int nothing = 0, caught = 0;
    MPI::Intracomm comm = COMM_SELF.Dup();
    CHECK(comm.Get_errhandler() == MPI::ERRORS_THROW_EXCEPTIONS);
    CHECK_THROWS(MPI::ERR_RANK, comm.Send(&nothing, 1, MPI::INT, 12345, 0));
    CHECK_THROWS(MPI::ERR_COUNT, comm.Send(&nothing, -1, MPI::INT, 0, 0));
    MPI::Errhandler handler = MPI::Comm::Create_errhandler(note_comm),
                    thrower = MPI::Comm::Create_errhandler(throw_own);
    comm.Set_errhandler(handler);
    MPI::Errhandler now = comm.Get_errhandler();
    CHECK(now == handler);
    now.Free();
    comm.Send(&nothing, 1, MPI::INT, 12345, 0);
    CHECK(handled == 1 && MPI::Get_error_class(handled_code) == MPI::ERR_RANK);
    comm.Call_errhandler(MPI::ERR_TAG);
    CHECK(handled == 2 && handled_code == MPI::ERR_TAG);
    comm.Set_errhandler(thrower);
    try {
        comm.Send(&nothing, 1, MPI::INT, 12345, 0);
    } catch (const Own &own) {
        caught = own.number;
    }
    CHECK(caught == 17);
    comm.Set_errhandler(MPI::ERRORS_RETURN);
    CHECK(comm.Get_errhandler() == MPI::ERRORS_RETURN);
    comm.Send(&nothing, 1, MPI::INT, 12345, 0);
    comm.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    CHECK_THROWS(MPI::ERR_OTHER, comm.Call_errhandler(MPI::ERR_OTHER));
    handler.Free();
    thrower.Free();
    CHECK(handler == MPI::ERRHANDLER_NULL);
    MPI::Errhandler throws = comm.Get_errhandler();
    throws.Free();
    CHECK(throws == MPI::ERRHANDLER_NULL);
    // What comes of an error in C is not thrown by a later call.
    MPI_Send(&nothing, 1, MPI_INT, 12345, 0, comm);
    CHECK(comm.Get_size() == 1);
    comm.Free();
    try {
        throw MPI::Exception(MPI::ERR_TRUNCATE);
    } catch (const MPI::Exception &e) {
        CHECK(e.Get_error_code() == MPI::ERR_TRUNCATE && e.Get_error_class() == MPI::ERR_TRUNCATE &&
              e.Get_error_string()[0]);
    }
}

void error_codes()
{
    char text[MPI::MAX_ERROR_STRING];
    int length = 0;
    const int group = MPI::Add_error_class(), code = MPI::Add_error_code(group);
    MPI::Add_error_string(code, "out of tea");
    MPI::Get_error_string(code, text, length);
    CHECK(std::strcmp(text, "out of tea") == 0 && length == 10);
    CHECK(MPI::Get_error_class(code) == group);
    CHECK_THROWS(group, COMM_WORLD.Call_errhandler(code));
}

// ---- constants and lifetime
static const MPI::Datatype copied_early = MPI::INT; // made before main, of a constant
void constants()
{
    CHECK(copied_early == MPI::INT && MPI::INT.Get_size() == sizeof(int));
    CHECK(MPI::BOOL.Get_size() == sizeof(bool) && MPI::DOUBLE_COMPLEX.Get_size() == 16 && MPI::COMPLEX.Get_size() == 8);
    CHECK(MPI::LONG_DOUBLE_COMPLEX.Get_size() == 2 * sizeof(long double) && MPI::WCHAR.Get_size() == sizeof(wchar_t));
    CHECK(MPI::TWOINT.Get_size() == 8 && MPI::LONG_LONG.Get_size() == 8 && MPI::AINT.Get_size() == sizeof(MPI::Aint));
    CHECK(MPI::DATATYPE_NULL == MPI::Datatype() && MPI::OP_NULL == MPI::Op() && MPI::WIN_NULL == MPI::Win());
    CHECK(MPI::BOTTOM == MPI_BOTTOM && MPI::IN_PLACE == MPI_IN_PLACE && MPI::SUM != MPI::MAX);
    switch (MPI::COMM_WORLD.Get_topology()) {
    case MPI::CART:
    case MPI::GRAPH:
        CHECK(!"a topology");
        break;
    case MPI::UNDEFINED:
        break;
    }
    CHECK(MPI::SEEK_SET == MPI_SEEK_SET && MPI::SEEK_CUR == MPI_SEEK_CUR && ::SEEK_SET == 0 && ::SEEK_END == 2);
}

template <class Object, class Handle> static void there_and_back(const Object &object, Handle)
{
    const Handle handle = object;
    CHECK(object == handle && !(object != handle));
    Object from_c(handle), assigned;
    CHECK(from_c == object);
    assigned = handle;
    CHECK(assigned == object && !(assigned != object));
    assigned = object;
    Object copy(assigned);
    CHECK(copy == object);
}

void lifetime()
{
    there_and_back(COMM_WORLD, MPI_COMM_NULL);
    there_and_back(MPI::INT, MPI_DATATYPE_NULL);
    there_and_back(MPI::SUM, MPI_OP_NULL);
    there_and_back(MPI::Group(MPI::GROUP_EMPTY), MPI_GROUP_NULL);
    there_and_back(MPI::INFO_NULL, MPI_INFO_NULL);
    there_and_back(MPI::ERRORS_RETURN, MPI_ERRHANDLER_NULL);
    there_and_back(MPI::REQUEST_NULL, MPI_REQUEST_NULL);
    there_and_back(MPI::WIN_NULL, MPI_WIN_NULL);
    there_and_back(MPI::FILE_NULL, MPI_FILE_NULL);
    MPI_Status c_status = MPI_Status();
    c_status.MPI_TAG = 12;
    MPI::Status status(c_status);
    CHECK(status.Get_tag() == 12 && static_cast<MPI_Status>(status).MPI_TAG == 12);
    // A copy lives on when another ends; freeing is by name only.
    MPI::Intracomm one = COMM_WORLD.Dup();
    {
        MPI::Intracomm two = one;
        CHECK(two == one);
    }
    CHECK(one.Get_size() == size_here);
    MPI::Comm &base = one;
    base.Free(); // through the base class: null for the object, whatever class looks at it
    CHECK(one == MPI::COMM_NULL);
    CHECK_THROWS(MPI::ERR_COMM, one.Split(0, 0));
    CHECK_THROWS(MPI::ERR_COMM, one.Barrier());
    one = MPI::COMM_NULL;
    MPI::Nullcomm null = MPI::COMM_NULL;
    MPI::Nullcomm &null_clone = null.Clone();
    CHECK(null_clone == MPI::COMM_NULL);
    delete &null_clone;
    MPI::Intracomm none;
    CHECK(none == MPI::COMM_NULL && MPI::Intracomm(MPI::COMM_NULL) == none);
    CHECK_THROWS(MPI::ERR_COMM, none.Get_rank());
    MPI::Request nothing;
    nothing.Wait(status); // of a null request: an empty status
    CHECK(status.Get_source() == MPI::ANY_SOURCE && nothing.Test());
    CHECK_THROWS(MPI::ERR_TYPE, MPI::DATATYPE_NULL.Get_size());
    MPI::Prequest prequest = COMM_SELF.Recv_init(nullptr, 0, MPI::INT, 0, 0);
    MPI::Request &request = prequest;
    request.Free();
    CHECK(prequest == MPI::REQUEST_NULL);
    // PMPI can be called by name.
    CHECK(PMPI::Intracomm(MPI_COMM_WORLD).Get_rank() == rank_here && PMPI::Is_initialized());
}
