# picking.tcl - picks the messages that the filter of a model lets through (core/messages.h), in a job. The
# model's followers are told `picked` at the end of a job, when other messages may be drawn, and `picking` before.

oo::class create ::pith::Picking {
    variable model
    variable job     ;# command of the job; {} none
    variable count   ;# number of messages that are drawn; {} all
    variable text    ;# progress, or an error
    variable over    ;# written at the end of a job

    constructor {its_model} {
        set model $its_model
        lassign {} job count text
        $model follow [list [self] changed]
    }

    destructor { my stop }

    method count {} { return $count }
    method text {} { return $text }

    # A new log, or messages that have been read, are filtered, too.
    method changed {what} {
        if {$what eq "log"} {
            my stop
            set count {}
        } elseif {$what in {digest message_filter}} {
            my pick
        }
    }

    method stop {} {
        if {$job ne {}} {
            catch {$job stop}
            set job {}
            set over 1
        }
    }

    method pick {} {
        my stop
        set job [[$model log] pick [$model message_filter] [list [self] picked]]
        if {$job eq {}} {
            my end {} {}
        } else {
            my picked progress 0
        }
    }

    method picked {how {value {}}} {
        switch $how {
            progress {
                set text [format "picking messages: %.0f %%" [expr {100 * $value}]]
                $model notify picking
            }
            done { my end $value {} }
            failed { my end $count $value }
        }
    }

    method end {number words} {
        set job {}
        set count $number
        set text $words
        set over 1
        $model notify picked
    }

    # Waits until the messages are picked.
    method finish {} {
        while {[info object isa object [self]] && $job ne {}} {
            vwait [my varname over]
        }
    }
}
