# bookmarks.tcl - bookmarks: places in the log, each with a name and a note. Bookmarks are shown as flags at the time
# axis and as a list in a dialog. They are saved with the view (view_state.tcl).

oo::class create ::pith::Bookmarks {
    variable window model
    variable marks    ;# list of dicts of name, note, from, to, top (first row), sorted by time
    variable axis     ;# canvas of the flags
    variable dialog   ;# path of the toplevel
    variable entered  ;# array: name and note in the entries

    constructor {its_window} {
        set window $its_window
        set model [$window model]
        set marks {}
        set axis [[$window timeline] axis]
        set dialog [$window top].bookmarks
        array set entered {name {} note {}}
        [$window timeline] after_drawing [list [self] draw]
    }

    # ---- The list

    method find {name} {
        set index 0
        foreach mark $marks {
            if {[dict get $mark name] eq $name} {
                return $index
            }
            incr index
        }
        throw {PITH USAGE} "there is no bookmark $name"
    }

    method take {its_marks} {
        set marks [lsort -command {apply {{a b} {expr {[dict get $a from] < [dict get $b from] ? -1 : 1}}}} $its_marks]
        my draw
        my fill
    }

    method free_name {} {
        lassign [$model window] t0 t1
        set base [::pithtk::time [expr {($t0 + $t1) / 2}] [expr {max(1, ($t1 - $t0) / 100)}]]
        set name $base
        for {set i 2} {![catch {my find $name}]} {incr i} {
            set name "$base ($i)"
        }
        return $name
    }

    method word_bookmark {{name {}} {note {}}} {
        if {$name eq {}} {
            set name [my free_name]
        }
        lassign [$model window] from to
        set mark [dict create name $name note $note from $from to $to top [$model first_row]]
        if {![catch {my find $name} index]} {
            set marks [lreplace $marks $index $index]
        }
        my take [list {*}$marks $mark]
        $window say "bookmark $name saved; Shift-b lists all bookmarks"
        return $name
    }

    method word_bookmarks {} {
        return [lmap mark $marks {
            list [dict get $mark name] [::pith::words::seconds [dict get $mark from]] \
                [::pith::words::seconds [dict get $mark to]] [dict get $mark note]
        }]
    }

    method word_visit {name} {
        set mark [lindex $marks [my find $name]]
        $model zoom [dict get $mark from] [dict get $mark to]
        [$window timeline] scroll_to [dict get $mark top]
        if {[dict get $mark note] ne {}} {
            $window say "$name: [dict get $mark note]"
        }
    }

    method word_forget {name} {
        set index [my find $name]
        my take [lreplace $marks $index $index]
    }

    # ---- Saving with the view

    method state {} { return $marks }

    # Takes the valid bookmarks of a saved view, and drops the others.
    method restore {saved} {
        my take [lmap mark $saved {
            if {[catch {
                foreach key {from to top} {
                    if {![string is wideinteger -strict [dict get $mark $key]]} {
                        error "no number"
                    }
                }
                dict get $mark name
                dict get $mark note
            }]} continue
            set mark
        }]
    }

    # ---- Flags

    method draw {} {
        if {![winfo exists $axis]} {
            return
        }
        $axis delete bookmark
        set width [lindex [[$window timeline] size] 0]
        set number 0
        foreach mark $marks {
            set x [[$window timeline] x_of [expr {([dict get $mark from] + [dict get $mark to]) / 2}]]
            if {$x >= 0 && $x <= $width} {
                my draw_flag $x $number [dict get $mark name]
            }
            incr number
        }
    }

    method draw_flag {x number name} {
        set accent [colour accent]
        $axis create line $x 3 $x [px 26] -fill $accent -tags [list bookmark bookmark$number]
        set size [px 9]
        $axis create polygon $x 3 [expr {$x + $size}] [expr {3 + $size / 2.5}] $x [expr {3 + $size * 0.8}] -fill $accent -tags [list bookmark bookmark$number]
        $axis bind bookmark$number <Enter> [list $window say "bookmark $name"]
        $axis bind bookmark$number <Button-1> [list $window act [list visit $name]]
    }

    # ---- The dialog

    method word_bookmark_list {} {
        if {[winfo exists $dialog]} {
            destroy $dialog
            return
        }
        my build
        my fill
    }

    method build {} {
        ::pith::open_dialog $dialog "Pith: bookmarks" [$window top]
        set list $dialog.list
        ttk::treeview $list -columns {from length note} -height 8 -selectmode browse
        foreach {column title width anchor} {#0 Name 150 w from At 110 e length Length 90 e note Note 220 w} {
            $list heading $column -text $title -anchor $anchor
            $list column $column -width [px $width] -anchor $anchor -stretch [expr {$column eq "note"}]
        }
        set edit [ttk::frame $dialog.edit -padding {8 8 8 0}]
        ttk::label $edit.lname -text Name
        ttk::entry $edit.name -width 18 -textvariable [my varname entered](name)
        ttk::label $edit.lnote -text Note
        ttk::entry $edit.note -width 34 -textvariable [my varname entered](note)
        pack $edit.lname $edit.name $edit.lnote -side left -padx {0 6}
        pack $edit.note -side left -fill x -expand 1
        set buttons [ttk::frame $dialog.buttons -padding 8]
        foreach {name text method} {add "Add this view" add  visit Visit visit  save "Save changes" save  remove Remove remove} {
            ttk::button $buttons.$name -text $text -width 0 -command [list [self] do $method]
            pack $buttons.$name -side left -padx {0 4}
        }
        ttk::button $buttons.close -text Close -width 0 -command [list destroy $dialog]
        pack $buttons.close -side right
        pack $buttons $edit -side bottom -fill x
        pack $list -fill both -expand 1
        bind $list <<TreeviewSelect>> [list [self] selected]
        bind $list <Double-Button-1> [list [self] do visit]
        bind $list <Return> [list [self] do visit]
        bind $list <Delete> [list [self] do remove]
        ::pith::theme::put_over $dialog [$window top]
        focus $list
    }

    method fill {} {
        if {![winfo exists $dialog]} {
            return
        }
        set list $dialog.list
        $list delete [$list children {}]
        foreach mark $marks {
            set span [expr {[dict get $mark to] - [dict get $mark from]}]
            $list insert {} end -id [dict get $mark name] -text [dict get $mark name] -values [list \
                [$model time_text [dict get $mark from] [expr {max(1, $span / 100)}]] [::pithtk::duration $span] \
                [dict get $mark note]]
        }
    }

    method selected {} {
        set name [lindex [$dialog.list selection] 0]
        if {$name ne {}} {
            set entered(name) $name
            set entered(note) [dict get [lindex $marks [my find $name]] note]
        }
    }

    method do {what} {
        set name [lindex [$dialog.list selection] 0]
        if {$what eq "add"} {
            set name [my word_bookmark [string trim $entered(name)] $entered(note)]
        } elseif {$name eq {}} {
            return
        }
        switch $what {
            visit { my word_visit $name }
            remove { my word_forget $name }
            save {
                set index [my find $name]
                set mark [lindex $marks $index]
                dict set mark name [expr {$entered(name) eq {} ? $name : $entered(name)}]
                dict set mark note $entered(note)
                my take [lreplace $marks $index $index $mark]
            }
        }
        if {[$dialog.list exists $name]} {
            $dialog.list selection set [list $name]
        }
    }
}

::pith::part::add Bookmarks {
    words {
        bookmark {?NAME? ?NOTE?} {bookmark the current view} word_bookmark
        bookmarks {} {list of bookmarks: name, from, to, note} word_bookmarks
        visit {NAME} {go to a bookmark} word_visit
        forget {NAME} {remove a bookmark} word_forget
        bookmark_list {} {open or close the window of bookmarks} word_bookmark_list
    }
    keys {
        {b} {b} {bookmark the current view} {bookmark}
        {B} {Shift-b} {list of bookmarks} {bookmark_list}
    }
    menus {Search {"Bookmark this view" bookmark b  "Bookmarks..." bookmark_list Shift-B}}
}
