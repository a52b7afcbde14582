#include "ui/controls/dialog_size.h"

#include <QEvent>
#include <QScreen>
#include <QWidget>

#include <optional>

namespace stagelens::ui {

namespace {

/// Shows a dialog again where it was. Qt 6.4 on X11 would put it lower each time, by the height of its title bar.
class PlaceKeeper : public QObject {
public:
    explicit PlaceKeeper(QWidget *dialog) : QObject(dialog) { dialog->installEventFilter(this); }
    bool eventFilter(QObject *watched, QEvent *event) override
    {
        auto *dialog = static_cast<QWidget *>(watched);
        if (event->type() == QEvent::Hide && !event->spontaneous())
            m_place = dialog->pos();
        else if (event->type() == QEvent::Show && !event->spontaneous() && m_place)
            dialog->move(*m_place); // with its frame
        return false;
    }

private:
    std::optional<QPoint> m_place;
};

} // namespace

void resizeWithinScreen(QWidget &dialog, QSize wanted)
{
    constexpr const char *kKeepsPlace = "keepsPlace";
    if (!dialog.property(kKeepsPlace).toBool())
        new PlaceKeeper(&dialog);
    dialog.setProperty(kKeepsPlace, true);
    constexpr QSize kFrame{60, 100};
    dialog.resize(wanted.boundedTo(dialog.screen()->availableSize() - kFrame));
}

} // namespace stagelens::ui
