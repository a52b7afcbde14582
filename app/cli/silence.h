// Silences the standard streams of a process.
#pragma once

#include <iostream>
#include <streambuf>

namespace stagelens::cli {

/// Drops everything written to the standard output and error streams, by the engine too, while it exists.
class Silence {
public:
    Silence() : m_out(std::cout.rdbuf(&m_null)), m_err(std::cerr.rdbuf(&m_null)) {}
    Silence(const Silence &) = delete;
    Silence &operator=(const Silence &) = delete;
    ~Silence()
    {
        std::cout.rdbuf(m_out);
        std::cerr.rdbuf(m_err);
    }

private:
    class NullBuffer : public std::streambuf {
        int overflow(int letter) override { return traits_type::not_eof(letter); }
    };
    NullBuffer m_null;
    std::streambuf *m_out;
    std::streambuf *m_err;
};

} // namespace stagelens::cli
