! gym_fortran.f90 - late: rank 2 computes three times as long as the others, which wait in MPI_Allreduce. An expert names
! rank 2. balanced: nothing is wrong.
program gym_fortran
    use mpi
    use iso_c_binding, only: c_int
    implicit none

    interface
        function usleep(us) bind(c, name="usleep")
            import :: c_int
            integer(c_int), value :: us
            integer(c_int) :: usleep
        end function usleep
    end interface

    integer :: rank, ierr, step, ms
    integer(c_int) :: status
    double precision :: one, total
    character(len=20) :: mode, cured

    call get_command_argument(1, mode)
    call get_command_argument(2, cured)
    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    one = 1
    do step = 1, 8
        ms = 50
        if (mode == "late") ms = 20
        if (rank == 2 .and. mode == "late" .and. cured /= "cured") ms = 60
        status = usleep(ms * 1000)
        call MPI_Allreduce(one, total, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
    end do
    call MPI_Finalize(ierr)
end program gym_fortran
