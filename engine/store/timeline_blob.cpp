#include "engine/store/timeline_blob.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <fmt/format.h>
#include <type_traits>

namespace stagelens::store {
namespace {

using base::Error;
using base::Nanos;
using base::Result;

static_assert(std::endian::native == std::endian::little, "the arrays are copied as they stand");

constexpr std::uint64_t kMagic = 0x4e4c454d49544c53; ///< "SLTIMELN"
constexpr std::uint32_t kVersion = 7;
constexpr std::uint32_t kFirstVersion = 1;           ///< has neither anchored work nor a period; still written without them
constexpr std::uint32_t kVersionWithoutCopies = 2;   ///< has no copies to the host among its anchored work
constexpr std::uint32_t kVersionWithoutSlices = 3;   ///< sequences are whole
constexpr std::uint32_t kVersionWithoutAverages = 4; ///< has no averages of weights among its anchored work
constexpr std::uint32_t kVersionWithoutProcessor = 5;
constexpr std::uint32_t kVersionWithoutIterations = 6; ///< of one step, without weight versions

struct Header {
    std::uint64_t magic = kMagic;
    std::uint32_t version = kFirstVersion;
    std::uint32_t reserved = 0;
    std::uint64_t size = 0;     ///< of what follows
    std::uint64_t checksum = 0; ///< of what follows
};
static_assert(sizeof(Header) == 32);

/// FNV-1a on 64 bits, a word at a time.
std::uint64_t checksumOf(std::string_view bytes)
{
    std::uint64_t hash = 0xcbf29ce484222325;
    while (!bytes.empty()) {
        std::uint64_t word = 0;
        const std::size_t count = std::min(bytes.size(), sizeof word);
        std::memcpy(&word, bytes.data(), count);
        hash = (hash ^ word) * 0x100000001b3;
        hash ^= hash >> 32U; // multiplication carries upwards only; bring the high bits back
        bytes.remove_prefix(count);
    }
    return hash;
}

class Writer {
public:
    template <class T>
    void put(const T &value)
    {
        static_assert(std::is_arithmetic_v<T>);
        m_bytes.append(reinterpret_cast<const char *>(&value), sizeof value);
    }
    template <class T>
    void putAll(const std::vector<T> &values)
    {
        static_assert(std::is_arithmetic_v<T>);
        m_bytes.append(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T));
    }
    [[nodiscard]] const std::string &bytes() const { return m_bytes; }

private:
    std::string m_bytes;
};

/// Never reads beyond the bytes: what is missing is 0 and noted.
class Reader {
public:
    explicit Reader(std::string_view bytes) : m_bytes(bytes) {}

    template <class T>
    T get()
    {
        static_assert(std::is_arithmetic_v<T> && !std::is_same_v<T, bool>);
        T value{};
        if (take(sizeof value))
            std::memcpy(&value, m_bytes.data() + m_position - sizeof value, sizeof value);
        return value;
    }
    template <class T>
    std::vector<T> getAll(std::size_t count)
    {
        std::vector<T> values;
        if (count > (m_bytes.size() - m_position) / sizeof(T) || !take(count * sizeof(T))) {
            m_good = false;
            return values;
        }
        values.resize(count);
        if (count > 0)
            std::memcpy(values.data(), m_bytes.data() + m_position - count * sizeof(T), count * sizeof(T));
        return values;
    }
    /// A number of things of at least `least` bytes each.
    std::size_t getCount(std::size_t least)
    {
        const auto count = get<std::uint64_t>();
        m_good = m_good && count <= (m_bytes.size() - m_position) / least;
        return m_good ? static_cast<std::size_t>(count) : 0;
    }
    /// An enumeration's value below its count.
    template <class Enum>
    Enum getEnum(int count)
    {
        const auto value = get<std::uint8_t>();
        m_good = m_good && value < count;
        return m_good ? static_cast<Enum>(value) : Enum{};
    }
    bool getFlag() { return getEnum<std::uint8_t>(2) != 0; }
    void require(bool condition) { m_good = m_good && condition; }
    [[nodiscard]] bool good() const { return m_good; }
    [[nodiscard]] bool atEnd() const { return m_position == m_bytes.size(); }

private:
    bool take(std::size_t size)
    {
        m_good = m_good && size <= m_bytes.size() - m_position;
        m_position += m_good ? size : 0;
        return m_good;
    }

    std::string_view m_bytes;
    std::size_t m_position = 0;
    bool m_good = true;
};

constexpr int kProvenanceCount = static_cast<int>(timeline::Provenance::Imported) + 1;
constexpr std::size_t kPassBytes = 8;
constexpr std::size_t kTransferBytes = 25;
constexpr std::size_t kAnchoredBytes = 25;

// Beyond what a plan may have (engine/model/checks/validate.cpp), so that sums over all lanes fit into 64 bits.
constexpr std::size_t kMostLanes = 1024;
constexpr int kMostStages = 1 << 16;
constexpr std::int32_t kMostMicrobatches = 1 << 20;
constexpr Nanos kLatest = Nanos{1} << 52; ///< 52 days

/// 0 <= begin <= end <= kLatest.
bool isInterval(Nanos begin, Nanos end)
{
    return begin >= 0 && begin <= end && end <= kLatest;
}

void putLane(Writer &out, const timeline::Lane &lane)
{
    out.put<std::uint64_t>(lane.size());
    out.put<std::uint8_t>(lane.vocabulary.empty() ? 0 : 1); // else one for each slice
    out.put(lane.tailBegin);
    out.put(lane.tailEnd);
    out.putAll(lane.begin);
    out.putAll(lane.end);
    out.putAll(lane.vocabulary);
    for (const schedule::Pass &pass : lane.pass) {
        out.put(pass.microbatch);
        out.put(pass.stage);
        out.put(static_cast<std::uint8_t>(pass.kind));
        out.put<std::uint8_t>(pass.pairedWithNext ? 1 : 0);
    }
}

timeline::Lane getLane(Reader &in)
{
    timeline::Lane lane;
    const std::size_t count = in.getCount(2 * sizeof(Nanos) + kPassBytes);
    const bool hasVocabulary = in.getFlag();
    lane.tailBegin = in.get<Nanos>();
    lane.tailEnd = in.get<Nanos>();
    lane.begin = in.getAll<Nanos>(count);
    lane.end = in.getAll<Nanos>(count);
    if (hasVocabulary)
        lane.vocabulary = in.getAll<Nanos>(count);
    in.require(isInterval(lane.tailBegin, lane.tailEnd));
    Nanos busy = 0;
    lane.pass.reserve(in.good() ? count : 0);
    for (std::size_t i = 0; i < count && in.good(); ++i) {
        in.require(isInterval(lane.begin[i], lane.end[i]) && (i == 0 || lane.begin[i - 1] <= lane.begin[i]));
        in.require(lane.vocabulary.empty() || isInterval(0, lane.vocabulary[i]));
        busy += in.good() ? lane.end[i] - lane.begin[i] : 0;
        in.require(busy <= kLatest); // slices do not overlap
        schedule::Pass pass;
        pass.microbatch = in.get<std::int32_t>();
        in.require(pass.microbatch >= 0 && pass.microbatch < kMostMicrobatches);
        pass.stage = in.get<std::uint16_t>();
        pass.kind = in.getEnum<schedule::PassKind>(schedule::kPassKindCount);
        pass.pairedWithNext = in.getFlag();
        lane.pass.push_back(pass);
    }
    return lane;
}

void putTransfer(Writer &out, const timeline::TransferSlice &slice)
{
    out.put(slice.begin);
    out.put(slice.end);
    out.put(slice.microbatch);
    out.put(slice.device);
    out.put(slice.peer);
    out.put(static_cast<std::uint8_t>(slice.transfer));
}

timeline::TransferSlice getTransfer(Reader &in, std::size_t devices)
{
    timeline::TransferSlice slice;
    slice.begin = in.get<Nanos>();
    slice.end = in.get<Nanos>();
    slice.microbatch = in.get<std::int32_t>();
    slice.device = in.get<std::int16_t>();
    slice.peer = in.get<std::int16_t>();
    slice.transfer = in.getEnum<schedule::Transfer>(schedule::kTransferCount);
    const auto isDevice = [&](int device) { return device >= 0 && static_cast<std::size_t>(device) < devices; };
    in.require(isInterval(slice.begin, slice.end) && isDevice(slice.device) && (slice.peer == -1 || isDevice(slice.peer)));
    in.require(slice.microbatch >= -1 && slice.microbatch < kMostMicrobatches);
    return slice;
}

void putAnchored(Writer &out, const timeline::Timeline &timeline)
{
    out.put(timeline.period);
    for (const timeline::Lane &lane : timeline.lanes) {
        out.put<std::uint64_t>(lane.anchored.size());
        for (const timeline::AnchoredSlice &slice : lane.anchored) {
            out.put(slice.begin);
            out.put(slice.end);
            out.put(slice.bytes);
            out.put(static_cast<std::uint8_t>(slice.kind));
            if (!timeline::isCopy(slice.kind))
                continue;
            out.put(slice.stage);
            out.put(slice.microbatch);
        }
    }
}

void getAnchored(Reader &in, timeline::Timeline &timeline)
{
    timeline.period = in.get<Nanos>();
    in.require(isInterval(0, timeline.period));
    for (timeline::Lane &lane : timeline.lanes) {
        const std::size_t count = in.getCount(kAnchoredBytes);
        for (std::size_t i = 0; i < count && in.good(); ++i) {
            timeline::AnchoredSlice &slice = lane.anchored.emplace_back();
            slice.begin = in.get<Nanos>();
            slice.end = in.get<Nanos>();
            slice.bytes = in.get<base::Bytes>();
            slice.kind = in.getEnum<timeline::AnchoredKind>(timeline::kAnchoredKinds);
            in.require(isInterval(slice.begin, slice.end) && slice.bytes >= 0);
            if (!timeline::isCopy(slice.kind))
                continue;
            slice.stage = in.get<std::uint16_t>();
            slice.microbatch = in.get<std::int32_t>();
            in.require(slice.microbatch >= 0 && slice.microbatch < kMostMicrobatches);
        }
    }
}

void putProcessor(Writer &out, const timeline::Timeline &timeline)
{
    for (const timeline::Lane &lane : timeline.lanes) {
        out.put<std::uint8_t>(lane.processor.empty() ? 0 : 1);
        out.putAll(lane.processor);
    }
}

void getProcessor(Reader &in, timeline::Timeline &timeline)
{
    for (timeline::Lane &lane : timeline.lanes) {
        if (in.getFlag())
            lane.processor = in.getAll<Nanos>(lane.size());
        for (std::size_t i = 0; i < lane.processor.size(); ++i)
            in.require(lane.processor[i] >= 0 && lane.processor[i] <= lane.end[i] - lane.begin[i]);
    }
}

void putIterations(Writer &out, const timeline::Timeline &timeline)
{
    out.put<std::int32_t>(timeline.iterations);
    out.put<std::int32_t>(timeline.stepMicrobatches);
    out.put<std::uint64_t>(timeline.weightVersions.size());
    for (const std::vector<std::int32_t> &versions : timeline.weightVersions) {
        out.put<std::uint64_t>(versions.size());
        out.putAll(versions);
    }
}

void getIterations(Reader &in, timeline::Timeline &timeline)
{
    timeline.iterations = in.get<std::int32_t>();
    timeline.stepMicrobatches = in.get<std::int32_t>();
    in.require(timeline.iterations >= 1 && timeline.iterations < kMostMicrobatches);
    in.require(timeline.stepMicrobatches >= (timeline.iterations > 1 ? 1 : 0));
    const std::size_t stages = in.getCount(sizeof(std::uint64_t));
    in.require(stages < kMostStages);
    for (std::size_t i = 0; i < stages && in.good(); ++i) {
        timeline.weightVersions.push_back(in.getAll<std::int32_t>(in.getCount(sizeof(std::int32_t))));
        in.require(std::ranges::all_of(timeline.weightVersions.back(), [](std::int32_t version) { return version >= 0; }));
    }
    // Every pass belongs to one of the steps.
    for (const timeline::Lane &lane : timeline.lanes)
        in.require(std::ranges::all_of(
            lane.pass, [&](const schedule::Pass &pass) { return in.good() && timeline.stepOf(pass) < timeline.iterations; }));
}

Error damaged(std::string_view what)
{
    return Error::failed(fmt::format("the stored timeline is damaged ({}); its figures in the run table still hold; delete the "
                                     "run or put a backup of the database in place",
                                     what));
}

} // namespace

std::string encodeTimeline(const timeline::Timeline &timeline)
{
    Writer body;
    body.put(static_cast<std::uint8_t>(timeline.provenance));
    body.put<std::uint64_t>(timeline.lanes.size());
    for (const timeline::Lane &lane : timeline.lanes)
        putLane(body, lane);
    body.put<std::uint64_t>(timeline.transfers.size());
    for (const timeline::TransferSlice &slice : timeline.transfers)
        putTransfer(body, slice);
    body.put<std::uint64_t>(timeline.stages.size());
    for (const std::vector<int> &stages : timeline.stages) {
        body.put<std::uint64_t>(stages.size());
        body.putAll(stages);
    }
    const bool hasAnchored = timeline.period > 0 || std::ranges::any_of(timeline.lanes, [](const timeline::Lane &lane) {
                                 return !lane.anchored.empty();
                             });
    const auto hasKind = [&timeline](const auto &isOne) {
        return std::ranges::any_of(timeline.lanes, [&isOne](const timeline::Lane &lane) {
            return std::ranges::any_of(lane.anchored, isOne, &timeline::AnchoredSlice::kind);
        });
    };
    const bool hasAverages = hasKind([](auto kind) { return kind == timeline::AnchoredKind::AverageParameters; });
    const bool hasCopies = hasKind(timeline::isCopy);
    const bool hasSlices = timeline.slices > 1;
    const bool hasProcessor =
        std::ranges::any_of(timeline.lanes, [](const timeline::Lane &lane) { return !lane.processor.empty(); });
    const bool hasIterations = timeline.iterations > 1 || !timeline.weightVersions.empty();
    const std::uint32_t version = hasIterations  ? kVersion
                                  : hasProcessor ? kVersionWithoutIterations
                                  : hasAverages  ? kVersionWithoutProcessor
                                  : hasSlices    ? kVersionWithoutAverages
                                  : hasCopies    ? kVersionWithoutSlices
                                  : hasAnchored  ? kVersionWithoutCopies
                                                 : kFirstVersion;
    if (version > kFirstVersion)
        putAnchored(body, timeline);
    if (version > kVersionWithoutSlices)
        body.put<std::int32_t>(timeline.slices);
    if (version > kVersionWithoutProcessor)
        putProcessor(body, timeline);
    if (version > kVersionWithoutIterations)
        putIterations(body, timeline);
    return withChecksum(std::string(sizeof(Header), '\0') + body.bytes(), version);
}

std::string withChecksum(std::string bytes, std::uint32_t version)
{
    const std::string_view content = std::string_view(bytes).substr(sizeof(Header));
    Header header;
    header.version = version;
    header.size = content.size();
    header.checksum = checksumOf(content);
    std::memcpy(bytes.data(), &header, sizeof header);
    return bytes;
}

Result<timeline::TimelinePtr> decodeTimeline(std::string_view bytes)
{
    Header header;
    if (bytes.size() < sizeof header)
        return damaged("too short");
    std::memcpy(&header, bytes.data(), sizeof header);
    bytes.remove_prefix(sizeof header);
    if (header.magic != kMagic)
        return damaged("no timeline at all");
    if (header.version > kVersion)
        return Error::failed(fmt::format("the stored timeline has format version {}, made by a newer Stagelens; this one knows "
                                         "versions up to {}; update Stagelens",
                                         header.version, kVersion));
    if (header.version == 0 || header.size != bytes.size())
        return damaged("wrong length");
    if (header.checksum != checksumOf(bytes))
        return damaged("wrong checksum");
    Reader in(bytes);
    auto timeline = std::make_shared<timeline::Timeline>();
    timeline->provenance = in.getEnum<timeline::Provenance>(kProvenanceCount);
    const std::size_t lanes = in.getCount(1);
    in.require(lanes <= kMostLanes);
    for (std::size_t i = 0; i < lanes && in.good(); ++i)
        timeline->lanes.push_back(getLane(in));
    const std::size_t transfers = in.getCount(kTransferBytes);
    for (std::size_t i = 0; i < transfers && in.good(); ++i)
        timeline->transfers.push_back(getTransfer(in, lanes));
    const std::size_t stages = in.getCount(sizeof(std::uint64_t));
    in.require(stages <= lanes);
    for (std::size_t i = 0; i < stages && in.good(); ++i) {
        timeline->stages.push_back(in.getAll<int>(in.getCount(sizeof(int))));
        in.require(std::ranges::all_of(timeline->stages.back(), [](int stage) { return stage >= 0 && stage < kMostStages; }));
    }
    if (header.version > kFirstVersion)
        getAnchored(in, *timeline);
    if (header.version > kVersionWithoutSlices) {
        timeline->slices = in.get<std::int32_t>();
        in.require(timeline->slices >= 1 && timeline->slices < kMostMicrobatches);
    }
    if (header.version > kVersionWithoutProcessor)
        getProcessor(in, *timeline);
    if (header.version > kVersionWithoutIterations)
        getIterations(in, *timeline);
    if (!in.good() || !in.atEnd())
        return damaged("impossible values");
    return timeline::TimelinePtr(std::move(timeline));
}

} // namespace stagelens::store
