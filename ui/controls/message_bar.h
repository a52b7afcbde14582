// A sentence with at most two actions.
#pragma once

#include <QFrame>

#include <functional>
#include <vector>

class QHBoxLayout;
class QLabel;
class QPushButton;

namespace stagelens::ui {

class LineLabel;

/// Hidden until it has something to say. Never modal.
class MessageBar : public QFrame {
    Q_OBJECT
public:
    enum class Tone : unsigned char { Note, Warning };
    /// A card shows the whole sentence; a line, for the status bar, as much of it as there is room for and the rest as its tip.
    enum class Form : unsigned char { Card, Line };
    struct Action {
        QString caption;
        std::function<void()> run;
    };
    explicit MessageBar(const QString &name, QWidget *parent = nullptr, Form form = Form::Card);
    /// Returns the message's number, for clear().
    int say(Tone tone, const QString &text, std::vector<Action> actions = {});
    /// Other words for what is being said; its buttons stay.
    void setText(const QString &text);
    void clear();
    /// Hides that message, unless another has taken its place.
    void clear(int message);
    [[nodiscard]] QString text() const { return m_text; }

protected:
    void changeEvent(QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    void showIcon();
    Form m_form;
    Tone m_tone = Tone::Note;
    int m_message = 0;
    QString m_text;
    QLabel *m_icon;
    QLabel *m_label = nullptr;   ///< of a card
    LineLabel *m_line = nullptr; ///< of a line
    QHBoxLayout *m_buttons;
};

} // namespace stagelens::ui
