// The routing of a mixture of experts: which k of E experts compute a token, and the rows that they compute. The T k rows are
// sorted by (expert, token), so sums over the rows of an expert run in token order under every schedule.
#pragma once

#include "kernels/include/matmul.h"
#include "kernels/include/stream.h"

#include <cstdint>

namespace stagelens::kernels {

/// `routes` of a kernel below are three tables of T k numbers:
///   choices[t k + j]  expert of token t's choice j; choices are in descending order of logits, ties in order of experts
///   rows[t k + j]     the row of that choice; -1 if its expert has dropped it
///   slots[row]        t k + j of the row; -1 for the rows at the end that no expert computes
struct RoutingShape {
    std::int64_t tokens = 0; ///< T
    std::int64_t experts = 0;
    std::int64_t topK = 0;
    [[nodiscard]] constexpr std::int64_t rows() const { return tokens * topK; }
};

/// How a router chooses and weights experts.
struct RouterRule {
    /// Softmax: chooses the greatest logits; see routeForward(). Sigmoid: with s the sigmoids of the logits, chooses the
    /// greatest s + bias, and weights by s divided by the sum of the chosen; with k = 1, by s.
    bool isSigmoid = false;
    float scale = 1; ///< of the gates of a sigmoid router
    /// For sigmoid routers: the number of groups of adjacent experts. A token chooses from the groups with the greatest sums of
    /// their k / chosenGroups best s + bias (DeepSeek-V3, arXiv 2412.19437, section 2.1.2).
    std::int64_t groups = 1;
    std::int64_t chosenGroups = 1;
    std::int64_t capacity = 0; ///< rows of an expert, beyond which it drops; 0: no limit
    bool dropsLast = false;    ///< whether it drops the last tokens, instead of those with the smallest gates
};

/// Coefficients of the losses that a router adds to the loss of a microbatch. With p the softmax of all logits of a token and
/// n_e the number of tokens that chose expert e:
///   balance: c E / (k T^2) sum_e n_e sum_t p_te    (Switch Transformer, arXiv 2101.03961, equation 4; n_e is a constant, of
///            choices before any is dropped; with sigmoid routers p is s divided by the sum of all s)
///   size:    c_z / T sum_t (log sum_e e^l_te)^2    (ST-MoE, arXiv 2202.08906, equation 5)
struct RouterLosses {
    float balance = 0;
    float size = 0;
    float weight = 1; ///< of the microbatch in the loss of the step
    /// The ranks that divide the tokens of the microbatch: T above is as many times that of the shape.
    int parts = 1;
    /// E n_e - T k of the tokens of all parts, as addExcess() counts them; null: n_e counts `routes`.
    const float *excess = nullptr;
};

/// Chooses the k greatest of the logits [T, E]. gates[t k + j] is the softmax over the chosen logits (Mixtral, arXiv
/// 2401.04088); with k = 1, over all logits (Switch Transformer). `bias` has one number per expert of a sigmoid router. Drops
/// do not affect gates, so the other gates of a token do not change.
void routeForward(float *gates, std::int32_t *routes, const float *logits, const float *bias, const RoutingShape &shape,
                  const RouterRule &rule = {});
/// The parts of routeForward() after the choices: marks the choices that their experts drop with a row of -1, and the others
/// with 0; then numbers the rows that are not marked.
void markDropped(std::int32_t *routes, const float *gates, const RoutingShape &shape, const RouterRule &rule);
void numberRows(std::int32_t *routes, const RoutingShape &shape);
/// Replaces the logits by their gradient: through the gates, and of the router's losses.
void routeBackward(float *logits, const float *gateGradient, const float *gates, const std::int32_t *routes,
                   const RoutingShape &shape, const RouterRule &rule, const RouterLosses &losses);
/// excess[e] += E n_e - T k: by how much the choices of an expert, dropped or not, exceed the mean, times E.
void addExcess(float *excess, const std::int32_t *routes, const RoutingShape &shape);
/// bias[e] -= rate sign(excess[e]), for auxiliary-loss-free balance (arXiv 2408.15664, algorithm 1).
void balanceStep(float *bias, const float *excess, float rate, std::int64_t count);

/// Adds to totals[E + 2]: the choices of each expert, dropped or not; how many of all were dropped; and the entropies, in nats,
/// of the probabilities of all experts of each token: the softmax of its logits, or their sigmoids divided by their sum.
void addRouterTotals(double *totals, const std::int32_t *routes, const float *logits, const RoutingShape &shape,
                     bool isSigmoid);

/// out[row] = in[token of the row], with rows of `width`. This and the functions below skip dropped rows.
void dispatchRows(float *out, const float *in, const std::int32_t *routes, const RoutingShape &shape, std::int64_t width);
/// out[t] = addend[t] + the sum of the k rows of the token in the order of its choices. `addend` may be null, or `out`.
void combineRows(float *out, const float *rows, const float *addend, const std::int32_t *routes, const RoutingShape &shape,
                 std::int64_t width);

/// out = g silu(gate) up, where g is the gate of the choice of a row.
void expertSwigluForward(float *out, const float *gate, const float *up, const float *gates, const std::int32_t *routes,
                         const RoutingShape &shape, std::int64_t width);
/// Overwrites gate and up with their gradients, and computes those of the gates.
void expertSwigluBackward(float *gate, float *up, float *gateGradient, const float *outGradient, const float *gates,
                          const std::int32_t *routes, const RoutingShape &shape, std::int64_t width);

/// Calls use(expert, first row, number of rows) for each expert that has rows, in order.
template <class Use>
void forEachExpert(const std::int32_t *routes, const RoutingShape &shape, const Use &use)
{
    const std::int32_t *const order = routes + 2 * shape.rows();
    for (std::int64_t first = 0, end = 0; first < shape.rows() && order[first] >= 0; first = end) {
        const std::int32_t expert = routes[order[first]];
        while (end < shape.rows() && order[end] >= 0 && routes[order[end]] == expert)
            ++end;
        use(std::int64_t{expert}, first, end - first);
    }
}

/// What a product for each expert computes.
enum class ExpertResult : unsigned char {
    Rows,    ///< rows of C from the same rows of A and the expert's matrix B
    Weights, ///< the expert's matrix C from its rows of A and B
};

namespace gpu {

// As above; T is the type of logits, rows and the gradients of gates. No function waits for the GPU: how many rows an expert
// has is known there only.

/// Returns the bytes of scratch of any function below.
[[nodiscard]] std::int64_t expertScratch(const RoutingShape &shape);

template <class T>
Status routeForward(Stream stream, float *gates, std::int32_t *routes, const T *logits, const float *bias,
                    const RoutingShape &shape, const RouterRule &rule, void *scratch);
template <class T>
Status routeBackward(Stream stream, T *logits, const T *gateGradient, const float *gates, const std::int32_t *routes,
                     const RoutingShape &shape, const RouterRule &rule, const RouterLosses &losses, void *scratch);
Status addExcess(Stream stream, float *excess, const std::int32_t *routes, const RoutingShape &shape);
Status balanceStep(Stream stream, float *bias, const float *excess, float rate, std::int64_t count);
template <class T>
Status addRouterTotals(Stream stream, double *totals, const std::int32_t *routes, const T *logits, const RoutingShape &shape,
                       bool isSigmoid, void *scratch);

template <class T>
Status dispatchRows(Stream stream, T *out, const T *in, const std::int32_t *routes, const RoutingShape &shape,
                    std::int64_t width);
template <class T>
Status combineRows(Stream stream, T *out, const T *rows, const T *addend, const std::int32_t *routes, const RoutingShape &shape,
                   std::int64_t width);
template <class T>
Status expertSwigluForward(Stream stream, T *out, const T *gate, const T *up, const float *gates, const std::int32_t *routes,
                           const RoutingShape &shape, std::int64_t width);
template <class T>
Status expertSwigluBackward(Stream stream, T *gate, T *up, T *gateGradient, const T *outGradient, const float *gates,
                            const std::int32_t *routes, const RoutingShape &shape, std::int64_t width);

/// A product for each expert that has rows, all in one launch. The operands of `each` are those of expert 0, as if it had all
/// rows; only its sizes, strides, forms and beta count. An element of C is one chain of sums in the order of the inner
/// dimension, so a row has the same bits whatever the other rows are.
template <class T, class Out>
struct ExpertProduct {
    ExpertResult result = ExpertResult::Rows;
    Product<T, Out> each;
    std::int64_t matrix = 0; ///< numbers of an expert's matrix
    const std::int32_t *routes = nullptr;
    RoutingShape shape;
};
/// Types: all float; rows of Bf16 or Fp16; weights of these with a float C. Returns kUnsupported unless the beta is 0 or 1, and
/// the operands have the forms of a layer: of rows a plain A, of weights a transposed A and a plain B.
template <class T, class Out>
Status multiplyExperts(Stream stream, const ExpertProduct<T, Out> &product, void *scratch);

/// roundTiles() of the rows of experts, [rows, width], in tiles of kCodecTile rows and one column, which begin at the first row
/// of each expert. Rows of no expert are not written.
Status roundExpertRows(Stream stream, Bf16 *to, const Bf16 *from, const std::int32_t *routes, const RoutingShape &shape,
                       std::int64_t width, void *scratch);

} // namespace gpu

} // namespace stagelens::kernels
