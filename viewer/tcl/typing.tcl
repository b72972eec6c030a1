# typing.tcl - input methods while a window is built. Tk gives each widget an input context at its first event, and the X
# server is asked for the widget's size twice for each: 120 answers to be waited for until a window's first picture. Until
# then they are off; widgets get theirs at the next event, an entry when it gets the focus.

namespace eval ::pith::typing {
    variable waiting 0 ;# windows that are being built
    variable methods 1 ;# what the user has
}

proc ::pith::typing::wait {} {
    variable waiting
    variable methods
    if {[incr waiting] == 1} {
        set methods [tk useinputmethods]
        tk useinputmethods 0
    }
}

proc ::pith::typing::go_on {} {
    variable waiting
    variable methods
    if {[incr waiting -1] == 0} {
        tk useinputmethods $methods
    }
}
