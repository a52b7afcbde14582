#include "ui/timeline/accessible_timeline.h"

#include "ui/timeline/timeline_view.h"
#include "ui/words/tr.h"

#include <QAccessible>
#include <QAccessibleWidget>

namespace stagelens::ui {
namespace {

class AccessibleTimeline : public QAccessibleWidget {
public:
    explicit AccessibleTimeline(TimelineView *view) : QAccessibleWidget(view, QAccessible::Chart, Words::tr("Timeline")) {}

    [[nodiscard]] QString text(QAccessible::Text kind) const override
    {
        if (kind == QAccessible::Value)
            return static_cast<const TimelineView *>(widget())->describeSelection();
        return QAccessibleWidget::text(kind);
    }
};

QAccessibleInterface *makeInterface(const QString &, QObject *object)
{
    auto *view = qobject_cast<TimelineView *>(object);
    return view != nullptr ? new AccessibleTimeline(view) : nullptr;
}

} // namespace

void registerAccessibleTimeline()
{
    static const bool installed = [] {
        QAccessible::installFactory(makeInterface);
        return true;
    }();
    Q_UNUSED(installed)
}

void announceSelection(TimelineView *view)
{
    QAccessibleValueChangeEvent event(view, view->describeSelection());
    QAccessible::updateAccessibility(&event);
}

} // namespace stagelens::ui
