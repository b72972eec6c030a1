# theme.tcl - fonts and colours of everything that the C core does not draw. The colours are those of core/palette.h.

namespace eval ::pith::theme {
    variable colour
    array set colour {
        paper #ffffff  panel #f4f6f8  edge #c9d0d8  text #1f2933  faint #667380
        grid #dfe3e8  accent #0b6bcb  select #d6e6f7  hover #e6ebf0  hidden #a7b1bb
    }
}

proc ::pith::theme::colour {name} {
    variable colour
    return $colour($name)
}

proc ::pith::theme::fonts {} {
    set families [font families]
    foreach family {{DejaVu Sans} {Noto Sans} {Liberation Sans} Helvetica} {
        if {$family in $families} {
            break
        }
    }
    foreach font {TkDefaultFont TkTextFont TkMenuFont TkHeadingFont TkTooltipFont TkCaptionFont} {
        font configure $font -family $family -size 9 -weight normal
    }
    font create PithBold -family $family -size 9 -weight bold
    font create PithSmall -family $family -size 8
    font create PithRank -family $family -size 13 -weight bold
    font create PithClock -family $family -size 15 -weight bold
}

proc ::pith::theme::apply {} {
    variable colour
    fonts
    ttk::style theme use clam
    ttk::style configure . -background $colour(panel) -foreground $colour(text) -bordercolor $colour(edge) \
        -lightcolor $colour(panel) -darkcolor $colour(panel) -troughcolor $colour(hover) -focuscolor $colour(accent)
    ttk::style configure Toolbutton -padding {7 3} -relief flat
    ttk::style map Toolbutton -background [list pressed $colour(select) active $colour(hover)]
    ttk::style configure Faint.TLabel -foreground $colour(faint)
    ttk::style configure Bold.TLabel -font PithBold
    ttk::style configure Card.TFrame -background $colour(paper) -relief solid -borderwidth 1
    ttk::style configure Card.TLabel -background $colour(paper)
    ttk::style configure CardFaint.TLabel -background $colour(paper) -foreground $colour(faint)
    ttk::style configure CardBold.TLabel -background $colour(paper) -font PithBold
    ttk::style configure Treeview -background $colour(paper) -fieldbackground $colour(paper) \
        -foreground $colour(text) -rowheight 20 -borderwidth 0
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
