#include "engine/operators/partition.h"

#include "engine/model/family_shape.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <stdexcept>
#include <utility>

namespace stagelens::operators {
namespace {

bool isCutByRows(const Block &whole, const BlockParameter &parameter)
{
    return parameter.isMatrix() && (whole.layout == WeightLayout::InputByOutput) == (parameter.cut == Cut::Inputs);
}

bool isWhole(const BlockParameter &parameter)
{
    return parameter.cut == Cut::Whole || parameter.cut == Cut::Partial;
}

bool isCutByColumns(const Block &whole, const BlockParameter &parameter)
{
    return !isWhole(parameter) && !isCutByRows(whole, parameter);
}

/// Returns the elements of the cut dimension that a rank holds.
std::vector<layout::Interval> intervalsOf(const Block &whole, const BlockParameter &parameter, int rank, int ranks)
{
    if (parameter.cut == Cut::Inputs) {
        const std::int64_t each = (isCutByRows(whole, parameter) ? parameter.rows : parameter.columns) / ranks;
        return {{rank * each, (rank + 1) * each}};
    }
    std::vector<layout::Interval> intervals;
    std::int64_t first = 0;
    for (const Section &section : parameter.sections) {
        const std::int64_t parts = section.parts(ranks);
        const std::int64_t width = section.width / parts;
        const std::int64_t part = rank / (ranks / parts);
        intervals.push_back({first + part * width, first + (part + 1) * width});
        first += section.width;
    }
    return intervals;
}

/// Writes the block of one rank, operator by operator.
class Partition {
public:
    Partition(const Block &whole, const TensorSplit &split) : m_whole(whole), m_split(split)
    {
        m_made.layout = whole.layout;
        m_made.dropouts = whole.dropouts;
        m_made.routing = whole.routing;
        m_made.tensorRanks = split.ranks;
        m_routesOwnRows = split.foldsExperts();
        for (const BlockParameter &each : whole.parameters)
            m_made.parameters.push_back(part(each));
        for (const Value &each : whole.values)
            m_made.values.push_back(each);
    }

    [[nodiscard]] Block make()
    {
        own(Block::kInput);
        for (const Operator &op : m_whole.operators) {
            switch (op.kind) {
            case OperatorKind::Linear: addLinear(op); break;
            case OperatorKind::LayerNorm:
            case OperatorKind::RmsNorm:
            case OperatorKind::Add:
                for (const ValueId value : op.outputs)
                    own(value);
                m_made.operators.push_back(op);
                break;
            case OperatorKind::Route:
            case OperatorKind::Dispatch:
            case OperatorKind::ExpertLinear:
            case OperatorKind::ExpertSwiGlu:
            case OperatorKind::Combine: m_routesOwnRows ? addOwn(op) : addRouted(op); break;
            default: addInside(op);
            }
        }
        m_made.output = m_whole.output;
        return std::move(m_made);
    }

private:
    [[nodiscard]] BlockParameter part(BlockParameter parameter) const
    {
        if (parameter.isOfExperts && m_routesOwnRows) // whole matrices; see withExpertRanks()
            return parameter;
        const std::int64_t count = partOf(m_whole, parameter, 0, m_split.ranks).count();
        if (isCutByColumns(m_whole, parameter))
            parameter.columns = count / parameter.rows;
        else
            parameter.rows = count / parameter.columns;
        return parameter;
    }
    [[nodiscard]] Value &value(ValueId id) { return m_made.values[static_cast<std::size_t>(id)]; }
    void own(ValueId id) { value(id).isOwnRows = m_split.isSequenceParallel; }
    ValueId append(OperatorKind kind, ValueId in, Value out)
    {
        const auto id = static_cast<ValueId>(m_made.values.size());
        m_made.values.push_back(out);
        m_made.operators.push_back({kind, {in}, {id}, {}, {}});
        return id;
    }

    /// An operator that each rank computes for its own tokens.
    void addOwn(const Operator &op)
    {
        for (const ValueId output : op.outputs)
            own(output);
        m_made.operators.push_back(op);
    }

    /// An operator of experts whose matrices the ranks divide. All ranks route all tokens.
    void addRouted(const Operator &op)
    {
        switch (op.kind) {
        case OperatorKind::Dispatch:
            m_made.operators.push_back(op);
            m_made.operators.back().inputs[0] = entered(op.inputs[0]);
            break;
        case OperatorKind::ExpertLinear: addExpertLinear(op); break;
        case OperatorKind::ExpertSwiGlu: addInside(op); break;
        case OperatorKind::Combine: addCombine(op); break;
        default: m_made.operators.push_back(op); break;
        }
    }

    /// An operator between the two linear maps of a half, each rank on its own heads or columns.
    void addInside(const Operator &op)
    {
        for (const ValueId output : op.outputs) {
            const bool isCopy = op.kind == OperatorKind::Rotary; // fused rows: as wide as they come
            value(output).width = isCopy ? value(op.inputs[0]).width : value(output).width / m_split.ranks;
        }
        m_made.operators.push_back(op);
    }

    void addLinear(const Operator &op)
    {
        const Cut cut = m_whole.parameter(op.projections.front().weight).cut;
        switch (cut) {
        case Cut::Whole: throw std::logic_error("a linear map of a block is not cut"); // its norm would be summed wrongly
        case Cut::Partial: return m_routesOwnRows ? addOwn(op) : addByOutputs(op);
        case Cut::Outputs: return addByOutputs(op);
        case Cut::Inputs: return addByInputs(op);
        }
    }

    void addByOutputs(const Operator &op)
    {
        Operator made = op;
        made.inputs[0] = entered(op.inputs[0]);
        std::map<ValueId, std::int64_t> widths;
        for (Projection &projection : made.projections) {
            projection.firstColumn = widths[projection.out];
            widths[projection.out] += m_made.outputWidth(projection);
        }
        for (const auto &[output, width] : widths)
            value(output).width = width;
        m_made.operators.push_back(std::move(made));
    }

    /// The rows of the experts are those of all tokens. A rank has its columns of `gate` and `up`, and computes a part of
    /// `down`.
    void addExpertLinear(const Operator &op)
    {
        for (const Projection &projection : op.projections)
            if (m_whole.parameter(projection.weight).cut == Cut::Outputs)
                value(projection.out).width /= m_split.ranks;
        m_made.operators.push_back(op);
    }

    /// A token's rows are combined before their sum over the ranks, which is shorter then.
    void addCombine(const Operator &op)
    {
        Operator made = op;
        const ValueId sum = op.outputs[0];
        const auto part = static_cast<ValueId>(m_made.values.size());
        made.outputs = {part};
        m_made.values.push_back({"part", value(sum).width});
        m_made.operators.push_back(std::move(made));
        addSum(part, sum, {});
    }

    void addSum(ValueId part, ValueId sum, std::vector<int> bias)
    {
        own(sum);
        m_made.operators.push_back({m_split.isSequenceParallel ? OperatorKind::ReduceScatter : OperatorKind::AllReduce,
                                    {part},
                                    {sum},
                                    std::move(bias),
                                    {}});
    }

    /// Returns a value as the ranks' columns read it. All readers share it, so that its gradient is summed once over the ranks.
    ValueId entered(ValueId x)
    {
        const auto known = m_entered.find(x);
        if (known != m_entered.end())
            return known->second;
        Value made = m_made.value(x);
        made.name = m_split.isSequenceParallel ? "gathered" : "entered";
        made.isOwnRows = false;
        return m_entered[x] = append(m_split.isSequenceParallel ? OperatorKind::AllGather : OperatorKind::Replicate, x, made);
    }

    void addByInputs(const Operator &op)
    {
        Operator made = op;
        Projection &projection = made.projections.front();
        const int bias = std::exchange(projection.bias, -1); // added once, to the sum
        const ValueId sum = projection.out;
        projection.out = static_cast<ValueId>(m_made.values.size());
        made.outputs = {projection.out};
        m_made.values.push_back({"part", value(sum).width});
        const ValueId part = projection.out;
        m_made.operators.push_back(std::move(made));
        addSum(part, sum, bias >= 0 ? std::vector{bias} : std::vector<int>());
    }

    const Block &m_whole;
    TensorSplit m_split;
    bool m_routesOwnRows = false;
    Block m_made;
    std::map<ValueId, ValueId> m_entered;
};

/// Lets attention read the keys and values of the whole sequences, of which each context rank has its part. In a ring it has
/// one part at a time; that which arrives is a message.
Block withGatheredKeys(Block block, const TensorSplit &split)
{
    const bool isRing = split.contextMethod == model::ContextMethod::Ring;
    const int parts = isRing ? 1 : split.context;
    std::vector<Operator> operators;
    for (Operator &op : block.operators) {
        if (op.kind == OperatorKind::Attention) {
            const ValueId qkv = op.inputs[0];
            const auto keys = static_cast<ValueId>(block.values.size());
            // Of the tokens of several ranks: as many times wider for each token of this one.
            block.values.push_back({"keys", parts * (block.value(qkv).width - block.value(op.outputs[0]).width)});
            operators.push_back({OperatorKind::GatherKeys, {qkv}, {keys}, {}, {}, isRing ? split.context : 0});
            op.inputs.push_back(keys);
        }
        operators.push_back(std::move(op));
    }
    block.operators = std::move(operators);
    return block;
}

/// Lets the balance loss count the tokens of the whole microbatch, of which each rank routes a part.
Block withSummedChoices(Block block)
{
    const auto route = std::ranges::find(block.operators, OperatorKind::Route, &Operator::kind);
    if (block.routing.auxLoss == 0 || route == block.operators.end())
        return block;
    const auto choices = static_cast<ValueId>(block.values.size());
    block.values.push_back({"choices", block.routing.experts, true}); // room for as many numbers as experts
    block.operators.insert(route + 1, {OperatorKind::SumChoices, {route->outputs[1]}, {choices}, {}, {}});
    return block;
}

/// Lets experts with a capacity drop rows of the whole microbatch, of which each rank routes a part.
Block withSharedDrops(Block block)
{
    const auto route = std::ranges::find(block.operators, OperatorKind::Route, &Operator::kind);
    if (block.routing.capacityFactor == 0 || route == block.operators.end())
        return block;
    const ValueId gates = route->outputs[0];
    const ValueId routes = route->outputs[1];
    const auto kept = static_cast<ValueId>(block.values.size());
    block.values.push_back(block.value(routes));
    block.values.back().name = "kept routes";
    for (auto op = route + 1; op != block.operators.end(); ++op)
        std::ranges::replace(op->inputs, routes, kept);
    block.operators.insert(route + 1, {OperatorKind::DropRows, {routes, gates}, {kept}, {}, {}});
    return block;
}

/// Lets attention read the keys and values of a whole sequence, which its slices add in turn.
Block withKeptKeys(Block block)
{
    std::vector<Operator> operators;
    for (Operator &op : block.operators) {
        if (op.kind == OperatorKind::Attention) {
            const ValueId qkv = op.inputs[0];
            const auto keys = static_cast<ValueId>(block.values.size());
            block.values.push_back({"keys", block.value(qkv).width - block.value(op.outputs[0]).width});
            operators.push_back({OperatorKind::KeepKeys, {qkv}, {keys}, {}, {}});
            op.inputs.push_back(keys);
        }
        operators.push_back(std::move(op));
    }
    block.operators = std::move(operators);
    return block;
}

/// Lets attention have all tokens of some heads. `heads`: as many numbers for each of the rank's tokens as before.
Block withHeadsOfAllTokens(Block block)
{
    std::vector<Operator> operators;
    for (Operator &op : block.operators) {
        if (op.kind != OperatorKind::Attention) {
            operators.push_back(std::move(op));
            continue;
        }
        const ValueId rows = op.inputs[0];
        const ValueId out = op.outputs[0];
        const auto heads = static_cast<ValueId>(block.values.size());
        block.values.push_back({"heads", block.value(rows).width});
        block.values.push_back({"mixed", block.value(out).width});
        op.inputs[0] = heads;
        op.outputs[0] = heads + 1;
        operators.push_back({OperatorKind::TokensToHeads, {rows}, {heads}, {}, {}});
        operators.push_back(std::move(op));
        operators.push_back({OperatorKind::HeadsToTokens, {heads + 1}, {out}, {}, {}});
    }
    block.operators = std::move(operators);
    return block;
}

/// Sends the rows of each expert to the rank that has it, and returns what it makes of them. A rank has a part of the experts,
/// and of their values memory for `expertRows` rows for each token that it routes.
Block withExpertRanks(Block block, const TensorSplit &split)
{
    const int topK = block.routing.topK;
    block.expertRanks = split.expert;
    block.expertRows = expertRowsPerToken(block.routing.experts, topK, split.expert, split.expertHeadroom);
    for (BlockParameter &parameter : block.parameters)
        if (parameter.isOfExperts) {
            parameter.rows /= split.expert;
            parameter.experts /= split.expert;
        }
    const auto append = [&](std::string_view name, std::int64_t width, bool isStatistics) {
        block.values.push_back({name, width, isStatistics, split.ranks > 1});
        return static_cast<ValueId>(block.values.size()) - 1;
    };
    const auto widen = [&](ValueId id) {
        std::int64_t &width = block.values[static_cast<std::size_t>(id)].width;
        width = width / topK * block.expertRows;
    };
    std::vector<Operator> operators;
    ValueId gates = 0;
    ValueId arrivals = 0;
    ValueId routes = 0;
    for (Operator &op : block.operators) {
        switch (op.kind) {
        case OperatorKind::Route:
            gates = op.outputs[0];
            routes = op.outputs[1];
            operators.push_back(op);
            break;
        case OperatorKind::DropRows:
            routes = op.outputs[0];
            operators.push_back(op);
            break;
        case OperatorKind::Dispatch: {
            const ValueId rows = op.outputs[0];
            op.outputs[0] = append("packed", block.value(rows).width, false);
            const ValueId arrivedGates = append("arrived gates", block.expertRows, true);
            arrivals = append("arrivals", 3 * block.expertRows + 1, true);
            widen(rows);
            operators.push_back(op);
            operators.push_back(
                {OperatorKind::SendToExperts, {op.outputs[0], gates, routes}, {rows, arrivedGates, arrivals}, {}, {}});
            gates = arrivedGates;
            break;
        }
        case OperatorKind::ExpertLinear:
            op.inputs[1] = arrivals;
            for (const ValueId output : op.outputs)
                widen(output);
            operators.push_back(op);
            break;
        case OperatorKind::ExpertSwiGlu:
            op.inputs[2] = gates;
            op.inputs[3] = arrivals;
            widen(op.outputs[0]);
            operators.push_back(op);
            break;
        case OperatorKind::Combine: {
            const ValueId returned = append("returned", block.value(op.outputs[0]).width * topK, false);
            operators.push_back({OperatorKind::ReturnFromExperts, {op.inputs[0], arrivals, routes}, {returned}, {}, {}});
            op.inputs[0] = returned;
            operators.push_back(op);
            break;
        }
        default: operators.push_back(op);
        }
    }
    block.operators = std::move(operators);
    return block;
}

} // namespace

std::int64_t expertRowsPerToken(int experts, int topK, int ranks, double headroom)
{
    const std::int64_t most = std::int64_t{ranks} * std::min(topK, experts / ranks);
    return std::min(most, static_cast<std::int64_t>(std::ceil(headroom * topK)));
}

TensorSplit splitOf(const model::ParallelPlan &plan)
{
    return {.ranks = plan.tensor,
            .isSequenceParallel = plan.hasSequenceParallel(),
            .context = plan.context,
            .contextMethod = plan.contextMethod,
            .expert = plan.expert,
            .expertHeadroom = plan.expertHeadroom,
            .dividesVocabularyByTokens = plan.dividesVocabularyByTokens()};
}

TensorSplit engineSplit(const model::Experiment &experiment)
{
    TensorSplit split = splitOf(experiment.parallel);
    split.slices = model::slicesOf(experiment.schedule);
    return split;
}

Block partitioned(Block whole, const TensorSplit &split)
{
    Block block = split.ranks == 1 ? std::move(whole) : Partition(whole, split).make();
    if (split.context > 1)
        block = split.contextMethod == model::ContextMethod::Ulysses ? withHeadsOfAllTokens(std::move(block))
                                                                     : withGatheredKeys(std::move(block), split);
    if (split.context > 1 || split.foldsExperts())
        block = withSharedDrops(withSummedChoices(std::move(block)));
    if (split.slices > 1)
        block = withKeptKeys(std::move(block));
    return split.expert > 1 && block.routing.experts > 0 ? withExpertRanks(std::move(block), split) : block;
}

layout::MatrixPart partOf(const Block &whole, const BlockParameter &parameter, int rank, int ranks)
{
    if (ranks == 1 || isWhole(parameter))
        return layout::MatrixPart::ofRows(0, parameter.rows, parameter.columns);
    if (parameter.isOfExperts && isCutByRows(whole, parameter)) { // an expert a row
        const std::int64_t matrix = parameter.count() / parameter.experts;
        return {{0, parameter.experts}, {{rank * (matrix / ranks), (rank + 1) * (matrix / ranks)}}, matrix};
    }
    const std::vector<layout::Interval> intervals = intervalsOf(whole, parameter, rank, ranks);
    if (!isCutByRows(whole, parameter))
        return {{0, parameter.rows}, intervals, parameter.columns};
    if (intervals.size() > 1)
        throw std::logic_error("sections of rows of a weight");
    return layout::MatrixPart::ofRows(intervals.front().begin, intervals.front().size(), parameter.columns);
}

int copiesOf(const BlockParameter &parameter, int ranks)
{
    if (isWhole(parameter))
        return ranks;
    std::int64_t parts = ranks;
    for (const Section &section : parameter.sections)
        parts = std::min(parts, section.parts(ranks));
    return static_cast<int>(ranks / parts);
}

bool needsSum(const BlockParameter &parameter, const TensorSplit &split)
{
    const bool areExperts = parameter.isOfExperts && split.foldsExperts(); // each rank has others
    if (areExperts || copiesOf(parameter, split.ranks) == 1)
        return false;
    if (parameter.initial == Initial::RouterBias) // otherwise its ranks count the same rows
        return split.foldsExperts();
    return parameter.cut != Cut::Whole || split.isSequenceParallel;
}

} // namespace stagelens::operators
