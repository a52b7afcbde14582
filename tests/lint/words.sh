# Every text of the window can be translated: it is read through Words::tr() (ui/words/tr.h).
. "$(dirname "$0")/common.sh"

# Lines of the window's sources that match, comments apart.
linesOf() {
    find ui \( -name '*.cpp' -o -name '*.h' \) ! -path ui/learn/tour.cpp ! -path ui/learn/expression.cpp ! -path ui/words/words.cpp |
        sort | xargs grep -nE "$1" | grep -vE ':[0-9]+:[[:space:]]*//'
}

literal='([^A-Za-z0-9]u"|QStringLiteral\(")'
# Two words beside each other are a text, and so is a word beside a blank, which joins it to another. What is none: patterns, styles,
# file names, keys, SVG and the formats of tours.
report "A text of the window goes through Words::tr()" \
    "$(linesOf "$literal"'([^"\\]|\\.)*([A-Za-z]{2,}[,;:]? [A-Za-z]{2,}|[ (][a-z]{3,}[^A-Za-z"]*"|[a-z]{3,}[,;:]? ")' |
        grep -vE 'QRegularExpression|(opacity|fill)=|text-decoration|<table|initializer_list<const char|u"(stagelens --export|fan was loud|paper, keep|Interleaved 1F1B|0000 of 0000|Ctrl\+Plus, Ctrl\+Minus)|\[x\] interrupted|"NETSCAPE|startsWith\(QStringLiteral\("layer "|setTitle\(u"Stagelens "|\.replace\(u"\. ')"
# One word is a text where a control shows it or reads it to its user.
setters='set(Text|WindowTitle|Title|ToolTip|StatusTip|WhatsThis|PlaceholderText|Accessible(Name|Description)|Prefix|Suffix|SpecialValueText)'
makers='add(Item|Tab|Action|Menu|Row|Button|Section)|insertItem|plainLabel|markupLabel|Q(Label|PushButton|CheckBox|RadioButton|Action|GroupBox|(Table|Tree|List)WidgetItem)'
report "A word that a control shows goes through Words::tr()" \
    "$(linesOf "($setters|$makers|drawText|say|warn|offer)\(([^\"()]|\([^()]*\))*$literal"'[^"]*[A-Za-z]{2,}' |
        grep -vE 'setWindowTitle\(u"%1\[\*\]|setToolTip\(u"Ctrl\+PgU|setToolTip\(u"Ctrl\+PgDown"|setTitle\(u"Stagelens "')"
report "One context holds all translations" \
    "$(grep -rnE '(QObject|QCoreApplication|[A-Z][A-Za-z]+)::(tr|translate)\("|[^:A-Za-z_]tr\("' --include='*.cpp' --include='*.h' ui | grep -v 'Words::tr(')"
report "A text is not kept in a constant of a file: the language is not chosen yet when it is made" \
    "$(grep -rnE '^(static |const |constexpr |inline )+[A-Za-z:<>]+ k[A-Za-z]+ *[={(].*Words::tr\(' --include='*.cpp' --include='*.h' ui)"
finish
