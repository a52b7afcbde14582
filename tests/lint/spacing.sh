# Margins and spacings of the window are multiples of 4 pixels (ui/canvas/design.h).
. "$(dirname "$0")/common.sh"

report "A margin or spacing is a multiple of 4" \
    "$(find ui -name '*.cpp' -o -name '*.h' | sort |
        xargs grep -nE '(setContentsMargins|setSpacing|addSpacing|set(Horizontal|Vertical)Spacing|setDocumentMargin)\([-0-9., ]*[0-9][-0-9., ]*\)' |
        perl -ne 'my ($call) = /(?:Margins?|Spacing)\(([-0-9., ]+)\)/; my $bad = 0;
            $bad ||= $_ % 4 != 0 for grep { length } split /[, ]+/, $call // ""; print if $bad')"
report "A font size is of the type scale" \
    "$(grep -rnE '(setPointSizeF?|setPixelSize)\([0-9]' --include='*.cpp' --include='*.h' ui)"
finish
