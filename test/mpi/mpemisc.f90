! mpemisc.f90 - those of MPE's calls that have nothing to do with logs which Fortran has. Prints what is not as it should be.
program mpemisc
    use mpi
    implicit none
    integer :: rank, size, ierr, first, last, handle, n, x, y, button, colours(3), global, points(3)

    call MPI_Init(ierr)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
    call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
    call MPE_Decomp1d(10, 3, 1, first, last)
    if (first /= 5 .or. last /= 7) print *, 'MPE_Decomp1d', first, last
    call MPE_Seq_begin(MPI_COMM_WORLD, 1)
    call MPE_Seq_end(MPI_COMM_WORLD, 1)
    call MPE_Comm_global_rank(MPI_COMM_WORLD, rank, global)
    if (global /= rank) print *, 'MPE_Comm_global_rank', global
    handle = 7
    call MPE_Open_graphics(handle, MPI_COMM_WORLD, ' ', -1, -1, 100, 100, 0, ierr)
    if (ierr /= 1 .or. handle /= 0) print *, 'MPE_Open_graphics', ierr, handle
    call MPE_Draw_point(handle, 1, 1, 2, ierr); call check('MPE_Draw_point')
    call MPE_Draw_points(handle, points, 1, ierr); call check('MPE_Draw_points')
    call MPE_Draw_line(handle, 1, 1, 2, 2, 3, ierr); call check('MPE_Draw_line')
    call MPE_Draw_circle(handle, 1, 1, 2, 3, ierr); call check('MPE_Draw_circle')
    call MPE_Fill_circle(handle, 1, 1, 2, 3, ierr); call check('MPE_Fill_circle')
    call MPE_Fill_rectangle(handle, 1, 1, 2, 2, 3, ierr); call check('MPE_Fill_rectangle')
    call MPE_Draw_string(handle, 1, 1, 2, 'text', ierr); call check('MPE_Draw_string')
    call MPE_Draw_logic(handle, 6, ierr); call check('MPE_Draw_logic')
    call MPE_Line_thickness(handle, 2, ierr); call check('MPE_Line_thickness')
    call MPE_Draw_dashes(handle, 1, ierr); call check('MPE_Draw_dashes')
    call MPE_Dash_offset(handle, 1, ierr); call check('MPE_Dash_offset')
    call MPE_Update(handle, ierr); call check('MPE_Update')
    call MPE_CaptureFile(handle, 'picture', 1, ierr); call check('MPE_CaptureFile')
    n = 7; call MPE_Num_colors(handle, n, ierr); call check('MPE_Num_colors')
    if (n /= 0) print *, 'MPE_Num_colors', n
    colours = 7; call MPE_Make_color_array(handle, 3, colours, ierr); call check('MPE_Make_color_array')
    if (any(colours /= 0)) print *, 'MPE_Make_color_array', colours
    n = 7; call MPE_Add_RGB_color(handle, 1, 2, 3, n, ierr); call check('MPE_Add_RGB_color')
    if (n /= 0) print *, 'MPE_Add_RGB_color', n
    x = 7; call MPE_Get_mouse_press(handle, x, y, button, ierr); call check('MPE_Get_mouse_press')
    if (x /= 0 .or. y /= 0 .or. button /= 0) print *, 'MPE_Get_mouse_press', x, y, button
    n = 7; call MPE_Iget_mouse_press(handle, x, y, button, n, ierr); call check('MPE_Iget_mouse_press')
    if (n /= 0) print *, 'MPE_Iget_mouse_press', n
    call MPE_Close_graphics(handle, ierr); call check('MPE_Close_graphics')
    call MPI_Finalize(ierr)
contains
    subroutine check(what)
        character(len=*), intent(in) :: what
        if (ierr /= 1) print *, what, ierr
        ierr = -9
    end subroutine
end program
