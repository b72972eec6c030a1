# status.tcl - the line at the foot of the window: what is under the pointer, and the pointer's time.

oo::class create ::pith::Status {
    variable model
    variable path     ;# the frame
    variable text     ;# shown at the left
    variable time     ;# at the right
    variable quiet    ;# after id: until then what was said stays, whatever is under the pointer; {} none

    constructor {parent its_model} {
        set model $its_model
        set path [ttk::frame $parent]
        set text {}
        set time {}
        set quiet {}
        ttk::label $path.text -textvariable [my varname text] -anchor w -padding {10 4}
        ttk::label $path.time -textvariable [my varname time] -anchor e -padding {10 4} -style Faint.TLabel
        pack $path.time -side right
        pack $path.text -side left -fill x -expand 1
        my rest
        $model follow [list [self] changed]
    }

    destructor {
        after cancel $quiet
    }

    method text {} { return $text }

    # Said by whoever has something to say; it stays for some seconds.
    method say {what} {
        set text $what
        after cancel $quiet
        set quiet [after 4000 [namespace code {my speak}]]
    }

    method speak {} {
        after cancel $quiet
        set quiet {}
        my changed pointer
    }

    method changed {what} {
        switch $what {
            pointer { my show [$model pointer] }
            digest - reading - rows - trouble {
                if {$quiet eq {}} {
                    my rest
                }
            }
        }
    }

    # Nothing under the pointer: what the log is.
    method rest {} {
        if {[$model trouble] ne {}} {
            set text [$model trouble]
            return
        }
        set ranks [$model info ranks]
        set text "$ranks rank[expr {$ranks == 1 ? {} : {s}}], [::pithtk::number [$model info records]] records"
        if {[$model info messages]} {
            append text ", [::pithtk::number [$model info messages]] messages"
        }
        if {[$model info lost]} {
            append text ", [::pithtk::number [$model info lost]] records lost"
        }
        if {![$model info complete]} {
            append text ", incomplete: [$model info incomplete]"
        }
        if {[$model reading] ni {{} 0}} {
            append text [format "      reading messages %.0f %%" [expr {100 * [$model reading]}]]
        }
        append text "      ? shows the keys"
    }

    method show {hit} {
        if {[dict exists $hit time]} {
            set time [::pithtk::time [dict get $hit time] [expr {max(1, [$model span] / 2000)}]]
        } else {
            set time {}
        }
        if {$quiet ne {}} {
            return
        }
        if {![dict exists $hit lines]} {
            my rest
            return
        }
        set text [join [lmap {key value} [dict get $hit lines] {
            expr {$key eq {} ? $value : "$key $value"}
        }] {   }]
    }
}
