// cxx_calls.cc - calls every function of the C++ bindings and looks at what it gives. The other parts: cxx_calls_*.cc.
//
//     cxx_calls            everything but what follows; any number of ranks
//     cxx_calls threads    with Init_thread(argc, argv)
//     cxx_calls plain      with Init() alone
//     cxx_calls abort      ends with Abort
//     cxx_calls spawn      starts others: cxx_calls child
//     cxx_calls spawn_one  the same without Spawn_multiple
//
// Linked with the counting members (cxx_counted), it also notes which functions were called in which part.
#include "cxx_calls.h"

#include <fcntl.h>
#include <set>
#include <string>
#include <unistd.h>

int checks, wrong, rank_here, size_here;
static const char *part = "begin_and_end", *last_called = "nothing";

// called(ID): by the counting members. One line of $CXX_CALLED for each function and part.
void called(const char *id);
void called(const char *id)
{
    static std::set<std::string> noted;
    const char *path = std::getenv("CXX_CALLED");
    const std::string line = std::string(id) + "\t" + part + "\n";
    last_called = id;
    if (!path || !noted.insert(line).second)
        return;
    const int fd = open(path, O_WRONLY | O_APPEND | O_CREAT, 0644);
    if (fd < 0 || write(fd, line.data(), line.size()) < 0)
        std::perror(path);
    close(fd);
}

static void run(const char *name, void (*function)())
{
    const int before = wrong;
    part = name;
    try {
        function();
    } catch (const MPI::Exception &e) {
        wrong++;
        std::printf("# wrong: %s of %s: exception %d: %s\n", last_called, name, e.Get_error_code(), e.Get_error_string());
    }
    if (wrong > before)
        std::printf("# wrong in %s, rank %d\n", name, rank_here);
    std::fflush(stdout); // also for when another rank waits for ever for this one
    part = "begin_and_end";
}

static void environment()
{
    int version, subversion, length;
    char name[MPI::MAX_PROCESSOR_NAME];
    MPI::Get_version(version, subversion);
    CHECK(version >= 3 && subversion >= 0);
    MPI::Get_processor_name(name, length);
    CHECK(length > 0 && static_cast<int>(std::strlen(name)) == length);
    const double begun = MPI::Wtime();
    CHECK(MPI::Wtime() >= begun);
    CHECK(MPI::Wtick() > 0);
    CHECK(MPI::Is_initialized());
    CHECK(!MPI::Is_finalized());
    CHECK(MPI::Is_thread_main());
    CHECK(MPI::Query_thread() >= MPI::THREAD_SINGLE);
    MPI::Pcontrol(1);
    MPI::Pcontrol(2, "more", 3.0);
    void *memory = MPI::Alloc_mem(64, MPI::INFO_NULL);
    CHECK(memory != nullptr);
    std::memset(memory, 1, 64);
    MPI::Free_mem(memory);
    int there[2];
    CHECK(MPI::Get_address(&there[1]) - MPI::Get_address(&there[0]) == sizeof(int));
    int dims[2] = {0, 0};
    MPI::Compute_dims(6, 2, dims);
    CHECK(dims[0] * dims[1] == 6);
}

int main(int argc, char **argv)
{
    const std::string mode = argc > 1 ? argv[1] : "";
    CHECK(!MPI::Is_initialized());
    CHECK_THROWS(MPI::ERR_OTHER, MPI::COMM_WORLD.Get_rank());
    if (mode == "threads")
        CHECK(MPI::Init_thread(argc, argv, MPI::THREAD_FUNNELED) >= MPI::THREAD_SINGLE);
    else if (mode == "plain")
        MPI::Init();
    else if (mode == "child" || mode == "abort")
        CHECK(MPI::Init_thread(MPI::THREAD_SINGLE) >= MPI::THREAD_SINGLE);
    else
        MPI::Init(argc, argv);
    MPI::COMM_WORLD.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    MPI::COMM_SELF.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    MPI::FILE_NULL.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    rank_here = MPI::COMM_WORLD.Get_rank();
    size_here = MPI::COMM_WORLD.Get_size();
    if (mode == "child") {
        MPI::Intercomm parent = MPI::Comm::Get_parent();
        int number = 0;
        parent.Bcast(&number, 1, MPI::INT, 0);
        parent.Disconnect();
        MPI::Finalize();
        return number != 42;
    }
    if (mode == "abort")
        MPI::COMM_WORLD.Abort(3);
    if (mode == "") {
        run("environment", environment);
        run("point_to_point", point_to_point);
        run("requests", requests);
        run("statuses", statuses);
        run("datatypes", datatypes);
        run("collectives", collectives);
        run("operations", operations);
        run("groups", groups);
        run("communicators", communicators);
        run("attributes", attributes);
        run("topologies", topologies);
        run("infos", infos);
        run("error_handlers", error_handlers);
        run("error_codes", error_codes);
        run("windows", windows);
        run("files", files);
        run("file_pointers", file_pointers);
        run("constants", constants);
        run("lifetime", lifetime);
        run("processes", processes);
    }
    static const char *program = argv[0];
    if (mode == "spawn")
        run("spawns", [] { spawns(program, true); });
    if (mode == "spawn_one")
        run("spawns", [] { spawns(program, false); });
    MPI::COMM_WORLD.Barrier();
    MPI::Intracomm world = MPI::COMM_WORLD;
    MPI::Finalize();
    CHECK(MPI::Is_finalized());
    CHECK_THROWS(MPI::ERR_OTHER, world.Barrier());
    CHECK_THROWS(MPI::ERR_OTHER, MPI::COMM_WORLD.Dup());
    CHECK_THROWS(MPI::ERR_OTHER, MPI::INT.Get_size());
    std::printf("%s %d wrong\n", checks > 3 ? "checked" : "nothing checked", wrong);
    return wrong != 0;
}
