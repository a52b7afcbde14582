// How a plan compresses gradients between replicas: a part of the experiment. compression.h describes what it does.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stagelens::operators {

/// The method and its number: "powersgd=4", "top-k=0.01", "sign", or "none".
struct CompressionChoice {
    std::string name = "none";
    double number = 0; ///< the rank or the fraction; 0 without one
    [[nodiscard]] bool isOn() const { return name != "none"; }
    friend bool operator==(const CompressionChoice &, const CompressionChoice &) = default;
};

/// Returns the word of a document and of the command line.
[[nodiscard]] std::string text(const CompressionChoice &choice);

/// Parses a word; the error says why it is not a choice.
struct ParsedCompression {
    CompressionChoice choice;
    std::string fault;
};
[[nodiscard]] ParsedCompression parseCompression(std::string_view word);

} // namespace stagelens::operators
