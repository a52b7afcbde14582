#include "engine/runtime/executor/output/vocabulary_map.h"

namespace stagelens::runtime {

void widen(Values out, ConstValues rows, const Parameter &map, const Context &context)
{
    const Shape &shape = context.shape;
    context.compute.multiply({.rows = shape.ownTokens(),
                              .columns = shape.hidden,
                              .inner = map.rows,
                              .a = {rows, map.rows},
                              .b = {map.weights(), shape.hidden},
                              .c = out,
                              .stride = shape.hidden});
}

void narrow(Values out, ConstValues wide, const Parameter &map, const Context &context)
{
    const Shape &shape = context.shape;
    context.compute.multiply({.rows = shape.ownTokens(),
                              .columns = map.rows,
                              .inner = shape.hidden,
                              .a = {wide, shape.hidden},
                              .b = {map.weights(), shape.hidden, kernels::Form::Transposed},
                              .c = out,
                              .stride = map.rows});
}

void addMapGradient(Parameter &map, ConstValues rows, ConstValues wide, const Context &context)
{
    const Shape &shape = context.shape;
    context.compute.multiply({.rows = map.rows,
                              .columns = shape.hidden,
                              .inner = shape.ownTokens(),
                              .a = {rows, map.rows, kernels::Form::Transposed},
                              .b = {wide, shape.hidden},
                              .c = map.gradient.data(),
                              .stride = shape.hidden,
                              .beta = 1});
}

} // namespace stagelens::runtime
