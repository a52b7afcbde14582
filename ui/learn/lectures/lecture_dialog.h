// The editor of a lecture: its scenes in order, the title and notes of each, and what can be done with the whole.
#pragma once

#include "ui/learn/lectures/lecture.h"

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
    /// What "Add this plan" takes: the plan that the window shows, and how.
    void setSource(std::function<LectureScene()> source) { m_source = std::move(source); }
    /// Keeps a lecture without a file in the draft from now on; shows the one that the draft has.
    void keepIn(const std::filesystem::path &draft);
    [[nodiscard]] const Lecture &lecture() const { return m_lecture; }
    [[nodiscard]] const QString &file() const { return m_file; }
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
    void add();
    void remove();
    void moveUp() { shift(-1); }
    void moveDown() { shift(1); }
    void shift(int by);
    void present();
    void askOpen();
    void askSave();
    /// Shows the list and a scene of it; -1: none.
    void fill(int current);
    void showScene();
    void display(Lecture lecture, const QString &file);
    void showDraft();
    /// Writes the lecture to its file or the draft.
    void changed();
    /// False, with a message: the draft is not on the disk.
    bool writeDraft();
    void forgetDraft();
    /// Keeps as the draft what could not be written to the lecture's file.
    void leaveFile(const QString &why);
    void say(const QString &sentence, bool isWrong = false);
    [[nodiscard]] int current() const;

    std::function<LectureScene()> m_source;
    Lecture m_lecture;
    QString m_file;                ///< empty: the lecture is the draft
    std::filesystem::path m_draft; ///< empty: a lecture without a file is not kept
    QLineEdit *m_title;
    QListWidget *m_list;
    QLineEdit *m_sceneTitle;
    QPlainTextEdit *m_notes;
    QLabel *m_status;
    QPushButton *m_unsaved = nullptr; ///< hidden unless there is a draft beside the lecture of a file
    QPushButton *m_remove = nullptr;
    QPushButton *m_up = nullptr;
    QPushButton *m_down = nullptr;
    QPushButton *m_present = nullptr;
    SlidesButton *m_slides;
};

} // namespace stagelens::ui
