# preferences_dialog.tcl - the dialog of preferences: a row for each key of the table (preferences.tcl), OK, Apply,
# Cancel, Defaults; and the word `prefer`.

oo::class create ::pith::PreferencesDialog {
    variable window
    variable path     ;# the toplevel, while it is open
    variable wanted   ;# array: key -> what its widget shows
    variable trouble  ;# why it could not be applied

    constructor {its_window} {
        set window $its_window
        set path [$window top].preferences
        set trouble {}
    }

    # ---- Words

    method word_prefer {{key {}} args} {
        if {$key eq {}} {
            set lines [lmap key [::pith::preferences::keys] {string cat $key " " [::pith::preferences::get $key]}]
            return [join $lines \n]
        }
        if {$args ne {}} {
            ::pith::preferences::change $key [join $args]
        }
        return [::pith::preferences::get $key]
    }

    method word_preferences {} {
        if {[winfo exists $path]} {
            raise $path
            focus $path
            return
        }
        my show
    }

    # ---- The dialog

    method show {} {
        toplevel $path
        wm title $path "Preferences"
        wm transient $path [$window top]
        wm resizable $path 0 0
        $path configure -background [::pith::theme::colour panel]
        set trouble {}
        my fill [lmap key [::pith::preferences::keys] {::pith::preferences::get $key}]
        set pad [::pith::theme::px 12]
        pack [my build_rows [ttk::frame $path.rows -padding $pad]] -fill both -expand 1
        pack [ttk::label $path.trouble -textvariable [my varname trouble] -style Alarm.TLabel -padding [list $pad 0]] \
            -fill x
        pack [my build_buttons [ttk::frame $path.buttons -padding $pad]] -fill x
        bind $path <Return> [list [self] ok]
        bind $path <Escape> [list destroy $path]
        ::pith::theme::put_over $path [$window top]
        focus $path.rows.[lindex [::pith::preferences::keys] 0]
    }

    method fill {values} {
        foreach key [::pith::preferences::keys] value $values {
            set wanted($key) $value
        }
    }

    # Title, widget and help of each key, one below the other.
    method build_rows {frame} {
        set px [::pith::theme::px 4]
        foreach key [::pith::preferences::keys] {
            set row [::pith::preferences::row $key]
            ttk::label $frame.title_$key -text [dict get $row title]
            my build_widget $frame.$key $key [dict get $row range]
            ttk::label $frame.help_$key -text [dict get $row help] -style Faint.TLabel \
                -wraplength [::pith::theme::px 430]
            grid $frame.title_$key $frame.$key $frame.help_$key -sticky w -padx $px -pady [expr {$px / 2}]
        }
        grid columnconfigure $frame 2 -weight 1
        return $frame
    }

    method build_widget {widget key range} {
        set variable [my varname wanted]($key)
        switch [lindex $range 0] {
            switch { ttk::checkbutton $widget -variable $variable -onvalue on -offvalue off }
            choice {
                ttk::combobox $widget -textvariable $variable -values [lrange $range 1 end] -state readonly -width 12
            }
            whole - real {
                set step [expr {[lindex $range 0] eq "real" ? 0.25 : max(1, [lindex $range 2] / 200)}]
                ttk::spinbox $widget -textvariable $variable -from [lindex $range 1] -to [lindex $range 2] \
                    -increment $step -width 12
            }
            text {
                ttk::combobox $widget -textvariable $variable -width 22 \
                    -values [list auto {*}[lsort -unique -dictionary [lsearch -all -inline -not [font families] @*]]]
            }
        }
    }

    method build_buttons {frame} {
        foreach {name text script} {ok OK ok  apply Apply apply  cancel Cancel cancel  default Defaults defaults} {
            pack [ttk::button $frame.$name -text $text -command [list [self] $script]] \
                -side [expr {$name eq "default" ? "left" : "right"}] -padx [::pith::theme::px 3]
        }
        return $frame
    }

    # ---- Buttons

    # What was changed here; what another dialog changed meanwhile stays.
    method changes {} {
        set changes {}
        foreach key [::pith::preferences::keys] {
            if {$wanted($key) ne [::pith::preferences::get $key]} {
                dict set changes $key $wanted($key)
            }
        }
        return $changes
    }

    method apply {} {
        set trouble {}
        try {
            ::pith::preferences::change_all [my changes]
        } trap PITH {text} {
            set trouble $text
        }
        return [expr {$trouble eq {}}]
    }

    method ok {} {
        if {[my apply]} {
            destroy $path
        }
    }

    method cancel {} { destroy $path }

    method defaults {} {
        my fill [lmap key [::pith::preferences::keys] {dict get [::pith::preferences::row $key] default}]
    }
}

::pith::part::add PreferencesDialog {
    words {
        prefer      {?KEY ?VALUE??} {a preference: what it is, or what it shall be from now on} word_prefer
        preferences {}              {the dialog of preferences}                                word_preferences
    }
    keys {
        {Control-p} {Ctrl-p} {preferences} {preferences}
    }
    menus {
        View {- - - "Preferences..." preferences Ctrl-P}
    }
}
