// The results of a sweep: predictions, training runs and published figures of its plans, each with a number.
#pragma once

#include "ui/sweep/sweep_table.h"

#include <array>
#include <string_view>
#include <utility>
#include <vector>

namespace stagelens::ui {

/// Numbers the points of all kinds, so that plots and page mean the same one.
class SweepOutcomes {
public:
    enum class Kind : unsigned char { Predicted, Trained, Published };

    /// Begins a sweep that predicts or trains. Drops the other kind's points if they are of other plans, whose axes differ.
    void begin(Kind kind, const SweepSetup &setup, std::vector<SweepEntry> entries, PublishedPoints published);
    /// Replaces the points of the sweep that began last.
    void update(service::SweepSnapshotPtr state) { of(m_running).state = std::move(state); }

    [[nodiscard]] const SweepSetup &setup() const { return m_setup; }
    /// Returns the kind that began last.
    [[nodiscard]] Kind running() const { return m_running; }
    [[nodiscard]] static Kind kindOf(int id);
    /// Returns whether a sweep of exactly these plans has ended, and was not cancelled.
    [[nodiscard]] bool isComplete(Kind kind, const std::vector<SweepEntry> &entries) const;
    /// Returns whether there are points of exactly these plans, also if the sweep was cancelled.
    [[nodiscard]] bool areOf(const std::vector<SweepEntry> &entries) const;
    [[nodiscard]] std::size_t count(Kind kind) const { return of(kind).entries.size(); }
    /// Returns the points that are done, of all kinds.
    [[nodiscard]] std::vector<SweepResult> done() const;
    /// Returns the plan of a point; null if there is none.
    [[nodiscard]] const SweepEntry *entry(int id) const;
    /// Returns whether every plan that was swept last is of one schedule family.
    [[nodiscard]] bool areAllOf(std::string_view family) const;
    /// Returns a point in words; empty if there is none.
    [[nodiscard]] QString words(int id) const;
    /// Returns the possible plans of a point's series with their names, in the order of the first parameter. Of more than
    /// `most`, returns the point itself and the fastest others.
    [[nodiscard]] std::vector<std::pair<QString, model::Experiment>> series(int id, std::size_t most) const;
    /// Returns the number of possible plans in a point's series.
    [[nodiscard]] std::size_t seriesSize(int id) const { return seriesOf(id).size(); }

private:
    struct Outcome {
        std::vector<SweepEntry> entries;
        service::SweepSnapshotPtr state; ///< null: no point yet
    };
    [[nodiscard]] Outcome &of(Kind kind) { return m_outcomes[static_cast<std::size_t>(kind)]; }
    /// Returns where the possible plans of a point's series are among the entries of its kind.
    [[nodiscard]] std::vector<std::size_t> seriesOf(int id) const;
    [[nodiscard]] const Outcome &of(Kind kind) const { return m_outcomes[static_cast<std::size_t>(kind)]; }

    SweepSetup m_setup;
    std::array<Outcome, 3> m_outcomes; ///< of each kind
    Kind m_running = Kind::Predicted;
};

} // namespace stagelens::ui
