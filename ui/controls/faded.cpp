#include "ui/controls/faded.h"

#include <QGraphicsOpacityEffect>
#include <QWidget>

namespace stagelens::ui {

namespace {
constexpr double kFadedOpacity = 0.5;
}

void setFaded(QWidget *widget, bool faded)
{
    if (faded == (widget->graphicsEffect() != nullptr))
        return;
    auto *effect = faded ? new QGraphicsOpacityEffect(widget) : nullptr;
    if (effect != nullptr)
        effect->setOpacity(kFadedOpacity);
    widget->setGraphicsEffect(effect); // deletes the one before
}

} // namespace stagelens::ui
