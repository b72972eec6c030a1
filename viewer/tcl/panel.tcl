# panel.tcl - the panel with tabs, below the timelines or beside them: legend, findings, statistics of the selection,
# details, histogram, communication matrix, iterations, call tree, SQL. A page is empty until its tab is first chosen;
# then the part to which it belongs builds it. The panel's place, its size and the chosen tab are kept as preferences.
#
# A page belongs to a part, which calls
#     [$window panel] put PAGE WIDGET          shows the widget on this page
#     [$window panel] put_guest PAGE WIDGET    shows it on the other half of a page that has a widget
#     [$window panel] select PAGE              shows the panel and this page
#     [$window panel] leave PAGE               the page is empty now: if it was visible, shows the page seen before it
# The panel calls the part's methods in ::pith::panel::pages to open a page whose tab was chosen, and to close it.

namespace eval ::pith::panel {
    # Columns: page, title of its tab, part, the part's method that opens the page, and its method that closes the page
    # ({}: the page cannot be closed).
    variable pages {
        legend     Legend      {}             {}            {}
        findings   Findings    Findings       open_page     {}
        selection  Statistics  Selection      open_page     dismiss
        details    Details     DetailsWindow  open          close
        lengths    Histogram   Lengths        open          close
        matrix     Matrix      Matrix         open          close
        stack      Iterations  Stack          open          close
        calltree   "Call tree" CallTree       open          close
        sql        SQL         Sql            open          close
    }
}

# The names of all pages.
proc ::pith::panel::names {} {
    variable pages
    return [lmap {name title part opener closer} $pages {set name}]
}

proc ::pith::panel::row {page} {
    variable pages
    foreach {name title part opener closer} $pages {
        if {$name eq $page} {
            return [list $title $part $opener $closer]
        }
    }
    throw {PITH USAGE} "no such tab: $page; must be one of [join [names] {, }]"
}

oo::class create ::pith::Panel {
    variable window
    variable panes    ;# frame of the timelines, the sash and the panel
    variable main     ;# widget of the timelines
    variable needs    ;# script that returns the height that the timelines need
    variable holder book sash
    variable tabs_width ;# the room of the tabs, pixels
    variable place    ;# place of the panel as it is laid out now: below or beside
    variable shown    ;# 1: the panel is visible
    variable past     ;# pages that the user has seen, the last one at the end
    variable sizes    ;# dict: place -> pixels that the user chose
    variable share    ;# largest fraction of the room that the panel may take
    variable drag     ;# pointer and size at the start of a drag of the sash; {}: there is no drag
    variable followed ;# callback of the preference

    constructor {its_window its_panes} {
        set window $its_window
        set panes $its_panes
        lassign {} main needs drag place
        set shown 1
        set tabs_width 9999
        set past legend
        set share 0.46
        set sizes [dict create below [::pith::preferences::get panel_height] \
            beside [::pith::preferences::get panel_width]]
        set sash [ttk::frame $panes.sash -style Sash.TFrame]
        # The method lay_out sets the size of the panel, so the sizes of its pages must not change it.
        set holder [ttk::frame $panes.panel]
        pack propagate $holder 0
        set book [ttk::notebook $holder.book -takefocus 0]
        pack $book -fill both -expand 1
        ttk::menubutton $holder.more -text "\u00bb" -style Toolbutton -takefocus 0 -menu $holder.more.menu
        menu $holder.more.menu -tearoff 0
        foreach name [::pith::panel::names] {
            $book add [ttk::frame $book.$name] -text [lindex [::pith::panel::row $name] 0]
            grid propagate $book.$name 0
        }
        # `break` keeps Tk from moving the focus to a clicked tab, so that the keys of the timelines still work.
        bind $book <Button-1> "[list [self] clicked %x %y]; break"
        bind $book <<NotebookTabChanged>> [list [self] turned]
        ::pith::Tip new $book [list [self] title_at]
        bind $sash <Button-1> [list [self] begin_drag %X %Y]
        bind $sash <B1-Motion> [list [self] drag_to %X %Y]
        bind $sash <ButtonRelease-1> [list [self] end_drag]
        bind $panes <Configure> [list [self] lay_out]
        set followed [namespace code {my preferred}]
        ::pith::preferences::follow panel $followed
    }

    destructor {
        ::pith::preferences::unfollow panel $followed
        # Removes these bindings, because their scripts would still run when Tk destroys the tabs, and call this object.
        foreach {widget event} [list $book <<NotebookTabChanged>> $panes <Configure>] {
            if {[winfo exists $widget]} {
                bind $widget $event {}
            }
        }
    }

    method preferred {key} { my lay_out }

    # Stores a choice of the user in the preferences. If the viewer was started with a script or with --fresh, the
    # choice lasts only until the program ends.
    method remember {key value} {
        catch {::pith::preferences::change $key $value [expr {!$::pith::plain && $::pith::state::saves}]}
    }

    # ---- Layout

    # Sets the widget of the timelines. ITS_NEEDS: a script that returns the height that the timelines need. Whenever
    # this height has changed, the widget gets the event <<Panes>>.
    method set_main {widget its_needs} {
        if {$main ne {}} {
            place forget $main
            bind $main <<Panes>> {}
        }
        set main $widget
        set needs $its_needs
        bind $main <<Panes>> [list [self] lay_out]
        my lay_out
    }

    method is_shown {} { return $shown }

    method show {on} {
        set shown [expr {!!$on}]
        if {!$shown && [my has_focus]} {
            focus [winfo toplevel $panes]
        }
        my lay_out
        if {$shown} {
            my fill
        }
    }

    # The place of the panel, which the user may set by a preference. By default the panel is below the timelines; if
    # the window is very wide or low, it is beside them.
    method best_place {} {
        set chosen [::pith::preferences::get panel]
        if {$chosen ne "auto"} {
            return $chosen
        }
        set top [winfo toplevel $panes]
        return [expr {[winfo width $top] > [px 1600] || [winfo height $top] < [px 480] ? "beside" : "below"}]
    }

    method room {} { return [expr {$place eq "below" ? [winfo height $panes] : [winfo width $panes]}] }

    # The size of the panel: that which the user has chosen, or a usual size. It is limited to the fraction `share` of
    # the room, and to what `most` returns.
    method size {} {
        set room [my room]
        set size [dict get $sizes $place]
        if {!$size} {
            set size [expr {$place eq "below" ? max([px 200], min([px 360], $room * 40 / 100)) : [px 500]}]
        }
        return [expr {max(1, min($size, int($room * $share), [my most]))}]
    }

    # The largest size that the panel may have without taking room that the timelines need. In a low window the panel
    # gets some height nevertheless, and the panes below the rows of the timelines become lower.
    method most {} {
        if {$place ne "below"} {
            return [expr {[my room] - [px 250]}]
        }
        return [expr {max([my room] - [px 5] - [{*}$needs], min([px 200], [my room] * 46 / 100))}]
    }

    # Places the timelines, the panel and the sash between them. Computes all sizes before placing the first widget, so
    # that Tk lays out each widget only once.
    method lay_out {} {
        lassign [list [winfo width $panes] [winfo height $panes]] width height
        if {$main eq {} || $width <= 1} {
            return
        }
        if {!$shown} {
            place forget $sash
            place forget $holder
            place $main -x 0 -y 0 -width $width -height $height
            return
        }
        set before $place
        set place [my best_place]
        if {$before eq {}} {
            # If the user chose the size in an earlier window, the panel may take up to 0.7 of this window, otherwise
            # only 0.46.
            set share [expr {[dict get $sizes $place] ? 0.7 : 0.46}]
        }
        set size [my size]
        set edge [px 5]
        if {$place eq "below"} {
            set rest [expr {max(1, $height - $edge - $size)}]
            place $main -x 0 -y 0 -width $width -height $rest
            place $sash -x 0 -y $rest -width $width -height $edge
            place $holder -x 0 -y [expr {$rest + $edge}] -width $width -height $size
        } else {
            set rest [expr {max(1, $width - $edge - $size)}]
            place $main -x 0 -y 0 -width $rest -height $height
            place $sash -x $rest -y 0 -width $edge -height $height
            place $holder -x [expr {$rest + $edge}] -y 0 -width $size -height $height
        }
        my fit_tabs [expr {$place eq "below" ? $width : $size}]
        if {$place ne $before} {
            $sash configure -cursor [expr {$place eq "below" ? "sb_v_double_arrow" : "sb_h_double_arrow"}]
            my turn_guests
        }
    }

    # Makes the tabs fit into the width of the panel, because Tk would cut their titles. In a narrow panel the titles
    # have small letters. Tabs for which there is still no room are hidden, and a menu lists them; the tab of the
    # current page is never hidden.
    method fit_tabs {width} {
        set tabs_width $width
        set is_narrow [expr {[my width_of [::pith::panel::names] TkDefaultFont 18] > $width}]
        set style [expr {$is_narrow ? "Narrow.TNotebook" : "TNotebook"}]
        if {[$book cget -style] ne $style} {
            $book configure -style $style
        }
        set seen [::pith::panel::names]
        if {$is_narrow && [my width_of $seen PithSmall 12] > $width} {
            set seen [my current]
            foreach name [::pith::panel::names] {
                if {$name ni $seen && [my width_of [list {*}$seen $name] PithSmall 12] <= $width - [px 30]} {
                    lappend seen $name
                }
            }
        }
        $holder.more.menu delete 0 end
        foreach name [::pith::panel::names] {
            set state [expr {$name in $seen ? "normal" : "hidden"}]
            if {$state eq "hidden"} {
                $holder.more.menu add command -label [lindex [::pith::panel::row $name] 0] -command [list [self] choose $name]
            }
            if {[$book tab $book.$name -state] ne $state} {
                $book tab $book.$name -state $state
            }
        }
        if {[llength $seen] < [llength [::pith::panel::names]]} {
            place $holder.more -relx 1 -y 0 -anchor ne
        } else {
            place forget $holder.more
        }
    }

    # The width of tabs in a font, with AROUND pixels around each title.
    method width_of {names font around} {
        return [::tcl::mathop::+ {*}[lmap name $names {
            expr {[font measure $font [lindex [::pith::panel::row $name] 0]] + [px $around]}
        }]]
    }

    # The tooltip of the tab at a point. It is the title of the tab, and is shown only in a narrow panel, where titles
    # may be cut.
    method title_at {x y} {
        set index [$book index @$x,$y]
        return [expr {$index eq {} || [$book cget -style] ne "Narrow.TNotebook" ? {} :
            [lindex [::pith::panel::row [lindex [::pith::panel::names] $index]] 0]}]
    }

    # Arranges the two widgets of each page that has two: side by side if the panel is below the timelines, else one
    # below the other.
    method turn_guests {} {
        foreach name [::pith::panel::names] {
            set guest [my guest $name]
            if {$guest ne {}} {
                my take_off $guest
                my put_guest $name $guest
            }
        }
    }

    method guest {name} { return [lindex [lreverse [grid slaves $book.$name]] 1] }

    method place {} { return $place }

    # Sets the size in pixels, as if the user had dragged the sash there.
    method set_size {size} {
        set size [expr {max([px 60], min($size, [my most]))}]
        dict set sizes $place $size
        set share [expr {max(0.46, double($size) / max(1, [my room]))}]
        my lay_out
    }

    method begin_drag {x y} { set drag [list $x $y [my size]] }

    method drag_to {x y} {
        if {$drag ne {}} {
            lassign $drag x0 y0 size
            my set_size [expr {$size + ($place eq "below" ? $y0 - $y : $x0 - $x)}]
        }
    }

    method end_drag {} {
        if {$drag ne {}} {
            set drag {}
            my remember [dict get {below panel_height beside panel_width} $place] [dict get $sizes $place]
        }
    }

    # ---- Pages

    method page {name} {
        ::pith::panel::row $name
        return $book.$name
    }

    # Shows a widget on a page. The widget fills the page.
    method put {name widget} {
        set page [my page $name]
        raise $widget $holder
        grid $widget -in $page -row 0 -column 0 -sticky nsew
        grid columnconfigure $page 0 -weight 1
        grid rowconfigure $page 0 -weight 1
    }

    # Shows a second widget on a page; the two widgets share the page equally.
    method put_guest {name widget} {
        set page [my page $name]
        raise $widget $holder
        set below [expr {$place ne "below"}]
        grid $widget -in $page -row $below -column [expr {!$below}] -sticky nsew
        foreach cell {0 1} {
            grid [expr {$below ? "row" : "column"}]configure $page $cell -weight 1 -uniform halves
        }
    }

    # Removes a widget from its page, so that another widget of the page fills it again.
    method take_off {widget} {
        set info [grid info $widget]
        if {$info ne {}} {
            grid forget $widget
            foreach what {row column} {
                grid ${what}configure [dict get $info -in] 0 -weight 1 -uniform {}
                grid ${what}configure [dict get $info -in] 1 -weight 0 -uniform {}
            }
        }
    }

    method current {} { return [lindex [split [$book select] .] end] }

    # Returns 1 if this page is visible.
    method sees {name} { expr {$shown && [my current] eq $name} }

    method select {name} {
        set page [my page $name]
        if {!$shown} {
            my show 1
        }
        if {[$book select] ne $page} {
            $book select $page
            my turned
        }
    }

    # Selects a page that the user has chosen, and stores this choice in the preferences.
    method choose {name} {
        my select $name
        my fill
        my remember panel_tab $name
    }

    method clicked {x y} {
        set index [$book index @$x,$y]
        if {$index ne {}} {
            my choose [lindex [::pith::panel::names] $index]
        }
    }

    # Called when another page has become visible. If the focus is on a page that is now hidden, moves the focus to the
    # window, so that keys do not go to the hidden page.
    method turned {} {
        if {[lindex $past end] eq [my current]} {
            return
        }
        set past [list {*}[lsearch -all -inline -not -exact $past [my current]] [my current]]
        my fit_tabs $tabs_width
        if {[my has_focus] && ![my is_inside [focus] [my current]]} {
            focus [winfo toplevel $panes]
        }
    }

    # Opens the current page if it is empty.
    method fill {} {
        lassign [::pith::panel::row [my current]] title part opener
        if {$part ne {} && [grid slaves $book.[my current]] eq {}} {
            [$window part $part] $opener
        }
    }

    method step {by} {
        set names [::pith::panel::names]
        my choose [lindex $names [expr {([lsearch -exact $names [my current]] + $by) % [llength $names]}]]
    }

    method leave {name} {
        set visible [my sees $name]
        set past [lsearch -all -inline -not -exact $past $name]
        if {$visible} {
            if {$past eq {}} {
                set past legend
            }
            $book select $book.[lindex $past end]
            if {[my has_focus] || [focus] eq {}} {
                focus [winfo toplevel $panes]
            }
        }
    }

    # Returns 1 if a widget is on a page.
    method is_inside {widget name} {
        foreach slave [grid slaves $book.$name] {
            if {$widget eq $slave || [string match $slave.* $widget]} {
                return 1
            }
        }
        return 0
    }

    method has_focus {} {
        foreach name [::pith::panel::names] {
            if {[my is_inside [focus] $name]} {
                return 1
            }
        }
        return 0
    }

    # Called for the key Escape. If the focus is on the current page and this page can be closed, closes it and returns
    # 1. Otherwise returns 0.
    method escape {} {
        set name [my current]
        lassign [::pith::panel::row $name] title part opener closer
        if {$closer eq {} || ![my is_inside [focus] $name]} {
            return 0
        }
        [$window part $part] $closer
        return 1
    }
}

# The commands and keys of the panel.
oo::class create ::pith::PanelWords {
    variable window panel

    constructor {its_window} {
        set window $its_window
        set panel [$window panel]
    }

    # Called after the first picture. Opens the tab that the user chose last. If the page of this tab would have to read
    # a large log, does not open it; the user can still choose the tab.
    method finish {} {
        set name [::pith::preferences::get panel_tab]
        set is_large [expr {[[$window model] info records] > $::pith::Waiting::most_records}]
        set is_dear [expr {$is_large && $name in {lengths matrix stack calltree sql}}]
        if {$::pith::state::restores && $name ne "legend" && [$panel is_shown] && !$is_dear} {
            $panel select $name
            $panel fill
        }
    }

    method word_tab {{name {}}} {
        switch $name {
            {} {}
            next { $panel step 1 }
            prev { $panel step -1 }
            default {
                $panel select $name
                $panel fill
            }
        }
        return [$panel current]
    }

    method word_panel {{what {}} {size {}}} {
        switch $what {
            below - beside - auto { ::pith::preferences::change panel $what [expr {!$::pith::plain}] }
            size {
                if {![string is integer -strict $size]} {
                    throw {PITH USAGE} "panel: size must be pixels"
                }
                $panel set_size $size
            }
            {} {}
            default { throw {PITH USAGE} "panel: must be below, beside, auto or size PIXELS" }
        }
        return [list [expr {[$panel is_shown] ? [$panel place] : "off"}] [$panel size]]
    }
}

::pith::part::add PanelWords {
    words {
        tab {?PAGE|next|prev?} {choose a tab of the panel: legend, findings, selection, details, lengths, matrix, stack, calltree or sql} word_tab
        panel {?below|beside|auto|size PIXELS?} {place or size of the panel; without argument both, or off} word_panel
    }
    keys {
        {F9} {F9} {show or hide the panel with legend, findings, statistics and more} {pane panel}
        {Control-Next} {Ctrl-Page Down} {next tab of the panel} {tab next}
        {Control-Prior} {Ctrl-Page Up} {previous tab of the panel} {tab prev}
    }
    group Window
}
