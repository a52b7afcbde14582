#include "ui/panels/morph_panel.h"

#include "engine/base/exception_text.h"
#include "engine/base/file.h"
#include "ui/canvas/gif_writer.h"
#include "ui/canvas/mp4_writer.h"
#include "ui/words/plain_text.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QPainter>
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
constexpr int kGifFrameMilliseconds = 60;
constexpr QSize kSvgSize{1200, 500};
constexpr QSize kGifSize{960, 400};
constexpr QSize kVideoSize{1280, 536}; ///< even, as the encoder needs them
constexpr int kVideoRate = 30;

/// Paints on any thread: an image, a value and a font are all that it touches.
base::Result<std::string> gifText(const Morph &morph, const MorphLook &look)
{
    std::vector<GifFrame> frames;
    const auto add = [&](double progress, int milliseconds) {
        QImage image(kGifSize, QImage::Format_RGB32);
        QPainter painter(&image);
        paintMorph(painter, morph, look, image.rect(), progress);
        painter.end();
        frames.push_back({image, milliseconds});
    };
    const double moving = 1000 * kMorphSeconds * (1 - kMorphHoldBefore - kMorphHoldAfter);
    const int count = static_cast<int>(moving / kGifFrameMilliseconds);
    add(0, static_cast<int>(1000 * kMorphSeconds * kMorphHoldBefore));
    for (int frame = 1; frame < count; ++frame)
        add(static_cast<double>(frame) / count, kGifFrameMilliseconds);
    add(1, static_cast<int>(1000 * kMorphSeconds * kMorphHoldAfter));
    return gifOf(frames);
}

/// The animation's way at a share of its time: it rests before and after the flight.
double progressAt(double share)
{
    return std::clamp((share - kMorphHoldBefore) / (1 - kMorphHoldBefore - kMorphHoldAfter), 0.0, 1.0);
}

base::Result<> writeVideo(const Morph &morph, const MorphLook &look, const QString &file)
{
    const int count = static_cast<int>(kMorphSeconds * kVideoRate);
    return writeMp4(file, kVideoSize, kVideoRate, count, [&](int number) {
        QImage image(kVideoSize, QImage::Format_RGB32);
        QPainter painter(&image);
        paintMorph(painter, morph, look, image.rect(), progressAt(static_cast<double>(number) / (count - 1)));
        return image;
    });
}

} // namespace

base::Result<> writeAnimation(const Morph &morph, const MorphLook &look, const QString &file, const QString &format)
{
    try {
        if (format == u"mp4"_s)
            return writeVideo(morph, look, file);
        if (format != u"gif"_s)
            return base::writeFile(utf8(file), morphSvg(morph, look, kSvgSize).toStdString());
        const auto bytes = gifText(morph, look);
        return bytes ? base::writeFile(utf8(file), *bytes) : base::Result<>(bytes.error());
    } catch (const std::exception &exception) { // out of memory, say
        return base::Error::failed("the animation was not made: " + base::exceptionText(exception), utf8(file));
    }
}

MorphView::MorphView(QWidget *parent) : QWidget(parent)
{
    setFocusPolicy(Qt::StrongFocus);
    setAccessibleName(Words::tr("Morph between two plans"));
}

void MorphView::setMorph(std::shared_ptr<const Morph> morph, MorphSide from, MorphSide to, bool teachingUnits)
{
    m_morph = std::move(morph);
    m_from = std::move(from);
    m_to = std::move(to);
    m_units = teachingUnits;
    m_reason.clear();
    update();
}

void MorphView::setReason(const QString &reason)
{
    m_morph.reset();
    m_reason = reason;
    update();
}

void MorphView::setProgress(double progress)
{
    m_progress = std::clamp(progress, 0.0, 1.0);
    setAccessibleDescription(Words::tr("%1 of the way from %2 to %3").arg(shareText(m_progress), m_from.name, m_to.name));
    update();
}

MorphLook MorphView::look() const
{
    MorphLook made;
    made.colours = &coloursFor(palette());
    made.font = font();
    made.font.setPixelSize(QFontInfo(font()).pixelSize());
    made.from = m_from.name;
    made.to = m_to.name;
    made.teachingUnits = m_units;
    return made;
}

void MorphView::paintEvent(QPaintEvent *)
{
    QPainter painter(this);
    const MorphLook style = look();
    if (m_morph) {
        paintMorph(painter, *m_morph, style, rect(), m_progress);
    } else {
        painter.fillRect(rect(), style.colours->background);
        painter.setPen(style.colours->muted);
        painter.drawText(rect().adjusted(24, 0, -24, 0), Qt::AlignCenter | Qt::TextWordWrap, m_reason);
    }
    if (hasFocus()) {
        painter.setPen(QPen(style.colours->focus, 2));
        painter.drawRect(rect().adjusted(1, 1, -1, -1));
    }
}

void MorphView::keyPressEvent(QKeyEvent *event)
{
    switch (event->key()) {
    case Qt::Key_Left: emit moved(-0.02); break;
    case Qt::Key_Right: emit moved(0.02); break;
    case Qt::Key_Home: emit moved(-1); break;
    case Qt::Key_End: emit moved(1); break;
    case Qt::Key_Space: emit playAsked(); break;
    default: QWidget::keyPressEvent(event);
    }
}

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
    m_play->setText(Words::tr("▶ Morph"));
    m_play->setToolTip(Words::tr("Moves the passes of the first plan to their places in the second (Space)"));
    m_slider->setObjectName(u"morph.slider"_s);
    m_slider->setRange(0, kSliderSteps);
    m_slider->setAccessibleName(Words::tr("Place between the two plans"));
    m_slider->setToolTip(Words::tr("Drag it to move between the two plans by hand"));
    m_export->setObjectName(u"morph.export"_s);
    m_export->setToolTip(
        plainTip((canWriteGif() ? Words::tr("As SVG animation, which browsers play, or as GIF")
                                : Words::tr("As SVG animation, which browsers play")) +
                 u'\n' + (canWriteMp4() ? Words::tr("Also as MP4, through ffmpeg") : Words::tr("For MP4 install ffmpeg"))));
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
    m_export->setEnabled(!m_isWriting && pieces <= kMostExportedPieces);
    m_view->setProgress(static_cast<double>(m_slider->value()) / kSliderSteps);
}

void MorphPanel::showReason(const QString &reason)
{
    stop();
    m_view->setReason(reason);
    for (QWidget *control : std::initializer_list<QWidget *>{m_play, m_slider, m_export})
        control->setEnabled(false);
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
    m_sinceStep.start();
    m_clock.start();
}

void MorphPanel::stop()
{
    m_clock.stop();
    m_play->setText(Words::tr("▶ Morph"));
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
    QStringList kinds{Words::tr("SVG animation (*.svg)")};
    if (canWriteGif())
        kinds << Words::tr("GIF animation (*.gif)");
    if (canWriteMp4())
        kinds << Words::tr("MP4 video (*.mp4)");
    const QString file =
        QFileDialog::getSaveFileName(window(), Words::tr("Export the animation"), u"morph.svg"_s, kinds.join(u";;"_s));
    if (!file.isEmpty())
        exportTo(file);
}

void MorphPanel::exportTo(const QString &file)
{
    if (!m_view->morph() || m_isWriting)
        return;
    m_isWriting = true;
    m_export->setEnabled(false);
    m_export->setText(Words::tr("Writing…"));
    const auto write = [morph = m_view->morph(), look = m_view->look(), file, panel = QPointer(this)] {
        const base::Result<> written = writeAnimation(*morph, look, file, QFileInfo(file).suffix().toLower());
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
    m_export->setEnabled(m_view->morph() != nullptr);
    m_export->setText(Words::tr("Export animation…"));
    if (written)
        emit exported(file);
    else
        emit failed(sentence(written.error()));
}

void MorphPanel::hideEvent(QHideEvent *event)
{
    stop();
    QWidget::hideEvent(event);
}

} // namespace stagelens::ui
