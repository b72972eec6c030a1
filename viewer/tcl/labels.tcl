# labels.tcl - the column of row labels, left of the time lines.

oo::class create ::pith::Labels {
    variable model
    variable path        ;# the canvas
    variable corner      ;# the canvas above it, as wide
    variable label_width

    constructor {canvas its_corner its_model} {
        set path $canvas
        set corner $its_corner
        set model $its_model
        canvas $path -highlightthickness 0 -borderwidth 0 -background [::pith::theme::colour paper] -width 60
        my measure
        $model follow [list [self] changed]
    }

    method path {} { return $path }

    method changed {what} {
        if {$what in {rows digest}} {
            my measure
        }
    }

    method measure {} {
        set widest 40
        foreach row [$model rows] {
            set widest [expr {max($widest, [font measure TkDefaultFont [dict get $row label]])}]
        }
        set label_width [expr {min($widest, 190) + 20}]
        $path configure -width $label_width
        $corner configure -width $label_width
    }

    method draw {height} {
        $path delete all
        set pixels [$model row_height]
        set every [expr {max(1, int(ceil(13.0 / $pixels)))}]
        set row [$model first_row]
        for {set y 0} {$y < $height && $row < [$model row_count]} {incr y [expr {$pixels * $every}]; incr row $every} {
            set entry [lindex [$model rows] $row]
            $path create text 10 [expr {$y + $pixels / 2}] -anchor w -text [dict get $entry label] \
                -fill [::pith::theme::colour [expr {[dict get $entry kind] eq "states" ? "text" : "faint"}]]
        }
        $path create line [expr {$label_width - 1}] 0 [expr {$label_width - 1}] $height \
            -fill [::pith::theme::colour edge]
    }
}
