! sampled.f90 - computes in one subroutine.
subroutine solve_in_fortran(x)
    implicit none
    double precision, intent(inout) :: x
    integer :: i
    do i = 1, 50000000
        x = x * 0.999999d0 + 1.0d0
    end do
end subroutine solve_in_fortran

program sampled
    use mpi
    implicit none
    double precision :: x, sum
    integer :: ierror, rank
    call MPI_Init(ierror)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
    x = 1
    call solve_in_fortran(x)
    call MPI_Allreduce(x, sum, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierror)
    if (rank == 0 .and. sum > 0) print *, 'well'
    call MPI_Finalize(ierror)
end program sampled
