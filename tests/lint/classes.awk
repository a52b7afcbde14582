# Prints "lines folder class" of each class: its body and the definitions of its members, in all files of one folder.
# What clang-format indents by n ends with the first brace that is indented by n.
function folder(path) { sub(/\/[^\/]*$/, "", path); return path }
function add(name, lines) { size[folder(FILENAME) " " name] += lines }
FNR == 1 { depth = 0; member = "" }
# Definitions of members at the top: "Type Class::function(" or "Class::Class(".
member == "" && depth == 0 && match($0, /^[A-Za-z_][^=;]*::~?[a-zA-Z0-9_]+( ?[^A-Za-z0-9_ ()]+)?\(/) && !/;$/ {
    name = substr($0, RSTART, RLENGTH)
    sub(/::~?[a-zA-Z0-9_]+( ?[^A-Za-z0-9_ ()]+)?\($/, "", name)
    sub(/.*[ *&]/, "", name)
    if (name ~ /^([A-Z][A-Za-z0-9]*(::)?)+$/) { member = name; begin = FNR }
}
# A body: classes within it count apart and to it.
{
    if (match($0, /^ *(class|struct) [A-Z][A-Za-z0-9:]*( final)?( :.*)?( *\{)?$/) && !/;$/) {
        indent = match($0, /[^ ]/) - 1
        name = $0
        sub(/^ *(class|struct) /, "", name)
        sub(/[^A-Za-z0-9:].*$/, "", name)
        depth++
        names[depth] = name; begins[depth] = FNR; indents[depth] = indent
    }
    if (depth > 0 && /^ *\}/ && match($0, /[^ ]/) - 1 == indents[depth]) {
        path = names[1]
        for (i = 2; i <= depth; ++i) path = path "::" names[i]
        add(path, FNR - begins[depth] + 1)
        depth--
    }
    if (member != "" && (/^\}/ || (FNR == begin && /\}$/))) {
        add(member, FNR - begin + 1)
        member = ""
    }
}
END { for (name in size) print size[name], name }
