#include "ui/words/engine_messages.h"

#include "engine/model/schema.h"
#include "ui/words/differences.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QRegularExpression>

#include <algorithm>
#include <functional>
#include <iterator>
#include <vector>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {

struct ClauseShape {
    const char *clause;
    QRegularExpression shape;
    qsizetype letters; ///< outside its places
};

const QRegularExpression &placeShape()
{
    static const QRegularExpression kPlace(u"%([1-9])"_s);
    return kPlace;
}

ClauseShape shapeOf(const char *clause)
{
    const QString text = QString::fromUtf8(clause);
    QString pattern;
    qsizetype from = 0;
    qsizetype letters = 0;
    for (auto at = placeShape().globalMatch(text); at.hasNext();) {
        const auto place = at.next();
        const QString before = text.mid(from, place.capturedStart() - from);
        pattern += QRegularExpression::escape(before) + u"(.+?)"_s;
        letters += before.size();
        from = place.capturedEnd();
    }
    pattern += QRegularExpression::escape(text.mid(from));
    letters += text.size() - from;
    return {clause, QRegularExpression(QRegularExpression::anchoredPattern(pattern)), letters};
}

/// Those with most letters first: "is %1, but %2" must not take what a longer clause says better.
const std::vector<ClauseShape> &clauseShapes()
{
    static const std::vector<ClauseShape> kShapes = [] {
        std::vector<ClauseShape> shapes;
        for (const auto &clauses : {engineClauses(), failureClauses()})
            std::ranges::transform(clauses, std::back_inserter(shapes), shapeOf);
        std::ranges::stable_sort(shapes, std::ranges::greater(), &ClauseShape::letters);
        return shapes;
    }();
    return kShapes;
}

QString translatedClause(const QString &text)
{
    // Messages about a file begin with a position. It is split off, because a clause could match across its comma.
    static const QRegularExpression kPlaced(
        u"^(line \\d+, (?:word|column) \\d+|device \\d+, position \\d+|(?:line|word|position) \\d+): (.+)$"_s);
    if (const auto placed = kPlaced.match(text); placed.hasMatch())
        return Words::tr("%1: %2").arg(translatedClause(placed.captured(1)), translatedClause(placed.captured(2)));
    const auto matched = matchClause(text);
    if (!matched)
        return text;
    QStringList places;
    for (const QString &place : matched->places)
        places << translatedClause(place); // such as the reason in "is 2, but REASON"; a number is no clause
    return filledClause(Words::tr(matched->clause), places);
}

/// Options and fields of documents by what the window calls them: "--microbatch-size" is "Microbatch size". Commands and what
/// else is quoted stay as they are.
QString withCaptions(const QString &message)
{
    static const QRegularExpression kName(
        u"`[^`]*`|'[^']*'|\"[^\"]*\"|(?<![\\w/.-])(?:--[a-z][a-z0-9-]*|[a-z_]+(?:\\.[a-z0-9_]+)+)"_s);
    QString text;
    qsizetype from = 0;
    for (auto at = kName.globalMatch(message); at.hasNext();) {
        const auto name = at.next();
        const bool isKnown = model::findField(utf8(name.captured())) != nullptr;
        text += message.mid(from, name.capturedStart() - from) + (isKnown ? fieldCaption(name.captured()) : name.captured());
        from = name.capturedEnd();
    }
    return text + message.mid(from);
}

} // namespace

std::optional<MatchedClause> matchClause(const QString &text)
{
    for (const ClauseShape &known : clauseShapes())
        if (const auto found = known.shape.match(text); found.hasMatch())
            return MatchedClause{known.clause, found.capturedTexts().mid(1)};
    return std::nullopt;
}

QString filledClause(const QString &clause, const QStringList &places)
{
    QString text;
    qsizetype from = 0;
    for (auto at = placeShape().globalMatch(clause); at.hasNext();) {
        const auto place = at.next();
        text += clause.mid(from, place.capturedStart() - from) + places.value(place.captured(1).toInt() - 1);
        from = place.capturedEnd();
    }
    return text + clause.mid(from);
}

QString engineMessage(std::string_view english)
{
    QString message;
    for (const QString &clause : qtText(english).split(u"; "_s))
        message = message.isEmpty() ? translatedClause(clause) : Words::tr("%1; %2").arg(message, translatedClause(clause));
    return withCaptions(message);
}

} // namespace stagelens::ui
