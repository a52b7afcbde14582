# Every source file is as clang-format leaves it (.clang-format at the root).
. "$(dirname "$0")/common.sh"

if ! command -v clang-format >/dev/null; then
    echo "clang-format is not installed; nothing was checked."
    exit 77
fi
report "clang-format would change" "$(sourceFiles | xargs clang-format --dry-run --Werror 2>&1 | grep -oE '^(app|engine|kernels|tests|ui)/[^: ]+' | sort -u)"
finish
