#include "engine/runtime/reference/family.h"

#include "kernels/include/double_product.h"

#include <algorithm>
#include <cmath>

namespace stagelens::runtime::reference {

void product(Matrix &c, const Matrix &a, bool aTransposed, const Matrix &b, bool bTransposed, std::size_t rows,
             std::size_t columns, std::size_t inner, double beta)
{
    using kernels::Form;
    kernels::multiplyDoubles(c.data(), a.data(), aTransposed ? Form::Transposed : Form::Plain, b.data(),
                             bTransposed ? Form::Transposed : Form::Plain, static_cast<std::int64_t>(rows),
                             static_cast<std::int64_t>(columns), static_cast<std::int64_t>(inner), beta);
}

void addTo(Matrix &to, const Matrix &from)
{
    for (std::size_t i = 0; i < to.size(); ++i)
        to[i] += from[i];
}

Attention::Attention(const model::ModelConfig &model, std::size_t count)
    : sequences(count), length(static_cast<std::size_t>(model.sequence)), heads(static_cast<std::size_t>(model.heads)),
      kvHeads(static_cast<std::size_t>(model.kvHeads)), size(static_cast<std::size_t>(model.headSize()))
{}

double Attention::scale() const
{
    return 1.0 / std::sqrt(static_cast<double>(size));
}

/// Offsets of a (sequence, head) in q, k and v of the fused rows, in the attention output and in the probabilities.
template <class Work>
void Attention::forEachHead(const Work &work) const
{
    for (std::size_t sequence = 0; sequence < sequences; ++sequence) {
        for (std::size_t head = 0; head < heads; ++head) {
            const std::size_t row = sequence * length * rowWidth();
            const std::size_t k = row + (heads + head / (heads / kvHeads)) * size;
            work(row + head * size, k, k + kvHeads * size, sequence * length * width() + head * size,
                 (sequence * heads + head) * length * length);
        }
    }
}

Matrix Attention::forward(const Matrix &qkv, Matrix &probabilities) const
{
    probabilities.assign(sequences * heads * length * length, 0.0);
    Matrix mixed(tokens() * width());
    forEachHead([&](std::size_t q, std::size_t k, std::size_t v, std::size_t out, std::size_t square) {
        for (std::size_t i = 0; i < length; ++i) {
            double *row = &probabilities[square + i * length];
            for (std::size_t j = 0; j <= i; ++j)
                for (std::size_t d = 0; d < size; ++d)
                    row[j] += scale() * qkv[q + i * rowWidth() + d] * qkv[k + j * rowWidth() + d];
            const double top = *std::max_element(row, row + i + 1);
            double sum = 0;
            for (std::size_t j = 0; j <= i; ++j)
                sum += row[j] = std::exp(row[j] - top);
            for (std::size_t j = 0; j <= i; ++j) {
                row[j] /= sum;
                for (std::size_t d = 0; d < size; ++d)
                    mixed[out + i * width() + d] += row[j] * qkv[v + j * rowWidth() + d];
            }
        }
    });
    return mixed;
}

Matrix Attention::backward(const Matrix &gradient, const Matrix &qkv, const Matrix &probabilities) const
{
    Matrix back(qkv.size());
    std::vector<double> slope(length);
    forEachHead([&](std::size_t q, std::size_t k, std::size_t v, std::size_t out, std::size_t square) {
        for (std::size_t i = 0; i < length; ++i) {
            const double *row = &probabilities[square + i * length];
            const double *mixed = &gradient[out + i * width()];
            double mean = 0;
            for (std::size_t j = 0; j <= i; ++j) {
                slope[j] = 0;
                for (std::size_t d = 0; d < size; ++d) {
                    slope[j] += mixed[d] * qkv[v + j * rowWidth() + d];
                    back[v + j * rowWidth() + d] += row[j] * mixed[d];
                }
                mean += row[j] * slope[j];
            }
            for (std::size_t j = 0; j <= i; ++j) {
                const double score = row[j] * (slope[j] - mean) * scale();
                for (std::size_t d = 0; d < size; ++d) {
                    back[q + i * rowWidth() + d] += score * qkv[k + j * rowWidth() + d];
                    back[k + j * rowWidth() + d] += score * qkv[q + i * rowWidth() + d];
                }
            }
        }
    });
    return back;
}

} // namespace stagelens::runtime::reference
