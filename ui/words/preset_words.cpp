// Descriptions of the presets of hardware and models.
#include "ui/words/engine_words.h"

#include <QtGlobal>

#include <array>

namespace stagelens::ui {
namespace {

constexpr auto kPresetWords = std::to_array<const char *>({
    QT_TRANSLATE_NOOP("Words", "small mixture of 16 experts for a laptop, 2 of which and a shared one compute a token"),
    QT_TRANSLATE_NOOP("Words", "small mixture of 8 experts for a laptop, 2 of which compute a token"),
    QT_TRANSLATE_NOOP("Words", "NVIDIA A100 SXM 80 GB: 312 TFLOP/s, 2.0 TB/s, 8 a node with NVLink, RoCE between nodes; fitted "
                               "to the runs of arXiv 2411.05288"),
    QT_TRANSLATE_NOOP("Words",
                      "NVIDIA GB200 186 GB: 2500 TFLOP/s, 5000 in 8 bits, 8 TB/s, 72 a node with NVLink (a rack), InfiniBand "
                      "between nodes; products as of B200, attention as cuDNN measured, NVLink as DeepEP measured"),
    QT_TRANSLATE_NOOP("Words",
                      "NVIDIA GB300 279 GB: 2500 TFLOP/s, 5000 in 8 bits, 8 TB/s, 72 a node with NVLink (a rack), InfiniBand "
                      "between nodes; products as of B200, attention as cuDNN measured, NVLink as DeepEP measured on GB200"),
    QT_TRANSLATE_NOOP("Words", "NVIDIA B200 180 GB: 2250 TFLOP/s, 8 TB/s, 8 a node with NVLink, InfiniBand between nodes"),
    QT_TRANSLATE_NOOP("Words", "this machine, one core a device (general values until it is calibrated)"),
    QT_TRANSLATE_NOOP("Words",
                      "NVIDIA H100 SXM 80 GB: 989 TFLOP/s, 3.35 TB/s, 8 a node with NVLink, InfiniBand between nodes; "
                      "collectives as measured on H200 (the same NVLink) and, between nodes, on B200 (the same network)"),
    QT_TRANSLATE_NOOP("Words", "NVIDIA H200 SXM 141 GB: 989 TFLOP/s, 4.8 TB/s, 8 a node with NVLink, InfiniBand between nodes; "
                               "collectives between nodes as measured on B200 (the same network)"),
    QT_TRANSLATE_NOOP("Words",
                      "AMD Instinct MI300X 192 GB: 1307 TFLOP/s, 5.3 TB/s, 8 a node with Infinity Fabric, RoCE between nodes"),
    QT_TRANSLATE_NOOP("Words", "NVIDIA GeForce RTX 4090 24 GB: 165 TFLOP/s, 1.0 TB/s, 8 a node over PCIe 4 through the host"),
    QT_TRANSLATE_NOOP("Words", "Gemma 2 27B in shape, computed as a Llama: 256k vocabulary"),
    QT_TRANSLATE_NOOP("Words", "Gemma 2 2B in shape, computed as a Llama: 256k vocabulary"),
    QT_TRANSLATE_NOOP("Words",
                      "Gemma 2 9B in shape, computed as a Llama: 256k vocabulary, about five layers' worth of output layer"),
    QT_TRANSLATE_NOOP("Words", "the 10B model of arXiv 2411.05288, table 1 (1F1B on 16 devices); 256k vocabulary"),
    QT_TRANSLATE_NOOP("Words", "the 16B model of arXiv 2411.05288, table 2 (V-Half on 24 devices); 256k vocabulary"),
    QT_TRANSLATE_NOOP("Words", "the 21B model of arXiv 2411.05288, table 1 (1F1B on 32 devices); 256k vocabulary"),
    QT_TRANSLATE_NOOP("Words", "the 30B model of arXiv 2411.05288, table 2 (V-Half on 32 devices); 256k vocabulary"),
    QT_TRANSLATE_NOOP("Words", "the 4B model of arXiv 2411.05288, table 1 (1F1B on 8 devices); 256k vocabulary"),
    QT_TRANSLATE_NOOP("Words", "the 7B model of arXiv 2411.05288, table 2 (V-Half on 16 devices); 256k vocabulary"),
    QT_TRANSLATE_NOOP("Words", "small GPT for a laptop; its output layer costs as much as 4.6 of its transformer layers"),
    QT_TRANSLATE_NOOP("Words", "GPT-2 small as published: 12 layers, tied vocabulary"),
    QT_TRANSLATE_NOOP("Words", "Llama 3 and 3.1 8B: grouped-query attention, 128k vocabulary"),
    QT_TRANSLATE_NOOP("Words", "Llama 3.1 405B in shape: grouped-query attention, 128k vocabulary"),
    QT_TRANSLATE_NOOP("Words", "Llama 3.1 70B in shape: grouped-query attention, 128k vocabulary"),
    QT_TRANSLATE_NOOP("Words", "small Llama for a laptop, with grouped-query attention"),
    QT_TRANSLATE_NOOP("Words", "the 1T model of Megatron-LM (arXiv 2104.04473, table 1) in shape"),
    QT_TRANSLATE_NOOP("Words", "GPT-3 175B in shape (arXiv 2005.14165, table 2.1)"),
    QT_TRANSLATE_NOOP("Words", "MT-NLG 530B in shape (arXiv 2201.11990)"),
});

} // namespace

std::span<const char *const> presetWords()
{
    return kPresetWords;
}

} // namespace stagelens::ui
