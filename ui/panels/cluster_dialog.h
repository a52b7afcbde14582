// The editor of a cluster: its name, its numbers, and its file.
#pragma once

#include "engine/model/hardware.h"

#include <QDialog>

#include <vector>

class QLabel;
class QLineEdit;
class QPushButton;

namespace stagelens::ui {

class EngineBridge;

/// A form of model::hardwareFields(). It holds any text; only a valid cluster can be used or saved. Files are read and written
/// off the GUI thread.
class ClusterDialog : public QDialog {
    Q_OBJECT
public:
    ClusterDialog(const model::Hardware &cluster, EngineBridge *bridge, QWidget *parent = nullptr);

    /// Returns the cluster of the form if it is valid.
    [[nodiscard]] const model::Hardware &cluster() const { return m_cluster; }
    /// Returns what is wrong with the form; empty if it is valid.
    [[nodiscard]] QString problem() const { return m_problem; }
    /// Writes the cluster into a file, and says so in the form; a full disk, too.
    void saveTo(const QString &file);
    /// Replaces the form by a file's cluster, or says what is wrong with the file.
    void openFrom(const QString &file);

private:
    QWidget *makeForm();
    void display(const model::Hardware &cluster);
    /// Takes the texts into the cluster, and marks those that are wrong.
    void check();
    void setMessage(const QString &text);

    EngineBridge *m_bridge;
    model::Hardware m_cluster;
    QString m_problem;
    QLineEdit *m_name;
    QLineEdit *m_description;
    QLineEdit *m_currency;
    std::vector<QLineEdit *> m_numbers; ///< in the order of model::hardwareFields()
    QLabel *m_insideBits = nullptr;     ///< the bandwidths in bits
    QLabel *m_betweenBits = nullptr;
    QLabel *m_tables;
    QLabel *m_message;
    QPushButton *m_use = nullptr;
    QPushButton *m_save = nullptr;
};

} // namespace stagelens::ui
