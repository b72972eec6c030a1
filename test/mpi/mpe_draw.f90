! mpe_draw.f90 - MPE's graphics in Fortran: draws, and waits until the file "seen" is there, for whoever looks at the screen.
program mpe_draw
    use mpi
    implicit none
    include 'mpe_graphicsf.h'
    integer :: rank, size, ierr, graph, colours(6), count, points(3, 2), x, y, button, pressed, extra
    logical :: is_seen
    double precision :: ignored

    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
    call MPE_Open_graphics(graph, MPI_COMM_WORLD, ' ', 40, 30, 400, 300, MPE_GRAPH_INDEPENDENT, ierr)
    call check('MPE_Open_graphics')
    if (graph <= 0) print *, 'no handle', graph
    x = 90 * rank
    call MPE_Fill_rectangle(graph, x, 0, 40, 40, MPE_RED, ierr); call check('MPE_Fill_rectangle')
    call MPE_Draw_rectangle(graph, x, 50, 40, 40, MPE_BLUE, ierr); call check('MPE_Draw_rectangle')
    call MPE_Draw_point(graph, x + 20, 70, MPE_BLACK, ierr); call check('MPE_Draw_point')
    points = reshape([x + 5, 60, MPE_GREEN, x + 6, 60, MPE_BLACK], [3, 2])
    call MPE_Draw_points(graph, points, 2, ierr); call check('MPE_Draw_points')
    call MPE_Draw_line(graph, x, 100, x + 30, 100, MPE_GREEN, ierr); call check('MPE_Draw_line')
    call MPE_Draw_circle(graph, x + 20, 130, 20, MPE_RED, ierr); call check('MPE_Draw_circle')
    call MPE_Fill_circle(graph, x + 20, 180, 20, MPE_BLUE, ierr); call check('MPE_Fill_circle')
    call MPE_Draw_string(graph, x, 230, MPE_BLACK, 'Word   ', ierr); call check('MPE_Draw_string')
    call MPE_Draw_logic(graph, 3, ierr); call check('MPE_Draw_logic')
    call MPE_Line_thickness(graph, 5, ierr); call check('MPE_Line_thickness')
    call MPE_Draw_dashes(graph, 1, ierr); call check('MPE_Draw_dashes')
    call MPE_Dash_offset(graph, 1, ierr); call check('MPE_Dash_offset')
    call MPE_Num_colors(graph, count, ierr); call check('MPE_Num_colors')
    if (count /= 16) print *, 'colours', count
    call MPE_Make_color_array(graph, 6, colours, ierr); call check('MPE_Make_color_array')
    call MPE_Fill_rectangle(graph, x, 250, 20, 20, colours(3), ierr); call check('a colour of the array')
    call MPE_Add_RGB_color(graph, 4608, 13312, 22016, extra, ierr); call check('MPE_Add_RGB_color')
    call MPE_Fill_rectangle(graph, x + 20, 250, 20, 20, extra, ierr); call check('an added colour')
    call MPE_Iget_mouse_press(graph, x, y, button, pressed, ierr); call check('MPE_Iget_mouse_press')
    if (pressed /= 0) print *, 'pressed', x, y, button
    if (rank == 0) then
        call MPE_CaptureFile(graph, 'fortran  ', 1, ierr); call check('MPE_CaptureFile')
    end if
    call MPE_Update(graph, ierr); call check('MPE_Update')
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    if (rank == 0) then
        open (7, file='drawn'); close (7)
        is_seen = .false.
        do while (.not. is_seen)
            inquire (file='seen', exist=is_seen)
            ignored = MPI_Wtime()
        end do
    end if
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call MPE_Close_graphics(graph, ierr); call check('MPE_Close_graphics')
    if (graph /= 0) print *, 'the handle stays', graph
    call MPE_Draw_point(graph, 1, 1, MPE_RED, ierr)
    if (ierr /= MPE_ERR_NOXCONNECT) print *, 'drawing in a closed window', ierr
    call MPI_Finalize(ierr)
contains
    subroutine check(what)
        character(len=*), intent(in) :: what
        if (ierr /= MPE_SUCCESS) print *, rank, what, ierr
        ierr = -9
    end subroutine
end program
