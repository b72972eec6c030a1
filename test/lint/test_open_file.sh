#!/usr/bin/env bash
# Files are opened and made by formats/base/open_file.h (in liblog: pithi_descriptor_open) and viewer/tcl/files.tcl, so that no
# named pipe blocks and no link is followed. All other places are listed here with their reason.
. "$(dirname "$0")/../lib.sh"
cd "$top" || exit 1
git rev-parse --git-dir >/dev/null 2>&1 || { skip "files are opened in one place" "not a git checkout"; finish; }

# Files of the system: /proc, /sys, /dev/null, folders for O_TMPFILE, shared memory.
system='"/(proc|sys|dev)/|O_TMPFILE|shm_open|/proc/self/fd|open_of\("/proc'
allowed='formats/base/open_file.h|the functions themselves
formats/foreign/format.c|output that the user names, if it is a device or pipe
formats/spill/spill_folder.c|/proc/PID/stat
formats/wasm/system.c|files in the memory of a page
liblog/output.c|O_EXCL, in the spill folder
liblog/process.c|pithi_descriptor_open
viewer/draw/save.c|output that the user names, if it is a device or pipe
wrappers/also/io/io_calls.c|the calls of the program that are recorded
wrappers/check/verdict.c|PITH_CHECK_FILE, to which lines are appended; may be a pipe
wrappers/mpe/misc_process.c|the file that the program names for its output
wrappers/mpi/members.c|/proc/PID/stat and environ
wrappers/mpi/transport.c|the log in a job: O_EXCL or O_NOFOLLOW
wrappers/run/preload/note.c|/proc/PID/fd, the standard error of the watcher
wrappers/run/program.c|the program that is started
wrappers/run/watch.c|O_EXCL, in the spill folder
wrappers/trace/trace.c|PITH_TRACE_FILE, to which lines are appended; may be a pipe
wrappers/wrappergen/text.c|input that the user names, which may be a pipe
wrappers/wrappergen/wrappergen.c|output that the user names, if it is a device or pipe'
found=$(tree 'formats/*.[ch]' 'liblog/*.[ch]' 'viewer/*.[ch]' 'wrappers/*.[chw]' |
    xargs grep -nE '(^|[^_[:alnum:]>.])(fopen|freopen|fopen64|creat|open|openat)\(' | grep -vE ':[0-9]+: *(\*|/\*)' | grep -vE "$system")
is "$(cut -d: -f1 <<<"$found" | sort -u | grep -vxFf <(cut -d'|' -f1 <<<"$allowed"))" "" "C: files are opened by open_file.h" ||
    grep -vFf <(cut -d'|' -f1 <<<"$allowed") <<<"$found" | sed 's/^/# /'
is "$(cut -d'|' -f1 <<<"$allowed" | grep -vxFf <(cut -d: -f1 <<<"$found"))" "" "each file in the list opens one"
is "$(tree 'viewer/*.tcl' | xargs grep -nE '\[open [^|]|write [^][]*-format|file rename|file copy' | cut -d: -f1 | sort -u)" \
    "viewer/tcl/files.tcl
viewer/tcl/preferences.tcl" "Tcl: files are opened by files.tcl; a lock is made in preferences.tcl"
finish
