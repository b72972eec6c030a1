# rows.tcl - lets the user arrange rows. It has the commands, keys and menus that change the tree of rows
# (core/rows/rows.h), and the fields in the corner below the row labels: the row filter and the slider of the row
# height.

oo::class create ::pith::Rows {
    variable window model labels
    variable pointer      ;# pointer of the labels
    variable tools        ;# frame of the corner
    variable filter_text        ;# text of the filter
    variable filtering    ;# after id of the filter
    variable log_height     ;# value of the slider
    variable clipboard    ;# nodes that were cut
    variable generation   ;# generation of the tree; it changes when nodes get new numbers
    variable sorting      ;# job that sorts or groups now; {} none
    variable sorts        ;# number of jobs started that sort or group
    variable woken        ;# written to wake up `wait_for`
    variable grouping direction ;# values of the menus

    constructor {its_window} {
        set window $its_window
        set model [$window model]
        set labels [[$window timeline] labels]
        lassign {} filter_text filtering clipboard sorting
        set generation [$model tree generation]
        set direction falling
        set sorts 0
        set frame [[$window timeline] path]
        set tools [ttk::frame $frame.rowtools -padding {6 4 6 4}]
        ttk::entry $tools.filter -width 4 -textvariable [my varname filter_text]
        ttk::label $tools.hint -text filter -style Faint.TLabel -background [colour paper]
        ttk::scale $tools.height -from -3 -to 5.3 -length 40 -variable [my varname log_height] \
            -command [list [self] slide]
        ttk::progressbar $tools.progress -maximum 1.0 -length 40
        pack $tools.filter -fill x
        pack $tools.height -fill x -pady {4 0}
        place $tools.hint -in $tools.filter -x 6 -rely 0.5 -anchor w
        grid $tools -row 8 -rowspan 2 -column 0 -sticky nsew
        set me [self]
        bind $tools.hint <Button-1> [list focus $tools.filter]
        bind $tools.filter <KeyRelease> [list $me filter_soon]
        bind $tools.filter <FocusIn> [list $me hint]
        bind $tools.filter <FocusOut> [list $me hint]
        bind $tools.filter <Return> [list $me leave_filter]
        bind $tools.filter <Escape> "$me clear_filter; $me leave_filter; break"
        bind $tools.progress <Button-1> [list $me stop_sorting]
        set pointer [::pith::LabelPointer new $window [self]]
        foreach canvas [list [[$window timeline] plot] [$labels path]] {
            ::pith::bind_wheel $canvas Alt- [list $window taller 1.15] [list $window taller 0.87]
        }
        $model follow [list [self] changed]
        my changed size
    }

    destructor {
        after cancel $filtering
        $pointer destroy
    }

    # ---- The corner below the labels

    method hint {} {
        if {$filter_text eq {} && [focus] ne "$tools.filter"} {
            place $tools.hint -in $tools.filter -x 6 -rely 0.5 -anchor w
        } else {
            place forget $tools.hint
        }
    }

    method focus_filter {} { focus $tools.filter }
    method leave_filter {} { focus [[$window timeline] plot] }

    method clear_filter {} {
        set filter_text {}
        my filter
    }

    method filter_soon {} {
        my hint
        after cancel $filtering
        set filtering [after 120 [namespace code {my filter}]]
    }

    # Applies the typed filter. If no row matches, the rows stay as they are.
    method filter {} {
        after cancel $filtering
        set filtering {}
        set wrong 0
        if {$filter_text ne [$model tree pattern]} {
            set wrong [catch {$model select $filter_text}]
        }
        $tools.filter configure -foreground [colour [expr {$wrong ? "alarm" : "text"}]]
    }

    # Called when the user has moved the slider of the row height. The slider is logarithmic: from 3 to 6 pixels it
    # moves as far as from 60 to 120.
    method slide {value} {
        set pixels [expr {exp($value)}]
        $model set_row_height [expr {$pixels >= 1.5 ? round($pixels) : $pixels}]
    }

    method changed {what} {
        switch $what {
            size { set log_height [expr {log([$model row_height])}] }
            log { my forget_nodes }
            rows {
                if {[$model tree generation] != $generation} {
                    my forget_nodes
                }
                set grouping [$model tree grouping]
                if {$filtering eq {} && [focus] ne "$tools.filter"} {
                    set filter_text [$model tree pattern]
                    my hint
                }
            }
            theme { $tools.hint configure -background [colour paper] }
        }
    }

    # Called when the nodes of the tree have got new numbers. Forgets the chosen rows and the cut rows, because these
    # are stored by their old numbers.
    method forget_nodes {} {
        set generation [$model tree generation]
        set clipboard {}
        $labels choose {}
    }

    # ---- Words

    # The command `group`: groups rows by host, by communicator, or by how alike they are. PERCENT, for `alike`: ranks
    # are in one group if they spend at most this share of their time differently.
    method word_group {how {percent {}}} {
        set how [dict get {host host comm comm communicator comm alike alike none none nothing none} $how]
        if {$percent ne {} && ($how ne "alike" || ![string is double -strict $percent] || $percent < 0 || $percent > 100)} {
            throw {PITH USAGE} "group: only alike takes a number, of per cent, not $percent"
        }
        if {$how ne "alike"} {
            my stop_sorting
            $model arrange group $how
            return
        }
        $model push rows
        my wait_for alike [expr {$percent eq {} ? 5 : $percent}] {*}[$model window]
    }

    method word_expand {{pattern {}}} { my open_like $pattern 1 }
    method word_collapse {{pattern {}}} { my open_like $pattern 0 }

    method open_like {pattern on} {
        if {$pattern in {{} all}} {
            $model arrange level [expr {$on ? 99 : 0}]
        } else {
            $model arrange open [$model tree find $pattern] $on
        }
    }

    method word_unfold_rows {{pattern *}} { $model arrange unfold [$model tree find $pattern] 1 }
    method word_fold_rows {{pattern *}} { $model arrange unfold [$model tree find $pattern] 0 }

    method word_level {level} { $model arrange level $level }
    method word_hide_rows {pattern} { $model arrange hide [$model tree find $pattern] 1 }
    method word_show_rows {} { $model arrange show }
    method word_only_rows {pattern} { $model arrange only [$model tree find $pattern] }
    method word_pin {pattern} { $model arrange pin [$model tree find $pattern] 1 }

    method word_unpin {{pattern *}} {
        $model arrange pin [$model tree find $pattern] 0
        if {$pattern eq "*"} {
            $model arrange pin [lmap row [my pinned_rows] {dict get $row node}] 0
        }
    }

    method pinned_rows {} {
        set rows [expr {[$model pinned_count] ? [$model rows 0 [expr {[$model pinned_count] - 1}]] : {}}]
        return [lmap row $rows {if {![dict get $row pinned]} continue; set row}]
    }

    method word_move_rows {pattern where target} {
        set nodes [$model tree find $pattern]
        set target [lindex [$model tree find $target] 0]
        if {![$model arrange move $nodes $target [expr {$where eq "behind"}]]} {
            throw {PITH USAGE} "move_rows: rows cannot leave their group"
        }
    }

    method word_rowstate {} {
        return [dict merge [$model tree state] [dict create \
            height [expr {[$model auto_height] ? 0 : [$model row_height]}] \
            width [expr {[$labels user_width] ? [$labels width] : 0}]]]
    }

    method word_set_rowstate {state} {
        $model arrange set_state $state
        if {[dict exists $state height] && [dict get $state height]} {
            $model set_row_height [dict get $state height]
        }
        if {[dict exists $state width] && [dict get $state width]} {
            $labels set_width [dict get $state width]
        }
    }

    method word_row_list {} {
        return [lmap row [$model rows] {list [dict get $row depth] [dict get $row kind] [dict get $row label] \
            [dict get $row note]}]
    }

    method word_labels {} { return [$labels path] }

    # ---- Sorting

    # The command `sort`: sort BY ?NAME? ?rising|falling?. Sorts the rows, by default names and ranks rising, numbers
    # falling.
    method word_sort {by args} {
        if {[lindex $args end] in {rising falling}} {
            set args [lassign [lreverse $args] way]
            set args [lreverse $args]
        } else {
            set way [expr {$by in {name rank} ? "rising" : "falling"}]
        }
        lassign $args pattern
        if {$by eq "mpi"} {
            lassign {self MPI_*} by pattern
        }
        set by [string map {inclusive total exclusive self} $by] ;# older names of these words
        if {$by in {total self share count} && $pattern eq {}} {
            throw {PITH USAGE} "sort $by: needs the name of a state"
        }
        if {$by in {waiting caused}} {
            [$window part Waiting] wait_for
        }
        my wait_for sort $by [expr {$way eq "falling"}] {*}[$model window] [$model ids_like $pattern]
    }

    # Starts a job that sorts or groups rows, and waits until it has ended.
    method wait_for {args} {
        my stop_sorting
        set sorting [[$model log] {*}$args [list [self] sort_event [incr sorts]]]
        # If the log is closed, its job ends without a report. So a timer ends each wait after 200 ms, and the loop
        # looks whether the job still exists.
        while {[info exists sorting] && $sorting ne {} && [info commands $sorting] ne {}} {
            set timer [after 200 [list set [my varname woken] 1]]
            vwait [my varname woken]
            after cancel $timer
        }
    }

    method stop_sorting {} {
        if {$sorting ne {}} {
            catch {$sorting stop}
        }
    }

    # The job that sorts or groups calls this when WHAT has happened. While a long job runs, a progress bar takes the
    # place of the slider; a click on the bar stops the job.
    method sort_event {number what {value {}}} {
        if {$number != $sorts} {
            return
        }
        if {$what eq "progress"} {
            pack forget $tools.height
            pack $tools.progress -fill x -pady {4 0}
            $tools.progress configure -value $value
            return
        }
        pack forget $tools.progress
        pack $tools.height -fill x -pady {4 0}
        if {$what eq "done"} {
            $model rows_changed
        } elseif {$what eq "failed"} {
            $model set_trouble $value
        }
        set sorting {}
        set woken 1
    }

    # ---- Keys and menus. They act on the chosen rows; if none are chosen, on the row under the pointer, else on the
    # row of the chosen record

    method target_rows {} {
        if {[$labels chosen] ne {}} {
            return [$labels chosen]
        }
        set row [$labels under]
        if {$row < 0 && [[$window choice] thing] ne {}} {
            set row [lindex [[$window choice] rows] 0]
        }
        return [expr {$row < 0 ? {} : [list [dict get [$model row $row] node]]}]
    }

    method hide_meant {} {
        $model arrange hide [my target_rows] 1
        $labels choose {}
    }

    method only_meant {} {
        if {[my target_rows] ne {}} {
            $model arrange only [my target_rows]
        }
    }

    method pin_meant {} {
        set nodes [my target_rows]
        set pinned [lmap row [my pinned_rows] {dict get $row node}]
        if {$nodes ne {}} {
            $model arrange pin $nodes [expr {[lindex $nodes 0] ni $pinned}]
        }
    }

    # Opens or closes the target rows (ON is 1 or 0). Instead of a row that cannot be closed, closes its group.
    method open_meant {on} {
        set nodes [my target_rows]
        if {!$on} {
            set nodes [lmap node $nodes {my closable $node}]
        }
        $model arrange open $nodes $on
    }

    method open_chosen {} { my open_meant 1 }
    method close_chosen {} { my open_meant 0 }

    method closable {node} {
        set row [$model row [$model tree row $node]]
        if {$row ne {} && [dict get $row children] && [dict get $row open]} {
            return $node
        }
        return [expr {[$model tree parent $node] ? [$model tree parent $node] : $node}]
    }

    # Unfolds the target rows, that is, shows their nesting levels as rows. If the first of them is already unfolded,
    # folds them.
    method unfold_meant {} {
        set nodes [my target_rows]
        if {$nodes ne {}} {
            set row [$model row [$model tree row [lindex $nodes 0]]]
            $model arrange unfold $nodes [expr {$row ne {} && ![dict get $row unfolded]}]
        }
    }

    method cut_rows {} {
        if {[my target_rows] ne {}} {
            set clipboard [my target_rows]
            my hide_meant
        }
    }

    # Pastes the rows that were cut, before the target row. If the target row is in another group, puts them back to
    # their old place.
    method paste_rows {} {
        if {$clipboard ne {}} {
            set target [lindex [my target_rows] 0]
            if {$target ne {} && $target ni $clipboard} {
                $model tree move $clipboard $target 0
            }
            $model arrange hide $clipboard 0
            $labels choose $clipboard
            set clipboard {}
        }
    }

    method next_grouping {} {
        my word_group [dict get {host comm comm none none alike alike host} [$model tree grouping]]
    }

    # Makes the menu of a row label. ROW {}: the menu for the space below all labels.
    method make_menu {menu row} {
        destroy $menu
        menu $menu -tearoff 0
        set me [self]
        if {$row ne {}} {
            set is_open [dict get $row open]
            if {[dict get $row children]} {
                $menu add command -label [expr {$is_open ? "Collapse" : "Expand"}] \
                    -command [list $me open_meant [expr {!$is_open}]]
            }
            if {[dict get $row kind] eq "states"} {
                $menu add command -label [expr {[dict get $row unfolded] ? "Fold" : "Unfold nesting levels"}] \
                    -accelerator Shift-U -command [list $me unfold_meant]
            }
            $menu add command -label [expr {[dict get $row pinned] ? "Unpin" : "Pin to the top"}] -accelerator Shift-P \
                -command [list $me pin_meant]
            $menu add separator
            $menu add command -label "Hide" -accelerator Del -command [list $me hide_meant]
            $menu add command -label "Show only this" -command [list $me only_meant]
            $menu add command -label "Cut" -accelerator Ctrl-X -command [list $me cut_rows]
        }
        $menu add command -label "Paste above" -accelerator Ctrl-V -command [list $me paste_rows] \
            -state [expr {$clipboard eq {} ? "disabled" : "normal"}]
        set hidden [$model tree hidden]
        $menu add command -label "Show hidden rows[expr {$hidden ? " ($hidden)" : {}}]" \
            -command [list $me word_show_rows] -state [expr {$hidden ? "normal" : "disabled"}]
        $menu add separator
        $menu add command -label "Expand all" -accelerator e -command [list $me word_expand]
        $menu add command -label "Collapse all" -accelerator Shift-E -command [list $me word_collapse]
        $menu add cascade -label "Group by" -menu [my group_menu $menu.group]
        $menu add cascade -label "Sort by" -menu [my sort_menu $menu.sort]
        return $menu
    }

    method group_menu {menu} {
        menu $menu -tearoff 0
        set grouping [$model tree grouping]
        foreach {how text} {host "Host" comm "Communicator" alike "Likeness" none "Nothing"} {
            $menu add radiobutton -label $text -value $how -variable [my varname grouping] \
                -command [list [self] word_group $how]
        }
        return $menu
    }

    method sort_menu {menu} {
        menu $menu -tearoff 0
        foreach {text by} {
            "Rank" rank "Name" name "Time in MPI" mpi "Waiting" waiting "Caused waiting" caused "Messages" messages
            "Bytes" bytes
        } {
            $menu add command -label $text -command [list [self] sort_as $by]
        }
        menu $menu.state -tearoff 0
        set names [lsort -dictionary [lmap def [dict values [$model defs]] {
            if {[dict get $def kind] ne "state"} continue
            dict get $def name
        }]]
        foreach name [lrange $names 0 39] {
            $menu.state add command -label $name -command [list [self] sort_as self $name]
        }
        $menu add cascade -label "Self time in a state" -menu $menu.state
        $menu add separator
        foreach {way text} {falling "Largest first" rising "Smallest first"} {
            $menu add radiobutton -label $text -value $way -variable [my varname direction]
        }
        return $menu
    }

    # Sorts rows, when the user has chosen this in a menu. Ranks and names are always sorted rising; for numbers, the
    # user chooses the direction in the same menu.
    method sort_as {by {name {}}} {
        my word_sort $by [::pith::pattern_of $name] \
            [expr {$by in {rank name} ? "rising" : $direction}]
    }
}

::pith::part::add Rows {
    words {
        group      {host|comm|alike|none ?PERCENT?} {group rows by host, by communicator, by likeness (ranks that differ in at most 5 or PERCENT % of their time), or not at all} word_group
        expand     {?ROWS?}           {expand these groups (0-3, node1*), or all}              word_expand
        collapse   {?ROWS?}           {collapse these groups to one row each, or all}          word_collapse
        unfold_rows {?ROWS?}          {give each nesting level of these rows, or of all, a row, and each depth of their functions} word_unfold_rows
        fold_rows  {?ROWS?}           {fold these rows, or all, to one row each}             word_fold_rows
        level      {N}                {expand N levels of groups}                              word_level
        hide_rows  {ROWS}             {hide these rows}                                        word_hide_rows
        only_rows  {ROWS}             {hide all other rows}                                    word_only_rows
        show_rows  {}                 {show all hidden rows}                                   word_show_rows
        pin        {ROWS}             {pin these rows to the top}                              word_pin
        unpin      {?ROWS?}           {unpin these rows, or all}                               word_unpin
        move_rows  {ROWS before|behind ROW} {move rows within their group}                     word_move_rows
        sort       {BY ?STATE? ?rising|falling?}
                   {sort by name, rank, mpi, waiting, caused waiting (caused), messages or bytes; by total, self, share or count of STATE} word_sort
        row_list   {}                 {visible rows: lists of depth, kind, label, note}        word_row_list
        rowstate   {}                 {arrangement of the rows, for set_rowstate}              word_rowstate
        set_rowstate {STATE}          {restore an arrangement of rows}                         word_set_rowstate
        labels     {}                 {Tk path of the canvas of labels}                        word_labels
        filter_rows {}                {go to the row filter}                                   focus_filter
        hide_chosen {}                {hide the chosen rows, or the row under the pointer}     hide_meant
        open_chosen {}                {expand the chosen rows}                                 open_chosen
        close_chosen {}               {collapse the chosen rows, or their group}               close_chosen
        unfold_chosen {}              {unfold the chosen rows, or the row under the pointer; or fold them} unfold_meant
        pin_chosen {}                 {pin or unpin the chosen rows}                           pin_meant
        cut_rows   {}                 {cut the chosen rows, to paste them elsewhere}           cut_rows
        paste_rows {}                 {paste rows above the chosen row, or the row under the pointer} paste_rows
        next_group {}                 {next grouping: host, communicator, none, likeness}                next_grouping
    }
    keys {
        {F}         {Shift-f}         {filter rows}                              {filter_rows}
        {e}         {e}               {expand all groups of rows}                {expand}
        {E}         {Shift-e}         {collapse all groups of rows}              {collapse}
        {G}         {Shift-g}         {next grouping: host, communicator, none, likeness}  {next_group}
        {greater}   {>}               {expand the chosen group, or that under the pointer} {open_chosen}
        {less}      {<}               {collapse the chosen rows, or their group} {close_chosen}
        {U}         {Shift-u}         {unfold the chosen rows into a row per nesting level, or fold them} {unfold_chosen}
        {P}         {Shift-p}         {pin the chosen rows, or the row under the pointer} {pin_chosen}
        {Delete}    {Del}             {hide the chosen rows}                     {hide_chosen}
        {Control-x} {Ctrl-x}          {cut the chosen rows}                      {cut_rows}
        {Control-v} {Ctrl-v}          {paste rows above the chosen row}          {paste_rows}
    }
    menus {
        Rows {"Filter..." filter_rows Shift-F  - - -
              "Group by host" {group host} {}  "Group by communicator" {group comm} {}
              "Group ranks that are alike" {group alike} {}  "No groups" {group none} {}  - - -  "Expand all" expand e  "Collapse all" collapse Shift-E  - - -
              "Unfold nesting levels, or fold" unfold_chosen Shift-U  "Unfold all" unfold_rows {}
              "Fold all" fold_rows {}  - - -  "Pin" pin_chosen Shift-P  "Unpin all" unpin {}  "Hide" hide_chosen Del  "Show hidden rows" show_rows {}
              "Cut" cut_rows Ctrl-X  "Paste above" paste_rows Ctrl-V  - - -  "Sort by rank" {sort rank} {}
              "Sort by name" {sort name} {}  "Sort by time in MPI" {sort mpi} {}  "Sort by waiting" {sort waiting} {}
              "Sort by caused waiting" {sort caused} {}  "Sort by messages" {sort messages} {}
              "Sort by bytes" {sort bytes} {}}
    }
}
