# functions.tcl - takes the picture of the guided tour that shows functions of samples. It runs in a viewer's window
# with the log "samples", which samples.awk makes.
source [file join [file dirname [info script]] camera.tcl]

fresh
hide pith:*
size 1180 420
zoom 10ms 46ms
unfold_rows 0
settle
picture functions
quit
