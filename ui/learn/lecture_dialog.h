// The editor of a lecture: its scenes in order, the title and notes of each, and what can be done with the whole.
#pragma once

#include "ui/learn/lecture.h"

#include <QDialog>

#include <functional>

class QLabel;
class QLineEdit;
class QListWidget;
class QPlainTextEdit;
class QPushButton;

namespace stagelens::ui {

/// Not modal: scenes are taken from the window beside it. A lecture that has a file is written after every change.
class LectureDialog : public QDialog {
    Q_OBJECT
public:
    explicit LectureDialog(QWidget *parent);
    /// What "Add this plan" takes: the plan that the window shows, and how.
    void setSource(std::function<LectureScene()> source) { m_source = std::move(source); }
    [[nodiscard]] const Lecture &lecture() const { return m_lecture; }
    [[nodiscard]] const QString &file() const { return m_file; }
    /// Replaces the lecture by that of the file; says why it cannot be read.
    void openFile(const QString &file);
    /// The lecture belongs to that file from now on.
    void saveAs(const QString &file);

signals:
    /// The lecture is to be shown, beginning with a scene, from 0.
    void presentAsked(const stagelens::ui::Tour &tour, int scene);

private:
    void build();
    [[nodiscard]] QWidget *makeList();
    [[nodiscard]] QWidget *makeScene();
    [[nodiscard]] QWidget *makeButtons();
    QPushButton *makeButton(const QString &name, const QString &caption, const QString &tip, void (LectureDialog::*press)());
    void add();
    void remove();
    void moveUp() { shift(-1); }
    void moveDown() { shift(1); }
    void shift(int by);
    void present();
    void askOpen();
    void askSave();
    void askSlides();
    /// Shows the list and a scene of it; -1: none.
    void fill(int current);
    void showScene();
    /// Writes the lecture to its file, if it has one.
    void changed();
    void say(const QString &sentence, bool isWrong = false);
    [[nodiscard]] int current() const;

    std::function<LectureScene()> m_source;
    Lecture m_lecture;
    QString m_file;
    QLineEdit *m_title;
    QListWidget *m_list;
    QLineEdit *m_sceneTitle;
    QPlainTextEdit *m_notes;
    QLabel *m_status;
    QPushButton *m_remove = nullptr;
    QPushButton *m_up = nullptr;
    QPushButton *m_down = nullptr;
    QPushButton *m_present = nullptr;
    QPushButton *m_slides = nullptr;
};

} // namespace stagelens::ui
