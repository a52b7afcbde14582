// The passes of one plan on their way to their places in another.
#pragma once

#include "engine/timeline/timeline.h"

#include <optional>
#include <vector>

namespace stagelens::ui {

/// The place of a piece in one plan.
struct MorphSpot {
    int device = 0;
    base::Nanos begin = 0;
    base::Nanos end = 0;
    schedule::PassKind kind = schedule::PassKind::F; ///< for its colour
    bool isVocabulary = false;                       ///< the vocabulary share of a pass of layers
    friend bool operator==(const MorphSpot &, const MorphSpot &) = default;
};

/// A pass that both plans have, a piece of one where the other plan cuts finer, or a pass that only one plan has.
struct MorphPiece {
    int microbatch = 0;
    std::optional<MorphSpot> from; ///< absent: it appears in its place
    std::optional<MorphSpot> to;   ///< absent: it vanishes from its place
};

/// Two plans, matched. Passes match by kind, stage and microbatch. Where one plan splits the backward, cuts stages into chunks,
/// or spreads the vocabulary over the devices, the coarser pass is cut into pieces that match the finer ones.
struct Morph {
    std::vector<MorphPiece> pieces; ///< those that change their device last, so that they fly above the others
    int devices = 0;                ///< of the plan with more
    base::Nanos fromEnd = 0;        ///< makespans
    base::Nanos toEnd = 0;
    [[nodiscard]] base::Nanos span() const { return fromEnd > toEnd ? fromEnd : toEnd; }
};
/// O(n log n) in the passes.
[[nodiscard]] Morph morphBetween(const timeline::Timeline &from, const timeline::Timeline &to);

/// A piece at a moment of its way; times and lanes are fractional.
struct MorphBox {
    double lane = 0;
    double begin = 0;
    double end = 0;
    double opacity = 1;
    double share = 0; ///< of the colour of `to`
};
/// Where a piece is at `progress` from 0 to 1. Pieces set out in the order of their times, so that a wave passes through.
[[nodiscard]] MorphBox boxAt(const Morph &morph, const MorphPiece &piece, double progress);
/// The part of the whole way, as [first, second], in which a piece moves.
[[nodiscard]] std::pair<double, double> flightOf(const Morph &morph, const MorphPiece &piece);

} // namespace stagelens::ui
