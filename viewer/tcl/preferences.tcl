# preferences.tcl - the preferences of the viewer: their table, their file and their dialog. The table is also the
# source for the page pith-view(1). Sourcing this file does not need Tk.
#
#     ::pith::preferences::get wheel                   returns the value; the first call reads the file
#     ::pith::preferences::change wheel zoom           checks the value, saves it, and notifies followers
#     ::pith::preferences::follow wheel CALLBACK       calls `CALLBACK wheel` after every change
#     ::pith::preferences::unfollow wheel CALLBACK     ends these calls

namespace eval ::pith::preferences {
    # Key, default, range, title in the dialog, help. A range: {choice VALUE...}, {whole LEAST MOST}, {real
    # LEAST MOST}, switch (on or off) or text.
    variable table {
        theme        light {choice light dark}              {Theme}          {colours of the window}
        palette      log   {choice log classic safe}        {State colours}
            {colours of the log, those of MPE, or colours safe for colour-blind users}
        font         auto  text                             {Font}           {font family; auto chooses one}
        font_size    9     {whole 6 32}                     {Font size}      {in points}
        scale        0     {real 0 4}                       {Scale}
            {scale of all sizes: 2 for a screen of twice the resolution; 0 follows the screen}
        row_height   0     {whole 0 200}                    {Row height}     {in pixels; 0 fills the window, with at most 64}
        arrows       auto  {choice auto on off}             {Messages}
            {show messages as arrows; auto hides them if even bundles would cover more than a tenth of the picture}
        most_arrows  3000  {whole 0 100000}                 {Maximum arrows}    {maximum number of arrows drawn}
        wheel        auto  {choice auto zoom scroll}        {Wheel}
            {zoom, or scroll the rows; auto scrolls if not all rows are visible, and zooms otherwise}
        drag         select {choice select zoom}             {Dragging}
            {a drag over the timelines selects an interval or zooms to it}
        overview     on    switch                           {Overview}       {show the strip with the whole log}
        legend       on    switch                           {Panel}
            {show the panel (its first page is the legend)}
        panel        auto  {choice auto below beside}       {Place of the panel}
            {the panel lies below or beside the timelines; auto: beside in a window that is wider than 1600 pixels, or lower than 480}
        panel_height 0     {whole 0 4000}                   {Height below}   {height of a panel below, in pixels; 0: as usual}
        panel_width  0     {whole 0 8000}                   {Width beside}   {width of a panel beside, in pixels; 0: as usual}
        panel_tab    legend {choice legend findings selection details lengths matrix stack calltree sql} {Tab}
            {the tab of the panel that is open at first}
        legend_all   off   switch                           {Whole legend}
            {list all definitions of the log in the legend, not only those in the window}
        legend_groups on   switch                           {Groups}
            {group the states in the legend if there are several groups}
        legend_columns off switch                           {Columns}
            {show counts and times in columns of the legend, not only shares}
        findings     on    switch                           {Findings}
            {look for findings when a log is opened}
        core_waits   on    switch                           {Without a core}
            {hatch the time in which threads could run but had no core}
        time_of_day  off   switch                           {Time of day}
            {show dates and times of day, if the log knows them, in place of times from its start}
        remember     on    switch                           {Remember views}
            {restore the last view of a log: time, rows, hidden states, bookmarks}
        toolbar      on    switch                           {Buttons}        {show the toolbar}
        image        auto  {choice auto shared sent photo}  {Image type}
            {how pictures reach the screen: shared memory, sent to the X server, or a photo image of Tk; auto
             chooses the fastest that the display supports}
    }
    variable value   ;# array: key -> value; followers trace it
    variable loaded 0
}

proc ::pith::preferences::keys {} {
    variable table
    return [lmap {key default range title help} $table {set key}]
}

# Returns the table's row for a key, as a dict of default, range, title and help.
proc ::pith::preferences::row {key} {
    variable table
    foreach {name default range title help} $table {
        if {$name eq $key} {
            # Makes one line of a long help text, which has line breaks in the table.
            set help [regsub -all {\s+} $help { }]
            return [dict create default $default range $range title $title help $help]
        }
    }
    throw {PITH USAGE} "no such preference: $key; must be one of [join [keys] {, }]"
}

# The range of a preference as text: "light or dark", "6 to 32", "on or off".
proc ::pith::preferences::range_text {key} {
    lassign [dict get [row $key] range] kind least most
    switch $kind {
        choice {
            set words [lrange [dict get [row $key] range] 1 end]
            return "[join [lrange $words 0 end-1] {, }] or [lindex $words end]"
        }
        whole - real { return "$least to $most" }
        switch { return "on or off" }
        text { return text }
    }
}

# Checks a value, and returns it in the form in which it is stored. If it is not allowed, throws an error that says what
# is.
proc ::pith::preferences::check {key value} {
    lassign [dict get [row $key] range] kind least most
    switch $kind {
        choice { set good [expr {$value in [lrange [dict get [row $key] range] 1 end]}] }
        whole { set good [expr {[string is entier -strict $value] && $value >= $least && $value <= $most}] }
        real { set good [expr {[string is double -strict $value] && $value >= $least && $value <= $most}] }
        switch {
            set good [string is boolean -strict $value]
            if {$good} {
                set value [expr {$value ? "on" : "off"}]
            }
        }
        text { set good [expr {$value ne {} && ![regexp {[[:cntrl:]]} $value]}] }
    }
    if {!$good} {
        throw {PITH USAGE} "$key: must be [range_text $key], not \"$value\""
    }
    return $value
}

# Sets all preferences to the values in the file, or, if the file does not have them, to their defaults. Only the first
# call does this.
proc ::pith::preferences::load {} {
    variable loaded
    variable value
    if {$loaded} {
        return
    }
    set loaded 1
    set stored [read_file]
    foreach key [keys] {
        set value($key) [expr {[dict exists $stored $key] ? [dict get $stored $key] : [dict get [row $key] default]}]
    }
}

proc ::pith::preferences::get {key} {
    variable value
    load
    row $key
    return $value($key)
}

# Changes a preference. SAVE 0: the change lasts only until the program ends.
proc ::pith::preferences::change {key new {save 1}} {
    change_all [dict create $key $new] $save
}

# Changes several preferences. If one value is wrong, changes none.
proc ::pith::preferences::change_all {wanted {save 1}} {
    variable value
    load
    set changes {}
    dict for {key new} $wanted {
        dict set changes $key [check $key $new]
    }
    dict for {key new} $changes {
        if {$value($key) ne $new} {
            set value($key) $new
        }
    }
    if {$save} {
        write_file $changes
    }
}

proc ::pith::preferences::follow {key callback} {
    load
    row $key
    trace add variable [namespace current]::value($key) write [list ::pith::preferences::followed $key $callback]
}

proc ::pith::preferences::unfollow {key callback} {
    trace remove variable [namespace current]::value($key) write [list ::pith::preferences::followed $key $callback]
}

# Calls CALLBACK after a change of the preference KEY. A trace runs this; ARGS is what Tcl passes to a trace.
proc ::pith::preferences::followed {key callback args} {
    {*}$callback $key
}

# The file of preferences, ${XDG_CONFIG_HOME:-~/.config}/pith/view.conf. Lines are `key
# value`; lines that begin with # are comments. Comments and unknown lines are preserved. Several programs may
# change the file: each locks it, reads it and changes only its own keys.
namespace eval ::pith::preferences {
    variable said {} ;# warnings about the file; each is printed once
}

# Returns the folder `pith` in one of the user's XDG directories. VARIABLE: the environment variable that names the
# directory. DEFAULT: the directory in HOME that is used if the variable is not set.
proc ::pith::user_folder {variable default} {
    if {[info exists ::env($variable)] && [file pathtype $::env($variable)] eq "absolute"} {
        return [file join $::env($variable) pith]
    }
    set home [expr {[info exists ::env(HOME)] ? $::env(HOME) : "/nowhere"}]
    return [file join $home $default pith]
}

proc ::pith::preferences::folder {} { return [::pith::user_folder XDG_CONFIG_HOME .config] }

proc ::pith::preferences::path {} {
    return [file join [folder] view.conf]
}

proc ::pith::preferences::say {text} {
    variable said
    if {$text ni $said} {
        lappend said $text
        puts stderr "pith: $text"
    }
}

# The lines of a text file; {} if the file does not exist.
proc ::pith::preferences::lines_of {path} {
    if {![file exists $path]} {
        return {}
    }
    return [split [string trimright [::pith::files::read $path] \n] \n]
}

# Reads the file, and returns a dict key -> value of the keys in it. Prints a warning for each line that is wrong, and
# uses the others.
proc ::pith::preferences::read_file {} {
    set path [path]
    set stored {}
    set number 0
    if {[catch {lines_of $path} lines]} {
        say "$path: $lines; the defaults are used"
        return {}
    }
    foreach line $lines {
        incr number
        if {[regexp {^\s*(#|$)} $line]} {
            continue
        }
        regexp {^\s*(\S+)\s*(.*?)\s*$} $line -> key value
        if {$key ni [keys]} {
            say "$path: line $number: no such preference: $key; it is kept"
        } elseif {[catch {check $key $value} value]} {
            say "$path: line $number: $value; the default is used"
        } else {
            dict set stored $key $value
        }
    }
    return $stored
}

# The lines of a new file: all keys with their defaults, as comments.
proc ::pith::preferences::new_lines {} {
    set lines [list "# Preferences of `pith view`; see pith-view(1). A line is a key and its value." {}]
    foreach key [keys] {
        lappend lines {*}[comment_lines $key] "#$key [dict get [row $key] default]" {}
    }
    return [lrange $lines 0 end-1]
}

proc ::pith::preferences::comment_lines {key} {
    return [list "# [dict get [row $key] help] ([range_text $key])"]
}

# Returns the index of the last line that sets a key. If no line sets it, returns the index of the comment that has its
# default; -1 if there is no such comment, either.
proc ::pith::preferences::line_of {key lines} {
    set found [lsearch -all -regexp $lines "^\\s*$key\\s"]
    if {$found eq {}} {
        set found [lsearch -all -regexp $lines "^#$key\\s"]
    }
    return [expr {$found eq {} ? -1 : [lindex $found end]}]
}

proc ::pith::preferences::merge {lines changes} {
    if {$lines eq {}} {
        set lines [new_lines]
    }
    dict for {key value} $changes {
        set at [line_of $key $lines]
        if {$at < 0} {
            lappend lines {} {*}[comment_lines $key] "$key $value"
        } else {
            lset lines $at "$key $value"
        }
    }
    return $lines
}

# Writes CHANGES, a dict key -> value, to the file. Throws {PITH IO} on an error.
proc ::pith::preferences::write_file {changes} {
    change_file [path] [list ::pith::preferences::merge_into $changes]
}
proc ::pith::preferences::merge_into {changes lines} {
    return [merge $lines $changes]
}

# Returns the file to which PATH leads, if it is a link, otherwise PATH. The preferences are written to that file, so
# that the link stays.
proc ::pith::preferences::target {path} {
    for {set i 0} {$i < 20 && [file type $path] eq "link"} {incr i} {
        set path [file join [file dirname $path] [file readlink $path]]
    }
    return $path
}

# Replaces the lines of a text file, and locks the file meanwhile. CHANGE: a command that gets the old lines and returns
# the new ones. On an error, the file stays as it was.
proc ::pith::preferences::change_file {path change} {
    try {
        file mkdir [file dirname $path]
        if {![catch {target $path} behind]} {
            set path $behind
        }
        set lock [take_lock $path.lock]
        try {
            ::pith::files::write $path [join [{*}$change [lines_of $path]] \n]\n
        } finally {
            file delete $lock
        }
    } on error {text} {
        throw {PITH IO} "$path: cannot be saved: $text"
    }
}

# Takes a lock, by making the lock file; waits while another program holds it. Programs hold the lock only for
# milliseconds. So a lock file older than three seconds was left by a program that died, and is deleted.
proc ::pith::preferences::take_lock {lock} {
    set begun [clock milliseconds]
    while {[catch {close [open $lock {WRONLY CREAT EXCL}]} text]} {
        if {[clock milliseconds] - $begun > 5000 || ![file exists $lock] && ![file writable [file dirname $lock]]} {
            error $text
        }
        if {![catch {file mtime $lock} since] && [clock seconds] - $since > 3} {
            file delete $lock
        }
        after 5
    }
    return $lock
}

# The dialog of preferences, with a row for each key of the table, and the command `prefer`.
oo::class create ::pith::PreferencesDialog {
    variable window
    variable path     ;# path of the toplevel
    variable wanted   ;# array: key -> value of its widget
    variable trouble  ;# error message

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
        ::pith::open_dialog $path "Preferences" [$window top]
        wm resizable $path 0 0
        set trouble {}
        my fill [lmap key [::pith::preferences::keys] {::pith::preferences::get $key}]
        set pad [px 12]
        # The rows scroll if they do not fit on the screen; the buttons stay visible.
        pack [my build_buttons [ttk::frame $path.buttons -padding $pad]] -side bottom -fill x
        pack [ttk::label $path.trouble -textvariable [my varname trouble] -style Alarm.TLabel -padding [list $pad 0]] \
            -side bottom -fill x
        set rows [::pith::theme::build_scrolled $path [colour panel]]
        $rows configure -padx $pad -pady $pad
        my build_rows $rows
        if {[::pith::theme::fit_scrolled $path [winfo reqheight $path.buttons]]} {
            foreach key [::pith::preferences::keys] {
                bind $rows.$key <FocusIn> +[list [self] see $rows.$key]
            }
        }
        pack $path.view -fill both -expand 1
        bind $path <Return> [list [self] ok]
        ::pith::theme::put_over $path [$window top]
        focus $rows.[lindex [::pith::preferences::keys] 0]
    }

    # Scrolls a row into view.
    method see {widget} {
        set high [winfo reqheight $path.view.rows]
        lassign [$path.view yview] from to
        set top [expr {double([winfo y $widget]) / $high}]
        set bottom [expr {double([winfo y $widget] + [winfo height $widget]) / $high}]
        if {$top < $from || $bottom > $to} {
            $path.view yview moveto [expr {$top < $from ? $top : $bottom - ($to - $from)}]
        }
    }

    method fill {values} {
        foreach key [::pith::preferences::keys] value $values {
            set wanted($key) $value
        }
    }

    # Makes title, widget and help of each key.
    method build_rows {frame} {
        set px [px 4]
        foreach key [::pith::preferences::keys] {
            set row [::pith::preferences::row $key]
            ttk::label $frame.title_$key -text [dict get $row title]
            my build_widget $frame.$key $key [dict get $row range]
            ttk::label $frame.help_$key -text [dict get $row help] -style Faint.TLabel -wraplength [px 430]
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
                -side [expr {$name eq "default" ? "left" : "right"}] -padx [px 3]
        }
        return $frame
    }

    # ---- Buttons

    # Returns the preferences that the user has changed in this dialog. Only these are saved, so that the dialog of
    # another window may change others meanwhile.
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
        prefer      {?KEY ?VALUE??} {get or set a preference} word_prefer
        preferences {}              {open the dialog of preferences}                                word_preferences
    }
    keys {
        {Control-p} {Ctrl-p} {open the dialog of preferences} {preferences}
    }
    menus {
        Window {"Preferences..." preferences Ctrl-P}
    }
}
