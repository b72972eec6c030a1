# goto.tcl - times as people say them: "1.5", "20ms 30ms", "20 ms to 30 ms", "last 10 ms", "first 5 us", "+2 ms".

oo::class create ::pith::Goto {
    variable model

    constructor {window} {
        set model [$window model]
    }

    # "20 ms" -> 20ms
    method joined {text} {
        return [regsub -all -nocase {([0-9.])\s+(ns|us|ms|s)(?![a-z])} $text {\1\2}]
    }

    method word_goto {args} {
        set text [my joined [string trim [join $args]]]
        lassign [$model window] t0 t1
        lassign [$model whole] first last
        set time {[0-9.]+(?:e[-+]?[0-9]+)?(?:ns|us|ms|s)?}
        switch -regexp -matchvar part -nocase -- $text [list \
            "^last\\s+($time)\$" { $model zoom [expr {$last - [my time $part]}] $last } \
            "^first\\s+($time)\$" { $model zoom $first [expr {$first + [my time $part]}] } \
            "^(\[-+])\\s*($time)\$" {
                set by [expr "[lindex $part 1][my time [list {} [lindex $part 2]]]"]
                $model zoom [expr {$t0 + $by}] [expr {$t1 + $by}]
            } \
            "^($time)\$" {
                set half [expr {($t1 - $t0) / 2}]
                set at [my time $part]
                $model zoom [expr {$at - $half}] [expr {$at + $half}]
            } \
            "^($time)(?:\\s+to\\s+|\\s*-\\s*|\\s+)($time)\$" {
                my go_between {*}[lrange $part 1 2]
            } \
            default {
                return -code error -errorcode {PITH USAGE} \
                    "goto: a time such as 1.5, 20ms 30ms, last 10 ms, first 5 us or +2 ms is needed"
            }]
        return
    }

    method time {part} {
        return [::pith::words::time [string tolower [lindex $part 1]]]
    }

    # "2-6ms": the unit is said once.
    method go_between {from to} {
        if {[string is double -strict $from] && [regexp {[a-z]+$} $to unit]} {
            append from $unit
        }
        set from [::pith::words::time [string tolower $from]]
        set to [::pith::words::time [string tolower $to]]
        if {$from >= $to} {
            return -code error -errorcode {PITH USAGE} "goto: must end after it begins"
        }
        $model zoom $from $to
    }
}

::pith::part::add Goto {
    words {goto {TIME | FROM TO | last TIME | first TIME | +TIME} {show what is there; a single time comes into the middle} word_goto}
}
