# overview.tcl - the strip below the timelines that shows the whole log and marks the current window. A click or
# a drag moves the window.

oo::class create ::pith::Overview {
    variable model
    variable path     ;# canvas
    variable photo faded shown ;# the log; the log faded; the part inside the window
    variable placed   ;# 1: the canvas has the images
    variable width
    variable pending  ;# after id of the redraw to come
    variable grip     ;# during a drag: time from the start of the window to the pointer, ns

    constructor {canvas its_model} {
        set model $its_model
        set path $canvas
        foreach name {photo faded shown} {
            set $name [image create photo]
        }
        set placed 0
        set width 1
        set pending {}
        set grip 0
        canvas $path -height [my height] -highlightthickness 0 -borderwidth 0 \
            -background [colour paper] -cursor sb_h_double_arrow
        bind $path <Configure> [list [self] resized %w]
        bind $path <Button-1> [list [self] press %x]
        bind $path <B1-Motion> [list [self] drag %x]
        $model follow [list [self] changed]
    }

    destructor {
        after cancel $pending
        image delete $photo $faded $shown
    }

    method height {} { return [px 36] }

    method resized {w} {
        set width $w
        my redraw
    }

    method changed {what} {
        switch $what {
            time { my mark }
            rows - hidden - colours { my redraw }
            theme {
                $path configure -height [my height]
                my redraw
            }
        }
    }

    method photo {} { return $photo }

    # Called late, because the first photo of a program makes Tk request 256 colours from the X server, one by
    # one.
    method place {} {
        if {!$placed} {
            set placed 1
            $path create image 0 3 -anchor nw -image $faded
            $path create image 0 3 -anchor nw -image $shown -tags shown
            $path create rectangle -9 -9 -9 -9 -outline [colour accent] -width 2 -tags window
        }
    }

    # After idle work, so that the first picture of the timelines does not wait for it.
    method redraw {} {
        if {$pending eq {}} {
            set pending [after idle [namespace code {my draw_soon}]]
        }
    }

    method draw_soon {} {
        set pending [after 60 [namespace code {my draw}]]
    }

    # Draws now if a redraw is pending.
    method flush {} {
        if {$pending ne {}} {
            after cancel $pending
            my draw
        }
    }

    method draw {} {
        set pending {}
        if {![winfo exists $path] || $width <= 1} {
            return
        }
        my place
        catch {[$model log] overview $photo $faded {*}[$model whole] $width [expr {[my height] - 6}]}
        my mark
    }

    method x_of {time} {
        lassign [$model whole] first last
        expr {double($time - $first) / ($last - $first) * $width}
    }

    method time_at {x} {
        lassign [$model whole] first last
        expr {$first + wide(double($x) * ($last - $first) / $width)}
    }

    method mark {} {
        lassign [$model window] t0 t1
        set x0 [expr {max(0, min($width - 3, round([my x_of $t0])))}]
        set x1 [expr {min($width, max($x0 + 3, round([my x_of $t1])))}]
        if {[image width $photo] >= $x1} {
            $shown copy $photo -from $x0 0 $x1 [image height $photo] -shrink
            $path coords shown $x0 3
        }
        $path coords window [expr {max(1, $x0)}] 1 [expr {min($width - 1, $x1)}] [expr {[my height] - 2}]
    }

    # Inside the mark, a drag starts where the window is; outside, the window centres on the pointer.
    method press {x} {
        lassign [$model window] t0 t1
        set time [my time_at $x]
        set grip [expr {$time >= $t0 && $time < $t1 ? $time - $t0 : ($t1 - $t0) / 2}]
        my drag $x
    }

    method drag {x} {
        lassign [$model window] t0 t1
        set from [expr {[my time_at $x] - $grip}]
        $model set_window $from [expr {$from + $t1 - $t0}]
    }
}
