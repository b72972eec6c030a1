# files.tcl - reads and writes all files of the window, safely in folders where others may write, too. Reads only
# regular files, because reading a named pipe would block the window. Never writes through a link, because this would
# overwrite the file that the link leads to. formats/base/open_file.h has the same rules for the rest of Pith.

namespace eval ::pith::files {
    variable most [expr {64 << 20}] ;# largest file that is read, bytes
}

# Returns the text of a file. Throws an error if it is not a regular file, or larger than `most`.
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

# Writes a file. On an error, an old file of this name stays as it was. TRANSLATION: `binary` if TEXT consists of bytes.
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
