// Every text that a person reads goes through Words::tr(), so that it can be translated.
#pragma once

#include <QCoreApplication>

namespace stagelens::ui {

/// The one context of all translations: `Words::tr("Iteration")`. Texts that are read at startup must be called within a
/// function, not in a namespace-scope constant: the translation is installed after those are initialised.
class Words {
    Q_DECLARE_TR_FUNCTIONS(Words)
};

} // namespace stagelens::ui
