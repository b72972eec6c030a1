# notes.tcl - the user's notes, each at a time and a row. A numbered flag in the timelines marks a note. The notes are
# kept in the file LOG.notes beside the log (core/scene/notes.h). The list of notes is in the model, so that undo can
# take back changes.

oo::class create ::pith::Notes {
    variable window model
    variable plot
    variable dialog    ;# path of the toplevel
    variable entered   ;# text in the dialog
    variable place     ;# place of the dialog's note: dict of time, rank, thread
    variable editing   ;# index of the dialog's note; -1: a new note
    variable saves     ;# 0: the file is not touched, because it could not be read
    variable known     ;# the notes of the file when this window last read or wrote it

    constructor {its_window} {
        set window $its_window
        set model [$window model]
        set plot [[$window timeline] plot]
        set dialog [$window top].note
        lassign {} entered place known
        lassign {-1 1} editing saves
        my read
        $model follow [list [self] changed]
        bind $plot <Motion> +[list [self] point %x %y]
        bind $plot <Leave> +[list $plot delete note]
    }

    # ---- The file

    method read {} {
        try {
            set known [[$model log] notes]
            if {$known ne {}} {
                $model show_notes $known
            }
        } trap {PITH} text {
            set saves 0
            after idle [list catch [list $window say "$text; notes are not saved"]]
        }
    }

    method changed {what} {
        if {$what eq "notes"} {
            my save
        }
    }

    method save {} {
        if {!$saves} {
            $window say "notes are kept for this window only, because the file could not be read"
            return
        }
        try {
            if {[my take_over]} return ;# take_over has saved the notes
            [$model log] savenotes
            set known [[$model log] notes]
        } trap {PITH} text {
            $window say "$text; the notes are kept for this window only"
        }
    }

    # If another window or an editor has changed the file of notes since this window last read or wrote it, makes the
    # same changes to the notes of this window, and returns 1. Otherwise returns 0.
    method take_over {} {
        set now [[$model log] notes]
        if {$now eq $known} {
            return 0
        }
        set merge [list [self] merged $known $now]
        set known $now
        $model revise_past notes $merge ;# otherwise undo would bring back notes that were removed elsewhere
        $model show_notes [{*}$merge [$model notes]]
        return 1
    }

    # Applies to NOTES the changes from the list BEFORE to the list AFTER, and returns the result.
    method merged {before after notes} {
        set kept [lmap note $notes {expr {$note in $before && $note ni $after ? [continue] : $note}}]
        set added [lmap note $after {expr {$note in $before || $note in $kept ? [continue] : $note}}]
        return [lsort -integer -index 1 [concat $kept $added]]
    }

    # ---- The list

    method note {number} {
        if {![string is integer -strict $number] || $number < 1 || $number > [llength [$model notes]]} {
            throw {PITH USAGE} "there is no note $number"
        }
        return [lindex [$model notes] [expr {$number - 1}]]
    }

    # Indices of the notes whose text matches a pattern, or, if PATTERN has no *, ? or [, contains it.
    method matching {pattern} {
        set mask [expr {[regexp {[*?\[]} $pattern] ? $pattern : "*$pattern*"}]
        set index -1
        return [lmap note [$model notes] {
            incr index
            if {![string match -nocase $mask [dict get $note text]]} continue
            set index
        }]
    }

    method row_text {note} {
        return "rank [dict get $note rank][expr {[dict get $note thread] ? ".[dict get $note thread]" : {}}]"
    }

    method line {index} {
        set note [lindex [$model notes] $index]
        return "note [expr {$index + 1}], [my row_text $note], at [$model time_text [dict get $note time] 1]:\
            [dict get $note text]"
    }

    # Brings a note into view. Returns the text about it for the status line.
    method visit {index} {
        set note [lindex [$model notes] $index]
        set time [dict get $note time]
        lassign [$model window] t0 t1
        if {$time < $t0 || $time >= $t1} {
            set half [expr {($t1 - $t0) / 2}]
            $model zoom [expr {$time - $half}] [expr {$time + $half}]
        }
        set row [$model row_of [dict get $note rank] [dict get $note thread]]
        if {$row >= 0} {
            [$window timeline] show_row $row
        }
        return [my line $index]
    }

    method put {its_place text {index -1}} {
        set old [lindex [$model notes] $index]
        if {$saves} {
            catch {my take_over} ;# if this fails, `save` reports the cause
        }
        set notes [$model notes]
        if {[set at [lsearch -exact $notes $old]] >= 0} {
            set notes [lreplace $notes $at $at]
        }
        if {[string trim $text] ne {}} {
            lappend notes [dict replace $its_place text [string trim $text]]
        }
        $model set_notes $notes
    }

    # ---- The pointer

    method index_at {x y} {
        if {[$model notes] eq {}} {
            return -1
        }
        [$window timeline] draw_pending
        return [[$model log] noteat $x $y]
    }

    # Shows the text of the note whose flag is at a point, if there is one.
    method point {x y} {
        $plot delete note
        set index [my index_at $x $y]
        if {$index < 0} {
            return
        }
        $window say [my line $index]
        set text [$plot create text [expr {$x + [px 14]}] [expr {$y + [px 16]}] -anchor nw -fill [colour text] \
            -width [px 300] -tags note -text [dict get [lindex [$model notes] $index] text]]
        lassign [$plot bbox $text] left top right bottom
        set by [expr {min(0, [winfo width $plot] - $right - 8)}]
        $plot move $text $by 0
        $plot create rectangle [expr {$left + $by - 4}] [expr {$top - 3}] [expr {$right + $by + 4}] [expr {$bottom + 3}] \
            -fill [colour panel] -outline [colour edge] -tags note
        $plot raise $text
    }

    # The rank and thread of a row's lane; for a group, those of its first lane; {} if the row has no lane.
    method lane_of {row} {
        set entry [expr {$row < 0 ? {} : [$model row $row]}]
        return [expr {[dict exists $entry rank] ? [dict create rank [dict get $entry rank] \
            thread [expr {[dict exists $entry thread] ? [dict get $entry thread] : 0}]] : {}}]
    }

    method place_at {x y} {
        set lane [my lane_of [[$window timeline] row_at $y]]
        return [expr {$lane eq {} ? {} : [dict replace $lane time [expr {wide([[$window timeline] time_at $x])}]]}]
    }

    # Entries of the context menu for notes: text, script and key in turn.
    method entries {x y} {
        set number [expr {[my index_at $x $y] + 1}]
        if {$number} {
            return [list "Edit note $number..." [list edit_note $number] {} "Delete note $number" [list delete_note $number] {}]
        }
        set its_place [my place_at $x $y]
        if {$its_place eq {}} {
            return {}
        }
        return [list "Note here..." [list note_dialog $its_place] Ctrl-N]
    }

    # ---- The dialog

    method open {its_place index text} {
        set place $its_place
        set editing $index
        set entered $text
        destroy $dialog
        ::pith::open_dialog $dialog [expr {$index < 0 ? "Pith: new note" : "Pith: note [expr {$index + 1}]"}] [$window top]
        ttk::label $dialog.at -text "[my row_text $place], [$model time_text [dict get $place time] 1]" -style Faint.TLabel
        ttk::entry $dialog.text -width 50 -textvariable [my varname entered]
        ttk::frame $dialog.buttons
        ttk::button $dialog.buttons.ok -text "OK" -command [list [self] accept]
        ttk::button $dialog.buttons.cancel -text "Cancel" -command [list destroy $dialog]
        pack $dialog.buttons.cancel $dialog.buttons.ok -side right -padx {6 0}
        pack $dialog.at $dialog.text $dialog.buttons -fill x -padx [px 12] -pady [px 5]
        bind $dialog.text <Return> [list [self] accept]
        ::pith::theme::put_over $dialog [$window top]
        focus $dialog.text
        $dialog.text icursor end
    }

    method accept {} {
        destroy $dialog
        my put $place $entered $editing
    }

    # ---- Words

    method word_note {time row args} {
        set lane [my lane_of $row]
        if {$lane eq {}} {
            throw {PITH USAGE} "note: there is no rank in row $row"
        }
        my put [dict replace $lane time [::pith::words::time $time]] [join $args]
    }

    method word_notes {} {
        return [lmap note [$model notes] {
            list [::pith::words::seconds [dict get $note time]] [my row_text $note] [dict get $note text]
        }]
    }

    method word_edit_note {number args} {
        set note [my note $number]
        if {$args eq {}} {
            my open $note [expr {$number - 1}] [dict get $note text]
        } else {
            my put $note [join $args] [expr {$number - 1}]
        }
    }

    method word_delete_note {number} { my put [my note $number] {} [expr {$number - 1}] }
    method word_note_dialog {its_place} { my open $its_place -1 {} }

    # Opens the dialog for a new note at the pointer.
    method word_note_here {} {
        set x [expr {[winfo pointerx $plot] - [winfo rootx $plot]}]
        set y [expr {[winfo pointery $plot] - [winfo rooty $plot]}]
        set its_place [my place_at $x $y]
        if {$its_place eq {} || $x < 0 || $x >= [winfo width $plot]} {
            $window say "point at a row: the note is placed there"
            return
        }
        my open $its_place -1 {}
    }
}

::pith::part::add Notes {
    words {
        note {TIME ROW TEXT} {add a note at a time and row, a number from 0} word_note
        notes {} {list of notes: seconds, row, text} word_notes
        edit_note {NUMBER ?TEXT?} {change the text of a note; without TEXT, in a dialog} word_edit_note
        delete_note {NUMBER} {delete a note} word_delete_note
        note_dialog {PLACE} {write a note at a place: a dict of time (ns), rank, thread} word_note_dialog
        note_here {} {write a note at the pointer} word_note_here
    }
    keys {{Control-n} {Ctrl-n} {write a note at the pointer} {note_here}}
    menus {Search {"Note at the pointer..." note_here Ctrl-N}}
}
