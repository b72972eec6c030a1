# core_waits.tcl - hatches the time in which threads could run but had no core. The operating system counts this time,
# and a log has these counters only if it was recorded with PITH_COUNTERS=run-delay. A job reads the counters when the
# hatching is first shown.

oo::class create ::pith::CoreWaits {
    variable window model
    variable shown   ;# 1: the time without a core is hatched
    variable job     ;# the job that reads the counters; {}: none
    variable known   ;# 1: the counters are read

    constructor {its_window} {
        set window $its_window
        set model [$window model]
        set shown [::pith::preferences::get core_waits]
        set job {}
        set known 0
        $model follow [list [self] changed]
        ::pith::preferences::follow core_waits [list [self] preferred]
    }

    destructor {
        ::pith::preferences::unfollow core_waits [list [self] preferred]
        my stop
    }

    method preferred {key} { my set_shown [::pith::preferences::get $key] }

    method stop {} {
        if {$job ne {}} {
            $job stop
        }
        set job {}
        set known 0
    }

    # Called after the first picture. Reads the counters of a small log. The counters of a large log are read only when
    # the user shows the hatching.
    method finish {} {
        [$model log] showcorewaits $shown
        if {$shown && [$model info records] <= $::pith::Waiting::most_records} {
            my start
        }
    }

    method changed {what} {
        if {$what eq "log"} {
            my stop
            my finish
        }
    }

    method start {} {
        if {$job eq {} && !$known && [[$model log] corewaits]} {
            set job [[$model log] corewaits [list [self] event]]
        }
    }

    method event {how {value {}}} {
        if {$how eq "progress"} {
            return
        }
        set job {}
        set known [expr {$how eq "done"}]
        if {$how in {done failed} && $value ne {}} {
            $model set_trouble $value
        }
        $model notify hidden
    }

    method is_shown {} { expr {$shown && $known} }

    method word_core_waits {word} {
        if {$word eq "toggle"} {
            set word [expr {!$shown || !$known && $job eq {}}]
        }
        if {![string is boolean -strict $word]} {
            throw {PITH USAGE} "core_waits: must be on or off"
        }
        my set_shown [expr {!!$word}]
        if {$shown && ![[$model log] corewaits]} {
            $window say "the log does not tell when threads had no core; record with PITH_COUNTERS=run-delay"
        }
    }

    method set_shown {on} {
        set shown $on
        [$model log] showcorewaits $shown
        if {$shown} {
            my start
        }
        $model notify hidden
    }

    # Script commands for `pith draw`. A picture that the user saves (export.tcl) thereby gets the same hatching as the
    # window.
    method words {} { expr {$shown && $known ? {{core_waits on}} : {}} }

    method flush {} {
        while {[info object isa object [self]] && $job ne {}} {
            vwait [my varname job]
        }
        [$window timeline] flush
    }
}

::pith::part::add CoreWaits {
    words {core_waits {on|off} {hatch the time in which threads could run but had no core} word_core_waits}
    menus {View {"Without a core" {core_waits toggle} {}}}
}
