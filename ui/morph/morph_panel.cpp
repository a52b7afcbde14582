#include "ui/morph/morph_panel.h"

#include "ui/canvas/gif_writer.h"
#include "ui/canvas/mp4_writer.h"
#include "ui/controls/button_style.h"
#include "ui/controls/save_dialog.h"
#include "ui/morph/animation_writer.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QPointer>
#include <QPushButton>
#include <QSlider>
#include <QThreadPool>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kMorphFrameMilliseconds = 16;
constexpr int kSliderSteps = 1000;

} // namespace

MorphPanel::MorphPanel(QWidget *parent)
    : QWidget(parent), m_view(new MorphView(this)), m_play(new QPushButton(this)), m_slider(new QSlider(Qt::Horizontal, this)),
      m_export(new QPushButton(Words::tr("Export animation…"), this))
{
    build();
    m_clock.setInterval(kMorphFrameMilliseconds);
    connect(&m_clock, &QTimer::timeout, this, &MorphPanel::advance);
    connect(m_play, &QPushButton::clicked, this, &MorphPanel::togglePlaying);
    connect(m_export, &QPushButton::clicked, this, &MorphPanel::ask);
    connect(m_slider, &QSlider::valueChanged, this,
            [this](int value) { m_view->setProgress(static_cast<double>(value) / kSliderSteps); });
    connect(m_slider, &QSlider::sliderPressed, this, &MorphPanel::stop);
    connect(m_view, &MorphView::playAsked, this, &MorphPanel::togglePlaying);
    connect(m_view, &MorphView::moved, this, [this](double by) {
        stop();
        setProgress(m_view->progress() + by);
    });
}

void MorphPanel::build()
{
    m_view->setObjectName(u"morph.view"_s);
    m_play->setObjectName(u"morph.play"_s);
    m_play->setText(Words::tr("Morph"));
    m_play->setIcon(glyphIcon(Glyph::Play));
    m_play->setToolTip(Words::tr("Moves the passes of the first plan to their places in the second (Space)"));
    m_slider->setObjectName(u"morph.slider"_s);
    m_slider->setRange(0, kSliderSteps);
    m_slider->setAccessibleName(Words::tr("Place between the two plans"));
    m_slider->setToolTip(Words::tr("Drag it to move between the two plans by hand"));
    m_export->setObjectName(u"morph.export"_s);
    permitExport();
    for (QPushButton *button : {m_play, m_export})
        button->setAutoDefault(false);
    auto *row = new QHBoxLayout;
    row->setContentsMargins(8, 4, 8, 4);
    row->setSpacing(8);
    row->addWidget(m_play);
    row->addWidget(m_slider, 1);
    row->addWidget(m_export);
    auto *layout = new QVBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(0);
    layout->addWidget(m_view, 1);
    layout->addLayout(row);
    setFocusProxy(m_view);
}

void MorphPanel::setPlans(const MorphSide &from, const MorphSide &to, bool teachingUnits)
{
    if (!from.timeline || !to.timeline) {
        showReason(Words::tr("There is no second plan to morph from."));
        return;
    }
    auto morph = std::make_shared<const Morph>(morphBetween(*from.timeline, *to.timeline));
    const std::size_t pieces = morph->pieces.size();
    if (pieces > kMostMorphPieces) {
        showReason(Words::tr("The two plans have %L1 passes; up to %L2 can be animated. Use fewer microbatches or devices.")
                       .arg(pieces)
                       .arg(kMostMorphPieces));
        return;
    }
    m_view->setMorph(std::move(morph), from, to, teachingUnits);
    m_play->setEnabled(true);
    m_slider->setEnabled(true);
    permitExport();
    m_view->setProgress(static_cast<double>(m_slider->value()) / kSliderSteps);
}

void MorphPanel::showReason(const QString &reason)
{
    stop();
    m_view->setReason(reason);
    for (QWidget *control : std::initializer_list<QWidget *>{m_play, m_slider})
        control->setEnabled(false);
    permitExport();
}

void MorphPanel::permitExport()
{
    const bool isLong = m_view->morph() && m_view->morph()->pieces.size() > kMostExportedPieces;
    m_export->setEnabled(m_view->morph() && !isLong && !m_isWriting);
    m_export->setToolTip(plainTip(
        isLong ? Words::tr("The two plans have %L1 passes; up to %L2 can be exported. Use fewer microbatches or devices.")
                     .arg(m_view->morph()->pieces.size())
                     .arg(kMostExportedPieces)
               : (canWriteGif() ? Words::tr("As SVG animation, which browsers play, as GIF, or as frames")
                                : Words::tr("As SVG animation, which browsers play, or as frames")) +
                     u'\n' + (canWriteMp4() ? Words::tr("Also as MP4, through ffmpeg") : Words::tr("For MP4 install ffmpeg"))));
}

void MorphPanel::togglePlaying()
{
    if (isPlaying()) {
        stop();
        return;
    }
    if (!m_view->morph())
        return;
    if (m_slider->value() == kSliderSteps)
        setProgress(0);
    m_play->setText(Words::tr("Pause"));
    m_play->setIcon({});
    m_sinceStep.start();
    m_clock.start();
}

void MorphPanel::stop()
{
    m_clock.stop();
    m_play->setText(Words::tr("Morph"));
    m_play->setIcon(glyphIcon(Glyph::Play));
}

void MorphPanel::advance()
{
    const double by = static_cast<double>(m_sinceStep.elapsed()) / kFlightMilliseconds;
    if (by * kSliderSteps < 1) // less than one slider step: wait for more time to pass
        return;
    m_sinceStep.restart();
    setProgress(m_view->progress() + by);
    if (m_slider->value() == kSliderSteps)
        stop();
}

void MorphPanel::setProgress(double progress)
{
    m_slider->setValue(static_cast<int>(std::lround(std::clamp(progress, 0.0, 1.0) * kSliderSteps)));
}

void MorphPanel::ask()
{
    QList<SaveKind> kinds{{Words::tr("SVG animation (*.svg)"), u"svg"_s}};
    if (canWriteGif())
        kinds << SaveKind{Words::tr("GIF animation (*.gif)"), u"gif"_s};
    if (canWriteMp4())
        kinds << SaveKind{Words::tr("MP4 video (*.mp4)"), u"mp4"_s};
    kinds << SaveKind{Words::tr("Folder of numbered frames (*.png)"), u"png"_s};
    const SaveChoice choice = askWhereToSave(window(), Words::tr("Export the animation"), u"morph.svg"_s, kinds);
    if (choice.file.isEmpty())
        return;
    const QString format = kinds[choice.number].suffix;
    exportTo(animationFile(choice.file, format), format);
}

void MorphPanel::exportTo(const QString &file, const QString &format)
{
    if (!m_view->morph() || m_isWriting)
        return;
    m_isWriting = true;
    permitExport();
    m_export->setText(Words::tr("Writing…"));
    const auto write = [morph = m_view->morph(), look = m_view->look(), file, format, panel = QPointer(this)] {
        const base::Result<> written = writeAnimation(*morph, look, file, format);
        QMetaObject::invokeMethod(
            qApp,
            [panel, file, written] {
                if (panel)
                    panel->finish(file, written);
            },
            Qt::QueuedConnection);
    };
    QThreadPool::globalInstance()->start(write);
}

void MorphPanel::finish(const QString &file, const base::Result<> &written)
{
    m_isWriting = false;
    permitExport();
    m_export->setText(Words::tr("Export animation…"));
    if (written)
        emit exported(file);
    else
        emit failed(notWritten(file, written.error()));
}

void MorphPanel::hideEvent(QHideEvent *event)
{
    stop();
    QWidget::hideEvent(event);
}

} // namespace stagelens::ui
