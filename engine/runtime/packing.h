// Values in a row of bytes, between processes of one build.
#pragma once

#include "engine/backend/process_group.h"

#include <cstring>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace stagelens::runtime {

class Packer {
public:
    template <class T>
    void put(const T &value) requires std::is_trivially_copyable_v<T>
    {
        const auto bytes = std::as_bytes(std::span(&value, 1));
        m_bytes.insert(m_bytes.end(), bytes.begin(), bytes.end());
    }
    template <class T>
    void put(const std::vector<T> &values)
    {
        put(values.size());
        const auto bytes = std::as_bytes(std::span(values));
        m_bytes.insert(m_bytes.end(), bytes.begin(), bytes.end());
    }
    void put(const std::string &text) { put(std::vector<char>(text.begin(), text.end())); }
    [[nodiscard]] backend::Bytes take() { return std::exchange(m_bytes, {}); }

private:
    backend::Bytes m_bytes;
};

/// Takes out what a Packer of the same types put in, in the same order. Bytes that end too early, or name more elements than
/// follow, give zeros from there on: ask isWhole() before the values are used.
class Unpacker {
public:
    explicit Unpacker(const backend::Bytes &bytes) : m_rest(bytes) {}

    template <class T>
    [[nodiscard]] T value()
    {
        if constexpr (std::is_same_v<T, bool>)
            return value<unsigned char>() != 0; // any other byte is no bool
        T value{};
        read(&value, sizeof(T));
        return value;
    }
    template <class T>
    [[nodiscard]] std::vector<T> values()
    {
        std::vector<T> values(count(sizeof(T)));
        read(values.data(), values.size() * sizeof(T));
        return values;
    }
    /// Elements that follow, each of at least so many bytes.
    [[nodiscard]] std::size_t count(std::size_t bytesEach)
    {
        const auto named = value<std::size_t>();
        if (named <= m_rest.size() / bytesEach)
            return named;
        m_isWhole = false;
        m_rest = {};
        return 0;
    }
    [[nodiscard]] std::string text()
    {
        const std::vector<char> letters = values<char>();
        return {letters.begin(), letters.end()};
    }

    [[nodiscard]] bool isWhole() const { return m_isWhole; }

private:
    void read(void *to, std::size_t count)
    {
        if (count > m_rest.size()) {
            m_isWhole = false;
            m_rest = {};
            return;
        }
        if (count > 0)
            std::memcpy(to, m_rest.data(), count);
        m_rest = m_rest.subspan(count);
    }
    std::span<const std::byte> m_rest;
    bool m_isWhole = true;
};

} // namespace stagelens::runtime
