// Copies the figures of a plot as text.
#pragma once

#include <QString>
#include <QWidget>

#include <functional>

namespace stagelens::ui {

/// Makes the figures of a plot available to the clipboard: Ctrl+C while the plot has the focus, and "Copy as text" in its
/// context menu. A ring of two pixels around the plot shows a focus that came by keyboard. Belongs to the plot.
class CopiedFigures : public QWidget {
    Q_OBJECT
public:
    /// `figures` returns lines with tabs between their columns. A menu copies the figures of the moment it opened, so that they
    /// are those under the pointer. Empty: there is nothing to copy.
    CopiedFigures(QWidget *plot, std::function<QString()> figures);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;
    void paintEvent(QPaintEvent *event) override;

private:
    static void copyText(const QString &text);

    QWidget *m_plot;
    std::function<QString()> m_figures;
    QString m_underMenu; ///< the figures of the moment at which the menu was opened
};

} // namespace stagelens::ui
