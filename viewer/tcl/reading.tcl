# reading.tcl - while messages and counters of a large log are read: a button beside the status line that stops it.

oo::class create ::pith::Reading {
    variable model
    variable button

    constructor {window} {
        set model [$window model]
        set button [$window top].status.stop
        ttk::button $button -text "Stop reading" -style Toolbutton -takefocus 0 -command [list $model stop_reading]
        $model follow [list [self] changed]
    }

    method changed {what} {
        switch $what {
            reading {
                if {[winfo manager $button] eq {}} {
                    pack $button -side right -before [winfo parent $button].text
                }
            }
            digest { pack forget $button }
        }
    }

    method word_messages {{what {}}} {
        switch $what {
            stop { $model stop_reading }
            read { $model digest }
            {} { return [expr {[$model reading] eq {} ? 1.0 : [$model reading]}] }
            default { return -code error -errorcode {PITH USAGE} "messages: stop or read" }
        }
    }
}

::pith::part::add Reading {
    words {
        messages {?stop|read?} {stop reading messages and counters, or read them after all; else: the part read} word_messages
    }
}
