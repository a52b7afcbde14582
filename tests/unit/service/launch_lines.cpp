// The lines of mpirun and srun.
#include "engine/service/plans/launch_lines.h"
#include "tests/support/test_program.h"

#include <QtTest>

namespace unit_service_launch_lines {

using namespace stagelens;

class LaunchLines : public QObject {
    Q_OBJECT

private slots:
    void dividesRanksOverNodes()
    {
        const auto lines = service::launchLines({8, {"a", "b"}, 8, {"run", "my plan.json", "--transport", "nccl"}});
        QVERIFY(lines.ok());
        QCOMPARE(lines->mpirun, std::string("mpirun -n 8 --host a:4,b:4 --map-by ppr:4:node --bind-to none stagelens-cli run "
                                            "'my plan.json' --transport nccl"));
        QCOMPARE(lines->srun, std::string("srun --nodes=2 --ntasks=8 --ntasks-per-node=4 --distribution=block --mpi=pmix "
                                          "--nodelist=a,b stagelens-cli run 'my plan.json' --transport nccl"));
    }

    void takesAsManyNodesAsNeeded()
    {
        const auto lines = service::launchLines({32, {}, 8, {"run"}});
        QVERIFY(lines.ok());
        QVERIFY(lines->srun.starts_with("srun --nodes=4 --ntasks=32 --ntasks-per-node=8 "));
        QVERIFY(lines->mpirun.find("--host") == std::string::npos);
    }

    void refusesWhatCannotBeLaunched()
    {
        for (const service::LaunchPlan &plan :
             {service::LaunchPlan{4, {"a", "b", "c"}, 1, {}}, service::LaunchPlan{4, {"a", "a"}, 1, {}},
              service::LaunchPlan{1, {"-x"}, 1, {}}, service::LaunchPlan{1, {"a;b"}, 1, {}},
              service::LaunchPlan{1, {"me@a"}, 1, {}}, service::LaunchPlan{1, {""}, 1, {}}}) {
            const auto lines = service::launchLines(plan);
            QVERIFY(!lines.ok());
            QCOMPARE(lines.error().problems.front().field, std::string("--nodes"));
        }
    }
};

STAGELENS_TEST(LaunchLines)

} // namespace unit_service_launch_lines

#include "service/launch_lines.moc"
