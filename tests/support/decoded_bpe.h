// The text of tokens.
#pragma once

#include "engine/runtime/data/bpe.h"

namespace stagelens::test {

/// `tokens` must be bytes or tokens of `merges`.
inline std::string decodeBpe(const runtime::Merges &merges, const std::vector<std::int32_t> &tokens)
{
    std::string text;
    std::vector<std::int32_t> open; // tokens to expand, the next one at the back
    for (const std::int32_t token : tokens) {
        open.push_back(token);
        while (!open.empty()) {
            const std::int32_t part = open.back();
            open.pop_back();
            if (part < runtime::kByteTokens) {
                text += static_cast<char>(part);
                continue;
            }
            const runtime::Merge &merge = merges[static_cast<std::size_t>(part - runtime::kByteTokens)];
            open.push_back(merge.right);
            open.push_back(merge.left);
        }
    }
    return text;
}

} // namespace stagelens::test
