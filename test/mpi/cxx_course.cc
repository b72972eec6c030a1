// cxx_course.cc - C++ programs of MPI-2 as courses taught them, in one: master and worker, halo exchange on a Cartesian
// communicator, derived datatypes, an operation, a file, exceptions, and objects in all their uses.
#include <iostream>
#include <cstdio>
#include <cstring>
#include <cstdlib>
#include <cmath>
#include <map>
#include <set>
#include <vector>
#include <string>
#include <algorithm>
#include <complex>
#include "mpi.h"
using namespace std;

enum { WORK = 1, DIE = 2 };
static int bad = 0;
#define OK(x)                                                                                                          \
    do {                                                                                                               \
        if (!(x)) {                                                                                                    \
            bad++;                                                                                                     \
            printf("bad: line %d: %s\n", __LINE__, #x);                                                                \
        }                                                                                                              \
    } while (0)

static void master()
{
    int n = MPI::COMM_WORLD.Get_size(), sent = 0;
    double sum = 0, result;
    MPI::Status status;
    for (int r = 1; r < n; r++) {
        MPI::COMM_WORLD.Send(&sent, 1, MPI::INT, r, WORK);
        sent++;
    }
    int open = n - 1;
    while (open) {
        MPI::COMM_WORLD.Probe(MPI::ANY_SOURCE, MPI::ANY_TAG, status);
        OK(status.Get_count(MPI::DOUBLE) == 1);
        MPI::COMM_WORLD.Recv(&result, 1, MPI::DOUBLE, status.Get_source(), MPI::ANY_TAG, status);
        sum += result;
        if (sent < 20) {
            MPI::COMM_WORLD.Send(&sent, 1, MPI_INT, status.Get_source(), WORK);
            sent++;
        } else {
            MPI::COMM_WORLD.Send(0, 0, MPI::INT, status.Get_source(), DIE);
            open--;
        }
    }
    if (n > 1) {
        double want = 0;
        for (int i = 0; i < sent; i++)
            want += i * 0.5;
        OK(fabs(sum - want) < 1e-9);
    }
}
static void worker()
{
    MPI::Status status;
    int work;
    for (;;) {
        MPI::COMM_WORLD.Recv(&work, 1, MPI::INT, 0, MPI::ANY_TAG, status);
        if (status.Get_tag() == DIE)
            return;
        double r = work * 0.5;
        MPI::COMM_WORLD.Send(&r, 1, MPI::DOUBLE, 0, 7);
    }
}
static void halo()
{
    const int ndims = 2;
    int dims[2] = {0, 0};
    bool periods[2] = {true, false};
    MPI::Compute_dims(MPI::COMM_WORLD.Get_size(), ndims, dims);
    MPI::Cartcomm cart = MPI::COMM_WORLD.Create_cart(ndims, dims, periods, false);
    int coords[2];
    cart.Get_coords(cart.Get_rank(), 2, coords);
    OK(cart.Get_cart_rank(coords) == cart.Get_rank());
    const int N = 8;
    vector<double> a((N + 2) * (N + 2), cart.Get_rank());
    MPI::Datatype column = MPI::DOUBLE.Create_vector(N, 1, N + 2);
    column.Commit();
    MPI::Datatype row = MPI::DOUBLE.Create_contiguous(N);
    row.Commit();
    MPI::Request req[8];
    int n = 0;
    for (int d = 0; d < 2; d++) {
        int lo, hi;
        cart.Shift(d, 1, lo, hi);
        MPI::Datatype &t = d ? column : row;
        double *first = d ? &a[(N + 2) + 1] : &a[(N + 2) + 1], *last = d ? &a[(N + 2) + N] : &a[N * (N + 2) + 1];
        double *before = d ? &a[N + 2] : &a[1], *after = d ? &a[(N + 2) + N + 1] : &a[(N + 1) * (N + 2) + 1];
        req[n++] = cart.Irecv(before, 1, t, lo, d);
        req[n++] = cart.Irecv(after, 1, t, hi, 10 + d);
        req[n++] = cart.Isend(last, 1, t, hi, d);
        req[n++] = cart.Isend(first, 1, t, lo, 10 + d);
    }
    MPI::Status st[8];
    MPI::Request::Waitall(n, req, st);
    for (int i = 0; i < n; i++)
        OK(req[i] == MPI::REQUEST_NULL);
    int lo, hi;
    cart.Shift(0, 1, lo, hi);
    OK(a[1] == lo && a[(N + 1) * (N + 2) + 1] == hi);
    const bool remain[2] = {true, false};
    MPI::Cartcomm sub = cart.Sub(remain);
    OK(sub.Get_dim() == 1);
    int d1[1], c1[1];
    bool p1[1];
    sub.Get_topo(1, d1, p1, c1);
    OK(p1[0] && d1[0] == dims[0]);
    sub.Free();
    column.Free();
    row.Free();
    cart.Free();
    OK(cart == MPI::COMM_NULL);
    OK(column == MPI::DATATYPE_NULL);
}
struct Particle {
    int id;
    double x[3];
    char tag;
};
static void types()
{
    Particle p[2] = {{1, {1, 2, 3}, 'a'}, {2, {4, 5, 6}, 'b'}}, q[2];
    MPI::Datatype t[3] = {MPI::INT, MPI::DOUBLE, MPI::CHAR};
    int len[3] = {1, 3, 1};
    MPI::Aint disp[3], base = MPI::Get_address(&p[0]);
    disp[0] = MPI::Get_address(&p[0].id) - base;
    disp[1] = MPI::Get_address(p[0].x) - base;
    disp[2] = MPI::Get_address(&p[0].tag) - base;
    MPI::Datatype s = MPI::Datatype::Create_struct(3, len, disp, t), r = s.Create_resized(0, sizeof(Particle));
    r.Commit();
    memset((void *)q, 0, sizeof q);
    MPI::COMM_SELF.Sendrecv(p, 2, r, 0, 1, q, 2, r, 0, 1);
    OK(q[1].id == 2 && q[1].x[2] == 6 && q[1].tag == 'b');
    MPI::Aint lb, ex;
    r.Get_extent(lb, ex);
    OK(ex == (MPI::Aint)sizeof(Particle));
    int i, a, d, comb;
    r.Get_envelope(i, a, d, comb);
    OK(comb == MPI::COMBINER_RESIZED);
    MPI::Aint places[20];
    int numbers[20];
    MPI::Datatype inner[20]; // more than there are: MPI leaves the rest as it is
    r.Get_contents(20, 20, 20, numbers, places, inner);
    OK(places[1] == (MPI::Aint)sizeof(Particle) && inner[0] != MPI::DATATYPE_NULL && inner[19] == MPI::DATATYPE_NULL);
    inner[0].Free();
    char buf[100];
    int pos = 0;
    MPI::INT.Pack(&len[1], 1, buf, 100, pos, MPI::COMM_WORLD);
    MPI::DOUBLE.Pack(p[0].x, 3, buf, 100, pos, MPI::COMM_WORLD);
    int back;
    pos = 0;
    MPI::INT.Unpack(buf, 100, &back, 1, pos, MPI::COMM_WORLD);
    OK(back == 3);
    OK(MPI::INT.Pack_size(1, MPI::COMM_WORLD) >= 4);
    s.Free();
    r.Free();
    bool flag = true, all;
    MPI::COMM_WORLD.Allreduce(&flag, &all, 1, MPI::BOOL, MPI::LAND);
    OK(all);
    complex<double> z(1, 2), sum;
    MPI::COMM_WORLD.Allreduce(&z, &sum, 1, MPI::DOUBLE_COMPLEX, MPI::SUM);
    OK(sum.imag() == 2 * MPI::COMM_WORLD.Get_size());
    struct {
        double v;
        int r;
    } in = {(double)MPI::COMM_WORLD.Get_rank(), MPI::COMM_WORLD.Get_rank()}, out;
    MPI::COMM_WORLD.Allreduce(&in, &out, 1, MPI::DOUBLE_INT, MPI::MAXLOC);
    OK(out.r == MPI::COMM_WORLD.Get_size() - 1);
    int v = 1;
    MPI::COMM_WORLD.Allreduce(MPI::IN_PLACE, &v, 1, MPI_INT, MPI_SUM);
    OK(v == MPI::COMM_WORLD.Get_size());
    MPI::COMM_WORLD.Bcast(&v, 1, MPI_INT, 0);
}
static int depth;
static void combine(const void *in, void *inout, int n, const MPI::Datatype &t)
{
    const double *a = static_cast<const double *>(in);
    double *b = static_cast<double *>(inout);
    OK(t == MPI::DOUBLE || t.Get_size() == 8);
    depth = MPI::COMM_WORLD.Get_rank();
    for (int i = 0; i < n; i++)
        b[i] = a[i] > b[i] ? a[i] : b[i];
}
static void ops()
{
    MPI::Op op;
    op.Init(combine, true);
    double x = MPI::COMM_WORLD.Get_rank(), y = -1;
    MPI::COMM_WORLD.Reduce(&x, &y, 1, MPI::DOUBLE, op, 0);
    if (MPI::COMM_WORLD.Get_rank() == 0)
        OK(y == MPI::COMM_WORLD.Get_size() - 1);
    MPI::COMM_WORLD.Scan(&x, &y, 1, MPI::DOUBLE, op);
    OK(y == x);
    OK(op.Is_commutative());
    op.Free();
    OK(op == MPI::OP_NULL);
}
static void files(const char *name)
{
    int rank = MPI::COMM_WORLD.Get_rank(), size = MPI::COMM_WORLD.Get_size();
    MPI::File f = MPI::File::Open(MPI::COMM_WORLD, name, MPI::MODE_CREATE | MPI::MODE_RDWR | MPI::MODE_DELETE_ON_CLOSE,
                                  MPI::INFO_NULL);
    f.Set_view(rank * sizeof(int), MPI::INT, MPI::INT, "native", MPI::INFO_NULL);
    int v = rank * 3, w = -1;
    MPI::Status st;
    f.Write_at_all(0, &v, 1, MPI::INT, st);
    OK(st.Get_count(MPI::INT) == 1);
    f.Sync();
    MPI::COMM_WORLD.Barrier();
    f.Set_view(0, MPI::INT, MPI::INT, "native", MPI::INFO_NULL);
    f.Read_at((size - 1), &w, 1, MPI::INT);
    OK(w == (size - 1) * 3);
    f.Seek(0, MPI_SEEK_SET);
    f.Read(&w, 1, MPI::INT, st);
    OK(w == 0 && f.Get_position() == 1);
    MPI::Request r = f.Iread_at(rank, &w, 1, MPI::INT);
    r.Wait(st);
    OK(w == rank * 3);
    OK(f.Get_size() == (MPI::Offset)(size * sizeof(int)));
    f.Close();
    OK(f == MPI::FILE_NULL);
    MPI::FILE_NULL.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    bool thrown = false;
    try {
        MPI::File g = MPI::File::Open(MPI::COMM_SELF, "/nowhere/at/all", MPI::MODE_RDONLY, MPI::INFO_NULL);
    } catch (MPI::Exception &e) {
        thrown = true;
        OK(e.Get_error_class() != MPI::SUCCESS);
        OK(strlen(e.Get_error_string()) > 0);
    }
    OK(thrown);
}
static void exceptions()
{
    MPI::Intracomm dup = MPI::COMM_WORLD.Dup();
    dup.Set_errhandler(MPI::ERRORS_THROW_EXCEPTIONS);
    int caught = 0, x = 0;
    try {
        dup.Send(&x, 1, MPI::INT, 12345, 0);
    } catch (const MPI::Exception &e) {
        caught++;
        OK(e.Get_error_class() == MPI::ERR_RANK);
    }
    try {
        dup.Recv(&x, -1, MPI::INT, 0, 0);
    } catch (const MPI::Exception &e) {
        caught++;
        OK(e.Get_error_class() == MPI::ERR_COUNT);
    }
    try {
        dup.Bcast(&x, 1, MPI::INT, -5);
    } catch (...) {
        caught++;
    }
    OK(caught == 3);
    dup.Set_errhandler(MPI::ERRORS_RETURN);
    dup.Send(&x, 1, MPI::INT, 12345, 0);
    dup.Free();
}
class Team : public MPI::Intracomm
{
  public:
    Team(const MPI::Intracomm &c) : MPI::Intracomm(c) {}
    int last() const { return Get_size() - 1; }
};
static int copied, deleted;
static int copy_fn(const MPI::Comm &, int, void *extra, void *in, void *out, bool &flag)
{
    copied++;
    *(void **)out = in;
    flag = true;
    OK(extra == &copied);
    return MPI::SUCCESS;
}
static int delete_fn(MPI::Comm &, int, void *, void *)
{
    deleted++;
    return MPI::SUCCESS;
}
static void objects()
{
    Team team(MPI::COMM_WORLD);
    OK(team.last() == MPI::COMM_WORLD.Get_size() - 1);
    map<string, MPI::Intracomm> m;
    m["w"] = MPI::COMM_WORLD;
    m["h"] = MPI::COMM_WORLD.Split(MPI::COMM_WORLD.Get_rank() % 2, 0);
    OK(m["w"] == MPI::COMM_WORLD);
    OK(m["h"] != MPI::COMM_WORLD);
    OK(m["none"] == MPI::COMM_NULL);
    m["h"].Free();
    MPI::Comm &any = MPI::COMM_WORLD;
    MPI::Comm &copy = any.Clone();
    OK(MPI::Comm::Compare(any, copy) == MPI::CONGRUENT);
    copy.Free();
    delete &copy;
    MPI_Comm c = MPI::COMM_WORLD;
    int r;
    MPI_Comm_rank(c, &r);
    OK(r == MPI::COMM_WORLD.Get_rank());
    MPI::Intracomm from = MPI_COMM_WORLD;
    OK(from == MPI::COMM_WORLD);
    from = MPI_COMM_SELF;
    OK(from.Get_size() == 1);
    MPI_Send(&r, 0, MPI::INT, MPI::PROC_NULL, 0, MPI::COMM_WORLD);
    int key = MPI::Comm::Create_keyval(copy_fn, delete_fn, &copied);
    MPI::Intracomm a = MPI::COMM_WORLD.Dup();
    int value = 5;
    a.Set_attr(key, &value);
    MPI::Intracomm b = a.Dup();
    int *got = 0;
    OK(b.Get_attr(key, &got) && got == &value);
    OK(!MPI::COMM_WORLD.Get_attr(key, &got));
    b.Free();
    a.Free();
    MPI::Comm::Free_keyval(key);
    OK(copied == 1 && deleted == 2);
    int *ub;
    OK(MPI::COMM_WORLD.Get_attr(MPI::TAG_UB, &ub) && *ub > 1000);
    MPI::Group g = MPI::COMM_WORLD.Get_group();
    int range[1][3] = {{0, MPI::COMM_WORLD.Get_size() - 1, 2}};
    MPI::Group even = g.Range_incl(1, range);
    MPI::Intracomm e = MPI::COMM_WORLD.Create(even);
    if (r % 2 == 0) {
        OK(e.Get_size() == even.Get_size());
        e.Free();
    } else
        OK(e == MPI::COMM_NULL);
    even.Free();
    g.Free();
    void *buffer = malloc(4096);
    MPI::Attach_buffer(buffer, 4096);
    MPI::COMM_SELF.Bsend(&r, 1, MPI::INT, 0, 3);
    int s;
    MPI::COMM_SELF.Recv(&s, 1, MPI::INT, 0, 3);
    void *back;
    OK(MPI::Detach_buffer(back) == 4096 && back == buffer);
    free(buffer);
    MPI::Prequest p = MPI::COMM_SELF.Send_init(&r, 1, MPI::INT, 0, 9),
                  q = MPI::COMM_SELF.Recv_init(&s, 1, MPI::INT, 0, 9);
    MPI::Prequest both[2] = {p, q};
    for (int i = 0; i < 3; i++) {
        MPI::Prequest::Startall(2, both);
        MPI::Request::Waitall(2, both);
    }
    both[0].Free();
    both[1].Free();
    MPI::Info info = MPI::Info::Create();
    info.Set("k", "v");
    char text[10];
    OK(info.Get("k", 9, text) && !strcmp(text, "v"));
    OK(info.Get_nkeys() == 1);
    info.Free();
    char name[MPI::MAX_OBJECT_NAME];
    int len;
    MPI::COMM_WORLD.Get_name(name, len);
    OK(string(name) == "MPI_COMM_WORLD");
    if (MPI::COMM_WORLD.Get_size() > 1) {
        MPI::Intracomm half = MPI::COMM_WORLD.Split(r % 2, r);
        MPI::Intercomm inter = half.Create_intercomm(0, MPI::COMM_WORLD, (r + 1) % 2, 4);
        OK(inter.Is_inter() && inter.Get_remote_size() >= 1);
        MPI::Intracomm merged = inter.Merge(r % 2);
        OK(merged.Get_size() == MPI::COMM_WORLD.Get_size());
        merged.Free();
        inter.Free();
        half.Free();
    }
    double mem[4] = {0, 0, 0, 0};
    MPI::Win w = MPI::Win::Create(mem, sizeof mem, sizeof(double), MPI::INFO_NULL, MPI::COMM_WORLD);
    double one = 1;
    w.Fence(0);
    w.Accumulate(&one, 1, MPI::DOUBLE, 0, 1, 1, MPI::DOUBLE, MPI::SUM);
    w.Fence(0);
    if (r == 0)
        OK(mem[1] == MPI::COMM_WORLD.Get_size());
    w.Free();
    MPI::Request none[3];
    int idx[3];
    MPI::Status sts[3];
    OK(MPI::Request::Waitsome(3, none, idx, sts) == MPI::UNDEFINED);
    OK(MPI::Request::Testall(3, none, sts));
    OK(MPI::Request::Testall(0, none));
}
int main(int argc, char *argv[])
{
    MPI::Init(argc, argv);
    if (MPI::COMM_WORLD.Get_rank() == 0)
        master();
    else
        worker();
    halo();
    types();
    ops();
    files("course.dat");
    exceptions();
    objects();
    MPI::Pcontrol(0);
    MPI::COMM_WORLD.Barrier();
    MPI::Pcontrol(1);
    int total = 0;
    MPI::COMM_WORLD.Reduce(&bad, &total, 1, MPI::INT, MPI::SUM, 0);
    if (MPI::COMM_WORLD.Get_rank() == 0)
        cout << "course: " << total << " bad" << endl;
    MPI::Finalize();
    int after = 0;
    try {
        MPI::COMM_WORLD.Barrier();
    } catch (MPI::Exception &) {
        after = 1;
    }
    if (!after) {
        cout << "no exception after Finalize" << endl;
        return 1;
    }
    return total != 0;
}
