# looks.tcl - the look of windows. The first half has the theme of all windows: fonts, sizes and colours. The class
# Looks sets the colours of states and the visible parts of one window, by commands or by the preferences.

# Fonts, sizes and colours of everything that Tk draws; the pictures come from the drawing core, in C. The colours are
# those of core/raster/palette.h. After a change of the theme, existing widgets get the new colours, too.

namespace eval ::pith::theme {
    variable factor 1.0 ;# pixels of this screen for each pixel of a screen with 96 dots per inch
    variable colour     ;# array: name -> #rrggbb
    variable chosen light
    variable followed 0
}

# The name of the theme: light or dark.
proc ::pith::theme::name {} {
    variable chosen
    return $chosen
}

proc ::pith::theme::colour {name} {
    variable colour
    return $colour($name)
}

# Makes the commands `colour NAME` and `px N` available in the methods of all classes: Tcl looks for commands of methods
# in the namespace oo::Helpers, too.
interp alias {} ::oo::Helpers::colour {} ::pith::theme::colour
interp alias {} ::oo::Helpers::px {} ::pith::theme::px

# Binds the scripts UP and DOWN to the mouse wheel. Binds both kinds of events, because under X11, Tk 8.6 reports the
# wheel as buttons 4 and 5, but Tk 9 as MouseWheel.
proc ::pith::bind_wheel {widget modifier up down} {
    bind $widget <${modifier}Button-4> $up
    bind $widget <${modifier}Button-5> $down
    bind $widget <${modifier}MouseWheel> [list if {%D > 0} $up else $down]
}

# Makes a dialog over the window TOP. When Escape or the window manager closes it, the script CLOSE runs; by default,
# the dialog is destroyed.
proc ::pith::open_dialog {path title top {close {}}} {
    if {$close eq {}} {
        set close [list destroy $path]
    }
    toplevel $path -background [::pith::theme::colour panel]
    wm title $path $title
    wm transient $path $top
    wm protocol $path WM_DELETE_WINDOW $close
    bind $path <Escape> $close
}

# Returns black or white: the colour in which text is readable on the colour RGB (#rrggbb).
proc ::pith::theme::text_on {rgb} {
    return [::pithtk::texton $rgb]
}

# Converts a length of N pixels on a screen with 96 dots per inch to pixels of this screen. All lengths are converted in
# this way, except the sizes of fonts.
proc ::pith::theme::px {n} {
    variable factor
    return [expr {int(round($n * $factor))}]
}

# The text of a number for a table cell. Between groups of digits it has no-break spaces instead of thin spaces, because
# Tk's table draws thin spaces wider than it measures them, and would cut off the end of the text.
proc ::pith::theme::cell {number} {
    return [string map {\u2009 \u00a0} [::pithtk::number $number]]
}

# Sets the scale of all lengths: that of the preference, or, if the preference is 0, that which suits the screen. A
# factor near 1 becomes 1, so that lines are not blurred.
proc ::pith::theme::scale {} {
    variable factor
    variable screen_scaling
    if {![info exists screen_scaling]} {
        set screen_scaling [tk scaling]
    }
    set chosen [::pith::preferences::get scale]
    set factor [expr {$chosen ? double($chosen) : $screen_scaling * 72 / 96.0}]
    if {abs($factor - 1) < 0.15} {
        set factor 1.0
    }
    ::pithtk::scale $factor
    tk scaling [expr {$chosen ? $factor * 96 / 72 : $screen_scaling}]
}

proc ::pith::theme::family {} {
    set families [font families]
    foreach family [list [::pith::preferences::get font] {DejaVu Sans} {Noto Sans} {Liberation Sans} Helvetica] {
        if {$family in $families} {
            break
        }
    }
    return $family
}

proc ::pith::theme::fonts {} {
    set size [::pith::preferences::get font_size]
    set family [family]
    foreach font {TkDefaultFont TkTextFont TkMenuFont TkHeadingFont TkTooltipFont TkCaptionFont} {
        font configure $font -family $family -size $size -weight normal
    }
    foreach {font more weight} {PithBold 0 bold  PithSmall -1 normal  PithRank 4 bold  PithClock 6 bold} {
        if {$font ni [font names]} {
            font create $font
        }
        font configure $font -family $family -size [expr {$size + $more}] -weight $weight
    }
}

# ---- Styles of widgets

proc ::pith::theme::styles {} {
    variable colour
    ttk::style theme use clam
    ttk::style configure . -background $colour(panel) -foreground $colour(text) -bordercolor $colour(edge) \
        -lightcolor $colour(panel) -darkcolor $colour(panel) -troughcolor $colour(hover) -focuscolor $colour(accent) \
        -fieldbackground $colour(paper) -insertcolor $colour(text) -arrowcolor $colour(text) \
        -selectbackground $colour(select) -selectforeground $colour(text) \
        -indicatorbackground $colour(paper) -indicatorforeground $colour(accent) \
        -upperbordercolor $colour(edge) -lowerbordercolor $colour(edge) -indicatorsize [px 11]
    ttk::style map . -background [list disabled $colour(panel) active $colour(hover)] \
        -foreground [list disabled $colour(hidden)] \
        -selectbackground [list !focus $colour(hover)] -selectforeground [list disabled $colour(hidden)]
    ttk::style configure TButton -padding [list [px 8] [px 3]] -width -8
    ttk::style configure Toolbutton -padding [list [px 7] [px 3]] -relief flat
    ttk::style map Toolbutton -background [list pressed $colour(select) selected $colour(select) active $colour(hover)]
    foreach style {TEntry TCombobox TSpinbox} {
        ttk::style map $style -fieldbackground [list disabled $colour(panel) readonly $colour(paper)] \
            -foreground [list disabled $colour(hidden) {readonly focus} $colour(text)] \
            -bordercolor [list focus $colour(accent)] -lightcolor [list focus $colour(accent)]
        ttk::style configure $style -padding [list [px 4] [px 2]] -arrowsize [px 12] -lightcolor $colour(paper)
    }
    foreach style {TCheckbutton TRadiobutton} {
        ttk::style map $style -indicatorbackground [list pressed $colour(hover) {!disabled} $colour(paper)] \
            -indicatorforeground [list {!disabled} $colour(accent)]
    }
    ttk::style configure Faint.TLabel -foreground $colour(faint)
    ttk::style configure Hint.TLabel -background $colour(paper) -foreground $colour(hidden)
    ttk::style configure Bold.TLabel -font PithBold
    ttk::style configure Alarm.TLabel -foreground $colour(alarm)
    ttk::style configure Card.TFrame -background $colour(paper) -relief solid -borderwidth 1
    ttk::style configure Card.TLabel -background $colour(paper)
    ttk::style configure CardFaint.TLabel -background $colour(paper) -foreground $colour(faint)
    ttk::style configure CardBold.TLabel -background $colour(paper) -font PithBold
    ttk::style configure Treeview -background $colour(paper) -fieldbackground $colour(paper) \
        -foreground $colour(text) -rowheight [expr {[font metrics TkDefaultFont -linespace] + [px 5]}] -borderwidth 0 \
        -indicatorsize [px 9] -indent [px 12]
    ttk::style map Treeview -background [list selected $colour(select)] -foreground [list selected $colour(text)]
    ttk::style configure Former.Treeview -foreground $colour(hidden)
    ttk::style configure Treeview.Heading -background $colour(paper) -foreground $colour(faint) -relief flat \
        -padding [list [px 2] [px 3]]
    ttk::style map Treeview.Heading -background [list active $colour(hover)]
    ttk::style configure TScrollbar -background $colour(thumb) -arrowsize [px 12] -gripcount 0 \
        -bordercolor $colour(hover)
    ttk::style map TScrollbar -background [list disabled $colour(hover) active $colour(faint)]
    ttk::style configure TPanedwindow -background $colour(edge)
    ttk::style configure Sash -sashthickness [px 5] -gripcount 0
    ttk::style configure Sash.TFrame -background $colour(edge)
    ttk::style configure TNotebook -background $colour(panel) -bordercolor $colour(edge)
    ttk::style configure TNotebook.Tab -background $colour(hover) -foreground $colour(faint) \
        -padding [list [px 6] [px 3]] -bordercolor $colour(edge)
    # A style for tabs in a panel that is too narrow for the usual ones.
    ttk::style configure Narrow.TNotebook.Tab -padding [list [px 3] [px 3]] -font PithSmall
    ttk::style map TNotebook.Tab -background [list selected $colour(panel) active $colour(select)] \
        -foreground [list selected $colour(text)] -lightcolor [list selected $colour(panel)]
    ttk::style configure TLabelframe.Label -foreground $colour(faint)
    ttk::style configure TScale -background $colour(thumb) -arrowsize [px 14] -sliderlength [px 30]
    ttk::style configure TProgressbar -background $colour(accent)
}

# Sets the default colours of classic Tk widgets (those without ttk::). Existing widgets keep their colours.
proc ::pith::theme::defaults {} {
    variable colour
    foreach {option name} {
        *Menu.background panel  *Menu.foreground text  *Menu.activeBackground select  *Menu.activeForeground text
        *Menu.disabledForeground hidden  *Menu.selectColor accent
        *Toplevel.background panel  *Canvas.background paper
        *Text.background paper  *Text.foreground text  *Text.insertBackground text
        *Text.selectBackground select  *Text.selectForeground text  *Text.highlightBackground edge
        *Text.highlightColor accent
        *Listbox.background paper  *Listbox.foreground text
        *Listbox.selectBackground select  *Listbox.selectForeground text
    } {
        option add $option $colour($name) widgetDefault
    }
    option add *Menu.borderWidth 1 widgetDefault
    option add *Menu.relief flat widgetDefault
}

# Places a dialog over its window. First waits until Tk has computed the size of the dialog.
proc ::pith::theme::put_over {dialog top} {
    update idletasks
    if {[winfo exists $dialog]} {
        set x [expr {[winfo rootx $top] + ([winfo width $top] - [winfo reqwidth $dialog]) / 2}]
        set y [expr {min([winfo rooty $top] + [px 60], [winfo screenheight $top] - [winfo reqheight $dialog] - [px 30])}]
        wm geometry $dialog +[expr {max(0, $x)}]+[expr {max(0, $y)}]
    }
}

# Makes an empty frame that scrolls up and down if it becomes too high for the screen: PATH.view.rows, on the canvas
# PATH.view, with the scrollbar PATH.bar. Returns the frame. The caller fills the frame, then calls `fit_scrolled`, then
# packs PATH.view.
proc ::pith::theme::build_scrolled {path colour} {
    canvas $path.view -highlightthickness 0 -background $colour -yscrollcommand [list $path.bar set]
    ttk::scrollbar $path.bar -orient vertical -command [list $path.view yview]
    $path.view create window 0 0 -anchor nw -window [frame $path.view.rows -background $colour]
    return $path.view.rows
}

# Gives the canvas of `build_scrolled` the size of its frame, or less if the screen is too low. Returns 1 if the frame
# must therefore scroll. OTHER: pixels that the dialog needs above and below the frame.
proc ::pith::theme::fit_scrolled {path other} {
    update idletasks
    set wide [winfo reqwidth $path.view.rows]
    set high [winfo reqheight $path.view.rows]
    set room [expr {[winfo screenheight $path] - $other - [px 90]}]
    $path.view configure -width $wide -height [expr {min($high, $room)}] -scrollregion [list 0 0 $wide $high]
    if {$high <= $room} {
        return 0
    }
    pack $path.bar -side right -fill y
    ::pith::bind_wheel $path {} [list $path.view yview scroll -2 units] [list $path.view yview scroll 2 units]
    return 1
}

# ---- Changing the theme

proc ::pith::theme::apply {} {
    variable followed
    variable chosen [::pith::preferences::get theme]
    array set ::pith::theme::colour [::pithtk::theme $chosen]
    scale
    fonts
    styles
    defaults
    if {!$followed} {
        set followed 1
        ::pith::preferences::follow theme [namespace code theme_preferred]
        foreach key {font font_size scale} {
            ::pith::preferences::follow $key [namespace code sizes_preferred]
        }
    }
}

proc ::pith::theme::theme_preferred {key} {
    choose [::pith::preferences::get theme]
}

proc ::pith::theme::sizes_preferred {key} {
    scale
    fonts
    styles
    ::pith::box::forget
    update_windows
}

# Changes the theme of all windows. Throws {PITH USAGE} if there is no such theme.
proc ::pith::theme::choose {name} {
    variable colour
    variable chosen
    set before [array get colour]
    array set colour [::pithtk::theme $name]
    set chosen $name
    styles
    defaults
    set change {}
    foreach {name old} $before {
        dict set change $old $colour($name)
    }
    recolour . $change
    ::pith::box::forget
    update_windows
}

# Updates all windows after a change of the theme. Also gives states new colours, because a palette has different
# colours for a light and for a dark background.
proc ::pith::theme::update_windows {} {
    foreach window [info class instances ::pith::Window] {
        set model [$window model]
        $model take_palette [$model palette]
        $model notify theme
    }
}

# Replaces colours in a widget, its canvas items and its children. CHANGE: a dict from each colour of the old theme to
# that of the new one.
proc ::pith::theme::recolour {widget change} {
    if {![string match T* [winfo class $widget]] || [winfo class $widget] in {Text Toplevel}} {
        foreach option [$widget configure] {
            if {[llength $option] == 5 && [dict exists $change [lindex $option 4]]} {
                $widget configure [lindex $option 0] [dict get $change [lindex $option 4]]
            }
        }
    }
    if {[winfo class $widget] eq "Canvas"} {
        recolour_items $widget $change
    }
    foreach child [winfo children $widget] {
        recolour $child $change
    }
}

proc ::pith::theme::recolour_items {canvas change} {
    foreach item [$canvas find all] {
        foreach option {-fill -outline} {
            if {![catch {$canvas itemcget $item $option} old] && [dict exists $change $old]} {
                $canvas itemconfigure $item $option [dict get $change $old]
            }
        }
    }
}

oo::class create ::pith::Looks {
    variable window model
    variable followed ;# list of preference keys and callbacks in turn

    constructor {its_window} {
        set window $its_window
        set model [$window model]
        set followed {}
        foreach {key method} {
            palette palette_preferred  arrows arrows_preferred  row_height height_preferred
            time_of_day time_preferred
            legend parts_preferred  overview parts_preferred  toolbar parts_preferred
        } {
            my follow $key $method
        }
        my arrows_preferred arrows
        my time_preferred time_of_day
        my height_preferred row_height
        my parts_preferred legend
        $model forget_past
    }

    destructor {
        foreach {key callback} $followed {
            ::pith::preferences::unfollow $key $callback
        }
    }

    method follow {key method} {
        set callback [namespace code [list my $method]]
        lappend followed $key $callback
        ::pith::preferences::follow $key $callback
    }

    # ---- Preferences

    method palette_preferred {key} { $model set_palette [::pith::preferences::get palette] }
    method arrows_preferred {key} { $model set_arrows [::pith::preferences::get arrows] }
    method time_preferred {key} { $model set_time_of_day [::pith::preferences::get time_of_day] }

    # Sets the height of rows to that of the preference. If the preference is 0, as by default, rows are so high that
    # they fill the window.
    method height_preferred {key} {
        set pixels [::pith::preferences::get row_height]
        if {$pixels} {
            $model set_row_height $pixels
        } elseif {![$model auto_height]} {
            $model release_row_height
        }
    }

    method parts_preferred {key} {
        foreach part {legend overview toolbar} {
            my show_part $part [::pith::preferences::get $part]
        }
    }

    # ---- Parts of the window

    method has_part {part} {
        set top [$window top]
        switch $part {
            panel - legend { return [[$window panel] is_shown] }
            overview { return [expr {[winfo manager $top.panes.time.overview] ne {}}] }
            toolbar { return [expr {[winfo manager $top.tools] ne {}}] }
        }
    }

    method show_part {part on} {
        set top [$window top]
        switch $part {
            panel - legend { [$window panel] show $on }
            overview { grid [expr {$on ? "configure" : "remove"}] $top.panes.time.overview }
            toolbar {
                if {$on} {
                    pack $top.tools -side top -fill x -before $top.status
                } else {
                    pack forget $top.tools
                }
            }
        }
    }

    # ---- Words

    method word_theme {{name {}}} {
        if {$name ne {}} {
            ::pith::theme::choose $name
        }
        return [::pith::theme::name]
    }

    method word_palette {{name {}}} {
        if {$name ne {}} {
            $model set_palette $name
        }
        return [$model palette]
    }

    # Shows or hides a part of the window. Without ON, toggles it.
    method word_pane {part {on {}}} {
        if {$part ni {panel legend overview toolbar} || ![string is boolean $on]} {
            throw {PITH USAGE} "pane: must be panel, overview or toolbar, on or off"
        }
        my show_part $part [expr {$on eq {} ? ![my has_part $part] : $on}]
    }

    # Switches between times of day with dates and times from the log's start. Times of day are possible only if the log
    # has the property start_unix_s, the time at which the recording started.
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

    # Script commands for `pith draw`. A picture that the user saves (export.tcl) thereby shows times in the same way as
    # the window.
    method words {} { expr {[$model time_of_day] ? {{time_of_day on}} : {}} }

    method word_toggle_theme {} {
        ::pith::theme::choose [expr {[::pith::theme::name] eq "dark" ? "light" : "dark"}]
    }
}

::pith::part::add Looks {
    words {
        theme        {?light|dark?}         {set the theme of all windows, until the program ends} word_theme
        palette      {?log|classic|safe?}   {set the colours of the states in this window}       word_palette
        pane         {panel|overview|toolbar ?on|off?} {show, hide or toggle a part of the window} word_pane
        toggle_theme {}                     {switch between light and dark}                       word_toggle_theme
        time_of_day  {on|off} {show dates and times of day, if the log knows them, in place of times from its start} word_time_of_day
    }
    keys {
        {Control-t} {Ctrl-t} {switch between light and dark} {toggle_theme}
    }
    menus {
        View {
            - - -
            "Panel" {pane panel} F9
            "Overview" {pane overview} {}
            "Buttons" {pane toolbar} {}
            "Time of day" {time_of_day toggle} {}
            - - -
            "Dark theme" toggle_theme Ctrl-T
            "Colours of the log" {palette log} {}
            "Colours of MPE" {palette classic} {}
            "Colours for the colour-blind" {palette safe} {}
        }
    }
}
