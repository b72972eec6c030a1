# looks.tcl - the look of a window: palette and visible parts, set by commands for this window or by the
# preferences.

oo::class create ::pith::Looks {
    variable window model
    variable followed ;# list of key callback

    constructor {its_window} {
        set window $its_window
        set model [$window model]
        set followed {}
        foreach {key method} {
            palette palette_preferred  arrows arrows_preferred  row_height height_preferred
            legend parts_preferred  overview parts_preferred  toolbar parts_preferred
        } {
            my follow $key $method
        }
        my arrows_preferred arrows
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

    # 0: rows fill the window, the default.
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
            legend { return [expr {"$top.panes.legend" in [$top.panes panes]}] }
            overview { return [expr {[winfo manager $top.panes.time.overview] ne {}}] }
            toolbar { return [expr {[winfo manager $top.tools] ne {}}] }
        }
    }

    method show_part {part on} {
        set top [$window top]
        switch $part {
            legend {
                set there [my has_part legend]
                if {$on && !$there} {
                    $top.panes add $top.panes.legend -weight 0
                    update idletasks ;# the sash can be moved when Tk has laid out the panes
                    $window limit_legend
                } elseif {!$on && $there} {
                    $top.panes forget $top.panes.legend
                }
            }
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

    # Without ON: toggles it.
    method word_pane {part {on {}}} {
        if {$part ni {legend overview toolbar} || ![string is boolean $on]} {
            throw {PITH USAGE} "pane: must be legend, overview or toolbar, on or off"
        }
        my show_part $part [expr {$on eq {} ? ![my has_part $part] : $on}]
    }

    method word_toggle_theme {} {
        ::pith::theme::choose [expr {[::pith::theme::name] eq "dark" ? "light" : "dark"}]
    }
}

::pith::part::add Looks {
    words {
        theme        {?light|dark?}         {set the theme of all windows, until the program ends} word_theme
        palette      {?log|classic|safe?}   {set the colours of the states in this window}       word_palette
        pane         {legend|overview|toolbar ?on|off?} {show, hide or toggle a part of the window} word_pane
        toggle_theme {}                     {switch between light and dark}                       word_toggle_theme
    }
    keys {
        {Control-t} {Ctrl-t} {switch between light and dark} {toggle_theme}
        {F9} {F9} {show or hide the legend} {pane legend}
    }
    menus {
        View {
            - - -
            "Legend" {pane legend} F9
            "Overview" {pane overview} {}
            "Buttons" {pane toolbar} {}
            - - -
            "Dark theme" toggle_theme Ctrl-T
            "Colours of the log" {palette log} {}
            "Colours of MPE" {palette classic} {}
            "Colours for the colour-blind" {palette safe} {}
        }
    }
}
