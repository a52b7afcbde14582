// The editor of a lecture: its scenes in order, the title and notes of each, and what can be done with the whole.
#pragma once

#include "ui/learn/lectures/lecture_file.h"

#include <QDialog>

#include <filesystem>
#include <functional>

class QLabel;
class QLineEdit;
class QListWidget;
class QPlainTextEdit;
class QPushButton;

namespace stagelens::ui {

class EngineBridge;
class SlidesButton;

/// Not modal: scenes are taken from the window beside it. A lecture is written after every change: to its file, or, while it
/// has none, to the draft, which the next start finds.
class LectureDialog : public QDialog {
    Q_OBJECT
public:
    LectureDialog(EngineBridge *bridge, QWidget *parent);
    /// What "Add this plan" takes: the plan that the window shows, and how; or the plans that it compares.
    void setSource(std::function<std::vector<LectureScene>()> source) { m_source = std::move(source); }
    /// The window shows that many plans.
    void setShown(std::size_t plans);
    /// Adds what the window shows behind the scene that is chosen.
    void add();
    /// Keeps a lecture without a file in the draft from now on; shows the one that the draft has.
    void keepIn(const std::filesystem::path &draft);
    [[nodiscard]] const Lecture &lecture() const { return m_lecture; }
    [[nodiscard]] const QString &file() const { return m_file.name(); }
    /// Shows the lecture of the file; says why it cannot be read. The draft remains.
    void openFile(const QString &file);
    /// The lecture belongs to that file from now on, if it can be written.
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
    void remove();
    void moveUp() { shift(-1); }
    void moveDown() { shift(1); }
    void presentAll() { present(0); }
    void shift(int by);
    void present(int scene);
    void askOpen();
    void askSave();
    /// Shows the list and a scene of it; -1: none.
    void fill(int current);
    void showScene();
    void display(Lecture lecture);
    void showDraft();
    /// Keeps the lecture as it is now.
    void changed();
    void say(const Kept &what);
    [[nodiscard]] int current() const;
    [[nodiscard]] LectureScene *currentScene(); ///< null: none

    std::function<std::vector<LectureScene>()> m_source;
    Lecture m_lecture;
    LectureFile m_file;
    QLineEdit *m_title;
    QListWidget *m_list;
    QLineEdit *m_sceneTitle;
    QPlainTextEdit *m_notes;
    QLabel *m_status;
    QPushButton *m_unsaved = nullptr; ///< hidden unless there is a draft beside the lecture of a file
    QPushButton *m_add = nullptr;
    QPushButton *m_remove = nullptr;
    QPushButton *m_up = nullptr;
    QPushButton *m_down = nullptr;
    QPushButton *m_present = nullptr;
    SlidesButton *m_slides;
};

} // namespace stagelens::ui
