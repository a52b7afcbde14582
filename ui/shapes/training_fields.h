// How many tokens a training has and what a GPU costs: what a table of plans needs for days and costs.
#pragma once

#include "engine/model/hardware.h"

#include <QWidget>

#include <memory>
#include <optional>

class QLineEdit;

namespace stagelens::ui {

/// Two fields in a row. What they say changes no plan: Return in them is not that of the dialog.
class TrainingFields : public QWidget {
    Q_OBJECT
public:
    explicit TrainingFields(QWidget *parent = nullptr);

    /// Takes the price of the hardware while none is typed; null: it has none.
    void setHardware(std::shared_ptr<const model::Hardware> hardware);
    /// Returns the tokens; nothing if there is no such number.
    [[nodiscard]] std::optional<double> tokens() const;
    /// Returns the price of a GPU-hour; 0: unknown.
    [[nodiscard]] double price() const;
    [[nodiscard]] QString currency() const;

signals:
    void changed();

protected:
    void keyPressEvent(QKeyEvent *event) override;

private:
    /// Marks a field that has no positive number.
    void judge(QLineEdit *field, const QString &remedy);

    QLineEdit *m_tokens;
    QLineEdit *m_price;
    std::shared_ptr<const model::Hardware> m_hardware;
};

} // namespace stagelens::ui
