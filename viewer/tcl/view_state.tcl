# view_state.tcl - remembers the last view of each log (time, rows, hidden states, bookmarks, the window's size and
# place), and the list of recent logs. Each view is a file in ${XDG_STATE_HOME:-~/.local/state}/pith; it is written when
# the window closes, and read when the log is opened again.
#
# A file has lines `key value`, each a Tcl list; nothing in it is executed. A part (commands.tcl) can save more: its
# method `state` returns a text, and its method `restore` gets this text when the view is restored.

namespace eval ::pith::state {
    variable restores 1 ;# 0: reads nothing (-e, --fresh, or the preference `remember`)
    variable saves 1    ;# 0: writes nothing
    variable most 200   ;# most files that are kept; older ones are deleted
    variable most_recent 12
}

proc ::pith::state::folder {} { return [::pith::user_folder XDG_STATE_HOME .local/state] }

# The file for the view of a log. Its name consists of the log's name, so that people find it, and a checksum of the
# log's path, so that logs with the same name have different files.
proc ::pith::state::path {log} {
    set log [encoding convertto utf-8 [file normalize $log]]
    set name [regsub -all {[^A-Za-z0-9._-]} [file tail $log] _]
    return [file join [folder] [string range $name 0 60]-[format %08x [zlib crc32 $log]].view]
}

# Parses lines of a key and a value into a dict. Throws {PITH STATE} if a line has another form.
proc ::pith::state::parse {text} {
    set dict {}
    foreach line [split [string trimright $text \n] \n] {
        if {![string is list $line] || [llength $line] != 2} {
            throw {PITH STATE} "not lines of a key and a value"
        }
        dict set dict {*}$line
    }
    return $dict
}

proc ::pith::state::read {path} {
    if {![file exists $path]} {
        return {}
    }
    try {
        return [parse [::pith::files::read $path]]
    } on error {text} {
        ::pith::preferences::say "$path: $text; it is not used"
        return {}
    }
}

# Writes the file. Ignores errors, because a view that is not remembered does little harm; on an error, the old file
# stays as it was.
proc ::pith::state::write {path dict} {
    catch {
        file mkdir [file dirname $path]
        set text {}
        # Line breaks become spaces, so that each key has one line.
        dict for {key value} $dict {
            append text [string map {\n { }} [list $key $value]] \n
        }
        ::pith::files::write $path $text
    }
}

proc ::pith::state::prune {} {
    variable most
    set files [lmap file [glob -nocomplain -directory [folder] *.view] {list [file mtime $file] $file}]
    foreach entry [lrange [lsort -integer -decreasing -index 0 $files] $most end] {
        file delete [lindex $entry 1]
    }
}

# ---- Recent logs

proc ::pith::state::recent {} {
    set file [read [file join [folder] recent]]
    return [expr {[dict exists $file logs] && [string is list [dict get $file logs]] ? [dict get $file logs] : {}}]
}

proc ::pith::state::opened {log} {
    variable saves
    variable most_recent
    if {$saves} {
        set log [file normalize $log]
        set logs [list $log {*}[lsearch -all -inline -not -exact [recent] $log]]
        write [file join [folder] recent] [dict create logs [lrange $logs 0 $most_recent-1]]
    }
}

# ---- The part

oo::class create ::pith::ViewState {
    variable window model
    variable top_row   ;# first row to be shown once all rows are known; {}: none

    constructor {its_window} {
        set window $its_window
        set model [$window model]
        set top_row {}
        $model follow [list [self] changed]
    }

    # Returns facts that tell this log apart from the log of another run at the same path.
    method identity {} {
        return [list [$model info records] {*}[$model whole]]
    }

    # Scrolls to the saved top row only when the digest has been read, because rows of counters do not exist before
    # that.
    method changed {what} {
        if {$what eq "digest" && $top_row ne {}} {
            set row $top_row
            set top_row {}
            after idle [list catch [list [$window timeline] scroll_to $row]]
        }
    }

    method parts_with_state {} {
        set found {}
        dict for {class part} [$window parts] {
            set methods [info object methods $part -all]
            if {"state" in $methods && "restore" in $methods} {
                lappend found $class $part
            }
        }
        return $found
    }

    method save {} {
        if {!$::pith::state::saves || ![::pith::preferences::get remember]} {
            return
        }
        set path [$model path]
        set dict [dict create version 1 log [file normalize $path] identity [my identity] time [$model window] \
            top [$model first_row] height [list [$model row_height] [$model auto_height]] arrows [$model arrows_way] \
            hidden [$model names [$model hidden]] selection [$model selection] \
            geometry [wm geometry [$window top]]]
        dict set dict rows [$model tree state]
        set looks [$window part Looks]
        dict set dict panes [concat {*}[lmap pane {legend overview toolbar} {list $pane [$looks has_part $pane]}]]
        foreach {class part} [my parts_with_state] {
            dict set dict part.$class [$part state]
        }
        ::pith::state::write [::pith::state::path $path] $dict
        ::pith::state::prune
    }

    # Restores the saved view of this log, and returns 1. Returns 0 if there is none that can be used.
    method restore_view {} {
        if {!$::pith::state::restores || ![::pith::preferences::get remember]} {
            return 0
        }
        set path [::pith::state::path [$model path]]
        set saved [::pith::state::read $path]
        if {$saved eq {}} {
            return 0
        }
        if {![dict exists $saved version] || [dict get $saved version] ne "1"} {
            ::pith::preferences::say "$path: of another version; not used"
            return 0
        }
        if {![dict exists $saved identity] || [dict get $saved identity] ne [my identity]} {
            return 0
        }
        dict for {key value} $saved {
            # If the value of a key is invalid, prints a warning and goes on with the next key.
            try {
                switch -glob $key {
                    time { $model set_window {*}$value }
                    top { set top_row [expr {int($value)}] }
                    height { if {![lindex $value 1]} { $model set_row_height [lindex $value 0] } }
                    arrows { $model set_arrows $value }
                    hidden { $model set_hidden [$model ids_named $value] }
                    selection { $model set_selection $value }
                    rows { $model arrange set_state $value }
                    geometry { my restore_geometry $value }
                    panes { dict for {pane on} $value { [$window part Looks] show_part $pane [expr {!!$on}] } }
                    part.* { my restore_part [string range $key 5 end] $value }
                }
            } on error {text} {
                ::pith::preferences::say "$path: $key: $text; it is not used"
            }
        }
        $model forget_past
        return 1
    }

    method restore_part {class value} {
        set parts [my parts_with_state]
        if {[dict exists $parts $class]} {
            [dict get $parts $class] restore $value
        }
    }

    # Restores the size and place of the window, if the window would then be on the screen.
    method restore_geometry {geometry} {
        if {[regexp {^(\d+)x(\d+)([-+]\d+)([-+]\d+)$} $geometry -> w h x y] && $w <= [winfo screenwidth .] &&
            $h <= [winfo screenheight .] && abs($x) < [winfo screenwidth .] && abs($y) < [winfo screenheight .]} {
            wm geometry [$window top] $geometry
        }
    }

    method word_forget_view {} {
        file delete [::pith::state::path [$model path]]
        $window say "the view of this log is forgotten; it opens as a new one next time"
    }
}

::pith::part::add ViewState {
    words {forget_view {} {forget the saved view of this log} word_forget_view}
}
