#include "engine/runtime/training/dump.h"

#include "engine/base/file.h"
#include "engine/base/sync_folder.h"
#include "engine/exchange/huggingface_config.h"
#include "engine/exchange/safetensors.h"

#include <fmt/format.h>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

namespace stagelens::runtime {
namespace {

using Json = nlohmann::ordered_json;

/// Present in every folder written by a dump.
constexpr const char *kMarker = ".stagelens-dump";

constexpr const char *kTokens = "tokens.bin";

base::Error cannotWriteTokens(const std::filesystem::path &file)
{
    return base::Error::failed("cannot be written; make room on the disk or check your rights", file.string());
}

/// InvalidInput if a dump would replace foreign files or be mixed with them.
base::Result<> requireOwn(const std::filesystem::path &folder)
{
    std::error_code error;
    if (std::filesystem::exists(folder / kMarker, error))
        return {};
    for (std::filesystem::directory_iterator each(folder, error); !error && each != std::filesystem::directory_iterator();
         each.increment(error)) {
        const std::filesystem::path name = each->path().filename();
        if (name.extension() == ".safetensors" || name.extension() == ".json" || name.extension() == ".bin")
            return base::Error::invalid(
                "--dump", fmt::format("the folder {} contains {}, which was not written by a dump; choose a new folder",
                                      folder.string(), name.string()));
    }
    return {};
}

std::vector<std::int64_t> widened(const std::vector<std::int32_t> &tokens)
{
    return {tokens.begin(), tokens.end()};
}

} // namespace

base::Result<> Dump::writeTensors(const char *file, const Tensors &tensors) const
{
    std::vector<exchange::TensorView> views;
    for (std::size_t i = 0; i < tensors.size(); ++i) {
        const ParameterInfo &info = m_plan.parameters[i];
        const std::span<const float> all(tensors[i]);
        if (!exchange::isOfExperts(info.name)) {
            views.push_back({info.name, info.dimensions(), all});
            continue;
        }
        const int experts = m_plan.experiment.model.experts;
        const std::size_t count = all.size() / size(experts);
        for (int e = 0; e < experts; ++e)
            views.push_back({exchange::nameOfExpert(info.name, e),
                             {info.rows / experts, info.columns},
                             all.subspan(size(e) * count, count)});
    }
    return exchange::writeSafetensors(m_folder / file, views);
}

base::Result<> Dump::writeBeginning(const Tensors &parameters) const
{
    std::error_code error;
    std::filesystem::create_directories(m_folder, error);
    if (error)
        return base::Error::invalid("--dump", fmt::format("cannot create the folder {}: {}; choose a writable folder",
                                                          m_folder.string(), error.message()));
    if (auto own = requireOwn(m_folder); !own)
        return own;
    if (auto written = base::writeFile(m_folder / kMarker, "stagelens dump/1\n"); !written)
        return written;
    const std::string config = exchange::huggingFaceConfig(m_plan.experiment.model);
    if (auto written = base::writeFile(m_folder / "config.json", config); !written)
        return written;
    return writeTensors("model.safetensors", parameters);
}

base::Result<> Dump::writeBatch(const Batch &batch) const
{
    const std::vector<std::int64_t> inputs = widened(batch.allInputs());
    const std::vector<std::int64_t> labels = widened(batch.allLabels());
    const std::vector<std::int64_t> shape{m_plan.shape.stepMicrobatches() * m_plan.shape.batch, m_plan.shape.wholeSequence()};
    const std::vector<exchange::TensorView> views{{"input_ids", shape, std::span<const std::int64_t>(inputs)},
                                                  {"labels", shape, std::span<const std::int64_t>(labels)}};
    return exchange::writeSafetensors(m_folder / "batch.safetensors", views);
}

base::Result<> Dump::writeFirstStep(const Batch &batch, const Tensors &gradients) const
{
    if (auto written = writeBatch(batch); !written)
        return written;
    if (auto written = addTokens(batch, std::ios::trunc); !written)
        return written;
    return writeTensors("gradients.safetensors", gradients);
}

base::Result<> Dump::writeNextStep(const Batch &batch) const
{
    return addTokens(batch, std::ios::app);
}

base::Result<> Dump::addTokens(const Batch &batch, std::ios::openmode mode) const
{
    const std::filesystem::path file = m_folder / kTokens;
    std::ofstream out(file, std::ios::binary | mode);
    const auto sequence = m_plan.shape.wholeSequence();
    const auto write = [&out](const std::int32_t *tokens, std::int64_t count) {
        out.write(reinterpret_cast<const char *>(tokens), count * static_cast<std::int64_t>(sizeof *tokens));
    };
    const auto tokens = static_cast<std::int64_t>(batch.allInputs().size());
    for (std::int64_t row = 0; row < tokens; row += sequence) {
        write(batch.allInputs().data() + row, sequence);
        write(batch.allLabels().data() + row + sequence - 1, 1);
    }
    if (!out.flush())
        return cannotWriteTokens(file);
    return {};
}

base::Result<std::filesystem::path> Dump::writeFailure(const Tensors &parameters, const Batch &batch,
                                                       const std::vector<double> &losses, const base::Error &error) const
{
    const Dump state(m_folder / "failed-step", m_plan);
    const Json result{{"losses", losses}, {"step", losses.size()}, {"error", error.text()}};
    for (const auto &written : {state.writeBeginning(parameters), state.writeBatch(batch),
                                base::writeFile(state.m_folder / "result.json", result.dump(2) + '\n')})
        if (!written)
            return written.error();
    return state.m_folder;
}

base::Result<> Dump::writeEnd(const Tensors &parameters, const std::vector<double> &losses) const
{
    if (auto written = writeTensors("model-final.safetensors", parameters); !written)
        return written;
    // Not after each step: a dump is complete only with its result, which is written later.
    if (const std::filesystem::path tokens = m_folder / kTokens; !base::syncFile(tokens))
        return cannotWriteTokens(tokens);
    const Json result{{"losses", losses}};
    return base::writeFile(m_folder / "result.json", result.dump(2) + '\n');
}

} // namespace stagelens::runtime
