// The vocabulary layers as lists of steps: one file per method (arXiv 2411.05288, section 4). CMake lists the files of this
// folder (stagelens_registry() in resources/cmake/StagelensTargets.cmake): vocab1.cpp must define vocab1().
#pragma once

#include "engine/passes/pass_recipe.h"

#include <span>
#include <string_view>
#include <vector>

namespace stagelens::schedule {

using PassSteps = std::vector<PassStep>;

/// What a method adds to the passes of a microbatch.
struct VocabularySteps {
    PassValue normOutput = PassValue::LastOutput; ///< where the final norm writes
    bool sendsNormOutput = true;
    bool shardsEmbedding = true; ///< passes EF and EB hold the token table
    bool mapsInput = false;      ///< the first stage maps rows of the table to rows of the layers
    bool mapsOutput = false;     ///< the last stage maps rows of the layers to those of its heads
    PassSteps forward;           ///< of F of the last stage, after the final norm
    PassSteps backward;          ///< of its B or I: computes the gradient of the norm's output
    PassSteps s;
    PassSteps u;
    PassSteps t;
    PassSteps evaluation; ///< of F of the last stage if no backward follows, after those of `forward`: computes the loss
};

/// A way to compute the vocabulary layers.
struct VocabularyLayer {
    std::string_view method; ///< name of a model::VocabularyMethod
    /// `isOnLastDevice`: for the device of the last stage, which computes the loss.
    VocabularySteps (*steps)(bool isOnLastDevice) = nullptr;
    std::string_view apart = {}; ///< the method with a pass T for the part of S after its barrier; empty: S has no barrier
                                 ///< inside
};
/// Returns the layers of all files.
[[nodiscard]] std::span<const VocabularyLayer *const> vocabularyLayers();
/// Returns the layer of methods that have no file.
[[nodiscard]] const VocabularyLayer &whole();
/// Returns the layer of that method, or the layer with a whole vocabulary if the method has none.
[[nodiscard]] const VocabularyLayer &vocabularyLayer(std::string_view method);

/// Returns the steps of one of several tensor ranks, whose shards act as one.
[[nodiscard]] VocabularySteps shared(VocabularySteps steps, Sharing sharing);

/// Returns steps that keep no exponentials between passes: a pass that reads them multiplies again (as Cut Cross-Entropy does,
/// arXiv 2411.09009), so that it finds the same bits.
[[nodiscard]] VocabularySteps withRebuiltLogits(VocabularySteps steps);
/// Returns steps that compute the output layer for a part of the tokens at a time, and keep no exponentials between passes. The
/// whole output layer is then in the backward, except in an evaluation. Passes that read exponentials after a barrier multiply
/// again, as in withRebuiltLogits().
[[nodiscard]] VocabularySteps withLogitsInParts(VocabularySteps steps);
/// Returns steps that also compute the tails of an adaptive softmax. A whole output layer computes them in the backward: their
/// loss is then known after it, and an evaluation computes it in the forward. Shards compute them in the passes of the head,
/// and the last stage maps rows of the layers to narrow ones.
[[nodiscard]] VocabularySteps withTails(VocabularySteps steps);
/// Returns the steps that compute the exponentials again from X, or only the logits.
[[nodiscard]] PassSteps rebuiltExponentials(bool isExponentiated);
/// Returns whether a step computes the exponentials and their sums.
[[nodiscard]] bool exponentiates(const PassStep &each);
/// Returns the steps of a pass with these vocabulary layers. `recomputes`: layers recompute values that the forward has
/// dropped.
[[nodiscard]] PassSteps stepsOf(const PassRole &role, const VocabularySteps &vocabulary, bool recomputes, Sharing sharing);

[[nodiscard]] PassStep step(PassStepKind kind, std::vector<PassValue> in, std::vector<PassValue> out);
[[nodiscard]] PassStep receive(PassValue message, std::vector<PassValue> out);
/// Receives a message into a tensor that the pass may change.
[[nodiscard]] PassStep receiveCopy(PassValue message, PassValue out);
[[nodiscard]] PassStep send(PassValue message);
[[nodiscard]] PassStep loss(PassValue statistics);
/// Appends `more`.
void append(PassSteps &steps, const PassSteps &more);
/// Returns the steps, with their time measured separately.
[[nodiscard]] PassSteps apart(PassSteps steps);

/// Returns the steps from X, E and global statistics to the gradients of X and W.
[[nodiscard]] PassSteps outputGradientSteps(PassValue statistics);
/// Returns the step that adds the gradient of W.
[[nodiscard]] PassStep weightGradient(PassValue statistics);

} // namespace stagelens::schedule
