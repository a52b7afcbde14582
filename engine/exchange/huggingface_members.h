// The members of Hugging Face's config.json. Internal to huggingface_config and huggingface_config_write.
#pragma once

#include "engine/base/result.h"
#include "engine/base/text.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <initializer_list>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace stagelens::exchange {

/// What the engine computes; tests compare the epsilon with the kernels'.
inline constexpr double kLayerNormEpsilon = 1e-5;
/// Keys of the columns of a factorised vocabulary, of the hashes of its input, of the heads of its output, of the cut-offs of
/// an adaptive softmax and of the words of a sampled one.
inline constexpr const char *kVocabularyWidth = "vocabulary_width";
inline constexpr const char *kInputHashes = "input_hashes";
inline constexpr const char *kOutputHeads = "output_heads";
inline constexpr const char *kAdaptiveCutoffs = "adaptive_cutoffs";
inline constexpr const char *kSampledWords = "sampled_words";
/// The model_type of mixtures of experts that transformers does not have.
inline constexpr const char *kOwnExperts = "stagelens_moe";

/// Reads members and collects their problems.
class ConfigReader {
public:
    explicit ConfigReader(const nlohmann::json &document) : m_document(document) {}

    /// A whole number; `fallback` where the member is absent or null, and a problem if there is no fallback (0).
    int size(const char *key, int fallback = 0)
    {
        const nlohmann::json *value = find(key);
        if (value == nullptr) {
            if (fallback == 0)
                m_problems.push_back({key, "is missing; add it"});
            return fallback;
        }
        if (!value->is_number_integer() || *value < 1 || *value > std::numeric_limits<int>::max()) {
            m_problems.push_back({key, fmt::format("is {}; it must be a whole number from 1 to {}", shown(*value),
                                                   std::numeric_limits<int>::max())});
            return fallback;
        }
        return value->get<int>();
    }
    std::string word(const char *key, const char *fallback)
    {
        const nlohmann::json *value = find(key);
        return value != nullptr && value->is_string() ? value->get<std::string>() : fallback;
    }
    bool flag(const char *key, bool fallback)
    {
        const nlohmann::json *value = find(key);
        return value != nullptr && value->is_boolean() ? value->get<bool>() : fallback;
    }
    /// A positive number; `usual` is what transformers takes where the member is absent.
    double number(const char *key, double usual)
    {
        const nlohmann::json *value = find(key);
        if (value == nullptr)
            return usual;
        if (value->is_number() && value->get<double>() > 0 && std::isfinite(value->get<double>()))
            return value->get<double>();
        m_problems.push_back({key, fmt::format("is {}; it must be a number above 0", shown(*value))});
        return usual;
    }
    /// A word that names what this program computes; transformers takes the first where the member is absent.
    void requireOneOf(const char *key, std::initializer_list<const char *> names)
    {
        const std::string found = word(key, *names.begin());
        if (std::ranges::find(names, found) == names.end())
            m_problems.push_back(
                {key, fmt::format("is {}, and this program computes `{}` only", base::quoted(found), *names.begin())});
    }
    void difference(const char *key, std::string message) { m_differences.push_back({key, std::move(message)}); }
    /// A number that the engine has built in; `usual` is what transformers takes where the member is absent.
    void expectNumber(const char *key, double built, double usual)
    {
        const nlohmann::json *value = find(key);
        const double found = value == nullptr ? usual : value->is_number() ? value->get<double>() : std::nan("");
        if (found != built)
            m_differences.push_back({key, fmt::format("is {}, but the engine computes with {:g}",
                                                      value == nullptr ? fmt::format("{:g}", usual) : shown(*value), built)});
    }
    void expectFlag(const char *key, bool built)
    {
        if (flag(key, built) != built)
            m_differences.push_back(
                {key, fmt::format("is {}, but the engine computes with {}", shown(*find(key)), built ? "true" : "false")});
    }
    [[nodiscard]] const nlohmann::json *find(const char *key) const
    {
        const auto found = m_document.find(key);
        return found == m_document.end() || found->is_null() ? nullptr : &*found;
    }
    base::Problems takeProblems() { return std::move(m_problems); }
    base::Problems takeDifferences() { return std::move(m_differences); }

private:
    static std::string shown(const nlohmann::json &value)
    {
        return value.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace).substr(0, 40);
    }
    const nlohmann::json &m_document;
    base::Problems m_problems;
    base::Problems m_differences;
};

} // namespace stagelens::exchange
