// The whole matrix of families, vocabulary methods and devices with tied weights against the unpartitioned float64 reference.
#include "tests/support/test_program.h"
#include "tests/support/verify_matrix.h"

namespace integration_verify_tied {

class VerifyTied : public QObject {
    Q_OBJECT

private slots:
    void holds_data()
    {
        QTest::addColumn<QString>("family");
        for (const stagelens::schedule::Family &family : stagelens::test::trainedFamilies())
            QTest::newRow(family.name.data()) << QString::fromUtf8(family.name.data());
    }
    void holds()
    {
        QFETCH(QString, family);
        stagelens::test::verifyFamily(family.toStdString(), true);
    }
};

STAGELENS_TEST(VerifyTied)

} // namespace integration_verify_tied

#include "verify_tied.moc"
