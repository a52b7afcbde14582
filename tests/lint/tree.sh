# What stands where: the root's names, executable scripts, and the paths that the README names.
. "$(dirname "$0")/common.sh"

allowed='^(CMakeLists\.txt|CMakePresets\.json|LICENSE|README\.md|app|engine|kernels|resources|tests|ui|build|compile_commands\.json|\..+)$'
report "The root holds what resources/docs/architecture.md names and nothing else" "$(ls -A | grep -vE "$allowed")"

for script in app/start tests/run .ci/run; do
    [ -x "$script" ] || report "A command must be executable" "$script"
done

for path in LICENSE README.md resources/docs/architecture.md resources/setup/debian-12.txt; do
    [ -s "$path" ] || report "A file is missing" "$path"
done

report "A folder has at most 40 files; divide it by subject" \
    "$(find app engine kernels resources tests ui -type f -printf '%h\n' | sort | uniq -c | awk '$1 > 40 { print $1, $2 }')"

# Paths in back quotes or links that begin with a folder of ours; build/ is not in the tree.
for path in $(grep -oE '[`(](app|engine|kernels|ui|resources|tests|\.ci)/[A-Za-z0-9_./-]*' README.md | cut -c2- | sort -u); do
    [ -e "$path" ] || report "README.md names a path that does not exist" "$path"
done

# What is installed is told in the README, package by package.
for package in $(sed -e 's/#.*//' resources/setup/debian-12*.txt | awk 'NF { print $1 }'); do
    grep -qF -- "$package" README.md || report "README.md does not name an installed package" "$package"
done
finish
