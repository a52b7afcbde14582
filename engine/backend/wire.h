// Byte transport between processes: the interface of the MPI plug-in.
#pragma once

#include "engine/backend/transport.h"
#include "engine/base/result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>

namespace stagelens::backend {

/// Precedes every message. Both ends run the same build on machines of the same kind; joining checks that.
struct WireHeader {
    std::uint8_t type = 0; ///< a MessageType of ProcessLink
    MessageKey key = {};
    std::int64_t first = 0;
    std::int64_t second = 0;
    std::uint64_t bytes = 0; ///< of the payload that follows
};

/// Bytes in flight, and the owner of their memory.
struct WirePayload {
    std::span<std::byte> bytes;
    std::shared_ptr<void> owner;
};

/// Receives the messages of a Wire.
class WireSink {
public:
    virtual ~WireSink() = default;
    /// Returns memory for header.bytes of payload. Called only if there are any.
    [[nodiscard]] virtual WirePayload place(int from, const WireHeader &header) = 0;
    /// Takes the payload; the wire keeps no reference.
    virtual void arrived(int from, const WireHeader &header, WirePayload payload) = 0;
};

/// Messages between `size` processes, in order between any two. One thread creates, uses and destroys it. Only creation and
/// leave() block for other processes.
class Wire {
public:
    virtual ~Wire() = default;
    [[nodiscard]] virtual int rank() const = 0;
    [[nodiscard]] virtual int size() const = 0;
    /// Returns, for example, "Open MPI v4.1.4".
    [[nodiscard]] virtual std::string description() const = 0;
    virtual base::Result<> send(int to, const WireHeader &header, WirePayload payload) = 0;
    /// Delivers received messages to `sink`. Returns whether a message was sent or received since the last call.
    virtual base::Result<bool> progress(WireSink &sink) = 0;
    /// Returns the number of messages in flight.
    [[nodiscard]] virtual std::size_t unsent() const = 0;
    /// Closes the connection. If a wire is destroyed without this call, other processes detect the loss.
    virtual void leave() = 0;
};

/// The name of the function that a plug-in exports. It creates a Wire, or returns null and sets `problem`.
inline constexpr const char *kWireSymbol = "stagelensOpenWire";
/// Increment when the types above change; a plug-in refuses other versions.
inline constexpr std::uint32_t kWireVersion = 1;
using OpenWire = Wire *(std::uint32_t version, std::string *problem);

} // namespace stagelens::backend
