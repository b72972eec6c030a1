#!/usr/bin/env bash
# Words in comments of C sources that once had two meanings (CONTRIBUTING.md, "Words"), as far as a machine can see which.
# It cannot for window and core: an MPI window, the query's window and the viewer's are all right, each in its place.
. "$(dirname "$0")/../lib.sh"
cd "$top" || exit 1
git rev-parse --git-dir >/dev/null 2>&1 || { skip "words in comments" "not a git checkout"; finish; }

# comments PATHSPEC...: the text of comments, as FILE:LINE:TEXT
comments() {
    tree "$@" | xargs awk '{
        rest = $0; text = ""
        while (rest != "") {
            if (!inside) { at = index(rest, "/*"); if (!at) break; inside = 1; rest = substr(rest, at + 2) }
            at = index(rest, "*/")
            if (!at) { text = text rest; break }
            text = text substr(rest, 1, at - 1) " "; rest = substr(rest, at + 2); inside = 0
        }
        if (text != "") print FILENAME ":" FNR ":" text
    }'
}
all=('formats/*.[ch]' 'liblog/*.[ch]' 'viewer/*.[ch]' 'wrappers/*.[ch]')
like "$(comments "${all[@]}" | wc -l)" '^[0-9]{4,}$' "comments are found"
# names PATHSPEC...: names that the glossary forbids, as FILE:NAME. A distance between things in a picture may be a gap, and
# -stretch is an option of Tk.
names() { tree "$@" | xargs grep -HoE '(^|[^-_[:alnum:]])[a-z_]*stretch(es|_[a-z_]*)?\b|\b(pithi_[a-z_]*gaps?\b|(is|has|meet|add|note|find)_gaps?\b|after_gaps?\b)'; }
is "$(names "${all[@]}" 'viewer/tcl/*.tcl')" "" "an interval is no stretch; where records are missing, there is a hole, a pause or a lost record"
is "$(comments 'formats/analysis/*.[ch]' 'formats/tools/*.[ch]' | grep -iE '\bgaps?\b')" "" "analysis: where records are missing, there is a hole"
is "$(comments "${all[@]}" | grep -E '(^|[^`*_[:alnum:]])told\b')" "" "functions return, reports say, callbacks are called; nobody is told"
is "$(comments "${all[@]}" | grep -iE '\bmeetings?\b')" "" "collectives have instances"
is "$(sed -n '/^## Words/,/^## /s/^| \([^|]*\) |.*/\1/p' CONTRIBUTING.md | tr ',' '\n' | sed 's/^ *//' | sort | uniq -d)" "" "CONTRIBUTING.md explains each word once"
finish
