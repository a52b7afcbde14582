// Bytes between processes: all that a plug-in for MPI has to provide.
#pragma once

#include "engine/backend/transport.h"
#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace stagelens::backend {

/// Stands before every message. Both ends run the same build on the same kind of machine, which joining checks.
struct WireHeader {
    std::uint8_t type = 0; ///< its meaning belongs to ProcessLink
    MessageKey key = {};
    std::int64_t first = 0;
    std::int64_t second = 0;
    std::uint64_t bytes = 0; ///< of the payload that follows
};

/// Bytes on their way, and what keeps them in memory meanwhile.
struct WirePayload {
    std::span<std::byte> bytes;
    std::shared_ptr<void> owner;
};

/// Takes in what a Wire brings.
class WireSink {
public:
    virtual ~WireSink() = default;
    /// Where header.bytes of payload shall go; asked only where there are any.
    [[nodiscard]] virtual WirePayload place(int from, const WireHeader &header) = 0;
    /// The wire keeps nothing of the payload.
    virtual void arrived(int from, const WireHeader &header, WirePayload payload) = 0;
};

/// Messages between `size` processes, in order between any two of them. One thread makes, uses and destroys it. No call waits
/// for another process, but the making and leave(), which wait for all.
class Wire {
public:
    virtual ~Wire() = default;
    [[nodiscard]] virtual int rank() const = 0;
    [[nodiscard]] virtual int size() const = 0;
    /// "Open MPI v4.1.4".
    [[nodiscard]] virtual std::string description() const = 0;
    virtual base::Result<> send(int to, const WireHeader &header, WirePayload payload) = 0;
    /// Brings in what has come; true if anything moved since the last call.
    virtual base::Result<bool> progress(WireSink &sink) = 0;
    /// Messages that are still being sent.
    [[nodiscard]] virtual std::size_t unsent() const = 0;
    /// Ends the connection in good order. A wire that is destroyed without it leaves the others to find out.
    virtual void leave() = 0;
};

/// What a plug-in exports under this name: makes a Wire, or null with the reason in `problem`.
inline constexpr const char *kWireSymbol = "stagelensOpenWire";
/// Changes with the types above; a plug-in refuses another one.
inline constexpr std::uint32_t kWireVersion = 1;
using OpenWire = Wire *(std::uint32_t version, std::string *problem);

} // namespace stagelens::backend
