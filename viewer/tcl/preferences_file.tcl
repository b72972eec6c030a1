# preferences_file.tcl - the file of preferences, ${XDG_CONFIG_HOME:-~/.config}/pith/view.conf: lines `key value`, lines
# that begin with # are comments. Comments and lines that are not understood stay as they are. Several programs may
# change the file: each changes only its own keys in the file as it is then, one after the other.

namespace eval ::pith::preferences {
    variable said {} ;# what is wrong with the file, each said once
}

proc ::pith::preferences::folder {} {
    if {[info exists ::env(XDG_CONFIG_HOME)] && [file pathtype $::env(XDG_CONFIG_HOME)] eq "absolute"} {
        return [file join $::env(XDG_CONFIG_HOME) pith]
    }
    set home [expr {[info exists ::env(HOME)] ? $::env(HOME) : "/nowhere"}]
    return [file join $home .config pith]
}

proc ::pith::preferences::path {} {
    return [file join [folder] view.conf]
}

proc ::pith::preferences::say {text} {
    variable said
    if {$text ni $said} {
        lappend said $text
        puts stderr "pith: $text"
    }
}

# A file of text as a list of lines; none if it is not there.
proc ::pith::preferences::lines_of {path} {
    if {![file exists $path]} {
        return {}
    }
    set channel [open $path r]
    try {
        fconfigure $channel -encoding utf-8
        set text [read $channel]
    } finally {
        close $channel
    }
    return [split [string trimright $text \n] \n]
}

# A dict of the keys in the file. What is damaged is said; the rest is used.
proc ::pith::preferences::read_file {} {
    set path [path]
    set stored {}
    set number 0
    if {[catch {lines_of $path} lines]} {
        say "$path: $lines; the defaults are used"
        return {}
    }
    foreach line $lines {
        incr number
        if {[regexp {^\s*(#|$)} $line]} {
            continue
        }
        regexp {^\s*(\S+)\s*(.*?)\s*$} $line -> key value
        if {$key ni [keys]} {
            say "$path: line $number: no such preference: $key; it is kept"
        } elseif {[catch {check $key $value} value]} {
            say "$path: line $number: $value; the default is used"
        } else {
            dict set stored $key $value
        }
    }
    return $stored
}

# A new file tells of all keys; those that nobody has changed stand in comments.
proc ::pith::preferences::new_lines {} {
    set lines [list "# What `pith view` goes by; see pith-view(1). A line is a key and its value." {}]
    foreach key [keys] {
        lappend lines {*}[comment_lines $key] "#$key [dict get [row $key] default]" {}
    }
    return [lrange $lines 0 end-1]
}

proc ::pith::preferences::comment_lines {key} {
    return [list "# [dict get [row $key] help] ([range_text $key])"]
}

# The line of a key: its last one, else the one that shows its default in a comment, else -1.
proc ::pith::preferences::line_of {key lines} {
    set found [lsearch -all -regexp $lines "^\\s*$key\\s"]
    if {$found eq {}} {
        set found [lsearch -all -regexp $lines "^#$key\\s"]
    }
    return [expr {$found eq {} ? -1 : [lindex $found end]}]
}

proc ::pith::preferences::merge {lines changes} {
    if {$lines eq {}} {
        set lines [new_lines]
    }
    dict for {key value} $changes {
        set at [line_of $key $lines]
        if {$at < 0} {
            lappend lines {} {*}[comment_lines $key] "$key $value"
        } else {
            lset lines $at "$key $value"
        }
    }
    return $lines
}

# Stores the keys of `changes`. Fails with {PITH IO}.
proc ::pith::preferences::write_file {changes} {
    change_file [path] [list ::pith::preferences::merge_into $changes]
}
proc ::pith::preferences::merge_into {changes lines} {
    return [merge $lines $changes]
}

# Where a link leads: the file behind it is replaced, not the link.
proc ::pith::preferences::target {path} {
    for {set i 0} {$i < 20 && [file type $path] eq "link"} {incr i} {
        set path [file join [file dirname $path] [file readlink $path]]
    }
    return $path
}

# A file of text, changed as a whole while no other program does: `{*}$change LINES` gives the new lines.
proc ::pith::preferences::change_file {path change} {
    try {
        file mkdir [file dirname $path]
        if {![catch {target $path} behind]} {
            set path $behind
        }
        set lock [take_lock $path.lock]
        try {
            set channel [open $path.new w]
            fconfigure $channel -encoding utf-8
            foreach line [{*}$change [lines_of $path]] {
                puts $channel $line
            }
            close $channel
            file rename -force $path.new $path
        } finally {
            file delete $lock
        }
    } on error {text} {
        return -code error -errorcode {PITH IO} "$path: cannot be saved: $text"
    }
}

# Held for some milliseconds; one that is left by a program that died goes after three seconds.
proc ::pith::preferences::take_lock {lock} {
    set begun [clock milliseconds]
    while {[catch {close [open $lock {WRONLY CREAT EXCL}]} text]} {
        if {[clock milliseconds] - $begun > 5000 || ![file exists $lock] && ![file writable [file dirname $lock]]} {
            error $text
        }
        if {![catch {file mtime $lock} since] && [clock seconds] - $since > 3} {
            file delete $lock
        }
        after 5
    }
    return $lock
}
