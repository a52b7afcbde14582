#include "ui/learn/slides.h"

#include "engine/base/file.h"
#include "ui/canvas/colours.h"
#include "ui/learn/lesson_picture.h"
#include "ui/state/view_state.h"
#include "ui/timeline/timeline_view.h"
#include "ui/words/words.h"

#include <QAbstractTextDocumentLayout>
#include <QBuffer>
#include <QPainter>
#include <QPdfWriter>
#include <QTextDocument>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr int kResolution = 96; ///< one pixel of the slide is one unit of the page
constexpr int kEdge = 48;
constexpr int kGap = 16;
constexpr int kTitleType = 36;
constexpr int kLeastPicture = 300; ///< height below which the text gets a page of its own

class SlideWriter {
public:
    explicit SlideWriter(QIODevice &device, const QString &title) : m_writer(&device), m_title(title)
    {
        m_writer.setResolution(kResolution);
        m_writer.setTitle(title);
        m_writer.setPageSize(QPageSize(QSizeF(kSlideSize) * 72.0 / kResolution, QPageSize::Point));
        m_writer.setPageMargins({});
        m_painter.begin(&m_writer);
    }
    void add(const TourStep &step)
    {
        m_picture.showPlan(step.plan, step.title);
        QTextDocument text;
        QFont font = m_picture.font();
        font.setPixelSize(kSlideType);
        text.setDefaultFont(font);
        text.setMarkdown(step.text.fill(m_picture.facts()));
        text.setTextWidth(kSlideSize.width() - 2 * kEdge);
        const int height = static_cast<int>(text.size().height());
        const int room = beginPage(step.title);
        const int below = room - height - kGap;
        drawPicture(below >= kLeastPicture ? below : room);
        if (below < kLeastPicture)
            beginPage(step.title);
        drawText(text, below >= kLeastPicture ? m_top + below + kGap : m_top);
    }
    void finish() { m_painter.end(); }

private:
    /// Draws the titles; returns the height left.
    int beginPage(const QString &title)
    {
        if (std::exchange(m_isBegun, true))
            m_writer.newPage();
        QFont font = m_picture.font();
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
    void drawPicture(int height)
    {
        ViewState state;
        TimelineView view(&state);
        QFont font = m_picture.font();
        font.setPixelSize(kSlideType);
        view.setFont(font);
        view.setContent(m_picture.timeline()->content());
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

    QPdfWriter m_writer;
    QPainter m_painter;
    QString m_title;
    LessonPicture m_picture{nullptr};
    int m_top = 0;
    bool m_isBegun = false;
};

} // namespace

base::Result<> writeSlides(const Tour &tour, const QString &file)
{
    // Qt's writers do not say when a disk is full: they draw into memory.
    QBuffer drawn;
    drawn.open(QIODevice::WriteOnly);
    SlideWriter writer(drawn, tour.title);
    for (const TourStep &step : tour.steps)
        writer.add(step);
    writer.finish();
    return base::writeFile(utf8(file), drawn.data().toStdString());
}

} // namespace stagelens::ui
