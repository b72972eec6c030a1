# time_of_day.tcl - the switch between times from the log's start and dates with times of day, on the axis and wherever
# the window shows a time. Logs know the wall clock if their recorder noted it (start_unix_s).

oo::class create ::pith::TimeOfDay {
    variable window model

    constructor {its_window} {
        set window $its_window
        set model [$window model]
        $model set_time_of_day [::pith::preferences::get time_of_day]
        ::pith::preferences::follow time_of_day [list [self] preferred]
    }

    destructor { ::pith::preferences::unfollow time_of_day [list [self] preferred] }

    method preferred {key} { $model set_time_of_day [::pith::preferences::get $key] }

    method word_time_of_day {word} {
        if {$word eq "toggle"} {
            set word [expr {![$model time_of_day]}]
        }
        if {![string is boolean -strict $word]} {
            throw {PITH USAGE} "time_of_day: must be on or off"
        }
        $model set_time_of_day [expr {!!$word}]
        if {$word && ![$model time_of_day]} {
            $window say "this log does not know when it was recorded"
        }
    }

    # For `pith draw` (export.tcl).
    method words {} { expr {[$model time_of_day] ? {{time_of_day on}} : {}} }
}

::pith::part::add TimeOfDay {
    words {time_of_day {on|off} {show dates and times of day, if the log knows them, in place of times from its start} word_time_of_day}
    menus {View {"Time of day" {time_of_day toggle} {}}}
}
