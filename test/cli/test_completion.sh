#!/usr/bin/env bash
# What bash, zsh and fish complete: each is asked itself, with the files that are installed.
. "$(dirname "$0")/../lib.sh"
files=$top/formats/tools/completion
printf '# state\tsolve\n# state\tMPI_Barrier\n# state\tMPI_Bcast\n0.0\t0\t0\tenter\tsolve\n0.1\t0\t0\tleave\tsolve\n0.2\t0\t0\tenter\tMPI_Barrier\n0.3\t0\t0\tleave\tMPI_Barrier\n0.4\t0\t0\tenter\tMPI_Bcast\n0.5\t0\t0\tleave\tMPI_Bcast\n' >log.txt
mkfifo pipe

# ---- the words: pith --complete ------------------------------------------------------------------------------------
words() { pith --complete "$@" | cut -f 1 | xargs; }
is "$(words sta)" stat "a command"
is "$(words nothing x)" :files "files behind a command that there is not"
is "$(words stat log.txt --state MPI_)" "MPI_Barrier MPI_Bcast" "states of the log that is named"
is "$(words stat log.txt --state MPI_Ba)" "MPI_Barrier" "those that begin so"
is "$(words stat "$top/test/golden/plain.alog" --state '')" "work wait" "also the first definition of a log"
is "$(words analyze pipe log.txt --iterations s)" solve "a named pipe is not opened"
is "$(words stat --state '')" "" "without a log no state"
like "$(words analyze log.txt --explain late-s)" '^late-sender' "terms, with - for a blank"
for term in $(words analyze log.txt --explain ''); do pith analyze log.txt --explain "$term" >/dev/null 2>err; [ $? != 2 ] || echo "$term"; done >unknown
is "$(cat unknown)" "" "each term is one that --explain knows"
is "$(words merge --align '')" "clock start none" "values that the help lists"
is "$(words convert log.txt out --format pa)" "paraver paje" "formats"
is "$(words convert log.txt out --format '' | tr ' ' '\n' | grep -cx 'clog1\|spill\|clog2')" 1 "formats: those that can be written"
is "$(upshot --complete --leg)" "$(pith --complete view --leg)" "upshot is pith view"
is "$(words draw log.txt -o '')" :files "a file"
is "$(words help e)" env "topics of help"
# An option is completed if and only if its command knows it.
for command in $(pith help | sed -nE 's/^  ([a-z]+) .*/\1/p' | grep -vxE 'help|view|draw|run'); do
    for option in $(words "$command" --); do
        # (A known option misses its value, or its log.)
        pith "$command" "$option" 2>&1 </dev/null | grep -E "no such option|unknown option|unrecognized" | sed "s/^/$command $option: /"
    done
    [ "$command" = check ] || [ "$(words "$command" - | wc -w)" -gt 0 ] || [ "$command" = info ] || echo "$command: none"
done >wrong
is "$(cat wrong)" "" "options are those that the commands know"
is "$(words draw --the)" --theme "options of programs of their own"

# ---- bash -----------------------------------------------------------------------------------------------------------
# in_bash WORD...: what it makes of the last one
in_bash() {
    bash --norc -c '. "$1"; shift; COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)); _pith; printf "%s\n" "${COMPREPLY[@]}"' - "$files/pith" "$@" | xargs -d '\n'
}
is "$(in_bash pith ana)" analyze "bash: a command"
is "$(in_bash pith analyze --expl)" --explain "bash: an option"
is "$(in_bash pith stat log.txt --state so)" solve "bash: a state"
is "$(in_bash pith analyze log.txt --explain late-se)" late-sender "bash: a finding"
is "$(in_bash pith stat lo)" log.txt "bash: a file"
is "$(bash --norc -c '. "$1"/upshot; complete -p upshot' - "$files")" "complete -F _pith upshot" "bash: upshot"

# ---- fish -----------------------------------------------------------------------------------------------------------
if ! command -v fish >/dev/null; then skip "fish" "not installed"; else
    in_fish() { HOME=$scratch XDG_CONFIG_HOME=$scratch XDG_DATA_HOME=$scratch fish --no-config -c "source $files/pith.fish; complete -C '$1'" | cut -f 1 | xargs; }
    is "$(in_fish 'pith ana')" analyze "fish: a command"
    is "$(in_fish 'pith analyze --expl')" --explain "fish: an option"
    is "$(in_fish 'pith stat log.txt --state so')" solve "fish: a state"
    is "$(in_fish 'pith analyze log.txt --explain late-se')" late-sender "fish: a finding"
    is "$(in_fish 'pith stat lo')" log.txt "fish: a file"
fi

# ---- zsh ------------------------------------------------------------------------------------------------------------
# Its line editor, on a terminal of its own; what it has made of the line is written instead of run.
if ! command -v zsh >/dev/null; then skip "zsh" "not installed"; else
    cat >ask.zsh <<'Z'
zmodload zsh/zpty
zpty z zsh -f -i
zpty -w z "PS1=; unsetopt beep; fpath=($1 \$fpath); autoload -Uz compinit; compinit -u -D"
zpty -w z "accept() { print -r -- \$BUFFER >$PWD/line.part; mv line.part line; BUFFER=; zle .accept-line }; zle -N accept; bindkey '^X' accept"
zpty -w z "print -r ready >$PWD/ready"
for ((i = 0; i < 600; i++)) { [[ -e ready ]] && break; sleep 0.05 }
zpty -w -n z "$2"$'\t\x18'
for ((i = 0; i < 600; i++)) { [[ -e line ]] && break; zpty -r -t z out; sleep 0.05 }
zpty -d z
Z
    in_zsh() { rm -f line ready; timeout 60 zsh -f ask.zsh "$files" "$1" >/dev/null 2>&1; sed 's/ *$//' line 2>/dev/null; }
    is "$(in_zsh 'pith ana')" "pith analyze" "zsh: a command"
    is "$(in_zsh 'pith analyze --expl')" "pith analyze --explain" "zsh: an option"
    is "$(in_zsh 'pith stat log.txt --state so')" "pith stat log.txt --state solve" "zsh: a state"
    is "$(in_zsh 'pith analyze log.txt --explain late-se')" "pith analyze log.txt --explain late-sender" "zsh: a finding"
    is "$(in_zsh 'pith stat lo')" "pith stat log.txt" "zsh: a file"
fi
finish
