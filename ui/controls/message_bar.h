// A bar with a sentence and at most two actions, over the picture.
#pragma once

#include <QFrame>

#include <functional>
#include <vector>

class QHBoxLayout;
class QLabel;
class QPushButton;

namespace stagelens::ui {

/// Hidden until it has something to say. Never modal.
class MessageBar : public QFrame {
    Q_OBJECT
public:
    enum class Tone : unsigned char { Note, Warning };
    struct Action {
        QString caption;
        std::function<void()> run;
    };
    explicit MessageBar(const QString &name, QWidget *parent = nullptr);
    /// Returns the message's number, for clear().
    int say(Tone tone, const QString &text, std::vector<Action> actions = {});
    /// Other words for what is being said; its buttons stay.
    void setText(const QString &text);
    void clear();
    /// Hides that message, unless another has taken its place.
    void clear(int message);
    [[nodiscard]] QString text() const;

protected:
    void changeEvent(QEvent *event) override;

private:
    void colour();
    Tone m_tone = Tone::Note;
    int m_message = 0;
    QLabel *m_icon;
    QLabel *m_label;
    QHBoxLayout *m_buttons;
};

} // namespace stagelens::ui
