#include "ui/panels/runs/run_plot_dialog.h"

#include "ui/controls/dialog_buttons.h"
#include "ui/controls/dialog_size.h"
#include "ui/plots/coordinates_plot.h"
#include "ui/words/comparison.h"
#include "ui/words/plain_text.h"
#include "ui/words/shape_words.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QApplication>
#include <QClipboard>
#include <QHBoxLayout>
#include <QLabel>
#include <QPushButton>
#include <QVBoxLayout>

#include <algorithm>
#include <cmath>
#include <set>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr QSize kSize{1100, 560};

/// The methods of runs in the order of pickers.
QStringList methodsOf(const std::vector<store::RunSummary> &runs)
{
    std::set<model::VocabularyMethod> methods;
    for (const store::RunSummary &run : runs)
        methods.insert(run.vocabulary);
    QStringList names;
    for (const model::VocabularyMethod method : methods)
        names << shortName(method);
    return names;
}

/// Fills a content axis by axis.
class Axes {
public:
    explicit Axes(const std::vector<store::RunSummary> &runs) : m_runs(runs)
    {
        m_content.series = methodsOf(runs);
        for (const store::RunSummary &run : runs) {
            CoordinateLine line;
            line.id = run.id;
            line.series = static_cast<std::size_t>(m_content.series.indexOf(shortName(run.vocabulary)));
            line.words = Words::tr("Run %1: %2").arg(run.id).arg(runName(run));
            m_content.lines.push_back(line);
        }
    }
    /// `all` in the order from foot to top; empty: by name.
    void names(const QString &name, const std::function<QString(const store::RunSummary &)> &of, QStringList all = {})
    {
        if (all.isEmpty()) {
            for (const store::RunSummary &run : m_runs)
                all << of(run);
            all.removeDuplicates();
            all.sort();
        }
        add({name, all, {}, 1}, [&](const store::RunSummary &run) -> std::optional<double> { return all.indexOf(of(run)); });
    }
    template <class Figure>
    void figures(const QString &name, std::optional<Figure> store::RunSummary::*of, std::function<QString(double)> text,
                 double unit = 1)
    {
        add({name, {}, std::move(text), unit}, [&](const store::RunSummary &run) -> std::optional<double> {
            const double figure = run.*of ? static_cast<double>(*(run.*of)) : std::nan("");
            return std::isfinite(figure) ? std::optional(figure) : std::nullopt; // the loss of a run that diverged is not
        });
    }
    void numbers(const QString &name, int store::RunSummary::*of)
    {
        add({name, {}, [](double value) { return countText(std::round(value)); }, 1},
            [&](const store::RunSummary &run) -> std::optional<double> {
                return run.*of > 0 ? std::optional<double>(run.*of) : std::nullopt;
            });
    }
    [[nodiscard]] CoordinateContent take() { return std::move(m_content); }

private:
    template <class Value>
    void add(CoordinateAxis axis, const Value &value)
    {
        std::vector<std::optional<double>> values;
        for (const store::RunSummary &run : m_runs)
            values.push_back(value(run));
        if (values.empty() || std::ranges::count(values, values.front()) == std::ssize(values))
            return;
        for (std::size_t i = 0; i < values.size(); ++i) {
            CoordinateLine &line = m_content.lines[i];
            line.values.push_back(values[i]);
            if (!values[i])
                continue;
            const QString text = axis.names.isEmpty() ? axis.text(*values[i]) : axis.names[static_cast<qsizetype>(*values[i])];
            line.words += u"\n%1: %2"_s.arg(axis.name, text);
        }
        m_content.axes.push_back(std::move(axis));
    }

    const std::vector<store::RunSummary> &m_runs;
    CoordinateContent m_content;
};

} // namespace

CoordinateContent coordinatesOf(const std::vector<store::RunSummary> &runs)
{
    using Run = store::RunSummary;
    Axes axes(runs);
    axes.names(Words::tr("Schedule"), [](const Run &run) { return familyCaption(run.family); });
    axes.names(
        Words::tr("Vocabulary layers"), [](const Run &run) { return shortName(run.vocabulary); }, methodsOf(runs));
    axes.names(Words::tr("Kind"), [](const Run &run) { return caption(run.kind); });
    axes.numbers(Words::tr("Devices"), &Run::devices);
    axes.numbers(Words::tr("Microbatches"), &Run::microbatches);
    axes.numbers(Words::tr("Vocabulary size"), &Run::vocabularySize);
    axes.figures(Words::tr("Iteration"), &Run::iteration, [](double time) { return durationText(std::llround(time)); });
    axes.figures(Words::tr("Tokens/s"), &Run::tokensPerSecond, rateText);
    axes.figures(Words::tr("Bubble"), &Run::bubbleRatio, shareText);
    axes.figures(
        Words::tr("Peak memory"), &Run::peakMemory, [](double bytes) { return bytesText(std::llround(bytes)); }, 1 << 20);
    axes.figures(Words::tr("Loss"), &Run::lastLoss, [](double loss) { return QString::number(loss, 'f', 3); });
    CoordinateContent content = axes.take();
    content.empty = runs.size() < 2 ? Words::tr("Two runs and more are drawn here.")
                                    : Words::tr("These runs differ in nothing that is drawn here.");
    return content;
}

RunPlotDialog::RunPlotDialog(QWidget *parent)
    : QDialog(parent), m_heading(plainLabel(this)), m_plot(new CoordinatesPlot(Words::tr("Runs by their figures"), this))
{
    setObjectName(u"run-plot"_s);
    setWindowTitle(Words::tr("Runs by their figures"));
    m_heading->setObjectName(u"run-plot.heading"_s);
    m_heading->setWordWrap(true);
    m_plot->setObjectName(u"run-plot.plot"_s);
    m_plot->setMinimumSize(480, 240);
    auto *layout = new QVBoxLayout(this);
    layout->addWidget(m_heading);
    layout->addWidget(m_plot, 1);
    layout->addWidget(makeButtons());
    resizeWithinScreen(*this, kSize);
    connect(m_plot, &CoordinatesPlot::keptChanged, this, &RunPlotDialog::refresh);
    connect(m_plot, &CoordinatesPlot::selectionChanged, this, &RunPlotDialog::refresh);
    connect(m_plot, &CoordinatesPlot::opened, this, &RunPlotDialog::showAsked);
    refresh();
}

QWidget *RunPlotDialog::makeButtons()
{
    auto *buttons = dialogButtons(QDialogButtonBox::Close, this);
    const auto add = [buttons](const QString &name, const QString &caption) {
        QPushButton *button = buttons->addButton(caption, QDialogButtonBox::ActionRole);
        button->setObjectName(u"run-plot."_s + name);
        button->setAutoDefault(false);
        return button;
    };
    m_show = add(u"show"_s, Words::tr("Show with its plan"));
    m_compare = add(u"compare"_s, Words::tr("Compare"));
    m_clear = add(u"clear"_s, Words::tr("Clear the ranges"));
    QPushButton *copy = add(u"copy"_s, Words::tr("Copy picture"));
    buttons->button(QDialogButtonBox::Close)->setAutoDefault(false);
    connect(m_show, &QPushButton::clicked, this, [this] {
        if (const auto run = m_plot->selected())
            emit showAsked(*run);
    });
    connect(m_compare, &QPushButton::clicked, this, [this] {
        std::vector<qint64> runs = m_plot->kept();
        std::ranges::sort(runs);
        emit compareAsked(runs);
    });
    connect(m_clear, &QPushButton::clicked, m_plot, &CoordinatesPlot::clearRanges);
    connect(copy, &QPushButton::clicked, this, [this] { QApplication::clipboard()->setPixmap(m_plot->grab()); });
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    return buttons;
}

void RunPlotDialog::setRuns(const std::vector<store::RunSummary> &runs, std::size_t found)
{
    m_found = static_cast<int>(found);
    m_drawn = static_cast<int>(runs.size());
    m_plot->setContent(coordinatesOf(runs));
    refresh();
}

void RunPlotDialog::refresh()
{
    const std::size_t passing = m_plot->kept().size();
    const int kept = static_cast<int>(passing);
    QString words = m_found > m_drawn
                        ? Words::tr("The first %1 of %2 runs of the table.").arg(countText(m_drawn), countText(m_found))
                        : Words::tr("%1 runs.").arg(countText(m_drawn));
    words += u' ' + (m_plot->hasRanges() ? Words::tr("In all ranges: %1.").arg(countText(kept))
                                         : Words::tr("Drag along an axis to keep the runs in that range."));
    m_heading->setText(words);
    m_show->setEnabled(m_plot->selected().has_value());
    m_compare->setEnabled(passing >= kFewestCompared && passing <= kMostCompared);
    m_compare->setText(m_compare->isEnabled() ? Words::tr("Compare the %1 runs").arg(kept) : Words::tr("Compare"));
    m_compare->setToolTip(plainTip(m_compare->isEnabled() ? Words::tr("Their timelines on one axis, and what differs")
                                                          : Words::tr("Choose ranges that two to six runs pass")));
    m_clear->setEnabled(m_plot->hasRanges());
}

} // namespace stagelens::ui
