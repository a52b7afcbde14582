// The words of the command line and of JSON for the enumerations of the model.
#pragma once

#include "engine/model/experiment.h"
#include "engine/model/hardware.h"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace stagelens::model {

[[nodiscard]] std::string_view name(ModelFamily family);    ///< "gpt", "llama"
[[nodiscard]] std::string_view name(DataType type);         ///< "fp32", "bf16", "fp16"
[[nodiscard]] std::string_view name(VocabularyOrder order); ///< "published", "best"
[[nodiscard]] std::string_view name(Recompute recompute);   ///< "none", "selective", "full"
[[nodiscard]] std::string_view name(OffloadLanes lanes);    ///< "half", "full"
/// "none", or the modules with commas: "norms,activation,attention".
[[nodiscard]] std::string text(const RecomputeModules &modules);
/// Returns the modules of such a text, in any order, or nothing.
[[nodiscard]] std::optional<RecomputeModules> parseModules(std::string_view text);
[[nodiscard]] std::string_view name(Attention attention);     ///< "flash", "materialised"
[[nodiscard]] std::string_view name(ZeroGradients when);      ///< "deferred", "eager"
[[nodiscard]] std::string_view name(ZeroParameters how);      ///< "resident", "reshard", "keep-until-backward"
[[nodiscard]] std::string_view name(SliceCut cut);            ///< "work", "length"
[[nodiscard]] std::string_view name(RouterScore score);       ///< "softmax", "sigmoid"
[[nodiscard]] std::string_view name(DropRule rule);           ///< "gate", "position"
[[nodiscard]] std::string_view name(ContextMethod method);    ///< "all-gather", "ring", "ulysses"
[[nodiscard]] std::string_view name(RunMode mode);            ///< "live", "virtual-clock"
[[nodiscard]] std::string_view name(Collectives collectives); ///< "overlapped", "blocking"
[[nodiscard]] std::string_view name(UniformPer per);          ///< "stage", "device"

/// Returns the value with that name, or nothing.
template <class Enum>
[[nodiscard]] std::optional<Enum> parse(std::string_view text);
extern template std::optional<ModelFamily> parse(std::string_view);
extern template std::optional<DataType> parse(std::string_view);
extern template std::optional<VocabularyMethod> parse(std::string_view);
extern template std::optional<VocabularyOrder> parse(std::string_view);
extern template std::optional<Recompute> parse(std::string_view);
extern template std::optional<OffloadLanes> parse(std::string_view);
extern template std::optional<Attention> parse(std::string_view);
extern template std::optional<ZeroGradients> parse(std::string_view);
extern template std::optional<ZeroParameters> parse(std::string_view);
extern template std::optional<SliceCut> parse(std::string_view);
extern template std::optional<RouterScore> parse(std::string_view);
extern template std::optional<DropRule> parse(std::string_view);
extern template std::optional<ContextMethod> parse(std::string_view);
extern template std::optional<RunMode> parse(std::string_view);
extern template std::optional<Collectives> parse(std::string_view);
extern template std::optional<UniformPer> parse(std::string_view);
extern template std::optional<Collective> parse(std::string_view);

/// Returns every word of an enumeration, in order (for messages and lists).
template <class Enum>
[[nodiscard]] std::vector<std::string> names();
extern template std::vector<std::string> names<ModelFamily>();
extern template std::vector<std::string> names<DataType>();
extern template std::vector<std::string> names<VocabularyMethod>();
extern template std::vector<std::string> names<VocabularyOrder>();
extern template std::vector<std::string> names<Recompute>();
extern template std::vector<std::string> names<OffloadLanes>();
extern template std::vector<std::string> names<Attention>();
extern template std::vector<std::string> names<ZeroGradients>();
extern template std::vector<std::string> names<ZeroParameters>();
extern template std::vector<std::string> names<SliceCut>();
extern template std::vector<std::string> names<RouterScore>();
extern template std::vector<std::string> names<DropRule>();
extern template std::vector<std::string> names<ContextMethod>();
extern template std::vector<std::string> names<RunMode>();
extern template std::vector<std::string> names<Collectives>();
extern template std::vector<std::string> names<UniformPer>();
extern template std::vector<std::string> names<Collective>();

} // namespace stagelens::model
