// A spin box for whole numbers as people write them.
#pragma once

#include <QSpinBox>

#include <optional>

namespace stagelens::ui {

/// Reads what base::parseCount() reads ("32k", "32Ki", "262,144") and shows base::countText(). Keeps what is typed until the
/// field is left. Text that is no number is red; when the field is left, a tooltip explains why the previous value returns.
class NumberBox : public QSpinBox {
    Q_OBJECT
public:
    explicit NumberBox(QWidget *parent = nullptr);
    /// A double-click selects all digits; a comma would end the word otherwise.
    bool eventFilter(QObject *watched, QEvent *event) override;

protected:
    void focusOutEvent(QFocusEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    [[nodiscard]] int valueFromText(const QString &text) const override;
    [[nodiscard]] QString textFromValue(int value) const override;
    [[nodiscard]] QValidator::State validate(QString &text, int &cursor) const override;
    void fixup(QString &text) const override { Q_UNUSED(text) } ///< what is no number is left for the value before

private:
    /// Says why the text is dropped, if it is about to be.
    void explainDropped();
    /// Returns the text without prefix and suffix, which QSpinBox keeps around what is typed.
    [[nodiscard]] QString typedPart(const QString &text) const;
    /// Of a text that can be left as it is.
    [[nodiscard]] std::optional<int> read(const QString &text) const;
};

} // namespace stagelens::ui
