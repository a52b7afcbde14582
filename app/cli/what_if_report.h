// What a plan's what-ifs cost, as text and as JSON, and what a person sees while steps are drawn.
#pragma once

#include "app/cli/interrupt.h"
#include "engine/service/predictions/sensitivity.h"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <optional>
#include <ostream>

namespace stagelens::cli {

/// While one exists, Ctrl+C stops the draws, and draws that last show on stderr how far they are.
class DrawWatch {
public:
    DrawWatch();
    ~DrawWatch();
    DrawWatch(const DrawWatch &) = delete;
    DrawWatch &operator=(const DrawWatch &) = delete;

    [[nodiscard]] service::SensitivityOptions options();

private:
    void show(int done, int total);

    InterruptScope m_interrupt;
    std::chrono::steady_clock::time_point m_due; ///< of the next line
    bool m_isTerminal = false;
    bool m_isOpen = false; ///< a line that is rewritten is on the terminal
};

/// Prints the parts, the distribution of the step and the goodput.
void printSensitivity(std::ostream &out, const service::Sensitivity &sensitivity, const service::Prediction &prediction);
/// Adds them to the document of a prediction.
void addSensitivity(nlohmann::ordered_json &document, const service::Sensitivity &sensitivity,
                    const service::Prediction &prediction);

} // namespace stagelens::cli
