// Messages over the picture: they cover its lower edge and never push it.
#pragma once

#include <QWidget>

#include <vector>

namespace stagelens::ui {

class MessageBar;

/// Lies over the bottom of its parent and holds the messages that speak now, the newest place at the bottom. It is only as
/// large as they are, so that the rest of the parent takes the mouse.
class ToastStack : public QWidget {
    Q_OBJECT
public:
    explicit ToastStack(QWidget *host);
    /// Makes a message of the stack, hidden until it says something.
    [[nodiscard]] MessageBar *add(const QString &name);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void place();
    std::vector<MessageBar *> m_messages;
};

} // namespace stagelens::ui
