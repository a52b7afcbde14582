// A morph with its controls: played, moved by a slider, and exported as an animation.
#pragma once

#include "engine/base/result.h"
#include "ui/morph/morph_view.h"

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

#include <memory>

class QLabel;
class QPushButton;
class QSlider;
class QToolButton;

namespace stagelens::ui {

class MorphPanel : public QWidget {
    Q_OBJECT
public:
    explicit MorphPanel(QWidget *parent);
    /// Shows the first plan. Keeps the place of the slider if only the plans' numbers changed.
    void setPlans(const MorphSide &from, const MorphSide &to, bool teachingUnits);
    /// Shows a sentence instead of a picture.
    void showReason(const QString &reason);
    [[nodiscard]] MorphView *view() { return m_view; }
    [[nodiscard]] bool isPlaying() const { return m_clock.isActive(); }
    void togglePlaying();
    void stop();
    /// Writes an animation off the GUI thread, in a format of writeAnimation().
    void exportTo(const QString &file, const QString &format);

    static constexpr int kFlightMilliseconds = 3000;

signals:
    void exported(const QString &file);
    void failed(const QString &sentence);

protected:
    void hideEvent(QHideEvent *event) override;

private:
    void build();
    void advance();
    void setProgress(double progress);
    void ask();
    /// Enables the export where there is an animation that is small enough and none is being written.
    void permitExport();
    void finish(const QString &file, const base::Result<> &written);

    MorphView *m_view;
    QPushButton *m_play;
    QSlider *m_slider;
    QPushButton *m_export;
    QTimer m_clock;
    QElapsedTimer m_sinceStep;
    bool m_isWriting = false;
};

} // namespace stagelens::ui
