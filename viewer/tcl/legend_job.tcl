# legend_job.tcl - a job for figures of the legend that take a while, for the rows and the time of the window.

oo::class create ::pith::LegendJob {
    variable model
    variable method   ;# of the log, which starts the job
    variable set      ;# command that gets its result; {} none
    variable changed  ;# script called after that
    variable on       ;# 1: shown
    variable job      ;# command of the job; {} none
    variable sums_of  ;# window of the result; {} none

    constructor {its_model its_method its_set script} {
        set model $its_model
        set method $its_method
        set set $its_set
        set changed $script
        set on 0
        lassign {} job sums_of
    }

    destructor {
        my stop
    }

    method is_on {} { return $on }

    method set_on {its_on} {
        set on $its_on
        if {$on} {
            my start
        } else {
            my drop
        }
    }

    method start {} {
        set now [$model window]
        if {$on && $sums_of ne $now && $job eq {}} {
            set job [[$model log] $method {*}$now [list [self] event $now]]
        }
    }

    method stop {} {
        if {$job ne {}} {
            set old $job
            set job {}
            $old stop
        }
    }

    # The sums are to be made anew.
    method renew {} { set sums_of {} }

    method drop {} {
        my stop
        my renew
        {*}$set {}
    }

    # Results for an old window are dropped.
    method event {window what {value {}}} {
        if {$job eq {} || $window ne [$model window] || $what in {progress stopped}} {
            return
        }
        set job {}
        set sums_of $window
        {*}$set [expr {$what eq "done" ? $value : {}}]
        {*}$changed
    }

    # Waits for the sums of the time shown.
    method finish {} {
        my start
        while {[info object isa object [self]] && $job ne {}} {
            vwait [my varname job]
        }
    }
}
