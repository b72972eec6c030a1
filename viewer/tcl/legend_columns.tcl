# legend_columns.tcl - the columns of the legend's table: how wide they are, and for which of them there is room.

oo::class create ::pith::LegendColumns {
    variable tree
    variable scale ;# the scale of sizes that the widths are for; {} none

    # SORT: a command that is called with the name of a column whose heading is clicked.
    constructor {its_tree sort} {
        set tree $its_tree
        set scale {}
        $tree configure -columns [concat $::pith::LegendColumns::usual {waiting caused}] \
            -displaycolumns $::pith::LegendColumns::usual
        foreach {column width anchor} $::pith::LegendColumns::looks {
            set by [expr {$column eq "#0" ? "name" : $column}]
            $tree heading $column -anchor $anchor -command [list {*}$sort $by]
            $tree column $column -anchor $anchor -stretch [expr {$column eq "#0"}]
        }
        my size
    }

    # Sets the widths, unless they are for this scale: the user may have changed them. 1: they were set.
    method size {} {
        if {$scale eq [px 100]} {
            return 0
        }
        set scale [px 100]
        foreach {column width anchor} $::pith::LegendColumns::looks {
            set pixels [px $width]
            $tree column $column -width $pixels -minwidth [expr {$pixels / 2}]
        }
        return 1
    }

    method fit {with_waiting} {
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
