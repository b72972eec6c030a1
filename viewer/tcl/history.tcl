# history.tcl - undo and redo of changes of a view, part by part. A subclass (Model) has the methods
#
#     current WHAT         the value of a part: time, rows, hidden, arrows, messages, notes
#     apply WHAT VALUE     sets it, without a call of `push`
#
# and calls `push WHAT` before it changes a part, and `forget_past` when it is made. Another object may have a part: it calls
# `share WHAT [self]`, and has the methods `current` and `apply VALUE`.

oo::class create ::pith::History {
    variable past future ;# stacks of {what value} for undo and redo
    variable pushed      ;# {what ms} of the last push
    variable owners      ;# array: part -> the object that has it, if not this one

    # Saves a part of the view for undo; what follows within 0.6 s is one change of it.
    method push {what} {
        set now [clock milliseconds]
        lassign $pushed before ms
        if {$what ne $before || $now - $ms > 600} {
            lappend past [list $what [my value_of $what]]
            set past [lrange $past end-99 end]
            set future {}
        }
        set pushed [list $what $now]
    }

    # The same for a change that is undone alone.
    method push_alone {what} {
        set pushed {{} 0}
        my push $what
        set pushed {{} 0}
    }

    method undo {} { my take_back past future }
    method redo {} { my take_back future past }

    # Applies a part of the view from one stack, and saves the current one on the other. Skips what would change nothing:
    # a command that was refused.
    method take_back {from to} {
        set pushed {{} 0}
        while {[set $from] ne {}} {
            lassign [lindex [set $from] end] what value
            set $from [lrange [set $from] 0 end-1]
            set now [my value_of $what]
            if {$value ne $now} {
                lappend $to [list $what $now]
                my give $what $value
                return
            }
        }
    }

    method share {what object} { set owners($what) $object }

    method value_of {what} {
        if {[info exists owners($what)]} {
            return [$owners($what) current]
        }
        return [my current $what]
    }

    method give {what value} {
        if {[info exists owners($what)]} {
            $owners($what) apply $value
        } else {
            my apply $what $value
        }
    }

    # Each saved value of a part becomes what the command CHANGE makes of it.
    method revise_past {what change} {
        foreach stack {past future} {
            set $stack [lmap saved [set $stack] {
                lassign $saved its_what value
                expr {$its_what eq $what ? [list $what [{*}$change $value]] : $saved}
            }]
        }
    }

    # Forgets all changes, or those of one part.
    method forget_past {{what {}}} {
        foreach stack {past future} {
            set $stack [expr {$what eq {} ? {} : [lsearch -all -inline -not -exact -index 0 [set $stack] $what]}]
        }
        set pushed {{} 0}
    }
}
