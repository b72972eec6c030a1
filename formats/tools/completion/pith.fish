# Completion of pith in fish: `pith --complete` knows the words.
function __pith_words
    set -l words (commandline -opc)
    $words[1] --complete $words[2..-1] (commandline -ct) 2>/dev/null
end
function __pith_wants_files
    __pith_words | string match -q ':files'
end
complete -c pith -f -a '(__pith_words | string match -v ":files")'
complete -c pith -n __pith_wants_files -F
