! entries.f90 - calls of every shape through the Fortran entry points; it stops when one of them changed something.
program entries
  use mpi
  implicit none
  integer :: ierr, rank, size, n(1), st(MPI_STATUS_SIZE), req(2), idx, c2, x(4), k, cnt, inds(2)
  logical :: flag
  character(len=MPI_MAX_OBJECT_NAME) :: name
  integer :: sts(MPI_STATUS_SIZE,2)
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  x = rank
  if (rank == 0) then
    call MPI_Send(x, 4, MPI_INTEGER, 1, 7, MPI_COMM_WORLD, ierr)
    call MPI_Recv(x, 4, MPI_INTEGER, 1, MPI_ANY_TAG, MPI_COMM_WORLD, st, ierr)
    if (st(MPI_TAG) /= 8 .or. st(MPI_SOURCE) /= 1) stop 3
    call MPI_Recv(x, 4, MPI_INTEGER, 1, MPI_ANY_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  else
    call MPI_Recv(x, 4, MPI_INTEGER, 0, 7, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call MPI_Send(x, 4, MPI_INTEGER, 0, 8, MPI_COMM_WORLD, ierr)
    call MPI_Send(x, 4, MPI_INTEGER, 0, 9, MPI_COMM_WORLD, ierr)
  end if
  call MPI_Irecv(x, 1, MPI_INTEGER, 1-rank, 5, MPI_COMM_WORLD, req(1), ierr)
  call MPI_Isend(rank, 1, MPI_INTEGER, 1-rank, 5, MPI_COMM_WORLD, req(2), ierr)
  call MPI_Waitall(2, req, MPI_STATUSES_IGNORE, ierr)
  call MPI_Irecv(x, 1, MPI_INTEGER, 1-rank, 5, MPI_COMM_WORLD, req(1), ierr)
  call MPI_Isend(rank, 1, MPI_INTEGER, 1-rank, 5, MPI_COMM_WORLD, req(2), ierr)
  call MPI_Waitall(2, req, sts, ierr)
  if (sts(MPI_SOURCE,1) /= 1-rank) stop 4
  req(2) = MPI_REQUEST_NULL
  call MPI_Irecv(x, 1, MPI_INTEGER, MPI_PROC_NULL, 5, MPI_COMM_WORLD, req(2), ierr)
  req(1) = MPI_REQUEST_NULL
  call MPI_Waitany(2, req, idx, st, ierr)
  if (idx /= 2) stop 5
  call MPI_Isend(rank, 1, MPI_INTEGER, 1-rank, 6, MPI_COMM_WORLD, req(2), ierr)
  call MPI_Irecv(x, 1, MPI_INTEGER, 1-rank, 6, MPI_COMM_WORLD, req(1), ierr)
  call MPI_Wait(req(2), MPI_STATUS_IGNORE, ierr)
  call MPI_Waitany(2, req, idx, MPI_STATUS_IGNORE, ierr)
  req(1) = MPI_REQUEST_NULL
  call MPI_Irecv(x, 1, MPI_INTEGER, MPI_PROC_NULL, 5, MPI_COMM_WORLD, req(2), ierr)
  call MPI_Waitsome(2, req, cnt, inds, MPI_STATUSES_IGNORE, ierr)
  if (cnt /= 1 .or. inds(1) /= 2) stop 6
  call MPI_Comm_dup(MPI_COMM_WORLD, c2, ierr)
  call MPI_Comm_set_name(c2, 'a copy  ', ierr)
  call MPI_Comm_get_name(c2, name, k, ierr)
  if (name(1:k) /= 'a copy') stop 7
  n(1) = rank
  call MPI_Allreduce(MPI_IN_PLACE, n, 1, MPI_INTEGER, MPI_SUM, c2, ierr)
  if (n(1) /= 1) stop 8
  call MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, c2, flag, MPI_STATUS_IGNORE, ierr)
  if (flag) stop 9
  call MPI_Comm_free(c2, ierr)
  if (MPI_Wtime() < 0) stop 10
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
  print *, 'fine', rank
end program
