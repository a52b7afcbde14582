// The products with a map R [E, h] between rows of the token tables and rows of the layers, of a factorised vocabulary or of
// several output heads, whose map is [K E, h]. Each rank maps its own tokens.
#pragma once

#include "engine/runtime/layers/context.h"
#include "engine/runtime/state/parameters.h"

namespace stagelens::runtime {

/// Computes out [tokens, h] = rows R.
void widen(Values out, ConstValues rows, const Parameter &map, const Context &context);
/// Computes out [tokens, E] = wide R^T.
void narrow(Values out, ConstValues wide, const Parameter &map, const Context &context);
/// Adds rows^T wide to the gradient of R.
void addMapGradient(Parameter &map, ConstValues rows, ConstValues wide, const Context &context);

} // namespace stagelens::runtime
