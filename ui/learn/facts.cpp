#include "ui/learn/facts.h"

#include "engine/base/text.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <fmt/format.h>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr double kSmallShare = 0.01; ///< below it a share has two digits
constexpr double kWholeFrom = 1000;  ///< from it on counts have no decimals
constexpr std::string_view kOther = "other_";
constexpr std::string_view kStart = "start_";

struct Name {
    std::string_view name;
    FactForm form;
};
constexpr std::array kNames{
    Name{"devices", FactForm::Count},
    Name{"tensor", FactForm::Count},
    Name{"context", FactForm::Count},
    Name{"replicas", FactForm::Count},
    Name{"experts", FactForm::Count},
    Name{"expert_ranks", FactForm::Count},
    Name{"ranks", FactForm::Count},
    Name{"microbatches", FactForm::Count},
    Name{"stages", FactForm::Count},
    Name{"layers", FactForm::Count},
    Name{"vocabulary", FactForm::Count},
    Name{"barriers", FactForm::Count},
    Name{"iteration", FactForm::Time},
    Name{"makespan", FactForm::Time},
    Name{"bound", FactForm::Time},
    Name{"idle", FactForm::Time},
    Name{"F", FactForm::Time},
    Name{"B", FactForm::Time},
    Name{"I", FactForm::Time},
    Name{"W", FactForm::Time},
    Name{"S", FactForm::Time},
    Name{"T", FactForm::Time},
    Name{"bubble", FactForm::Share},
    Name{"tensor_share", FactForm::Share},
    Name{"context_share", FactForm::Share},
    Name{"expert_share", FactForm::Share},
    Name{"idle_first", FactForm::Share},
    Name{"idle_last", FactForm::Share},
    Name{"vocabulary_first", FactForm::Share},
    Name{"vocabulary_last", FactForm::Share},
    Name{"peak", FactForm::Bytes},
    Name{"peak_first", FactForm::Bytes},
    Name{"peak_last", FactForm::Bytes},
    Name{"held", FactForm::Count},
    Name{"held_first", FactForm::Count},
    Name{"held_last", FactForm::Count},
    Name{"tokens", FactForm::Count},
    Name{"mfu", FactForm::Share},
    Name{"part_time", FactForm::Time},
    Name{"part_share", FactForm::Share},
    Name{"part_flops", FactForm::Flops},
    Name{"part_rate", FactForm::Rate},
};

constexpr char kLastRun = 'f';
/// Figures of runs, whose names end with the letter of the run.
constexpr std::array kRunNames{
    Name{"loss_", FactForm::Count},
    Name{"mean_", FactForm::Count},
    Name{"apart_", FactForm::Share},
};

const Name *find(std::string_view name)
{
    for (const Name &one : kRunNames)
        if (name.size() == one.name.size() + 1 && name.starts_with(one.name) && name.back() >= 'a' && name.back() <= kLastRun)
            return &one;
    for (const std::string_view prefix : {kOther, kStart})
        if (name.substr(0, prefix.size()) == prefix) {
            name.remove_prefix(prefix.size());
            break;
        }
    const auto found = std::find_if(kNames.begin(), kNames.end(), [name](const Name &one) { return one.name == name; });
    return found == kNames.end() ? nullptr : &*found;
}

/// Words of device 0's first pass of a kind.
std::optional<base::Nanos> durationOf(const timeline::Timeline &timeline, schedule::PassKind kind)
{
    const timeline::Lane &lane = timeline.lanes.front();
    for (std::size_t i = 0; i < lane.size(); ++i)
        if (lane.pass[i].kind == kind)
            return lane.end[i] - lane.begin[i];
    return std::nullopt;
}

/// "12 units", "412 ms".
QString timeText(base::Nanos time, bool units)
{
    const QString text = durationText(time, units);
    return !units ? text : text + (text == u"1"_s ? Words::tr(" unit") : Words::tr(" units"));
}

} // namespace

std::optional<FactForm> factForm(std::string_view word)
{
    static constexpr std::array<std::string_view, 7> kWords{"count", "share", "time", "bytes", "factor", "flops", "rate"};
    const auto found = std::find(kWords.begin(), kWords.end(), word);
    return found == kWords.end() ? std::nullopt : std::optional(static_cast<FactForm>(found - kWords.begin()));
}

void Facts::add(const service::Prediction &prediction, const std::string &prefix)
{
    const auto set = [&](std::string_view name, double value) { m_values[fmt::format("{}{}", prefix, name)] = value; };
    const auto ends = [&](const std::string &name, const auto &values, bool greatest) {
        if (values.empty())
            return;
        set(name + "_first", static_cast<double>(values.front()));
        set(name + "_last", static_cast<double>(values.back()));
        if (greatest)
            set(name, static_cast<double>(*std::max_element(values.begin(), values.end())));
    };
    const model::Experiment &plan = prediction.experiment;
    const simulate::Metrics &metrics = prediction.metrics;
    m_units = inTeachingUnits(plan);
    set("devices", plan.parallel.devices);
    set("tensor", plan.parallel.tensor);
    set("context", plan.parallel.context);
    set("replicas", plan.parallel.replicas);
    set("expert_ranks", plan.parallel.expert);
    set("ranks", static_cast<double>(plan.parallel.ranks(plan.parallel.devices)));
    set("microbatches", plan.parallel.microbatches);
    set("stages", prediction.schedule->stages());
    set("barriers", model::traits(plan.schedule.vocabulary).barriers);
    if (plan.hasModel) {
        set("layers", plan.model.layers);
        set("vocabulary", plan.model.vocabularySize);
        set("experts", plan.model.experts);
    }
    set("iteration", static_cast<double>(metrics.iteration));
    set("makespan", static_cast<double>(metrics.makespan));
    if (metrics.lowerBound)
        set("bound", static_cast<double>(*metrics.lowerBound));
    if (metrics.tokensPerSecond)
        set("tokens", *metrics.tokensPerSecond);
    if (metrics.mfu)
        set("mfu", *metrics.mfu);
    set("bubble", metrics.bubbleRatio);
    const auto greatestShare = [&metrics](const std::vector<base::Nanos> &times) {
        double share = 0;
        for (std::size_t device = 0; device < times.size(); ++device)
            share = std::max(share, static_cast<double>(times[device]) /
                                        static_cast<double>(std::max<base::Nanos>(1, metrics.busyPerDevice[device])));
        return share;
    };
    set("tensor_share", greatestShare(metrics.tensorPerDevice));
    set("context_share", greatestShare(metrics.contextPerDevice));
    set("expert_share", greatestShare(metrics.expertPerDevice));
    set("idle", metrics.bubbleRatio * static_cast<double>(metrics.makespan));
    ends("idle", metrics.bubbleRatioPerDevice, false);
    ends("vocabulary", metrics.vocabularySharePerDevice, false);
    ends("peak", metrics.peakMemory, true);
    ends("held", metrics.peakActivationMicrobatches, true);
    using schedule::PassKind;
    for (const PassKind kind : {PassKind::F, PassKind::B, PassKind::I, PassKind::W, PassKind::S, PassKind::T})
        if (const auto duration = durationOf(*prediction.timeline, kind))
            set(schedule::name(kind), static_cast<double>(*duration));
}

void Facts::addLosses(const std::vector<std::vector<double>> &runs)
{
    for (std::size_t i = 0; i < runs.size() && !runs[i].empty(); ++i) {
        const std::vector<double> &losses = runs[i];
        double sum = 0;
        double apart = 0;
        for (std::size_t step = 0; step < losses.size(); ++step) {
            sum += losses[step];
            if (step < runs.front().size())
                apart = std::max(apart, std::abs(losses[step] / runs.front()[step] - 1));
        }
        const auto letter = static_cast<char>('a' + i);
        m_values[fmt::format("loss_{}", letter)] = losses.back();
        m_values[fmt::format("mean_{}", letter)] = sum / static_cast<double>(losses.size());
        m_values[fmt::format("apart_{}", letter)] = apart;
    }
}

void Facts::addPart(base::Nanos time, double flops)
{
    const auto nanos = static_cast<double>(time);
    m_values["part_time"] = nanos;
    m_values["part_flops"] = flops;
    if (time > 0)
        m_values["part_rate"] = flops * base::kNanosPerSecond / nanos;
    if (const auto iteration = value("iteration"); iteration && *iteration > 0)
        m_values["part_share"] = nanos / *iteration;
}

std::optional<double> Facts::value(std::string_view name) const
{
    const auto found = m_values.find(name);
    return found == m_values.end() ? std::nullopt : std::optional(found->second);
}

Lookup Facts::lookup() const
{
    return [this](std::string_view name) { return value(name); };
}

QString Facts::written(double value, FactForm form) const
{
    switch (form) {
    case FactForm::Share: return value < kSmallShare ? fineShareText(value) : shareText(value);
    case FactForm::Time: return timeText(std::llround(value), m_units);
    case FactForm::Bytes: return bytesText(std::llround(value));
    case FactForm::Factor: return factorText(value);
    case FactForm::Flops: return flopsText(value);
    case FactForm::Rate: return flopsText(value) + u"/s"_s;
    case FactForm::Count: break;
    }
    const bool isWhole = std::abs(value - std::round(value)) < 1e-9 || std::abs(value) >= kWholeFrom;
    return isWhole ? countText(std::round(value)) : QString::number(value, 'g', 3);
}

FactForm Facts::formOf(std::string_view name)
{
    const Name *found = find(name);
    return found != nullptr ? found->form : FactForm::Count;
}

bool Facts::isName(std::string_view name)
{
    return find(name) != nullptr;
}

base::Result<FilledText> FilledText::parse(const QString &text)
{
    FilledText made;
    qsizetype from = 0;
    for (qsizetype open = text.indexOf(u'{'); open >= 0; open = text.indexOf(u'{', from)) {
        const qsizetype close = text.indexOf(u'}', open);
        if (close < 0)
            return base::Error::invalid("", "a '{' is never closed; write {name} or {expression|form}");
        const std::string place = utf8(text.mid(open + 1, close - open - 1));
        const std::size_t bar = place.find('|');
        auto expression = Expression::parse(std::string_view(place).substr(0, bar));
        if (!expression)
            return expression.error();
        const std::vector<std::string> names = expression->names();
        for (const std::string &name : names)
            if (!Facts::isName(name))
                return base::Error::invalid("", fmt::format("'{}' is no figure of a plan", name));
        const bool lone = names.size() == 1 && base::trim(std::string_view(place).substr(0, bar)) == names.front();
        std::optional<FactForm> form = lone ? Facts::formOf(names.front()) : FactForm::Count;
        if (bar != std::string::npos)
            form = factForm(base::trim(std::string_view(place).substr(bar + 1)));
        if (!form)
            return base::Error::invalid("", fmt::format("'{}' is no form; use count, share, time, bytes, factor, flops or rate",
                                                        place.substr(bar + 1)));
        made.m_places.push_back({text.mid(from, open - from), *std::move(expression), *form});
        from = close + 1;
    }
    made.m_rest = text.mid(from);
    return made;
}

QString FilledText::fill(const Facts &facts) const
{
    QString text;
    for (const Place &place : m_places) {
        const std::optional<double> value = place.expression.value(facts.lookup());
        text += place.before + (value ? facts.written(*value, place.form) : u"–"_s);
    }
    return text + m_rest;
}

} // namespace stagelens::ui
