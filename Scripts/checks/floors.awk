# Which folder of a library names types of which other folder of it: awk -f swift.awk -f floors.awk. Input: lines of
# Scripts/floors.txt behind "floors" and a tab, those of Scripts/floors-allow.txt behind "kept", paths behind "swift".
#
# A type is one at the top level of a file, or nested in a type or in an extension. It is found by its name in what is left
# of a file without comments and strings, as the compiler would look it up: an inner type or a type of the file hides an
# outer one. Members, functions and operators are not followed. With -v listing=1 it prints what Scripts/floors-allow.txt
# would have to keep.

BEGIN {
    allowlist = "Scripts/floors-allow.txt"
}

# MARK: Declarations

# Sets `declared_kind`, `declared_name` and `is_private` to what the line declares; returns false when that is no type.
function declaration(code) {
    is_private = 0
    sub(/^[ \t}]+/, "", code)
    while (match(code, /^(@[A-Za-z_.]+(\([^)]*\))?|public|package|internal|fileprivate|private|final|indirect|nonisolated(\(unsafe\))?|open|distributed)[ \t]+/)) {
        if (substr(code, 1, RLENGTH) ~ /^(fileprivate|private)[ \t]/) is_private = 1
        code = substr(code, RLENGTH + 1)
    }
    if (!match(code, /^(struct|class|enum|actor|protocol|typealias|associatedtype|extension)[ \t]+/)) return 0
    declared_kind = substr(code, 1, RLENGTH)
    sub(/[ \t]+$/, "", declared_kind)
    code = substr(code, RLENGTH + 1)
    if (!match(code, /^[A-Za-z_][A-Za-z0-9_.]*/)) return 0
    declared_name = substr(code, 1, RLENGTH)
    if (declared_kind == "class" && declared_name ~ /^(func|var|let|subscript|init)$/) return 0
    sub("^" library "\\.", "", declared_name)
    sub(/\.+$/, "", declared_name)
    return 1
}

# The library of a file below Sources, or nothing when its folders are no floors.
function library_of(path,   part) {
    if (split(path, part, "/") < 3 || part[1] != "Sources" || !(part[2] in height)) return ""
    return part[2]
}

function folder_of(path) {
    path = substr(path, length("Sources/" library "/") + 1)
    if (path !~ /\//) return "root"
    sub(/\/.*/, "", path)
    return path
}

function enter(type, number) {
    if (!((library, type) in home)) {
        home[library, type] = file
        home_line[library, type] = number
    }
}

# The names of generic parameters hide types of other files, too.
function hide_parameters(code,   list, part, n, i) {
    if (!match(code, /(func|struct|class|enum|actor|typealias|init|subscript)[ \t]*[A-Za-z0-9_`]*<[^>]*>/)) return
    list = substr(code, RSTART, RLENGTH)
    sub(/^[^<]*</, "", list)
    n = split(list, part, ",")
    for (i = 1; i <= n; i++) {
        sub(/^[ \t]*(each[ \t]+|let[ \t]+)?/, "", part[i])
        if (match(part[i], /^[A-Za-z_][A-Za-z0-9_]*/)) hidden[file, substr(part[i], 1, RLENGTH)] = 1
    }
}

# Reads a file: its code by line, what surrounds each line, and what it declares.
function read_file(   raw, code, rest, depth, pending, surrounding, mark, enclosing) {
    reset_scanner()
    library = library_of(file)
    number = depth = 0
    pending = ""
    scope[0] = ""
    while ((getline raw < file) > 0) {
        number++
        sub(/\r$/, "", raw)
        code = code_of(raw)
        hide_parameters(code)
        surrounding = scope[depth]
        if (declaration(code)) {
            if (declared_kind == "extension") {
                pending = declared_name
            } else if (depth == 0) {
                pending = declared_name
                if (is_private) hidden[file, declared_name] = 1
                else enter(declared_name, number)
            } else if (surrounding != "" && declared_kind != "associatedtype") {
                pending = surrounding "." declared_name
                enter(pending, number)
            } else {
                # In a function, or a name that a protocol leaves open.
                pending = ""
                hidden[file, declared_name] = 1
            }
            surrounding = (declared_kind ~ /^(typealias|associatedtype)$/) ? surrounding : (pending == "" ? surrounding : pending)
            if (declared_kind ~ /^(typealias|associatedtype)$/) pending = ""
        }
        lines[file] = number
        code_at[file, number] = code
        around[file, number] = surrounding
        rest = code
        while (match(rest, /[{}]/)) {
            mark = substr(rest, RSTART, 1)
            rest = substr(rest, RSTART + 1)
            if (mark == "{") {
                depth++
                # A function's body is no type: names are looked up as in the type around it.
                scope[depth] = pending
                pending = ""
            } else if (depth > 0) {
                depth--
            }
        }
        enclosing = ""
        for (mark = depth; mark > 0 && enclosing == ""; mark--) enclosing = scope[mark]
        inside[file, number + 1] = enclosing
    }
    close(file)
}

# MARK: Names

# The type that a name stands for where `type` surrounds it, or nothing.
function resolved(name, type) {
    while (type != "") {
        if ((library, type "." name) in home) return type "." name
        if (!sub(/\.[^.]*$/, "", type)) type = ""
    }
    if ((file, name) in hidden) return ""
    return ((library, name) in home) ? name : ""
}

function link(type, raw,   there, key) {
    there = folder_of(home[library, type])
    if (there == here || rank[library, there] < rank[library, here]) return
    key = library "/" here " " there " " type
    found[key] = 1
    if (key in kept || (file, type) in said) return
    said[file, type] = 1
    if (!listing)
        report(file, number, "floor", here " names " there " (" type ", " home[library, type] ":" home_line[library, type] "): " raw)
}

function follow(   text, token, before, type, names, n, i, raw) {
    library = library_of(file)
    here = folder_of(file)
    for (number = 1; number <= lines[file]; number++) {
        raw = text = code_at[file, number]
        before = ""
        while (match(text, /[A-Za-z_][A-Za-z0-9_]*(\.[A-Z][A-Za-z0-9_]*)*/)) {
            token = substr(text, RSTART, RLENGTH)
            if (RSTART > 1) before = substr(text, RSTART - 1, 1)
            text = substr(text, RSTART + RLENGTH)
            if (before == "." || token !~ /[A-Z]/) { before = "x"; continue }
            before = "x"
            sub("^" library "\\.", "", token)
            n = split(token, names, ".")
            type = resolved(names[1], around[file, number] != "" ? around[file, number] : inside[file, number])
            for (i = 1; type != ""; ) {
                link(type, raw)
                i++
                type = (i <= n && ((library, type "." names[i]) in home)) ? type "." names[i] : ""
            }
        }
    }
}

# MARK: What comes in

{
    source = substr($0, 1, index($0, "\t") - 1)
    item = substr($0, index($0, "\t") + 1)
}

source == "floors" {
    entry++
    n = split(item, field, /[ \t]+/)
    if (field[1] == "library") {
        library = field[2]
        height[library] = was_feature = 0
    } else if (field[1] ~ /^(floor|feature)$/) {
        if (field[1] == "floor" || !was_feature) height[library]++
        rank[library, field[2]] = height[library]
        was_feature = (field[1] == "feature")
    }
}

source == "kept" {
    kept_entry++
    if (item ~ /^[ \t]*(#|$)/) next
    n = split(item, field, /[ \t]+/)
    if (n != 3) report(allowlist, kept_entry, "allowance", "not \"library/folder folder type\": " item)
    else if (item in kept) report(allowlist, kept_entry, "allowance", "is there twice: " item)
    else kept[item] = kept_entry
}

source == "swift" && library_of(item) != "" {
    file = item
    files[++count] = file
    read_file()
}

END {
    for (library in height) rank[library, "root"] = ++height[library]
    for (n = 1; n <= count; n++) {
        file = files[n]
        library = library_of(file)
        here = folder_of(file)
        if ((library, here) in rank) continue
        rank[library, here] = height[library] + 1
        if (!listing)
            report(file, 1, "floor", "Sources/" library "/" here " is not a floor; they are listed in Scripts/floors.txt")
    }
    for (n = 1; n <= count; n++) {
        file = files[n]
        follow()
    }
    if (listing) for (key in found) print key
    else for (key in kept)
        if (!(key in found)) report(allowlist, kept[key], "allowance", "is not needed any more: " key)
}
