# legend_filter.tcl - the field above the legend that filters its names: BAR.filter, BAR.clear. Undo takes changes back
# (history.tcl).

oo::class create ::pith::LegendFilter {
    variable bar       ;# frame of the field
    variable model
    variable changed   ;# script called with a new filter
    variable text      ;# in the field
    variable filter    ;# as the legend has it

    constructor {its_bar its_model script} {
        set bar $its_bar
        set model $its_model
        set changed $script
        lassign {} text filter
        ttk::entry $bar.filter -textvariable [my varname text] -width 14
        ttk::button $bar.clear -text "\u00d7" -style Toolbutton -takefocus 0 -command [list [self] set_text {}]
        ttk::label $bar.hint -text "filter names" -style Hint.TLabel -cursor xterm
        bind $bar.hint <Button-1> [list focus $bar.filter]
        my show_hint
        trace add variable [my varname text] write [list [self] entered]
        $model share names [self]
    }

    method set_text {its_text} { set text $its_text }

    method entered {args} {
        if {$text ne $filter} {
            $model push names
            my apply $text
        }
    }

    # For undo.
    method current {} { return $filter }
    method apply {its_filter} {
        set filter $its_filter
        set text $filter
        my show_hint
        {*}$changed $filter
    }

    # The empty filter shows a hint.
    method show_hint {} {
        if {$text eq {}} {
            place $bar.hint -in $bar.filter -x [px 6] -rely 0.5 -anchor w
        } else {
            place forget $bar.hint
        }
    }
}
