#include "ui/state/order_edit.h"

#include "ui/words/words.h"

#include <fmt/format.h>

#include <utility>

namespace stagelens::ui {

namespace {

/// The line that begins with a word; -1: none.
qsizetype indexOfLine(const QStringList &lines, const QString &word)
{
    for (qsizetype line = 0; line < lines.size(); ++line)
        if (lines[line].startsWith(word))
            return line;
    return -1;
}

} // namespace

base::Result<model::Experiment> withMove(const model::Experiment &experiment, const schedule::Schedule &order,
                                         const service::PassMove &move)
{
    const auto moved = service::withMovedPass(order, move);
    if (!moved)
        return moved.error();
    return service::withScheduleText(experiment, service::customText(*moved));
}

QString moveRefusal(const schedule::Schedule &order, const service::PassMove &move)
{
    const auto moved = service::withMovedPass(order, move);
    return moved ? QString() : sentence(moved.error());
}

base::Result<model::Experiment> withOrders(const model::Experiment &experiment, const QStringList &orders)
{
    model::Experiment own = service::withOwnOrder(experiment);
    QStringList lines = qtText(own.schedule.text).split(u'\n', Qt::SkipEmptyParts);
    if (lines.isEmpty())
        return base::Error::invalid("schedule.family", "the plan has no order that can be edited; choose another schedule");
    for (const QString &order : orders) {
        const QString device = order.section(u':', 0, 0) + u':';
        const qsizetype line = indexOfLine(lines, device);
        if (line < 0)
            return base::Error::invalid("schedule.text", fmt::format("'{}' begins with no device of the plan", utf8(order)));
        lines[line] = order;
    }
    std::string text = utf8(lines.join(u'\n')) + '\n';
    if (const auto faults = service::faultsOfText(text); !faults.empty())
        return base::Error::invalid("schedule.text",
                                    fmt::format("line {} of the order: {}", faults.front().line, faults.front().message));
    return service::withScheduleText(std::move(own), std::move(text));
}

} // namespace stagelens::ui
