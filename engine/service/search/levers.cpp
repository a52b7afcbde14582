#include "engine/service/search/levers.h"

#include "engine/operators/stage_layers.h"
#include "engine/service/search/lever_changes.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <set>
#include <utility>

namespace stagelens::service {
namespace {

using base::Bytes;
using base::Nanos;
using model::Experiment;

/// Returns the plan with the cut of its layers left open where it is the automatic one, so that it follows a change.
Experiment loosened(const Experiment &resolved)
{
    Experiment open = resolved;
    open.parallel.stageLayers.clear();
    if (operators::stageLayers(open) != resolved.parallel.stageLayers)
        open.parallel.stageLayers = resolved.parallel.stageLayers;
    return open;
}

class Board {
public:
    Board(const Prediction &prediction, int cores, const SearchOptions &options)
        : m_open(loosened(prediction.experiment)), m_cores(cores), m_options(options)
    {
        m_board.iteration = prediction.metrics.iteration;
        m_board.peakMemory = std::ranges::max(prediction.metrics.peakMemory);
        m_board.limit = memoryLimitOf(prediction);
        m_open.schedule.memoryLimit.reset(); // what does not fit is shown, not refused
    }

    [[nodiscard]] LeverBoard make(std::vector<LeverChange> changes)
    {
        m_changes = std::move(changes);
        m_total = m_changes.size();
        for (std::size_t i = 0; i < m_changes.size() && !isStopped(); ++i)
            m_board.levers.push_back(predicted({i}));
        combine();
        markFront();
        m_board.cancelled = isStopped();
        for (auto *levers : {&m_board.levers, &m_board.combinations})
            for (Lever &lever : *levers)
                lever.experiment.schedule.memoryLimit = m_limitOfPlan;
        return std::move(m_board);
    }
    void keepLimit(std::optional<Bytes> limit) { m_limitOfPlan = limit; }

private:
    [[nodiscard]] bool isStopped() const { return m_options.stop.stop_requested(); }

    [[nodiscard]] Lever predicted(const std::vector<std::size_t> &parts)
    {
        Lever lever{m_changes[parts.front()].kind, {}, Numbers::SameBits, m_open};
        for (const std::size_t part : parts) {
            const LeverChange &change = m_changes[part];
            change.apply(lever.experiment);
            lever.options += fmt::format("{}{}", lever.options.empty() ? "" : " ", change.options);
            lever.numbers = std::max(lever.numbers, change.numbers);
        }
        if (parts.size() > 1)
            lever.parts = parts;
        const auto prediction = predict(lever.experiment, m_cores, {m_options.stop, {}});
        if (prediction && !(*prediction)->metrics.peakMemory.empty()) {
            lever.iteration = (*prediction)->metrics.iteration;
            lever.peakMemory = std::ranges::max((*prediction)->metrics.peakMemory);
        } else if (!prediction) {
            lever.refusal = prediction.error().problems;
        }
        ++m_done;
        if (m_options.progress)
            m_options.progress({m_done, std::max(m_total, m_done), std::nullopt});
        return lever;
    }

    struct Figures {
        Nanos iteration;
        Bytes peakMemory;
        Numbers numbers;
        friend bool operator==(const Figures &, const Figures &) = default;
    };
    static std::optional<Figures> figures(const Lever &lever)
    {
        if (!lever.iteration || !lever.peakMemory)
            return std::nullopt;
        return Figures{*lever.iteration, *lever.peakMemory, lever.numbers};
    }
    /// Returns whether `one` is no worse than another in all three, and better in one of them.
    static bool beats(const Figures &one, const Figures &other)
    {
        return one.iteration <= other.iteration && one.peakMemory <= other.peakMemory && one.numbers <= other.numbers &&
               !(one == other);
    }
    [[nodiscard]] bool isBeaten(const Lever &lever) const
    {
        const auto own = figures(lever);
        const auto isBetter = [&](const Lever &other) { return figures(other) && beats(*figures(other), *own); };
        return !own || beats({m_board.iteration, m_board.peakMemory, Numbers::SameBits}, *own) ||
               std::ranges::any_of(m_board.levers, isBetter) || std::ranges::any_of(m_board.combinations, isBetter);
    }

    /// Combines the plans on the front with levers of other kinds that save memory or time, until the front does not change.
    void combine()
    {
        constexpr std::size_t kMost = 100;
        constexpr std::size_t kMostParts = 4;
        std::vector<std::size_t> useful;
        for (std::size_t i = 0; i < m_board.levers.size(); ++i)
            if (const auto own = figures(m_board.levers[i]);
                own && (own->iteration < m_board.iteration || own->peakMemory < m_board.peakMemory) &&
                m_board.levers[i].numbers < Numbers::OtherMathematics && !isBeaten(m_board.levers[i]))
                useful.push_back(i);
        std::vector<std::vector<std::size_t>> open;
        for (const std::size_t each : useful)
            open.push_back({each});
        std::set<std::vector<std::size_t>> tried;
        for (std::size_t i = 0; i < open.size() && tried.size() < kMost && !isStopped(); ++i) {
            for (const std::size_t each : useful) {
                std::vector<std::size_t> parts = open[i];
                if (std::ranges::any_of(parts, [&](std::size_t part) { return m_changes[part].kind == m_changes[each].kind; }))
                    continue;
                parts.push_back(each);
                std::ranges::sort(parts);
                if (tried.size() >= kMost || isStopped() || !tried.insert(parts).second)
                    continue;
                m_total = m_changes.size() + kMost;
                Lever combined = predicted(parts);
                if (isBeaten(combined))
                    continue;
                m_board.combinations.push_back(std::move(combined));
                if (parts.size() < kMostParts)
                    open.push_back(std::move(parts));
            }
        }
    }

    /// Marks the front. Of combinations with nearly the same figures only the one of the fewest levers is kept.
    void markFront()
    {
        constexpr double kAsGood = 1.01;
        for (Lever &lever : m_board.levers)
            lever.isOnFront = !isBeaten(lever);
        std::vector<Lever> all = std::move(m_board.combinations);
        m_board.combinations.clear();
        std::ranges::stable_sort(all, {}, [](const Lever &lever) { return lever.parts.size(); });
        std::vector<const Lever *> kept;
        for (const Lever &lever : m_board.levers)
            if (lever.isOnFront)
                kept.push_back(&lever);
        std::vector<Lever> front;
        front.reserve(all.size()); // so that `kept` can point into it
        for (Lever &lever : all) {
            const auto isAsGood = [&](const Lever *other) {
                return other->numbers <= lever.numbers &&
                       static_cast<double>(*other->iteration) <= kAsGood * static_cast<double>(*lever.iteration) &&
                       static_cast<double>(*other->peakMemory) <= kAsGood * static_cast<double>(*lever.peakMemory);
            };
            const auto isBetter = [&](const Lever &other) { return beats(*figures(other), *figures(lever)); };
            if (std::ranges::any_of(kept, isAsGood) || std::ranges::any_of(all, isBetter))
                continue;
            lever.isOnFront = true;
            front.push_back(lever);
            kept.push_back(&front.back());
        }
        std::ranges::stable_sort(front, {}, [](const Lever &lever) { return std::pair(lever.numbers, *lever.iteration); });
        m_board.combinations = std::move(front);
    }

    Experiment m_open;
    std::optional<Bytes> m_limitOfPlan;
    int m_cores;
    const SearchOptions &m_options;
    std::vector<LeverChange> m_changes;
    std::size_t m_done = 0;
    std::size_t m_total = 0;
    LeverBoard m_board;
};

} // namespace

std::string_view name(Numbers numbers)
{
    constexpr std::array<std::string_view, 4> kNames{"bit-equal", "same mathematics", "other mathematics", "other model"};
    return kNames[static_cast<std::size_t>(numbers)];
}

std::string_view name(LeverKind kind)
{
    constexpr std::array<std::string_view, 22> kNames{"recomputed layers",
                                                      "recomputed operators",
                                                      "stored activations",
                                                      "attention",
                                                      "offload",
                                                      "microbatch size",
                                                      "stage layers",
                                                      "schedule",
                                                      "overlapped pairs",
                                                      "vocabulary layers",
                                                      "logits",
                                                      "vocabulary width",
                                                      "ZeRO",
                                                      "sequence parallel",
                                                      "vocabulary over tensor ranks",
                                                      "context ranks",
                                                      "optimizer",
                                                      "state on the host",
                                                      "precision",
                                                      "messages",
                                                      "gradient compression",
                                                      "averages of weights"};
    return kNames[static_cast<std::size_t>(kind)];
}

base::Result<LeverBoard> leverBoard(const Prediction &prediction, int cores, const SearchOptions &options)
{
    if (!prediction.experiment.hasModel || prediction.metrics.peakMemory.empty())
        return base::Error::invalid("model", "is missing, and levers count its bytes; name a model or its layers");
    Board board(prediction, cores, options);
    board.keepLimit(prediction.experiment.schedule.memoryLimit);
    LeverBoard made = board.make(leverChanges(prediction, cores, options.stop));
    if (made.cancelled)
        return base::Error::cancelled();
    return made;
}

} // namespace stagelens::service
