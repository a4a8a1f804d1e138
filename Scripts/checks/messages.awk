# Compares the messages of the compiler with those that a file expects.
#
#     awk -f Scripts/checks/messages.awk FILE MESSAGES
#
# Scripts/messages.sh says what a file looks like.

function fault(line, text) {
    print file ":" line ": message: " text
    failed = 1
}

FNR == 1 && NR == 1 { file = FILENAME }

FILENAME == file && /^[ \t]*\/\/ expect: / {
    text = $0
    sub(/^[ \t]*\/\/ expect: /, "", text)
    waiting[++waits] = text
    next
}

FILENAME == file {
    for (; waits > 0; waits--) expected[FNR, ++count[FNR]] = waiting[waits]
    if (FNR > last) last = FNR
    next
}

# A diagnostic: path:line:column: kind: text. Notes belong to the one before.
/: (error|warning): / && match($0, /:[0-9]+:[0-9]+: (error|warning): /) {
    line = substr($0, RSTART + 1) + 0
    text = substr($0, RSTART + RLENGTH)
    if (index($0, file ":") == 0) {
        fault(0, $0)
        next
    }
    for (number = 1; number <= count[line]; number++) {
        if (!met[line, number] && index(text, expected[line, number]) > 0) {
            met[line, number] = 1
            next
        }
    }
    fault(line, "unexpected: " text)
    next
}

# A failure that belongs to no line, such as a module that is missing.
/^(<unknown>:0: )?error: / { fault(0, $0) }

END {
    for (line = 1; line <= last; line++)
        for (number = 1; number <= count[line]; number++) {
            total++
            if (!met[line, number]) fault(line, "missing: " expected[line, number])
        }
    if (waits > 0) fault(last + 0, "no line stands below the last 'expect'")
    if (total == 0) fault(0, "the file expects no message")
    exit failed
}
