// The dock that explains the pass or the gap that was clicked. Fields are edited in ExperimentEditor and PlanStrip.
#pragma once

#include <QWidget>

class QLabel;
class QPushButton;

namespace stagelens::ui {

class InspectorPanel : public QWidget {
    Q_OBJECT
public:
    explicit InspectorPanel(QWidget *parent = nullptr);
    /// An empty text says how to get an explanation.
    void setText(const QString &text);
    [[nodiscard]] QString text() const;
    /// Offers the one action that changes what is explained; an empty caption offers none.
    void setNext(const QString &caption, const QString &tip);

signals:
    void nextAsked();

private:
    QLabel *m_label;
    QPushButton *m_next;
};

} // namespace stagelens::ui
