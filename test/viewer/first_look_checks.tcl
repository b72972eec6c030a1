# first_look_checks.tcl - the first look at the log of wait_log.sh, with real keys; runs in its window, which no script
# has changed.

source [file join [file dirname [info script]] window_tap.tcl]
source [file join [file dirname [info script]] hands.tcl]

is [status] "shown from MPI_Init to MPI_Finalize; f shows the whole log" "the status line says which part is shown, and how to see the rest"
sync
is [window] {0.100000000 0.980000000} "the work: from the last end of MPI_Init to the last begin of MPI_Finalize"
shot first.png
raise $top
hand [onto $plot] "key f"
is [window] {0.000000000 1.000000001} "f shows the whole log"
hand "key i"
is [window] {0.100000000 0.980000000} "i the work again"
hand "key f"
reload
sync
is [window] {0.000000000 1.000000001} "a log that is read again keeps the whole"
zoom 0.1 0.98
reload
sync
is [window] {0.100000000 0.980000000} "or the work"
done
