# details.tcl - what is under a point of the time lines: state, event or message, in words; the card that shows it.

oo::class create ::pith::Details {
    variable model timeline
    variable plot     ;# the time lines' canvas

    constructor {its_timeline its_model} {
        set model $its_model
        set timeline $its_timeline
        set plot [$timeline plot]
    }

    # A dict: time; and, if there is something, kind, hit (as the core gave it) and lines {word value ...} for people.
    method what_is_at {x y} {
        set what [dict create time [$timeline time_at $x]]
        set row [$timeline row_at $y]
        if {$row < 0} {
            return $what
        }
        foreach kind {event arrow state} {
            set hit [my ${kind}_at $row $x $y]
            if {$hit ne {}} {
                return [dict merge $what [dict create kind $kind hit $hit lines [my ${kind}_lines $hit]]]
            }
        }
        return $what
    }

    # Events are drawn in the upper third of a row, and looked for there.
    method event_at {row x y} {
        if {int($y) % [$model row_height] > [$model row_height] * 0.4} {
            return {}
        }
        set reach [expr {max(1, [$timeline time_at 5] - [$timeline time_at 0])}]
        return [[$model log] eventat $row [$timeline time_at $x] $reach]
    }

    method arrow_at {row x y} {
        if {![$model arrows]} {
            return {}
        }
        # The core looks among the arrows of its last picture, which must be of this window.
        $timeline flush
        return [[$model log] arrowat $x $y]
    }

    method state_at {row x y} {
        set from [$timeline time_at $x]
        set to [expr {max($from + 1, [$timeline time_at [expr {$x + 1}]])}]
        return [[$model log] stateat $row $from $to [expr {int($y) % [$model row_height]}] [$model row_height]]
    }

    method place_of {hit} {
        set place "rank [dict get $hit rank]"
        if {[dict get $hit thread]} {
            append place " thread [dict get $hit thread]"
        }
        return $place
    }

    method state_lines {hit} {
        set start [dict get $hit start]
        set end [dict get $hit end]
        set fine [expr {max(1, ($end - $start) / 1000)}]
        set lines [list {} [dict get $hit name] on [my place_of $hit] from [::pithtk::time $start $fine] \
            to [::pithtk::time $end $fine] for [::pithtk::duration [expr {$end - $start}]]]
        if {![dict get $hit ended]} {
            lappend lines {} "(and longer)"
        }
        if {[dict get $hit depth]} {
            lappend lines depth [dict get $hit depth]
        }
        return $lines
    }

    method event_lines {hit} {
        set lines [list {} [dict get $hit name] on [my place_of $hit] at [::pithtk::time [dict get $hit start] 1]]
        if {[dict get $hit payload] ne {}} {
            lappend lines with [dict get $hit payload]
        }
        if {[dict get $hit count] > 1} {
            lappend lines {} "([expr {[dict get $hit count] - 1}] more near by)"
        }
        return $lines
    }

    method arrow_lines {hit} {
        set span [expr {[dict get $hit end] - [dict get $hit start]}]
        set lines [list {} message from "rank [dict get $hit from]" to "rank [dict get $hit to]" \
            size "[::pithtk::number [dict get $hit bytes]] bytes" tag [dict get $hit tag] \
            sent [::pithtk::time [dict get $hit start] 1] took [::pithtk::duration $span]]
        if {$span > 0 && [dict get $hit bytes]} {
            lappend lines rate [format {%.4g MB/s} [expr {[dict get $hit bytes] * 1e3 / $span}]]
        }
        return $lines
    }

    # ---- The card of details

    method open_card {x y} {
        my close_card
        set what [my what_is_at $x $y]
        if {![dict exists $what lines]} {
            return
        }
        set card [ttk::frame $plot.card -style Card.TFrame -padding {10 7}]
        set line 0
        foreach {word value} [dict get $what lines] {
            ttk::label $card.w$line -text $word -style CardFaint.TLabel
            ttk::label $card.v$line -text $value -style [expr {$line ? "Card.TLabel" : "CardBold.TLabel"}]
            if {$line} {
                grid $card.w$line $card.v$line -sticky w
                grid configure $card.w$line -padx {0 8}
            } else {
                grid $card.v$line -columnspan 2 -sticky w
            }
            incr line
        }
        update idletasks
        lassign [$timeline size] width height
        set left [expr {min($x + 12, $width - [winfo reqwidth $card] - 4)}]
        set top [expr {min($y + 12, $height - [winfo reqheight $card] - 4)}]
        place $card -x [expr {max(2, $left)}] -y [expr {max(2, $top)}]
    }

    # Says whether there was one.
    method close_card {} {
        set was [winfo exists $plot.card]
        destroy $plot.card
        return $was
    }

    method zoom_to_pointed {} {
        set hit [expr {[dict exists [$model pointer] hit] ? [dict get [$model pointer] hit] : {}}]
        if {$hit ne {} && [dict get $hit end] > [dict get $hit start]} {
            my close_card
            set margin [expr {([dict get $hit end] - [dict get $hit start]) / 5 + 1}]
            $model zoom [expr {[dict get $hit start] - $margin}] [expr {[dict get $hit end] + $margin}]
        }
    }
}
