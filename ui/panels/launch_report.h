// What was exported for another framework, and what it leaves out.
#pragma once

#include "engine/service/plans/launch.h"

#include <QDialog>

namespace stagelens::ui {

/// The file, the list of what is not carried over, and the version that the names of arguments were checked against.
class LaunchReport : public QDialog {
    Q_OBJECT
public:
    LaunchReport(const QString &file, const service::Launch &launch, QWidget *parent = nullptr);

    [[nodiscard]] const QString &text() const { return m_text; }

private:
    QString m_text;
};

} // namespace stagelens::ui
