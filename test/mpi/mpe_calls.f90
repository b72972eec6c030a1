! mpe_calls.f90 - the logging calls of MPE from Fortran, once and more.
program calls
    use mpi
    implicit none
    include 'mpe_logf.h'
    integer ierr, rank, size, state(2), info(2), old(2), solo, plain, pos, number, i
    character(32) bytes

    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
    call say('before', MPE_Log_bare_event(1))
    call say('init', MPE_Init_log())
    call say('state', MPE_Log_get_state_eventIDs(state(1), state(2)))
    call say('info', MPE_Log_get_state_eventIDs(info(1), info(2)))
    old(1) = MPE_Log_get_event_number()
    old(2) = MPE_Log_get_event_number()
    call say('solo', MPE_Log_get_solo_eventID(solo))
    call say('plain', MPE_Log_get_solo_eventID(plain))
    if (rank == 0) then
        print '(8i6)', state, info, old, solo, plain
        call say('describe', MPE_Describe_state(state(1), state(2), 'Broadcast   ', 'red '))
        call say('describe', MPE_Describe_info_state(info(1), info(2), 'Compute', 'blue', 'i=%d   '))
        call say('describe', MPE_Describe_state(old(1), old(2), 'two words', ' '))
        call say('describe', MPE_Describe_info_event(solo, 'tick', 'yellow', '%s=%d'))
        call say('describe', MPE_Describe_event(plain, 'plain', ''))
    end if
    call say('stop', MPE_Stop_log())
    call say('off', MPE_Log_bare_event(plain))
    call say('start', MPE_Start_log())
    call say('running', MPE_Initialized_logging())
    call say('event', MPE_Log_event(state(1), 0, ' '))
    call say('event', MPE_Log_event(state(2), 0, ''))
    pos = 0
    number = 42
    call say('pack', MPE_Log_pack(bytes, pos, 'd', 1, number))
    call say('event', MPE_Log_event(info(1), 0, bytes))
    call say('bare', MPE_Log_bare_event(info(2)))
    pos = 0
    number = 5
    call pack_text
    call say('pack', MPE_Log_pack(bytes, pos, 'd', 1, number))
    call say('info', MPE_Log_info_event(solo, bytes))
    do i = 1, 8
        ierr = MPE_Log_pack(bytes, pos, 'd', 1, number)
    end do
    call say('overflow', ierr)
    call say('position', pos)
    call say('event', MPE_Log_event(plain, 0, bytes(1:0)))
    call say('event', MPE_Log_event(old(1), 0, ' '))
    call say('send', MPE_Log_send(mod(rank + 1, size), 3, 16))
    call say('receive', MPE_Log_receive(mod(rank + size - 1, size), 3, 16))
    call say('event', MPE_Log_event(old(2), 0, ' '))
    call say('sync', MPE_Log_sync_clocks())
    call say('finish', MPE_Finish_log('fortran   '))
    call say('finished', MPE_Initialized_logging())
    call MPI_Finalize(ierr)
contains
    subroutine say(what, result)
        character(*), intent(in) :: what
        integer, intent(in) :: result
        if (rank == 0) print '(a, i3)', what, result
    end subroutine
    ! Big-endian: a length, then the text.
    subroutine pack_text
        bytes = achar(0)//achar(4)//'text'
        pos = 6
    end subroutine
end program
