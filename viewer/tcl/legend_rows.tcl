# legend_rows.tcl - the content of the legend; legend.tcl shows it. The first class has the rows: definitions with their
# sums, filtered, sorted and grouped. A row is called an item. It is the id of a definition, group:NAME, or one of the
# words `messages` and `computing` (time outside all states). The other classes have numbers that jobs compute: times of
# waiting, and functions of samples.

oo::class create ::pith::LegendRows {
    variable model
    variable sums     ;# dict: id -> dict of count, inclusive, exclusive, share, for the rows and the time shown
    variable messages ;# number of messages in the time shown; {}: unknown
    variable rest     ;# sum of the time outside all states: exclusive and share; {} none
    variable waits    ;# dict: id or `computing` -> dict of waiting and caused; {} not known or not shown
    variable longest longest_wait ;# longest times of the columns Total and Self, and Waiting and Caused: they give the units
    variable all      ;# 1: the legend also lists definitions that do not occur in the time shown
    variable grouped  ;# 1: rows are in groups, if there are several groups
    variable filter   ;# lower-case pattern of names; {}: all names pass
    variable order    ;# name, show, find, count, inclusive, exclusive, share, waiting or caused
    variable falling  ;# 1: largest first

    constructor {its_model} {
        set model $its_model
        lassign {} sums messages rest filter waits
        lassign {0 0} longest longest_wait
        set all 0
        set grouped 1
        set order exclusive
        set falling 1
    }

    method all {} { return $all }
    method grouped {} { return $grouped }
    method order {} { return $order }
    method falling {} { return $falling }
    method set_all {on} { set all $on }
    method set_grouped {on} { set grouped $on }

    # Sets the sums of definitions (LIST) and of the time outside all states (COMPUTING), as the log's method `sumsjob`
    # gives them, and the number of messages.
    method set_sums {list its_messages {computing {}}} {
        set messages $its_messages
        set rest $computing
        set sums {}
        foreach sum $list {
            dict set sums [dict get $sum id] $sum
        }
        set longest [my longest_of $sums {inclusive exclusive}]
        if {$rest ne {}} {
            set longest [expr {max($longest, [dict get $rest exclusive])}]
        }
    }

    # Returns the longest time that the legend shows in the columns KEYS. DICTS: dict from an item to its times by
    # column. The times of groups, which are sums over their members, count as well.
    method longest_of {dicts keys} {
        set most 0
        foreach key $keys {
            set of_groups {}
            dict for {item sum} $dicts {
                if {![dict exists $sum $key]} continue
                set most [expr {max($most, [dict get $sum $key])}]
                if {$key ne "inclusive" && $item ne "computing"} {
                    dict incr of_groups [dict get [$model def $item] group] [dict get $sum $key]
                }
            }
            set most [::tcl::mathfunc::max $most {*}[dict values $of_groups]]
        }
        return $most
    }

    method longest {} { return $longest }
    method longest_wait {} { return $longest_wait }
    method time_text {ns} { ::pith::board::time_in_column $ns $longest }

    method set_messages {number} { set messages $number }

    # Sets the times of waiting, as the log's method `waitingjob` gives them.
    method set_waits {sums} {
        set waits $sums
        set longest_wait [my longest_of $sums {waiting caused}]
    }
    method waits {} { return $waits }

    # Sets the filter. TEXT is a pattern if it contains *, ? or [; otherwise names that contain TEXT pass.
    method set_filter {text} {
        set filter [string tolower [string trim $text]]
        if {$filter ne {} && ![regexp {[][*?]} $filter]} {
            set filter *$filter*
        }
    }

    # Sorts by a column. HOW: `up` or `down`; without it, numbers fall and names rise, and a second call for the same
    # column reverses the order.
    method sort_by {column {how {}}} {
        if {$how ne {}} {
            set falling [expr {$how eq "down"}]
        } else {
            set falling [expr {$column eq $order ? !$falling : $column ne "name"}]
        }
        set order $column
    }

    # ---- One item

    method name {item} {
        switch $item {
            messages - computing { return $item }
        }
        return [expr {[string match group:* $item] ? [string range $item 6 end] : [dict get [$model def $item] name]}]
    }

    method kind {item} {
        if {$item in {messages computing}} {
            return [string trimright $item s]
        }
        if {[string match function:* $item]} { ;# an item of LegendSamples
            return function
        }
        return [expr {[string match group:* $item] ? "group" : [dict get [$model def $item] kind]}]
    }

    # Ids of the definitions that an item stands for: one, or, for a group, those of its members.
    method ids {item} {
        switch [my kind $item] {
            message - computing - function { return {} }
            group {
                set ids {}
                dict for {id def} [$model defs] {
                    if {[dict get $def group] eq [my name $item]} {
                        lappend ids $id
                    }
                }
                return $ids
            }
            default { return [list $item] }
        }
    }

    method sums {} { return $sums }

    # The sum of an item: a dict of count, inclusive, exclusive and share; {} if there is nothing to count.
    method sum {item} {
        if {$item eq "computing"} {
            return [expr {$rest eq {} ? {} : [dict merge {waiting 0 caused 0} [my waits_of computing] $rest]}]
        }
        if {[dict exists $sums $item]} {
            return [dict get $sums $item]
        }
        return [expr {$item eq "messages" && $messages ne {} ? [dict create count $messages] : {}}]
    }

    # The sum over MEMBERS of a group. It has no inclusive time, because a sum of inclusive times would count nested
    # states twice.
    method group_sum {members} {
        lassign {0 0 0.0} count exclusive share
        foreach item $members {
            if {[dict exists $sums $item]} {
                set sum [dict get $sums $item]
                incr count [dict get $sum count]
                incr exclusive [dict get $sum exclusive]
                set share [expr {$share + [dict get $sum share]}]
            }
        }
        set sum [dict create count $count exclusive $exclusive share $share]
        foreach name {waiting caused} {
            dict set sum $name [::tcl::mathop::+ {*}[lmap item $members {my wait $item $name}]]
        }
        return $sum
    }

    # The time in ns that an item waited (WHAT is `waiting`), or that others waited because of it (WHAT is `caused`).
    method wait {item what} { expr {[dict exists $waits $item] ? [dict get $waits $item $what] : 0} }
    method waits_of {item} { expr {[dict exists $waits $item] ? [dict get $waits $item] : {}} }

    # ---- Texts

    # The texts of the columns Count, Total, Self and Share. Cells without a number are empty: Total of a group, and all
    # times of events and messages.
    method sum_texts {sum kind} {
        if {$sum eq {} || $kind eq "group" && ![dict get $sum count]} {
            return {{} {} {} {}}
        }
        set count [::pith::theme::cell [dict get $sum count]]
        if {[dict exists $sum low]} {
            return [list $count {} [my range_text [dict get $sum low] [dict get $sum high]] {}]
        }
        if {$kind ni {state group} || ![dict exists $sum share] || $kind eq "group" && ![dict get $sum exclusive]} {
            return [list $count {} {} {}]
        }
        return [list $count [expr {$kind eq "state" ? [my time_text [dict get $sum inclusive]] : {}}] \
            [my time_text [dict get $sum exclusive]] [format "%.1f %%" [expr {[dict get $sum share] * 100}]]]
    }

    # Text of the least and greatest value of a counter. It stands in the column Self, because a counter has no self
    # time.
    method range_text {low high} {
        lassign [lmap value [list $low $high] {regsub {^-0$} [format %.4g $value] 0}] low high
        return [expr {$low eq $high ? $low : "$low to $high"}]
    }

    # ---- The list

    method matches {name group} {
        return [expr {$filter eq {} || [string match $filter [string tolower $name]] || [string match $filter [string tolower $group]]}]
    }

    method items {} {
        set items {}
        dict for {id def} [$model defs] {
            if {($all || [dict exists $sums $id] || [dict get $def kind] eq "counter")
                && ($filter eq {} || [my matches [dict get $def name] [dict get $def group]])} {
                lappend items $id
            }
        }
        if {[$model info messages] && ($filter eq {} || [my matches messages messages])} {
            lappend items messages
        }
        if {$rest ne {} && ($filter eq {} || [my matches [my name computing] {}])} {
            lappend items computing
        }
        return $items
    }

    # Returns items sorted by their keys. PAIRS: a list of {KEY SECOND-KEY ITEM}. Items with the same key are sorted by
    # the second key, the largest first. If that is also the same, the items stay in the order of PAIRS.
    method sorted {pairs} {
        set kind [expr {$order eq "name" ? "-dictionary" : "-real"}]
        set pairs [lsort -real -decreasing -index 1 $pairs]
        return [lmap pair [lsort $kind [expr {$falling ? "-decreasing" : "-increasing"}] -index 0 $pairs] {
            lindex $pair 2
        }]
    }

    # Returns a dict from an item to its sort key in the current order. Does not call a method for each item, because
    # calls are slow and there may be thousands of items.
    method keys {items} {
        switch $order {
            name {
                set defs [$model defs]
                return [dict create {*}[concat {*}[lmap item $items {
                    list $item [expr {$item in {messages computing} ? [my name $item] : [dict get $defs $item name]}]
                }]]]
            }
            show - find {
                set off [expr {$order eq "show" ? [$model hidden] : [$model unsearched]}]
                return [dict create {*}[concat {*}[lmap id $off {list $id 0}]]]
            }
            waiting - caused { return [dict map {item sum} $waits {dict get $sum $order}] }
            default {
                return [dict create {*}[concat {*}[lmap item [concat [dict keys $sums] messages computing] {
                    set sum [my sum $item]
                    if {![dict exists $sum $order]} continue
                    list $item [dict get $sum $order]
                }]]]
            }
        }
    }

    method sort_items {items} {
        set keys [my keys $items]
        set none [expr {$order in {show find} ? 1 : -1}]
        set pairs [lmap item $items {
            list [expr {[dict exists $keys $item] ? [dict get $keys $item] : $none}] \
                [expr {[dict exists $sums $item] ? [dict get $sums $item count] : -1}] $item
        }]
        return [my sorted $pairs]
    }

    method as_set {ids} {
        set set {}
        foreach id $ids {
            dict set set $id {}
        }
        return $set
    }

    # Returns the items of the legend as a list of GROUP and its members in turn. If groups are not shown, there is a
    # single group with the name {}.
    method layout {} {
        set sorted [my sort_items [my items]]
        set members {}
        set defs [$model defs]
        foreach item $sorted {
            dict lappend members [expr {$item in {messages computing} ? $item : [dict get $defs $item group]}] $item
        }
        if {!$grouped || [dict size $members] < 2} {
            return [list {} $sorted]
        }
        return [concat {*}[lmap group [my sort_groups $members] {list $group [dict get $members $group]}]]
    }

    # Sorts groups by their names or sums. If the legend is sorted by Total, Show or Find, for which groups have no
    # value, sorts the groups by self time.
    method sort_groups {members} {
        set by [expr {$order in {count exclusive share waiting caused} ? $order : "exclusive"}]
        set pairs {}
        dict for {group items} $members {
            set sum [expr {$items eq "computing" ? [dict merge {count 0} [my sum computing]] : [my group_sum $items]}]
            lappend pairs [list [expr {$order eq "name" ? $group : [dict get $sum $by]}] [dict get $sum count] $group]
        }
        return [my sorted $pairs]
    }
}

# A job that computes numbers of the legend for the rows and the time shown, after the other numbers, because these take
# longer.

oo::class create ::pith::LegendJob {
    variable model
    variable method   ;# the log's method that starts the job
    variable set      ;# command that gets the job's result; {}: none
    variable changed  ;# script called after the command `set`
    variable on       ;# 1: the legend shows these numbers, so they are computed
    variable job      ;# command of the job; {} none
    variable sums_of  ;# the interval that the result is for; {}: there is no result

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

    # Makes the next `start` compute the numbers again, although the time shown is the same.
    method renew {} { set sums_of {} }

    method drop {} {
        my stop
        my renew
        {*}$set {}
    }

    # The job calls this when WHAT has happened. WINDOW: the interval that the job is for. If the view now shows another
    # interval, the result is dropped.
    method event {window what {value {}}} {
        if {$job eq {} || $window ne [$model window] || $what in {progress stopped}} {
            return
        }
        set job {}
        set sums_of $window
        {*}$set [expr {$what eq "done" ? $value : {}}]
        {*}$changed
    }

    # Waits until the job has computed the numbers for the time shown.
    method finish {} {
        my start
        while {[info object isa object [self]] && $job ne {}} {
            vwait [my varname job]
        }
    }
}

# The numbers of the legend's columns Waiting (how long the calls of a row waited) and Caused (how long other ranks
# waited because of a row), for the rows and the time shown. A job analyzes this time, which takes a while in a long
# log.

oo::class create ::pith::LegendWaits {
    superclass ::pith::LegendJob
    variable rows     ;# a LegendRows, which gets the sums
    variable on       ;# 1: the columns are shown (LegendJob sets it)

    constructor {its_model its_rows script} {
        set rows $its_rows
        next $its_model waitingjob [list $rows set_waits] $script
    }

    # The texts of an item's cells in the columns Waiting and Caused. The cell of a time of 0 is empty. Returns {} if
    # these columns are not shown.
    method texts {item} {
        return [my sum_texts [dict create waiting [$rows wait $item waiting] caused [$rows wait $item caused]]]
    }

    method sum_texts {sum} {
        if {!$on} {
            return
        }
        return [lmap what {waiting caused} {
            expr {[dict get $sum $what] > 0 ? [::pith::board::time_in_column [dict get $sum $what] [$rows longest_wait]] : {}}
        }]
    }
}

# The functions in which the samples of the time shown were taken. The legend lists them at its end. The column Count
# has the number of samples with the function on the stack, and Self the number of samples in the function itself. Share
# is the number in Self divided by the number of all samples, with the standard deviation of this estimate. An item has
# the form function:ID.

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

    # Shows the functions in the legend if flames.tcl has already found them.
    method follow {} { my set_on [expr {[[$model log] flames] == 2}] }

    method name {item} { dict get $sums [string range $item 9 end] name }

    # The functions that pass the legend's filter, as items in the legend's order.
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

    # The texts of a function's cells, in the columns from Show to Share.
    method values {sum} {
        set part [expr {double([dict get $sum own]) / max($all, 1)}]
        set spread [expr {sqrt($part * (1 - $part) / max($all, 1))}]
        return [list {} {} [::pith::theme::cell [dict get $sum total]] {} [::pith::theme::cell [dict get $sum own]] \
            [format "%.0f\u00b1%.0f %%" [expr {100 * $part}] [expr {ceil(100 * $spread)}]]]
    }

    # Returns a dict from an item to the options of its row in Tk's table. The first item is the group of all functions.
    # CUT: a command that shortens a name.
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
