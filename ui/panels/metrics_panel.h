// The figures of the plan, beside those of the baseline and of the run that is shown.
#pragma once

#include "engine/service/engine_service.h"
#include "ui/words/what_if_words.h"

#include <QWidget>

#include <vector>

class QFormLayout;
class QLabel;
class QPushButton;

namespace stagelens::ui {

/// What the panel shows. Pointers may be null.
struct Figures {
    service::PredictionPtr plan;
    service::PredictionPtr baseline;
    QString baselineName; ///< "1F1B, not split"
    service::RunSnapshotPtr run;
    bool runDiffers = false; ///< the plan was edited since, or predicted for another machine: no error figures
    bool stale = false;      ///< figures of the last valid plan
    SensitivityPtr sensitivity;
    bool isSensitivityLate = false; ///< it is being computed, and takes noticeably long
};

class MetricsPanel : public QWidget {
    Q_OBJECT
public:
    explicit MetricsPanel(QWidget *parent = nullptr);
    void setFigures(const Figures &figures);

signals:
    /// Where does the measured time differ from the predicted one?
    void passKindsAsked();

private:
    /// A large figure with its comparison and what was measured.
    struct Big {
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
