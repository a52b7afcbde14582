// The only table of the fields of an experiment. Documents, options, the editor, ranges, differences and sweeps read it. A new
// field is a member in experiment.h and a row of schema/*_rows.cpp.
#pragma once

#include "engine/model/experiment.h"

#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace stagelens::model {

/// A value of any field; std::monostate means absent.
using FieldValue = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, std::vector<int>,
                                std::vector<double>, std::map<std::string, double>>;

/// A value that the user can choose.
struct FieldChoice {
    std::string_view value;
    std::string_view caption = {};
    std::string_view tip = {};
};

/// How the window sweeps a field.
struct Sweep {
    std::string_view values = {}; ///< offered first: "32k, 64k", "gpipe, 1f1b"; empty: the field is not swept
    int place = 100;              ///< among the fields that are swept
    bool needsModel = false;      ///< has no effect in a teaching example
};

struct Field {
    enum class Kind : unsigned char {
        Integer,
        Size,   ///< an integer with a suffix, "32k"
        Seed,   ///< any 64 bits
        Bytes,  ///< "80GiB"
        Real,   ///< a number
        Choice, ///< a word
        Text,   ///< a line of text
        File,   ///< a file's name
        Flag,   ///< true or false
        Layers, ///< integers, "4/4/4/4"
        Pair,   ///< two numbers, "0.9,0.95"
        Times,  ///< milliseconds by name, "F=1,B=2"
    };
    std::string_view path;        ///< in the document: "parallel.devices"
    std::string_view option;      ///< of the command line: "--devices"; empty: none, and not in the editor
    std::string_view placeholder; ///< of the option's value: "p"; of a flag the opposite option
    std::string_view caption;     ///< "Devices"
    std::string_view help;        ///< a noun phrase or sentences, without initial capital and final period
    Kind kind = Kind::Integer;
    FieldValue (*value)(const Experiment &) = nullptr;
    /// Assigns the value, or returns the problem and leaves the experiment unchanged.
    std::string (*assign)(Experiment &, const FieldValue &) = nullptr;

    bool mayBeAbsent = false;
    std::vector<FieldChoice> choices = {}; ///< all values of a Choice, suggestions for a Size; empty if defined elsewhere
    std::string_view absent = {};          ///< the meaning of absence for optional fields: "off"
    double least = -std::numeric_limits<double>::infinity(); ///< of numbers, see validate()
    double most = std::numeric_limits<double>::infinity();
    bool isBelowMost = false;                             ///< numbers are less than `most`
    std::optional<FieldValue> leftOut = {};               ///< documents omit the field if it is absent or has this value
    std::function<bool(const Experiment &)> applies = {}; ///< whether the field has an effect; empty: always
    bool isInEditor = true;                               ///< false: the window does not show it
    Sweep sweep = {};

    [[nodiscard]] bool hasRange() const { return std::isfinite(least) || std::isfinite(most); }
};

/// Returns all fields, in the order of the document.
[[nodiscard]] std::span<const Field> schema();
/// Returns the field of that path, which must exist.
[[nodiscard]] const Field &schemaField(std::string_view path);
/// Returns the field of that path or option, or null.
[[nodiscard]] const Field *findField(std::string_view pathOrOption);

/// The value of a text ("32k", "80GiB", "4/4/4/4"), or its problem.
struct ParsedField {
    FieldValue value;
    std::string fault;
};
[[nodiscard]] ParsedField parseField(const Field &field, std::string_view text);

/// The beginning of the paths of an optimizer's options.
inline constexpr std::string_view kOptimizerPath = "training.optimizer.";

/// Sets a field as the user would: dependent sizes and options follow (followModel(), followOptimizer()), and a list of stage
/// layers is dropped if the number of stages changes. Returns the problem, or an empty text.
std::string edit(Experiment &experiment, const Field &field, const FieldValue &value);

/// Drops the lists with an entry for each stage, after a change of the number of stages.
void followStages(Experiment &experiment);

/// Updates the sizes that follow from others, unless they were given or already differed from their defaults: the inner width,
/// the heads of keys and values, the width of a head, and the preset's name. `isGiven(path)` returns whether a field was given.
void followModel(const ModelConfig &before, ModelConfig &model, const std::function<bool(std::string_view)> &isGiven);

} // namespace stagelens::model
