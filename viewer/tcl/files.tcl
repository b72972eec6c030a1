# files.tcl - opens every file that the window reads, and makes every file that it writes (the same rules as
# formats/base/open_file.h). The rules are for files that somebody else has put there: a named pipe would block the
# window, and a link would overwrite another file.

namespace eval ::pith::files {
    variable most [expr {64 << 20}] ;# largest file that is read, bytes
}

# The text of a regular file.
proc ::pith::files::read {path} {
    variable most
    if {[file exists $path] && ![file isfile $path]} {
        error "is not a regular file"
    }
    set channel [open $path {RDONLY NONBLOCK}]
    try {
        if {[file size $path] > $most} {
            error "is larger than 64 MiB"
        }
        fconfigure $channel -encoding utf-8 -blocking 1
        return [::read $channel $most]
    } finally {
        close $channel
    }
}

# Writes a file as a whole or not at all. `translation`: binary for bytes.
proc ::pith::files::write {path text {translation auto}} {
    set part $path.part
    file delete $part
    set channel [open $part {WRONLY CREAT EXCL} 0666]
    try {
        fconfigure $channel -encoding utf-8 -translation $translation
        puts -nonewline $channel $text
        close $channel
        file rename -force $part $path
    } on error {why} {
        catch {close $channel}
        file delete $part
        error $why
    }
}
