# Functions of the lint tests. Sourced by bash; each test is called with the top of the source tree.
set -u
cd "$1" || exit 1
faults=0

# Reports lines of text as faults under a heading; no lines, no fault.
report() {
    local heading=$1 lines=$2
    [ -z "$lines" ] && return
    printf '%s\n%s\n\n' "$heading" "$(printf '%s\n' "$lines" | sed 's/^/    /')"
    faults=$((faults + 1))
}

# Lines "file:number:#include ..." of folders; test data and built files are not among them.
includesOf() {
    grep -rnE '^[[:space:]]*#[[:space:]]*include' --include='*.h' --include='*.cpp' --include='*.cu' --include='*.cuh' "$@" 2>/dev/null
}

sourceFiles() {
    find app engine kernels ui tests -type f \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) | sort
}

finish() {
    [ "$faults" = 0 ] || echo "$faults rules are broken."
    exit $((faults > 0))
}
