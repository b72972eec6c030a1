# shots.tcl - takes the pictures of the guided tour. viewer/tour/shoot runs it in a viewer's window with the log
# "before"; the current folder is that of the pictures. Before each picture, `fresh` sets all options back and shows the
# time between MPI_Init and MPI_Finalize.

source [file join [file dirname [info script]] camera.tcl]

fresh
arrows off
picture window

fresh
zoom 85ms 125ms
picture zoom

fresh
zoom 85ms 125ms
choose 98.6ms 8
message next
details
settle
picture_of $top.details details 600 290
details

fresh
zoom 85ms 125ms
arrows off
waits on
critical_path on
findings on
settle
choose 106ms 10
picture waiting

fresh
zoom 85ms 125ms
select 86ms 110ms
settle
set book $top.panes.selection.body.book
$book select 1
picture selection
$book select 0

fresh
zoom 85ms 125ms
arrows off
group none
sort exclusive MPI_Waitall rising
picture sorted

fresh
zoom 85ms 125ms
ranges on
picture ranges
ranges off

fresh
zoom 40ms 140ms
arrows off
derive time(MPI_Waitall)
settle
picture derived
derive off

fresh
lengths compute
picture_of $top.lengths lengths 720 420
lengths as time
picture_of $top.lengths overtime 720 420
lengths as bars

fresh
zoom 85ms 125ms
matrix late_sender
picture_of $top.matrix matrix 700 540

fresh
zoom 85ms 125ms
calltree
picture_of $top.calltree calltree 600 300

fresh
zoom 40ms 140ms
arrows off
[$window part Search] open
find "refine*"
picture found
[$window part Search] close

fresh
collapse
size 1180 420
picture hosts

fresh
size 1180 560
beside after.pith
arrows off
picture beside
beside none

fresh
theme dark
zoom 85ms 125ms
picture dark
theme light

fresh
zoom 85ms 125ms
save page.html
quit
