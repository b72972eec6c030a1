# theme.tcl - fonts and colours of everything that the C core does not draw. The colours are those of core/palette.h.

namespace eval ::pith::theme {
    variable factor 1.0 ;# px
    variable colour
    array set colour {
        paper #ffffff  panel #f4f6f8  edge #c9d0d8  text #1f2933  faint #667380
        grid #dfe3e8  accent #0b6bcb  select #d6e6f7  hover #e6ebf0  hidden #a7b1bb  alarm #b3261e
    }
}

proc ::pith::theme::colour {name} {
    variable colour
    return $colour($name)
}

# So many pixels of this screen as N are on one of 96 dots per inch: for all lengths that are not text.
proc ::pith::theme::px {n} {
    variable factor
    return [expr {int(round($n * $factor))}]
}

# By the preference, else by the screen; what is nearly 1 is 1, so that lines stay sharp.
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

proc ::pith::theme::apply {} {
    variable colour
    scale
    fonts
    ttk::style theme use clam
    ttk::style configure . -background $colour(panel) -foreground $colour(text) -bordercolor $colour(edge) \
        -lightcolor $colour(panel) -darkcolor $colour(panel) -troughcolor $colour(hover) -focuscolor $colour(accent)
    ttk::style configure Toolbutton -padding {7 3} -relief flat
    ttk::style map Toolbutton -background [list pressed $colour(select) active $colour(hover)]
    ttk::style configure Faint.TLabel -foreground $colour(faint)
    ttk::style configure Bold.TLabel -font PithBold
    ttk::style configure Alarm.TLabel -foreground $colour(alarm)
    ttk::style configure Card.TFrame -background $colour(paper) -relief solid -borderwidth 1
    ttk::style configure Card.TLabel -background $colour(paper)
    ttk::style configure CardFaint.TLabel -background $colour(paper) -foreground $colour(faint)
    ttk::style configure CardBold.TLabel -background $colour(paper) -font PithBold
    ttk::style configure Treeview -background $colour(paper) -fieldbackground $colour(paper) \
        -foreground $colour(text) -rowheight [expr {[font metrics TkDefaultFont -linespace] + [px 5]}] -borderwidth 0
    ttk::style map Treeview -background [list selected $colour(select)] -foreground [list selected $colour(text)]
    ttk::style configure Treeview.Heading -background $colour(panel) -foreground $colour(faint) -relief flat \
        -padding {4 3}
    ttk::style configure TScrollbar -background #d5dbe1 -arrowsize 12 -gripcount 0 -bordercolor $colour(hover)
    ttk::style configure TPanedwindow -background $colour(edge)
    ttk::style configure Sash -sashthickness 5 -gripcount 0
    option add *Menu.background $colour(panel) widgetDefault
    option add *Menu.activeBackground $colour(select) widgetDefault
    option add *Menu.activeForeground $colour(text) widgetDefault
    option add *Menu.borderWidth 1 widgetDefault
    option add *Menu.relief flat widgetDefault
}
