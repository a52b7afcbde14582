// A parameter that an optimizer updates outside of a run.
#pragma once

#include "engine/backend/compute.h"
#include "engine/operators/optimizers/optimizer.h"
#include "engine/runtime/plan/shape.h"
#include "engine/runtime/state/optimizer.h"

#include <QtTest>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <memory>
#include <vector>

namespace stagelens::test {

/// A parameter on a processor, or some of its rows.
class UpdatedParameter {
public:
    /// Its values are sines of their places in the whole parameter.
    UpdatedParameter(const operators::Optimizer &optimizer, std::int64_t rows, std::int64_t columns,
                     operators::ParameterKind kind, std::int64_t firstRow = 0, std::int64_t allRows = 0)
        : m_optimizer(optimizer), m_compute(backend::makeCpuCompute())
    {
        m_parameter.kind = kind;
        m_parameter.rows = rows;
        m_parameter.columns = columns;
        m_parameter.value = make(rows * columns);
        m_parameter.gradient = make(rows * columns);
        m_parameter.allRows = allRows > 0 ? allRows : rows;
        for (const operators::StateTensor &tensor : optimizer.state)
            m_parameter.state.push_back(make(tensor.floats(kind, m_parameter.count(), columns)));
        m_scratch = make(optimizer.scratchFloats({rows, columns, kind}) + 1);
        for (std::size_t i = 0; i < count(); ++i)
            m_parameter.value.data()[i] =
                static_cast<float>(std::sin(static_cast<double>(firstRow * columns) + static_cast<double>(i)));
    }
    [[nodiscard]] std::int64_t rows() const { return m_parameter.rows; }
    [[nodiscard]] std::size_t count() const { return runtime::size(m_parameter.count()); }
    [[nodiscard]] std::vector<double> values() const
    {
        return {m_parameter.value.values().begin(), m_parameter.value.values().end()};
    }
    void set(const std::vector<double> &values) { std::ranges::copy(values, m_parameter.value.values().begin()); }
    void update(const operators::OptimizerChoice &choice, const std::vector<double> &gradient, float scale)
    {
        std::ranges::copy(gradient, m_parameter.gradient.values().begin());
        const int before = m_parameter.updates;
        runtime::updateParameter(m_parameter, m_optimizer, choice, scale, *m_compute, m_scratch.data());
        QCOMPARE(m_parameter.updates, before + 1);
        QVERIFY(std::ranges::all_of(m_parameter.gradient.values(), [](float value) { return value == 0; }));
    }

    /// The halves of an update: returns the sums of these rows, and updates them from those of all.
    [[nodiscard]] std::vector<double> sums(const operators::OptimizerChoice &choice, const std::vector<double> &gradient)
    {
        std::ranges::copy(gradient, m_parameter.gradient.values().begin());
        std::vector<double> sums(runtime::size(m_optimizer.sums(m_parameter.kind, m_parameter.columns)));
        runtime::sumForUpdate(m_parameter, m_optimizer, choice, 1, *m_compute, sums.data());
        return sums;
    }
    void updateFrom(const operators::OptimizerChoice &choice, const std::vector<double> &sums)
    {
        std::memcpy(m_scratch.data(), sums.data(), sums.size() * sizeof(double));
        runtime::updateFromSums(m_parameter, m_optimizer, choice, 1, *m_compute, m_scratch.data());
    }
    [[nodiscard]] std::vector<double> state(std::size_t tensor) const
    {
        return {m_parameter.state[tensor].values().begin(), m_parameter.state[tensor].values().end()};
    }
    /// The codes of a tensor that has them.
    [[nodiscard]] std::vector<std::uint8_t> codes(std::size_t tensor) const
    {
        const auto *const bytes = reinterpret_cast<const std::uint8_t *>(m_parameter.state[tensor].data());
        return {bytes, bytes + m_parameter.count()};
    }
    [[nodiscard]] runtime::Parameter &parameter() { return m_parameter; }

private:
    backend::Buffer make(std::int64_t floats)
    {
        backend::Buffer buffer = floats > 0 ? m_pool.allocate(runtime::size(floats), 0) : backend::Buffer();
        std::ranges::fill(buffer.values(), 0.0F);
        return buffer;
    }

    const operators::Optimizer &m_optimizer;
    backend::Pool m_pool;
    std::unique_ptr<backend::Compute> m_compute;
    runtime::Parameter m_parameter;
    backend::Buffer m_scratch;
};

} // namespace stagelens::test
