#include "ui/learn/slides.h"

#include "engine/base/file.h"
#include "ui/canvas/colours.h"
#include "ui/controls/theme.h"
#include "ui/learn/live_simulation.h"
#include "ui/state/view_state.h"
#include "ui/timeline/timeline_view.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QAbstractTextDocumentLayout>
#include <QApplication>
#include <QBuffer>
#include <QFileDialog>
#include <QPainter>
#include <QPdfWriter>
#include <QTextDocument>

#include <utility>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kResolution = 96; ///< one pixel of the slide is one unit of the page
constexpr int kEdge = 48;
constexpr int kGap = 16;
constexpr int kTitleType = 36;
constexpr int kLeastPicture = 300; ///< height below which the text gets a page of its own

/// A longer export says how far it is.
constexpr int kNoticeableMilliseconds = 500;

} // namespace

/// Draws into memory: Qt's writers do not say when a disk is full.
class SlideWriter {
public:
    explicit SlideWriter(const QString &title) : m_writer(&m_drawn), m_title(title), m_font(QApplication::font())
    {
        m_drawn.open(QIODevice::WriteOnly);
        m_writer.setResolution(kResolution);
        m_writer.setTitle(title);
        m_writer.setPageSize(QPageSize(QSizeF(kSlideSize) * 72.0 / kResolution, QPageSize::Point));
        m_writer.setPageMargins({});
        m_painter.begin(&m_writer);
    }
    void add(const TourStep &step, const LiveSimulation &simulated)
    {
        QTextDocument text;
        QFont font = m_font;
        font.setPixelSize(kSlideType);
        text.setDefaultFont(font);
        Facts facts = factsOf(simulated, *simulated.plan);
        TimelineContent content = contentOf(step.plan, simulated);
        std::optional<std::pair<base::Nanos, base::Nanos>> range = step.plan.range;
        if (const auto part = partOf(content, step.plan)) {
            facts.addPart(part->time, part->flops);
            range = step.plan.closeUp->microbatch ? std::optional(rangeOf(*part)) : range;
        }
        text.setMarkdown(step.text.fill(facts));
        text.setTextWidth(kSlideSize.width() - 2 * kEdge);
        const int height = static_cast<int>(text.size().height());
        const int room = beginPage(step.title);
        const int below = room - height - kGap;
        drawPicture(std::move(content), range, below >= kLeastPicture ? below : room);
        if (below < kLeastPicture)
            beginPage(step.title);
        drawText(text, below >= kLeastPicture ? m_top + below + kGap : m_top);
    }
    /// Ends the document, and returns it.
    [[nodiscard]] std::string finish()
    {
        m_painter.end();
        return m_drawn.data().toStdString();
    }

private:
    /// Draws the titles; returns the height left.
    int beginPage(const QString &title)
    {
        if (std::exchange(m_isBegun, true))
            m_writer.newPage();
        QFont font = m_font;
        font.setPixelSize(kSlideType);
        m_painter.setFont(font);
        m_painter.setPen(colours(false).muted);
        m_painter.drawText(kEdge, kEdge, m_title);
        font.setPixelSize(kTitleType);
        font.setWeight(QFont::DemiBold);
        m_painter.setFont(font);
        m_painter.setPen(colours(false).ink);
        m_painter.drawText(kEdge, kEdge + kTitleType + kGap / 2, title);
        m_top = kEdge + kTitleType + 2 * kGap;
        return kSlideSize.height() - m_top - kEdge;
    }
    void drawPicture(TimelineContent content, const std::optional<std::pair<base::Nanos, base::Nanos>> &range, int height)
    {
        ViewState state;
        TimelineView view(&state);
        QFont font = m_font;
        font.setPixelSize(kSlideType);
        view.setFont(font);
        view.setPalette(paletteOf(false)); // the page is white
        view.setContent(std::move(content));
        if (range)
            state.setRange(range->first, range->second);
        m_painter.save();
        m_painter.translate(kEdge, m_top);
        view.render(&m_painter, QSize(kSlideSize.width() - 2 * kEdge, height));
        m_painter.restore();
    }
    void drawText(QTextDocument &text, int top)
    {
        m_painter.save();
        m_painter.translate(kEdge, top);
        QAbstractTextDocumentLayout::PaintContext context;
        context.palette.setColor(QPalette::Text, colours(false).ink);
        text.documentLayout()->draw(&m_painter, context);
        m_painter.restore();
    }

    QBuffer m_drawn;
    QPdfWriter m_writer;
    QPainter m_painter;
    QString m_title;
    QFont m_font;
    int m_top = 0;
    bool m_isBegun = false;
};

SlideExport::SlideExport(EngineBridge *bridge, QObject *parent) : QObject(parent), m_job(bridge) {}

SlideExport::~SlideExport() = default;

void SlideExport::start(const Tour &tour, const QString &file)
{
    m_tour = tour;
    m_file = file;
    m_done = 0;
    m_writer = std::make_unique<SlideWriter>(tour.title);
    next();
}

void SlideExport::cancel()
{
    m_job.cancel();
    m_writer.reset();
}

void SlideExport::next()
{
    if (m_done == m_tour.steps.size())
        return finish();
    const auto predict = [plan = m_tour.steps[m_done].plan](const std::stop_token &stop) {
        return simulated(plan, plan.experiment, stop);
    };
    m_job.start(predict, [this](const base::Result<LiveSimulation> &answer) {
        const TourStep &step = m_tour.steps[m_done];
        if (!answer) {
            m_writer.reset();
            emit failed(Words::tr("The slides were not written. %1: %2").arg(step.title, sentence(answer.error())));
            return;
        }
        m_writer->add(step, *answer);
        ++m_done;
        emit progressed(static_cast<int>(m_done), static_cast<int>(m_tour.steps.size()));
        next();
    });
}

void SlideExport::finish()
{
    const std::unique_ptr<SlideWriter> writer = std::move(m_writer);
    if (const auto done = base::writeFile(utf8(m_file), writer->finish()); !done)
        emit failed(sentence(done.error()));
    else
        emit written(m_file);
}

SlidesButton::SlidesButton(const QString &caption, EngineBridge *bridge, QWidget *parent)
    : QPushButton(caption, parent), m_caption(caption), m_export(bridge)
{
    setAutoDefault(false);
    m_clock.setSingleShot(true);
    m_clock.setInterval(kNoticeableMilliseconds);
    connect(this, &QPushButton::clicked, this, &SlidesButton::press);
    connect(&m_clock, &QTimer::timeout, this, [this] { showState(true); });
    connect(&m_export, &SlideExport::progressed, this, [this](int done, int all) {
        m_done = done;
        m_all = all;
        if (!m_clock.isActive())
            showState(true);
    });
    connect(&m_export, &SlideExport::written, this, [this](const QString &file) {
        showState(false);
        emit written(file);
    });
    connect(&m_export, &SlideExport::failed, this, [this](const QString &why) {
        showState(false);
        emit failed(why);
    });
}

void SlidesButton::setSource(std::function<Tour()> tour, std::function<QString()> name)
{
    m_source = std::move(tour);
    m_name = std::move(name);
}

void SlidesButton::press()
{
    if (m_export.isRunning()) {
        if (m_clock.isActive())
            return; // of a double click
        m_export.cancel();
        showState(false);
        return;
    }
    const QString file = QFileDialog::getSaveFileName(window(), Words::tr("Export slides"), m_name(), u"PDF (*.pdf)"_s);
    if (file.isEmpty())
        return;
    const Tour tour = m_source();
    m_done = 0;
    m_all = static_cast<int>(tour.steps.size());
    m_clock.start();
    m_export.start(tour, file);
}

void SlidesButton::showState(bool isLong)
{
    m_clock.stop();
    setText(isLong ? Words::tr("Cancel (%1 of %2)").arg(m_done).arg(m_all) : m_caption);
}

} // namespace stagelens::ui
