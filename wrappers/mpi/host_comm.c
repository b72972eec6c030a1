/* host_comm.c - finds the processes on a host, by MPI (host_comm.h). A split by MPI_COMM_TYPE_SHARED gives the
 * processes among which MPI itself can share memory. MPICH 5.0.2 over UCX cannot share memory, so each process seems to
 * be alone on its host. If all processes seem to be alone, the names and the boot ids of the hosts are compared to find
 * out whether this is true. */
#include "host_comm.h"

#include "base/hash.h"
#include "real.h"

#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

int pithi_host_comm(MPI_Comm comm, int key, MPI_Comm *host)
{
    int size, together, most, code;

    REAL(MPI_Comm_size)(comm, &size);
    code = REAL(MPI_Comm_split_type)(comm, MPI_COMM_TYPE_SHARED, key, MPI_INFO_NULL, host);
    if (code != MPI_SUCCESS || size == 1)
        return code;
    REAL(MPI_Comm_size)(*host, &together);
    code = REAL(MPI_Allreduce)(&together, &most, 1, MPI_INT, MPI_MAX, comm);
    if (code != MPI_SUCCESS || most > 1)
        return code;
    REAL(MPI_Comm_free)(host);
    char name[256] = "", boot[64] = "";
    int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
    if (fd >= 0) {
        if (read(fd, boot, sizeof boot - 1) < 0) /* then the name alone is compared */
            boot[0] = '\0';
        close(fd);
    }
    gethostname(name, sizeof name - 1);
    uint64_t id = pithi_hash_text(pithi_hash_text(PITHI_HASH, name), boot);
    /* A colour of MPI_Comm_split has 31 bits, so it takes two splits to separate different 64-bit ids. */
    MPI_Comm half;
    code = REAL(MPI_Comm_split)(comm, (int)(id & INT_MAX), key, &half);
    if (code != MPI_SUCCESS)
        return code;
    code = REAL(MPI_Comm_split)(half, (int)(id >> 33), key, host);
    REAL(MPI_Comm_free)(&half);
    return code;
}
