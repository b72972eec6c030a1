# monkey_checks.tcl - random events (monkey.py) for a window of any log; runs in it. SEED and EVENTS are variables of
# the environment. None may end in an internal error, and the window must still draw.

source [file join [file dirname [info script]] window_tap.tcl]

# What ends the window, waits for a person, or writes files of any name is left out.
proc ::pith::quit {} {}
oo::define ::pith::Window method close_now {} {}
rename ::exit ::real_exit
proc ::exit {args} {}
foreach command {tk_getOpenFile tk_getSaveFile tk_chooseDirectory tk_chooseColor tk_messageBox} {
    catch {rename ::$command {}}
    proc ::$command {args} { return {} }
}
set troubles {}
set seen 0
set over {}
proc trouble {text options} {
    variable troubles
    variable seen
    if {[lindex [dict get $options -errorcode] 0] ne "PITH"} {
        lappend troubles $text
        puts "# after $seen events: [string map {\n "\n# "} [dict get $options -errorinfo]]"
        flush stdout
    }
    ::pith::trouble::background $text $options
}
interp bgerror {} [namespace current]::trouble
proc heard {monkey} {
    variable seen
    variable over
    if {[gets $monkey line] < 0} {
        set over died
        fileevent $monkey readable {}
    } elseif {$line eq "end"} {
        set over end
        fileevent $monkey readable {} ;# its end is always readable: an `update` of a key would go on for ever
    } else {
        set seen $line
        ::puts $monkey go
    }
}

# Where the window is if it takes no event for 30 s; the checks end there.
proc watch {before} {
    variable seen
    variable watching
    if {$seen eq $before} {
        puts "# no event since the one after $seen; focus [focus], grab [grab current]; commands that run:"
        for {set i 1} {$i < [info frame]} {incr i} {
            puts "#   [string range [string map {\n " "} [dict get [info frame $i] cmd]] 0 200]"
        }
        ok 0 "the window takes events"
        flush stdout
        ::real_exit 1
    }
    set watching [after 30000 [list [namespace current]::watch $seen]]
}

sync
focus -force $plot
watch none
set monkey [::open "|python3 [list [file join [file dirname [info script]] monkey.py] $::env(SEED) $::env(EVENTS)]" r+]
fconfigure $monkey -buffering line
fileevent $monkey readable [list [namespace current]::heard $monkey]
while {$over eq {}} {
    vwait [namespace current]::over
}
::close $monkey
after cancel $watching
is $over end "$::env(EVENTS) random events, seed $::env(SEED)"
is $troubles {} "none ends in an internal error"
set alive [winfo exists $plot]
ok $alive "the window is there"
if {$alive} {
    foreach child [winfo children $top] {
        if {[winfo exists $child] && [winfo toplevel $child] eq $child && [winfo class $child] eq "Toplevel"} {
            destroy $child
        }
    }
    catch {grab release [grab current $top]}
    rows
    fit
    sync
    set before [window]
    # A menu that is still posted takes the keys; the server gives the focus a little later.
    catch {::tk::MenuUnpost {}}
    for {set tries 0} {[focus] ne $plot && $tries < 1000} {incr tries} {
        focus -force $plot
        winfo pointerxy $plot ;# waits for the server
        update
    }
    event generate $plot <plus>
    sync
    ok [expr {[window] ne $before}] "and does what a key says"
}
rename ::exit {}
rename ::real_exit ::exit
proc ::pith::quit {} { exit 0 }
done
