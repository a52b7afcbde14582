# Every text of the window can be translated: it is read through Words::tr() (ui/words/tr.h).
. "$(dirname "$0")/common.sh"

# Two words beside each other are a text. What is none: patterns, styles, file names, keys, SVG and the formats of tours.
report "A text of the window goes through Words::tr()" \
    "$(find ui -name '*.cpp' -o -name '*.h' | grep -vE '^ui/(learn/(tour|expression)|timeline/morph_painter|words/words)\.cpp$' | sort |
        xargs grep -nE '(u"|QStringLiteral\(")([^"\\]|\\.)*[A-Za-z]{2,}[,;:]? [a-z]{2,}' |
        grep -vE ':[0-9]+:[[:space:]]*//|QRegularExpression|text-decoration|<table|initializer_list<const char|u"(stagelens --export|fan was loud|paper, keep|Interleaved 1F1B|0000 of 0000)|\\[x\] interrupted|"NETSCAPE')"
report "One context holds all translations" \
    "$(grep -rnE '(QObject|QCoreApplication|[A-Z][A-Za-z]+)::(tr|translate)\("|[^:A-Za-z_]tr\("' --include='*.cpp' --include='*.h' ui | grep -v 'Words::tr(')"
report "A text is not kept in a constant of a file: the language is not chosen yet when it is made" \
    "$(grep -rnE '^(static |const |constexpr |inline )+[A-Za-z:<>]+ k[A-Za-z]+ *[={(].*Words::tr\(' --include='*.cpp' --include='*.h' ui)"
finish
