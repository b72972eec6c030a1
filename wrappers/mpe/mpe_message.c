/* mpe_message.c - messages as the API has them. */
#include "mpe_comm.h"
#include "mpe_aside.h"
#include "mpe_log.h"
#include "mpe_session.h"
#include "pith_tool.h"
#include "real.h"

int MPE_Log_comm_send(MPI_Comm comm, int dest, int tag, int size)
{
    uint32_t id;
    int32_t peer;

    PITHI_MPE_ASIDE(MPE_Log_comm_send, (comm, dest, tag, size));
    if (!pithi_mpe_running())
        return MPE_LOG_NOT_INITIALIZED;
    if (pithi_mpe_peer(comm, dest, &id, &peer))
        pith_comm_send(id, peer, tag, size > 0 ? (uint64_t)size : 0);
    return MPE_LOG_OK;
}

int MPE_Log_comm_receive(MPI_Comm comm, int source, int tag, int size)
{
    uint32_t id;
    int32_t peer;

    PITHI_MPE_ASIDE(MPE_Log_comm_receive, (comm, source, tag, size));
    if (!pithi_mpe_running())
        return MPE_LOG_NOT_INITIALIZED;
    if (pithi_mpe_peer(comm, source, &id, &peer))
        pith_comm_recv(id, peer, tag, size > 0 ? (uint64_t)size : 0, pith_recv_post());
    return MPE_LOG_OK;
}

int MPE_Log_send(int dest, int tag, int size) { return MPE_Log_comm_send(MPI_COMM_WORLD, dest, tag, size); }

int MPE_Log_receive(int source, int tag, int size) { return MPE_Log_comm_receive(MPI_COMM_WORLD, source, tag, size); }
