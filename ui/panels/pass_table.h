// View > As table: the passes of the picture as rows, with the same selection.
#pragma once

#include <QTableView>

namespace stagelens::ui {

class PassTableModel;
class ViewState;
struct TimelineContent;

class PassTable : public QTableView {
    Q_OBJECT
public:
    PassTable(ViewState *state, QWidget *parent);
    void setContent(const TimelineContent &content);

protected:
    void showEvent(QShowEvent *event) override;

private:
    void follow();
    ViewState *m_state;
    PassTableModel *m_model;
};

} // namespace stagelens::ui
