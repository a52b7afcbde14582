// One slot of the plan strip.
#pragma once

#include <QAbstractButton>

namespace stagelens::ui {

class FieldEditor;

/// A caption above a value, which may contain a number that is edited in place. A chip with a picker opens it by its arrow, by
/// a click beside the number, and by Space, Return and Down.
class PlanChip : public QAbstractButton {
    Q_OBJECT
public:
    PlanChip(const QString &caption, bool hasPicker, QWidget *parent = nullptr);

    /// Places a number, which the chip then owns, into the value.
    void setNumber(FieldEditor *number);
    [[nodiscard]] FieldEditor *number() const { return m_number; }
    /// The words around the number. Where they have no room, `narrowAfter` is written instead of `after`, then `narrow` instead
    /// of `before`, then `alone` instead of all with the number, unless that is being edited.
    struct Words {
        QString before;
        QString narrow;
        QString after = {};
        bool hasNumber = false;
        QString narrowAfter = {}; ///< empty: `after`
        QString alone = {};       ///< empty: the number always stays
        friend bool operator==(const Words &, const Words &) = default;
    };
    void setWords(const Words &words);
    /// Sets the caption and the tool tip; an empty tool tip shows the value. `narrow` is shown where `caption` does not fit.
    void setCaption(const QString &caption, const QString &tip = {}, const QString &narrow = {});
    /// What the chip says where it has room: "8 × A100 80 GB".
    [[nodiscard]] QString value() const;
    /// What a person reads in the chip: "8 × A100" in a narrow one.
    [[nodiscard]] QString shownValue() const;
    /// Marks the chip; `field` is what is wrong. Empty takes the mark away.
    void setProblem(const QString &field, const QString &reason);
    [[nodiscard]] bool hasProblem() const { return !m_problemField.isEmpty(); }
    [[nodiscard]] QSize sizeHint() const override;

signals:
    void pickerAsked();
    /// A click beside the arrow of a marked chip.
    void problemAsked(const QString &field);

protected:
    void paintEvent(QPaintEvent *event) override;
    void resizeEvent(QResizeEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;
    void mousePressEvent(QMouseEvent *event) override;
    bool event(QEvent *event) override;

private:
    void press(bool onArrow);
    void place();
    void describe();
    [[nodiscard]] QFont valueFont() const;

    QString m_caption;
    QString m_narrowCaption;
    bool m_hasPicker;
    bool m_hovered = false;
    FieldEditor *m_number = nullptr;
    QString m_tip;
    Words m_words;
    QString m_before; ///< as it is painted
    QString m_after;
    bool m_isNumberShown = false;
    QString m_problemField;
    QString m_problem;
};

} // namespace stagelens::ui
