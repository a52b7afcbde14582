// The picture of a morph: the passes on their way from one plan to another.
#pragma once

#include "ui/morph/morph_painter.h"
#include "ui/state/timeline_content.h"

#include <QWidget>

#include <memory>

namespace stagelens::ui {

/// One side of a morph: lanes and the plan's name.
struct MorphSide {
    timeline::TimelinePtr timeline;
    QString name;
};

/// Left and Right, Home and End move the passes.
class MorphView : public QWidget {
    Q_OBJECT
public:
    explicit MorphView(QWidget *parent);
    void setMorph(std::shared_ptr<const Morph> morph, MorphSide from, MorphSide to, bool teachingUnits);
    /// Shows why there is no animation.
    void setReason(const QString &reason);
    void setProgress(double progress);
    [[nodiscard]] double progress() const { return m_progress; }
    [[nodiscard]] const std::shared_ptr<const Morph> &morph() const { return m_morph; }
    /// Returns how an exported picture looks.
    [[nodiscard]] MorphLook look() const;
    [[nodiscard]] QSize minimumSizeHint() const override { return {320, 140}; }
    [[nodiscard]] QSize sizeHint() const override { return {900, minimumSizeHint().height()}; }

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

} // namespace stagelens::ui
