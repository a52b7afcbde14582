// Two to six runs, predictions or experiments: timelines on one axis, and a table of what differs.
#pragma once

#include "ui/words/comparison.h"

#include <QWidget>

#include <cstdint>
#include <vector>

class QCheckBox;
class QComboBox;
class QLabel;
class QMenu;
class QSpinBox;
class QSplitter;
class QPushButton;

namespace stagelens::ui {

class ComputingSign;
class MessageBar;
class TimeBars;
class TimelineView;
class CompareTable;
class LossPlot;
class ViewState;

class ComparePanel : public QWidget {
    Q_OBJECT
public:
    static constexpr std::size_t kMost = kMostCompared;

    explicit ComparePanel(QWidget *parent = nullptr);
    /// The first is A, the baseline of every difference.
    void setItems(std::vector<CompareItem> items);
    /// Appends; does nothing where six are there.
    void add(CompareItem item);
    [[nodiscard]] const std::vector<CompareItem> &items() const { return m_items; }
    /// What the empty page offers: "Compare this plan with VOCAB-2".
    void setProposal(const QString &words);
    /// Says that items are being computed; `isLong` adds progress and Cancel.
    void setComputing(bool computing, bool isLong);
    [[nodiscard]] bool isEmpty() const { return m_items.empty(); }
    [[nodiscard]] TimelineView *timeline() { return m_timeline; }
    [[nodiscard]] CompareTable *table() { return m_table; }

signals:
    void proposalAsked();
    /// All vocabulary methods of the plan are wanted side by side.
    void methodsAsked();
    void predictionAsked();
    void filesAsked();
    /// What is being computed is not wanted any more.
    void cancelled();
    /// A lecture of what is compared is wanted.
    void lectureAsked();
    /// Other plans are compared than before, or in another order.
    void itemsChanged();
    /// The menu of what can be added opens: stored runs may be appended to it.
    void addMenuOpens(QMenu *menu);

protected:
    void changeEvent(QEvent *event) override;

private:
    QWidget *makeBar();
    void fillEmpty();
    void refresh();
    void refreshChips();
    void refreshTimelines();
    void refreshTable();
    /// The losses of what was trained, in one plot.
    void refreshLoss();
    /// Leaves to the picture what the table does not need.
    void fitBelow();
    /// The one with that key; the end where it is gone.
    [[nodiscard]] std::vector<CompareItem>::iterator find(std::uint64_t key);
    void moveToFront(std::uint64_t key);
    void remove(std::uint64_t key);
    [[nodiscard]] QWidget *makeChip(std::size_t index);
    /// Whether "equal memory" hides it: its peak is above A's.
    [[nodiscard]] bool isHidden(std::size_t index) const;
    [[nodiscard]] std::vector<std::size_t> shown() const;

    std::vector<CompareItem> m_items;
    std::uint64_t m_lastKey = 0;
    QStringList m_names; ///< of the items, as their chips and lanes have them
    ViewState *m_view;
    QWidget *m_chips; ///< a row of fixed height, in which the chips share the room behind m_add
    QPushButton *m_add;
    QComboBox *m_alignment;
    QSpinBox *m_microbatch;
    QCheckBox *m_equalMemory;
    QPushButton *m_lecture;
    MessageBar *m_bar;
    QWidget *m_empty; ///< shown while there is nothing to compare
    QPushButton *m_propose;
    QPushButton *m_methods;
    TimeBars *m_times;
    TimelineView *m_timeline;
    CompareTable *m_table;
    LossPlot *m_loss; ///< hidden where nothing was trained
    QSplitter *m_splitter;
    QSplitter *m_below; ///< table and loss
    ComputingSign *m_computing;
};

} // namespace stagelens::ui
