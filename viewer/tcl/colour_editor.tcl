# colour_editor.tcl - the dialog that gives states another colour, seen at once in the whole window; and the word
# `colour`. Where it is kept: colours.tcl.

oo::class create ::pith::ColourEditor {
    variable window model
    variable path     ;# the toplevel, while it is open
    variable ids      ;# whose colour it is
    variable before   ;# the model's given colours, when the dialog was opened
    variable text     ;# in the entry
    variable place    ;# log, rule or now: where it is kept
    variable trouble  ;# what is wrong with the text

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
        set pad [::pith::theme::px 10]
        toplevel $path -background [::pith::theme::colour panel]
        wm title $path "Colour"
        wm transient $path [$window top]
        wm resizable $path 0 0
        wm protocol $path WM_DELETE_WINDOW [list [self] cancel]
        foreach part {head swatches entry keep buttons} {
            pack [my build_$part [ttk::frame $path.$part -padding [list $pad [expr {$pad / 2}]]]] -fill x
        }
        bind $path <Return> [list [self] ok]
        bind $path <Escape> [list [self] cancel]
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
            -padx [::pith::theme::px 10] -pady [::pith::theme::px 8]
        pack $frame.sample -fill x
        return $frame
    }

    # Eight in a row; a click takes one, a double click is OK as well.
    method build_swatches {frame} {
        set i 0
        foreach rgb [my swatches] {
            frame $frame.s$i -width [::pith::theme::px 34] -height [::pith::theme::px 24] -background $rgb \
                -cursor hand2 -borderwidth 0 -highlightthickness 1 -highlightbackground [::pith::theme::colour edge]
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
        foreach {value title} {log "in this log"  rule "in all logs, by its name"  now "until the window is closed"} {
            ttk::radiobutton $frame.$value -text $title -value $value -variable [my varname place]
            pack $frame.$value -anchor w
        }
        return $frame
    }

    method build_buttons {frame} {
        foreach {name title side} {default Default left  ok OK right  cancel Cancel right} {
            pack [ttk::button $frame.$name -text $title -command [list [self] $name]] -side $side \
                -padx [::pith::theme::px 3]
        }
        return $frame
    }

    # ---- What the user does

    method take {rgb} { set text $rgb }

    # What is no colour yet changes nothing.
    method typed {args} {
        set trouble {}
        try {
            my give [::pith::colours::parse $text]
        } trap PITH {} {
            set trouble [expr {[string trim $text] eq {} ? {} : "no such colour"}]
        }
    }

    method give {rgb} {
        $model set_colours [concat {*}[lmap id $ids {list $id $rgb}]]
        my show_sample
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
        set names [lmap id $ids {dict get [$model def $id] name}]
        if {[catch {my keep $names [my colour_of [lindex $ids 0]] $place} why]} {
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
        my forget [lmap id $ids {dict get [$model def $id] name}]
        my close
    }

    method close {} {
        trace remove variable [my varname text] write [list [self] typed]
        destroy $path
    }

    # ---- Keeping

    method log {} { return [file normalize [$model path]] }

    # A name that looks like a pattern means itself in here.
    method keep {patterns rgb where} {
        foreach pattern $patterns {
            switch $where {
                log { ::pith::colours::store $pattern [my log] $rgb }
                rule { ::pith::colours::store $pattern {} $rgb }
            }
        }
        if {$where eq "rule"} {
            my tell_others
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
        my tell_others
    }

    # Rules are for other windows too.
    method tell_others {} {
        foreach other [info class instances ::pith::Window] {
            if {$other ne $window} {
                set its_model [$other model]
                $its_model set_palette [$its_model palette]
            }
        }
    }

    # ---- Words

    method word_colour {name {rgb {}} {where log}} {
        set its_ids [$model ids_like $name]
        if {$where ni {log rule now}} {
            return -code error -errorcode {PITH USAGE} "colour: is kept for log, rule or now, not $where"
        }
        if {$its_ids eq {} && $where ne "rule"} {
            return -code error -errorcode {PITH USAGE} "nothing is called $name"
        }
        if {$rgb eq "default"} {
            my forget [list $name]
        } elseif {$rgb ne {}} {
            set rgb [::pith::colours::parse $rgb]
            $model set_colours [concat {*}[lmap id $its_ids {list $id $rgb}]]
            my keep [list $name] $rgb $where
        }
        return [join [lmap id $its_ids {my colour_of $id}]]
    }

    method word_edit_colour {name} {
        set its_ids [$model ids_like $name]
        if {$its_ids ne {}} {
            my open $its_ids
        }
    }
}

::pith::part::add ColourEditor {
    words {
        colour      {NAME ?#rrggbb|default? ?log|rule|now?} {of states; kept for this log, all logs, or not} word_colour
        edit_colour {NAME}                                  {the dialog for it}                       word_edit_colour
    }
}
