// The order of fibres: pseudo-random, from a seed.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace stagelens::kernels::gpu::host {

/// SplitMix64 (Steele et al., 2014).
class Shuffler {
public:
    explicit Shuffler(std::uint64_t seed) : m_state(seed) {}
    std::uint64_t next()
    {
        std::uint64_t x = m_state += 0x9e3779b97f4a7c15ULL;
        x = (x ^ (x >> 30U)) * 0xbf58476d1ce4e5b9ULL;
        x = (x ^ (x >> 27U)) * 0x94d049bb133111ebULL;
        return x ^ (x >> 31U);
    }
    template <class T>
    void shuffle(std::vector<T> &values)
    {
        for (std::size_t left = values.size(); left > 1; --left)
            std::swap(values[left - 1], values[next() % left]);
    }

private:
    std::uint64_t m_state;
};

} // namespace stagelens::kernels::gpu::host
