// The sentence over the picture, with its one action.
#pragma once

#include "ui/words/headline.h"

#include <QFrame>

class QLabel;
class QPushButton;

namespace stagelens::ui {

class HeadlineBar : public QFrame {
    Q_OBJECT
public:
    explicit HeadlineBar(QWidget *parent = nullptr);
    void setHeadline(const Headline &headline);
    [[nodiscard]] const Headline &headline() const { return m_headline; }

signals:
    /// The action was chosen.
    void applied(stagelens::model::VocabularyMethod method);
    void familyApplied(const QString &family);
    void fixApplied();
    /// The pointer or the focus is on the action (or has left it).
    void hovered(bool on);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void changeEvent(QEvent *event) override;

private:
    void sizeText();
    Headline m_headline;
    QLabel *m_label;
    QPushButton *m_button;
};

} // namespace stagelens::ui
