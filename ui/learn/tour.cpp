#include "ui/learn/tour.h"

#include "engine/base/file.h"
#include "engine/model/experiment_json.h"
#include "engine/model/family_shape.h"
#include "engine/model/schema.h"
#include "ui/learn/tour_checks.h"
#include "ui/learn/tour_values.h"
#include "ui/state/experiment_document.h"
#include "ui/state/order_edit.h"
#include "ui/state/quick_prediction.h"
#include "ui/words/words.h"

#include <QRegularExpression>

#include <algorithm>
#include <fmt/format.h>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr base::Bytes kLongestFile = 256 << 10;
constexpr std::size_t kMostSteps = 40;

/// Reads line by line, and knows where it is.
class TourReader {
public:
    TourReader(const QString &text, QString name) : m_lines(text.split(u'\n')), m_name(std::move(name)) {}
    base::Result<Tour> run();

private:
    using Done = base::Result<>;
    Done readHead();
    Done readStep();
    Done readKey(const QString &key, const QString &value, TourStep &step);
    Done readPlan(const QString &value, model::Experiment &experiment);
    Done readExample(const QString &name, model::Experiment &experiment);
    Done readControls(const QString &value, TourStep &step);
    Done readLook(const QString &key, const QString &value, LivePlan &plan);
    Done readSolution(const QString &value, TourStep &step);
    Done readClaim(const QString &value, std::vector<CheckedClaim> &claims);
    Done readText(TourStep &step);
    [[nodiscard]] Done checkPlans(const TourStep &step) const;
    /// The same error with the place where it is.
    [[nodiscard]] base::Error here(base::Error error, qsizetype line) const
    {
        for (base::Problem &problem : error.problems)
            problem.field = fmt::format("{}, line {}", utf8(m_name), line + 1);
        return error;
    }
    [[nodiscard]] bool isStep(qsizetype line) const { return m_lines[line].startsWith(u"## "_s); }

    QStringList m_lines;
    QString m_name;
    qsizetype m_line = 0;
    model::Experiment m_plan; ///< of the step before
    QStringList m_orders;     ///< of devices in the plan of this step
    Tour m_tour;
};

base::Result<Tour> TourReader::run()
{
    m_plan.hasModel = false;
    m_plan.parallel.microbatches = 8;
    m_plan.cost.source = model::UniformCosts{{{"F", 1}, {"B", 2}}, model::UniformPer::Device};
    if (auto head = readHead(); !head)
        return here(head.error(), m_line);
    while (m_line < m_lines.size()) {
        const qsizetype begin = m_line;
        if (m_tour.steps.size() == kMostSteps)
            return here(wrong(fmt::format("a tour has at most {} steps", kMostSteps)), begin);
        if (auto step = readStep(); !step)
            return here(step.error(), m_line);
        if (auto sound = checkPlans(m_tour.steps.back()); !sound)
            return here(sound.error(), begin);
    }
    return std::move(m_tour);
}

TourReader::Done TourReader::readHead()
{
    if (!m_lines.front().startsWith(u"# "_s))
        return wrong("a tour begins with '# ' and its title");
    m_tour.title = m_lines.front().mid(2).trimmed();
    for (m_line = 1; m_line < m_lines.size() && !isStep(m_line); ++m_line)
        m_tour.summary += (m_tour.summary.isEmpty() ? QString() : u" "_s) + m_lines[m_line].trimmed();
    m_tour.summary = m_tour.summary.trimmed();
    if (m_line == m_lines.size()) {
        m_line = 0;
        return wrong("the tour has no step; begin one with '## ' and its title");
    }
    return {};
}

TourReader::Done TourReader::readStep()
{
    TourStep step;
    step.title = m_lines[m_line].mid(3).trimmed();
    step.line = static_cast<int>(m_line) + 1;
    step.plan.experiment = m_plan;
    m_orders.clear();
    for (++m_line; m_line < m_lines.size() && !m_lines[m_line].trimmed().isEmpty(); ++m_line) {
        const qsizetype colon = m_lines[m_line].indexOf(u':');
        if (colon < 0)
            return wrong("between a step's title and its text stand lines such as 'plan: devices 4'; leave a line empty before "
                         "the text");
        if (auto read = readKey(m_lines[m_line].left(colon).trimmed(), m_lines[m_line].mid(colon + 1).trimmed(), step); !read)
            return read;
    }
    if (!m_orders.isEmpty()) {
        auto ordered = withOrders(step.plan.experiment, m_orders);
        if (!ordered)
            return ordered.error();
        step.plan.experiment = *std::move(ordered);
    }
    m_plan = step.plan.experiment;
    if (auto sound = checkStep(step); !sound)
        return sound;
    if (auto read = readText(step); !read)
        return read;
    m_tour.steps.push_back(std::move(step));
    return {};
}

TourReader::Done TourReader::readKey(const QString &key, const QString &value, TourStep &step)
{
    if (key == u"example"_s)
        return readExample(value, step.plan.experiment);
    if (key == u"plan"_s)
        return readPlan(value, step.plan.experiment);
    if (key == u"beside"_s)
        return readSettings(value, step.plan.beside);
    if (key == u"data"_s)
        return readData(value, step.plan.experiment);
    if (key == u"run"_s)
        return readRun(value, step.plan.runs);
    if (key == u"outcome"_s)
        return readClaim(value, step.outcomes);
    if (key == u"change"_s)
        return readControls(value, step);
    if (key == u"check"_s)
        return readClaim(value, step.claims);
    if (key == u"goal"_s)
        return readClaim(value, step.goals);
    if (key == u"solution"_s)
        return readSolution(value, step);
    if (key == u"order"_s) {
        m_orders << value.simplified();
        return {};
    }
    if (key == u"reorder"_s) {
        step.plan.reorder = value == u"yes"_s;
        return {};
    }
    if (key == u"hint"_s) {
        step.hint = value;
        return {};
    }
    return readLook(key, value, step.plan);
}

TourReader::Done TourReader::readExample(const QString &name, model::Experiment &experiment)
{
    // A name, no path: a tour reads nothing but our examples.
    if (name.isEmpty() || name.contains(u'/') || name.contains(u'\\') || name.startsWith(u'.'))
        return wrong(fmt::format("'{}' is no name of an example", utf8(name)));
    auto loaded = model::loadExperiment(base::resourceFolder() / "examples" / utf8(name + u".stagelens.json"_s));
    if (!loaded)
        return loaded.error();
    experiment = loosened(*std::move(loaded)); // its cut of the layers follows a reader's changes
    return {};
}

TourReader::Done TourReader::readPlan(const QString &value, model::Experiment &experiment)
{
    for (const QString &part : partsOf(value)) {
        if (part.startsWith(u"costs "_s)) {
            auto costs = readCosts(part.mid(6));
            if (!costs)
                return costs.error();
            experiment.hasModel = false;
            model::followStages(experiment);
            experiment.cost.source = *std::move(costs);
            continue;
        }
        const auto setting = readSetting(part);
        if (!setting)
            return setting.error();
        apply(*setting, experiment);
    }
    return {};
}

TourReader::Done TourReader::readSolution(const QString &value, TourStep &step)
{
    static const QRegularExpression kDevice(u"^[0-9]+:"_s);
    if (!kDevice.match(value).hasMatch())
        return readSettings(value, step.solution);
    step.solvedOrder << value.simplified();
    return {};
}

TourReader::Done TourReader::readControls(const QString &value, TourStep &step)
{
    for (const QString &word : partsOf(value)) {
        const Field *field = fieldOfWord(word);
        if (field == nullptr || field->kind == Field::Kind::File)
            return wrong(fmt::format("'{}' is no option that a reader can change", utf8(word)));
        step.plan.controls << field->id;
    }
    return {};
}

TourReader::Done TourReader::readLook(const QString &key, const QString &value, LivePlan &plan)
{
    if (key == u"colour"_s) {
        const qsizetype found = QStringList{u"kind"_s, u"microbatch"_s, u"chunk"_s}.indexOf(value);
        if (found < 0)
            return wrong(fmt::format("'{}' is no colouring; use kind, microbatch or chunk", utf8(value)));
        plan.colourBy = static_cast<ColourBy>(found);
        return {};
    }
    if (key == u"follow"_s) {
        bool isNumber = false;
        plan.followed = value.toInt(&isNumber);
        return isNumber && *plan.followed >= 0 ? Done() : Done(wrong("'follow' takes the number of a microbatch"));
    }
    if (key == u"close-up"_s) {
        auto closeUp = readCloseUp(value);
        if (!closeUp)
            return closeUp.error();
        plan.closeUp = *std::move(closeUp);
        return {};
    }
    if (key == u"critical"_s) {
        plan.critical = value == u"yes"_s;
        return {};
    }
    if (key == u"morph"_s) {
        plan.morph = value == u"yes"_s;
        return {};
    }
    return wrong(fmt::format("'{}' is unknown here; use example, plan, beside, change, data, run, outcome, colour, follow, "
                             "critical, close-up, morph, check, "
                             "goal, hint, solution, reorder or order",
                             utf8(key)));
}

TourReader::Done TourReader::readClaim(const QString &value, std::vector<CheckedClaim> &claims)
{
    const qsizetype semicolon = value.indexOf(u';');
    auto claim = Claim::parse(utf8(semicolon < 0 ? value : value.left(semicolon)));
    if (!claim)
        return claim.error();
    for (const std::string &name : claim->names())
        if (!Facts::isName(name))
            return wrong(fmt::format("'{}' is no figure of a plan", name));
    const QString words = semicolon < 0 ? QString() : value.mid(semicolon + 1).trimmed();
    if (words.isEmpty())
        return wrong("after the comparison stand ';' and what it means in words");
    claims.push_back({*std::move(claim), words, static_cast<int>(m_line) + 1});
    return {};
}

TourReader::Done TourReader::readText(TourStep &step)
{
    QStringList text;
    for (; m_line < m_lines.size() && !isStep(m_line); ++m_line) {
        if (auto line = FilledText::parse(m_lines[m_line]); !line)
            return line.error();
        text << m_lines[m_line];
    }
    if (text.join(QString()).trimmed().isEmpty()) {
        m_line = step.line - 1;
        return wrong("the step has no text");
    }
    step.text = FilledText::parse(text.join(u'\n').trimmed()).value();
    return {};
}

TourReader::Done TourReader::checkPlans(const TourStep &step) const
{
    base::Problems problems = livePlanProblems(step.plan.experiment);
    if (step.plan.morph && step.plan.beside.empty())
        return wrong("'morph' needs a plan beside; name what differs in it with 'beside'");
    if (problems.empty() && !step.plan.beside.empty())
        problems = livePlanProblems(besideOf(step.plan.experiment, step.plan.beside));
    for (const OfferedRun &run : step.plan.runs)
        if (problems.empty())
            problems = livePlanProblems(besideOf(step.plan.experiment, run.changes));
    if (problems.empty() && !step.goals.empty()) {
        const auto end = solved(step);
        problems = end ? livePlanProblems(*end) : end.error().problems;
    }
    if (problems.empty())
        return {};
    return wrong(fmt::format("the plan of this step cannot be drawn: {}", problems.front().message));
}

} // namespace

base::Result<model::Experiment> solved(const TourStep &step)
{
    if (!step.solvedOrder.isEmpty())
        return withOrders(step.plan.experiment, step.solvedOrder);
    return besideOf(step.plan.experiment, step.solution);
}

base::Result<Tour> parseTour(const QString &text, const QString &name)
{
    return TourReader(text, name).run();
}

base::Result<Tour> readTour(const std::filesystem::path &file)
{
    const auto text = base::readFile(file, kLongestFile);
    if (!text)
        return text.error();
    return parseTour(QString::fromUtf8(text->data(), static_cast<qsizetype>(text->size())), qtText(file.filename().string()));
}

} // namespace stagelens::ui
