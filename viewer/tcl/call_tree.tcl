# call_tree.tcl - the page with the call tree of the time and rows that are shown or selected. The top-down tree has,
# below each state or function, the ones inside it; the bottom-up tree has, below each one, its callers. The tree of
# states comes from `pith stat --by statepath`, the tree of sampled functions from `pith stat --by callpath`. A click on
# a node finds its instances in the timelines.

oo::class create ::pith::CallTree {
    superclass ::pith::ProgramBoard
    variable window model board interval rows scope
    variable tree cut
    variable way           ;# down or up
    variable of            ;# states or functions; {}: the page was not opened yet
    variable way_text of_text
    variable paths         ;# dict: path, a list of names -> {self total count} in ns
    variable below         ;# dict: node of the tree that is shown -> names of its children, most time first
    variable sums          ;# dict: node -> {self total count}; a node is a path, or, bottom-up, a name and its callers
    variable whole_ns      ;# total time of all paths, ns
    variable node_of       ;# dict: item of the table -> node
    variable ids           ;# dict: name of a state -> definition

    constructor {its_window} {
        next $its_window "Call tree"
        lassign {down {}} way of
        lassign {} paths below sums node_of ids
        set whole_ns 0
    }

    method page {} { return calltree }

    # Opens the page. At first the tree is of the selected time if time is selected, and of functions if the log has
    # samples.
    method open {} {
        if {$of eq {}} {
            set of [expr {[my has_samples] ? "functions" : "states"}]
        }
        if {![my is_open]} {
            set scope [expr {[$model selection] eq {} ? "window" : "selection"}]
        }
        return [next]
    }

    method has_samples {} {
        dict for {id def} [$model defs] {
            if {[dict get $def name] eq "pith:sample" && [dict get $def kind] eq "event"} {
                return 1
            }
        }
        return 0
    }

    method drop {} { lassign {} paths below sums }

    method way_name {word} { dict get {down "Top-down" up "Bottom-up"} $word }
    method of_name {word} { dict get {states "States" functions "Functions"} $word }

    # ---- Widgets

    method build {body} {
        ttk::frame $body.controls
        set way_text [my way_name $way]
        ttk::combobox $body.controls.way -state readonly -width 10 -textvariable [my varname way_text] \
            -values [lmap one {down up} {my way_name $one}]
        bind $body.controls.way <<ComboboxSelected>> [list [self] choose_way]
        set of_text [my of_name $of]
        ttk::combobox $body.controls.what -state readonly -width 10 -textvariable [my varname of_text] \
            -values [lmap one {states functions} {my of_name $one}]
        bind $body.controls.what <<ComboboxSelected>> [list [self] choose_of]
        pack $body.controls.way -side left -padx {0 6}
        if {[my has_samples]} {
            pack $body.controls.what -side left -padx {0 6}
        }
        pack {*}[my build_scope $body.controls] -side left -padx {0 6}
        ttk::button $body.controls.close -text "\u00d7" -width 2 -style Toolbutton -takefocus 0 -command [list [self] close]
        pack $body.controls.close -side right
        my build_progress $body.progress
        pack $body.progress -in $body.controls -side right -padx 6
        pack $body.controls -fill x -pady {0 4}
        ttk::frame $body.table
        set tree [ttk::treeview $body.table.tree -columns {total self share count} -height 6 -selectmode browse \
            -yscrollcommand [list $body.table.y set]]
        ttk::scrollbar $body.table.y -orient vertical -command [list $tree yview]
        foreach {column text widest} {#0 Name "MPI_Sendrecv"  total Total "0000.0 ms"  self Self "0000.0 ms"
            share Share "00.0 %"  count Count "000 000"} {
            set side [expr {$column eq "#0" ? "w" : "e"}]
            $tree heading $column -text $text -anchor $side
            $tree column $column -width [expr {[font measure TkDefaultFont $widest] + [px 12]}] -minwidth 30 \
                -stretch [expr {$column eq "#0"}] -anchor $side
        }
        set cut [::pith::CutTable new $tree {count self} {total tree_total self tree_self share tree_share count tree_count}]
        pack $body.table.y -side right -fill y
        pack $tree -side left -fill both -expand 1
        pack $body.table -fill both -expand 1
        bind $tree <<TreeviewOpen>> [list [self] opened]
        # Runs `clicked` only after the Treeview's own binding. The method `clicked` waits for a search, and meanwhile
        # the user may close the page by Escape. If the Treeview's binding ran afterwards, its widget would be gone.
        bind $tree <ButtonRelease-1> [list after idle [list catch [list [self] clicked %x %y]]]
        bind $tree <Return> "[list [self] find_chosen]; break"
        # In the table, these keys move the selection. `break` keeps the window's scripts for the same keys from
        # running, too.
        foreach key {Up Down Left Right space} {
            bind $tree <$key> "[bind Treeview <$key>]; break"
        }
    }

    # Returns 1 if the table exists. While a page is being opened, the page already exists but its table does not; $tree
    # may then still name the table of an earlier, closed page.
    method has_table {} { expr {[my is_open] && [info exists tree] && [winfo exists $tree]} }

    method show_former {is} {
        if {[my has_table]} {
            $tree configure -style [expr {$is ? "Former.Treeview" : "Treeview"}]
        }
    }

    method choose_way {} { my set_way [expr {$way_text eq [my way_name up] ? "up" : "down"}] }
    method choose_of {} { my set_of [expr {$of_text eq [my of_name functions] ? "functions" : "states"}] }

    method set_way {word} {
        set way $word
        set way_text [my way_name $way]
        my arrange
        my draw
    }

    method set_of {word} {
        if {$word eq "functions" && ![my has_samples]} {
            throw {PITH USAGE} "calltree: the log has no samples of functions; record them with pith run --sample"
        }
        set of $word
        set of_text [my of_name $of]
        my renew 0
    }

    # ---- The command

    method words {} {
        if {[file isdirectory [$model path]]} {
            my say "not while the program runs"
            return {}
        }
        return [list stat [$model path] --by [expr {$of eq "states" ? "statepath" : "callpath"}] --csv {*}[my range]]
    }

    method read {text} {
        set paths {}
        set whole_ns 0
        foreach line [lrange [::pith::board::read_csv $text] 1 end] {
            if {[llength $line] != 6} continue
            lassign $line path self - total - count
            set self [expr {round(1e9 * $self)}]
            dict set paths [split $path ";"] [list $self [expr {round(1e9 * $total)}] $count]
            incr whole_ns $self
        }
        my say {}
        my learn_ids
        my arrange
        my draw
    }

    # ---- The tree

    # Makes the nodes of the tree from the paths. In the top-down tree, each path is a node. In the bottom-up tree, a
    # node is a name with some of its callers, and stands for all paths that end with these names. The node's self time
    # and count are the sums of those of these paths. Its total is the sum of the totals of only those paths that
    # contain their last name once, because with recursion the same time would count twice.
    #
    #     a;b;a  self 3 total 3    a;b  self 2 total 5    a  self 1 total 6
    #     a: self 1 + 3, total 6;  a called by b: self 3, total 0;  a called by b called by a: the same
    method arrange {} {
        set sums {}
        set children {}
        dict for {path sum} $paths {
            lassign $sum self total count
            if {$way eq "down"} {
                dict set sums $path $sum
                dict lappend children [lrange $path 0 end-1] $path
                continue
            }
            set is_outermost [expr {[lindex $path end] ni [lrange $path 0 end-1]}]
            set node {}
            foreach name [lreverse $path] {
                set parent $node
                lappend node $name
                if {![dict exists $sums $node]} {
                    dict set sums $node {0 0 0}
                    dict lappend children $parent $node
                }
                lassign [dict get $sums $node] s t c
                dict set sums $node [list [expr {$s + $self}] [expr {$t + ($is_outermost ? $total : 0)}] [expr {$c + $count}]]
            }
        }
        set column [expr {$way eq "down" ? 1 : 0}]
        set below [dict map {parent nodes} $children {
            lmap pair [lsort -integer -decreasing -index 0 \
                [lmap node $nodes {list [lindex [dict get $sums $node] $column] $node}]] {lindex $pair 1}
        }]
    }

    method draw {} {
        if {![my has_table]} {
            return
        }
        set open [my open_nodes {}]
        $tree delete [$tree children {}]
        set node_of {}
        my fill {} {}
        # Opens the branches that were open before this drawing. If none was open, as in the first drawing, opens the
        # branch with most of the time in the top-down tree.
        if {$open eq {} && $way eq "down"} {
            set node [lindex [my children {}] 0]
            while {$node ne {} && [llength $node] < 4} {
                lappend open $node
                set node [lindex [my children $node] 0]
            }
        }
        foreach node $open {
            my open_node $node
        }
        $cut fit
    }

    method children {node} { expr {[dict exists $below $node] ? [dict get $below $node] : {}} }

    method open_nodes {item} {
        set nodes {}
        foreach child [$tree children $item] {
            if {[$tree item $child -open] && [dict exists $node_of $child]} {
                lappend nodes [dict get $node_of $child] {*}[my open_nodes $child]
            }
        }
        return $nodes
    }

    # Makes the rows below a node when the user opens it: at most 500 rows. If there are more, a last row says how many
    # are left out.
    method fill {item node} {
        $tree delete [$tree children $item]
        set nodes [my children $node]
        set longest [my longest]
        foreach child [lrange $nodes 0 499] {
            lassign [dict get $sums $child] self total count
            set share [expr {$way eq "down" ? $total : $self}]
            set new [$tree insert $item end -text " [lindex $child end]" {*}[my image [lindex $child end]] -values [list \
                {*}[lmap ns [list $total $self] {::pith::board::time_in_column $ns $longest}] \
                [format {%.1f %%} [expr {$whole_ns ? 100.0 * $share / $whole_ns : 0}]] [::pith::theme::cell $count]]]
            dict set node_of $new $child
            if {[my children $child] ne {}} {
                $tree insert $new end
            }
        }
        if {[llength $nodes] > 500} {
            $tree insert $item end -text " ... and [expr {[llength $nodes] - 500}] more, all of less time"
        }
    }

    # The longest total time in the table. All times of the table have the unit that suits this time.
    method longest {} { return [::tcl::mathfunc::max 0 {*}[lmap node [my children {}] {lindex [dict get $sums $node] 1}]] }

    method image {name} {
        set id [my id_of $name]
        return [expr {$id eq {} ? {} : [list -image [[$window legend] image $id]]}]
    }

    # The id of a state's definition; {} for a function, which has none.
    method id_of {name} { expr {[dict exists $ids $name] ? [dict get $ids $name] : {}} }

    method learn_ids {} {
        set ids {}
        dict for {id def} [$model defs] {
            if {[dict get $def kind] eq "state"} {
                dict set ids [dict get $def name] $id
            }
        }
    }

    method opened {} {
        set item [$tree focus]
        if {[dict exists $node_of $item] && ![dict exists $node_of [lindex [$tree children $item] 0]]} {
            my fill $item [dict get $node_of $item]
            $cut fit
        }
    }

    method item_of {node} {
        dict for {item its} $node_of {
            if {$its eq $node} {
                return $item
            }
        }
        return {}
    }

    method open_node {node} {
        set item [my item_of $node]
        if {$item ne {} && [my children $node] ne {}} {
            my fill $item $node
            $tree item $item -open 1
        }
    }

    # ---- Finding the states

    method clicked {x y} {
        if {[my has_table] && [$tree identify region $x $y] in {tree cell} && ![string match *indicator [$tree identify element $x $y]]} {
            my find_chosen
        }
    }

    method find_chosen {} {
        set item [lindex [$tree selection] 0]
        if {[dict exists $node_of $item]} {
            my find_node [dict get $node_of $item]
        }
    }

    # Marks all instances of a node's state or function in the timelines, and shows the first one in the board's time.
    # In the top-down tree of states, marks only the instances at the depth of the node's path. For a function of
    # samples, unfolds the row, because functions are shown only below the states of an unfolded row.
    method find_node {node} {
        set name [lindex $node end]
        set leaf [expr {$way eq "down" ? $name : [lindex $node 0]}]
        set kind states
        if {[my id_of $leaf] eq {}} {
            if {$of eq "states"} {
                return
            }
            set kind functions
        }
        lassign $interval from to
        set query "state == \"[string map {\\ \\\\ \" \\\"} $leaf]\" and end > ${from}ns and time < ${to}ns"
        if {$of eq "states" && $way eq "down"} {
            append query " and depth == [expr {[llength $node] - 1}]"
        }
        lassign [$model window] t0 t1
        if {$from < $t0 || $to > $t1} {
            $model zoom $from $to
        }
        if {[catch {[$window part Search] word_find $query -kind $kind -ranks [expr {$rows eq "all" ? {} : [$model tree lanes]}]} text]} {
            $window say $text
        }
    }

    # ---- Words

    method word_calltree {args} {
        if {$args eq {close}} {
            my close
            return
        }
        my open
        set what [lindex $args 0]
        switch -- $what {
            {} {}
            down - up { my set_way $what }
            states - functions { my set_of $what }
            of { my set_scope {*}[lrange $args 1 end] }
            rows { my set_rows {*}[lrange $args 1 end] }
            find { my wait; my find_node [lrange $args 1 end] }
            save { my wait; my save [lindex $args 1] }
            default {
                throw {PITH USAGE} "calltree: must be down, up, states, functions, of, rows, find NAME..., save FILE or close"
            }
        }
        my wait
        return {}
    }

    # Saves a screenshot if FILE ends with .png; otherwise all nodes of the tree, with times in seconds.
    method save {file} {
        if {[file extension $file] eq ".png"} {
            my picture $file
            return
        }
        set lines [list {path total_s self_s count}]
        my add_lines {} lines
        ::pith::board::write $file $lines
    }

    method add_lines {node name} {
        upvar 1 $name lines
        foreach child [my children $node] {
            lassign [dict get $sums $child] self total count
            lappend lines [list [join $child ";"] [::pith::words::seconds $total] [::pith::words::seconds $self] $count]
            my add_lines $child lines
        }
    }
}

::pith::part::add CallTree {
    words {
        calltree {?down|up|states|functions|of TIME|rows ROWS|find NAME...|save FILE|close?} {the call tree of the time shown, top-down or bottom-up; find: the states of a path} word_calltree
    }
    keys {{C} {Shift-c} {call tree} {calltree}}
    menus {Statistics {"Call tree..." calltree Shift-C}}
}
