# legend_columns.tcl - the columns of the legend's table: how wide they are, and for which of them there is room.

oo::class create ::pith::LegendColumns {
    variable tree
    variable sizes  ;# the sizes of the window and its letters that the widths are for; {} none
    variable needed ;# as ::pith::make_room has it
    variable wider  ;# 1: a column became wider since the last fit

    # SORT: a command that is called with the name of a column whose heading is clicked.
    constructor {its_tree sort} {
        set tree $its_tree
        set sizes {}
        $tree configure -columns [concat $::pith::LegendColumns::usual {waiting caused}] \
            -displaycolumns $::pith::LegendColumns::usual
        foreach {column width anchor} $::pith::LegendColumns::looks {
            set by [expr {$column eq "#0" ? "name" : $column}]
            $tree heading $column -anchor $anchor -command [list {*}$sort $by]
            $tree column $column -anchor $anchor -stretch [expr {$column eq "#0"}]
        }
        my size
    }

    # Sets the widths, unless they are for these sizes: the user may have changed them. 1: they were set.
    method size {} {
        set now [list [px 100] [font measure PithBold 0]]
        if {$sizes eq $now} {
            return 0
        }
        set sizes $now
        set needed {}
        set wider 0
        foreach {column width anchor} $::pith::LegendColumns::looks {
            set pixels [px $width]
            $tree column $column -width $pixels -minwidth [expr {$pixels / 2}]
        }
        return 1
    }

    # A row now looks like this (options of an item).
    method see {look} {
        set font [expr {"group" in [dict get $look -tags] ? "PithBold" : "TkDefaultFont"}]
        if {[::pith::make_room $tree $font [dict get $look -values] needed]} {
            set wider 1
        }
    }

    method is_wider {} { return $wider }

    method fit {with_waiting} {
        set wider 0
        set columns [set ::pith::LegendColumns::[expr {$with_waiting ? "waiting" : "usual"}]]
        ::pith::fit_columns $tree $columns {find inclusive count caused waiting show}
    }
}

namespace eval ::pith::LegendColumns {
    # Widths at a scale of 1, and anchors.
    variable looks {
        #0 186 w  show 42 center  find 36 center  count 74 e  inclusive 84 e  exclusive 76 e  share 64 e
        waiting 76 e  caused 76 e
    }
    variable usual {show find count inclusive exclusive share}
    variable waiting {show count exclusive share waiting caused} ;# instead of the usual; there is room for these
}
