#!/usr/bin/env bash
# Names that several files see are unique in the tree: a function pithi_* is declared in one header, a struct pithi_* is
# defined in one place. Two of one name break a link of their libraries, or mislead who searches for the name.
. "$(dirname "$0")/../lib.sh"
cd "$top" || exit 1
git rev-parse --git-dir >/dev/null 2>&1 || { skip "names" "not a git checkout"; finish; }
sources() { tree 'formats/*.[ch]' 'liblog/*.[ch]' 'viewer/*.[ch]' 'wrappers/*.[ch]'; }

# A declaration or definition starts at the left margin; the name is the word before the first parenthesis.
functions=$(sources | grep '\.h$' | grep -v '^wrappers/cxx/' | xargs awk '/^[a-z].*[ *]pithi_[a-z0-9_]+\(/ && !/^(typedef|struct [a-z_]+ \{)/ {
    line = $0; sub(/\(.*/, "", line); sub(/.*[ *]/, "", line)
    if (line ~ /^pithi_/ && !seen[line FILENAME]++) print line, FILENAME }' | sort)
like "$(wc -l <<<"$functions")" '^[0-9]{3,}$' "functions are found"
is "$(awk '{ n[$1]++; at[$1] = at[$1] " " $2 } END { for (f in n) if (n[f] > 1) print f at[f] }' <<<"$functions" | sort)" "" \
    "each function is declared in one header"

structs=$(sources | xargs awk '/^ *(typedef )?(struct|union) pithi_[a-z0-9_]+ \{/ {
    line = $0; sub(/.*(struct|union) /, "", line); sub(/ .*/, "", line); print line, FILENAME }' | sort)
like "$(wc -l <<<"$structs")" '^[0-9]{3,}$' "structs are found"
is "$(awk '{ n[$1]++; at[$1] = at[$1] " " $2 } END { for (s in n) if (n[s] > 1) print s at[s] }' <<<"$structs" | sort)" "" \
    "each struct is defined in one place"
finish
