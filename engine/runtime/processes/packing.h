// Serialises values between processes of the same build.
#pragma once

#include "engine/backend/process_group.h"

#include <cstdint>
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

/// Reads what a Packer wrote, with the same types in the same order. On malformed input (too short, counts that exceed the
/// input, or invalid values of an enumeration or flag) all further values are zero: check isWhole() before using them.
class Unpacker {
public:
    explicit Unpacker(const backend::Bytes &bytes) : m_rest(bytes) {}

    template <class T>
    [[nodiscard]] T value()
    {
        static_assert(!std::is_enum_v<T>, "take an enumeration with its number of values");
        if constexpr (std::is_same_v<T, bool>)
            return flag(value<unsigned char>());
        T value{};
        read(&value, sizeof(T));
        return value;
    }
    /// Reads a value of an enumeration with `count` values.
    template <class Enum>
    [[nodiscard]] Enum value(int count) requires std::is_enum_v<Enum>
    {
        const auto value = this->value<std::underlying_type_t<Enum>>();
        require(static_cast<std::uint64_t>(value) < static_cast<std::uint64_t>(count));
        return m_isWhole ? static_cast<Enum>(value) : Enum{};
    }
    template <class T>
    [[nodiscard]] std::vector<T> values()
    {
        std::vector<T> values(count(sizeof(T)));
        read(values.data(), values.size() * sizeof(T));
        return values;
    }
    /// Reads the number of elements that follow, each of at least `bytesEach` bytes.
    [[nodiscard]] std::size_t count(std::size_t bytesEach)
    {
        const auto named = value<std::size_t>();
        if (named <= m_rest.size() / bytesEach)
            return named;
        require(false);
        return 0;
    }
    [[nodiscard]] std::string text()
    {
        const std::vector<char> letters = values<char>();
        return {letters.begin(), letters.end()};
    }

    /// Marks the input as malformed unless the values read so far are valid.
    void require(bool isPossible)
    {
        if (isPossible)
            return;
        m_isWhole = false;
        m_rest = {};
    }
    [[nodiscard]] bool isWhole() const { return m_isWhole; }

private:
    /// A bool must be 0 or 1; other bytes are undefined behaviour.
    bool flag(unsigned char byte)
    {
        require(byte <= 1);
        return byte == 1;
    }
    void read(void *to, std::size_t count)
    {
        require(count <= m_rest.size());
        if (!m_isWhole)
            return;
        if (count > 0)
            std::memcpy(to, m_rest.data(), count);
        m_rest = m_rest.subspan(count);
    }
    std::span<const std::byte> m_rest;
    bool m_isWhole = true;
};

} // namespace stagelens::runtime
