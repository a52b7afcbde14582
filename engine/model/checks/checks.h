// Collects the problems of an experiment. Internal to this folder.
#pragma once

#include "engine/base/text.h"
#include "engine/model/schema.h"

#include <set>
#include <string>
#include <string_view>
#include <utility>

namespace stagelens::model {

/// Collects problems. Each check returns whether it passed, because later checks may depend on it.
class Checks {
public:
    explicit Checks(const Experiment &checked) : experiment(checked) {}

    bool holds(bool condition, std::string_view field, std::string message)
    {
        if (!condition)
            fails(field, std::move(message));
        return condition;
    }
    void fails(std::string_view field, std::string message) { m_problems.push_back({std::string(field), std::move(message)}); }
    /// Returns whether the number of a field is absent or within the range of its row.
    bool inRange(std::string_view path) { return inRange(schemaField(path)); }
    /// Returns whether the word of a field is one that its row offers.
    bool isChoice(std::string_view path);
    bool isText(const std::string &value, std::string_view field);
    enum class Unused : unsigned char { Skip, Check };
    /// Checks the ranges of all other fields below that path. `unused` selects how fields that do not apply are treated.
    void rest(std::string_view path, Unused unused = Unused::Skip);
    void add(base::Problems problems);
    [[nodiscard]] base::Problems take() { return std::move(m_problems); }

    const Experiment &experiment;

private:
    bool inRange(const Field &field);

    base::Problems m_problems;
    std::set<std::string_view> m_ranged; ///< the fields whose ranges have been checked
};

/// Returns whether every size of the model is valid, so that sizes of tensors can be computed.
bool checkModel(Checks &checks);
/// Reports sizes that would overflow 64-bit counts. The model and the sizes of a microbatch must be valid.
void checkActivations(Checks &checks);
/// Checks that the output layer has a token for each chunk. The model and the sizes of a microbatch must be valid.
void checkLogits(Checks &checks);
/// Checks that each axis of the mesh is within its range and has a supported value.
void checkMesh(Checks &checks);
/// Checks devices, stages, and the layers of each stage.
void checkStages(Checks &checks);
void checkWhatIf(Checks &checks);

/// Returns why the sequences of a plan cannot be divided over its context ranks, with the nearest number that divides them. The
/// degrees must be positive.
[[nodiscard]] base::Problems contextProblems(const Experiment &experiment);

} // namespace stagelens::model
