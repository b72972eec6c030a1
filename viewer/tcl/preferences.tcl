# preferences.tcl - what the user prefers: one table of keys, from which the file (preferences_file.tcl), the dialog
# (preferences_dialog.tcl) and the page pith-view(1) come. No Tk here.
#
#     ::pith::preferences::get wheel                        its value, read from the file at the first use
#     ::pith::preferences::change wheel zoom                checked, told to those who follow, and saved
#     ::pith::preferences::follow wheel CALLBACK            CALLBACK KEY is called when it has changed
#     ::pith::preferences::unfollow wheel CALLBACK          (objects that go do so in their destructor)

namespace eval ::pith::preferences {
    # Key, default, range, title in the dialog, help. A range: {choice WORD...}, {whole LEAST MOST}, {real LEAST MOST},
    # switch (on or off) or text.
    variable table {
        theme        light {choice light dark}              {Theme}          {colours of the window}
        palette      log   {choice log classic safe}        {State colours}
            {those of the log, those of MPE, or colours that the colour-blind can tell apart}
        font         auto  text                             {Font}           {family of the font; auto chooses one}
        font_size    9     {whole 6 32}                     {Font size}      {in points}
        scale        0     {real 0 4}                       {Scale}
            {sizes of everything, 2 on a screen with twice the dots; 0 goes by the screen}
        row_height   0     {whole 0 200}                    {Row height}     {in pixels; 0 fills the window with rows}
        arrows       on    switch                           {Messages}       {messages are shown as arrows}
        most_arrows  3000  {whole 0 100000}                 {Most arrows}    {so many arrows are drawn at most}
        wheel        auto  {choice auto zoom scroll}        {Wheel}
            {what it does: zoom, scroll the rows, or scroll when not all rows are seen and zoom otherwise}
        drag         select {choice select zoom}             {Dragging}
            {what dragging over the time lines does: select a stretch of time, or zoom there}
        overview     on    switch                           {Overview}       {the strip with the whole log is shown}
        legend       on    switch                           {Legend}         {the legend is shown}
        legend_all   off   switch                           {Whole legend}
            {the legend lists everything that the log defines, not only what is in the window}
        legend_groups on   switch                           {Groups}
            {the legend puts states together by their groups when there are several}
        remember     on    switch                           {Remember views}
            {a log opens as it was last looked at: time, rows, what is hidden, bookmarks}
        toolbar      on    switch                           {Buttons}        {the row of buttons is shown}
        image        auto  {choice auto shared sent photo}  {Image type}
            {how pictures get to the screen: memory shared with the X server, sent to it as far as they change, or
             Tk's photo image; auto takes the best that the display knows}
    }
    variable value   ;# array: key -> value; traced by those who follow
    variable loaded 0
}

proc ::pith::preferences::keys {} {
    variable table
    return [lmap {key default range title help} $table {set key}]
}

# A dict of default, range, title and help.
proc ::pith::preferences::row {key} {
    variable table
    foreach {name default range title help} $table {
        if {$name eq $key} {
            # Long ones are broken in the table.
            set help [regsub -all {\s+} $help { }]
            return [dict create default $default range $range title $title help $help]
        }
    }
    return -code error -errorcode {PITH USAGE} "no such preference: $key; there are [join [keys] {, }]"
}

# The range in words: "light or dark", "6 to 32", "on or off".
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

# The value as it is kept, or an error that says what is right.
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
        return -code error -errorcode {PITH USAGE} "$key: must be [range_text $key], not \"$value\""
    }
    return $value
}

# The file's values, and defaults for the rest.
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

# `save` 0: until the program ends.
proc ::pith::preferences::change {key new {save 1}} {
    change_all [dict create $key $new] $save
}

# Many at once: all are checked before any is changed.
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

# What a trace calls; Tcl's own words last.
proc ::pith::preferences::followed {key callback args} {
    {*}$callback $key
}

# The section of pith-view(1).
proc ::pith::preferences::manual {} {
    set text {}
    foreach key [keys] {
        set row [row $key]
        append text ".TP\n.BR $key \" (\" \"[range_text $key]\" \"; \" [dict get $row default] )\n"
        append text "[string toupper [string index [dict get $row help] 0]][string range [dict get $row help] 1 end].\n"
    }
    return [string map {- \\-} $text]
}
