! pi.f90 - pi by integration, in Fortran 2008 (use mpi_f08).
!
!     mpifort -O2 -o pi pi.f90
!     mpirun -n 4 pith run ./pi
!
! Rank 0 broadcasts the number of intervals (MPI_Bcast). Each rank adds up every size-th interval of the integral of
! 4 / (1 + x*x) from 0 to 1, and rank 0 gets the sum of all parts (MPI_Reduce).
!
! What to look for in the timeline: MPI_Reduce is long on rank 0, which waits for all others, and short on the others.
program pi
    use mpi_f08
    implicit none

    integer :: rank, size, intervals, i
    double precision :: part, total, width, x

    call MPI_Init()
    call MPI_Comm_rank(MPI_COMM_WORLD, rank)
    call MPI_Comm_size(MPI_COMM_WORLD, size)

    intervals = 0
    if (rank == 0) intervals = 4000000
    call MPI_Bcast(intervals, 1, MPI_INTEGER, 0, MPI_COMM_WORLD)

    width = 1d0 / intervals
    part = 0
    do i = rank + 1, intervals, size
        x = width * (i - 0.5d0)
        part = part + 4d0 / (1d0 + x * x)
    end do

    call MPI_Reduce(part, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, 0, MPI_COMM_WORLD)
    if (rank == 0) print '(a, f12.10)', 'pi: about ', total * width
    call MPI_Finalize()
end program pi
