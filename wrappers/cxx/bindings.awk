# bindings.awk - writes the regular parts of the C++ bindings from bindings.table and constants.table.
#
#     awk -v make=WHAT -f bindings.awk bindings.table constants.table [mpicxx.h.in]
#
# WHAT: header     mpicxx.h: mpicxx.h.in with its @parts@
#       pmpi       the members of namespace PMPI, which call C
#       forward    an inline function for each row, CLASS_NAME(self, ...), which calls PMPI for the MPI member
#       mpi        the members of namespace MPI: they call the forward function
#       constants  definitions of the constants that are objects
#       list       a line for each row: ID, a tab, the declaration with its class
# A row's ID is CLASS_NAME (NAME in the namespace), with _1, _2 ... for further rows of the same name.
#
# The output needs no MPI and is the same for all of them. Arguments are passed on without a variable for each, and
# arrays of PMPI objects without a copy, since these objects contain only a handle. Wrappers of these members come from
# `wrappergen --cxx` (wrappers/wrappergen/cxx.c): a template reads C's arguments, so each is a variable there, with
# the type that the MPI's header gives it. A new kind of argument in the table needs code in both.

function trim(s) { sub(/^[ \t]+/, "", s); sub(/[ \t]+$/, "", s); return s }
function lower(s) { return tolower(s) }
# The data member with the handle: mpi_comm in Comm and all classes derived from it.
function handle_of(class) { return "mpi_" lower(root[class]) }
function is_class(type) { return type in root }
function fail(text) { print "bindings.awk: " FILENAME ":" FNR ": " text > "/dev/stderr"; broken = 1; exit 1 }

# Splits a declaration: result, name, tail (" const" or ""), is_static, np, ptype[], pname[], parray[] ("[]", "[][3]").
function parse(decl,    head, inner, i, n, part, p) {
    match(decl, /\(.*\)/)
    head = trim(substr(decl, 1, RSTART - 1)); inner = substr(decl, RSTART + 1, RLENGTH - 2)
    tail = substr(decl, RSTART + RLENGTH) ~ /const/ ? " const" : ""
    is_static = sub(/^static /, "", head)
    match(head, /[A-Za-z_0-9]+$/)
    name = substr(head, RSTART); result = trim(substr(head, 1, RSTART - 1))
    params = inner
    np = inner == "" ? 0 : split(inner, part, /, */)
    for (i = 1; i <= np; i++) {
        p = part[i]; parray[i] = ""
        if (p == "...") { ptype[i] = "..."; pname[i] = ""; continue }
        if (match(p, /(\[[0-9]*\])+$/)) { parray[i] = substr(p, RSTART); p = substr(p, 1, RSTART - 1) }
        match(p, /[A-Za-z_0-9]+$/)
        pname[i] = substr(p, RSTART); ptype[i] = trim(substr(p, 1, RSTART - 1)); where[pname[i]] = i
    }
}
# The class in a type: Datatype for "const Datatype&"; "" if there is none.
function class_in(type) { gsub(/const |&|\*/, "", type); type = trim(type); return is_class(type) ? type : "" }
function is_const(type) { return type ~ /^const / }

FNR == 1 { file++ }
file < 3 && (/^#/ || /^ *$/) { next }

file == 1 && /^class / {
    class[++classes] = $2
    if ($3 == ":") { base[$2] = $4; root[$2] = root[$4] } else { base[$2] = ""; root[$2] = $2; ctype[$2] = $3; null[$2] = $4 }
    next
}
file == 1 && $2 ~ /^\+\+?$/ {
    line = $0; sub(/^[A-Za-z]+ \+\+? /, "", line)
    if ($2 == "++") only_mpi[$1] = only_mpi[$1] "    " line "\n"; else extra[$1] = extra[$1] "    " line "\n"
    next
}
file == 1 {
    n = split($0, field, / +\| +/)
    if (n < 3 || n > 4) fail("not CLASS | DECLARATION | CALL")
    rows++
    row_class[rows] = field[1] == "-" ? "" : field[1]; row_decl[rows] = field[2]; row_call[rows] = field[3]
    row_words[rows] = n == 4 ? " " field[4] " " : " "
    if (field[1] != "-" && !is_class(field[1])) fail("no class " field[1])
    parse(field[2])
    id = (field[1] == "-" ? "" : field[1] "_") name
    row_id[rows] = seen[id]++ ? id "_" (seen[id] - 1) : id
    next
}
file == 2 {
    guard = sub(/^mpich +/, "")
    if ($1 == "enum") { for (i = 2; i <= NF; i++) { const_type[++constants] = "enum"; const_name[constants] = $i; const_guard[constants] = guard } next }
    const_type[++constants] = $1; gsub(/,/, " ", const_type[constants])
    const_name[constants] = $2; const_value[constants] = NF > 2 ? $3 : "MPI_" $2; const_guard[constants] = guard
    next
}
file == 3 {
    if ($0 == "@class_names@") { for (i = 1; i <= classes; i++) print "class " class[i] ";" }
    else if ($0 == "@pmpi_classes@") pmpi_classes()
    else if ($0 == "@mpi_classes@") mpi_classes()
    else if ($0 == "@constants@") declare_constants()
    else print
}

# ---- The header
# The members of a class; in namespace MPI they are virtual.
function members(c, virtual,    i, d) {
    for (i = 1; i <= rows; i++) if (row_class[i] == c) {
        parse(row_decl[i])
        d = row_decl[i]
        print "    " (virtual && !is_static && name != "Dup" ? "virtual " : "") d ";"
    }
}
function namespace_functions(    i) {
    print ""
    for (i = 1; i <= rows; i++) if (row_class[i] == "") print row_decl[i] ";"
}
function comparisons(c, t, h) {
    if (null[c] == "-") return
    print "    bool operator==(const " c "& other) const { return " h " == other." h "; }"
    print "    bool operator!=(const " c "& other) const { return " h " != other." h "; }"
    print "    bool operator==(const " t "& handle) const { return " h " == handle; }"
    print "    bool operator!=(const " t "& handle) const { return " h " != handle; }"
}
function pmpi_classes(    i, c, t, h) {
    for (i = 1; i <= classes; i++) {
        c = class[i]; t = ctype[root[c]]; h = handle_of(c)
        print "class " c (base[c] != "" ? " : public " base[c] : "") " {\npublic:"
        if (base[c] != "") {
            print "    " c "() {}\n    " c "(const " t "& handle) : " base[c] "(handle) {}"
        } else {
            print "    " c "() : " h "(" (null[c] == "-" ? "" : null[c]) ") {}\n    " c "(const " t "& handle) : " h "(handle) {}"
            print "    operator " t "() const { return " h "; }"
            print "    " t "* address() { return &" h "; }\n    const " t "* address() const { return &" h "; }"
            comparisons(c, t, h)
        }
        printf "%s", extra[c]
        members(c, 0)
        if (base[c] == "") print "\nprotected:\n    " t " " h ";"
        print "};\n"
    }
    namespace_functions()
}
function mpi_classes(    i, c, t, r, p) {
    for (i = 1; i <= classes; i++) {
        c = class[i]; r = root[c]; t = ctype[r]; p = "p" handle_of(c)
        print "class " c (base[c] != "" ? " : public " base[c] : "") " {\npublic:"
        print "    " c "() {}\n    " c "(const " c "&) = default;\n    " c "& operator=(const " c "&) = default;"
        if (base[c] != "") {
            print "    " c "(const " t "& handle) : " base[c] "(handle) {}"
            print "    explicit " c "(const PMPI::" c "& object) : " base[c] "(object) {}"
            print "    " c "& operator=(const " t "& handle) { " p " = handle; return *this; }"
            print "    PMPI::" c " pmpi() const { return PMPI::" c "(*" p ".address()); }"
        } else {
            print "    " c "(const " t "& handle) : " p "(handle) {}\n    explicit " c "(const PMPI::" c "& object) : " p "(object) {}"
            print "    virtual ~" c "() {}"
            print "    " c "& operator=(const " t "& handle) { " p " = handle; return *this; }"
            print "    operator " t "() const { return " p "; }"
            print "    PMPI::" c "& pmpi() { return " p "; }\n    const PMPI::" c "& pmpi() const { return " p "; }"
            comparisons(c, t, p)
        }
        printf "%s%s", extra[c], only_mpi[c]
        members(c, 1)
        if (base[c] == "") print "\nprotected:\n    PMPI::" c " " p ";"
        print "\nprivate:\n    virtual void anchor() const; // puts the vtable into constants.o, even when members are replaced"
        print "};\n"
    }
    namespace_functions()
}
function declare_constants(    i) {
    for (i = 1; i <= constants; i++) {
        if (const_guard[i]) print "#ifndef OPEN_MPI"
        if (const_type[i] != "enum") print "extern " const_type[i] " " const_name[i] ";"
        else print (const_name[i] ~ /^SEEK_/ ? "#ifndef " const_name[i] "\n" : "") "const " (const_name[i] == "DISPLACEMENT_CURRENT" ? "Offset " : "int ") \
            const_name[i] " = MPI_" const_name[i] ";" (const_name[i] ~ /^SEEK_/ ? "\n#endif" : "")
        if (const_guard[i]) print "#endif"
    }
}
function define_constants(    i, bare) {
    print "#include \"layers.h\"\nnamespace MPI {\ninline namespace pith {"
    for (i = 1; i <= classes; i++) print "void " class[i] "::anchor() const {}"
    for (i = 1; i <= constants; i++) {
        if (const_type[i] == "enum") continue
        if (const_guard[i]) print "#ifndef OPEN_MPI"
        if (class_in(const_type[i]) != "") print "EARLY " const_type[i] " " const_name[i] "(" const_value[i] ");"
        else { bare = const_type[i]; sub(/ const$/, "", bare); print const_type[i] " " const_name[i] " = (" bare ")" const_value[i] ";" }
        if (const_guard[i]) print "#endif"
    }
    print "}\n}"
}

# ---- PMPI members: the call of C
# The C argument for a word of the call. Statements before and after the call are added to `before` and `after`.
function c_argument(word, i,    c, n, size, bare, t) {
    if (word == "this") return self
    if (word == "&this") return tail == "" || root[row_class[i]] == "Status" ? "&" self : "unconst(&" self ")"
    if (word == "return") return "&result"
    bare = word; sub(/^!/, "", bare)
    size = ""
    if (match(bare, /\[.*\]$/)) { size = substr(bare, RSTART + 1, RLENGTH - 2); bare = substr(bare, 1, RSTART - 1) }
    if (!(bare in where)) return word
    n = where[bare]; t = ptype[n]; c = class_in(t)
    sub(/this/, self, size)
    if (size != "" && c != "") return "raw(" bare ")"
    if (size != "") {
        before = before "    " (is_const(t) ? "In_flags " : "Out_flags ") bare "_c(" size ", " bare ");\n"
        return bare "_c.data()"
    }
    if (word ~ /^!/) return "unconst(" bare ")"
    if (t == "bool&") { before = before "    int " bare "_c = 0;\n"; after = after "    " bare " = " bare "_c != 0;\n"; return "&" bare "_c" }
    if (t ~ /&$/ && c != "" && !is_const(t)) return bare ".address()"
    if (t ~ /&$/ && c == "") return "&" bare
    return bare
}
function pmpi_member(i,    word, n, k, args, c, give, clone) {
    parse(row_decl[i])
    if (row_words[i] ~ / hand /) return
    self = row_class[i] == "" ? "" : handle_of(row_class[i])
    before = after = args = ""
    n = split(row_call[i], word, " ")
    for (k = 2; k <= n; k++) args = args (k > 2 ? ", " : "") c_argument(word[k], i)
    print result " " (row_class[i] == "" ? "" : row_class[i] "::") name "(" params ")" tail "\n{"
    if (row_words[i] !~ / anytime /) print "    need_mpi();"
    if (row_words[i] ~ / value /) { print "    return " word[1] "(" args ");\n}"; return }
    c = class_in(result)
    if (result != "void") {
        if (c != "") print "    " ctype[root[c]] " result = " null[root[c]] ";"
        else if (result == "bool") print "    int result = 0;"
        else print "    " result " result = 0;"
    }
    for (k = 1; k <= np; k++) if (!index(" " row_call[i] " ", pname[k])) print "    (void)" pname[k] "; // not an argument in C"
    printf "%s", before
    if (row_class[i] == "File") print "    check_file(" word[1] "(" args "), " (is_static ? "MPI_FILE_NULL" : self) ");"
    else print "    check(" word[1] "(" args "));"
    printf "%s", after
    if (row_words[i] ~ / clone /) print "    return *new " c "(result);"
    else if (c != "") print "    return " c "(result);"
    else if (result == "bool") print "    return result != 0;"
    else if (result != "void") print "    return result;"
    print "}"
}

# ---- Forward functions: from MPI to PMPI
# The parameters as written outside of the class: its types need the class's name.
function qualified(i,    p) {
    p = params
    if (row_class[i] != "") gsub(/[A-Z][a-z]+(_attr)?_function\*/, row_class[i] "::&", p)
    gsub(/Op::User_function/, "User_function", p)
    return p
}
function forward(i,    k, args, c, t, before, size, word, n, made, call, self_param, body) {
    parse(row_decl[i])
    n = split(row_call[i], word, " ")
    for (k = 2; k <= n; k++) if (match(word[k], /\[.*\]$/)) count_of[substr(word[k], 1, RSTART - 1)] = substr(word[k], RSTART + 1, RLENGTH - 2)
    before = args = ""
    for (k = 1; k <= np; k++) {
        t = ptype[k]; c = class_in(t)
        if (t == "...") continue
        if (c != "" && parray[k] != "") {
            size = count_of[pname[k]]; sub(/this/, "self", size)
            before = before "    Objects<PMPI::" c ", " (is_const(t) ? "const " : "") c "> " pname[k] "_p(" size ", " pname[k] ");\n"
            args = args ", " pname[k] "_p.data()"
        } else args = args ", " pname[k] (c != "" ? ".pmpi()" : "")
    }
    sub(/^, /, "", args)
    self_param = row_class[i] == "" || is_static ? "" : (tail == "" ? "" : "const ") row_class[i] "& self"
    call = row_class[i] == "" ? "PMPI::" name : is_static ? "PMPI::" row_class[i] "::" name : "self.pmpi()." name
    print "inline " result " " row_id[i] "(" self_param (self_param != "" && params != "" ? ", " : "") qualified(i) ")\n{"
    printf "%s", before
    call = call "(" args ")"
    c = class_in(result)
    if (row_words[i] ~ / clone /) {
        print "    const std::unique_ptr<PMPI::" c "> made(&" call ");\n    return *new " c "(*made);"
    } else if (c != "") print "    return " c "(" call ");"
    else print "    " (result == "void" ? "" : "return ") call ";"
    print "}"
}
function mpi_member(i,    k, args) {
    parse(row_decl[i])
    args = row_class[i] == "" || is_static ? "" : ", *this"
    for (k = 1; k <= np; k++) if (ptype[k] != "...") args = args ", " pname[k]
    sub(/^, /, "", args)
    print "WEAK " result " " (row_class[i] == "" ? "" : row_class[i] "::") name "(" params ")" tail
    print "{\n    " (result == "void" ? "" : "return ") "forward::" row_id[i] "(" args ");\n}"
}
function list_row(i) {
    parse(row_decl[i])
    print row_id[i] "\t" (is_static ? "static " : "") result " MPI::" (row_class[i] == "" ? "" : row_class[i] "::") name "(" params ")" tail
}
END {
    if (broken) exit 1
    if (make == "constants") define_constants()
    if (make == "pmpi") print "#include \"layers.h\"\nusing namespace pith_cxx;\nnamespace PMPI {\ninline namespace pith {"
    if (make == "mpi") print "#include \"forward.h\"\nusing namespace pith_cxx;\nnamespace MPI {\ninline namespace pith {"
    if (make == "forward") print "#include \"layers.h\"\nnamespace pith_cxx {\nnamespace forward {\nusing namespace MPI;"
    for (i = 1; i <= rows; i++) {
        split("", where); split("", count_of)
        if (make == "pmpi") pmpi_member(i)
        else if (make == "forward") forward(i)
        else if (make == "mpi") mpi_member(i)
        else if (make == "list") list_row(i)
    }
    if (make == "pmpi" || make == "mpi" || make == "forward") print "}\n}"
}
