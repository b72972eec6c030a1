# menus.tcl - the menu bar and the row of buttons of a window: its own entries, and those of the parts (part.tcl).
#
# A menu: text, script, key, in turns; "-" is a line. The parts' entries come behind `head`, before `tail`.

namespace eval ::pith::menus {
    variable head {
        Log {"Open..." choose_log Ctrl-O  "Open recent" recent {}}
        View {"Show all" fit f  "From MPI_Init to MPI_Finalize" work i  "Zoom in" in +  "Zoom out" out -
              "Zoom to the selection" zoom_chosen z  "Select nothing" {select none} Esc
              - - -  "Back" undo u  "Forth" redo r
              - - -  "Messages" toggle_arrows m  "Show everything hidden" {show *} H}
        Rows {}
        Search {}
        Statistics {}
        Window {"Animation" anim {}}
        Help {"Keys" show_keys ?}
    }
    variable tail {
        Log {- - -  "Close" close Ctrl-W  "Quit" quit Ctrl-Q}
    }
    variable buttons {
        fit "Fit" fit {show all}
        in "+" in {zoom in}
        out "\u2212" out {zoom out}
        left "\u25c0" {pan -0.5} {move left}
        right "\u25b6" {pan 0.5} {move right}
        line1 - {} {}
        undo "Back" undo {to the window before}
        redo "Forth" redo {and forth again}
        line2 - {} {}
        work "Init\u2013Finalize" work {from MPI_Init to MPI_Finalize}
        arrows "Messages" toggle_arrows {messages on and off}
    }
    variable last_buttons {keys "?" show_keys {the keys}}
}

proc ::pith::menus::rows {} {
    variable head
    variable tail
    return [list {*}$head {*}[::pith::part::rows menus {}] {*}$tail]
}

# The bar alone, as it is seen; nobody opens a menu before there is a picture.
proc ::pith::menus::build_bar {top} {
    set bar [menu $top.menu -tearoff 0]
    set labels {}
    foreach {label entries} [rows] {
        if {$label ni $labels} {
            lappend labels $label
            $bar add cascade -label $label -underline 0 -menu $bar.[string tolower $label]
        }
    }
    $top configure -menu $bar
}

# Its menus. `object` acts; its method fill_recent fills the menu of logs opened last.
proc ::pith::menus::fill {top object} {
    foreach {label entries} [rows] {
        set menu $top.menu.[string tolower $label]
        if {![winfo exists $menu]} {
            menu $menu -tearoff 0
        }
        foreach {text script key} $entries {
            add $menu $text $script $key $object
        }
    }
}

proc ::pith::menus::add {menu text script key object} {
    if {$text eq "-"} {
        if {[$menu index end] ni {none {}}} {
            $menu add separator
        }
    } elseif {$script eq "recent"} {
        $menu add cascade -label $text \
            -menu [menu $menu.recent -tearoff 0 -postcommand [list $object fill_recent $menu.recent]]
    } else {
        $menu add command -label $text -accelerator $key -command [list $object act $script]
    }
}

proc ::pith::menus::build_buttons {tools object} {
    variable buttons
    variable last_buttons
    foreach {name text script help} [list {*}$buttons {*}[::pith::part::rows buttons {}] {*}$last_buttons] {
        if {$text eq "-"} {
            ttk::separator $tools.$name -orient vertical
            pack $tools.$name -side left -padx 5 -pady 2 -fill y
            continue
        }
        ttk::button $tools.$name -text [subst -nocommands -novariables $text] -style Toolbutton -takefocus 0 \
            -command [list $object act $script]
        bind $tools.$name <Enter> +[list $object say $help]
        bind $tools.$name <Leave> +[list $object say_no_more]
        pack $tools.$name -side left -padx 1
    }
}
