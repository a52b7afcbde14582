// A button that opens a list of choices to tick.
#pragma once

#include <QStringList>
#include <QToolButton>

class QMenu;

namespace stagelens::ui {

/// Says how many are ticked. The list stays open until a click outside of it or Escape.
class TickList : public QToolButton {
    Q_OBJECT
public:
    explicit TickList(const QString &name, QWidget *parent = nullptr);

    /// Replaces the list: words and, in the same order, what a person reads.
    void setChoices(const QStringList &words, const QStringList &captions);
    /// Ticks exactly these words. Emits nothing.
    void setTicked(const QStringList &words);

signals:
    /// A person ticked or unticked; the words that are ticked, in the order of the list.
    void edited(const QStringList &words);

private:
    void tickAll(bool on);
    void showCount();
    [[nodiscard]] QStringList ticked() const;

    QMenu *m_menu;
    QList<QAction *> m_choices;
};

} // namespace stagelens::ui
