# legend.tcl - the pane with colours, names, switches, counts and times of what is in the window (legend_rows.tcl knows
# which): a click on a switch turns it, on a heading sorts; a double click on a colour changes it; a menu has the rest
# (legend_words.tcl).

oo::class create ::pith::Legend {
    variable model
    variable rows         ;# a LegendRows
    variable path tree    ;# the frame and the table in it
    variable sums         ;# as the log gave them
    variable sums_of      ;# the time they are of; {} of nothing
    variable counters     ;# dict: id -> dict of a counter's values, and their range in that time
    variable filter_text  ;# what is in the search box
    variable all grouped  ;# the two switches
    variable closed       ;# dict: groups that are folded up
    variable shown        ;# dict: groups and messages -> text, image, values, tags as they are in the table
    variable made_of      ;# dict: definitions -> what theirs are made of
    variable pending      ;# after id of a refresh to come
    variable job          ;# the command of the work on sums that goes on; {} none
    variable editor       ;# script to be called with ids when a colour shall be changed
    variable menu         ;# script to be called with screen coordinates

    constructor {parent its_model} {
        set model $its_model
        # It paints nothing: what lies in it covers all of it.
        set path [frame $parent -background {}]
        set tree $path.tree
        set pending {}
        set job {}
        set sums {}
        set sums_of {}
        set counters {}
        set shown {}
        set made_of {}
        set closed {}
        set filter_text {}
        set editor {}
        set menu {}
        set rows [::pith::LegendRows new $model]
        set all [::pith::preferences::get legend_all]
        set grouped [::pith::preferences::get legend_groups]
        my build_bar
        my build_table
        my switched
        $model follow [list [self] changed]
    }

    destructor {
        after cancel $pending
        my stop_job
        $rows destroy
    }

    method tree {} { return $tree }
    method rows {} { return $rows }
    method sums {} { return $sums }
    # The picture that stands for a definition.
    method image {id} {
        set def [$model def $id]
        return [::pith::box::image [dict get $def kind] [dict get $def colour] [expr {$id ni [$model hidden]}]]
    }

    method set_editor {script} { set editor $script }
    method set_menu {script} { set menu $script }

    # ---- Widgets

    method build_bar {} {
        set px [::pith::theme::px 4]
        ttk::frame $path.bar -padding [list $px [expr {$px / 2}]]
        ttk::entry $path.bar.filter -textvariable [my varname filter_text] -width 14
        ttk::button $path.bar.clear -text "\u00d7" -style Toolbutton -takefocus 0 -command [list [self] set_filter {}]
        ttk::checkbutton $path.bar.grouped -text Groups -variable [my varname grouped] -onvalue on -offvalue off \
            -command [list [self] switched]
        ttk::checkbutton $path.bar.all -text All -variable [my varname all] -onvalue on -offvalue off \
            -command [list [self] switched]
        pack $path.bar.all $path.bar.grouped -side right -padx $px
        pack $path.bar.filter -side left -fill x -expand 1
        pack $path.bar.clear -side left
        ttk::label $path.bar.hint -text "filter names" -style Hint.TLabel -cursor xterm
        bind $path.bar.hint <Button-1> [list focus $path.bar.filter]
        my show_hint
        trace add variable [my varname filter_text] write [list [self] filter_changed]
        bind $path.bar.filter <Escape> "[list [self] set_filter {}]; [list focus $tree]; break"
        foreach key {Return Down} {
            bind $path.bar.filter <$key> "[list [self] enter_table]; break"
        }
    }

    # Symbols for the two switches: what is seen, what is searched.
    method build_table {} {
        ttk::treeview $tree -columns {show find count inclusive exclusive share} -selectmode extended -height 6 \
            -yscrollcommand [list [self] scrolled]
        ttk::scrollbar $path.scroll -orient vertical -command [list $tree yview]
        foreach {column width anchor} {
            #0 186 w  show 42 center  find 36 center  count 74 e  inclusive 68 e  exclusive 76 e  share 56 e
        } {
            set by [expr {$column eq "#0" ? "name" : $column}]
            $tree heading $column -anchor $anchor -command [list [self] sort_by $by]
            set pixels [::pith::theme::px $width]
            $tree column $column -width $pixels -minwidth [expr {$pixels / 2}] -anchor $anchor \
                -stretch [expr {$column eq "#0"}]
        }
        my colour_tags
        my bind_table
        grid $path.bar - -sticky ew
        grid $tree $path.scroll -sticky nsew
        # The pane has room for the scrollbar. Most tables have nothing to scroll: they are drawn once, not twice, when
        # it is gone before they are laid out.
        bind $path <Configure> "bind $path <Configure> {}; grid remove $path.scroll"
        grid columnconfigure $path 0 -weight 1
        grid rowconfigure $path 1 -weight 1
    }

    method bind_table {} {
        bind $tree <Button-1> "if {\[[list [self] click] %x %y\]} break"
        bind $tree <Double-Button-1> "if {\[[list [self] double] %x %y\]} break"
        foreach event {<Button-3> <Control-Button-1>} {
            bind $tree $event "[list [self] popup] %x %y %X %Y; break"
        }
        foreach event {<Menu> <Shift-F10>} {
            bind $tree $event "[list [self] popup_at_focus]; break"
        }
        bind $tree <space> "[list [self] toggle_selected]; break"
        bind $tree <Return> "[list [self] edit_selected]; break"
        bind $tree <<TreeviewOpen>> [list [self] folded 0]
        bind $tree <<TreeviewClose>> [list [self] folded 1]
        # Keys that move in the table are not for the time lines.
        bindtags $tree [list $tree Treeview PithTable [winfo toplevel $tree] all]
        foreach key {Up Down Left Right Home End Prior Next Control-a} {
            bind PithTable <$key> break
        }
        bind $tree <Control-a> "[list [self] select_all]; break"
    }

    # Any change of a tag draws the whole table again, which takes longer than a picture of the time lines.
    method colour_rows {} {
        set colour [::pith::theme::colour [expr {[my current] ? "text" : "hidden"}]]
        if {[$tree tag configure row -foreground] ne $colour} {
            $tree tag configure row -foreground $colour
        }
    }

    method colour_tags {} {
        my colour_rows
        $tree tag configure group -font PithBold
        $tree tag configure hidden -foreground [::pith::theme::colour hidden]
    }

    # The scrollbar is there when there is something to scroll.
    method scrolled {from to} {
        $path.scroll set $from $to
        if {$from <= 0 && $to >= 1} {
            grid remove $path.scroll
        } else {
            grid $path.scroll
        }
    }

    # ---- Following

    # The sums follow a moving window with a delay: moving stays smooth. Until then the old ones are grey.
    method changed {what} {
        switch $what {
            log {
                my stop_job
                $rows set_sums {} {}
                set sums_of {}
                set counters {}
                my fill
                my refresh_soon
            }
            time - rows - digest {
                if {$what ne "time"} {
                    set sums_of {}
                }
                my refresh_soon
                my colour_rows
            }
            hidden - searchable - colours { my fill }
            theme { my look_anew }
        }
    }

    method current {} { expr {$sums_of eq [$model window]} }

    method refresh_soon {} {
        after cancel $pending
        my stop_job
        set pending [after 120 [namespace code {my start_job}]]
    }

    # In a thread, so that the window goes on moving; what comes of a window that is not shown any more is not taken.
    method start_job {} {
        set pending {}
        set now [$model window]
        set job [[$model log] sumsjob {*}$now [list [self] job_says $now]]
    }

    method stop_job {} {
        if {$job ne {}} {
            set old $job
            set job {}
            $old stop
        }
    }

    method job_says {window what args} {
        if {$job eq {} || $window ne [$model window]} {
            return
        }
        switch $what {
            progress { return }
            done { set sums [lindex $args 0] }
            failed { set sums {} }
        }
        set job {}
        if {$what ne "stopped"} {
            my take_sums $window
        }
    }

    # At once: what is asked for is waited for.
    method refresh {} {
        after cancel $pending
        set pending {}
        if {![winfo exists $tree] || [my current]} {
            return
        }
        my stop_job
        set now [$model window]
        if {[catch {[$model log] sums {*}$now} sums]} {
            set sums {}
        }
        my take_sums $now
    }

    method take_sums {window} {
        set sums_of $window
        $rows set_sums $sums [[$model log] messages {*}$window]
        set counters [[$model log] counters {*}$window]
        my fill
        my colour_tags
    }

    # All boxes are other ones.
    method look_anew {} {
        set shown [dict map {item look} $shown {string cat old}]
        set made_of [dict map {item of} $made_of {string cat old}]
        my colour_tags
        my fill
    }

    # ---- The table

    # Makes the table what it should be, with as few changes as possible: 2000 rows are filled in at once.
    method fill {} {
        if {![winfo exists $tree]} {
            return
        }
        my label_headings
        set hidden [$rows as_set [$model hidden]]
        set unsearched [$rows as_set [$model unsearched]]
        set top {}
        set layout [$rows layout]
        my put_definitions [concat {*}[dict values $layout]] $hidden $unsearched
        foreach {group items} $layout {
            if {$group eq {}} {
                set top $items
            } elseif {$group eq "messages"} {
                lappend top messages
            } else {
                my put group:$group [my look_of_group group:$group $items $hidden $unsearched]
                $tree item group:$group -open [expr {![dict exists $closed $group]}]
                $tree children group:$group $items
                lappend top group:$group
            }
        }
        my attach $top
    }

    # What is not on top or in a group that is on top is taken out.
    method attach {top} {
        $tree children {} $top
        foreach item [$tree selection] {
            if {[my detached $item]} {
                $tree selection remove [list $item]
            }
        }
    }

    method detached {item} {
        set parent [$tree parent $item]
        return [expr {$item ni [$tree children $parent] || $parent ne {} && $parent ni [$tree children {}]}]
    }

    method put {item look} {
        if {![dict exists $shown $item]} {
            $tree insert {} end -id $item
        } elseif {[dict get $shown $item] eq $look} {
            return
        }
        $tree item $item {*}$look
        dict set shown $item $look
    }

    # There may be thousands: no method of ours is called for those that stay as they are.
    method put_definitions {items hidden unsearched} {
        set defs [$model defs]
        set counted [$rows sums]
        foreach item $items {
            if {$item eq "messages"} {
                my put $item [my look_of_messages]
                continue
            }
            set def [dict get $defs $item]
            set sum [expr {[dict exists $counted $item] ? [dict get $counted $item] :
                [dict exists $counters $item] ? [dict get $counters $item] : {}}]
            set of "[dict get $def name] [dict get $def colour] [dict exists $hidden $item]\
                [dict exists $unsearched $item] [dict values $sum]"
            if {![dict exists $made_of $item]} {
                $tree insert {} end -id $item
            } elseif {[dict get $made_of $item] eq $of} {
                continue
            }
            dict set made_of $item $of
            $tree item $item {*}[my look_of $def [dict exists $hidden $item] [dict exists $unsearched $item] $sum]
        }
    }

    method look_of {def is_hidden is_unsearched sum} {
        set kind [dict get $def kind]
        return [list -text " [dict get $def name]" \
            -image [::pith::box::image $kind [dict get $def colour] [expr {!$is_hidden}]] \
            -values [list [my switch_text [expr {!$is_hidden}]] [my switch_text [expr {!$is_unsearched}]] \
                {*}[my sum_texts $sum $kind]] \
            -tags [expr {$is_hidden ? "hidden" : "row"}]]
    }

    method look_of_messages {} {
        set on [$model arrows]
        return [list -text " messages" -image [::pith::box::image message [::pith::theme::colour arrow] $on] \
            -values [list [my switch_text $on] {} {*}[my sum_texts [$rows sum messages] message]] \
            -tags [expr {$on ? "row" : "hidden"}]]
    }

    # A switch of a group is on when it is for all members, and blank when it is for some.
    method look_of_group {item items hidden unsearched} {
        set off 0
        set passed 0
        foreach member $items {
            incr off [dict exists $hidden $member]
            incr passed [dict exists $unsearched $member]
        }
        set count [llength $items]
        return [list -text " [$rows name $item]" -image {} \
            -values [list [my part_text $off $count] [my part_text $passed $count] \
                {*}[my sum_texts [$rows group_sum $items] group]] \
            -tags [expr {$off == $count ? {group hidden} : {group row}}]]
    }

    method switch_text {on} { return [expr {$on ? "\u2611" : "\u2610"}] }
    method part_text {off count} { return [expr {$off == 0 ? "\u2611" : $off == $count ? "\u2610" : "\u25a3"}] }

    # Of groups no inclusive time; of events and messages no times.
    method sum_texts {sum kind} {
        if {$sum eq {} || $kind eq "group" && ![dict get $sum count]} {
            return {{} {} {} {}}
        }
        set count [::pith::theme::cell [dict get $sum count]]
        if {[dict exists $sum low]} {
            return [list $count {*}[my range_texts [dict get $sum low] [dict get $sum high]] {}]
        }
        if {$kind ni {state group} || ![dict exists $sum share] || $kind eq "group" && ![dict get $sum exclusive]} {
            return [list $count {} {} {}]
        }
        return [list $count [expr {$kind eq "state" ? [::pithtk::duration [dict get $sum inclusive]] : {}}] \
            [::pithtk::duration [dict get $sum exclusive]] [format "%.1f %%" [expr {[dict get $sum share] * 100}]]]
    }

    # Of a counter in the window: from, to. Each in a column, as both have no room in one.
    method range_texts {low high} {
        return [list "[format %.4g $low] to" [format %.4g $high]]
    }

    method label_headings {} {
        foreach {column name title} {
            #0 name Name  show show Show  find find Find  count count Count  inclusive inclusive Time
            exclusive exclusive Own  share share Share
        } {
            set mark [expr {$name ne [$rows order] ? {} : [$rows falling] ? "\u2009\u25be" : "\u2009\u25b4"}]
            $tree heading $column -text $title$mark
        }
    }

    # ---- What the user does

    method sort_by {column {how {}}} {
        $rows sort_by $column $how
        my fill
    }

    method set_filter {text} { set filter_text $text }
    method filter {} { return $filter_text }

    # What an empty search box is for.
    method show_hint {} {
        if {$filter_text eq {}} {
            place $path.bar.hint -in $path.bar.filter -x [::pith::theme::px 6] -rely 0.5 -anchor w
        } else {
            place forget $path.bar.hint
        }
    }

    method filter_changed {args} {
        my show_hint
        $rows set_filter $filter_text
        my fill
    }

    method switched {} {
        $rows set_all [string is true -strict $all]
        $rows set_grouped [string is true -strict $grouped]
        my fill
    }

    method set_switch {which on} {
        set $which [expr {$on ? "on" : "off"}]
        my switched
    }

    method folded {up} {
        my fold [string range [$tree focus] 6 end] $up
    }

    method fold {group up} {
        if {$up} {
            dict set closed $group {}
        } else {
            dict unset closed $group
        }
        if {[$tree exists group:$group]} {
            $tree item group:$group -open [expr {!$up}]
        }
    }

    method groups {} {
        return [lmap item [$tree children {}] {if {![string match group:* $item]} continue; string range $item 6 end}]
    }

    # 1: the click is done with.
    method click {x y} {
        set item [$tree identify item $x $y]
        set column [$tree identify column $x $y]
        focus $tree
        if {$item eq {} || [$tree identify region $x $y] ne "cell" || $column ni {#1 #2}} {
            return 0
        }
        set items [expr {$item in [$tree selection] ? [$tree selection] : [list $item]}]
        my [expr {$column eq "#1" ? "show" : "search_for"}] $items [expr {
            [$tree set $item [expr {$column eq "#1" ? "show" : "find"}]] ne [my switch_text 1]}]
        return 1
    }

    method double {x y} {
        set item [$tree identify item $x $y]
        if {[$tree identify region $x $y] eq "cell" && [$tree identify column $x $y] in {#1 #2}} {
            return [my click $x $y]
        }
        if {$item ne {} && [$tree identify element $x $y] eq "image"} {
            my edit [list $item]
            return 1
        }
        return 0
    }

    method ids_of {items} {
        return [lsort -unique -integer [concat {*}[lmap item $items {$rows ids $item}]]]
    }

    method show {items on} {
        if {"messages" in $items} {
            $model set_arrows $on
        }
        set ids [$rows as_set [my ids_of $items]]
        if {[dict size $ids]} {
            set rest [lmap id [$model hidden] {if {[dict exists $ids $id]} continue; set id}]
            $model set_hidden [expr {$on ? $rest : [concat $rest [dict keys $ids]]}]
        }
    }

    method search_for {items on} { $model set_searchable [my ids_of $items] $on }

    # Nothing else is shown.
    method only {items} {
        set ids [$rows as_set [my ids_of $items]]
        $model set_hidden [lmap id [dict keys [$model defs]] {if {[dict exists $ids $id]} continue; set id}]
    }

    method toggle_selected {} {
        set items [$tree selection]
        if {$items ne {}} {
            my show $items [expr {[$tree set [lindex $items 0] show] ne [my switch_text 1]}]
        }
    }

    method edit_selected {} { my edit [$tree selection] }

    method edit {items} {
        set ids [my ids_of $items]
        if {$ids ne {} && $editor ne {}} {
            {*}$editor $ids
        }
    }

    method select_all {} {
        $tree selection set [concat {*}[lmap item [$tree children {}] {list $item {*}[$tree children $item]}]]
    }

    method enter_table {} {
        focus $tree
        set first [lindex [$tree children {}] 0]
        if {$first ne {} && [$tree selection] eq {}} {
            $tree selection set [list $first]
            $tree focus $first
        }
    }

    # The menu is about what is selected, after a click elsewhere about that.
    method popup {x y screen_x screen_y} {
        set item [$tree identify item $x $y]
        if {$item ne {} && $item ni [$tree selection]} {
            $tree selection set [list $item]
            $tree focus $item
        }
        if {$menu ne {}} {
            {*}$menu $screen_x $screen_y
        }
    }

    method popup_at_focus {} {
        set box [$tree bbox [$tree focus]]
        if {$box ne {}} {
            lassign $box x y w h
            my popup [expr {$x + 40}] [expr {$y + $h / 2}] [expr {[winfo rootx $tree] + $x + 40}] \
                [expr {[winfo rooty $tree] + $y + $h}]
        }
    }
}
