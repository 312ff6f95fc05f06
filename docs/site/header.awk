# Doxygen's input filter. A header begins with what its module does, in a comment of its own; Doxygen would give that to
# the first type, and "@file" makes it the file's. Of parameters that are named together the last one has the
# text, which the others refer to: Sphinx takes one name a line.
/^\/\/\/ @param/ && match($0, /@param[^ ]* +([a-z_0-9]+, )+[a-z_0-9]+  /) {
    names = substr($0, RSTART, RLENGTH)
    rest = substr($0, RSTART + RLENGTH)
    count = split(names, name, /, */)
    sub(/^@param[^ ]* +/, "", name[1])
    sub(/ +$/, "", name[count])
    for (i = 1; i < count; i++) {
        line = "/// @param " name[i] "  see " name[count]
        if (done) print line; else block = block line "\n"
    }
    $0 = "/// @param " name[count] "  " rest
}
done {print; next}
/^\/\/\// {block = block $0 "\n"; next}
block {
    if ($0 == "") print "/// @file\n///"
    printf "%s", block
    done = 1
}
{print}
