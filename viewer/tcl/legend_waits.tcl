# legend_waits.tcl - the waiting of calls and the waiting that states cause, for the rows and the time of the window, as the
# legend shows them. They come from an analysis of that time, a job, which takes a while in a long log.

oo::class create ::pith::LegendWaits {
    superclass ::pith::LegendJob
    variable rows     ;# a LegendRows, which gets the sums
    variable on       ;# of the job

    constructor {its_model its_rows script} {
        set rows $its_rows
        next $its_model waitingjob [list $rows set_waits] $script
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
