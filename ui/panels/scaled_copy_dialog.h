// What a scaled copy changes, before it is opened.
#pragma once

#include "engine/model/experiment.h"

#include <QDialog>

namespace stagelens::ui {

/// Lists every field that differs, with its old and its new value. Accepting it changes nothing by itself.
class ScaledCopyDialog : public QDialog {
    Q_OBJECT
public:
    ScaledCopyDialog(const model::Experiment &experiment, const model::Experiment &copy, QWidget *parent);
};

} // namespace stagelens::ui
