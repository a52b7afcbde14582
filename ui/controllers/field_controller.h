// What the fields of the strip and the editor show beside their values: details of choices, and what a hovered choice would do.
#pragma once

#include <QObject>

#include <vector>

namespace stagelens::ui {

class EngineBridge;
class ExplorePage;
class FieldEditor;
class Forecast;
class MethodPicker;
class PlanStrip;

/// Fills the details of the choices of vocabulary method, schedule family and backend.
class FieldController : public QObject {
    Q_OBJECT
public:
    FieldController(EngineBridge *bridge, Forecast *forecast, ExplorePage *page, std::vector<FieldEditor *> editors,
                    PlanStrip *strip);

signals:
    /// The user chose a custom schedule in the list of families.
    void customOrderChosen();

private:
    template <class Source>
    void connectChoices(Source *source);
    void showDetails(FieldEditor *editor);
    void showFigures(MethodPicker *picker);
    void refresh();

    EngineBridge *m_bridge;
    Forecast *m_forecast;
    ExplorePage *m_page;
    std::vector<FieldEditor *> m_editors;
    std::vector<MethodPicker *> m_pickers;
};

} // namespace stagelens::ui
