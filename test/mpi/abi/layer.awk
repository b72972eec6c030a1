# layer.awk - writes two parts of the layer (layer.c) from the mpi.h of the standard ABI.
#
#     awk -v make=values -f layer.awk mpi.h      the constants of both sides, for MPICH's compiler
#     awk -v make=functions -f layer.awk mpi.h   the functions, for layer.c
#
# What a function's argument needs shows in its type, and in the name if it is a number: a `source` may be MPI_ANY_SOURCE.
# Left out: what MPICH 4 does not have, and functions with callbacks of other kinds than layer.c has.
BEGIN {
    split("Comm Datatype Errhandler File Group Info Message Op Request Session Win", word, " ")
    for (w in word)
        is_handle["MPI_" word[w]] = 1
    split("source dest root target_rank rank rank_source rank_dest", word, " ")
    for (w in word)
        group_of[word[w]] = "RANK"
    split("tag TAG sendtag TAG recvtag TAG required THREAD provided THREAD lock_type LOCK amode MODE assert MODE " \
        "split_type SPLIT result COMPARE status TOPOLOGY combiner COMBINER errorcode ERROR errorclass ERROR " \
        "comm_keyval KEYVAL type_keyval KEYVAL win_keyval KEYVAL", word, " ")
    for (w = 1; w in word; w += 2)
        group_of[word[w]] = word[w + 1]
}
# ---- constants
make == "values" && FNR == 1 { print "#include <mpi.h>\n#include \"layer.h\"\nconst struct value values[] = {" }
make == "values" && /^#define MPI_/ {
    abi = $NF
    gsub(/.*\(MPI_[^)]*\)|[()]/, "", abi)
    group = ""
    if (match($3, /^\(\(MPI_[A-Z][a-z]+\)/))
        group = toupper(substr($3, 7, RLENGTH - 7))
    else if ($2 ~ /^MPI_(ANY_SOURCE|PROC_NULL|ROOT)$/)
        group = "RANK"
    else if ($2 == "MPI_ANY_TAG")
        group = "TAG"
    else if ($2 ~ /^MPI_(TAG_UB|IO|HOST|WTIME_IS_GLOBAL|APPNUM|UNIVERSE_SIZE|LASTUSEDCODE|WIN_(BASE|SIZE|DISP_UNIT|MODEL|CREATE_FLAVOR)|KEYVAL_INVALID)$/)
        group = "KEYVAL"
    else if ($2 ~ /^MPI_(IDENT|CONGRUENT|SIMILAR|UNEQUAL)$/)
        group = "COMPARE"
    else if ($2 ~ /^MPI_(GRAPH|CART|DIST_GRAPH)$/)
        group = "TOPOLOGY"
    else if (match($2, /^MPI_(THREAD|LOCK|MODE|COMM_TYPE|COMBINER|ERR)_/)) {
        group = substr($2, 5, RLENGTH - 5)
        sub(/COMM_TYPE/, "SPLIT", group)
        sub(/ERR/, "ERROR", group)
    }
    is_enum = group ~ /TOPOLOGY|COMBINER/ && $2 !~ /VALUE_INDEX/
    if (group != "")
        print (is_enum ? "" : "#ifdef " $2 "\n") "    {IS_" group ", " abi ", (long)" $2 "}," (is_enum ? "" : "\n#endif")
}
END { if (make == "values") print "    {0, 0, 0}};" }

# ---- functions
make == "functions" && /^(int|double|MPI_Aint) MPI_[A-SU-Z][^(]*\(|^int MPI_T[a-z][^(]*\(/ {
    at = index($0, "(")
    split(substr($0, 1, at - 1), word, " ")
    type = word[1]
    name = word[2]
    list = substr($0, at + 1)
    sub(/\);$/, "", list)
    count = split(list, argument, ", ")
    before = after = call = types = ""
    is_left_out = name ~ /_fromint|_toint|MPI_Abi_|MPI_Op_create|_keyval$|MPI_Pcontrol|_multiple/ &&
        name !~ /free_keyval/
    size = list ~ /incount/ ? "incount" : list ~ /(int|MPI_Count) count/ ? "count" : \
        name ~ /eighbor_alltoallw/ ? "degree_of(comm)" : \
        name ~ /lltoallw/ ? "size_of(comm)" : list ~ /max_datatypes/ ? "max_datatypes" : ""
    for (i = 1; i <= count && list != "void"; i++) {
        n = argument[i]
        sub(/(\[[0-9]*\])+$/, "", n)
        is_array = n != argument[i]
        match(n, /[a-z_A-Z0-9]+$/)
        t = substr(n, 1, RSTART - 1)
        n = substr(n, RSTART)
        is_const = sub(/^const /, "", t)
        is_pointer = sub(/ *\*$/, "", t)
        sub(/ +$/, "", t)
        handle = "IS_" toupper(substr(t, 5))
        m = n
        made = is_const ? "const void *" : "void *"
        if (t ~ /_function/ || (t in is_handle && is_array && size == ""))
            is_left_out = 1
        else if (t in is_handle && is_array) {
            before = before "    handle_t *m_" n " = handles_in(" handle ", " n ", " size ");\n"
            if (!is_const)
                after = after "    handles_out(" handle ", m_" n ", " n ", " size ");\n"
            m = "m_" n
        } else if (t in is_handle && is_pointer) {
            holder = t == "MPI_File" ? "file_t" : "handle_t"
            before = before "    " holder " m_" n " = (" holder ")mpich_of(" handle ", (long)*" n ");\n"
            after = after "    *" n " = (" t ")" (holder == "file_t" ? "abi_value" : "abi_of") "(" handle ", (long)m_" n ");\n"
            m = "&m_" n
        } else if (t in is_handle) {
            made = t == "MPI_File" ? "file_t" : "handle_t"
            m = "(" made ")mpich_of(" handle ", (long)" n ")"
        } else if (t == "MPI_Status") {
            length_of = is_array ? size : 1
            before = before "    struct mpich_status *m_" n " = statuses_in(" n ", " length_of ");\n"
            if (!is_const)
                after = after "    statuses_out(m_" n ", (MPI_Status *)" n ", " length_of ");\n"
            m = "m_" n
        } else if (t == "void" && n ~ /buf$/)
            m = "(void *)buffer(" n ")"
        else if (t == "int" && n ~ /weights$/ && is_array)
            m = "(void *)weights_in(" n ")"
        else if (t == "int" && (n in group_of) && is_pointer)
            after = after "    *" n " = (int)abi_value(IS_" group_of[n] ", *" n ");\n"
        else if (t == "int" && (n in group_of) && !is_array) {
            made = "int"
            m = "(int)" (group_of[n] == "MODE" ? "bits_in" : "mpich_of") "(IS_" group_of[n] ", " n ")"
        } else if (!is_pointer && !is_array)
            made = t
        else
            m = "(void *)" n
        call = call (i > 1 ? ", " : "") m
        types = types (i > 1 ? ", " : "") made
    }
    if (is_left_out)
        next
    print type " P" name "(" list ")\n{\n" before "    " type " (*real)(" (types == "" ? "void" : types) \
        ") = find(\"P" name "\");\n    " type " result_ = real(" call ");\n" after \
        "    return " (type == "int" ? "class_of(result_)" : "result_") ";\n}\nTWIN(" type ", " name ", (" list "))\n"
}
