// A schedule as a person edits it: faults at their place, families recognised, passes moved, the text inside a document.
#include "engine/service/plans/schedule_text.h"
#include "engine/model/experiment_json.h"
#include "engine/model/family_shape.h"
#include "engine/schedule/families.h"
#include "engine/schedule/text_form.h"
#include "engine/service/engine_service.h"
#include "engine/service/plans/schedule_repair.h"
#include "tests/support/test_program.h"

#include <QTest>

#include <nlohmann/json.hpp>

#include <algorithm>

namespace unit_service_schedule_text {

using namespace stagelens;

class ServiceScheduleText : public QObject {
    Q_OBJECT

    static schedule::Schedule made(std::string_view family, int devices = 4, int microbatches = 8,
                                   model::VocabularyMethod vocabulary = model::VocabularyMethod::None)
    {
        model::Experiment plan;
        plan.parallel.devices = devices;
        plan.parallel.microbatches = microbatches;
        model::chooseFamily(plan.schedule, family);
        plan.schedule.vocabulary = vocabulary;
        auto schedule = schedule::makeSchedule(plan);
        if (!schedule)
            qFatal("%s", schedule.error().text().c_str());
        return *std::move(schedule);
    }
    static std::string order(const schedule::Schedule &schedule, int device)
    {
        std::string text;
        for (const schedule::Pass &pass : schedule.device(device))
            text += std::string(schedule::name(pass.kind)) + std::to_string(pass.microbatch) + ' ';
        return text;
    }

private slots:
    void repairedTextsAreValidAndKeepWhatWasSound()
    {
        for (const std::string_view family : {"1f1b", "zb-h1", "interleaved-1f1b", "gpipe"}) {
            const std::string sound = service::customText(made(family));
            const auto same = service::repairedOrder(sound);
            QVERIFY(same.ok());
            QCOMPARE(same->text, sound);
            QVERIFY(same->removed == 0 && same->added == 0 && same->moved == 0);
            // One pass is taken out, one runs twice, two change places: each at many positions.
            std::string text = sound;
            for (std::size_t at = text.find(" F", text.find('\n')); at != std::string::npos; at = text.find(" F", at + 40)) {
                const std::size_t end = text.find_first_of(" \n", at + 1);
                const std::string word = text.substr(at, end - at);
                std::string faulty = text;
                faulty.erase(at, end - at);
                QVERIFY(!service::faultsOfText(faulty).empty());
                const auto whole = service::repairedOrder(faulty);
                QVERIFY2(whole.ok(), whole.ok() ? "" : whole.error().text().c_str());
                QVERIFY(service::faultsOfText(whole->text).empty());
                QVERIFY(whole->removed == 0 && whole->added == 1);
                const auto once = service::repairedOrder(std::string(text).insert(at, word));
                QVERIFY(once.ok());
                QCOMPARE(once->text, sound);
                QVERIFY(once->removed == 1 && once->added == 0 && once->moved == 0);
            }
        }
        // So it is with split vocabulary layers.
        for (const auto method : {model::VocabularyMethod::Vocab1, model::VocabularyMethod::Vocab2}) {
            const std::string sound = service::customText(made("1f1b", 4, 8, method));
            for (const char *word : {" S3", " T2", " F1", " B4"}) {
                std::string faulty = sound;
                faulty.erase(faulty.find(word, faulty.find("\n2:")), 3);
                QVERIFY(!service::faultsOfText(faulty).empty());
                const auto whole = service::repairedOrder(faulty);
                QVERIFY2(whole.ok(), whole.ok() ? word : whole.error().text().c_str());
                QVERIFY(service::faultsOfText(whole->text).empty());
                QVERIFY(whole->removed == 0 && whole->added == 1);
            }
            std::string twice = sound;
            twice.insert(twice.find(" S5"), " S1");
            const auto once = service::repairedOrder(twice);
            QVERIFY(once.ok());
            QCOMPARE(once->text, sound);
        }
        // Of two copies of a pass, the one in its usual place is kept.
        const std::string sound = service::customText(made("1f1b"));
        for (const std::size_t line : {sound.find("\n1:"), sound.find("\n3:")}) {
            std::string early = sound;
            early.insert(line + 3, " F7");
            const auto once = service::repairedOrder(early);
            QVERIFY(once.ok());
            QCOMPARE(once->text, sound);
        }
        // Devices that wait for each other for ever.
        const auto freed =
            service::repairedOrder("schedule mine devices 2 microbatches 2 vocabulary none\n0: F0 B0 F1 B1\n1: F1 F0 B0 B1\n");
        QVERIFY(freed.ok());
        QVERIFY(service::faultsOfText(freed->text).empty());
        QVERIFY(freed->removed == 0 && freed->added == 0 && freed->moved == 1);
        QVERIFY(!service::repairedOrder("schedule mine devices 1 microbatches 1 vocabulary none\n0: F0 X9\n").ok());
        // An order that is hardly there is not made up.
        const auto scrap = service::repairedOrder("schedule mine devices 2 microbatches 8 vocabulary none\n0: F0\n1: F0\n");
        QVERIFY(!scrap.ok());
        QVERIFY2(scrap.error().text().find("only 2 of the 32 passes") != std::string::npos, scrap.error().text().c_str());
    }
    void faultsStandAtTheirLineAndWord()
    {
        const std::string sound = service::customText(made("1f1b", 2, 2));
        QVERIFY(service::faultsOfText(sound).empty());
        // Line 3 is device 1: B0 comes before F0.
        const auto faults =
            service::faultsOfText("schedule mine devices 2 microbatches 2 vocabulary none\n0: F0 F1 B0 B1\n1: B0 F0 F1 B1\n");
        QVERIFY(!faults.empty());
        QCOMPARE(faults.front().line, 3);
        QCOMPARE(faults.front().word, 2);
        QVERIFY2(faults.front().message.starts_with("B0"), faults.front().message.c_str());
        const auto word = service::faultsOfText("schedule mine devices 1 microbatches 1 vocabulary none\n\n0: F0 X9\n");
        QCOMPARE(word.size(), std::size_t{1});
        QCOMPARE(word.front().line, 3);
        QCOMPARE(word.front().word, 3);
        QVERIFY2(word.front().message.find("line") == std::string::npos, word.front().message.c_str());
        const auto missing = service::faultsOfText("schedule mine devices 1 microbatches 2 vocabulary none\n0: F0 F1 B0\n");
        QCOMPARE(missing.front().line, 2);
        QCOMPARE(missing.front().word, 5); // behind the last word
        const auto csv = service::faultsOfText("0F0,0B0\n1B0,1F0\n");
        QCOMPARE(csv.front().line, 2);
        QCOMPARE(csv.front().word, 1);
        QVERIFY(!service::faultsOfText("\n").empty());
    }

    void everyFamilyIsRecognised()
    {
        for (const schedule::Family &family : schedule::families()) {
            const schedule::Schedule schedule = made(family.name);
            const auto again = schedule::scheduleFromText(service::customText(schedule));
            QVERIFY2(again.ok(), std::string(family.name).c_str());
            const std::string_view found = service::recognisedFamily(*again);
            QVERIFY2(!found.empty(), std::string(family.name).c_str());
            // Where two families make the same order, the first is named.
            QCOMPARE(order(made(found), 1), order(schedule, 1));
        }
        QCOMPARE(service::recognisedFamily(made("1f1b", 4, 8, model::VocabularyMethod::Vocab2)), std::string_view("1f1b"));
    }

    void aMovedPassRipplesOrIsRefused()
    {
        const schedule::Schedule schedule = made("1f1b", 2, 4);
        QCOMPARE(order(schedule, 0), std::string("F0 F1 B0 F2 B1 F3 B2 B3 "));
        const auto earlier = service::withMovedPass(schedule, {0, 3, 2});
        QVERIFY2(earlier.ok(), earlier ? "" : earlier.error().text().c_str());
        QCOMPARE(order(*earlier, 0), std::string("F0 F1 F2 B0 B1 F3 B2 B3 "));
        QCOMPARE(order(*earlier, 1), order(schedule, 1));
        QVERIFY(service::recognisedFamily(*earlier).empty());
        const auto back = service::withMovedPass(*earlier, {0, 2, 4});
        QVERIFY(back.ok());
        QCOMPARE(service::recognisedFamily(*back), std::string_view("1f1b"));
        const auto refused = service::withMovedPass(schedule, {0, 2, 0});
        QVERIFY(!refused.ok());
        QVERIFY2(refused.error().text().find("B0") != std::string::npos, refused.error().text().c_str());
        QVERIFY(!service::withMovedPass(schedule, {0, 8, 0}).ok());
        QVERIFY(!service::withMovedPass(schedule, {2, 0, 0}).ok());
    }

    void overlappedPairsMoveTogether()
    {
        const schedule::Schedule schedule = made("dualpipe-v", 2, 6);
        int moved = 0;
        for (int device = 0; device < 2; ++device) {
            const auto passes = schedule.device(device);
            for (std::size_t i = 0; i < passes.size(); ++i) {
                if (!passes[i].pairedWithNext)
                    continue;
                for (const std::size_t to : {i - 1, i + 3}) {
                    const auto made = service::withMovedPass(schedule, {device, i, to});
                    if (!made)
                        continue;
                    ++moved;
                    const auto after = made->device(device);
                    const auto first = std::ranges::find(after, passes[i]);
                    QVERIFY(first != after.end() && first + 1 != after.end());
                    QVERIFY(*(first + 1) == passes[i + 1]);
                }
            }
        }
        qInfo("%d moves of pairs were sound", moved);
    }

    void aDocumentHoldsTheText()
    {
        model::Experiment plan;
        plan = service::withScheduleText(plan, "schedule custom devices 2 microbatches 1 vocabulary none\n0: F0 B0\n1: F0 B0");
        QCOMPARE(plan.parallel.devices, 2);
        QCOMPARE(plan.parallel.microbatches, 1);
        const std::string json = model::toJson(plan).dump();
        QVERIFY2(json.find("\"text\"") != std::string::npos && json.find("\"file\"") == std::string::npos, json.c_str());
        const auto again = model::experimentFromJson(json, "test");
        QVERIFY(again.ok());
        QCOMPARE(*again, plan);
        QVERIFY(service::predict(*again, 2).ok());
        const auto both = model::experimentFromJson(
            R"({"stagelens":"experiment/1","schedule":{"file":"a.csv","text":"schedule x"}})", "test");
        QVERIFY(both.ok());
        QVERIFY(std::ranges::count(model::validate(*both), std::string("schedule.text"), &base::Problem::field) == 1);
        // What is wrong is told at the text, and the plan of before stays typed in.
        const model::Experiment broken = service::withScheduleText(plan, "schedule custom devices 2\n");
        QCOMPARE(broken.parallel.devices, 2);
        const auto refused = service::predict(broken, 2);
        QVERIFY(!refused.ok());
        QCOMPARE(refused.error().problems.front().field, std::string("schedule.text"));
    }
};

STAGELENS_TEST(ServiceScheduleText)

} // namespace unit_service_schedule_text

#include "service/schedule_text.moc"
