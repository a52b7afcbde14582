// A lecture as slides: every step of a tour or scene is a page with its title, its picture and its text.
#pragma once

#include "ui/learn/tour.h"
#include "ui/state/latest_job.h"

#include <QPushButton>
#include <QSize>

#include <functional>
#include <memory>

namespace stagelens::ui {

inline constexpr QSize kSlideSize{1280, 720};
/// Of the smallest type on a slide.
inline constexpr int kSlideType = 24;

class SlideWriter;

/// Writes a PDF, one page after another: a job predicts the plan, as the tour gives it, then the page is drawn. A step whose
/// text leaves too little room for its picture has a second page for the text.
class SlideExport : public QObject {
    Q_OBJECT
public:
    explicit SlideExport(EngineBridge *bridge, QObject *parent = nullptr);
    ~SlideExport() override;
    void start(const Tour &tour, const QString &file);
    /// Ends without a file.
    void cancel();
    [[nodiscard]] bool isRunning() const { return m_writer != nullptr; }

signals:
    /// So many pages of all are drawn.
    void progressed(int done, int all);
    void written(const QString &file);
    void failed(const QString &sentence);

private:
    void next();
    void finish();

    LatestJob m_job;
    Tour m_tour;
    QString m_file;
    std::size_t m_done = 0;                ///< steps
    std::unique_ptr<SlideWriter> m_writer; ///< null: nothing is being written
};

/// Asks for a file and exports a tour; while that takes noticeably long it says how far it is, and cancels.
class SlidesButton : public QPushButton {
    Q_OBJECT
public:
    SlidesButton(const QString &caption, EngineBridge *bridge, QWidget *parent);
    /// What is exported, and the name that is proposed for its file.
    void setSource(std::function<Tour()> tour, std::function<QString()> name);

signals:
    void written(const QString &file);
    void failed(const QString &sentence);

private:
    void press();
    void showState(bool isLong);

    QString m_caption;
    SlideExport m_export;
    std::function<Tour()> m_source;
    std::function<QString()> m_name;
    QTimer m_clock;
    int m_done = 0;
    int m_all = 0;
};

} // namespace stagelens::ui
