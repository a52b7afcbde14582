// The figures of the plan, beside those of the baseline and of the run that is shown.
#pragma once

#include "ui/panels/figures/figures.h"

#include <QWidget>

class QFormLayout;
class QLabel;
class QPushButton;

namespace stagelens::ui {

class MetricsPanel : public QWidget {
    Q_OBJECT
public:
    explicit MetricsPanel(QWidget *parent = nullptr);
    void setFigures(const Figures &figures);

signals:
    /// Where does the measured time differ from the predicted one?
    void passKindsAsked();

private:
    /// Says for what the figures are predicted, and on what ground.
    void showProvenance(const Figures &figures);
    /// A large figure with its comparison and what was measured.
    struct Big {
        QLabel *title;
        QLabel *value;
        QLabel *change;
        QLabel *measured;
        QLabel *published;
    };
    Big makeBig(const QString &name, const QString &caption, const QString &tip);
    QLabel *makeSmall(const QString &name, const QString &caption, const QString &tip);
    void setMeasured(const Figures &figures);
    void setPublished(const service::Prediction &plan);

    Big m_iteration;
    Big m_bubble;
    Big m_memory;
    QFormLayout *m_form;
    QLabel *m_busy; ///< that other programs had the processor
    QPushButton *m_byKind;
    QLabel *m_provenance;
    QLabel *m_baseline;
    QLabel *m_note; ///< planNote()
    QLabel *m_tokens;
    QLabel *m_mfu;
    QLabel *m_bound;
    QLabel *m_host;
};

} // namespace stagelens::ui
