#include "ui/morph/morph.h"

#include "ui/words/time_axis.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <tuple>

namespace stagelens::ui {
namespace {

using schedule::PassKind;
using timeline::Timeline;

/// What a piece does, whichever passes of a plan do it.
enum class Role : std::uint8_t {
    Forward,
    InputGradient,
    WeightGradient,
    Output,
    OutputGradient,
    Embedding,
    EmbeddingGradient,
    Other
};

/// Role, stage or device, microbatch, kind of a pass that has no other role.
using Key = std::tuple<Role, int, int, PassKind>;
using Pieces = std::map<Key, MorphSpot>;

constexpr int kMostPiecesOfAPass = 16;
constexpr double kStagger = 0.6; ///< of one piece's flight: by so much the last piece sets out later than the first

/// What both plans are cut into.
struct Grain {
    int stages = 1; ///< a common multiple of both
    bool splitsBackward = false;
    int vocabularyPieces = 1; ///< of an output or embedding pass
};

bool has(const Timeline &timeline, std::initializer_list<PassKind> kinds)
{
    return std::ranges::any_of(timeline.lanes, [kinds](const timeline::Lane &lane) {
        return std::ranges::any_of(
            lane.pass, [kinds](const schedule::Pass &pass) { return std::ranges::find(kinds, pass.kind) != kinds.end(); });
    });
}

int stagesOf(const Timeline &timeline)
{
    int last = 0;
    for (const std::vector<int> &stages : timeline.stages)
        for (const int stage : stages)
            last = std::max(last, stage);
    return last + 1;
}

/// The part of [begin, end) with that number of so many equal ones.
MorphSpot partOf(const MorphSpot &spot, int number, int count)
{
    const base::Nanos length = spot.end - spot.begin;
    MorphSpot cut = spot;
    cut.begin = spot.begin + length * number / count;
    cut.end = spot.begin + length * (number + 1) / count;
    return cut;
}

/// Cuts the passes of one plan.
class Cutter {
public:
    Cutter(const Timeline &timeline, const Grain &grain) : m_timeline(timeline), m_grain(grain), m_stages(stagesOf(timeline)) {}
    [[nodiscard]] Pieces cut();

private:
    void addPass(int device, const timeline::Lane &lane, std::size_t slice);
    void addVocabularyPass(int device, const schedule::Pass &pass, const MorphSpot &spot);
    /// Takes the vocabulary share out of a pass of layers; returns the rest.
    MorphSpot addShare(const schedule::Pass &pass, MorphSpot spot, base::Nanos share);
    /// Its chunks in the order in which they run.
    void addStages(Role role, const schedule::Pass &pass, const MorphSpot &spot, bool isForward);

    const Timeline &m_timeline;
    const Grain &m_grain;
    int m_stages;
    Pieces m_pieces;
};

void Cutter::addStages(Role role, const schedule::Pass &pass, const MorphSpot &spot, bool isForward)
{
    const int count = std::max(m_grain.stages / m_stages, 1);
    for (int i = 0; i < count; ++i)
        m_pieces[{role, pass.stage * count + i, pass.microbatch, PassKind::F}] =
            partOf(spot, isForward ? i : count - 1 - i, count);
}

MorphSpot Cutter::addShare(const schedule::Pass &pass, MorphSpot spot, base::Nanos share)
{
    // The output layer follows the last stage's forward and leads its backward; the embedding does the reverse on the first.
    const bool isOutput = pass.stage == m_stages - 1;
    const bool isForward = pass.kind == PassKind::F;
    MorphSpot cut = spot;
    cut.isVocabulary = true;
    if (isOutput == isForward)
        spot.end = cut.begin = spot.end - share;
    else
        spot.begin = cut.end = spot.begin + share;
    const Role role =
        isOutput ? (isForward ? Role::Output : Role::OutputGradient) : (isForward ? Role::Embedding : Role::EmbeddingGradient);
    for (int i = 0; i < m_grain.vocabularyPieces; ++i)
        m_pieces[{role, i, pass.microbatch, PassKind::F}] = partOf(cut, i, m_grain.vocabularyPieces);
    return spot;
}

void Cutter::addVocabularyPass(int device, const schedule::Pass &pass, const MorphSpot &spot)
{
    const auto role = [&pass] {
        switch (pass.kind) {
        case PassKind::S: return Role::Output;
        case PassKind::T: return Role::OutputGradient;
        case PassKind::EF: return Role::Embedding;
        case PassKind::EB: return Role::EmbeddingGradient;
        default: return Role::Other;
        }
    }();
    m_pieces[{role, device, pass.microbatch, role == Role::Other ? pass.kind : PassKind::F}] = spot;
}

void Cutter::addPass(int device, const timeline::Lane &lane, std::size_t slice)
{
    const schedule::Pass &pass = lane.pass[slice];
    MorphSpot spot{device, lane.begin[slice], lane.end[slice], pass.kind, false};
    if (schedule::isVocabularyPass(pass.kind)) {
        addVocabularyPass(device, pass, spot);
        return;
    }
    const base::Nanos share = slice < lane.vocabulary.size() ? std::min(lane.vocabulary[slice], spot.end - spot.begin) : 0;
    if (share > 0 && (pass.stage == 0 || pass.stage == m_stages - 1))
        spot = addShare(pass, spot, share);
    switch (pass.kind) {
    case PassKind::F: addStages(Role::Forward, pass, spot, true); break;
    case PassKind::I: addStages(Role::InputGradient, pass, spot, false); break;
    case PassKind::W: addStages(Role::WeightGradient, pass, spot, false); break;
    case PassKind::B:
        addStages(Role::InputGradient, pass, m_grain.splitsBackward ? partOf(spot, 0, 2) : spot, false);
        if (m_grain.splitsBackward)
            addStages(Role::WeightGradient, pass, partOf(spot, 1, 2), false);
        break;
    default: break;
    }
}

Pieces Cutter::cut()
{
    for (int device = 0; device < m_timeline.devices(); ++device) {
        const timeline::Lane &lane = m_timeline.lanes[static_cast<std::size_t>(device)];
        for (std::size_t slice = 0; slice < lane.size(); ++slice)
            addPass(device, lane, slice);
    }
    return std::move(m_pieces);
}

Grain grainOf(const Timeline &from, const Timeline &to)
{
    Grain grain;
    const int least = std::max(stagesOf(from), stagesOf(to));
    grain.stages = std::lcm(stagesOf(from), stagesOf(to));
    if (grain.stages > kMostPiecesOfAPass * least)
        grain.stages = least;
    grain.splitsBackward = has(from, {PassKind::I, PassKind::W}) || has(to, {PassKind::I, PassKind::W});
    if (has(from, {PassKind::S, PassKind::T}) || has(to, {PassKind::S, PassKind::T}))
        grain.vocabularyPieces = std::max({from.devices(), to.devices(), 1});
    return grain;
}

double smooth(double share)
{
    return share * share * (3 - 2 * share);
}

} // namespace

Morph morphBetween(const Timeline &from, const Timeline &to)
{
    const Grain grain = grainOf(from, to);
    const Pieces first = Cutter(from, grain).cut();
    Pieces second = Cutter(to, grain).cut();
    Morph morph;
    morph.devices = std::max(from.devices(), to.devices());
    morph.fromEnd = lengthOf(from);
    morph.toEnd = lengthOf(to);
    for (const auto &[key, spot] : first) {
        MorphPiece piece{std::get<2>(key), spot, {}};
        if (auto match = second.extract(key); !match.empty())
            piece.to = match.mapped();
        morph.pieces.push_back(piece);
    }
    for (const auto &[key, spot] : second)
        morph.pieces.push_back({std::get<2>(key), {}, spot});
    std::ranges::stable_partition(morph.pieces, [](const MorphPiece &piece) {
        return !piece.from || !piece.to || piece.from->device == piece.to->device;
    });
    return morph;
}

std::pair<double, double> flightOf(const Morph &morph, const MorphPiece &piece)
{
    const MorphSpot &spot = piece.from ? *piece.from : *piece.to;
    const base::Nanos whole = std::max<base::Nanos>(piece.from ? morph.fromEnd : morph.toEnd, 1);
    const double place = std::clamp(static_cast<double>(spot.begin) / static_cast<double>(whole), 0.0, 1.0);
    const double length = 1 / (1 + kStagger);
    const double begin = kStagger * length * place;
    return {begin, begin + length};
}

MorphBox boxAt(const Morph &morph, const MorphPiece &piece, double progress)
{
    const auto [begin, end] = flightOf(morph, piece);
    const double share = smooth(std::clamp((progress - begin) / (end - begin), 0.0, 1.0));
    const MorphSpot &a = piece.from ? *piece.from : *piece.to;
    const MorphSpot &b = piece.to ? *piece.to : *piece.from;
    const auto between = [share](auto first, auto second) {
        return static_cast<double>(first) + share * (static_cast<double>(second) - static_cast<double>(first));
    };
    MorphBox box;
    box.lane = between(a.device, b.device);
    box.begin = between(a.begin, b.begin);
    box.end = between(a.end, b.end);
    box.opacity = !piece.from ? share : !piece.to ? 1 - share : 1;
    box.share = share;
    return box;
}

} // namespace stagelens::ui
