# cut_text.tcl - cuts texts that are too wide for their place, and shows tooltips with the full texts or with
# explanations.

# Returns TEXT, cut and with an ellipsis if it is wider than ROOM pixels; {} if not even one character fits.
proc ::pith::cut_text {text font room} {
    set width [font measure $font $text]
    if {$width <= $room} {
        return $text
    }
    set keep [expr {min([string length $text] - 1, [string length $text] * max(0, $room) / $width + 2)}]
    while {$keep > 0 && [font measure $font "[string range $text 0 $keep-1]\u2026"] > $room} {
        incr keep -1
    }
    return [expr {$keep ? "[string range $text 0 $keep-1]\u2026" : {}}]
}

# Help on the headings of all tables, with the same words as in pith-stat(1) and pith-analyze(1). There is none for the
# headings Name and Finding, which explain themselves.
namespace eval ::pith {
    variable headings {
        show "Whether it is drawn: a click hides or shows it."
        find "Whether searches find it: a click excludes or includes it."
        eye "Whether it is drawn: a click on the eye of a row hides or shows it."
        lens "Whether searches find it: a click on the lens of a row excludes or includes it."
        count "How often it occurs in the time shown or selected. Of a counter: its values in the whole log."
        inclusive "Total: the time in it, with the states nested in it. Where a state calls itself, the outer one counts."
        exclusive "Self: the time in it, without the states nested in it."
        share "Self time as a part of the time of all rows."
        waiting "The time that its calls wait for other ranks."
        caused "The time that other ranks wait because of it."
        tree_total "The time in it, with what is inside it. Bottom-up, of a name that calls itself only the outermost ones count."
        tree_self "The time in it itself, without what is inside it. Bottom-up, a caller has that of the name it calls."
        tree_share "Total time, bottom-up self time, as a part of the time of all rows (of functions: of all samples)."
        tree_count "How often it occurs in this time; of functions, the samples that ended in it."
        changes_a "In the log above: times as the mean of all ranks."
        changes_b "In the log below: times as the mean of all ranks."
        changes_more "The log below minus the one above. Computing, waiting and transfer add up to the run time; the causes of a            kind of waiting add up to it."
        cost "What it costs all ranks together: time, and part of the time of all ranks. A finding that is part of another one\
            stands below it and is counted in both, so shares can add up to more than 100 %."
    }
}

# Returns the help on the heading of a column; {} if there is none.
proc ::pith::heading_help {column} {
    variable headings
    return [expr {[dict exists $headings $column] ? [dict get $headings $column] : {}}]
}

# A tooltip of a widget, shown when the pointer rests.
oo::class create ::pith::Tip {
    variable path    ;# the widget
    variable text_at ;# script called with x y, returns the text; {}: no tooltip there
    variable timer   ;# after id of the tooltip that will appear

    constructor {its_path script} {
        set path $its_path
        set text_at $script
        set timer {}
        bind $path <Motion> +[list [self] moved %x %y]
        foreach event {<Leave> <ButtonPress>} {
            bind $path $event +[list [self] hide]
        }
        bind $path <Destroy> +[list catch [list [self] destroy]]
    }

    destructor {
        after cancel $timer
    }

    method moved {x y} {
        my hide
        set timer [after 400 [namespace code [list my show $x $y]]]
    }

    method hide {} {
        after cancel $timer
        destroy [winfo toplevel $path].tip
    }

    method show {x y} {
        if {![winfo exists $path] || [set text [{*}$text_at $x $y]] eq {}} {
            return
        }
        set top [winfo toplevel $path]
        set tip [ttk::label $top.tip -text $text -style Card.TLabel -relief solid -borderwidth 1 -padding {6 3} \
            -wraplength [expr {min([winfo width $top] - 20, [::pith::theme::px 420])}]]
        # The tooltip must not reach beyond the right edge of the window.
        set left [expr {min([winfo rootx $path] - [winfo rootx $top] + $x + 12, [winfo width $top] - [winfo reqwidth $tip])}]
        place $tip -x [expr {max(0, $left)}] -y [expr {[winfo rooty $path] - [winfo rooty $top] + $y + 14}]
        raise $tip
    }
}

# Widens columns of a table that are too narrow for the values of a row, because Tk truncates values without an
# ellipsis. Returns 1 if a column has become wider. NEEDED: the name of a variable with a dict of column -> width of its
# widest value so far. A column is widened only if this row has a new widest value for it. So a column that the user has
# made narrower stays as it is until a wider value comes.
proc ::pith::make_room {tree font values needed} {
    upvar 1 $needed widths
    set wider 0
    foreach column [lrange [$tree cget -columns] 0 [llength $values]-1] value $values {
        set width [expr {[font measure $font $value] + [::pith::theme::px 10]}]
        if {[dict exists $widths $column] && $width <= [dict get $widths $column]} continue
        dict set widths $column $width
        if {$width > [$tree column $column -width]} {
            $tree column $column -width $width
            set wider 1
        }
    }
    return $wider
}

# Shows all COLUMNS of a table if enough room is left for the first column, which has the names; otherwise leaves out
# some of them. DROPPED: lists of columns that may be left out. The columns of one list are left out together; the first
# list is left out first. WANTED: the width of the longest name. Also sets the width of the first column, because Tk
# does so only when the table's size changes.
proc ::pith::fit_columns {tree columns dropped {wanted 0}} {
    foreach drop [list {} {*}$dropped] {
        set columns [lmap column $columns {expr {$column in $drop ? [continue] : $column}}]
        set rest [expr {[winfo width $tree] - 2 - [::tcl::mathop::+ {*}[lmap column $columns {$tree column $column -width}]]}]
        if {$rest >= [::pith::theme::px 110]} {
            break
        }
    }
    $tree configure -displaycolumns $columns
    # In a wide table the column of names does not take all the room that is left. Otherwise the numbers would be so far
    # from the names that the eye could not tell which number belongs to which name.
    set width [expr {min($rest, max([::pith::theme::px 420], $rest * 2 / 5, $wanted))}]
    $tree column #0 -width [expr {max([$tree column #0 -minwidth], $width)}] -stretch [expr {$width == $rest}]
}

# Fits the texts of a table (ttk::treeview) to its columns. Headings and texts of the first column that are too wide are
# cut and get an ellipsis, which Tk would omit; tooltips show the full texts. The other columns are widened for their
# values. If there is no room for all columns, those of `dropped` are left out (::pith::fit_columns). The owner of the
# table calls `fit` after filling it.
oo::class create ::pith::CutTable {
    variable tree
    variable whole ;# dict: "item ITEM" or "heading COLUMN" -> the cut text and the full one
    variable dropped
    variable needed ;# widest values so far, for make_room
    variable helps  ;# dict: column -> the name under which ::pith::headings has its help, if it is not the same
    variable about  ;# script that is called with an item and returns text that explains it; {}: none
    variable tip

    constructor {its_tree its_dropped {its_helps {}} {its_about {}}} {
        set tree $its_tree
        set dropped $its_dropped
        set helps $its_helps
        set about $its_about
        lassign {} whole needed
        set tip [::pith::Tip new $tree [list [self] whole_at]]
        bind $tree <Configure> +[list [self] fit]
        bind $tree <ButtonRelease-1> +[list after idle [list catch [list [self] cut_texts]]]
        bind $tree <Destroy> +[list [self] destroy]
    }

    destructor {
        catch {$tip destroy}
    }

    method fit {} {
        my make_room {}
        if {[winfo width $tree] > 1} {
            my make_heading_room
            ::pith::fit_columns $tree [$tree cget -columns] $dropped
        }
        my cut_texts
    }

    method make_room {parent} {
        foreach item [$tree children $parent] {
            ::pith::make_room $tree TkDefaultFont [$tree item $item -values] needed
            my make_room $item
        }
    }

    # Widens columns that are too narrow for their headings, as long as the first column keeps 220 pixels. A column is
    # widened only once for the same heading. If the user makes it narrower again, it stays narrow.
    method make_heading_room {} {
        set columns [$tree cget -columns]
        set spare [expr {[winfo width $tree] - [px 220] - [::tcl::mathop::+ {*}[lmap column $columns {$tree column $column -width}]]}]
        foreach column $columns {
            set text [my full $whole [list heading $column] [$tree heading $column -text]]
            set needs [expr {[font measure TkHeadingFont $text] + [px 14]}]
            set more [expr {$needs - [$tree column $column -width]}]
            if {$more > 0 && $more <= $spare && ![dict exists $needed [list $text $column]]} {
                dict set needed [list $text $column] $needs
                $tree column $column -width $needs
                incr spare -$more
            }
        }
    }

    # Cuts the texts. Called after filling the table, and after the user has changed the width of a column.
    method cut_texts {} {
        if {![winfo exists $tree]} {
            return
        }
        set old $whole
        set whole {}
        foreach column [concat #0 [$tree cget -columns]] {
            set text [my full $old [list heading $column] [$tree heading $column -text]]
            $tree heading $column -text [my cut [list heading $column] $text TkHeadingFont \
                [expr {[$tree column $column -width] - [px 10]}]]
        }
        my fit_items $old {} 1
    }

    method fit_items {old parent depth} {
        foreach item [$tree children $parent] {
            set text [my full $old [list item $item] [$tree item $item -text]]
            set image [$tree item $item -image]
            set before [expr {[px 20] * $depth + [px 8] + ($image eq {} ? 0 : [image width [lindex $image 0]])}]
            set cut [my cut [list item $item] $text TkDefaultFont [expr {[$tree column #0 -width] - $before}]]
            if {$cut ne [$tree item $item -text]} {
                $tree item $item -text $cut
            }
            my fit_items $old $item [expr {$depth + 1}]
        }
    }

    # Returns the uncut text that the owner of the table gave. TEXT is what the table contains now: the uncut text
    # itself, or the cut text that was shown instead.
    method full {old key text} {
        if {[dict exists $old $key] && [lindex [dict get $old $key] 0] eq $text} {
            return [lindex [dict get $old $key] 1]
        }
        return $text
    }

    method cut {key text font room} {
        set cut [::pith::cut_text $text $font $room]
        if {$cut ne $text} {
            dict set whole $key [list $cut $text]
        }
        return $cut
    }

    # The tooltip at a point: the full text of the heading or first column there, if it is cut, and the help on it.
    method whole_at {x y} {
        if {[$tree identify region $x $y] eq "heading"} {
            set column [my column_at $x $y]
            set key [list heading $column]
            set help [::pith::heading_help [expr {[dict exists $helps $column] ? [dict get $helps $column] : $column}]]
        } else {
            set item [$tree identify item $x $y]
            set key [list item $item]
            set help [expr {$item eq {} || $about eq {} ? {} : [{*}$about $item]}]
        }
        set full [expr {[dict exists $whole $key] ? [lindex [dict get $whole $key] 1] : {}}]
        return [join [lmap text [list $full $help] {if {$text eq {}} continue; set text}] "\n"]
    }

    method column_at {x y} {
        set place [$tree identify column $x $y]
        return [expr {$place eq "#0" ? $place : [$tree column $place -id]}]
    }
}
