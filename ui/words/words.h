// Words and figures as a person reads them. The engine speaks ids and numbers; every sentence is made in ui.
#pragma once

#include "engine/service/engine_service.h"
#include "ui/words/time_axis.h"

#include <QString>

#include <string>
#include <string_view>

namespace stagelens::ui {

[[nodiscard]] QString qtText(std::string_view utf8);
/// A caption or description of the engine (schema, families, presets) in the window's language; engine_words.cpp lists them.
[[nodiscard]] QString engineText(std::string_view english);
[[nodiscard]] std::string utf8(const QString &text);

/// In place of a figure that is not known.
inline const QString kUnknown = QStringLiteral("–");
[[nodiscard]] QString bytesText(base::Bytes bytes);
[[nodiscard]] QString shareText(double ratio);                 ///< 0.684 is "68 %"
[[nodiscard]] QString fineShareText(double ratio);             ///< two digits of a small share: "0.42 %", "0.000018 %"
[[nodiscard]] QString changeText(double now, double before);   ///< "-47 %", "+3 %", "±0 %"
[[nodiscard]] QString pointsText(double now, double before);   ///< of two shares: "−43 points", "±0 points"
[[nodiscard]] QString factorText(double factor);               ///< "1.8x"
[[nodiscard]] QString countText(double count);                 ///< "8,192"
[[nodiscard]] QString whenText(std::int64_t unixMilliseconds); ///< "2026-03-01 14:02"
[[nodiscard]] QString secondsText(double seconds);             ///< "40 s", "3 min"
[[nodiscard]] QString flopsText(double flops);                 ///< "3.57 TFLOP"

[[nodiscard]] QString caption(model::VocabularyMethod method);   ///< "VOCAB-2: split, 1 barrier"
[[nodiscard]] QString shortName(model::VocabularyMethod method); ///< "VOCAB-2"
/// Returns "1F1B · VOCAB-2", or the family alone if its vocabulary layers are where they are by default.
[[nodiscard]] QString withMethod(const QString &family, model::VocabularyMethod method);
[[nodiscard]] QString familyCaption(std::string_view family);   ///< "1F1B"
[[nodiscard]] QString caption(timeline::Provenance provenance); ///< "Virtual clock": the exact words of the design
[[nodiscard]] QString explanation(timeline::Provenance provenance);
[[nodiscard]] QString caption(store::RunStatus status);
/// "3", or "3.1" for slice 1 of microbatch 3 where the microbatch numbers of passes count slices of sequences.
[[nodiscard]] QString microbatchText(int microbatch, int slices);
/// "1F1B · VOCAB-2 · 4 devices × 16 microbatches".
[[nodiscard]] QString planCaption(const model::Experiment &experiment);
/// What the plan does or is that its fields do not say, a sentence a line; empty: nothing.
[[nodiscard]] QString planNote(const model::Experiment &experiment);
/// "1F1B · VOCAB-2 · 4x16 · V 8,192" of a run without a name, else its name.
[[nodiscard]] QString runName(const store::RunSummary &run);
/// "This computer" for cpu-local, else the costs' name.
[[nodiscard]] QString costCaption(const model::Experiment &experiment);
/// Whether a plan is for this computer, and that was not measured yet: its times are of general values.
[[nodiscard]] bool isUnmeasured(const service::Prediction &prediction);
/// Returns which sizes of a plan exceed the measured runs of its hardware, a line each; empty if none does.
[[nodiscard]] QString beyondMeasuredText(const service::Prediction &prediction);
/// "This computer", "Teaching units", "A100 80 GB": what the costs are of, where it begins a line.
[[nodiscard]] QString hardwareCaption(const model::Experiment &experiment);
/// The name of a model preset as people say it: "4B GPT".
[[nodiscard]] QString modelCaption(std::string_view preset);
/// The name of a hardware preset as people say it: "A100 80 GB".
[[nodiscard]] QString hardwareName(std::string_view preset);
/// "4.0B parameters", "124M parameters".
[[nodiscard]] QString parametersText(std::int64_t count);
/// True where one millisecond is shown as one unit.
[[nodiscard]] bool inTeachingUnits(const model::Experiment &experiment);

/// A problem or error as sentences that begin with a capital and end with a full stop.
[[nodiscard]] QString sentence(const base::Problem &problem);
[[nodiscard]] QString sentence(const base::Error &error);
/// "plan.json was not opened. It does not exist."
[[nodiscard]] QString notOpened(const QString &file, const base::Error &error);
/// "timeline.svg was not written. No space left on device."
[[nodiscard]] QString notWritten(const QString &file, const base::Error &error);

} // namespace stagelens::ui
