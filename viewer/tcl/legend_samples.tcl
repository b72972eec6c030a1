# legend_samples.tcl - the functions that the samples of the window were in, as the legend lists them below everything
# else: Count is the number of samples with the function on the stack, Self of those in itself, Share its part of all
# samples, with the standard deviation of such an estimate. An item is function:ID.

oo::class create ::pith::LegendSamples {
    superclass ::pith::LegendJob
    variable model
    variable rows   ;# a LegendRows, which has filter and order
    variable sums   ;# dict: id -> dict of name, colour, total, own
    variable all    ;# number of samples

    constructor {its_model its_rows script} {
        set rows $its_rows
        set sums {}
        set all 0
        next $its_model functionsums [list [self] set_sums] $script
    }

    method set_sums {its_sums} {
        set sums $its_sums
        set all [::tcl::mathop::+ {*}[lmap {id sum} $sums {dict get $sum own}]]
    }

    # Once the functions are known (flames.tcl).
    method follow {} { my set_on [expr {[[$model log] flames] == 2}] }

    method name {item} { dict get $sums [string range $item 9 end] name }

    # Items that pass the filter, in order.
    method items {} {
        set order [$rows order]
        set kind [expr {$order eq "name" ? "-dictionary" : "-integer"}]
        set key [expr {$order eq "name" ? "name" : $order in {count inclusive} ? "total" : "own"}]
        set pairs {}
        dict for {id sum} $sums {
            if {[$rows matches [dict get $sum name] $::pith::LegendSamples::group]} {
                lappend pairs [list [dict get $sum $key] function:$id]
            }
        }
        return [lmap pair [lsort $kind [expr {[$rows falling] ? "-decreasing" : "-increasing"}] -index 0 $pairs] {
            lindex $pair 1
        }]
    }

    # Values of the columns from Show to Share.
    method values {sum} {
        set part [expr {double([dict get $sum own]) / max($all, 1)}]
        set spread [expr {sqrt($part * (1 - $part) / max($all, 1))}]
        return [list {} {} [::pith::theme::cell [dict get $sum total]] {} [::pith::theme::cell [dict get $sum own]] \
            [format "%.0f\u00b1%.0f %%" [expr {100 * $part}] [expr {ceil(100 * $spread)}]]]
    }

    # Options of the rows in the table, by item, and of their group, which comes first. CUT: shortens a name.
    method looks {cut} {
        set looks {}
        foreach item [my items] {
            set sum [dict get $sums [string range $item 9 end]]
            dict set looks $item [list -text [{*}$cut [dict get $sum name] TkDefaultFont 58] -tags row \
                -image [::pith::box::image state [dict get $sum colour] 1] -values [my values $sum]]
        }
        if {$looks eq {}} {
            return
        }
        set group $::pith::LegendSamples::group
        return [dict create group:$group [list -text [{*}$cut $group PithBold 28] -tags {group row} -image {} \
            -values [list {} {} [::pith::theme::cell $all]]] {*}$looks]
    }
}
namespace eval ::pith::LegendSamples { variable group "functions of samples" }
