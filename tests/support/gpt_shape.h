// Shapes of GPT models by their few sizes.
#pragma once

#include "engine/model/model_config.h"

namespace stagelens::test {

/// A GPT with an MLP of four times its width, and with keys and values of every head.
inline model::ModelConfig gptOf(int layers, int hidden, int heads, int sequence, int vocabularySize,
                                model::DataType dtype = model::DataType::Fp32)
{
    model::ModelConfig model;
    model.preset = "custom";
    model.family = model::ModelFamily::Gpt;
    model.layers = layers;
    model.hidden = hidden;
    model.heads = heads;
    model.kvHeads = heads;
    model.ffn = 4 * hidden;
    model.sequence = sequence;
    model.vocabularySize = vocabularySize;
    model.dtype = dtype;
    return model;
}

/// The 4B model of arXiv 2411.05288, table 1.
inline model::ModelConfig paperModel(int sequence, int vocabularySize)
{
    return gptOf(32, 3072, 24, sequence, vocabularySize, model::DataType::Fp16);
}

} // namespace stagelens::test
