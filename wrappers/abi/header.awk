# header.awk - writes the mpi.h of the standard ABI of MPI 5, or the names of its functions.
#
#     awk -v make=header -f header.awk abi_types.h constants.table functions.table
#     awk -v make=exported -f header.awk functions.table    PMPI_X, a line each

# Prints the function and its profiling name.
function declare(type, name, arguments) {
    if (make == "exported")
        print "P" name
    else
        print type " " name arguments ";\n" type " P" name arguments ";"
}
FILENAME ~ /\.h$/ && /^#endif/ { is_header = 1; next } # it comes last
FILENAME ~ /\.h$/ { print; next }
/^#/ || !NF { next }
FILENAME ~ /constants/ {
    type = $0
    sub(/ [^ ]+ [^ ]+$/, "", type)
    print "#define " $(NF - 1) " " (type == "int" ? "(" $NF ")" : "((" type ")" $NF ")")
    next
}
{
    at = index($0, "(")
    count = split(substr($0, 1, at - 1), word, " ")
    arguments = substr($0, at)
    large = word[count] == "+c"
    name = word[count - large]
    type = count - large > 1 ? word[1] : "int"
    small = arguments
    gsub(/COUNT|DISPL/, "int", small)
    gsub(/SIZE/, "MPI_Aint", small)
    gsub(/@/, "", small)
    declare(type, name, small)
    if (large) {
        gsub(/DISPL/, "MPI_Aint", arguments)
        gsub(/COUNT|SIZE/, "MPI_Count", arguments)
        gsub(/@/, "_c", arguments)
        declare(type, name "_c", arguments)
    }
}
END { if (is_header) print "#endif" }
