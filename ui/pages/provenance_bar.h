// What is said of the run beside the prediction: where it comes from, how it differs, how it ended.
#pragma once

#include "ui/controls/message_bar.h"

namespace stagelens::ui {

struct BadEnd;
class ExploreContent;
class Forecast;
class RunController;

class ProvenanceBar : public MessageBar {
    Q_OBJECT
public:
    /// `content` must outlive the bar.
    ProvenanceBar(Forecast *forecast, RunController *runController, const ExploreContent *content, QWidget *parent);
    void refresh();

signals:
    void showPlanAsked();
    void trainAsked();
    /// A field of the experiment should be edited.
    void fieldAsked(const QString &field);

private:
    void sayBadEnd(const BadEnd &end);
    void sayDifferences();

    Forecast *m_forecast;
    RunController *m_runController;
    const ExploreContent *m_content;
};

} // namespace stagelens::ui
