// What is trained: the shape of a transformer language model.
#pragma once

#include "engine/base/units.h"

#include <cstdint>
#include <string>

namespace stagelens::model {

/// Architecture family. `Gpt` is GPT-2's (learned positions, LayerNorm, tanh-GELU, biases); `Llama` has RMSNorm, rotary
/// positions, SwiGLU and grouped-query attention.
enum class ModelFamily : unsigned char { Gpt, Llama };

/// Number format of parameters and activations in training (the CPU engine computes in fp32 whatever this says).
enum class DataType : unsigned char { Fp32, Bf16, Fp16 };

/// Shape of a model. All sizes are positive in a valid one; see validate().
struct ModelConfig {
    std::string preset = "gpt-demo"; ///< name of the preset it was made from; "custom" if any field was changed
    ModelFamily family = ModelFamily::Gpt;
    int layers = 8;            ///< L
    int hidden = 128;          ///< h
    int heads = 4;             ///< a; divides hidden
    int kvHeads = 4;           ///< key and value heads; divides heads
    int ffn = 512;             ///< inner width of the MLP
    int sequence = 128;        ///< s
    int vocabularySize = 8192; ///< V
    bool tied = false;         ///< input embedding and output projection share one matrix
    DataType dtype = DataType::Fp32;
    friend bool operator==(const ModelConfig &, const ModelConfig &) = default;
};

} // namespace stagelens::model
