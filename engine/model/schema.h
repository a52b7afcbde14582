// Every field of an experiment, once. Documents, options, the editor, ranges, differences and sweeps read this table: a new
// field is a member in experiment.h and a row in schema.cpp.
#pragma once

#include "engine/model/experiment.h"

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

/// A value of any field; std::monostate: the field is absent.
using FieldValue = std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, std::vector<int>,
                                std::vector<double>, std::map<std::string, double>>;

/// A value that a person can choose.
struct FieldChoice {
    std::string_view value;
    std::string_view caption;
    std::string_view tip;
};

struct Field {
    enum class Kind : unsigned char {
        Integer,
        Size,   ///< a whole number that is written short, "32k"
        Seed,   ///< any 64 bits
        Bytes,  ///< "80GiB"
        Real,   ///< a number
        Choice, ///< a word
        Text,   ///< a line of text
        File,   ///< a file's name
        Flag,   ///< true or false
        Layers, ///< whole numbers, "4/4/4/4"
        Pair,   ///< two numbers, "0.9,0.95"
        Times,  ///< milliseconds by name, "F=1,B=2"
    };
    std::string_view path;        ///< in the document: "parallel.devices"
    std::string_view option;      ///< of the command line: "--devices"; empty: none, and not in the editor
    std::string_view placeholder; ///< of the option's value: "p"; of a flag the opposite option
    std::string_view caption;     ///< "Devices"
    std::string_view help;        ///< a noun phrase or sentences, with a small letter and no full stop at the end
    Kind kind = Kind::Integer;
    FieldValue (*value)(const Experiment &) = nullptr;
    /// Returns what is wrong with the value, or nothing; then the experiment is as it was.
    std::string (*assign)(Experiment &, const FieldValue &) = nullptr;

    bool mayBeAbsent = false;
    std::vector<FieldChoice> choices = {}; ///< of Choice all, of Size suggestions; empty where other rooms know them
    std::string_view absent = {};          ///< what absence means where a field may be absent: "off"
    double least = 1;                      ///< of numbers, see validate()
    double most = std::numeric_limits<double>::infinity();
    std::optional<FieldValue> leftOut = {};        ///< documents leave the field out where it is absent or has this value
    bool (*applies)(const Experiment &) = nullptr; ///< whether it means anything; null: always
    bool isInEditor = true;                        ///< false: the window does not show it
};

/// All fields, in the order of the document.
[[nodiscard]] std::span<const Field> schema();
/// The field of that path, which exists.
[[nodiscard]] const Field &schemaField(std::string_view path);
/// The field of that path or option; null where there is none.
[[nodiscard]] const Field *findField(std::string_view pathOrOption);

/// The value that a text means ("32k", "80GiB", "4/4/4/4"), or what is wrong with it.
struct ParsedField {
    FieldValue value;
    std::string fault;
};
[[nodiscard]] ParsedField parseField(const Field &field, std::string_view text);

/// Sets a field as a person would: what followed from the former value follows the new one (followModel()), and a cut of the
/// layers does not outlive its number of stages. Returns what is wrong, or nothing.
std::string edit(Experiment &experiment, const Field &field, const FieldValue &value);

/// What follows from a model's other sizes follows the new ones, unless it was given itself or stood apart before: the inner
/// width, the heads of keys and values, the width of a head, and the preset's name. `isGiven(path)` of a field.
void followModel(const ModelConfig &before, ModelConfig &model, const std::function<bool(std::string_view)> &isGiven);

} // namespace stagelens::model
