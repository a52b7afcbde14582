// A lecture: an ordered list of scenes, each a plan with the view of it and notes, kept in a file of its own.
#pragma once

#include "engine/base/result.h"
#include "engine/model/experiment.h"
#include "ui/learn/tour.h"

#include <QString>

#include <vector>

namespace stagelens::ui {

struct LectureScene {
    QString title;
    QString notes; ///< Markdown; shown beside the picture
    LivePlan plan; ///< without controls; a plan beside it is `other`, from which a morph leads to this one
};

struct Lecture {
    QString title;
    std::vector<LectureScene> scenes;
};

/// The ending of its file, after the name and a dot.
inline constexpr const char *kLectureEnding = "lecture.json";

/// InvalidInput with the file, and the scene, that cannot be read.
[[nodiscard]] base::Result<Lecture> readLecture(const QString &file);
/// A file that cannot be written leaves the old one as it was.
[[nodiscard]] base::Result<> writeLecture(const Lecture &lecture, const QString &file);
/// Reads the contents of a lecture file; errors call the file `name`.
[[nodiscard]] base::Result<Lecture> lectureFromJson(const QByteArray &text, const QString &name);
[[nodiscard]] QByteArray lectureToJson(const Lecture &lecture);

/// Why a scene cannot be shown; empty if it can.
[[nodiscard]] base::Problems sceneProblems(const LectureScene &scene);

/// The lecture as a tour, which Learn shows, presents and exports as slides. There must be a scene.
[[nodiscard]] Tour tourOf(const Lecture &lecture);

} // namespace stagelens::ui
