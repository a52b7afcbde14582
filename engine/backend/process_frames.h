// What the processes of a ProcessGroup send each other, as headers and payloads of the wire.
#pragma once

#include "engine/backend/process_group.h"
#include "engine/backend/wire.h"
#include "engine/base/process_mark.h"
#include "engine/base/result.h"

#include <cstdint>
#include <optional>
#include <string>

namespace stagelens::backend {

/// The kind of a message; stored in WireHeader::type.
enum class MessageType : std::uint8_t {
    Join,           ///< payload: host and process id of the sender
    TensorData,     ///< payload: a tensor, identified by `key`
    CollectiveData, ///< payload: bytes of collective call number `first`
    Heartbeat,      ///< `first` steps and `second` passes done
    TimeRequest,    ///< request for the time; `first`: when it was sent
    TimeReply,      ///< `first`: copied from the request, `second`: the time
    GiveUp,         ///< payload: the error; `first`: 1 if a process is lost
    Leave,          ///< the sender leaves; from rank 0, `first` is the exit status of all
};

[[nodiscard]] inline WireHeader headerOf(MessageType type, std::int64_t first = 0, std::int64_t second = 0)
{
    return {static_cast<std::uint8_t>(type), {}, first, second, 0};
}
[[nodiscard]] inline MessageType typeOf(const WireHeader &header)
{
    return static_cast<MessageType>(header.type);
}

/// The payload of MessageType::GiveUp.
[[nodiscard]] Bytes errorBytes(const base::Error &error);
/// Decodes it; problems name the process `from`.
[[nodiscard]] base::Error errorOf(const Bytes &bytes, int from);

/// A process and the machine that it runs on.
struct ProcessPlace {
    std::string host;
    base::ProcessMark mark;
};
/// Returns the place of this process.
[[nodiscard]] ProcessPlace ownPlace();
/// The payload of MessageType::Join.
[[nodiscard]] Bytes placeBytes(const ProcessPlace &place);
/// Decodes it; nothing if it is malformed.
[[nodiscard]] std::optional<ProcessPlace> placeOf(const Bytes &bytes);

} // namespace stagelens::backend
