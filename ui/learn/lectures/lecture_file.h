// Where a lecture is kept: in its file, or, while it has none, in the draft, which the next start finds.
#pragma once

#include "ui/learn/lectures/lecture.h"

#include <QString>

#include <filesystem>

namespace stagelens::ui {

/// What is said of an attempt to keep a lecture.
struct Kept {
    QString sentence;
    bool isWrong = false;
};

class LectureFile {
public:
    /// A lecture without a file is kept there from now on.
    void setDraft(const std::filesystem::path &draft) { m_draft = draft; }
    /// Returns whether there is a draft on the disk.
    [[nodiscard]] bool hasDraft() const;
    /// Returns the file of the lecture; empty while it is the draft.
    [[nodiscard]] const QString &name() const { return m_name; }

    /// Writes a changed lecture to its file or the draft. One that can no longer be written to its file becomes the draft,
    /// unless that is another lecture.
    Kept write(const Lecture &lecture);
    /// The lecture belongs to that file from now on, if it can be written.
    Kept writeAs(const Lecture &lecture, const QString &name);
    /// Reads the lecture of a file, to which it belongs from now on. The draft remains.
    base::Result<Lecture> read(const QString &name);
    /// Reads the draft. One that cannot be read is not overwritten either.
    base::Result<Lecture> readDraft();
    [[nodiscard]] QString draftName() const;

private:
    Kept writeDraft(const Lecture &lecture) const;
    void forgetDraft() const;
    /// Keeps as the draft what could not be written to the lecture's file.
    Kept leave(const Lecture &lecture, const QString &why);

    QString m_name;
    std::filesystem::path m_draft; ///< empty: a lecture without a file is not kept
};

} // namespace stagelens::ui
