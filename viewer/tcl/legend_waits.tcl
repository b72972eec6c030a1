# legend_waits.tcl - the waiting of calls and the waiting that states cause, for the rows and the time of the window, as the
# legend shows them. They come from an analysis of that time, a job, which takes a while in a long log.

oo::class create ::pith::LegendWaits {
    variable model
    variable rows     ;# a LegendRows, which gets the sums
    variable changed  ;# script called after that
    variable on       ;# 1: shown
    variable job      ;# command of the job; {} none
    variable sums_of  ;# window of the sums; {} none

    constructor {its_model its_rows script} {
        set model $its_model
        set rows $its_rows
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
            set job [[$model log] waitingjob {*}$now [list [self] event $now]]
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
        $rows set_waits {}
    }

    # Results for an old window are dropped.
    method event {window what {value {}}} {
        if {$job eq {} || $window ne [$model window] || $what in {progress stopped}} {
            return
        }
        set job {}
        set sums_of $window
        $rows set_waits [expr {$what eq "done" ? $value : {}}]
        {*}$changed
    }

    # Waits for the sums of the time shown.
    method finish {} {
        my start
        while {[info object isa object [self]] && $job ne {}} {
            vwait [my varname job]
        }
    }

    # The cells waiting and caused of an item, of a sum; empty for 0; {} if they are not shown.
    method texts {item} {
        return [my sum_texts [dict create waiting [$rows wait $item waiting] caused [$rows wait $item caused]]]
    }

    method sum_texts {sum} {
        if {!$on} {
            return
        }
        return [lmap what {waiting caused} {
            expr {[dict get $sum $what] > 0 ? [::pithtk::duration [dict get $sum $what]] : {}}
        }]
    }
}
