#!/usr/bin/env bash
# What there is, is documented: commands, calls, environment variables, formats; and manual pages are well-formed.
. "$(dirname "$0")/../lib.sh"
cd "$top" || exit 1
git rev-parse --git-dir >/dev/null 2>&1 || { skip "docs" "not a git checkout"; finish; }

commands=$(pith help | sed -nE 's/^  ([a-z]+) .*/\1/p' | grep -vx help)
like "$(wc -w <<<"$commands")" '^[1-9][0-9]?$' "pith help lists the commands"
for command in $commands; do
    [ -s "man/pith-$command.1" ]
    ok $? "man page of pith $command"
    like "$(pith help "$command" 2>&1)" "^usage: pith $command" "pith help $command"
done

# A page of section 3 names its functions in the NAME section.
named=$(for page in man/*.3; do sed -n '/^\.SH NAME/,/^\.SH SYNOPSIS/p' "$page"; done | grep -oE 'pith[a-z_]*' | sort -u)
calls=$(cat liblog/pith.h liblog/pith_tool.h formats/reader/pithlog{,_findings}.h | sed -E 's@/\*.*\*/@@g' | tr '\n' ' ' |
    grep -oE '(PITH_API|PITHLOG_API|static inline) [^;{]*' | sed -nE 's/^[^(]*[ *](pith[a-z_]*[a-z])\(.*/\1/p' | sort -u)
is "$(comm -23 <(echo "$calls") <(echo "$named") | tr '\n' ' ')" "" "every public call is named by a page of section 3"

last=$(($(sed -nE 's/^#define PITH_LEFT_OUT_ (0x[0-9a-f]+)u$/\1/p' liblog/pith.h) - 1))
is "$(grep -hoE '[Ii]ds (are dense, )?.*1 to [0-9]+|\* from 1 to [0-9]+' liblog/pith.h man/pith.3 | grep -oE '[0-9]+$' | tr '\n' ' ')" \
    "$last $last " "pith.h and pith(3) tell the last id"

for page in man/*.[1357]; do
    is "$(man --warnings -E UTF-8 -l "$page" 2>&1 >/dev/null)" "" "$page: groff has nothing to say"
    is "$(MANWIDTH=80 man -E UTF-8 -l "$page" 2>/dev/null | col -bx | LC_ALL=C.UTF-8 grep -E '.{81}')" "" "$page: 80 columns hold its lines"
    grep -q '^\.SH EXAMPLES$' "$page"
    ok $? "$page: has examples"
done
# The version: `pith --version` has it from pith.h, these from whoever makes the release.
version=$(pith --version | cut -d ' ' -f 2)
is "$(grep -LE "^\.TH .* \"Pith ${version//./\\.}\"" man/*.[1357] | xargs)" "" "all pages are of version $version"
like "$(grep -m 1 '^## ' NEWS.md)" "^## ${version//./\\.}( |\$)" "NEWS.md begins with version $version"
# Each program that is installed has a page, as a name of its own or of another page.
for program in pith upshot wrappergen mpecc mpefc; do
    sed -n '/^\.SH NAME/,/^\.SH SYNOPSIS/p' man/*.[13] | grep -w "$program" >/dev/null
    ok $? "a page names $program"
done
is "$(($(wc -l <README.md) <= 120))" 1 "the README has at most 120 lines"

# getenv("X") of the sources, the table, and the man page agree. Names that are not Pith's own (HOME, TMPDIR, those of
# launchers) are read, not documented as ours.
used=$(tree formats liblog wrappers viewer | xargs grep -hoE 'getenv\("PITH_[A-Z0-9_]+"\)|pithi_[a-z_]*env[a-z_]*\("PITH_[A-Z0-9_]+"' | grep -oE 'PITH_[A-Z0-9_]+' | sort -u)
table=$(sed -nE 's/^ENV\("?(PITH_[A-Z0-9_]+)"?.*/\1/p' formats/tools/env.def | sort -u)
is "$(comm -23 <(echo "$used") <(echo "$table") | tr '\n' ' ')" "" "every variable that is read is in formats/tools/env.def"
read_somewhere=$(tree liblog wrappers viewer formats | xargs grep -ohE '\bPITH_[A-Z0-9_]+\b' | sort -u)
for name in $table; do
    grep -w "$name" <<<"$read_somewhere" >/dev/null
    ok $? "$name is read somewhere"
    grep -qw -- "${name//_/_}" man/*.7
    ok $? "$name is in a page of section 7"
done

# Every command line that the README shows names a command that exists.
for command in $(grep -E '^    ' README.md | grep -oE '(^|[ /])pith [a-z]+' | awk '{ print $NF }' | sort -u); do
    [ "$command" = help ] || grep -qx "$command" <<<"$commands"
    ok $? "README: pith $command exists"
done

# Links between the texts lead somewhere, and the folders that they tell of exist.
for text in $(git ls-files '*.md'); do
    for link in $(grep -oE '\]\([^)#:]+\)' "$text" | sed 's/^](//; s/)$//' | sort -u); do
        [ -e "$(dirname "$text")/$link" ]
        ok $? "$text: $link exists"
    done
    for path in $(grep -oE '`[a-z]+/[A-Za-z0-9_./-]*`' "$text" | tr -d '\`' | grep -E '^(formats|liblog|wrappers|viewer|samples|test|man)/' | grep -v NAME | sort -u); do
        [ -e "$path" ] || [ -e "$(dirname "$text")/$path" ]
        ok $? "$text: $path exists"
    done
done
finish
