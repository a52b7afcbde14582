# Functions of app/start, tests/run and .ci/run. Sourced by bash with `set -eu`; `root` is the top of the source tree.

packageFiles=("$root/resources/setup/debian-12.txt")

# step N/M "what" "expected minutes"
step() {
    printf '\n[%s] %s (%s)\n' "$1" "$2" "$3"
}

fail() {
    printf '%s\n' "$*" >&2
    exit 1
}

# What only the test-suite needs is asked for as well.
addTestPackages() {
    packageFiles+=("$root/resources/setup/debian-12-tests.txt")
}

# And what only a machine that nobody works at may get.
addCiPackages() {
    addTestPackages
    packageFiles+=("$root/resources/setup/debian-12-ci.txt")
}

# The names in the package lists.
packages() {
    sed -e 's/#.*//' -e '/^[[:space:]]*$/d' "${packageFiles[@]}" | awk '{ print $1 }'
}

isDebian12() {
    [ -r /etc/os-release ] && (. /etc/os-release && [ "${ID:-}" = debian ] && [ "${VERSION_ID:-}" = 12 ])
}

# The listed packages that are not installed.
missingPackages() {
    local package
    for package in $(packages); do
        dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || echo "$package"
    done
}

# Installs what is missing, with one question for a password at most.
ensurePackages() {
    if ! isDebian12; then
        echo "This is not Debian 12, so nothing is installed for you. Stagelens needs what these Debian packages hold:"
        sed -e '/^#/d' -e 's/^/  /' "${packageFiles[@]}"
        local tool
        for tool in g++ cmake ninja; do
            command -v "$tool" >/dev/null || fail "Not found: $tool. Install the above under your system's names, then start again."
        done
        echo "Compiler and build tools are there; the configuration looks for the rest."
        return
    fi
    local missing
    missing=$(missingPackages)
    if [ -z "$missing" ]; then
        echo "Everything is installed."
        return
    fi
    # shellcheck disable=SC2086
    echo "Installing:" $missing
    local install="export DEBIAN_FRONTEND=noninteractive; apt-get -qq update && apt-get -qq -y -o Dpkg::Use-Pty=0 --no-install-recommends install "
    # shellcheck disable=SC2086
    install+="$(printf '%s ' $missing) >/dev/null"
    if [ "$(id -u)" = 0 ]; then
        bash -c "$install" </dev/null || fail "The packages could not be installed; see apt's message above (is there a network?)."
    elif command -v sudo >/dev/null; then
        sudo bash -c "$install" || fail "The packages could not be installed; see the message above."
    else
        fail "Neither root nor sudo: as root, run" $'\n' " apt-get update && apt-get install --no-install-recommends" $missing
    fi
}

# One job a core, and no more than the memory carries (a large source file takes about 1.5 GB).
buildJobs() {
    local cores available jobs
    cores=$(nproc)
    available=$(awk '/^MemAvailable:/ { print int($2 / 1572864) }' /proc/meminfo)
    jobs=$((available < cores ? available : cores))
    echo $((jobs > 0 ? jobs : 1))
}

# Configures build/PRESET unless that was done from this folder with these presets.
configureTree() {
    local preset=$1 build="$root/build/$1"
    if [ -f "$build/build.ninja" ] && [ "$build/build.ninja" -nt "$root/CMakePresets.json" ] &&
        grep -qxF "CMAKE_HOME_DIRECTORY:INTERNAL=$root" "$build/CMakeCache.txt"; then
        echo "build/$preset is configured."
        return
    fi
    if command -v ccache >/dev/null; then
        export CMAKE_C_COMPILER_LAUNCHER=ccache CMAKE_CXX_COMPILER_LAUNCHER=ccache CMAKE_CUDA_COMPILER_LAUNCHER=ccache
    fi
    mkdir -p "$build"
    if ! (cd "$root" && cmake --preset "$preset" --fresh) >"$build/configure.log" 2>&1; then
        cat "$build/configure.log" >&2
        rm -f "$build/build.ninja"
        isDebian12 || fail "Something is missing: install what the message above names, then start again."
        fail "The configuration failed; its messages are above."
    fi
}

# buildTree PRESET [target...]
buildTree() {
    local build="$root/build/$1"
    shift
    # A clone elsewhere finds what this one has compiled; precompiled headers are told apart by their content.
    export CCACHE_BASEDIR="$root" CCACHE_NOHASHDIR=1 CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime,locale
    ninja -C "$build" -j"$(buildJobs)" "$@"
}

# Qt wants a UTF-8 locale and says so on every start without one.
ensureUtf8() {
    [ "$(locale charmap 2>/dev/null)" = UTF-8 ] || export LC_ALL=C.UTF-8
}
