// What a person types to find passes: "B 17", "stage 3", "device 2 F", "microbatch 5".
#pragma once

#include "engine/timeline/timeline.h"

#include <QString>

#include <optional>
#include <vector>

namespace stagelens::ui {

/// Conditions that a pass must all meet.
struct PassQuery {
    std::optional<schedule::PassKind> kind;
    std::optional<int> microbatch;
    std::optional<int> stage;
    std::optional<int> device;
    [[nodiscard]] bool matches(const schedule::Pass &pass, int onDevice) const;
};
/// A kind's letters, "stage N", "device N", "microbatch N" (or "s N", "d N", "m N" where that is no kind), in any order; a bare
/// number is the microbatch. Nothing where a word is not understood or none is there.
[[nodiscard]] std::optional<PassQuery> parseQuery(const QString &text);
/// The slices that match, by begin and then by device. O(slices).
[[nodiscard]] std::vector<timeline::SliceId> findPasses(const timeline::Timeline &timeline, const PassQuery &query);

} // namespace stagelens::ui
