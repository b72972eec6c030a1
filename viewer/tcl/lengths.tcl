# lengths.tcl - shows the lengths of the instances of a state, or the durations or sizes of messages, as a histogram, as
# a map over time, or as a map by rank. All of these values are called lengths. The user chooses a range of lengths by
# two handles; only lengths in this range are counted, and statistics of them stand below the graph. A click on a bar or
# dot goes to its longest instance, each further click to the next longest.

# The graph of lengths on a canvas, with its pointer and keys. It has three views. The histogram has bars, a scale, and
# below them the range of lengths with a handle at each end. The map over time has dots, and the map by rank has a line
# of tiles for each rank (core/measure/length_map.h). The lengths come from a list, a command that tk/log_object.h
# describes.
#
# A subclass (Lengths) sets the variables and has the methods
#     show_numbers        called after a change of the range or of the lengths in it
#     show_instance       called after a click on a bar
#     bar_colour          colour of the bars
#     amount              text of a length
#     longest             "longest", or "largest" for sizes
#     of_messages         1: the list is of messages
#     ticks WIDTH         marks of the axis of time, as the method `ticks` of a log
#     tile_text DICT      about a tile of the map

oo::class create ::pith::Histogram {
    variable canvas list   ;# canvas of the graph; list of lengths, a command of tk/log_object.h ({}: none)
    variable bins          ;# number of bins
    variable logarithmic   ;# 1: bins widen by a constant factor
    variable low high      ;# chosen range of lengths, ns
    variable drag          ;# low, high or both during a drag of a handle; {} none
    variable grip          ;# x of low, of high and of the pointer at the start of the drag
    variable drawn         ;# for each drawn bin: from to count total
    variable at            ;# bin under the pointer; -1 none
    variable step          ;# index of the instance of that bin to which the last click went; -1: none
    variable view          ;# bars, time or ranks; the latter two are maps
    variable photo         ;# picture of the map
    variable tile          ;# dict: tile of the map under the pointer; {} none
    variable readout       ;# text about the bin or tile under the pointer
    variable spread        ;# dict: statistics of the range
    variable frame_of      ;# left top right bottom of the bars

    method clear {} {
        lassign {} list drag drawn spread tile
        set view bars
        set bins 60
        set logarithmic 0
        set at -1
        set step -1
        set frame_of {0 0 1 1}
    }

    method build_graph {path} {
        set canvas [canvas $path -width [px 720] -height [px 300] \
            -highlightthickness 1 -borderwidth 0 -takefocus 1 -background [colour paper] \
            -highlightbackground [colour edge] -highlightcolor [colour accent]]
        set photo [image create photo]
        bind $canvas <Destroy> [list image delete $photo]
        set me [self]
        bind $canvas <Configure> [list $me draw]
        bind $canvas <Motion> [list $me moved %x %y]
        bind $canvas <Leave> [list $me point_away]
        bind $canvas <Button-1> [list $me press %x %y]
        bind $canvas <B1-Motion> [list $me dragged %x]
        bind $canvas <ButtonRelease-1> [list $me release]
        bind $canvas <Double-Button-1> [list $me double %x %y]
        foreach {keys script} {
            {Left} {key_bin -1} {Right} {key_bin 1} {Return space} {show_instance} {Home} {all_lengths}
            {plus equal KP_Add} {narrow 0.5} {minus KP_Subtract} {narrow 2.0} {Up} {key_more 10} {Down} {key_more -10}
        } {
            foreach key $keys {
                bind $canvas <Key-$key> "$me $script; break"
            }
        }
        ::pith::bind_wheel $canvas {} [list $me narrow 0.8 %x %y] [list $me narrow 1.25 %x %y]
    }

    # ---- Drawing

    method draw {args} {
        if {![winfo exists $canvas]} {
            return
        }
        set bins [expr {[string is integer -strict $bins] ? max(1, min(200, $bins)) : 60}]
        lassign [list [winfo width $canvas] [winfo height $canvas]] width height
        $canvas delete all
        lassign [lmap pixels [expr {$view eq "time" ? {58 12 26 30} : {58 12 26 66}}] {px $pixels}] left top right bottom
        set frame_of [list $left $top [expr {max($left + 40, $width - $right)}] \
            [expr {max($top + 40, $height - $bottom)}]]
        set drawn {}
        set spread {}
        if {$list ne {} && $width > 1} {
            set spread [$list spread $low $high]
            set drawn [$list bins $low $high [expr {$logarithmic ? "log" : "linear"}] $bins]
            if {$view ne "bars"} {
                my draw_map
            } else {
                my draw_bars
            }
            if {$view ne "time"} {
                my draw_lengths
                my draw_track
            }
        }
        my show_numbers
        my point [expr {$at < [llength $drawn] / 4 ? $at : -1}]
        my point_tile {}
    }

    method highest {} {
        set most 0
        foreach {from to count total} $drawn {
            set most [expr {max($most, $count)}]
        }
        return $most
    }

    method bar {number} {
        lassign $frame_of left top right bottom
        set count [expr {[llength $drawn] / 4}]
        set wide [expr {double($right - $left) / $count}]
        set gap [expr {$wide > 4 ? 1 : 0}]
        return [list [expr {$left + round($wide * $number)}] [expr {$left + round($wide * ($number + 1)) - $gap}]]
    }

    # Draws the histogram. A bar is at least 2 pixels high, so that a bin with few instances is visible, too.
    method draw_bars {} {
        lassign $frame_of left top right bottom
        set most [my highest]
        foreach mark [::pith::board::marks 0 $most 5] {
            set y [expr {$bottom - ($bottom - $top) * $mark / max(1, $most)}]
            if {$mark == round($mark)} {
                $canvas create line $left $y $right $y -fill [colour grid]
                $canvas create text [expr {$left - 6}] $y -anchor e -font PithSmall \
                    -text [::pithtk::number [expr {wide($mark)}]] -fill [colour faint]
            }
        }
        set colour [my bar_colour]
        set number 0
        foreach {from to count total} $drawn {
            if {$count} {
                lassign [my bar $number] x0 x1
                set y [expr {min($bottom - 2, $bottom - round(double($bottom - $top) * $count / $most))}]
                $canvas create rectangle $x0 $y $x1 $bottom -fill $colour -width 0 -tags [list bar bar$number]
            }
            incr number
        }
        $canvas create line $left $bottom $right $bottom -fill [colour faint]
        my say_none $most
    }

    method say_none {most} {
        if {!$most} {
            lassign $frame_of left top right bottom
            $canvas create text [expr {($left + $right) / 2}] [expr {($top + $bottom) / 2}] \
                -text "none in this time" -fill [colour faint]
        }
    }

    # Draws a map. The map over time has dots, whose height shows the length. The map by rank has a line of tiles for
    # each rank; there each column of tiles is a bin of the histogram.
    method draw_map {} {
        lassign $frame_of left top right bottom
        lassign [list [expr {$right - $left}] [expr {$bottom - $top}]] width height
        set marks {}
        set dot [px [expr {$view eq "time" && [dict get $spread count] < 500 ? 5 : 3}]] ;# few dots are larger
        if {$view eq "time"} {
            lassign [list [expr {$width / $dot}] [expr {$height / $dot}]] places count
            set marks [lmap mark [my length_marks [expr {max(2, min(10, $height / [px 28]))}]] {
                list $mark [expr {$bottom - ([my x_of $mark $low [expr {$high + 1}]] - $left) * $height / $width}]
            }]
        } else {
            lassign [list [expr {$height / $dot}] $bins] places count
        }
        lassign [$list map $photo $view $low $high [expr {$logarithmic ? "log" : "linear"}] $places $count $width $height \
            [lmap mark $marks {expr {[lindex $mark 1] - $top}}]] most lanes
        $canvas create image $left $top -anchor nw -image $photo -tags map
        if {$view eq "time"} {
            my draw_time $marks
        } else {
            my draw_ranks $lanes
        }
        $canvas create line $left $bottom $right $bottom -fill [colour faint]
        my say_none $most
    }

    # Draws the scales of a map over time: lengths on the left, time below.
    method draw_time {marks} {
        lassign $frame_of left top right bottom
        set last 1e9
        foreach mark $marks {
            lassign $mark length y
            if {$last - $y >= [px 14]} {
                set last $y
                $canvas create text [expr {$left - 6}] $y -anchor e -font PithSmall -text [my amount [expr {wide($length)}]] \
                    -fill [colour faint]
            }
        }
        set base_end [expr {$left - 6}]
        set times [lassign [my ticks [expr {$right - $left}]] base]
        if {$base ne {}} {
            $canvas create text 2 [expr {$bottom + 6}] -anchor nw -font PithSmall -text $base -fill [colour faint]
            set base_end [expr {[font measure PithSmall $base] + [px 10]}]
        }
        foreach {x label} $times {
            set x [expr {$left + $x}]
            $canvas create line $x $bottom $x [expr {$bottom + 4}] -fill [colour faint]
            if {$x - [font measure PithSmall $label] / 2 > $base_end} {
                $canvas create text $x [expr {$bottom + 6}] -anchor n -font PithSmall -text $label -fill [colour faint]
            }
        }
    }

    # Draws the labels of a map by rank. LANES: rank and thread of the first lane of each line.
    method draw_ranks {lanes} {
        lassign $frame_of left top right bottom
        set count [llength $lanes]
        set last -1000
        set number 0
        foreach lane $lanes {
            set y [expr {$top + ($number + 0.5) * ($bottom - $top) / $count}]
            if {$y - $last >= [font metrics PithSmall -linespace]} {
                set last $y
                $canvas create text [expr {$left - 6}] $y -anchor e -font PithSmall -text [my lane_text $lane] \
                    -fill [colour faint]
            }
            incr number
        }
    }

    # A lane as text: "3", or "3.1" for thread 1.
    method lane_text {lane} { expr {[lindex $lane 1] ? [join $lane .] : [lindex $lane 0]} }

    # The x of a length, on a scale that shows the range [FROM, TO].
    method x_of {length from to} {
        lassign $frame_of left top right bottom
        if {$to <= $from} {
            return [expr {$length > $from ? $right : $left}]
        }
        if {$logarithmic && $to > 1} {
            set from [expr {double(max(1, $from))}]
            return [expr {$left + ($right - $left) * log(max(1, $length) / $from) / max(1e-9, log($to / $from))}]
        }
        return [expr {$left + double($right - $left) * ($length - $from) / ($to - $from)}]
    }

    method length_at {x from to} {
        lassign $frame_of left top right bottom
        set share [expr {max(0.0, min(1.0, double($x - $left) / ($right - $left)))}]
        if {$logarithmic && $to > 1} {
            set from [expr {double(max(1, $from))}]
            return [expr {wide(round($from * pow($to / $from, $share)))}]
        }
        return [expr {wide(round($from + ($to - $from) * $share))}]
    }

    # Marks of the scale of lengths. On a logarithmic scale they are powers of ten; on a linear scale, about MOST round
    # numbers.
    method length_marks {most} {
        set marks [expr {$logarithmic ? [::pith::board::log_marks $low $high] : {}}]
        if {[llength $marks] < 2} {
            set marks [::pith::board::marks $low $high $most]
        }
        return [lmap mark $marks {expr {$mark == round($mark) ? $mark : [continue]}}]
    }

    # Draws the scale of lengths below the bars.
    method draw_lengths {} {
        lassign $frame_of left top right bottom
        set last -1000
        foreach mark [my length_marks [expr {max(2, ($right - $left) / [px 90])}]] {
            set x [my x_of $mark $low [expr {$high + 1}]]
            if {$x - $last < [px 56]} continue
            set last $x
            $canvas create line $x $bottom $x [expr {$bottom + 4}] -fill [colour faint]
            $canvas create text $x [expr {$bottom + 6}] -anchor n -font PithSmall \
                -text [my amount [expr {wide($mark)}]] -fill [colour faint]
        }
    }

    method track_y {} {
        expr {[lindex $frame_of 3] + [px 32]}
    }

    # Draws a line for the range of all lengths. The part of it that the user has chosen is between two handles.
    method draw_track {} {
        lassign $frame_of left top right bottom
        lassign [$list range] from to
        set y [my track_y]
        set x0 [my x_of $low $from $to]
        set x1 [my x_of $high $from $to]
        $canvas create rectangle $left [expr {$y - 2}] $right [expr {$y + 2}] -width 0 -tags track \
            -fill [colour grid]
        $canvas create rectangle $x0 [expr {$y - 2}] $x1 [expr {$y + 2}] -width 0 -tags {track chosen} \
            -fill [colour accent]
        foreach {name x} [list low $x0 high $x1] {
            lassign [lmap pixels {6 1 8 9} {px $pixels}] half low_edge up down
            $canvas create polygon $x [expr {$y - $up}] [expr {$x + $half}] [expr {$y + $low_edge}] \
                [expr {$x + $half}] [expr {$y + $down}] [expr {$x - $half}] [expr {$y + $down}] \
                [expr {$x - $half}] [expr {$y + $low_edge}] -tags [list handle $name] \
                -fill [colour paper] -outline [colour accent] -width 2
        }
        set below [expr {$y + [px 14]}]
        $canvas create text $left $below -anchor nw -font PithSmall -text "from [my amount $low]" \
            -fill [colour text]
        $canvas create text $right $below -anchor ne -font PithSmall -text "to [my amount $high]" \
            -fill [colour text]
    }

    # ---- The pointer

    method bin_at {x y} {
        lassign $frame_of left top right bottom
        set count [expr {[llength $drawn] / 4}]
        if {!$count || $x < $left || $x >= $right || $y < $top - 8 || $y > $bottom + 4} {
            return -1
        }
        return [expr {int(double($x - $left) * $count / ($right - $left))}]
    }

    method point {number} {
        if {$number != $at} {
            set step -1
        }
        set at $number
        if {$view ne "bars"} return
        $canvas delete pointed
        if {$at < 0} {
            set readout "Point at a bar; each click shows its next [my longest] [expr {[my of_messages] ? "message" : "instance"}]"
            return
        }
        lassign $frame_of left top right bottom
        lassign [my bar $at] x0 x1
        $canvas create rectangle $x0 [expr {$top - 2}] [expr {max($x0 + 1, $x1)}] $bottom -width 0 -tags pointed \
            -fill [colour select]
        $canvas lower pointed
        lassign [lrange $drawn [expr {4 * $at}] end] from to count total
        set all [dict get $spread count]
        set time [dict get $spread total]
        set readout "[my amount $from] \u2013 [my amount $to]:   [::pithtk::number $count]"
        if {$all && $time > 0} {
            append readout [format { (%.1f %%)} [expr {100.0 * $count / $all}]] \
                ",   total [my amount $total]" [format { (%.1f %%)} [expr {100.0 * $total / $time}]]
        }
        if {$step >= 0} {
            append readout ",   shown: [my longest] number [expr {$step + 1}]"
        }
    }

    # Called when the pointer or a key has moved to a tile of the map. Highlights this tile and describes it. ITS {}:
    # there is no tile.
    method point_tile {its} {
        if {$view eq "bars"} return
        if {$its eq {} || $tile eq {} || [dict get $its place] != [dict get $tile place] || [dict get $its bin] != [dict get $tile bin]} {
            set step -1
        }
        set tile $its
        $canvas delete pointed
        set what [expr {[my of_messages] ? "message" : "instance"}]
        if {$tile eq {}} {
            set readout "Point at a [expr {$view eq "time" ? "dot" : "tile"}]; each click shows its next [my longest] $what"
            return
        }
        lassign $frame_of left top
        lassign [dict get $tile box] x y width height
        $canvas create rectangle [expr {$left + $x - 2}] [expr {$top + $y - 2}] [expr {$left + $x + $width + 1}] \
            [expr {$top + $y + $height + 1}] -width 2 -tags pointed -outline [colour text]
        set count [dict get $tile count]
        set readout [my tile_text $tile]
        if {$step >= 0 && $count > 1} {
            append readout ",   shown: [my longest] number [expr {$step + 1}]"
        }
    }

    method tile_at {x y} {
        lassign $frame_of left top right bottom
        if {$view eq "bars" || $list eq {} || $x < $left - 4 || $x > $right + 4 || $y < $top - 4 || $y > $bottom + 4} {
            return {}
        }
        return [$list at [expr {$x - $left}] [expr {$y - $top}] [px [expr {$view eq "time" ? 6 : 0}]]]
    }

    method point_away {} {
        my point -1
        my point_tile {}
    }

    method handle_at {x y} {
        lassign $frame_of left top right bottom
        if {$list eq {} || $view eq "time" || abs($y - [my track_y]) > 12} {
            return {}
        }
        lassign [$list range] from to
        set x0 [my x_of $low $from $to]
        set x1 [my x_of $high $from $to]
        if {min(abs($x - $x0), abs($x - $x1)) <= 9} {
            return [expr {abs($x - $x0) < abs($x - $x1) || ($x0 == $x1 && $x < $x0) ? "low" : "high"}]
        }
        return [expr {$x > $x0 && $x < $x1 ? "both" : {}}]
    }

    method moved {x y} {
        $canvas configure -cursor [expr {[my handle_at $x $y] ne {} ? "sb_h_double_arrow" : {}}]
        if {$view eq "bars"} {
            my point [my bin_at $x $y]
        } else {
            my point_tile [my tile_at $x $y]
        }
    }

    method press {x y} {
        focus $canvas
        set drag [my handle_at $x $y]
        if {$drag eq {} && $view ne "bars"} {
            my point_tile [my tile_at $x $y]
            my show_instance
            return
        }
        if {$drag ne {}} {
            lassign [$list range] from to
            set grip [list [my x_of $low $from $to] [my x_of $high $from $to] $x]
        } elseif {[my bin_at $x $y] >= 0} {
            my point [my bin_at $x $y]
            my show_instance
        }
    }

    method dragged {x} {
        if {$drag eq {}} {
            return
        }
        lassign [$list range] from to
        lassign $grip x0 x1 began
        set by [expr {$x - $began}]
        if {$drag ne "high"} {
            set new [my length_at [expr {$x0 + $by}] $from $to]
            set low [expr {$drag eq "both" ? $new : min($new, $high)}]
        }
        if {$drag ne "low"} {
            set high [expr {max($low, [my length_at [expr {$x1 + $by}] $from $to])}]
        }
        my draw
    }

    method release {} { set drag {} }

    # Handles a double click. On the line with the handles, it makes the range that of all lengths again. Anywhere else
    # it is the same as a second click.
    method double {x y} {
        lassign $frame_of left top right bottom
        if {$view ne "time" && abs($y - [my track_y]) <= 12} {
            my all_lengths
        } else {
            my press $x $y
        }
    }

    # ---- The range

    method all_lengths {} {
        if {$list ne {}} {
            lassign [$list range] low high
            my draw
        }
    }

    # Makes the range of lengths FACTOR times as wide. The length at the point X, Y keeps its place in the graph; if no
    # point is given, the length of the chosen bin does.
    method narrow {factor {x {}} {y {}}} {
        if {$list eq {}} {
            return
        }
        lassign $frame_of left top right bottom
        if {$view eq "time" && $x ne {}} { ;# in this view lengths are on the vertical axis
            set x [expr {$left + ($bottom - $y) * ($right - $left) / ($bottom - $top)}]
        }
        if {$x eq {}} {
            set x [expr {$at < 0 ? ($left + $right) / 2 : [lindex [my bar $at] 0]}]
        }
        lassign [$list range] from to
        set x0 [expr {$x + ($left - $x) * $factor}]
        set x1 [expr {$x + ($right - $x) * $factor}]
        set wide [expr {double($right - $left)}]
        if {$logarithmic && $high > 1} {
            set base [expr {double(max(1, $low))}]
            set times [expr {max(2.0, $high / $base)}]
            set new_low [expr {$base * pow($times, ($x0 - $left) / $wide)}]
            set new_high [expr {$base * pow($times, ($x1 - $left) / $wide)}]
        } else {
            set new_low [expr {$low + ($high - $low + 1) * ($x0 - $left) / $wide}]
            set new_high [expr {$low + ($high - $low + 1) * ($x1 - $left) / $wide}]
        }
        my set_range [expr {wide(max($from, min($to, $new_low)))}] [expr {wide(max($from, min($to, $new_high)))}]
    }

    method set_range {new_low new_high} {
        set low [expr {min($new_low, $new_high)}]
        set high [expr {max($new_low, $new_high)}]
        my draw
    }

    method key_more {by} {
        if {$view eq "bars"} {
            my more_bins $by
        } else {
            my key_bin [expr {$by > 0 ? -1 : 1}]
        }
    }

    # Goes to the next bin of the histogram (BY is 1) or to the previous one (BY is -1). In the map over time, goes to
    # the longest instance in the next or previous column; in the map by rank, to the longest instance of the next or
    # previous rank. Keys call this.
    method key_bin {by} {
        if {$view ne "bars"} {
            if {$list ne {}} {
                set from [expr {$tile ne {} ? [dict get $tile place] : $by > 0 ? -1 : 1 << 30}]
                set its [$list next $from $by]
                if {$its ne {}} {
                    my point_tile $its
                }
            }
            return
        }
        set count [expr {[llength $drawn] / 4}]
        if {$count} {
            my point [expr {$at < 0 ? ($by > 0 ? 0 : $count - 1) : max(0, min($count - 1, $at + $by))}]
        }
    }
}

# Writes the contents of a canvas (rectangles, lines, polygons and texts) as an SVG file.
namespace eval ::pith::svg {}

# Writes all items of a canvas, except those that have one of TAGS, and a caption below the picture.
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

proc ::pith::svg::image {canvas item} {
    set photo [$canvas itemcget $item -image]
    set data [binary encode base64 [$photo data -format png]]
    lassign [$canvas coords $item] x y
    return "<image x=\"$x\" y=\"$y\" width=\"[::image width $photo]\" height=\"[::image height $photo]\"\
        href=\"data:image/png;base64,$data\"/>\n"
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

oo::class create ::pith::Lengths {
    superclass ::pith::Board ::pith::Histogram
    variable window model board
    variable canvas list bins logarithmic low high drawn at step readout spread view tile ;# see Histogram
    variable view_text
    variable state         ;# id of the definition, "messages", or "sizes" of messages
    variable names         ;# displayed name -> state
    variable state_text    ;# text of the combobox

    constructor {its_window} {
        next $its_window "State lengths"
        my clear
        set state {}
        my list_names
    }

    destructor {
        my drop
        next
    }

    method drop {} {
        if {$list ne {}} {
            my free_result $list
            set list {}
        }
    }

    method free_result {result} {
        rename $result {}
    }

    # ---- Widgets

    method build {body} {
        my build_controls [ttk::frame $body.controls]
        my build_graph $body.graph
        ttk::label $body.readout -textvariable [my varname readout] -padding {2 6}
        set frame [ttk::frame $body.numbers]
        foreach {key text} {
            count Count  total Total  mean Average  median Median  p95 {95 % below}  min Shortest  max Longest
            deviation {Std. deviation}
        } {
            ttk::label $frame.t$key -text $text -style Faint.TLabel
            ttk::label $frame.v$key -text {} -style Bold.TLabel
        }
        bind $body <Configure> [list [self] lay_out %w %h]
        pack $body.controls -fill x -pady {0 4}
        my build_progress $body.progress
        pack $body.readout -side bottom -fill x
        pack $canvas -fill both -expand 1
        focus $canvas
    }

    # Places the statistics below the graph; if the panel is low, to the right of the graph.
    method lay_out {width height} {
        set frame $board.body.numbers
        set is_low [expr {$height < [px 320] && $width > [px 640]}]
        set across [expr {$width > [px 860] ? 8 : 4}]
        set controls $board.body.controls
        my wrap_controls [expr {$width < [px 860]}] [lmap name {log count slider bins rows} {string cat $controls. $name}]
        my place_progress [expr {$height < [px 320]}]
        set at 0
        foreach key {count total mean median p95 min max deviation} {
            if {$is_low} {
                set column [expr {$at % 2 * 2}]
                grid $frame.t$key -row [expr {$at / 2}] -column $column -sticky w -padx {12 6}
                grid $frame.v$key -row [expr {$at / 2}] -column [expr {$column + 1}] -sticky e -padx 2
            } else {
                set row [expr {$at / $across * 2}]
                grid $frame.t$key -row $row -column [expr {$at % $across}] -sticky w -padx {2 12}
                grid $frame.v$key -row [incr row] -column [expr {$at % $across}] -sticky w -padx {2 12}
            }
            set even [expr {!$is_low && $at < $across}]
            grid columnconfigure $frame $at -weight $even -uniform [expr {$even ? "numbers" : {}}]
            incr at
        }
        if {$is_low} {
            pack $frame -side right -anchor n -before $canvas
        } else {
            pack $frame -side bottom -fill x -before $board.body.readout
        }
    }

    method build_controls {frame} {
        my list_names
        if {$state eq {}} {
            set state [my usual_state]
        }
        set state_text [my name_of $state]
        set view_text [my view_name $view]
        ttk::combobox $frame.view -state readonly -width 10 -textvariable [my varname view_text] \
            -values [lmap one {bars time ranks} {my view_name $one}]
        bind $frame.view <<ComboboxSelected>> [list [self] choose_view]
        ttk::label $frame.what -text "of"
        ttk::combobox $frame.state -state readonly -width 24 -height 24 -textvariable [my varname state_text] \
            -values [dict keys $names]
        bind $frame.state <<ComboboxSelected>> [list [self] choose_state]
        ttk::label $frame.bins -text "Bins"
        ttk::spinbox $frame.count -from 1 -to 200 -width 4 -textvariable [my varname bins] -command [list [self] draw]
        bind $frame.count <Return> [list [self] draw]
        bind $frame.count <FocusOut> [list [self] draw]
        ttk::scale $frame.slider -from 1 -to 200 -length [px 110] -value $bins -command [list [self] slide_bins]
        ttk::checkbutton $frame.log -text "Logarithmic" -variable [my varname logarithmic] -command [list [self] draw]
        pack $frame.view $frame.what $frame.state {*}[my build_scope $frame] -side left -padx {0 6}
        pack $frame.log $frame.count $frame.slider $frame.bins -side right -padx {6 0}
    }

    # ---- Histogram or map

    method view_name {word} { dict get {bars "Histogram" time "Over time" ranks "By rank"} $word }

    method choose_view {} {
        foreach word {bars time ranks} {
            if {[my view_name $word] eq $view_text} {
                my set_view $word
            }
        }
    }

    # Shows bars, a map over time or a map by rank. If there are very many lengths, only the tiles of one map are kept
    # in memory, so the lengths must be read again for another map. If there are few, all lengths are in memory.
    method set_view {word} {
        if {$word ni {bars time ranks}} {
            throw {PITH USAGE} "lengths as: must be bars, time or ranks"
        }
        set view $word
        set view_text [my view_name $word]
        set tile {}
        if {[my is_open]} {
            foreach name {bins count slider} { ;# a map over time has no bins
                $board.body.controls.$name state [expr {$view eq "time" ? "disabled" : "!disabled"}]
            }
            if {$view ne "bars" && $list ne {} && ![lindex [$list range] 2]} {
                my renew 0
            }
            my draw
        }
    }

    method over {} { expr {$view eq "bars" ? "none" : $view} }

    method ticks {width} {
        lassign [my interval] from to
        return [[$model log] ticks $from $to $width [px 90] time]
    }

    # The text about a tile, such as "12 instances of rank 0 to 3, 1.2 ms - 1.3 ms; the longest: rank 3, begins at 0.5
    # s, lasts 1.28 ms".
    method tile_text {its} {
        dict with its {}
        set length [expr {$state eq "sizes" ? [dict get $longest bytes] : [dict get $longest end] - [dict get $longest start]}]
        set begin [$model time_text [dict get $longest start] [expr {max(1, ([lindex [my interval] 1] - [lindex [my interval] 0]) / 10000)}]]
        if {[my of_messages]} {
            set text "rank [my lane_text [list [dict get $longest from] [dict get $longest from_thread]]] to\
                [my lane_text [list [dict get $longest to] [dict get $longest to_thread]]], sent at $begin, [my amount $length]"
        } else {
            set text "rank [my lane_text [list [dict get $longest rank] [dict get $longest thread]]], begins at $begin,\
                lasts [my amount $length]"
        }
        if {$count == 1} {
            return $text
        }
        set many "[::pithtk::number $count] [expr {[my of_messages] ? "messages" : "instances"}]"
        if {$view eq "ranks"} {
            append many " of rank [my lane_text $first][expr {$first eq $last ? {} : " to [my lane_text $last]"}]"
        }
        return "$many, [my amount $from] \u2013 [my amount $to];   the [my longest]: $text"
    }

    # ---- Which state

    # Lists the names of states for the user's choice. If several states have the same name, the id of each further one
    # follows its name, so that each of them can be chosen.
    method list_names {} {
        set names {}
        dict for {id def} [$model defs] {
            if {[dict get $def kind] eq "state"} {
                set name [dict get $def name]
                dict set names [expr {[dict exists $names $name] ? "$name ($id)" : $name}] $id
            }
        }
        set names [lsort -stride 2 -dictionary $names]
        dict set names messages messages
        dict set names {message sizes} sizes
    }

    # If the log was replaced, chooses the state with the same name in the new log.
    method changed {what} {
        if {$what eq "log"} {
            set name [my name_of $state]
            my list_names
            set state [expr {[dict exists $names $name] ? [dict get $names $name] : [lindex $names 1]}]
            if {[my is_open]} {
                set state_text [my name_of $state]
                $board.body.controls.state configure -values [dict keys $names]
            }
        }
        next $what
    }

    method name_of {wanted} {
        dict for {name one} $names {
            if {$one eq $wanted} {
                return $name
            }
        }
        return {}
    }

    # The state that is shown at first: the one with the most time.
    method usual_state {} {
        foreach sum [[$window legend] sums] {
            if {[dict get [$model def [dict get $sum id]] kind] eq "state"} {
                return [dict get $sum id]
            }
        }
        return [lindex $names 1]
    }

    method choose_state {} {
        my set_state [dict get $names $state_text]
    }

    method set_state {wanted} {
        set state $wanted
        if {[my is_open]} {
            set state_text [my name_of $state]
            my all_lengths
            my drop
            my renew 0
        }
    }

    method longest {} { return [expr {$state eq "sizes" ? "largest" : "longest"}] }
    method of_messages {} { return [expr {$state in {messages sizes}}] }

    # The text of a length: a duration, or a number of bytes for sizes of messages.
    method amount {value} {
        return [expr {$state eq "sizes" ? [::pith::board::bytes $value] : [::pithtk::duration $value]}]
    }

    method bar_colour {} {
        return [expr {[my of_messages] ? [colour accent] : [dict get [$model def $state] colour]}]
    }

    # ---- Work

    method ask {callback} {
        return [[$model log] lengths $state {*}[my interval] [my rows] [my over] $callback]
    }

    # Takes the lengths that the job has found. If the user has chosen a range of lengths, keeps this range; otherwise
    # shows all lengths.
    method answered {result} {
        set chosen [expr {$list ne {} && [list $low $high] ne [lrange [$list range] 0 1]}]
        my drop
        set list $result
        if {!$chosen} {
            lassign [$list range] low high
        }
        set step -1
        my draw
        if {![lindex [$list range] 2]} {
            my say "[::pithtk::number [dict get [$list spread $low $high] count]] values are many: they are rounded to\
                [expr {$view eq "bars" ? "0.05" : "1.6"}] %"
        }
    }

    method show_numbers {} {
        set frame $board.body.numbers
        foreach key {count total mean median p95 min max deviation} {
            set text "\u2013"
            if {$spread ne {} && [dict get $spread count]} {
                set value [dict get $spread $key]
                set text [expr {$key eq "count" ? [::pithtk::number $value] : [my amount $value]}]
            }
            $frame.v$key configure -text $text
        }
        $frame.tmin configure -text [expr {$state eq "sizes" ? "Smallest" : "Shortest"}]
        $frame.tmax configure -text [expr {$state eq "sizes" ? "Largest" : "Longest"}]
    }

    # ---- Words

    method more_bins {by} {
        my set_bins [expr {$bins + $by}]
    }

    method slide_bins {value} {
        my set_bins [expr {round($value)}] 0
    }

    method set_bins {count {slide 1}} {
        if {![string is integer -strict $count]} {
            throw {PITH USAGE} "lengths bins: must be 1 to 200"
        }
        set bins [expr {max(1, min(200, $count))}]
        if {[my is_open]} {
            if {$slide} {
                $board.body.controls.slider set $bins
            }
            my draw
        }
    }

    # Goes to the longest instance of the bin or tile under the pointer; each further call goes to the next longest.
    method show_instance {} {
        if {$view ne "bars"} {
            if {$tile ne {}} {
                my show_of_tile
            }
            return
        }
        if {$at < 0} {
            return
        }
        lassign [lrange $drawn [expr {4 * $at}] end] from to
        set place [$list nth $from [expr {$to - 1}] [incr step]]
        if {$place eq {} && $step} {
            set step 0
            set place [$list nth $from [expr {$to - 1}] 0]
        }
        if {$place eq {}} {
            set step -1
            return
        }
        my go_to [my thing $place]
        my point $at
    }

    method show_of_tile {} {
        set number [expr {$step + 1}]
        set place [$list of_tile [dict get $tile place] [dict get $tile bin] $number]
        if {$place eq {}} {
            set number 0
            set place [$list of_tile [dict get $tile place] [dict get $tile bin] 0]
        }
        my go_to [my thing $place]
        set step $number
        my point_tile $tile
    }

    method thing {place} {
        if {[my of_messages]} {
            return [dict create kind message hit $place]
        }
        set more [dict create id $state name [$model name $state] depth 0 ended 1]
        return [dict create kind state hit [dict merge $place $more]]
    }

    # Opens the page. If a state or message is under the pointer, the page shows the lengths of this state, or of
    # messages.
    method open_pointed {} {
        set what [$model pointer]
        if {[dict exists $what kind] && [dict get $what kind] eq "message"} {
            my set_state messages
        } elseif {[dict exists $what hit id] && [dict get [$model def [dict get $what hit id]] kind] eq "state"} {
            my set_state [dict get $what hit id]
        }
        my open
        focus $canvas
    }

    # Opens the page. It shows the lengths of the first of ITEMS (items of the legend) that is a state or `messages`.
    method open_items {items} {
        foreach item $items {
            if {$item in [dict values $names]} {
                my set_state $item
                break
            }
        }
        my open
    }

    method word_lengths {args} {
        if {[lindex $args 0] in {save as bins log range of rows stats bin close}} {
            return [my run_word {*}$args]
        }
        if {[llength $args] > 1} {
            throw {PITH USAGE} "lengths: only one state can be shown; see help"
        }
        if {[llength $args]} {
            my set_state [my state_like [lindex $args 0]]
        }
        my open
        my wait
    }

    method state_like {pattern} {
        if {$pattern in {messages sizes}} {
            return $pattern
        }
        foreach id [$model ids_like $pattern] {
            if {[dict get [$model def $id] kind] eq "state"} {
                return $id
            }
        }
        throw {PITH USAGE} "no state is called $pattern[$model nearest $pattern state]"
    }

    # Saves the graph as SVG if FILE ends with .svg, otherwise a PNG screenshot of the page.
    method save {file} {
        if {[file extension $file] ne ".svg"} {
            my picture $file
            return
        }
        set numbers {}
        foreach {key name} {count count total total mean average median median p95 {95 % below} deviation deviation} {
            set amount [dict get $spread $key]
            lappend numbers "$name [expr {$key eq "count" ? [::pithtk::number $amount] : [my amount $amount]}]"
        }
        ::pith::svg::write $canvas $file {pointed handle track} "[my name_of $state]: [join $numbers {, }]"
    }

    method run_word {word args} {
        if {$word eq "close"} {
            my close
            return
        }
        my open
        my wait
        switch $word {
            as { my set_view {*}$args; my wait }
            bins { my set_bins {*}$args }
            log { set logarithmic [string is true -strict [lindex $args 0]]; my draw }
            range { my set_range {*}[lmap word $args {expr {$state eq "sizes" ? $word : [::pith::words::time $word]}}] }
            of { my set_scope {*}$args; my wait }
            rows { my set_rows {*}$args; my wait }
            stats { return $spread }
            bin { return [lrange $drawn [expr {4 * [lindex $args 0]}] [expr {4 * [lindex $args 0] + 3}]] }
            save { my save {*}$args }
        }
    }
}

::pith::part::add Lengths {
    words {
        lengths {?NAME?}      {histogram of the lengths of a state, of "messages", or of their "sizes"} word_lengths
        lengths_of_pointed {} {histogram of the lengths of the state under the pointer}     open_pointed
    }
    keys {{l} {l} {histogram of the lengths of the state under the pointer} {lengths_of_pointed}}
    menus {Statistics {"State lengths..." lengths l  "Message sizes..." {lengths sizes} {}}}
}
