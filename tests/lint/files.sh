# Size and form of every source file.
. "$(dirname "$0")/common.sh"

long=$(find app engine kernels ui tests resources/cmake resources/setup -type f \
    \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.sh' -o -name '*.cmake' -o -name CMakeLists.txt \) -exec wc -l {} + |
    awk '$2 != "total" && $1 > 400 { print $1, $2 }' | sort -rn)
report "A file has at most 800 lines" "$(printf '%s\n' "$long" | awk '$1 > 800')"
[ -z "$long" ] || printf 'Longer than 400 lines (allowed, not loved):\n%s\n\n' "$long"
# A class counts its body and the definitions of its members, without the helpers beside them.
report "A class has at most 400 lines" "$(find app engine kernels ui -type f \
    \( -name '*.h' -o -name '*.cpp' -o -name '*.cu' -o -name '*.cuh' \) -exec awk -f tests/lint/classes.awk {} + |
    awk '{ size[$2 " " $3] += $1 } END { for (name in size) if (size[name] > 400) print size[name], name }')"

for header in $(sourceFiles | grep -E '\.(h|cuh)$'); do
    grep -q '^#pragma once$' "$header" || report "A header begins with #pragma once" "$header"
done
for header in $(find app engine kernels ui -name '*.h' | sort); do
    source=${header%.h}.cpp
    [ ! -e "$source" ] || [ "$source" = tests/cuda_emulator/activity.cpp ] || # implements kernels/include/activity.h
        [ "$(grep -m1 '^#include' "$source")" = "#include \"$header\"" ] ||
        report "A source includes its own header first, so that each compiles alone" "$source"
done
report "No unfinished work is left as a remark" "$(sourceFiles | xargs grep -nE "\b(TO""DO|FIX""ME|X""XX)\b")"
report "No line ends in blanks" "$(sourceFiles | xargs grep -nE '[[:blank:]]+$' | cut -c1-120)"
report "Names of files are snake_case" "$(sourceFiles | grep -vE '/[a-z0-9_]+\.(h|cpp|cu|cuh)$')"
finish
