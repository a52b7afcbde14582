#include "engine/exchange/torch_csv.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace stagelens::exchange {

namespace {

using schedule::PassKind;

constexpr std::array<std::string_view, 15> kLetters{
    "F",           "I",           "W",       "B",       "SEND_F",      "RECV_F",           "SEND_B", "RECV_B",
    "WAIT_SEND_F", "WAIT_SEND_B", "UNSHARD", "RESHARD", "REDUCE_GRAD", "WAIT_REDUCE_GRAD", ""};
static_assert(kLetters.size() == static_cast<std::size_t>(TorchKind::Idle) + 1);

constexpr std::array kPassKinds{PassKind::F, PassKind::I, PassKind::W, PassKind::B};

void append(std::string &out, const TorchAction &action, TorchDialect dialect)
{
    const bool isOf2024 = dialect == TorchDialect::Of2024;
    out += std::to_string(action.stage);
    out += isOf2024 && action.kind == TorchKind::I   ? std::string_view("B")
           : isOf2024 && action.kind == TorchKind::B ? std::string_view("BW")
                                                     : kLetters[static_cast<std::size_t>(action.kind)];
    if (action.microbatch >= 0)
        out += std::to_string(action.microbatch);
}

void appendRow(std::string &out, const std::vector<TorchAction> &row, TorchDialect dialect)
{
    bool isFirst = true;
    bool isInside = false;
    for (const TorchAction &action : row) {
        if (action.kind == TorchKind::Idle) {
            out.append(static_cast<std::size_t>(action.microbatch) - (isFirst ? 1 : 0), ',');
            isFirst = false;
            continue;
        }
        out += isInside ? ";" : isFirst ? "" : ",";
        isFirst = false;
        if (!isInside && action.overlap != TorchOverlap::None)
            out += '(';
        append(out, action, dialect);
        isInside = action.overlap == TorchOverlap::More;
        if (action.overlap == TorchOverlap::Last)
            out += ")OVERLAP_F_B";
    }
    out += '\n';
}

bool hasAny(const std::vector<std::vector<TorchAction>> &ranks, bool (*is)(TorchKind))
{
    return std::ranges::any_of(ranks, [is](const std::vector<TorchAction> &row) {
        return std::ranges::any_of(row, [is](const TorchAction &action) { return is(action.kind); });
    });
}

base::Result<TorchKind> kindOf(const schedule::Pass &pass, int device)
{
    const auto *const found = std::ranges::find(kPassKinds, pass.kind);
    if (found == kPassKinds.end())
        return base::Error::invalid("schedule.vocabulary",
                                    fmt::format("device {} has pass {}, which PyTorch's schedule CSV has no letter for; export "
                                                "a schedule with vocabulary none or redis, or choose csv or json",
                                                device, schedule::text(pass)));
    return static_cast<TorchKind>(found - kPassKinds.begin());
}

} // namespace

bool TorchCsv::hasWaits() const
{
    return hasAny(ranks, [](TorchKind kind) {
        return kind == TorchKind::WaitSendF || kind == TorchKind::WaitSendB || kind == TorchKind::WaitReduceGrad;
    });
}

std::string text(const TorchCell &cell)
{
    return fmt::format("row {}, column {}", cell.row, cell.column);
}

std::string text(const TorchAction &action, TorchDialect dialect)
{
    std::string out;
    append(out, action, dialect);
    return out;
}

std::string writeTorchCsv(const TorchCsv &csv)
{
    std::string out;
    for (const std::vector<TorchAction> &row : csv.ranks)
        appendRow(out, row, csv.dialect);
    return out;
}

TorchCell cellOf(const TorchCsv &csv, int device, std::size_t position)
{
    const auto row = static_cast<std::size_t>(device);
    TorchCell cell{row + 1, 1};
    for (const TorchAction &action : csv.ranks[row]) {
        if (isCompute(action.kind) && position-- == 0)
            break;
        if (action.overlap != TorchOverlap::More)
            cell.column += action.kind == TorchKind::Idle ? static_cast<std::size_t>(action.microbatch) : 1;
    }
    return cell;
}

std::string torchOmission(const schedule::Schedule &schedule)
{
    if (schedule.isSynchronous())
        return {};
    return fmt::format("{} updates its weights {}, which PyTorch's schedule CSV cannot say: whoever reads the file trains this "
                       "order synchronously, with one update at the end of the step",
                       schedule.family(), schedule::name(schedule.weightUpdate()));
}

base::Result<TorchCsv> torchCsvOf(const schedule::Schedule &schedule)
{
    if (schedule.drainsBetweenSteps()) // PyTorch runs one at a time
        return torchCsvOf(schedule.firstStep());
    if (schedule.placement().directions > 1)
        return base::Error::invalid("schedule.family",
                                    fmt::format("{} has two replicas of the model, and PyTorch's schedule CSV has one rank a "
                                                "stage; export dualpipe-v, or choose csv or json",
                                                schedule.family()));
    if (schedule.slices() > 1)
        return base::Error::invalid("schedule.family", fmt::format("{} runs slices of sequences, and PyTorch's schedule CSV "
                                                                   "has whole microbatches; export 1f1b, or choose csv or json",
                                                                   schedule.family()));
    TorchCsv csv;
    for (int device = 0; device < schedule.devices(); ++device) {
        std::vector<TorchAction> &row = csv.ranks.emplace_back();
        row.reserve(schedule.device(device).size());
        bool isSecond = false;
        for (const schedule::Pass &pass : schedule.device(device)) {
            const auto kind = kindOf(pass, device);
            if (!kind)
                return kind.error();
            const bool isPaired = pass.pairedWithNext && row.size() + 1 < schedule.device(device).size();
            row.push_back({pass.microbatch, pass.stage, *kind,
                           isPaired   ? TorchOverlap::More
                           : isSecond ? TorchOverlap::Last
                                      : TorchOverlap::None});
            isSecond = isPaired;
        }
    }
    return csv;
}

} // namespace stagelens::exchange
