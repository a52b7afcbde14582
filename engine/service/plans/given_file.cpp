#include "engine/service/plans/given_file.h"

#include "engine/exchange/huggingface_config.h"

#include <array>
#include <fstream>
#include <string_view>
#include <utility>

namespace stagelens::service {

FileKind kindOfFile(const std::filesystem::path &file)
{
    std::error_code ignored;
    if (!std::filesystem::is_regular_file(file, ignored))
        return FileKind::Experiment;
    std::array<char, 65'536> buffer{};
    std::ifstream in(file, std::ios::binary);
    in.read(buffer.data(), buffer.size());
    const std::string_view begin(buffer.data(), static_cast<std::size_t>(in.gcount()));
    const auto has = [begin](std::string_view word) { return begin.find(word) != std::string_view::npos; };
    const std::size_t first = begin.find_first_not_of(" \t\r\n\xEF\xBB\xBF");
    if (first == std::string_view::npos)
        return FileKind::Experiment;
    if (begin[first] == '[' || (begin[first] == '{' && has("\"traceEvents\"")))
        return FileKind::Trace;
    if (begin[first] != '{')
        return FileKind::Schedule;
    return has("\"model_type\"") && !has("\"stagelens\"") ? FileKind::ModelConfig : FileKind::Experiment;
}

base::Result<FoundModel> modelFromConfig(const std::filesystem::path &file)
{
    auto found = exchange::readHuggingFaceConfig(file);
    if (!found)
        return std::move(found).error();
    return FoundModel{std::move(found->shape), std::move(found->differences)};
}

} // namespace stagelens::service
