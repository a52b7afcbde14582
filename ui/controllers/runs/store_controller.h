// The run database: what is said when it cannot be used, and the choice of another file.
#pragma once

#include <QObject>

namespace stagelens::ui {

class EngineBridge;
class MessageBar;
class NoticeController;
class RunController;
class RunDatabase;

class StoreController : public QObject {
    Q_OBJECT
public:
    StoreController(EngineBridge *bridge, RunController *runController, RunDatabase *database, MessageBar *bar,
                    NoticeController *notice);

private:
    void refresh();
    void askDatabase();

    EngineBridge *m_bridge;
    RunController *m_runController;
    RunDatabase *m_database;
    MessageBar *m_bar;
    NoticeController *m_notice;
};

} // namespace stagelens::ui
