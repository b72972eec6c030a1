# colours.tcl - colours that the user gives to states. They are stored in the file `colours` beside the preferences.
# Each line of it is a Tcl list:
#
#     rule NAME #rrggbb             in all logs; NAME is a pattern
#     log PATH NAME #rrggbb         in one log; overrides rules
#
# If several lines match a name, the last one counts.

namespace eval ::pith::colours {}

proc ::pith::colours::path {} {
    return [file join [::pith::preferences::folder] colours]
}

# Converts a colour, as #rrggbb or by a name that Tk knows, to #rrggbb. Throws {PITH USAGE} if TEXT is no colour.
proc ::pith::colours::parse {text} {
    if {[catch {winfo rgb . $text} channels]} {
        throw {PITH USAGE} "not a colour: $text; give a colour such as #1f77b4 or blue"
    }
    return [format #%02x%02x%02x {*}[lmap channel $channels {expr {$channel >> 8}}]]
}

# Reads the file into a list of {PATTERN LOG COLOUR}; for rules, LOG is {}. Prints a warning for each line that is
# wrong, and uses the others.
proc ::pith::colours::read {} {
    set rows {}
    set number 0
    if {[catch {::pith::preferences::lines_of [path]} lines]} {
        ::pith::preferences::say "[path]: $lines"
        return {}
    }
    foreach line $lines {
        incr number
        if {[regexp {^\s*(#|$)} $line]} {
            continue
        }
        if {[catch {row_of $line} row]} {
            ::pith::preferences::say "[path]: line $number: must be rule NAME #rrggbb, or log PATH NAME #rrggbb"
        } else {
            lappend rows $row
        }
    }
    return $rows
}

proc ::pith::colours::row_of {line} {
    switch [lindex $line 0]:[llength $line] {
        rule:3 { lassign $line -> pattern colour; set log {} }
        log:4 { lassign $line -> log pattern colour }
        default { error "" }
    }
    if {![regexp {^#[[:xdigit:]]{6}$} $colour]} {
        error ""
    }
    return [list $pattern $log $colour]
}

# Returns a dict id -> colour, with those definitions of a log whose colours the user has set.
proc ::pith::colours::chosen {log defs} {
    set log [file normalize $log]
    set found {}
    set rows [read]
    foreach of [list {} $log] {
        foreach row $rows {
            lassign $row pattern its_log colour
            if {$its_log ne $of} {
                continue
            }
            dict for {id def} $defs {
                if {[dict get $def name] eq $pattern || [string match $pattern [dict get $def name]]} {
                    dict set found $id $colour
                }
            }
        }
    }
    return $found
}

# Stores the colour of a pattern for LOG, or, if LOG is {}, as a rule for all logs. COLOUR {} removes the colour.
proc ::pith::colours::store {pattern log colour} {
    ::pith::preferences::change_file [path] [list ::pith::colours::changed $pattern $log $colour]
}

proc ::pith::colours::changed {pattern log colour lines} {
    set kept {}
    foreach line $lines {
        if {[catch {row_of $line} row] || [lrange $row 0 1] ne [list $pattern $log]} {
            lappend kept $line
        }
    }
    if {$colour ne {}} {
        lappend kept [expr {$log eq {} ? [list rule $pattern $colour] : [list log $log $pattern $colour]}]
    }
    return $kept
}

# Icons of definitions in lists: a box for a state, a triangle for an event, bars for a counter, an arrow for messages.
# An icon is filled with the colour of its definition; if the definition is hidden, it is empty. Each icon is made only
# once.
namespace eval ::pith::box {
    variable made ;# array: kind,colour,on -> image
    array set made {}

    # The rows of each icon, of 16 x 12 pixels: # is a pixel of the outline, o a filled pixel.
    variable shapes {
        state {
            {} {##############} {#oooooooooooo#} {#oooooooooooo#} {#oooooooooooo#} {#oooooooooooo#} {#oooooooooooo#}
            {#oooooooooooo#} {#oooooooooooo#} {#oooooooooooo#} {##############}
        }
        event {
            {} {..###########} {..#ooooooooo#} {...#ooooooo#} {...#ooooooo#} {....#ooooo#} {....#ooooo#} {.....#ooo#}
            {.....#ooo#} {......#o#} {.......#}
        }
        counter {
            {} {.........####} {.........#oo#} {...####..#oo#} {...#oo#..#oo#} {...#oo####oo#} {...#oo#oo#oo#}
            {####oo#oo#oo#} {#oo#oo#oo#oo#} {#oo#oo#oo#oo#} {#############}
        }
        message {
            {} {} {...........#} {............#} {.............#} {###############} {.............#} {............#}
            {...........#}
        }
    }
}

# The icon of a definition. ON 0: it is hidden.
proc ::pith::box::image {kind colour on} {
    variable made
    set key $kind,$colour,$on
    if {![info exists made($key)]} {
        set made($key) [draw $kind $colour $on]
    }
    return $made($key)
}

# Returns an image of an icon with a bar on its right. ICON {}: there is only the bar. The bar has LENGTH pixels, of
# which PERCENT are filled, in the colour of the icon. PERCENT is rounded to one of fifty values, so that not too many
# images are made.
proc ::pith::box::with_bar {icon percent length} {
    variable made
    if {!$length} {
        return $icon
    }
    set steps [expr {$percent > 0 ? max(1, round($percent / 2.0)) : 0}]
    set key bar,$icon,$steps,$length
    if {![info exists made($key)]} {
        set wide [expr {$length * $steps / 50}]
        set edge [string repeat 1 $wide]
        set inside [expr {$wide > 2 ? "1[string repeat 0 [expr {$wide - 2}]]1" : $edge}]
        set step [expr {max(1, [::pith::theme::px 1])}]
        set dots {}
        set mask {}
        for {set y 0} {$y < 12 * $step} {incr y} {
            set row [expr {$y < $step || $y >= 11 * $step ? {} : $y == $step || $y == 11 * $step - 1 ? $edge : $inside}]
            set rest [string repeat 0 [expr {$length - [string length $row]}]]
            lappend dots $row$rest
            lappend mask [string repeat 1 [string length $row]]$rest
        }
        set on [expr {$icon ne {}}]
        set options [list -foreground [::pith::theme::colour faint] -background [::pith::theme::colour hover]]
        if {$on} {
            set options [lmap option {-foreground -background} {list $option [$icon cget $option]}]
            set options [concat {*}$options]
            lassign [lmap what {-data -maskdata} {rows [$icon cget $what]}] icon_dots icon_mask
            set dots [lmap left $icon_dots right $dots {string cat $left $right}]
            set mask [lmap left $icon_mask right $mask {string cat $left $right}]
        }
        set made($key) [::image create bitmap -data [xbm $dots] -maskdata [xbm $mask] {*}$options]
    }
    return $made($key)
}

# Frees all icons, because the theme or the scale has changed. The caller must then give new icons to all widgets that
# use them.
proc ::pith::box::forget {} {
    variable made
    foreach {key image} [array get made] {
        ::image delete $image
    }
    array unset made
}

# Draws an icon, as a bitmap and not as a photo image. For the first photo image of a program, Tk requests 256 colours
# from the X server, one by one, which would delay the window.
proc ::pith::box::draw {kind colour on} {
    set step [expr {max(1, [::pith::theme::px 1])}]
    return [::image create bitmap -data [bits $kind $step #] -maskdata [bits $kind $step #o] \
        -foreground [::pith::theme::colour [expr {$on ? "rim" : "hidden"}]] \
        -background [expr {$on ? $colour : [::pith::theme::colour paper]}]]
}

# The dots of the icon KIND as an X bitmap, each STEP pixels wide and high. KINDS: the characters of `shapes` that
# become dots.
proc ::pith::box::bits {kind step kinds} {
    variable shapes
    set bytes {}
    for {set y 0} {$y < 12 * $step} {incr y} {
        set row "  [lindex [dict get $shapes $kind] [expr {$y / $step}]]"
        for {set x 0} {$x < 18 * $step} {incr x 8} {
            set byte 0
            for {set bit 0} {$bit < 8} {incr bit} {
                set dot [string index $row [expr {($x + $bit) / $step}]]
                if {$dot ne {} && [string first $dot $kinds] >= 0} {
                    incr byte [expr {1 << $bit}]
                }
            }
            lappend bytes $byte
        }
    }
    return [format "#define box_width %d\n#define box_height %d\nstatic char box_bits\[\] = { %s };" \
        [expr {18 * $step}] [expr {12 * $step}] [join $bytes ,]]
}

# Makes an X bitmap from rows, which are strings of 0 and 1. The command `rows` does the reverse: it makes such strings
# from an X bitmap.
proc ::pith::box::xbm {rows} {
    set bytes {}
    foreach row $rows {
        binary scan [binary format b* $row] cu* line
        lappend bytes {*}$line
    }
    return [format "#define box_width %d\n#define box_height %d\nstatic char box_bits\[\] = { %s };" \
        [string length [lindex $rows 0]] [llength $rows] [join $bytes ,]]
}

proc ::pith::box::rows {xbm} {
    regexp {_width (\d+).*\{ (.*) \}} $xbm -> width bytes
    set rows {}
    set bytes [split $bytes ,]
    set each [expr {($width + 7) / 8}]
    for {set i 0} {$i < [llength $bytes]} {incr i $each} {
        binary scan [binary format c* [lrange $bytes $i [expr {$i + $each - 1}]]] b$width row
        lappend rows $row
    }
    return $rows
}

# The dialog that changes the colours of states, and the command `colour`. While the user chooses a colour in the
# dialog, the window already shows it. The commands of ::pith::colours above store the colours.
oo::class create ::pith::ColourEditor {
    variable window model
    variable path     ;# the toplevel, while it is open
    variable ids      ;# definitions to be coloured
    variable before   ;# given colours of the model when the dialog was opened
    variable text     ;# text of the entry
    variable place    ;# where to store the colour: log, rule or now
    variable trouble  ;# error message

    constructor {its_window} {
        set window $its_window
        set model [$window model]
        set path [$window top].colour
        set place log
        [$window legend] set_editor [list [self] open]
    }

    # ---- The dialog

    method swatches {} {
        return [concat [::pithtk::safe 24] {
            #ffffff #d9d9d9 #b3b3b3 #8c8c8c #666666 #404040 #1f1f1f #000000
            #ff0000 #ff8c00 #ffff00 #00c000 #00ffff #0000ff #800080 #ff69b4
        }]
    }

    method open {its_ids} {
        my cancel
        set ids $its_ids
        set before [$model given_colours]
        set text [my colour_of [lindex $ids 0]]
        set trouble {}
        set pad [px 10]
        ::pith::open_dialog $path "Colour" [$window top] [list [self] cancel]
        wm resizable $path 0 0
        foreach part {head swatches entry keep buttons} {
            pack [my build_$part [ttk::frame $path.$part -padding [list $pad [expr {$pad / 2}]]]] -fill x
        }
        bind $path <Return> [list [self] ok]
        trace add variable [my varname text] write [list [self] typed]
        my show_sample
        ::pith::theme::put_over $path [$window top]
        focus $path.entry.text
        $path.entry.text selection range 0 end
    }

    method colour_of {id} { return [dict get [$model def $id] colour] }

    method title {} {
        set name [dict get [$model def [lindex $ids 0]] name]
        return [expr {[llength $ids] == 1 ? $name : "$name and [expr {[llength $ids] - 1}] more"}]
    }

    method build_head {frame} {
        label $frame.sample -text [my title] -font PithBold -anchor w -borderwidth 0 \
            -padx [px 10] -pady [px 8]
        pack $frame.sample -fill x
        return $frame
    }

    # Makes the swatches, eight in a row. A click takes a colour, a double click also closes the dialog.
    method build_swatches {frame} {
        set i 0
        foreach rgb [my swatches] {
            frame $frame.s$i -width [px 34] -height [px 24] -background $rgb \
                -cursor hand2 -borderwidth 0 -highlightthickness 1 -highlightbackground [colour edge]
            bind $frame.s$i <Button-1> [list [self] take $rgb]
            bind $frame.s$i <Double-Button-1> [list [self] ok]
            grid $frame.s$i -row [expr {$i / 8}] -column [expr {$i % 8}] -padx 2 -pady 2
            incr i
        }
        return $frame
    }

    method build_entry {frame} {
        ttk::label $frame.label -text "Number or name"
        ttk::entry $frame.text -textvariable [my varname text] -width 12
        ttk::button $frame.more -text "More..." -command [list [self] more]
        ttk::label $frame.trouble -textvariable [my varname trouble] -style Alarm.TLabel
        grid $frame.label $frame.text $frame.more -sticky w -padx {0 6}
        grid $frame.trouble - - -sticky w
        return $frame
    }

    method build_keep {frame} {
        foreach {value title} {log "for this log"  rule "for all logs, by name"  now "until the window closes"} {
            ttk::radiobutton $frame.$value -text $title -value $value -variable [my varname place]
            pack $frame.$value -anchor w
        }
        return $frame
    }

    method build_buttons {frame} {
        foreach {name title side} {default Default left  ok OK right  cancel Cancel right} {
            pack [ttk::button $frame.$name -text $title -command [list [self] $name]] -side $side -padx [px 3]
        }
        return $frame
    }

    # ---- Editing

    method take {rgb} { set text $rgb }

    # Shows the colour that is being typed. Text that is not a colour yet changes nothing.
    method typed {args} {
        set trouble {}
        try {
            set rgb [::pith::colours::parse $text]
            $model set_colours [concat {*}[lmap id $ids {list $id $rgb}]]
            my show_sample
        } trap PITH {} {
            set trouble [expr {[string trim $text] eq {} ? {} : "no such colour"}]
        }
    }

    method show_sample {} {
        set rgb [my colour_of [lindex $ids 0]]
        $path.head.sample configure -background $rgb -foreground [::pith::theme::text_on $rgb]
    }

    method more {} {
        set rgb [tk_chooseColor -parent $path -title [my title] -initialcolor [my colour_of [lindex $ids 0]]]
        if {$rgb ne {}} {
            set text [::pith::colours::parse $rgb]
        }
    }

    method ok {} {
        if {$trouble ne {}} {
            return
        }
        if {[catch {my store [my patterns] [my colour_of [lindex $ids 0]] $place} why]} {
            set trouble $why
            return
        }
        my close
    }

    method cancel {} {
        if {[winfo exists $path]} {
            $model give_back_colours $before
            my close
        }
    }

    method default {} {
        my forget [my patterns]
        my close
    }

    # Patterns that match the names of the dialog's states, and no other names.
    method patterns {} { return [lmap name [$model names $ids] {::pith::pattern_of $name}] }

    method close {} {
        trace remove variable [my varname text] write [list [self] typed]
        destroy $path
    }

    # ---- Keeping

    method log {} { return [file normalize [$model path]] }

    # Stores the colour RGB for patterns, such as the one that the user gave to the command `colour`. WHERE is log (for
    # this log), rule (for all logs) or now (stores nothing).
    method store {patterns rgb where} {
        foreach pattern $patterns {
            switch $where {
                log { ::pith::colours::store $pattern [my log] $rgb }
                rule { ::pith::colours::store $pattern {} $rgb }
            }
        }
        if {$where eq "rule"} {
            my update_other_windows
        }
    }

    method forget {patterns} {
        foreach pattern $patterns {
            ::pith::colours::store $pattern [my log] {}
            ::pith::colours::store $pattern {} {}
        }
        set given [$model given_colours]
        foreach pattern $patterns {
            foreach id [$model ids_like $pattern] {
                dict unset given $id
            }
        }
        $model give_back_colours $given
        my update_other_windows
    }

    # Updates the colours of other windows, because a rule applies to the logs of all windows.
    method update_other_windows {} {
        foreach other [info class instances ::pith::Window] {
            if {$other ne $window} {
                set its_model [$other model]
                $its_model set_palette [$its_model palette]
            }
        }
    }

    # ---- Words

    method word_colour {name {rgb {}} {where log}} {
        set its_ids [expr {$where eq "rule" ? [$model ids_like $name] : [$model ids_of $name]}]
        if {$where ni {log rule now}} {
            throw {PITH USAGE} "colour: must be kept for log, rule or now, not $where"
        }
        if {$rgb eq "default"} {
            my forget [list $name]
        } elseif {$rgb ne {}} {
            set rgb [::pith::colours::parse $rgb]
            $model set_colours [concat {*}[lmap id $its_ids {list $id $rgb}]]
            my store [list $name] $rgb $where
        }
        return [join [lmap id $its_ids {my colour_of $id}]]
    }

    method word_edit_colour {name} {
        my open [$model ids_of $name]
    }
}

::pith::part::add ColourEditor {
    words {
        colour      {NAME ?#rrggbb|default? ?log|rule|now?} {get or set the colour of states; keep it for this log, all logs, or this window} word_colour
        edit_colour {NAME}                                  {open the dialog that changes a colour}   word_edit_colour
    }
}
