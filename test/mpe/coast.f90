! coast.f90 - uses the MPE API as a Fortran model does: a module that keeps the numbers, functions with their results
! dropped into a variable, colours and names in character variables with blanks at their ends.
module mpe_log
    implicit none
    include 'mpe_logf.h'
    integer, parameter :: phases = 3
    integer :: begins(phases), ends(phases), tick, ier
contains
    subroutine init_log(rank)
        integer, intent(in) :: rank
        character(len=20) :: names(phases) = ['flow                ', 'waves               ', 'sediment transport  ']
        character(len=10) :: colours(phases) = ['blue      ', 'cyan      ', 'brown     ']
        integer :: i

        do i = 1, phases
            ier = MPE_Log_get_state_eventIDs(begins(i), ends(i))
            if (rank == 0) ier = MPE_Describe_state(begins(i), ends(i), names(i), colours(i))
        end do
        ier = MPE_Log_get_solo_eventID(tick)
        if (rank == 0) ier = MPE_Describe_info_event(tick, 'time step', 'white', 'step=%d')
    end subroutine
    subroutine log_step(step)
        integer, intent(in) :: step
        character(len=32) :: bytes
        integer :: pos

        pos = 0
        ier = MPE_Log_pack(bytes, pos, 'd', 1, step)
        ier = MPE_Log_event(tick, 0, bytes)
    end subroutine
end module

program coast
    use mpi
    use mpe_log
    implicit none
    integer :: rank, ierr, step, phase

    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    ier = MPE_Init_log()
    call init_log(rank)
    do step = 1, 4
        call log_step(step)
        do phase = 1, phases
            ier = MPE_Log_event(begins(phase), 0, '')
            call MPI_Barrier(MPI_COMM_WORLD, ierr)
            ier = MPE_Log_event(ends(phase), 0, ' ')
        end do
    end do
    ier = MPE_Finish_log('coast     ')
    call MPI_Finalize(ierr)
end program
