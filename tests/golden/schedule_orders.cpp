// The orders of all families and vocabulary methods for 4 devices and 8 microbatches. Those of 1F1B with vocab-1 and vocab-2
// were not written by this program: they are the published ones (sail-sg/VocabularyParallelism).
#include "engine/model/family_shape.h"
#include "engine/model/names.h"
#include "engine/schedule/families.h"
#include "engine/schedule/text_form.h"
#include "tests/support/golden.h"
#include "tests/support/test_program.h"

#include <QTest>

namespace golden_schedule_orders {

using namespace stagelens;

class ScheduleOrders : public QObject {
    Q_OBJECT

private slots:
    void equalsGolden_data();
    void equalsGolden();
};

void ScheduleOrders::equalsGolden_data()
{
    QTest::addColumn<QString>("family");
    QTest::addColumn<int>("vocabulary");
    QTest::addColumn<int>("devices");
    QTest::addColumn<int>("microbatches");
    QTest::addColumn<int>("iterations");
    QTest::addColumn<bool>("hasPairs");
    for (const char *family : {"pipedream", "pipedream-2bw"})
        QTest::newRow((std::string(family) + "/iterations-3x4x2").c_str())
            << QString::fromLatin1(family) << 0 << 3 << 4 << 2 << false;
    for (const schedule::Family &family : schedule::families()) {
        for (int vocabulary = 0; vocabulary <= static_cast<int>(model::VocabularyMethod::Vocab2); ++vocabulary) {
            const auto addRow = [&](int devices, int microbatches, bool hasPairs) {
                const std::string row = std::string(family.name) + (hasPairs ? "/pairs-" : "/") +
                                        std::string(model::name(static_cast<model::VocabularyMethod>(vocabulary))) + '-' +
                                        std::to_string(devices) + 'x' + std::to_string(microbatches);
                QTest::newRow(row.c_str()) << QString::fromUtf8(family.name.data(), static_cast<qsizetype>(family.name.size()))
                                           << vocabulary << devices << microbatches << 1 << hasPairs;
            };
            for (const auto &[devices, microbatches] : {std::pair(4, 8), std::pair(5, 2), std::pair(1, 3)})
                addRow(devices, microbatches, false);
            if (model::leavesPairsOpen(family.name)) {
                addRow(4, 12, true);
                addRow(1, 3, true);
            }
        }
    }
}

void ScheduleOrders::equalsGolden()
{
    QFETCH(QString, family);
    QFETCH(int, vocabulary);
    QFETCH(int, devices);
    QFETCH(int, microbatches);
    QFETCH(int, iterations);
    QFETCH(bool, hasPairs);
    model::Experiment experiment;
    experiment.schedule.family = family.toStdString();
    experiment.schedule.vocabulary = static_cast<model::VocabularyMethod>(vocabulary);
    experiment.parallel.devices = devices;
    experiment.parallel.microbatches = microbatches;
    experiment.schedule.iterations = iterations;
    experiment.schedule.overlappedPairs = hasPairs;
    const base::Result<schedule::Schedule> made = schedule::makeSchedule(experiment);
    // A plan that the family refuses has the reason for its order.
    const QByteArray text = QByteArray::fromStdString(made.ok() ? schedule::toText(*made) : made.error().text() + '\n');
    test::compareWithGolden(text, QTest::currentDataTag() + QStringLiteral(".txt"));
}

STAGELENS_TEST(ScheduleOrders)

} // namespace golden_schedule_orders

#include "schedule_orders.moc"
