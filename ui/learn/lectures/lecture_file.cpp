#include "ui/learn/lectures/lecture_file.h"

#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QFileInfo>

#include <system_error>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

bool LectureFile::hasDraft() const
{
    std::error_code ignored;
    return !m_draft.empty() && std::filesystem::exists(m_draft, ignored);
}

QString LectureFile::draftName() const
{
    return qtText(m_draft.string());
}

Kept LectureFile::write(const Lecture &lecture)
{
    if (m_name.isEmpty())
        return writeDraft(lecture);
    if (const auto written = writeLecture(lecture, m_name); !written)
        return leave(lecture, Words::tr("The lecture was not saved. ") + sentence(written.error()));
    return {Words::tr("Saved in %1.").arg(QFileInfo(m_name).fileName())};
}

Kept LectureFile::writeAs(const Lecture &lecture, const QString &name)
{
    if (const auto written = writeLecture(lecture, name); !written)
        return {Words::tr("The lecture was not saved. ") + sentence(written.error()), true};
    if (m_name.isEmpty())
        forgetDraft();
    m_name = name;
    return {Words::tr("Saved in %1.").arg(QFileInfo(name).fileName())};
}

base::Result<Lecture> LectureFile::read(const QString &name)
{
    auto lecture = readLecture(name);
    if (lecture)
        m_name = name;
    return lecture;
}

base::Result<Lecture> LectureFile::readDraft()
{
    auto lecture = readLecture(draftName());
    if (lecture)
        m_name.clear();
    else
        m_draft.clear();
    return lecture;
}

Kept LectureFile::writeDraft(const Lecture &lecture) const
{
    if (m_draft.empty())
        return {Words::tr("Not saved yet: choose a file with Save as.")};
    if (lecture.title.isEmpty() && lecture.scenes.empty()) {
        forgetDraft();
        return {Words::tr("Show a plan in the window, then add it here as a scene.")};
    }
    std::error_code ignored;
    std::filesystem::create_directories(m_draft.parent_path(), ignored);
    if (const auto written = writeLecture(lecture, draftName()); !written)
        return {Words::tr("The lecture was not saved. ") + sentence(written.error()), true};
    return {Words::tr("Not saved in a file yet, but kept for the next start: choose a file with Save as.")};
}

void LectureFile::forgetDraft() const
{
    std::error_code ignored;
    std::filesystem::remove(m_draft, ignored);
}

Kept LectureFile::leave(const Lecture &lecture, const QString &why)
{
    if (m_draft.empty() || hasDraft() || writeDraft(lecture).isWrong) // another lecture's draft stays
        return {why, true};
    m_name.clear();
    return {why + u' ' + Words::tr("It is kept for the next start: choose another file with Save as."), true};
}

} // namespace stagelens::ui
