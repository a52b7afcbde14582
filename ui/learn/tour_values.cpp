#include "ui/learn/tour_values.h"

#include "engine/base/file.h"
#include "ui/words/words.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

base::Result<QVariant> valueOf(const Field &field, const QString &text)
{
    bool isNumber = false;
    switch (field.kind) {
    case Field::Kind::Integer:
    case Field::Kind::Size: {
        const int value = text.toInt(&isNumber);
        if (!isNumber)
            return wrong(fmt::format("'{}' is no whole number", utf8(text)));
        return QVariant(value);
    }
    case Field::Kind::Real: {
        const double value = text.toDouble(&isNumber);
        if (!isNumber || !std::isfinite(value))
            return wrong(fmt::format("'{}' is no number", utf8(text)));
        return QVariant(value);
    }
    case Field::Kind::Choice: {
        QStringList known;
        for (const Choice &choice : field.choices)
            known << choice.value;
        if (!known.contains(text))
            return wrong(fmt::format("'{}' is unknown; use one of {}", utf8(text), utf8(known.join(u", "_s))));
        return QVariant(text);
    }
    case Field::Kind::Text: return QVariant(text);
    case Field::Kind::Flag: return QVariant(text == u"yes"_s);
    case Field::Kind::File: break;
    }
    return wrong("a tour names no files");
}

} // namespace

base::Error wrong(const std::string &message)
{
    return base::Error::invalid("", message);
}

const Field *fieldOfWord(const QString &word)
{
    const auto found =
        std::find_if(fields().begin(), fields().end(), [&](const Field &one) { return one.option == u"--"_s + word; });
    return found == fields().end() ? nullptr : &*found;
}

base::Result<Setting> readSetting(const QString &part)
{
    const QString word = part.section(u' ', 0, 0);
    const Field *field = fieldOfWord(word);
    if (field == nullptr)
        return wrong(fmt::format("'{}' is no option; write those of the command line, without their dashes", utf8(word)));
    auto value = valueOf(*field, part.section(u' ', 1).trimmed());
    if (!value)
        return value.error();
    return Setting{field->id, *value};
}

base::Result<model::UniformCosts> readCosts(const QString &text)
{
    model::UniformCosts costs{{}, model::UniformPer::Device};
    for (const QString &part : text.split(u' ', Qt::SkipEmptyParts)) {
        bool isNumber = false;
        const double value = part.section(u'=', 1).toDouble(&isNumber);
        if (!isNumber || !std::isfinite(value) || value < 0)
            return wrong(fmt::format("'{}' is no duration; write F=1 B=2", utf8(part)));
        costs.milliseconds[utf8(part.section(u'=', 0, 0))] = value;
    }
    return costs;
}

QStringList partsOf(const QString &text)
{
    QStringList parts;
    for (const QString &part : text.split(u',', Qt::SkipEmptyParts))
        parts << part.simplified();
    return parts;
}

base::Result<> readSettings(const QString &value, std::vector<Setting> &settings)
{
    for (const QString &part : partsOf(value)) {
        auto setting = readSetting(part);
        if (!setting)
            return setting.error();
        settings.push_back(*std::move(setting));
    }
    return {};
}

base::Result<> readRun(const QString &value, std::vector<OfferedRun> &runs)
{
    OfferedRun run{value.section(u';', 0, 0).trimmed(), {}};
    if (run.name.isEmpty())
        return wrong("a run has a name and, after ';', what differs in its plan");
    auto read = readSettings(value.section(u';', 1), run.changes);
    runs.push_back(std::move(run));
    return read;
}

base::Result<> readData(const QString &value, model::Experiment &experiment)
{
    if (value != u"documentation"_s)
        return wrong(fmt::format("'{}' is no data of a tour; use documentation", utf8(value)));
    experiment.training.data = (base::resourceFolder() / "docs").string();
    return {};
}

base::Result<CloseUp> readCloseUp(const QString &value)
{
    const QStringList parts = partsOf(value);
    const auto number = [&parts](qsizetype index, const QString &word) -> std::optional<int> {
        bool isNumber = false;
        const QString part = parts.value(index);
        const int found = part.section(u' ', 1).toInt(&isNumber);
        return part.section(u' ', 0, 0) == word && isNumber && found >= 0 ? std::optional(found) : std::nullopt;
    };
    CloseUp closeUp;
    const auto device = number(0, u"device"_s);
    closeUp.microbatch = number(1, u"microbatch"_s);
    if (parts.size() > 2)
        closeUp.kind = schedule::parsePassKind(utf8(parts[2]));
    closeUp.operators = parts.value(3);
    if (!device || (parts.size() > 1 && !closeUp.microbatch) || (parts.size() > 2 && !closeUp.kind) || parts.size() > 4)
        return wrong("a close-up is a device, and then a microbatch, a kind of pass and the begin of an operator's name; write "
                     "'device 3, microbatch 5, F, layer 5 gate', or less of it");
    closeUp.device = *device;
    return closeUp;
}

} // namespace stagelens::ui
