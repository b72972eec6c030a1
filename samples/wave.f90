! wave.f90 - a wave on a string, in Fortran 90 (use mpi).
!
!     mpifort -O2 -o wave wave.f90
!     mpirun -n 4 pith run ./wave
!
! Each rank has a piece of the string. In each step, a rank exchanges the end points of its piece with its neighbours,
! by one MPI_Sendrecv to the right and one to the left, and moves its points by the wave equation.
!
! What to look for in the timeline: each step has two MPI_Sendrecv states, each with one outgoing and one incoming
! arrow. At the ends of the string the neighbour is MPI_PROC_NULL, and there is no arrow.
program wave
    use mpi
    implicit none

    integer, parameter :: points = 5000, steps = 200
    double precision, parameter :: c2 = 0.25d0    ! (speed * time step / point distance) squared
    double precision, dimension(0:points + 1) :: before, now, next
    double precision :: energy, total
    integer :: rank, size, left, right, step, i, ierror

    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    call MPI_Comm_size(MPI_COMM_WORLD, size, ierror)
    left = rank - 1
    right = rank + 1
    if (left < 0) left = MPI_PROC_NULL
    if (right == size) right = MPI_PROC_NULL

    now = 0
    do i = 1, points
        now(i) = sin(2 * acos(-1d0) * (rank * points + i) / (size * points + 1))
    end do
    before = now
    next = 0

    do step = 1, steps
        call MPI_Sendrecv(now(points), 1, MPI_DOUBLE_PRECISION, right, 1, &
                          now(0), 1, MPI_DOUBLE_PRECISION, left, 1, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
        call MPI_Sendrecv(now(1), 1, MPI_DOUBLE_PRECISION, left, 2, &
                          now(points + 1), 1, MPI_DOUBLE_PRECISION, right, 2, MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierror)
        do i = 1, points
            next(i) = 2 * now(i) - before(i) + c2 * (now(i - 1) - 2 * now(i) + now(i + 1))
        end do
        before = now
        now = next
    end do

    energy = sum(now(1:points)**2)
    call MPI_Allreduce(energy, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
    if (rank == 0) print '(a, i0, a, f10.4)', 'wave: ', steps, ' steps, mean square ', total / (size * points)
    call MPI_Finalize(ierror)
end program wave
