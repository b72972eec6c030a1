# legend.tcl - the pane with colours, names, counts and times of what is in the window. A click on a colour hides or
# shows; a click on a heading sorts.

oo::class create ::pith::Legend {
    variable model
    variable path tree    ;# the frame and the table in it
    variable box          ;# id -> colour box image; "id-" -> the empty one of a hidden state
    variable sums         ;# as the log gave them
    variable order falling ;# sorted by which column, and how
    variable pending      ;# after id of a refresh to come

    constructor {parent its_model} {
        set model $its_model
        set path [ttk::frame $parent]
        set tree $path.tree
        set pending {}
        set sums {}
        set order share
        set falling 1
        my build
        $model follow [list [self] changed]
        bind $path <Destroy> [list after cancel [namespace code {my refresh}]]
    }

    method build {} {
        ttk::treeview $tree -columns {count time share} -selectmode browse -yscrollcommand [list [self] scrolled]
        ttk::scrollbar $path.scroll -orient vertical -command [list $tree yview]
        foreach {column title width anchor} {#0 Name 150 w count Count 70 e time Time 80 e share Share 60 e} {
            $tree heading $column -text $title -anchor $anchor -command [list [self] sort_by $column]
            $tree column $column -width $width -minwidth 40 -anchor $anchor -stretch [expr {$column eq "#0"}]
        }
        $tree tag configure hidden -foreground [::pith::theme::colour hidden]
        bind $tree <Button-1> [list [self] click %x %y]
        grid $tree $path.scroll -sticky nsew
        grid columnconfigure $path 0 -weight 1
        grid rowconfigure $path 0 -weight 1
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

    # The times in view follow a moving window with a delay: moving stays smooth.
    method changed {what} {
        if {$what in {time rows hidden digest}} {
            after cancel $pending
            set pending [after 120 [namespace code {my refresh}]]
        }
    }

    method refresh {} {
        after cancel $pending
        set pending {}
        if {![winfo exists $tree]} {
            return
        }
        if {[catch {[$model log] sums {*}[$model window]} sums]} {
            set sums {}
        }
        my fill
    }

    method sums {} { return $sums }

    method image {id} {
        if {![info exists box($id)]} {
            set colour [dict get [$model def $id] colour]
            set box($id) [image create photo -width 18 -height 12]
            $box($id) put #5f6b77 -to 2 0 16 12
            $box($id) put $colour -to 3 1 15 11
            set box($id-) [image create photo -width 18 -height 12]
            $box($id-) put #a7b1bb -to 2 0 16 12
            $box($id-) put #ffffff -to 3 1 15 11
        }
        return [expr {$id in [$model hidden] ? $box($id-) : $box($id)}]
    }

    method value {sum} {
        switch $order {
            #0 { return [dict get [$model def [dict get $sum id]] name] }
            count { return [dict get $sum count] }
            time { return [dict get $sum inclusive] }
            share { return [dict get $sum exclusive] }
        }
    }

    method fill {} {
        set rows [lmap sum $sums {list [my value $sum] $sum}]
        set rows [lsort [expr {$order eq "#0" ? "-dictionary" : "-integer"}] \
            [expr {$falling ? "-decreasing" : "-increasing"}] -index 0 $rows]
        set selected [$tree selection]
        $tree delete [$tree children {}]
        foreach row $rows {
            my add [lindex $row 1]
        }
        if {[$tree exists $selected]} {
            $tree selection set [list $selected]
        }
    }

    method add {sum} {
        set id [dict get $sum id]
        set def [$model def $id]
        set time {}
        set share {}
        if {[dict get $def kind] eq "state"} {
            set time [::pithtk::duration [dict get $sum inclusive]]
            set share [format {%.1f %%} [expr {[dict get $sum share] * 100}]]
        }
        $tree insert {} end -id $id -text " [dict get $def name]" -image [my image $id] \
            -values [list [::pithtk::number [dict get $sum count]] $time $share] \
            -tags [expr {$id in [$model hidden] ? "hidden" : {}}]
    }

    method sort_by {column} {
        set falling [expr {$column eq $order ? !$falling : $column ne "#0"}]
        set order $column
        my fill
    }

    method click {x y} {
        set id [$tree identify item $x $y]
        if {$id ne {} && [$tree identify element $x $y] eq "image"} {
            $model toggle $id
        }
    }
}
