// Two plans between which the passes fly: played, scrubbed, and exported as an animation.
#pragma once

#include "engine/base/result.h"
#include "ui/state/timeline_content.h"
#include "ui/timeline/morph_painter.h"

#include <QElapsedTimer>
#include <QTimer>
#include <QWidget>

#include <memory>

class QLabel;
class QPushButton;
class QSlider;
class QToolButton;

namespace stagelens::ui {

/// One side of a morph: lanes and the plan's name.
struct MorphSide {
    timeline::TimelinePtr timeline;
    QString name;
};

/// Writes the way from one plan to the other as animation, "gif" or else SVG. May be called on any thread.
[[nodiscard]] base::Result<> writeAnimation(const Morph &morph, const MorphLook &look, const QString &file,
                                            const QString &format);

/// The picture alone. Left and Right, Home and End move it.
class MorphView : public QWidget {
    Q_OBJECT
public:
    explicit MorphView(QWidget *parent);
    void setMorph(std::shared_ptr<const Morph> morph, MorphSide from, MorphSide to, bool teachingUnits);
    /// Why there is no animation; shown instead of it.
    void setReason(const QString &reason);
    void setProgress(double progress);
    [[nodiscard]] double progress() const { return m_progress; }
    [[nodiscard]] const std::shared_ptr<const Morph> &morph() const { return m_morph; }
    /// How an exported picture looks.
    [[nodiscard]] MorphLook look() const;
    [[nodiscard]] QSize minimumSizeHint() const override { return {320, 140}; }
    [[nodiscard]] QSize sizeHint() const override { return {900, 360}; }

signals:
    void moved(double by);
    void playAsked();

protected:
    void paintEvent(QPaintEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    std::shared_ptr<const Morph> m_morph;
    MorphSide m_from;
    MorphSide m_to;
    QString m_reason;
    bool m_units = false;
    double m_progress = 0;
};

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
    /// Writes an animation off the GUI thread: SVG, GIF where the build can, or MP4 where
    /// ffmpeg is installed, by the file's ending.
    void exportTo(const QString &file);

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
