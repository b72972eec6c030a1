# context.tcl - the menu of the right button: what can be done with the state, event, message or row under it.

oo::class create ::pith::Context {
    variable window model
    variable menu

    constructor {its_window} {
        set window $its_window
        set model [$window model]
    }

    method finish {} {
        set plot [[$window timeline] plot]
        set menu [menu $plot.context -tearoff 0]
        bind $plot <Button-3> [list [self] popup %x %y %X %Y]
        bind $plot <Menu> [list [self] popup_chosen]
    }

    method popup {x y root_x root_y} {
        set what [[$window details] what_is_at $x $y]
        set what [[$window details] chosen_of $what]
        if {$what ne {}} {
            [$window choice] choose $what
        }
        my fill $what [[$window timeline] row_at $y]
        tk_popup $menu $root_x $root_y
    }

    # By the keyboard: of what is chosen.
    method popup_chosen {} {
        set thing [[$window choice] thing]
        my fill $thing [expr {$thing eq {} ? -1 : [lindex [[$window choice] rows] 0]}]
        set plot [[$window timeline] plot]
        tk_popup $menu [expr {[winfo rootx $plot] + 60}] [expr {[winfo rooty $plot] + 30}]
    }

    method fill {what row} {
        $menu delete 0 end
        if {[dict exists $what kind]} {
            my add_[dict get $what kind] [dict get $what hit]
            my add "Details..." details Space
            my add "Copy as text" copy Ctrl-C
            $menu add separator
        }
        if {[$model selection] ne {}} {
            my add "Zoom to the selection" zoom_chosen z
            my add "Select nothing" {select none} Esc
        }
        my add "Show all" fit f
        my add "Back" undo u
        my add "Bookmark this view" bookmark b
        if {$row >= 0} {
            my add_row [$model row $row]
        }
    }

    method add {text script {key {}}} {
        $menu add command -label $text -accelerator $key -command [list $window act $script]
    }

    method add_state {hit} {
        my add_named $hit
        my add "Zoom to it" [list zoom [dict get $hit start]ns [expr {max([dict get $hit end], [dict get $hit start] + 1)}]ns]
        my add "Select its time" [list select [dict get $hit start]ns [dict get $hit end]ns]
        my add "State around it" parent o
        my add "How long it lasts..." [list lengths [dict get $hit name]] l
    }

    method add_event {hit} {
        my add_named $hit
        my add "State around it" parent o
    }

    method add_named {hit} {
        set name [dict get $hit name]
        my add "Hide $name" [list hide $name] h
        my add "Find $name" [list find $name] /
        my add "Next of this name" {same next} .
        my add "The one before" {same prev} ,
    }

    method add_counter {hit} {
        my add "State around it" parent o
    }

    method add_message {hit} {
        my add "To its other end" jump j
        my add "State that sent it" parent o
        my add "Messages with tag [dict get $hit tag]" [list find {} -kind message -tag [dict get $hit tag]]
        my add "Next message" {message next} Ctrl-.
        my add "How long messages take..." {lengths messages} l
    }

    method add_row {entry} {
        if {$entry eq {} || ![dict exists $entry rank]} {
            return
        }
        $menu add separator
        my add "Only rank [dict get $entry rank]" [list rows [dict get $entry rank]]
        my add "All rows" rows
    }
}

::pith::part::add Context {}
