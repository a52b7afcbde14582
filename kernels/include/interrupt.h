// How a long kernel learns that nobody waits for its result any more.
#pragma once

namespace stagelens::kernels {

/// Asked between the blocks of a long kernel. Once it says yes, kernels return early and their outputs are worthless: the
/// caller asks as well before it uses them. The default never says yes.
struct Interrupt {
    bool (*asked)(const void *context) = nullptr;
    const void *context = nullptr;
    [[nodiscard]] bool operator()() const { return asked != nullptr && asked(context); }
};

} // namespace stagelens::kernels
