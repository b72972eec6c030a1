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

    # id -> dict of what was counted.
    method sums {} { return $sums }

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
        lassign {0 0 0.0} count exclusive share
        foreach item $members {
            if {[dict exists $sums $item]} {
                set sum [dict get $sums $item]
                incr count [dict get $sum count]
                incr exclusive [dict get $sum exclusive]
                set share [expr {$share + [dict get $sum share]}]
            }
        }
        return [dict create count $count exclusive $exclusive share $share]
    }

    # ---- The list

    method matches {name group} {
        return [expr {[string match $filter [string tolower $name]] || [string match $filter [string tolower $group]]}]
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
        return $items
    }

    # `pairs`: {key second-key item}...; of what is alike, the heavier and then the earlier defined comes first.
    method sorted {pairs} {
        set kind [expr {$order eq "name" ? "-dictionary" : "-real"}]
        set pairs [lsort -real -decreasing -index 1 $pairs]
        return [lmap pair [lsort $kind [expr {$falling ? "-decreasing" : "-increasing"}] -index 0 $pairs] {
            lindex $pair 2
        }]
    }

    # What items are sorted by: dict item -> key; who is not in it has `none`. There may be thousands of items, so no
    # method is called for each.
    method keys {items} {
        switch $order {
            name {
                set defs [$model defs]
                return [dict create {*}[concat {*}[lmap item $items {
                    list $item [expr {$item eq "messages" ? $item : [dict get $defs $item name]}]
                }]]]
            }
            show - find {
                set off [expr {$order eq "show" ? [$model hidden] : [$model unsearched]}]
                return [dict create {*}[concat {*}[lmap id $off {list $id 0}]]]
            }
            default {
                return [dict create {*}[concat {*}[lmap item [linsert [dict keys $sums] end messages] {
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

    # {group members}...; one group {} when there are no groups to be seen.
    method layout {} {
        set sorted [my sort_items [my items]]
        set members {}
        set defs [$model defs]
        foreach item $sorted {
            dict lappend members [expr {$item eq "messages" ? $item : [dict get $defs $item group]}] $item
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
