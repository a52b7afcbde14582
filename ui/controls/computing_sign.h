// "computing…" over the picture, while an answer takes long.
#pragma once

#include <QFrame>

class QProgressBar;
class QPushButton;

namespace stagelens::ui {

/// Lies over the middle of its parent, whose content stays where it is.
class ComputingSign : public QFrame {
    Q_OBJECT
public:
    explicit ComputingSign(QWidget *parent);
    /// Shows the word, or takes it away; `isLong` adds progress and Cancel.
    void setState(bool shown, bool isLong);

signals:
    void cancelled();

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void place();
    QProgressBar *m_progress;
    QPushButton *m_cancel;
};

} // namespace stagelens::ui
