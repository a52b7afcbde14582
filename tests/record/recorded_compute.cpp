#include "tests/record/recorded_compute.h"

#include <charconv>
#include <map>
#include <mutex>
#include <span>
#include <string_view>
#include <utility>

namespace stagelens::test {
namespace {

using backend::ConstValues;
using backend::LogitShard;
using backend::Operand;
using backend::Product;
using backend::Values;

struct Block {
    int device = 0;
    int number = 0; ///< in order of allocation by the device
    std::size_t bytes = 0;
};

/// All devices' memory and calls. The order among devices follows measured times, so each device has its own recording.
struct Log {
    std::mutex mutex;
    std::map<const std::byte *, Block> blocks; ///< by their first byte
    std::vector<Recording> devices;
    std::vector<std::string> traces; ///< of each device, if stored
    bool isTraced = false;
};

Log &theLog()
{
    static Log log;
    return log;
}

constexpr std::uint64_t kHashBegin = 0xCBF29CE484222325; // FNV-1a

std::uint64_t hashOf(std::string_view text, std::uint64_t hash)
{
    for (const char letter : text)
        hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001B3;
    return hash;
}

/// One call as a line of text.
class Line {
public:
    explicit Line(const char *name) : m_text(name) {}

    void add(bool value) { add(static_cast<std::int64_t>(value)); }
    void add(int value) { add(static_cast<std::int64_t>(value)); }
    void add(std::int64_t value) { word(std::to_string(value)); }
    void add(kernels::Turn turn) { add(static_cast<int>(turn)); }
    void add(float value)
    {
        char digits[32];
        const auto end = std::to_chars(std::begin(digits), std::end(digits), value, std::chars_format::hex).ptr;
        word({digits, end});
    }
    void add(const void *address)
    {
        const Log &log = theLog();
        const auto *const at = static_cast<const std::byte *>(address);
        const auto above = log.blocks.upper_bound(at);
        if (address == nullptr || above == log.blocks.begin())
            return word(address == nullptr ? "-" : "host");
        const auto &[first, block] = *std::prev(above);
        const auto offset = static_cast<std::size_t>(at - first);
        if (offset >= block.bytes)
            return word("host");
        word(std::to_string(block.device) + ':' + std::to_string(block.number) + '+' + std::to_string(offset));
    }
    void add(ConstValues values) { add(values.address()); }
    void add(Values values) { add(values.address()); }
    void add(const Operand &operand) { all(operand.data, operand.stride, operand.form == kernels::Form::Transposed); }
    void add(const Product &product)
    {
        all(product.rows, product.columns, product.inner, product.a, product.b, product.c, product.stride, product.beta,
            static_cast<int>(product.epilogue), product.addend, product.bias, product.between);
    }
    void add(const kernels::RoutingShape &shape) { all(shape.tokens, shape.experts, shape.topK); }
    void add(const kernels::RouterRule &rule)
    {
        all(rule.isSigmoid, rule.scale, rule.groups, rule.chosenGroups, rule.capacity, rule.dropsLast);
    }
    void add(const kernels::RouterLosses &losses) { all(losses.balance, losses.size, losses.weight); }
    void add(const LogitShard &shard) { all(shard.logits, shard.rows, shard.columns, shard.first); }
    void add(const kernels::AdamW &settings)
    {
        all(settings.learningRate, settings.beta1, settings.beta2, settings.epsilon, settings.weightDecay,
            settings.gradientScale, settings.correction1, settings.correction2);
    }
    void add(const kernels::RotaryShape &shape) { all(shape.rows, shape.sequence, shape.heads, shape.size, shape.stride); }
    void add(const kernels::AttentionShape &shape) { all(shape.batch, shape.sequence, shape.heads, shape.kvHeads, shape.size); }
    void add(const kernels::TableShard &shard) { all(shard.first, shard.count, shard.width); }
    void add(const kernels::SoftmaxStatistics &all_) { all(all_.maximum, all_.sum, all_.target, all_.tokens); }
    void add(kernels::ShardParts parts)
    {
        for (const auto &part : parts)
            add(part);
    }
    void add(std::span<const Values> parts)
    {
        for (const Values &part : parts)
            add(part);
    }
    template <class... Values>
    void all(const Values &...values)
    {
        (add(values), ...);
    }

    /// Appends the line to the device's log.
    void write(std::size_t device) const
    {
        Log &log = theLog();
        Recording &recording = log.devices[device];
        ++recording.calls;
        recording.hash = hashOf(m_text, recording.hash);
        if (log.isTraced)
            log.traces[device].append(m_text).append(1, '\n');
    }

private:
    void word(const std::string &text) { m_text.append(1, ' ').append(text); }
    std::string m_text;
};

class RecordedMemory : public backend::Memory {
public:
    explicit RecordedMemory(backend::Memory &inner) : m_inner(inner)
    {
        Log &log = theLog();
        const std::lock_guard lock(log.mutex);
        m_device = static_cast<int>(log.devices.size());
        log.devices.push_back({0, kHashBegin});
        log.traces.emplace_back();
    }
    [[nodiscard]] std::size_t device() const { return static_cast<std::size_t>(m_device); }
    float *allocate(std::size_t count) override
    {
        float *const data = m_inner.allocate(count);
        const std::lock_guard lock(theLog().mutex);
        theLog().blocks[reinterpret_cast<const std::byte *>(data)] = {m_device, m_number++, count * sizeof(float)};
        return data;
    }
    void release(float *data) noexcept override
    {
        {
            const std::lock_guard lock(theLog().mutex);
            theLog().blocks.erase(reinterpret_cast<const std::byte *>(data));
        }
        m_inner.release(data);
    }
    void poison(std::span<float> values) noexcept override { m_inner.poison(values); }

private:
    backend::Memory &m_inner;
    int m_device = 0;
    int m_number = 0;
};

class RecordedCompute : public backend::Compute {
public:
    explicit RecordedCompute(std::unique_ptr<backend::Compute> inner) : m_inner(std::move(inner)), m_memory(m_inner->memory())
    {}

    base::Precision precision() const override { return m_inner->precision(); }
    backend::Memory &memory() override { return m_memory; }
    backend::Memory &linkedMemory() override { return m_inner->linkedMemory(); }
    void beginStep() override { m_inner->beginStep(); }
    /// A clock that counts calls, so that the virtual clock runs the devices' passes in the same order every time. A call
    /// takes a thousand seconds, far longer than the measured messages, and on each device a little longer than on the one
    /// before, which leaves no ties for measured times to break.
    Mark mark() override
    {
        const std::lock_guard lock(theLog().mutex);
        const auto device = m_memory.device();
        return theLog().devices[device].calls * (1'000'000'000'000 + static_cast<base::Nanos>(device) * 12'345'679'012);
    }
    void finish() override { m_inner->finish(); }
    base::Nanos timeOf(Mark mark) override { return mark; }
    backend::ClockFit endStep() override { return m_inner->endStep(); }
    void beginPass(const backend::PassLabel &pass) override
    {
        record("pass", pass.stage, pass.microbatch);
        m_inner->beginPass(pass);
    }
    void endPass() override { m_inner->endPass(); }
    void write(Values to, std::int64_t count,
               const std::function<void(std::span<float> block, std::int64_t first)> &make) override
    {
        record("write", to, count);
        m_inner->write(to, count, make);
    }
    void read(std::span<float> to, ConstValues from) override
    {
        record("read", static_cast<std::int64_t>(to.size()), from);
        m_inner->read(to, from);
    }
    const std::int32_t *tokens(std::span<const std::int32_t> ids) override { return m_inner->tokens(ids); }

    void copy(Values to, ConstValues from, std::int64_t count) override
    {
        record("copy", to, from, count);
        m_inner->copy(to, from, count);
    }
    void zero(Values to, std::int64_t count) override
    {
        record("zero", to, count);
        m_inner->zero(to, count);
    }
    void round(Values to, const float *from, std::int64_t count) override
    {
        record("round", to, from, count);
        m_inner->round(to, from, count);
    }
    void add(float *to, const float *from, std::int64_t count) override
    {
        record("add", to, from, count);
        m_inner->add(to, from, count);
    }
    void scale(Values to, ConstValues from, float factor, std::int64_t count) override
    {
        record("scale", to, from, factor, count);
        m_inner->scale(to, from, factor, count);
    }
    void addScaled(Values to, ConstValues from, float factor, std::int64_t count) override
    {
        record("addScaled", to, from, factor, count);
        m_inner->addScaled(to, from, factor, count);
    }
    void sumParts(std::span<const Values> parts, std::int64_t count) override
    {
        record("sumParts", parts, count);
        m_inner->sumParts(parts, count);
    }
    void sumScaledParts(std::span<const Values> parts, const float *factors, std::int64_t rows, std::int64_t width) override
    {
        record("sumScaledParts", parts, factors, rows, width);
        m_inner->sumScaledParts(parts, factors, rows, width);
    }
    void addColumnSums(float *sums, ConstValues in, std::int64_t rows, std::int64_t width) override
    {
        record("addColumnSums", sums, in, rows, width);
        m_inner->addColumnSums(sums, in, rows, width);
    }
    double sumOfSquares(const float *values, std::int64_t count) override
    {
        record("sumOfSquares", values, count);
        return m_inner->sumOfSquares(values, count);
    }
    void adamwStep(float *values, Values rounded, float *gradient, float *first, float *second, const kernels::AdamW &settings,
                   std::int64_t count) override
    {
        record("adamwStep", values, rounded, gradient, first, second, settings, count);
        m_inner->adamwStep(values, rounded, gradient, first, second, settings, count);
    }
    void sgdStep(float *values, float *gradient, float *momentum, const kernels::Sgd &settings, std::int64_t count) override
    {
        m_inner->sgdStep(values, gradient, momentum, settings, count);
    }
    void lionStep(float *values, float *gradient, float *momentum, const kernels::Lion &settings, std::int64_t count) override
    {
        m_inner->lionStep(values, gradient, momentum, settings, count);
    }
    void adam8bitStep(float *values, float *gradient, const kernels::CodedMoments &moments, std::int64_t rows,
                      std::int64_t columns, const kernels::AdamW &settings) override
    {
        m_inner->adam8bitStep(values, gradient, moments, rows, columns, settings);
    }
    void adafactorSums(double *sums, const kernels::AdafactorRows &part, const kernels::Adafactor &settings) override
    {
        m_inner->adafactorSums(sums, part, settings);
    }
    void adafactorStep(const kernels::AdafactorRows &part, double *sums, const kernels::Adafactor &settings) override
    {
        m_inner->adafactorStep(part, sums, settings);
    }
    void adafactorVectorSums(double *sums, const float *values, const float *gradient, float *moments, std::int64_t count,
                             const kernels::Adafactor &settings) override
    {
        m_inner->adafactorVectorSums(sums, values, gradient, moments, count, settings);
    }
    void adafactorVectorStep(float *values, float *gradient, const float *moments, std::int64_t count, const double *sums,
                             const kernels::Adafactor &settings) override
    {
        m_inner->adafactorVectorStep(values, gradient, moments, count, sums, settings);
    }
    void encodeSigns(float *message, float *residual, std::int64_t count) override
    {
        m_inner->encodeSigns(message, residual, count);
    }
    void encodeSignsOf(float scale, float *message, float *residual, std::int64_t count) override
    {
        m_inner->encodeSignsOf(scale, message, residual, count);
    }
    void decodeSigns(float *sum, std::span<float *const> messages, std::int64_t count) override
    {
        m_inner->decodeSigns(sum, messages, count);
    }
    void encodeGreatest(float *message, float *residual, std::int64_t count, std::int64_t chosen) override
    {
        m_inner->encodeGreatest(message, residual, count, chosen);
    }
    void decodeGreatest(float *sum, std::span<float *const> messages, std::int64_t count, std::int64_t chosen) override
    {
        m_inner->decodeGreatest(sum, messages, count, chosen);
    }
    void multiplyByRight(float *left, const float *matrix, const float *right, const kernels::LowRank &shape) override
    {
        m_inner->multiplyByRight(left, matrix, right, shape);
    }
    void multiplyByLeft(float *right, const float *matrix, const float *left, const kernels::LowRank &shape) override
    {
        m_inner->multiplyByLeft(right, matrix, left, shape);
    }
    void orthonormalise(float *left, const kernels::LowRank &shape) override { m_inner->orthonormalise(left, shape); }
    void decodeLowRank(float *sum, float *residual, float *state, const float *left, float *right,
                       const kernels::LowRank &shape, int replicas) override
    {
        m_inner->decodeLowRank(sum, residual, state, left, right, shape, replicas);
    }
    void addDoubles(double *to, const double *from, std::int64_t count) override { m_inner->addDoubles(to, from, count); }
    void pack(float *to, ConstValues from, std::int64_t rows, std::int64_t columns, kernels::Codec codec) override
    {
        m_inner->pack(to, from, rows, columns, codec);
    }
    void unpack(Values to, const float *from, std::int64_t rows, std::int64_t columns, kernels::Codec codec) override
    {
        m_inner->unpack(to, from, rows, columns, codec);
    }
    void multiply(const Product &product) override
    {
        record("multiply", product);
        m_inner->multiply(product);
    }
    void multiplyExperts(const backend::ExpertProduct &product) override
    {
        record("multiplyExperts", product.of == backend::ExpertProduct::Of::Weights, product.each, product.matrix,
               product.routes, product.shape);
        m_inner->multiplyExperts(product);
    }
    void routeForward(float *gates, std::int32_t *routes, ConstValues logits, const float *bias,
                      const kernels::RoutingShape &shape, const kernels::RouterRule &rule) override
    {
        record("routeForward", gates, routes, logits, bias, shape, rule);
        m_inner->routeForward(gates, routes, logits, bias, shape, rule);
    }
    void routeBackward(Values logits, ConstValues gateGradient, const float *gates, const std::int32_t *routes,
                       const kernels::RoutingShape &shape, const kernels::RouterRule &rule,
                       const kernels::RouterLosses &losses) override
    {
        record("routeBackward", logits, gateGradient, gates, routes, shape, rule, losses);
        m_inner->routeBackward(logits, gateGradient, gates, routes, shape, rule, losses);
    }
    void addExcess(float *excess, const std::int32_t *routes, const kernels::RoutingShape &shape) override
    {
        record("addExcess", excess, routes, shape);
        m_inner->addExcess(excess, routes, shape);
    }
    void balanceStep(float *bias, const float *excess, float rate, std::int64_t count) override
    {
        record("balanceStep", bias, excess, rate, count);
        m_inner->balanceStep(bias, excess, rate, count);
    }
    void addRouterTotals(double *totals, const std::int32_t *routes, ConstValues logits, const kernels::RoutingShape &shape,
                         bool isSigmoid) override
    {
        record("addRouterTotals", totals, routes, logits, shape, isSigmoid);
        m_inner->addRouterTotals(totals, routes, logits, shape, isSigmoid);
    }
    void dispatchRows(Values out, ConstValues in, const std::int32_t *routes, const kernels::RoutingShape &shape,
                      std::int64_t width) override
    {
        record("dispatchRows", out, in, routes, shape, width);
        m_inner->dispatchRows(out, in, routes, shape, width);
    }
    void combineRows(Values out, ConstValues rows, ConstValues addend, const std::int32_t *routes,
                     const kernels::RoutingShape &shape, std::int64_t width) override
    {
        record("combineRows", out, rows, addend, routes, shape, width);
        m_inner->combineRows(out, rows, addend, routes, shape, width);
    }
    void expertSwigluForward(Values out, ConstValues gate, ConstValues up, const float *gates, const std::int32_t *routes,
                             const kernels::RoutingShape &shape, std::int64_t width) override
    {
        record("expertSwigluForward", out, gate, up, gates, routes, shape, width);
        m_inner->expertSwigluForward(out, gate, up, gates, routes, shape, width);
    }
    void expertSwigluBackward(Values gate, Values up, Values gateGradient, ConstValues outGradient, const float *gates,
                              const std::int32_t *routes, const kernels::RoutingShape &shape, std::int64_t width) override
    {
        record("expertSwigluBackward", gate, up, gateGradient, outGradient, gates, routes, shape, width);
        m_inner->expertSwigluBackward(gate, up, gateGradient, outGradient, gates, routes, shape, width);
    }
    void layerNormForward(Values out, float *mean, float *rstd, ConstValues in, ConstValues weight, ConstValues bias,
                          std::int64_t rows, std::int64_t width) override
    {
        record("layerNormForward", out, mean, rstd, in, weight, bias, rows, width);
        m_inner->layerNormForward(out, mean, rstd, in, weight, bias, rows, width);
    }
    void layerNormBackward(Values inGradient, float *weightGradient, float *biasGradient, ConstValues outGradient,
                           ConstValues in, const float *mean, const float *rstd, ConstValues weight, std::int64_t rows,
                           std::int64_t width) override
    {
        record("layerNormBackward", inGradient, weightGradient, biasGradient, outGradient, in, mean, rstd, weight, rows, width);
        m_inner->layerNormBackward(inGradient, weightGradient, biasGradient, outGradient, in, mean, rstd, weight, rows, width);
    }
    void rmsNormForward(Values out, float *rstd, ConstValues in, ConstValues weight, std::int64_t rows, std::int64_t width,
                        float epsilon) override
    {
        record("rmsNormForward", out, rstd, in, weight, rows, width);
        m_inner->rmsNormForward(out, rstd, in, weight, rows, width, epsilon);
    }
    void rmsNormBackward(Values inGradient, float *weightGradient, ConstValues outGradient, ConstValues in, const float *rstd,
                         ConstValues weight, std::int64_t rows, std::int64_t width) override
    {
        record("rmsNormBackward", inGradient, weightGradient, outGradient, in, rstd, weight, rows, width);
        m_inner->rmsNormBackward(inGradient, weightGradient, outGradient, in, rstd, weight, rows, width);
    }
    void activationForward(kernels::Activation activation, Values out, ConstValues in, std::int64_t count) override
    {
        record((std::string(name(activation)) + "Forward").c_str(), out, in, count);
        m_inner->activationForward(activation, out, in, count);
    }
    void swigluForward(Values out, ConstValues gate, ConstValues up, std::int64_t count) override
    {
        record("swigluForward", out, gate, up, count);
        m_inner->swigluForward(out, gate, up, count);
    }
    void swigluBackward(Values gate, Values up, ConstValues outGradient, std::int64_t count) override
    {
        record("swigluBackward", gate, up, outGradient, count);
        m_inner->swigluBackward(gate, up, outGradient, count);
    }
    void rotate(Values rows, const float *angles, const kernels::RotaryShape &shape, kernels::Turn turn) override
    {
        record("rotate", rows, angles, shape, turn);
        m_inner->rotate(rows, angles, shape, turn);
    }
    void attentionForward(Values out, float *logSumExp, Values probabilities, ConstValues qkv, ConstValues keys,
                          const kernels::AttentionShape &shape, float *scratch) override
    {
        record("attentionForward", out, logSumExp, qkv, shape, scratch);
        m_inner->attentionForward(out, logSumExp, probabilities, qkv, keys, shape, scratch);
    }
    void attentionBackward(Values qkvGradient, Values keyGradient, ConstValues outGradient, ConstValues qkv, ConstValues keys,
                           ConstValues out, const float *logSumExp, ConstValues probabilities,
                           const kernels::AttentionShape &shape, float *scratch) override
    {
        record("attentionBackward", qkvGradient, outGradient, qkv, out, logSumExp, shape, scratch);
        m_inner->attentionBackward(qkvGradient, keyGradient, outGradient, qkv, keys, out, logSumExp, probabilities, shape,
                                   scratch);
    }
    void gatherRows(Values out, ConstValues table, const kernels::TableShard &shard, const std::int32_t *ids,
                    std::int64_t tokens) override
    {
        record("gatherRows", out, table, shard, ids, tokens);
        m_inner->gatherRows(out, table, shard, ids, tokens);
    }
    void scatterAddRows(float *table, const kernels::TableShard &shard, const std::int32_t *ids, ConstValues in, float factor,
                        std::int64_t tokens) override
    {
        record("scatterAddRows", table, shard, ids, in, factor, tokens);
        m_inner->scatterAddRows(table, shard, ids, in, factor, tokens);
    }
    void scaleRows(Values out, ConstValues in, const float *factor, ConstValues table, const kernels::TableShard &shard,
                   const std::int32_t *ids, float weight, std::int64_t tokens) override
    {
        record("scaleRows", out, in, factor, table, shard, ids, weight, tokens);
        m_inner->scaleRows(out, in, factor, table, shard, ids, weight, tokens);
    }
    void addPositions(Values rows, ConstValues table, std::int64_t batch, std::int64_t sequence, std::int64_t width) override
    {
        record("addPositions", rows, table, batch, sequence, width);
        m_inner->addPositions(rows, table, batch, sequence, width);
    }
    void addPositionGradients(float *table, ConstValues rows, std::int64_t batch, std::int64_t sequence,
                              std::int64_t width) override
    {
        record("addPositionGradients", table, rows, batch, sequence, width);
        m_inner->addPositionGradients(table, rows, batch, sequence, width);
    }
    void rowMaxima(float *maximum, float *target, const LogitShard &shard, const std::int32_t *labels) override
    {
        record("rowMaxima", maximum, target, shard, labels);
        m_inner->rowMaxima(maximum, target, shard, labels);
    }
    void exponentiate(float *sum, const float *maximum, const LogitShard &shard) override
    {
        record("exponentiate", sum, maximum, shard);
        m_inner->exponentiate(sum, maximum, shard);
    }
    void localSoftmax(float *maximum, float *sum, float *target, const LogitShard &shard, const std::int32_t *labels) override
    {
        record("localSoftmax", maximum, sum, target, shard, labels);
        m_inner->localSoftmax(maximum, sum, target, shard, labels);
    }
    void combineShards(const kernels::SoftmaxStatistics &all, kernels::ShardParts parts) override
    {
        record("combineShards", all, parts);
        m_inner->combineShards(all, parts);
    }
    void combineMaxima(float *maximum, kernels::ShardParts parts, std::int64_t tokens) override
    {
        record("combineMaxima", maximum, parts, tokens);
        m_inner->combineMaxima(maximum, parts, tokens);
    }
    void combineSums(const kernels::SoftmaxStatistics &all, const float *maximum, kernels::ShardParts parts) override
    {
        record("combineSums", all, maximum, parts);
        m_inner->combineSums(all, maximum, parts);
    }
    void shardFactors(float *factors, kernels::ShardParts parts, const kernels::SoftmaxStatistics &all) override
    {
        record("shardFactors", factors, parts, all);
        m_inner->shardFactors(factors, parts, all);
    }
    void tokenFactors(float *factors, const kernels::SoftmaxStatistics &shard, const kernels::SoftmaxStatistics &all,
                      float weight) override
    {
        record("tokenFactors", factors, shard, all, weight);
        m_inner->tokenFactors(factors, shard, all, weight);
    }
    double lossSum(const kernels::SoftmaxStatistics &all, std::int64_t counted) override
    {
        record("lossSum", all);
        return m_inner->lossSum(all, counted);
    }

private:
    template <class... Arguments>
    void record(const char *name, const Arguments &...arguments)
    {
        const std::lock_guard lock(theLog().mutex);
        Line line(name);
        line.all(arguments...);
        line.write(m_memory.device());
    }

    std::unique_ptr<backend::Compute> m_inner;
    RecordedMemory m_memory;
};

} // namespace

void restartRecording(bool isTraced)
{
    Log &log = theLog();
    const std::lock_guard lock(log.mutex);
    log.blocks.clear();
    log.devices.clear();
    log.traces.clear();
    log.isTraced = isTraced;
}

Recording recorded()
{
    Log &log = theLog();
    const std::lock_guard lock(log.mutex);
    Recording all{0, kHashBegin};
    for (const Recording &device : log.devices) {
        all.calls += device.calls;
        all.hash = hashOf(std::to_string(device.hash), all.hash);
    }
    return all;
}

std::vector<std::string> recordedTraces()
{
    const std::lock_guard lock(theLog().mutex);
    return theLog().traces;
}

std::unique_ptr<backend::Compute> recordedCompute(std::unique_ptr<backend::Compute> inner)
{
    return std::make_unique<RecordedCompute>(std::move(inner));
}

} // namespace stagelens::test
