# legend_rows.tcl - what the legend lists, and in which order: definitions with their sums, filtered, sorted, in groups.
# No widgets here. An item is the id of a definition, the word `messages`, or group:NAME.

oo::class create ::pith::LegendRows {
    variable model
    variable sums     ;# dict: id -> dict of count, inclusive, exclusive, share; of the rows and the time in the window
    variable messages ;# how many there are in the window; {} not known
    variable all      ;# 1: also what is not in the window
    variable grouped  ;# 1: by groups, when there are several
    variable filter   ;# pattern of names, in small letters; {} all
    variable order    ;# name, show, find, count, inclusive, exclusive or share
    variable falling  ;# 1: the largest first

    constructor {its_model} {
        set model $its_model
        set sums {}
        set messages {}
        set all 0
        set grouped 1
        set filter {}
        set order exclusive
        set falling 1
    }

    method all {} { return $all }
    method grouped {} { return $grouped }
    method order {} { return $order }
    method falling {} { return $falling }
    method set_all {on} { set all $on }
    method set_grouped {on} { set grouped $on }

    # A list of dicts, as the log gives them; and how many messages.
    method set_sums {list its_messages} {
        set messages $its_messages
        set sums {}
        foreach sum $list {
            dict set sums [dict get $sum id] $sum
        }
    }

    # A pattern when there is *, ? or [ in it, else a part of the name.
    method set_filter {text} {
        set filter [string tolower [string trim $text]]
        if {$filter ne {} && ![regexp {[][*?]} $filter]} {
            set filter *$filter*
        }
    }

    # Another column: numbers falling, names rising; the same column again: the other way round.
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
        if {$item eq "messages"} {
            return "messages"
        }
        return [expr {[string match group:* $item] ? [string range $item 6 end] : [dict get [$model def $item] name]}]
    }

    method kind {item} {
        if {$item eq "messages"} {
            return message
        }
        return [expr {[string match group:* $item] ? "group" : [dict get [$model def $item] kind]}]
    }

    method group {item} {
        return [expr {$item eq "messages" ? "messages" : [dict get [$model def $item] group]}]
    }

    # The definitions that an item stands for.
    method ids {item} {
        switch [my kind $item] {
            message { return {} }
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

    # A dict of count, inclusive, exclusive and share; of groups without inclusive, which would count states in states
    # twice; {} where there is nothing to count.
    method sum {item} {
        if {[dict exists $sums $item]} {
            return [dict get $sums $item]
        }
        return [expr {$item eq "messages" && $messages ne {} ? [dict create count $messages] : {}}]
    }

    # Over all members that are listed.
    method group_sum {members} {
        set total [dict create count 0 exclusive 0 share 0.0]
        foreach item $members {
            set sum [my sum $item]
            foreach key {count exclusive share} {
                if {[dict exists $sum $key]} {
                    dict set total $key [expr {[dict get $total $key] + [dict get $sum $key]}]
                }
            }
        }
        return $total
    }

    # ---- The list

    method matches {item} {
        return [expr {$filter eq {} || [string match $filter [string tolower [my name $item]]]
            || [string match $filter [string tolower [my group $item]]]}]
    }

    method items {} {
        set items {}
        dict for {id def} [$model defs] {
            if {($all || [dict exists $sums $id] || [dict get $def kind] eq "counter") && [my matches $id]} {
                lappend items $id
            }
        }
        if {[$model info messages] && [my matches messages]} {
            lappend items messages
        }
        return $items
    }

    method key {item sum hidden unsearched} {
        switch $order {
            name { return [my name $item] }
            show { return [expr {![dict exists $hidden $item]}] }
            find { return [expr {![dict exists $unsearched $item]}] }
            default { return [expr {[dict exists $sum $order] ? [dict get $sum $order] : -1}] }
        }
    }

    # `pairs`: {key second-key item}...; of what is alike, the heavier and then the earlier defined comes first.
    method sorted {pairs} {
        set kind [expr {$order eq "name" ? "-dictionary" : "-real"}]
        set pairs [lsort -real -decreasing -index 1 $pairs]
        return [lmap pair [lsort $kind [expr {$falling ? "-decreasing" : "-increasing"}] -index 0 $pairs] {
            lindex $pair 2
        }]
    }

    method sort_items {items} {
        set hidden [my as_set [$model hidden]]
        set unsearched [my as_set [$model unsearched]]
        set pairs [lmap item $items {
            set sum [my sum $item]
            set count [expr {[dict exists $sum count] ? [dict get $sum count] : -1}]
            list [my key $item $sum $hidden $unsearched] $count $item
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

    # {group members}...; one group {} when there are no groups to be seen.
    method layout {} {
        set sorted [my sort_items [my items]]
        set members {}
        foreach item $sorted {
            dict lappend members [my group $item] $item
        }
        if {!$grouped || [dict size $members] < 2} {
            return [list {} $sorted]
        }
        return [concat {*}[lmap group [my sort_groups $members] {list $group [dict get $members $group]}]]
    }

    # By their sums, or by name; groups have no inclusive time, and are neither shown nor searched as a whole.
    method sort_groups {members} {
        set by [expr {$order in {count exclusive share} ? $order : "exclusive"}]
        set pairs {}
        dict for {group items} $members {
            set sum [my group_sum $items]
            lappend pairs [list [expr {$order eq "name" ? $group : [dict get $sum $by]}] [dict get $sum count] $group]
        }
        return [my sorted $pairs]
    }
}
