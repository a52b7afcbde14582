// Which lanes are drawn: predicted, measured or both.
#pragma once

#include <QWidget>

class QActionGroup;
class QMenu;
class QToolButton;

namespace stagelens::ui {

/// Which lane groups are drawn.
enum class Shown : unsigned char { Predicted, Measured, Both };

/// Predicted | Measured | Both, with a list of runs and steps at Measured.
class ShownSwitch : public QWidget {
    Q_OBJECT
public:
    explicit ShownSwitch(QWidget *parent = nullptr);
    [[nodiscard]] Shown shown() const;
    void setShown(Shown shown);

signals:
    void shownChanged();
    /// The list at Measured opens: runs and steps may be filled in.
    void measuredMenuOpens(QMenu *menu);

private:
    void addMeasuredMenu(QToolButton *button);

    QActionGroup *m_shown;
};

} // namespace stagelens::ui
