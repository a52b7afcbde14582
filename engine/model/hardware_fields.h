// The only table of the numbers of a cluster: its file, its checks and its editor read it.
#pragma once

#include "engine/model/hardware.h"

#include <span>
#include <string>
#include <string_view>

namespace stagelens::model {

/// A number of a Hardware.
struct HardwareField {
    std::string_view key;     ///< in the file: "inside_node.latency_us"
    std::string_view caption; ///< "Latency inside a node"
    std::string_view unit;    ///< as the editor shows it: "GB/s"; empty: none
    std::string_view help;    ///< a noun phrase without initial capital and final period
    double scale = 1;         ///< of the editor: what one unit is in the file
    double least = 0;
    double most = 0;
    bool isOpen = false;  ///< `least` itself is not allowed
    bool isWhole = false; ///< a whole number
    bool isRequired = false;
    double usual = 0; ///< the file omits a field that is not required and has this value
    double (*value)(const Hardware &) = nullptr;
    void (*assign)(Hardware &, double) = nullptr;
};

/// Returns all fields, in the order of the file.
[[nodiscard]] std::span<const HardwareField> hardwareFields();
/// Returns the problem of a value, with the nearest valid value; empty if the value is valid.
[[nodiscard]] std::string faultOf(const HardwareField &field, double value);

} // namespace stagelens::model
