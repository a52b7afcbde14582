// "Where: this computer | another machine" of the run sheet.
#pragma once

#include <QWidget>

class QCheckBox;
class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace stagelens::ui {

class RunPlace;

/// A list of two choices; the second shows the name of the machine and what it answers.
class PlacePicker : public QWidget {
    Q_OBJECT
public:
    PlacePicker(RunPlace *place, QWidget *parent);

    /// So that the list begins where the fields below it do.
    void setCaptionWidth(int width);

signals:
    /// The plan should be predicted with the calibrated hardware of the machine.
    void predictionAsked();
    void sizeChanged();

private:
    void choose();
    void show();

    RunPlace *m_place;
    QLabel *m_caption;
    QComboBox *m_where;
    QLineEdit *m_host;
    QCheckBox *m_copies;
    QLabel *m_answer;
    QPushButton *m_predict;
};

} // namespace stagelens::ui
