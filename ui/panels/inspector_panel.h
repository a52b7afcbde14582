// Why: what is known about the pass or the gap that was clicked.
#pragma once

#include <QWidget>

class QLabel;

namespace stagelens::ui {

class InspectorPanel : public QWidget {
    Q_OBJECT
public:
    explicit InspectorPanel(QWidget *parent = nullptr);
    /// Empty: says how to ask.
    void setText(const QString &text);
    [[nodiscard]] QString text() const;

private:
    QLabel *m_label;
};

} // namespace stagelens::ui
