#include "engine/runtime/data/sources.h"

#include "engine/base/file.h"
#include "engine/base/random.h"

#include <algorithm>
#include <fmt/format.h>

namespace stagelens::runtime {
namespace {

class WindowSource : public TokenSource {
public:
    WindowSource(std::unique_ptr<TokenRow> row, const BatchShape &shape, std::string description)
        : m_row(std::move(row)), m_heldBack(heldBackOf(m_row->size(), shape.sequence + 1)), m_shape(shape),
          m_random(shape.seed, kWindowStream), m_description(std::move(description))
    {
        if (m_heldBack > 0)
            m_description += fmt::format(", the last {} held back to evaluate with", m_heldBack);
    }

    void batch(std::int64_t step, int microbatch, std::span<std::int32_t> inputs, std::span<std::int32_t> labels) const override
    {
        const auto lastStart = static_cast<std::int64_t>(m_row->size() - m_heldBack - m_shape.sequence - 1);
        for (int row = 0; row < m_shape.microbatchSize; ++row) {
            const std::int64_t start = m_random.integer(m_shape.sequenceIndex(step, microbatch, row), 0, lastStart);
            readWindow(static_cast<std::size_t>(start), row, inputs, labels);
        }
    }
    void heldBack(int microbatch, std::span<std::int32_t> inputs, std::span<std::int32_t> labels) const override
    {
        const std::size_t begin = m_row->size() - m_heldBack;
        const std::size_t lastStart = m_heldBack - m_shape.sequence - 1;
        for (int row = 0; row < m_shape.microbatchSize; ++row)
            readWindow(begin + m_shape.heldBackIndex(microbatch, row) * lastStart / kHeldBackSequences, row, inputs, labels);
    }
    [[nodiscard]] int heldBackSequences() const override { return m_heldBack > 0 ? kHeldBackSequences : 0; }
    [[nodiscard]] std::string description() const override { return m_description; }

private:
    /// Returns how many of `tokens` are held back if a window needs `window` tokens.
    static std::size_t heldBackOf(std::size_t count, std::size_t window)
    {
        const std::size_t part = std::max(count / kHeldBackShare, window);
        return count >= part + window ? part : 0;
    }
    void readWindow(std::size_t position, int row, std::span<std::int32_t> inputs, std::span<std::int32_t> labels) const
    {
        const std::size_t length = m_shape.sequence;
        const std::size_t offset = static_cast<std::size_t>(row) * length;
        m_row->read(position, inputs.subspan(offset, length));
        m_row->read(position + 1, labels.subspan(offset, length));
    }

    std::unique_ptr<TokenRow> m_row;
    std::size_t m_heldBack; ///< tokens at the end of the row
    BatchShape m_shape;
    base::Random m_random;
    std::string m_description;
};

base::Result<std::unique_ptr<TokenSource>> open(const model::Experiment &experiment, const std::stop_token &stop)
{
    const BatchShape shape(experiment);
    const std::string &data = experiment.training.data;
    if (data.empty())
        return base::Error::invalid(kDataField, "is empty; name a text file, a .bin file or synthetic");
    if (data == kSyntheticData)
        return makeSynthetic(shape);
    const std::filesystem::path place = locateData(data);
    if (place.extension() != kTokenFileEnding)
        return openText(place, shape, stop);
    auto row = openTokenFile(place, shape.vocabularySize, stop);
    if (!row)
        return std::move(row).error();
    return drawWindows(*std::move(row), shape, "tokens " + place.filename().string());
}

} // namespace

BatchShape::BatchShape(const model::Experiment &experiment)
    : seed(experiment.training.seed), sequence(static_cast<std::size_t>(experiment.model.sequence)),
      microbatches(experiment.parallel.stepMicrobatches()), microbatchSize(experiment.parallel.microbatchSize),
      vocabularySize(experiment.model.vocabularySize)
{}

std::uint64_t BatchShape::sequenceIndex(std::int64_t step, int microbatch, int row) const
{
    const auto microbatchIndex =
        static_cast<std::uint64_t>(step) * static_cast<std::uint64_t>(microbatches) + static_cast<std::uint64_t>(microbatch);
    return microbatchIndex * static_cast<std::uint64_t>(microbatchSize) + static_cast<std::uint64_t>(row);
}

std::uint64_t BatchShape::heldBackIndex(int microbatch, int row) const
{
    return sequenceIndex(0, microbatch, row) % kHeldBackSequences;
}

std::filesystem::path locateData(const std::string &data)
{
    const std::filesystem::path place = data;
    std::error_code ignored;
    if (place.is_absolute() || std::filesystem::exists(place, ignored))
        return place;
    const std::filesystem::path resource = base::resourceFolder() / place;
    return std::filesystem::exists(resource, ignored) ? resource : place;
}

base::Result<std::unique_ptr<TokenSource>> drawWindows(std::unique_ptr<TokenRow> row, const BatchShape &shape,
                                                       const std::string &what)
{
    const std::size_t count = row->size();
    if (count < shape.sequence + 1)
        return base::Error::invalid(
            kDataField,
            fmt::format("has {} tokens but a sequence of {} needs {}; give more text, shorten the sequence or choose synthetic",
                        count, shape.sequence, shape.sequence + 1));
    return std::unique_ptr<TokenSource>(
        std::make_unique<WindowSource>(std::move(row), shape, fmt::format("{}, {} tokens", what, count)));
}

base::Result<std::unique_ptr<TokenSource>> openTokens(const model::Experiment &experiment, std::stop_token stop)
{
    return readingData(experiment.training.data, [&] { return open(experiment, stop); });
}

} // namespace stagelens::runtime
