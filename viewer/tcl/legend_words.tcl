# legend_words.tcl - commands and context menu of the legend.

oo::class create ::pith::LegendWords {
    variable window model legend
    variable menu     ;# menu of the table

    constructor {its_window} {
        set window $its_window
        set model [$window model]
        set legend [$window legend]
    }

    method finish {} {
        set menu [menu [$legend tree].menu -tearoff 0]
        $legend set_menu [list [self] popup]
    }

    # ---- The menu

    method popup {x y} {
        $menu delete 0 end
        set items [[$legend tree] selection]
        set state [expr {$items eq {} ? "disabled" : "normal"}]
        foreach {text script} {
            "Show" {$legend show $items 1}
            "Hide" {$legend show $items 0}
            "Hide all others" {$legend only $items}
            - -
            "Include in searches" {$legend search_for $items 1}
            "Exclude from searches" {$legend search_for $items 0}
            - -
            "Colour..." {$legend edit $items}
        } {
            if {$text eq "-"} {
                $menu add separator
            } else {
                $menu add command -label $text -state $state \
                    -command [string map [list \$legend $legend \$items [list $items]] $script]
            }
        }
        $menu add command -label "Distribution of its length..." -state $state \
            -command [list [$window part Lengths] open_items $items]
        $menu add separator
        $menu add command -label "Show all" -command [list [self] word_show_all]
        $menu add command -label "Collapse all groups" -command [list [self] word_fold * on]
        $menu add command -label "Expand all groups" -command [list [self] word_fold * off]
        tk_popup $menu $x $y
    }

    method menu {} { return $menu }

    # ---- Words

    method word_only {pattern} { $legend only [$model ids_of $pattern] }

    method word_show_all {} {
        $model set_hidden {}
        $model set_arrows auto
    }

    method word_searchable {{pattern {}} {on {}}} {
        if {$on ne {}} {
            $model set_searchable [$model ids_of $pattern] [my switch searchable $on]
        }
        return [lmap id [$model searchable] {dict get [$model def $id] name}]
    }

    method switch {word on} {
        if {![string is boolean -strict $on]} {
            throw {PITH USAGE} "$word: must be on or off, not $on"
        }
        return [string is true $on]
    }

    method word_filter {{text {}}} { $legend set_filter $text }

    method word_legend_sort {column {how {}}} {
        set column [string map {total inclusive self exclusive} $column]
        if {$column ni {name show find count inclusive exclusive share waiting caused} || $how ni {{} up down}} {
            throw {PITH USAGE} \
                "legend_sort: must be by name, show, find, count, total, self, share, waiting or caused, up or down"
        }
        $legend sort_by $column $how
    }

    method word_legend_all {on} { $legend set_switch all [my switch legend_all $on] }
    method word_legend_groups {on} { $legend set_switch grouped [my switch legend_groups $on] }

    method word_fold {pattern {on on}} {
        foreach group [$legend groups] {
            if {[string match $pattern $group]} {
                $legend fold $group [my switch fold $on]
            }
        }
    }

    # Rows of the table, from top to bottom.
    method word_legend_rows {} {
        $window word_sync
        set tree [$legend tree]
        return [concat {*}[lmap item [$tree children {}] {
            list [my row $item] {*}[lmap member [$tree children $item] {my row $member}]
        }]]
    }

    method row {item} {
        set tree [$legend tree]
        return [list [$legend name $item] {*}[$tree item $item -values]]
    }

    method word_find_in_legend {} {
        focus [winfo parent [$legend tree]].bar.filter
    }
}

::pith::part::add LegendWords {
    words {
        only           {NAME}             {hide states and events whose name does not match}    word_only
        show_all       {}                 {show everything, including messages}                 word_show_all
        searchable     {?NAME on|off?}    {include it in searches or not; list the included names} word_searchable
        filter         {?TEXT?}           {list only names that contain or match TEXT in the legend} word_filter
        legend_sort    {COLUMN ?up|down?} {sort the legend by name, show, find, count, total, self, share, waiting or caused} word_legend_sort
        legend_all     {on|off}           {list also definitions that do not occur in the window} word_legend_all
        legend_groups  {on|off}           {show the legend in groups}                            word_legend_groups
        fold           {GROUP ?on|off?}   {collapse groups of the legend}                        word_fold
        legend_rows    {}                 {rows of the legend, as displayed}                     word_legend_rows
        find_in_legend {}                 {go to the filter of the legend}                       word_find_in_legend
    }
    keys {
        {Control-l} {Ctrl-l} {filter the legend} {find_in_legend}
    }
    menus {
        View {"Filter the legend" find_in_legend Ctrl-L}
    }
}
