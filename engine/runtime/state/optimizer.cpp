#include "engine/runtime/state/optimizer.h"

#include "kernels/include/elementwise.h"

#include <algorithm>

namespace stagelens::runtime {

namespace {

/// Runs an update on the device of a parameter.
class DeviceUpdate final : public operators::UpdateKernels {
public:
    using Half = operators::UpdateStep::Half;
    DeviceUpdate(Parameter &parameter, backend::Compute &compute, Half half, double *scratch)
        : m_parameter(parameter), m_part(parameter.updatedPart()), m_updated(parameter.updated()), m_compute(compute),
          m_half(half), m_sums(scratch)
    {}
    /// Of one of several stacked matrices.
    DeviceUpdate(Parameter &parameter, backend::Compute &compute, Half half, double *scratch, std::int64_t matrix)
        : DeviceUpdate(parameter, compute, half, scratch)
    {
        m_part = m_part.matrix();
        m_matrix = matrix;
        m_updated.begin += matrix * m_part.count();
        m_updated.end = m_updated.begin + m_part.count();
    }
    [[nodiscard]] const operators::PartShape &part() const { return m_part; }

    void scale(operators::UpdateTensor to, operators::UpdateTensor from, float factor) override
    {
        m_compute.scale(valuesOf(to), valuesOf(from), factor, countOf(to));
    }
    void addScaled(operators::UpdateTensor to, operators::UpdateTensor from, float factor) override
    {
        m_compute.addScaled(valuesOf(to), valuesOf(from), factor, countOf(to));
    }
    double squares(operators::UpdateTensor tensor) override
    {
        return m_compute.sumOfSquares(valuesOf(tensor).floats(), countOf(tensor));
    }
    void multiply(const operators::UpdateProduct &product) override
    {
        using kernels::Form;
        const bool a = product.transposesA;
        const bool b = product.transposesB;
        m_compute.multiply({.rows = product.rows,
                            .columns = product.columns,
                            .inner = product.inner,
                            .a = {valuesOf(product.a), a ? product.rows : product.inner, a ? Form::Transposed : Form::Plain},
                            .b = {valuesOf(product.b), b ? product.inner : product.columns, b ? Form::Transposed : Form::Plain},
                            .c = valuesOf(product.c),
                            .stride = product.columns,
                            .beta = product.beta});
    }
    void adamw(const kernels::AdamW &plain, std::size_t first) override
    {
        kernels::AdamW settings = plain;
        settings.second = m_parameter.second;
        m_compute.adamwStep(from(&Parameter::value), m_parameter.numbersFrom(&Parameter::rounded, m_updated.begin),
                            from(&Parameter::gradient), state(first), state(first + 1), settings, m_updated.size());
        const bool hasPlainCopy = m_parameter.rounded.size() > 0 && m_parameter.precision == base::Precision::Fp32;
        m_isDone = m_updated.size() == held().size() && !hasPlainCopy;
    }
    void sgd(const kernels::Sgd &settings) override
    {
        m_compute.sgdStep(from(&Parameter::value), from(&Parameter::gradient), state(0), settings, m_updated.size());
    }
    void lion(const kernels::Lion &settings) override
    {
        m_compute.lionStep(from(&Parameter::value), from(&Parameter::gradient), state(0), settings, m_updated.size());
    }
    void adam8bit(const kernels::AdamW &settings) override
    {
        const auto codes = [this](std::size_t tensor) { return reinterpret_cast<std::uint8_t *>(state(tensor)); };
        m_compute.adam8bitStep(from(&Parameter::value), from(&Parameter::gradient), {codes(0), state(1), codes(2), state(3)},
                               m_part.rows, m_part.columns, settings);
    }
    void adafactor(const kernels::Adafactor &settings) override
    {
        if (m_parameter.kind == operators::ParameterKind::Vector)
            return adafactorVector(settings);
        const std::int64_t allRows = m_parameter.matrixRows > 0 ? m_part.rows : m_parameter.allRows;
        const kernels::AdafactorRows part{
            from(&Parameter::value), from(&Parameter::gradient), state(0), state(1), m_part.rows, m_part.columns, allRows};
        if (m_half == Half::Sums)
            m_compute.adafactorSums(m_sums, part, settings);
        else
            m_compute.adafactorStep(part, m_sums, settings);
    }
    /// Moves each element against the sign of its gradient.
    void balance(float rate)
    {
        m_compute.balanceStep(from(&Parameter::value), from(&Parameter::gradient), rate, m_updated.size());
    }
    /// Clears the gradient of every element that exists and rounds the value, unless the kernel of the update did.
    void finish()
    {
        if (m_isDone)
            return;
        m_compute.zero(m_parameter.gradient.data() + held().begin, held().size());
        refreshRead(m_parameter, m_compute);
    }

private:
    /// Returns the elements that have a gradient.
    [[nodiscard]] layout::Interval held() const { return m_parameter.live(m_parameter.isGradientDropped); }
    void adafactorVector(const kernels::Adafactor &settings)
    {
        if (m_half == Half::Sums)
            m_compute.adafactorVectorSums(m_sums, from(&Parameter::value), from(&Parameter::gradient), state(2),
                                          m_updated.size(), settings);
        else
            m_compute.adafactorVectorStep(from(&Parameter::value), from(&Parameter::gradient), state(2), m_updated.size(),
                                          m_sums, settings);
    }
    /// Returns a buffer of the parameter from the first element on that is updated.
    [[nodiscard]] float *from(backend::Buffer Parameter::*buffer)
    {
        return m_parameter.numbersFrom(buffer, m_updated.begin).floats();
    }
    /// Returns a tensor of the state from the first number on that is of the part.
    [[nodiscard]] float *state(std::size_t tensor)
    {
        const std::int64_t matrices = std::max<std::int64_t>(1, m_parameter.updatedPart().matrices());
        const auto each = static_cast<std::int64_t>(m_parameter.state[tensor].size()) / matrices;
        return m_parameter.state[tensor].data() + m_matrix * each;
    }
    [[nodiscard]] backend::Values valuesOf(operators::UpdateTensor tensor)
    {
        switch (tensor.kind) {
        case operators::UpdateTensor::Kind::Value: break;
        case operators::UpdateTensor::Kind::Gradient: return m_parameter.numbersFrom(&Parameter::gradient, m_updated.begin);
        case operators::UpdateTensor::Kind::State: return state(tensor.state);
        case operators::UpdateTensor::Kind::Scratch: return reinterpret_cast<float *>(m_sums) + tensor.offset;
        }
        return m_parameter.numbersFrom(&Parameter::value, m_updated.begin);
    }

    [[nodiscard]] std::int64_t countOf(const operators::UpdateTensor &tensor) const
    {
        return tensor.kind == operators::UpdateTensor::Kind::Scratch ? tensor.count : m_updated.size();
    }

    Parameter &m_parameter;
    operators::PartShape m_part;
    std::int64_t m_matrix = 0;
    layout::Interval m_updated;
    backend::Compute &m_compute;
    Half m_half;
    double *m_sums; ///< the beginning of the scratch memory
    bool m_isDone = false;
};

} // namespace

namespace {

/// Updates each of the stacked matrices of experts as a parameter of its own.
void updateMatrices(Parameter &parameter, const operators::Optimizer &optimizer, const model::OptimizerChoice &choice,
                    float gradientScale, backend::Compute &compute, float *scratch)
{
    using Half = operators::UpdateStep::Half;
    auto *const sums = reinterpret_cast<double *>(scratch);
    const int updates = parameter.updates++;
    for (std::int64_t matrix = 0; matrix < parameter.updatedPart().matrices(); ++matrix)
        for (const Half half : {Half::Sums, Half::Update}) {
            if (half == Half::Sums && optimizer.sums == nullptr)
                continue;
            DeviceUpdate update(parameter, compute, half, sums, matrix);
            optimizer.update(choice, {updates, gradientScale, update.part(), half}, update);
        }
    DeviceUpdate(parameter, compute, Half::Update, sums).finish();
}

} // namespace

void updateParameter(Parameter &parameter, const operators::Optimizer &optimizer, const model::OptimizerChoice &choice,
                     float gradientScale, backend::Compute &compute, float *scratch)
{
    if (parameter.matrixRows > 0 && optimizer.granularityOf(parameter.kind) == operators::Granularity::Matrix)
        return updateMatrices(parameter, optimizer, choice, gradientScale, compute, scratch);
    if (optimizer.sums != nullptr)
        sumForUpdate(parameter, optimizer, choice, gradientScale, compute, reinterpret_cast<double *>(scratch));
    updateFromSums(parameter, optimizer, choice, gradientScale, compute, scratch);
}

void sumForUpdate(Parameter &parameter, const operators::Optimizer &optimizer, const model::OptimizerChoice &choice,
                  float gradientScale, backend::Compute &compute, double *sums)
{
    using Half = operators::UpdateStep::Half;
    DeviceUpdate update(parameter, compute, Half::Sums, sums);
    if (parameter.updated().size() > 0 && !parameter.biasRate)
        optimizer.update(choice, {parameter.updates, gradientScale, parameter.updatedPart(), Half::Sums}, update);
}

void updateFromSums(Parameter &parameter, const operators::Optimizer &optimizer, const model::OptimizerChoice &choice,
                    float gradientScale, backend::Compute &compute, float *scratch)
{
    using Half = operators::UpdateStep::Half;
    DeviceUpdate update(parameter, compute, Half::Update, reinterpret_cast<double *>(scratch));
    const bool isFrozen = parameter.second != kernels::AdamW::Second::Updated;
    const int updates = parameter.updates++;
    parameter.secondUpdates += isFrozen ? 0 : 1;
    const auto frozenAfter = isFrozen ? std::optional(std::max(1, parameter.secondUpdates)) : std::nullopt;
    if (parameter.biasRate)
        update.balance(*parameter.biasRate);
    else if (parameter.updated().size() > 0)
        optimizer.update(choice, {updates, gradientScale, parameter.updatedPart(), Half::Update, frozenAfter}, update);
    update.finish();
}

float clipFactor(double norm, double clip)
{
    constexpr double kAgainstZero = 1e-6;
    return static_cast<float>(std::min(1.0, clip / (norm + kAgainstZero)));
}

} // namespace stagelens::runtime
