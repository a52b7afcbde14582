# What comes from files is shown as it is: no label or tooltip of the window may take it for markup (ui/words/plain_text.h).
. "$(dirname "$0")/common.sh"

report "Labels are made by plainLabel() and markupLabel()" \
    "$(grep -rnE 'new QLabel\b|\bQLabel [a-zA-Z_]+[;({]' --include='*.cpp' --include='*.h' ui app | grep -v '^ui/words/plain_text\.cpp:')"
report "Markup is for words of our own, each of which is listed here" \
    "$(grep -rnE '\bmarkupLabel\(' --include='*.cpp' ui app |
        grep -vE '^ui/words/plain_text\.cpp:|^ui/panels/schedule_panel\.cpp:.*<b>Schedule as text|^ui/panels/headline_bar\.cpp:.*markupLabel\(\{\}|^ui/shell/main_window\.cpp:.*richText')"
report "Tags stand only in the words of such labels; others show them as they are" \
    "$(grep -rnE '"[^"]*</?(b|br|i|p|tr|td|table)>' --include='*.cpp' ui app |
        grep -vE '^ui/panels/schedule_panel\.cpp:.*markupLabel\(|^ui/(shell/main_window|controllers/window_actions)\.cpp:')"
report "Nothing else that detects markup is used" \
    "$(grep -rnE '\b(QMessageBox|QErrorMessage|QStaticText|QWhatsThis|setWhatsThis|setHtml|insertHtml|AutoText)\b' --include='*.cpp' --include='*.h' ui app)"
report "Pages of Learn alone are Markdown" \
    "$(grep -rnE '\bsetMarkdown\b' --include='*.cpp' --include='*.h' ui app | grep -vE '^ui/learn/(page_browser|slides)\.cpp:')"

# A tooltip is one literal of our own (translated or not), the tooltip of another control, or goes through plainTip().
tips=$(find ui app -name '*.cpp' | sort | xargs perl -0777 -ne '
    my $literal = qr/u"(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*_s|QStringLiteral\("(?:[^"\\]|\\.)*"\)|Words::tr\(\s*"(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*\s*\)|\{\}|\w+->toolTip\(\)/;
    while (/setToolTip\(\s*(?:\d+,\s*)?/g) {
        my $at = pos; my $rest = substr($_, $at, 400);
        next if $rest =~ /^(?:$literal)\s*\)/ || $rest =~ /^plainTip\(/;
        my $line = 1 + (substr($_, 0, $at) =~ tr/\n//);
        $rest =~ s/\n.*//s;
        print "$ARGV:$line: $rest\n";
    }')
report "A tooltip with more than a literal goes through plainTip()" "$tips"
report "What is shown or stored as a tooltip goes through plainTip()" \
    "$(grep -rnE 'QToolTip::showText|, Qt::ToolTipRole\)' --include='*.cpp' ui app | grep -vE 'plainTip\(')"
finish
