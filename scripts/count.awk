# Reads what `ctest -V` printed and counts single tests: cmocka's (and scripts' that speak its language) one by one, any
# other program as one. A skip must say why ("skip: ..."): a missing peer or ../shared; another reason fails under CI.
FNR == 1 { delete single; delete bad; delete skips; delete reasons; delete listed }

match($0, /^[0-9]+: /) {
    id = substr($0, 1, RLENGTH - 2)
    line = substr($0, RLENGTH + 1)
    if (line ~ /^\[=+\] Running/) listed[id] = 0
    if (line ~ /test\(s\) run\./) listed[id] = 1
    said[FILENAME, id] = said[FILENAME, id] line "\n"
    if (listed[id]) next
    if (line ~ /^\[ +OK \]/) { single[id]++; passed++ }
    if (line ~ /^\[ +FAILED +\]/) { single[id]++; bad[id]++; failed++; names[++failures] = line }
    if (line ~ /^\[ +SKIPPED +\]/) { single[id]++; skips[id]++; skipped++; skip_names[id] = skip_names[id] " " $5 }
    if (line ~ /^skip: .*(peer|\.\.\/shared)/) { reasons[id]++ }
}

/^ *[0-9]+\/[0-9]+ Test +#/ {
    sub(/^ *[0-9]+\/[0-9]+ Test +#/, "")
    id = $0
    sub(/:.*/, "", id)
    name = $2
    if (/\*\*\*Skipped/) { if (!single[id]) { skips[id]++; skipped++; skip_names[id] = " " name } }
    else if (/ Passed /) { if (!single[id]) passed++ }
    else if (!bad[id]) { failed++; names[++failures] = name ": " substr($0, index($0, "***")) }
    else names[++failures] = name
    if (/\*\*\*/ && !/\*\*\*Skipped/) {
        text = said[FILENAME, id]
        if (length(text) > 6000) text = "...\n" substr(text, length(text) - 6000)
        details = details "\n---- " name " said:\n" text
    }
    if (skips[id] > reasons[id]) unexplained = unexplained skip_names[id]
}

END {
    if (details) print details
    for (i = 1; i <= failures; i++) print "failed: " names[i]
    if (worlds) {
        said_of_worlds = "the worlds of other makers could not be installed, see the beginning (make worlds tries again)"
        if (ci == "true") { print "failed: " said_of_worlds; failed++ }
        else print "not tested, as " said_of_worlds
    }
    if (built) { print "failed: the build, see above"; failed++ }
    if (unexplained) {
        print "skipped for another reason than a missing peer or ../shared:" unexplained
        if (ci == "true") failed++
    }
    printf "%d passed, %d failed, %d skipped\n", passed, failed, skipped
    exit failed > 0 || passed == 0
}
