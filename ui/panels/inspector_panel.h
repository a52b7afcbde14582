// The dock that explains the pass or the gap that was clicked. Fields are edited in ExperimentEditor and PlanStrip.
#pragma once

#include <QWidget>

class QLabel;

namespace stagelens::ui {

class InspectorPanel : public QWidget {
    Q_OBJECT
public:
    explicit InspectorPanel(QWidget *parent = nullptr);
    /// An empty text says how to get an explanation.
    void setText(const QString &text);
    [[nodiscard]] QString text() const;

private:
    QLabel *m_label;
};

} // namespace stagelens::ui
