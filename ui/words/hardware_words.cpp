// Captions and help of the numbers of a cluster.
#include "ui/words/engine_words.h"

#include <QtGlobal>

#include <array>

namespace stagelens::ui {
namespace {

constexpr auto kHardwareWords = std::to_array<const char *>({
    QT_TRANSLATE_NOOP("Words", "Peak of matrix products"),
    QT_TRANSLATE_NOOP("Words", "dense matrix products in the training dtype, without sparsity"),
    QT_TRANSLATE_NOOP("Words", "Peak of products in 8 bits"),
    QT_TRANSLATE_NOOP("Words", "dense matrix products in fp8, without sparsity; 0: none"),
    QT_TRANSLATE_NOOP("Words", "Share that matrix products reach"),
    QT_TRANSLATE_NOOP("Words", "of the peak, by large matrix products"),
    QT_TRANSLATE_NOOP("Words", "Share that attention reaches"),
    QT_TRANSLATE_NOOP("Words", "of the peak, with the FLOPs of attention counted in full"),
    QT_TRANSLATE_NOOP("Words", "Dimension of half speed"),
    QT_TRANSLATE_NOOP("Words", "a product whose smallest dimension is n reaches n / (n + this) of its speed"),
    QT_TRANSLATE_NOOP("Words", "Memory bandwidth"),
    QT_TRANSLATE_NOOP("Words", "of memory-bound work"),
    QT_TRANSLATE_NOOP("Words", "Overhead of a pass"),
    QT_TRANSLATE_NOOP("Words", "fixed time of a pass"),
    QT_TRANSLATE_NOOP("Words", "Launch of a kernel"),
    QT_TRANSLATE_NOOP("Words", "least time between the begins of two kernels"),
    QT_TRANSLATE_NOOP("Words", "Gap after a kernel"),
    QT_TRANSLATE_NOOP("Words", "idle time after each kernel of a layer, as of a host that waits for the GPU between launches"),
    QT_TRANSLATE_NOOP("Words", "Fused kernels (1: yes, 0: no)"),
    QT_TRANSLATE_NOOP("Words",
                      "1: norms, additions and activation functions are fused with biases and dropout, and read and write "
                      "16 bits once; 0: separate kernels with copies in fp32"),
    QT_TRANSLATE_NOOP("Words", "Split messages (1: yes, 0: no)"),
    QT_TRANSLATE_NOOP("Words",
                      "1: tensor ranks without sequence parallelism send a share of a message each to another node, whose "
                      "ranks gather it; 0: each sends the whole"),
    QT_TRANSLATE_NOOP("Words", "Memory of a GPU"),
    QT_TRANSLATE_NOOP("Words", "0: unknown"),
    QT_TRANSLATE_NOOP("Words", "Reserved of it"),
    QT_TRANSLATE_NOOP("Words", "for the GPU's context and the buffers of NCCL"),
    QT_TRANSLATE_NOOP("Words", "Fragmentation"),
    QT_TRANSLATE_NOOP("Words", "what the allocator wastes, as a share of the tensors' bytes"),
    QT_TRANSLATE_NOOP("Words", "Bandwidth to the host"),
    QT_TRANSLATE_NOOP("Words", "of one GPU that copies alone, each way; 0: unknown"),
    QT_TRANSLATE_NOOP("Words", "Shared bandwidth to the host"),
    QT_TRANSLATE_NOOP("Words", "of a GPU while all behind its switch copy; 0: an equal share"),
    QT_TRANSLATE_NOOP("Words", "GPUs a host link"),
    QT_TRANSLATE_NOOP("Words", "that share a switch to the host"),
    QT_TRANSLATE_NOOP("Words", "Memory of a node"),
    QT_TRANSLATE_NOOP("Words", "of its processors; 0: unknown"),
    QT_TRANSLATE_NOOP("Words", "Nodes"),
    QT_TRANSLATE_NOOP("Words", "of the cluster; 0: as many as a plan needs"),
    QT_TRANSLATE_NOOP("Words", "GPUs a node"),
    QT_TRANSLATE_NOOP("Words", "ranks fill nodes in order"),
    QT_TRANSLATE_NOOP("Words", "Network adapters a node"),
    QT_TRANSLATE_NOOP("Words", "that the GPUs of a node share; 0: one for each GPU"),
    QT_TRANSLATE_NOOP("Words", "Latency inside a node"),
    QT_TRANSLATE_NOOP("Words", "of a message"),
    QT_TRANSLATE_NOOP("Words", "Bandwidth inside a node"),
    QT_TRANSLATE_NOOP("Words", "of messages between two GPUs, in one direction"),
    QT_TRANSLATE_NOOP("Words", "Oversubscription inside a node"),
    QT_TRANSLATE_NOOP("Words", "divides the bandwidth when all GPUs send"),
    QT_TRANSLATE_NOOP("Words", "Latency between nodes"),
    QT_TRANSLATE_NOOP("Words", "Bandwidth between nodes"),
    QT_TRANSLATE_NOOP("Words", "of one network adapter, in one direction"),
    QT_TRANSLATE_NOOP("Words", "Oversubscription between nodes"),
    QT_TRANSLATE_NOOP("Words", "divides the bandwidth of all adapters"),
    QT_TRANSLATE_NOOP("Words", "Limit of collectives but the all-reduce"),
    QT_TRANSLATE_NOOP("Words", "inside a node, of operations without a table of their own; 0: none"),
    QT_TRANSLATE_NOOP("Words", "Price of a GPU-hour"),
});

} // namespace

std::span<const char *const> hardwareWords()
{
    return kHardwareWords;
}

} // namespace stagelens::ui
