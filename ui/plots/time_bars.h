// Where the time of several plans goes, as bars on one axis.
#pragma once

#include "engine/simulate/metrics.h"

#include <QString>
#include <QWidget>

#include <array>
#include <vector>

namespace stagelens::ui {

/// Parts of an iteration, as means over the devices.
enum class TimePart : unsigned char {
    Layers,
    Vocabulary, ///< 0 where it is unknown: Layers then has it
    Tensor,     ///< exchanges in passes that nothing hides, by the ranks that exchange
    Context,
    Expert,
    Replicas,
    Gradients, ///< the exchange of replicas after the last pass that nothing hides
    Optimizer,
    Idle,
};
inline constexpr std::size_t kTimeParts = 9;
using TimeParts = std::array<base::Nanos, kTimeParts>;
/// They add up to the iteration. Overlapping or rounded figures shorten the last parts.
[[nodiscard]] TimeParts timePartsOf(const simulate::Metrics &metrics);

/// One bar for each, as long as its iteration; pointing at a part says its figures. Hidden without bars.
class TimeBars : public QWidget {
    Q_OBJECT
public:
    struct Bar {
        QString name; ///< "A"
        simulate::Metrics metrics;
        bool inUnits = false; ///< teaching units
    };
    explicit TimeBars(QWidget *parent = nullptr);
    void setBars(std::vector<Bar> bars);
    /// "A: layers 61.2 ms, 45 %" of the part at a point; empty where there is none.
    [[nodiscard]] QString textAt(QPoint point) const;
    [[nodiscard]] QSize sizeHint() const override;
    [[nodiscard]] QSize minimumSizeHint() const override { return sizeHint(); }

protected:
    void paintEvent(QPaintEvent *event) override;
    bool event(QEvent *event) override;

private:
    struct Piece {
        std::size_t bar = 0;
        TimePart part = TimePart::Layers;
        QRect place;
    };
    [[nodiscard]] std::vector<Piece> pieces() const;
    [[nodiscard]] QString words(const Bar &bar, TimePart part) const;
    [[nodiscard]] int rowHeight() const;
    [[nodiscard]] int nameWidth() const;
    [[nodiscard]] int timeWidth() const;

    std::vector<Bar> m_bars;
};

} // namespace stagelens::ui
