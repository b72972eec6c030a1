# legend.tcl - the page with a table of the states, events, counters and messages in the time shown: their colours,
# names and shares of the time. Each row has a bar as long as its share. The row under the pointer has two switches: an
# eye, which hides what the row stands for, and a lens, which leaves it out of searches. If the user asks for them,
# there are also columns for counts, times and the two switches. A click on a heading sorts the table; a double click on
# a colour changes this colour. legend_rows.tcl selects and sorts the rows. The first class of this file is the table;
# the others are for its columns, for the filter of names, and for commands and the menu.

oo::class create ::pith::Legend {
    variable model
    variable rows         ;# a LegendRows
    variable path tree    ;# frame and its table
    variable sums computing ;# the sums as the log has returned them
    variable sums_of      ;# interval that the sums are for; {}: none
    variable counters     ;# dict: id -> number of a counter's values, and their range in that interval
    variable filter       ;# a LegendFilter
    variable all grouped detailed ;# the three checkboxes
    variable bar          ;# length of the bars of shares, in pixels
    variable hovered      ;# row under the pointer; {} none
    variable closed       ;# dict: groups that are collapsed
    variable shown        ;# dict: row of a group or of messages -> its options in the table
    variable made_of      ;# dict: row of a definition -> what it was made of, to notice a change
    variable messages_seen ;# 1: the row of messages is marked as shown
    variable pending      ;# after id of a refresh
    variable job          ;# command of the job for the sums; {} none
    variable waits        ;# a LegendWaits
    variable functions    ;# a LegendSamples
    variable columns      ;# a LegendColumns
    variable room         ;# width of the names' column for which names are cut
    variable wanted       ;# width of the names' column for the longest name; the width for which columns were fitted
    variable fitted
    variable before       ;# pixels before the name of a definition
    variable tip          ;# tooltip with the full name
    variable editor       ;# script called with ids to change a colour
    variable asker        ;# script called with the ids and the name of a clicked row; it shows bars by rank
    variable menu         ;# script called with screen coordinates to open the menu

    constructor {parent its_model} {
        set model $its_model
        # The frame draws no background, because its children cover it completely.
        set path [frame $parent -background {}]
        set tree $path.tree
        set messages_seen 1
        lassign {} pending job sums computing sums_of counters shown made_of closed editor asker menu hovered
        set bar [px 60]
        set rows [::pith::LegendRows new $model]
        set waits [::pith::LegendWaits new $model $rows [namespace code {my fill}]]
        set functions [::pith::LegendSamples new $model $rows [namespace code {my fill}]]
        lassign {0 0 0} room wanted fitted
        set all [::pith::preferences::get legend_all]
        set grouped [::pith::preferences::get legend_groups]
        set px [px 4]
        ttk::frame $path.bar -padding [list $px [expr {$px / 2}]]
        set filter [::pith::LegendFilter new $path.bar $model [namespace code {my filter_changed}]]
        ttk::checkbutton $path.bar.grouped -text Groups -variable [my varname grouped] -onvalue on -offvalue off \
            -command [list [self] switched]
        set detailed [::pith::preferences::get legend_columns]
        ttk::checkbutton $path.bar.detailed -text Columns -variable [my varname detailed] -onvalue on -offvalue off \
            -command [list [self] switched]
        ttk::checkbutton $path.bar.all -text All -variable [my varname all] -onvalue on -offvalue off \
            -command [list [self] switched]
        pack $path.bar.detailed $path.bar.all $path.bar.grouped -side right -padx $px
        pack $path.bar.filter -side left -fill x -expand 1
        pack $path.bar.clear -side left
        bind $path.bar.filter <Escape> "[list [self] set_filter {}]; [list focus $tree]; break"
        foreach key {Return Down} {
            bind $path.bar.filter <$key> "[list [self] enter_table]; break"
        }
        my build_table
        my switched
        $model follow [list [self] changed]
    }

    destructor {
        foreach event {<Enter> <Motion> <Leave>} {
            if {[winfo exists $tree]} {
                bind $tree $event {}
            }
        }
        after cancel $pending
        my stop_job
        $tip destroy
        $waits destroy
        $functions destroy
        $columns destroy
        $filter destroy
        $rows destroy
    }

    method tree {} { return $tree }
    method rows {} { return $rows }
    method sums {} { return $sums }
    # Icon of a definition.
    method image {id} {
        set def [$model def $id]
        return [::pith::box::image [dict get $def kind] [dict get $def colour] [expr {$id ni [$model hidden]}]]
    }

    method set_editor {script} { set editor $script }
    method set_menu {script} { set menu $script }
    method set_asker {script} { set asker $script }

    # ---- Widgets

    # The cells of the columns `show` and `find` contain the symbol of a checkbox, because Tk's table has no checkboxes.
    method build_table {} {
        ttk::treeview $tree -selectmode extended -height 6 -yscrollcommand [list [self] scrolled]
        ttk::scrollbar $path.scroll -orient vertical -command [list $tree yview]
        set columns [::pith::LegendColumns new $tree [list [self] sort_by]]
        my colour_tags
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
        bind $tree <Configure> [list [self] fit_columns]
        bind $tree <ButtonRelease-1> "[list [self] released] %x %y; [list after idle [list [self] fit_names]]"
        foreach modifier {Shift Control} {
            bind $tree <$modifier-ButtonRelease-1> [list after idle [list [self] fit_names]]
        }
        foreach event {<Enter> <Motion>} {
            bind $tree $event [list [self] hover %x %y]
        }
        bind $tree <Leave> [list [self] hover -1 -1]
        set tip [::pith::Tip new $tree [list [self] whole_at]]
        bind $tree <<TreeviewOpen>> [list [self] folded 0]
        bind $tree <<TreeviewClose>> [list [self] folded 1]
        # Keys that move within the table must not move the timelines, too. `break` keeps the window's scripts for these
        # keys from running.
        bindtags $tree [list $tree Treeview PithTable [winfo toplevel $tree] all]
        foreach key {Up Down Left Right Home End Prior Next Control-a} {
            bind PithTable <$key> break
        }
        foreach key {Control-Next Control-Prior} {
            bind PithTable <$key> {;} ;# these keys choose other tabs of the panel
        }
        bind $tree <Control-a> "[list [self] select_all]; break"
        grid $path.bar - -sticky ew
        grid $tree $path.scroll -sticky nsew
        # Removes the scrollbar before the first layout, because most tables need none. If it were removed later, the
        # table would be drawn twice.
        bind $path <Configure> "bind $path <Configure> {}; grid remove $path.scroll"
        grid columnconfigure $path 0 -weight 1
        grid rowconfigure $path 1 -weight 1
    }

    # Shows the rows in grey while their sums are for an earlier view. Changes the tag of the rows only if its colour is
    # another one, because each change makes Tk redraw the whole table, which takes longer than a picture of the
    # timelines.
    method colour_rows {} {
        set colour [colour [expr {[my current] ? "text" : "hidden"}]]
        if {[$tree tag configure row -foreground] ne $colour} {
            $tree tag configure row -foreground $colour
        }
    }

    method colour_tags {} {
        my colour_rows
        $tree tag configure group -font PithBold
        $tree tag configure hidden -foreground [colour hidden]
    }

    # Shows the scrollbar only if it is needed.
    method scrolled {from to} {
        $path.scroll set $from $to
        if {$from <= 0 && $to >= 1} {
            grid remove $path.scroll
        } else {
            grid $path.scroll
        }
    }

    # ---- Following

    # Called when WHAT of the model has changed. After a move of the view, the sums are computed only when the view has
    # rested for a moment, so that moving stays smooth. Until then the old sums are shown in grey.
    method changed {what} {
        switch $what {
            log {
                my stop_job
                $rows set_sums {} {}
                $waits drop
                $functions drop
                set sums_of {}
                set counters {}
                my fill
                my refresh_soon
            }
            time - rows - digest {
                if {$what ne "time"} {
                    set sums_of {}
                    $waits renew
                    $functions renew
                }
                my refresh_soon
                my colour_rows
            }
            hidden - searchable - colours { my fill }
            picked { $rows set_messages [[$model log] messages {*}[$model window]]; my fill }
            left_out {
                # The model reports this change for each picture of a moving view. So the table is filled only if
                # messages have appeared or disappeared.
                if {[$model arrows_seen] != $messages_seen} {
                    my fill
                }
            }
            theme { my redraw_all }
        }
    }

    method current {} { expr {$sums_of eq [$model window]} }

    method refresh_soon {} {
        after cancel $pending
        my stop_job
        $waits stop; $functions stop
        set pending [after 120 [namespace code {my start_job}]]
    }

    # Starts a job that computes the sums in a thread. `job_event` drops the result if the view has moved meanwhile.
    method start_job {} {
        set pending {}
        set now [$model window]
        set job [[$model log] sumsjob {*}$now [list [self] job_event $now]]
    }

    method stop_job {} {
        if {$job ne {}} {
            set old $job
            set job {}
            $old stop
        }
    }

    method job_event {window what args} {
        if {$job eq {} || $window ne [$model window]} {
            return
        }
        switch $what {
            progress - stopped { return } # it may come from an earlier job
            done { lassign [lindex $args 0] sums computing }
            failed { lassign {} sums computing }
        }
        set job {}
        my set_sums_of $window
    }

    # Computes the sums of the time shown now, without a job.
    method refresh {} {
        after cancel $pending
        set pending {}
        if {![winfo exists $tree] || [my current]} {
            return
        }
        my stop_job
        set now [$model window]
        if {[catch {lassign [[$model log] sums {*}$now] sums computing}]} {
            lassign {} sums computing
        }
        my set_sums_of $now
    }

    # ---- The columns for waiting (waiting.tcl shows them when the log is analyzed)

    method show_waiting {on} {
        if {$on == [$waits is_on]} {
            return
        }
        $waits set_on $on
        my fit_columns
        my fill
    }

    method fit_columns {} {
        if {[winfo width $tree] > 1} {
            # The bars of shares are long in a wide table. They are left out if the table is narrow, or if it has so
            # many columns that the names need the room.
            set before $bar
            set columns_too [string is true -strict $detailed]
            set width [winfo width $tree]
            set bar [expr {$width > [px 700] ? [px 240] : $columns_too || $width < [px 340] ? 0 : [px 60]}]
            set fitted $wanted
            $columns fit [$waits is_on] $columns_too $wanted
            if {$bar != $before} {
                my forget_rows
                my fill
            } else {
                my fit_names
            }
        }
    }

    # Cuts the names anew if the width of their column has changed, because Tk would truncate them without an ellipsis.
    method fit_names {} {
        if {[winfo exists $tree] && [$tree column #0 -width] != $room} {
            my fill
        }
    }

    method cut_name {name font before} {
        set wanted [expr {max($wanted, [font measure $font "$name  "] + [px $before] + $bar)}]
        return " [::pith::cut_text $name $font [expr {$room - [px $before] - $bar}]]"
    }

    # The tooltip at a point: the help on a heading or a switch, or the full name of a row if it is cut.
    method whole_at {x y} {
        if {[$tree identify region $x $y] eq "heading"} {
            return [::pith::heading_help [my column_at $x $y]]
        }
        set switch [string map {eye show lens find} [my column_at $x $y]]
        if {$switch in {show find} && [$tree identify item $x $y] ne {}} {
            return [my switch_help $switch [$tree set [$tree identify item $x $y] $switch]]
        }
        set item [$tree identify item $x $y]
        if {$item eq {} || [$tree identify column $x $y] ne "#0" || ![string match *\u2026 [$tree item $item -text]]} {
            return
        }
        return [my name $item]
    }

    method column_at {x y} {
        set column [$tree identify column $x $y]
        return [expr {$column eq "#0" ? $column : [$tree column $column -id]}]
    }

    method switch_help {switch state} {
        return [expr {$state eq {} ? {} : $switch eq "show" ?
            ($state eq "\u2611" ? "Shown: a click hides it." : "Hidden: a click shows it.") :
            ($state eq "\u2611" ? "Searches find it: a click excludes it." : "Searches pass over it: a click includes it.")}]
    }

    method name {item} { [expr {[$rows kind $item] eq "function" ? $functions : $rows}] name $item }

    # Waits until the jobs have computed the times of waiting and the functions of samples in the time shown.
    method finish_waiting {} { $waits finish; $functions finish }

    method set_sums_of {window} {
        set sums_of $window
        $rows set_sums $sums [[$model log] messages {*}$window] $computing
        set counters [[$model log] counters {*}$window]
        $waits start
        $functions follow
        my fill
        my colour_tags
    }

    method forget_rows {} {
        set shown [dict map {item look} $shown {string cat old}]
        set made_of [dict map {item of} $made_of {string cat old}]
        lassign {0 0} wanted fitted
    }

    # Draws the table again, after the icons of all rows have changed.
    method redraw_all {} {
        if {[$columns size]} {
            my fit_columns
        }
        my forget_rows
        my colour_tags
        my fill
    }

    # ---- The table

    # Updates the table. Changes as little as possible in Tk's table, so that even 2000 rows take almost no time.
    method fill {} {
        if {![winfo exists $tree]} {
            return
        }
        foreach {column name title} {
            #0 name Name  show show Show  find find Find  count count Count  inclusive inclusive Total
            exclusive exclusive Self  share share Share  waiting waiting Waiting  caused caused Caused
        } {
            set mark [expr {$name ne [$rows order] ? {} : [$rows falling] ? "\u2009\u25be" : "\u2009\u25b4"}]
            $tree heading $column -text $title$mark
        }
        set hidden [$rows as_set [$model hidden]]
        set unsearched [$rows as_set [$model unsearched]]
        set room [$tree column #0 -width]
        set top {}
        set layout [$rows layout]
        set before [expr {[lindex $layout 0] eq {} ? 46 : 58}]
        my put_definitions [concat {*}[dict values $layout]] $hidden $unsearched
        foreach {group items} $layout {
            if {$group eq {}} {
                set top $items
            } elseif {$group in {messages computing}} {
                lappend top $group
            } else {
                my put_row group:$group [my row_of_group group:$group $items $hidden $unsearched]
                $tree item group:$group -open [expr {![dict exists $closed $group]}]
                $tree children group:$group $items
                lappend top group:$group
            }
        }
        lappend top {*}[my put_functions]
        # Puts the rows of the top level into the table. Then removes those rows from the selection that the table no
        # longer shows.
        $tree children {} $top
        foreach item [$tree selection] {
            if {[my detached $item]} {
                $tree selection remove [list $item]
            }
        }
        if {[$columns is_wider] || $wanted > $fitted} {
            my fit_columns
        }
    }

    # Puts the functions of samples into the table. Returns the item of their group; {} if there are none.
    method put_functions {} {
        set looks [$functions looks [namespace code {my cut_name}]]
        dict for {item look} $looks { my put_row $item $look }
        set members [lassign [dict keys $looks] group]
        if {$group ne {}} {
            $tree item $group -open [expr {![dict exists $closed [string range $group 6 end]]}]
            $tree children $group $members
        }
        return [lrange [dict keys $looks] 0 0]
    }

    method detached {item} {
        set parent [$tree parent $item]
        return [expr {$item ni [$tree children $parent] || $parent ne {} && $parent ni [$tree children {}]}]
    }

    method put_row {item look} {
        if {![dict exists $shown $item]} {
            $tree insert {} end -id $item
        } elseif {[dict get $shown $item] eq $look} {
            return
        }
        my set_row $item $look
        dict set shown $item $look
    }

    # Puts definitions into the table. Calls no method for an unchanged row, because calls are slow and there may be
    # thousands of rows.
    method put_definitions {items hidden unsearched} {
        set defs [$model defs]
        set counted [$rows sums]
        foreach item $items {
            if {$item in {messages computing}} {
                my put_row $item [my row_of_$item]
                continue
            }
            set def [dict get $defs $item]
            set sum [expr {[dict exists $counted $item] ? [dict get $counted $item] :
                [dict exists $counters $item] ? [dict get $counters $item] : {}}]
            set of "[dict get $def name] [dict get $def colour] [dict exists $hidden $item]\
                [dict exists $unsearched $item] [dict values $sum] [$waits texts $item] $room [$rows longest]"
            if {![dict exists $made_of $item]} {
                $tree insert {} end -id $item
            } elseif {[dict get $made_of $item] eq $of} {
                continue
            }
            dict set made_of $item $of
            my set_row $item [my row_of $def [dict exists $hidden $item] [dict exists $unsearched $item] $sum \
                [$waits texts $item]]
        }
    }

    method set_row {item look} {
        $columns see $look
        set values [dict get $look -values]
        scan [lindex $values 5] %f percent
        $tree item $item {*}[dict replace $look -image [::pith::box::with_bar [dict get $look -image] \
            [expr {[info exists percent] ? min(100.0, $percent) : 0}] $bar]]
        my set_switches $item
    }

    # Shows or hides the eye and the lens of a row. The row under the pointer has both. Any other row has an eye only if
    # it is hidden, and a lens only if searches leave it out.
    method set_switches {item} {
        foreach {column switch on off part} {eye show \u25c9 \u25cb \u25ce  lens find \u2315 \u2300 \u2300} {
            set state [$tree set $item $switch]
            set text [expr {$state eq "\u2610" ? $off : $state eq "\u25a3" ? $part :
                $state ne {} && $item eq $hovered ? $on : {}}]
            if {[$tree set $item $column] ne $text} {
                $tree set $item $column $text
            }
        }
    }

    method hover {x y} {
        set item [expr {$y < 0 ? {} : [$tree identify item $x $y]}]
        if {$item eq $hovered} {
            return
        }
        set before $hovered
        set hovered $item
        foreach one [list $before $item] {
            if {$one ne {} && [$tree exists $one]} {
                my set_switches $one
            }
        }
    }

    # The values of a row's cells, without those of the last two columns, the eye and the lens.
    method values {item} { return [lrange [$tree item $item -values] 0 [expr {[$waits is_on] ? 7 : 5}]] }

    method row_of {def is_hidden is_unsearched sum wait_texts} {
        set kind [dict get $def kind]
        return [list -text [my cut_name [dict get $def name] TkDefaultFont $before] \
            -image [::pith::box::image $kind [dict get $def colour] [expr {!$is_hidden}]] \
            -values [list [my switch_text [expr {!$is_hidden}]] [my switch_text [expr {!$is_unsearched}]] \
                {*}[$rows sum_texts $sum $kind] {*}$wait_texts] \
            -tags [expr {$is_hidden ? "hidden" : "row"}]]
    }

    method row_of_messages {} {
        set on [set messages_seen [$model arrows_seen]]
        return [list -text " messages[expr {[$model message_filter] eq {} ? {} : { (filtered)}}]" -image [::pith::box::image message [colour arrow] $on] \
            -values [list [my switch_text $on] {} {*}[$rows sum_texts [$rows sum messages] message]] \
            -tags [expr {$on ? "row" : "hidden"}]]
    }

    # Makes the row of the time outside all states.
    method row_of_computing {} {
        set sum [$rows sum computing]
        return [list -text " [$rows name computing]" -image [::pith::box::image state [colour idle] 1] \
            -values [list {} {} {} {} [$rows time_text [dict get $sum exclusive]] \
                [format "%.1f %%" [expr {100 * [dict get $sum share]}]] {*}[$waits texts computing]] -tags row]
    }

    # Makes the row of a group. If some of the members are hidden and others are shown, the group's checkbox is
    # half-filled.
    method row_of_group {item items hidden unsearched} {
        set off 0
        set passed 0
        foreach member $items {
            incr off [dict exists $hidden $member]
            incr passed [dict exists $unsearched $member]
        }
        set count [llength $items]
        set sum [$rows group_sum $items]
        return [list -text [my cut_name [$rows name $item] PithBold 28] -image {} \
            -values [list [my part_text $off $count] [my part_text $passed $count] \
                {*}[$rows sum_texts $sum group] {*}[$waits sum_texts $sum]] \
            -tags [expr {$off == $count ? {group hidden} : {group row}}]]
    }

    method switch_text {on} { return [expr {$on ? "\u2611" : "\u2610"}] }
    method part_text {off count} { return [expr {$off == 0 ? "\u2611" : $off == $count ? "\u2610" : "\u25a3"}] }

    # ---- User actions

    method sort_by {column {how {}}} {
        $rows sort_by $column $how
        my fill
    }

    method set_filter {text} { $filter set_text $text }

    method filter_changed {text} {
        $rows set_filter $text
        my fill
    }

    method switched {} {
        $rows set_all [string is true -strict $all]
        $rows set_grouped [string is true -strict $grouped]
        my fit_columns
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

    method on_checkbox {x y} {
        return [expr {[$tree identify region $x $y] eq "cell" &&
            [$tree column [$tree identify column $x $y] -id] in {show find eye lens}}]
    }

    # Handles a click. Returns 1 if the click was on a checkbox or switch; the caller then ends the handling of the
    # click, so that Tk does not also select the row.
    method click {x y} {
        set item [$tree identify item $x $y]
        focus $tree
        if {$item eq {} || ![my on_checkbox $x $y]} {
            return 0
        }
        set column [string map {eye show lens find} [$tree column [$tree identify column $x $y] -id]]
        set items [expr {$item in [$tree selection] ? [$tree selection] : [list $item]}]
        my [expr {$column eq "show" ? "show" : "search_for"}] $items [expr {
            [$tree set $item $column] ne [my switch_text 1]}]
        return 1
    }

    # Handles the release of the mouse button. After a click on a name, calls `asker`, which shows the times of the
    # state for each rank. Does not do so for counters and messages, which have no such times.
    method released {x y} {
        set item [$tree identify item $x $y]
        if {$asker eq {} || $item ni [$tree selection] || [my on_checkbox $x $y] ||
            [string match *indicator [$tree identify element $x $y]]} {
            return
        }
        set ids [lmap id [my ids_of [list $item]] {if {[dict get [$model def $id] kind] eq "counter"} continue; set id}]
        if {$ids ne {}} {
            {*}$asker $ids [my name $item]
        }
    }

    method double {x y} {
        set item [$tree identify item $x $y]
        if {[my on_checkbox $x $y]} {
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

    # Shows only these items, and hides all others.
    method only {items} {
        set ids [$rows as_set [my ids_of $items]]
        if {![dict size $ids]} {
            return
        }
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

    # Opens the menu, whose commands apply to the selected rows. A right click on a row that is not selected first
    # selects only this row.
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

# The columns of the legend's table. This class decides how wide they are, and which of them are shown.

oo::class create ::pith::LegendColumns {
    variable tree
    variable sizes  ;# the scale and the font size for which the widths were set; {}: none yet
    variable needed ;# widest values so far, for ::pith::make_room
    variable wider  ;# 1: a column became wider since the last fit

    # SORT: a command. After a click on a heading, it is called with the name of the column.
    constructor {its_tree sort} {
        set tree $its_tree
        set sizes {}
        $tree configure -columns [concat $::pith::LegendColumns::usual {waiting caused eye lens}] \
            -displaycolumns $::pith::LegendColumns::brief
        foreach {column width anchor} $::pith::LegendColumns::looks {
            set by [string map {#0 name eye show lens find} $column]
            $tree heading $column -anchor $anchor -command [list {*}$sort $by]
            $tree column $column -anchor $anchor -stretch [expr {$column eq "#0"}]
        }
        my size
    }

    # Sets the widths of the columns for the present scale and font size, and returns 1. If the widths were already set
    # for this scale and font size, does nothing and returns 0, because the user may have changed them since.
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

    # Widens columns that are too narrow for the values of a row. LOOK: the row's options -text, -values and so on, as
    # Tk's table takes them.
    method see {look} {
        set font [expr {"group" in [dict get $look -tags] ? "PithBold" : "TkDefaultFont"}]
        if {[::pith::make_room $tree $font [dict get $look -values] needed]} {
            set wider 1
        }
    }

    method is_wider {} { return $wider }

    method fit {with_waiting detailed wanted} {
        set wider 0
        if {!$detailed} {
            set columns $::pith::LegendColumns::brief
            ::pith::fit_columns $tree [expr {$with_waiting ? [linsert $columns 1 waiting] : $columns}] \
                {lens waiting eye} $wanted
            return
        }
        set columns [set ::pith::LegendColumns::[expr {$with_waiting ? "waiting" : "usual"}]]
        ::pith::fit_columns $tree $columns {find inclusive count caused waiting show} $wanted
    }
}

namespace eval ::pith::LegendColumns {
    # Column, its width at a scale of 1, and its anchor.
    variable looks {
        #0 186 w  show 42 center  find 36 center  count 74 e  inclusive 84 e  exclusive 76 e  share 64 e
        waiting 76 e  caused 76 e  eye 26 center  lens 26 center
    }
    variable brief {share eye lens} ;# the columns, unless the user asks for more
    variable usual {show find count inclusive exclusive share}
    variable waiting {show count exclusive share waiting caused} ;# columns while the columns for waiting are shown
}

# The field above the legend in which the user types a filter of names: BAR.filter, with the button BAR.clear. The
# window's undo (model.tcl) also takes back changes of this filter.

oo::class create ::pith::LegendFilter {
    variable bar       ;# frame of the field
    variable model
    variable changed   ;# script called with a new filter
    variable text      ;# text in the field
    variable filter    ;# the filter that the legend uses

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

    # The model calls `current` to save the filter for undo, and `apply` to restore it.
    method current {} { return $filter }
    method apply {its_filter} {
        set filter $its_filter
        set text $filter
        my show_hint
        {*}$changed $filter
    }

    # Shows a hint in the field while it is empty.
    method show_hint {} {
        if {$text eq {}} {
            place $bar.hint -in $bar.filter -x [px 6] -rely 0.5 -anchor w
        } else {
            place forget $bar.hint
        }
    }
}

# Commands and context menu of the legend.

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

    method word_legend_columns {on} { $legend set_switch detailed [my switch legend_columns $on] }

    method word_fold {pattern {on on}} {
        foreach group [$legend groups] {
            if {[string match $pattern $group]} {
                $legend fold $group [my switch fold $on]
            }
        }
    }

    # The command `legend_rows`. Returns the rows of the table, from top to bottom.
    method word_legend_rows {} {
        $window word_sync
        set tree [$legend tree]
        return [concat {*}[lmap item [$tree children {}] {
            list [my row $item] {*}[lmap member [$tree children $item] {my row $member}]
        }]]
    }

    method row {item} {
        set tree [$legend tree]
        return [list [$legend name $item] {*}[$legend values $item]]
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
        legend_columns {on|off}           {show counts and times in columns, or only shares}     word_legend_columns
        fold           {GROUP ?on|off?}   {collapse groups of the legend}                        word_fold
        legend_rows    {}                 {rows of the legend, as displayed}                     word_legend_rows
        find_in_legend {}                 {go to the filter of the legend}                       word_find_in_legend
    }
    keys {
        {Control-l} {Ctrl-l} {filter the legend} {find_in_legend}
    }
    menus {
        Statistics {"Filter the legend" find_in_legend Ctrl-L}
    }
}
