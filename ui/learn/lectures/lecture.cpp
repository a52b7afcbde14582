#include "ui/learn/lectures/lecture.h"

#include "engine/base/file.h"
#include "engine/base/text.h"
#include "engine/model/experiment_json.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

constexpr base::Bytes kLongestLecture = 16 << 20;
constexpr qsizetype kMostScenes = 200;
constexpr int kLectureVersion = 1;
const auto kLectureFormat = u"stagelens-lecture"_s;
const auto kFromKey = u"from"_s; ///< of a morph: the plan that it begins with
constexpr std::array kColourWords{u"kind", u"microbatch", u"chunk", u"slack"};

base::Error wrongLecture(const QString &name, const std::string &why)
{
    return base::Error::invalid(utf8(name), why);
}

QJsonObject planToJson(const model::Experiment &plan)
{
    const std::string text = model::toJson(plan).dump();
    return QJsonDocument::fromJson(QByteArray(text.data(), static_cast<qsizetype>(text.size()))).object();
}

/// Reads a plan that a picture of Learn can draw; `key` is its place in the scene that errors call `name`.
base::Result<model::Experiment> planFromJson(const QJsonObject &scene, const QString &key, const QString &name)
{
    if (!scene.value(key).isObject())
        return wrongLecture(name, fmt::format("has no plan; remove the scene, or give it the object \"{}\"", utf8(key)));
    const QByteArray plan = QJsonDocument(scene.value(key).toObject()).toJson();
    auto experiment =
        model::experimentFromJson(std::string_view(plan.data(), static_cast<std::size_t>(plan.size())), utf8(name));
    if (!experiment)
        return wrongLecture(name, experiment.error().text());
    if (const base::Problems problems = livePlanProblems(*experiment); !problems.empty())
        return wrongLecture(name, problems.front().field + ": " + problems.front().message);
    return experiment;
}

QJsonObject toJson(const LectureScene &scene)
{
    QJsonObject object;
    object.insert(u"title"_s, scene.title);
    object.insert(u"notes"_s, scene.notes);
    object.insert(u"plan"_s, planToJson(scene.plan.experiment));
    if (scene.plan.other)
        object.insert(kFromKey, planToJson(*scene.plan.other));
    object.insert(u"colour"_s, QString::fromUtf16(kColourWords[static_cast<std::size_t>(scene.plan.colourBy)]));
    object.insert(u"critical"_s, scene.plan.critical);
    if (scene.plan.range) // as text: a time of an hour in nanoseconds is no exact number of JSON
        object.insert(u"range"_s,
                      QJsonArray{QString::number(scene.plan.range->first), QString::number(scene.plan.range->second)});
    if (scene.plan.axis > 0)
        object.insert(u"axis"_s, QString::number(scene.plan.axis));
    return object;
}

base::Result<LectureScene> sceneFromJson(const QJsonObject &object, const QString &name)
{
    LectureScene scene;
    scene.title = object.value(u"title"_s).toString();
    scene.notes = object.value(u"notes"_s).toString();
    auto experiment = planFromJson(object, u"plan"_s, name);
    if (!experiment)
        return experiment.error();
    scene.plan.experiment = *std::move(experiment);
    if (object.contains(kFromKey)) {
        auto from = planFromJson(object, kFromKey, name);
        if (!from)
            return from.error();
        if (inTeachingUnits(*from) != inTeachingUnits(scene.plan.experiment))
            return wrongLecture(name, "one of \"plan\" and \"from\" is in teaching units and the other in time; give two of "
                                      "one kind");
        scene.plan.other = *std::move(from);
        scene.plan.morph = true;
    }
    const QString colour = object.value(u"colour"_s).toString(u"kind"_s);
    const auto found = std::ranges::find(kColourWords, colour, [](const char16_t *word) { return QString::fromUtf16(word); });
    if (found == kColourWords.end())
        return wrongLecture(name,
                            fmt::format("\"colour\" is {}; use kind, microbatch, chunk or slack", base::quoted(utf8(colour))));
    scene.plan.colourBy = static_cast<ColourBy>(found - kColourWords.begin());
    scene.plan.critical = object.value(u"critical"_s).toBool();
    if (const QJsonArray range = object.value(u"range"_s).toArray(); !range.isEmpty()) {
        const qint64 begin = range.at(0).toString().toLongLong();
        const qint64 end = range.at(1).toString().toLongLong();
        if (begin < 0 || end <= begin)
            return wrongLecture(name, "\"range\" is no begin and end; leave it out to show the whole iteration");
        scene.plan.range = {begin, end};
    }
    if (const QJsonValue axis = object.value(u"axis"_s); !axis.isUndefined()) {
        scene.plan.axis = axis.toString().toLongLong();
        if (scene.plan.axis <= 0)
            return wrongLecture(name, "\"axis\" is no time; leave it out for an axis as long as the plan");
    }
    return scene;
}

/// What the notes say is shown as it is: braces are no places for figures.
FilledText textOf(const QString &notes)
{
    auto text = FilledText::parse(notes);
    return text ? *std::move(text) : FilledText::parse(QString(notes).remove(u'{').remove(u'}')).value();
}

} // namespace

base::Result<Lecture> lectureFromJson(const QByteArray &text, const QString &name)
{
    QJsonParseError problem;
    const QJsonDocument document = QJsonDocument::fromJson(text, &problem);
    if (!document.isObject())
        return wrongLecture(name, fmt::format("is no JSON object: {} at byte {}", utf8(problem.errorString()), problem.offset));
    const QJsonObject object = document.object();
    if (object.value(u"format"_s).toString() != kLectureFormat)
        return wrongLecture(name, "is no lecture; its \"format\" must be \"stagelens-lecture\"");
    if (object.value(u"version"_s).toInt() != kLectureVersion)
        return wrongLecture(name, fmt::format("has a version other than {}; open it with a newer Stagelens", kLectureVersion));
    Lecture lecture;
    lecture.title = object.value(u"title"_s).toString();
    const QJsonArray scenes = object.value(u"scenes"_s).toArray();
    if (scenes.size() > kMostScenes)
        return wrongLecture(name, fmt::format("has {} scenes, and at most {} are read", scenes.size(), kMostScenes));
    for (qsizetype i = 0; i < scenes.size(); ++i) {
        auto scene = sceneFromJson(scenes.at(i).toObject(), Words::tr("%1, scene %2").arg(name).arg(i + 1));
        if (!scene)
            return scene.error();
        lecture.scenes.push_back(*std::move(scene));
    }
    return lecture;
}

QByteArray lectureToJson(const Lecture &lecture)
{
    QJsonArray scenes;
    for (const LectureScene &scene : lecture.scenes)
        scenes.append(toJson(scene));
    QJsonObject object;
    object.insert(u"format"_s, kLectureFormat);
    object.insert(u"version"_s, kLectureVersion);
    object.insert(u"title"_s, lecture.title);
    object.insert(u"scenes"_s, scenes);
    return QJsonDocument(object).toJson();
}

base::Result<Lecture> readLecture(const QString &file)
{
    const auto text = base::readFile(utf8(file), kLongestLecture);
    if (!text)
        return text.error();
    return lectureFromJson(QByteArray(text->data(), static_cast<qsizetype>(text->size())), file);
}

base::Result<> writeLecture(const Lecture &lecture, const QString &file)
{
    return base::writeFile(utf8(file), lectureToJson(lecture).toStdString());
}

base::Problems sceneProblems(const LectureScene &scene)
{
    base::Problems problems = livePlanProblems(scene.plan.experiment);
    return problems.empty() && scene.plan.other ? livePlanProblems(*scene.plan.other) : problems;
}

Tour tourOf(const Lecture &lecture)
{
    Tour tour;
    tour.title = lecture.title.isEmpty() ? Words::tr("Lecture") : lecture.title;
    for (const LectureScene &scene : lecture.scenes) {
        TourStep step;
        step.title = scene.title;
        step.plan = scene.plan;
        step.text = textOf(scene.notes);
        tour.steps.push_back(std::move(step));
    }
    return tour;
}

} // namespace stagelens::ui
