# svg.tcl - a canvas of rectangles, lines, polygons and texts as an SVG file.

namespace eval ::pith::svg {}

# The items of a canvas that have none of the TAGS, and below it one more line of text.
proc ::pith::svg::write {canvas file tags caption} {
    set width [winfo width $canvas]
    set height [expr {[winfo height $canvas] + 24}]
    set text "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"$width\" height=\"$height\"\
        font-family=\"[font actual PithSmall -family], sans-serif\">\n"
    append text "<rect width=\"100%\" height=\"100%\" fill=\"[$canvas cget -background]\"/>\n"
    foreach item [$canvas find all] {
        if {![overlap [$canvas gettags $item] $tags]} {
            append text [[$canvas type $item] $canvas $item]
        }
    }
    append text [words 12 [expr {$height - 10}] start 11 [::pith::theme::colour text] $caption] "</svg>\n"
    ::pith::board::write_text $file $text
}

proc ::pith::svg::overlap {some others} {
    foreach one $some {
        if {$one in $others} {
            return 1
        }
    }
    return 0
}

proc ::pith::svg::rectangle {canvas item} {
    lassign [$canvas coords $item] x0 y0 x1 y1
    return "<rect x=\"$x0\" y=\"$y0\" width=\"[expr {$x1 - $x0}]\" height=\"[expr {$y1 - $y0}]\"\
        fill=\"[$canvas itemcget $item -fill]\"/>\n"
}

proc ::pith::svg::line {canvas item} {
    return "<polyline points=\"[$canvas coords $item]\" fill=\"none\" stroke=\"[$canvas itemcget $item -fill]\"/>\n"
}

proc ::pith::svg::polygon {canvas item} {
    return "<polygon points=\"[$canvas coords $item]\" fill=\"[$canvas itemcget $item -fill]\"\
        stroke=\"[$canvas itemcget $item -outline]\" stroke-width=\"[$canvas itemcget $item -width]\"/>\n"
}

proc ::pith::svg::text {canvas item} {
    set anchor [$canvas itemcget $item -anchor]
    set size [expr {-[font actual [$canvas itemcget $item -font] -size]}]
    set size [expr {$size > 0 ? $size : -$size * [tk scaling]}]
    lassign [$canvas coords $item] x y
    switch -glob $anchor {
        n* { set y [expr {$y + $size}] }
        s* {}
        default { set y [expr {$y + $size * 0.35}] }
    }
    set side [expr {[string match *w $anchor] ? "start" : [string match *e $anchor] ? "end" : "middle"}]
    return [words $x $y $side $size [$canvas itemcget $item -fill] [$canvas itemcget $item -text]]
}

proc ::pith::svg::words {x y side size colour text} {
    return "<text x=\"$x\" y=\"$y\" text-anchor=\"$side\" font-size=\"[format %.1f $size]\"\
        fill=\"$colour\">[string map {& &amp; < &lt; > &gt;} $text]</text>\n"
}
