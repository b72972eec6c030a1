# functions.tcl - takes the picture of the functions of samples, in a window of the log "samples" (samples.awk).
source [file join [file dirname [info script]] camera.tcl]

fresh
hide pith:*
size 1180 420
zoom 10ms 46ms
unfold_rows 0
settle
picture functions
quit
