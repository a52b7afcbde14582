#include "ui/panels/field_editor.h"
#include "ui/words/plain_text.h"

#include "engine/base/count.h"
#include "ui/controls/chip_number.h"
#include "ui/controls/detail_combo.h"
#include "ui/controls/number_box.h"
#include "ui/state/experiment_document.h"
#include "ui/words/tr.h"
#include "ui/words/words.h"

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QEvent>
#include <QFileDialog>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QLocale>
#include <QSignalBlocker>
#include <QToolButton>

#include <algorithm>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

namespace {
constexpr int kLargestNumber = 2'000'000'000;
constexpr int kNumberWidth = 92;
constexpr const char *kProblem = "problem"; ///< property of the control
} // namespace

FieldEditor::FieldEditor(const Field &field, ExperimentDocument *document, QWidget *parent, Look look)
    : QWidget(parent), m_field(field), m_look(look), m_document(document)
{
    auto *layout = new QHBoxLayout(this);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->setSpacing(4);
    makeControl();
    m_control->setObjectName(m_field.id);
    m_control->setAccessibleName(m_field.caption);
    setProblem({});
    setFocusProxy(m_control);
    if (m_look == Look::Form) {
        setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed); // the fields of a form end at one edge
        if (m_field.kind != Field::Kind::Flag)
            m_control->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        m_control->setFocusPolicy(Qt::StrongFocus);
    }
    for (QWidget *part : QList<QWidget *>{m_control} + m_control->findChildren<QWidget *>())
        part->installEventFilter(this);
    connect(m_document, &ExperimentDocument::changed, this, &FieldEditor::refresh);
    connect(m_document, &ExperimentDocument::preparingChanged, this, [this] {
        if (!m_document->isPreparing()) // perhaps cancelled
            refresh();
    });
    refresh();
}

QLabel *FieldEditor::makeCaption(QWidget *parent) const
{
    auto *label = plainLabel(m_field.caption, parent);
    label->setBuddy(m_control);
    label->setToolTip(m_control->toolTip());
    return label;
}

void FieldEditor::makeControl()
{
    if (m_look == Look::Chip) {
        m_control = makeChipNumber();
        return;
    }
    switch (m_field.kind) {
    case Field::Kind::Integer: m_control = makeSpinBox(); break;
    case Field::Kind::Real: m_control = makeRealBox(); break;
    case Field::Kind::Choice: m_control = makeChoice(); break;
    case Field::Kind::Size: m_control = makeSize(); break;
    case Field::Kind::Text: m_control = makeLine(false); break;
    case Field::Kind::File: m_control = makeLine(true); break;
    case Field::Kind::Flag: m_control = makeFlag(); break;
    }
}

QWidget *FieldEditor::makeSpinBox()
{
    auto *box = new NumberBox(this);
    box->setMinimumWidth(kNumberWidth);
    return adoptNumber(box);
}

QWidget *FieldEditor::makeChipNumber()
{
    return adoptNumber(
        new ChipNumber(m_field.kind == Field::Kind::Size ? ChipNumber::Step::Double : ChipNumber::Step::One, this));
}

QWidget *FieldEditor::adoptNumber(QSpinBox *box)
{
    // Wide on purpose: an impossible number may be typed, and is then explained.
    box->setRange(0, kLargestNumber);
    box->setSpecialValueText(m_field.zero);
    layout()->addWidget(box);
    connect(box, &QSpinBox::valueChanged, this, [this](int value) { commit(value); });
    connect(box, &QSpinBox::editingFinished, this, &FieldEditor::finish);
    m_show = [box](const QVariant &value) { box->setValue(value.toInt()); };
    return box;
}

QWidget *FieldEditor::makeRealBox()
{
    auto *box = new QDoubleSpinBox(this);
    box->setDecimals(5);
    box->setRange(0, 1e6);
    box->setSpecialValueText(m_field.zero);
    box->setStepType(QAbstractSpinBox::AdaptiveDecimalStepType);
    box->setLocale(QLocale(QLocale::C));
    box->setMinimumWidth(kNumberWidth);
    layout()->addWidget(box);
    connect(box, &QDoubleSpinBox::valueChanged, this, [this](double value) { commit(value); });
    connect(box, &QDoubleSpinBox::editingFinished, this, &FieldEditor::finish);
    m_show = [box](const QVariant &value) { box->setValue(value.toDouble()); };
    return box;
}

QWidget *FieldEditor::makeChoice()
{
    auto *combo = new DetailCombo(this);
    m_combo = combo;
    for (const Choice &choice : m_field.choices) {
        combo->addItem(choice.caption, choice.value);
        combo->setItemData(combo->count() - 1, plainTip(choice.tip), Qt::ToolTipRole);
    }
    layout()->addWidget(combo);
    connect(combo, &QComboBox::activated, this, [this, combo](int index) {
        m_document->closeGesture();
        commit(combo->itemData(index));
        finish();
        emit chosen(combo->itemData(index).toString());
    });
    connect(combo, &QComboBox::highlighted, this,
            [this, combo](int index) { emit choiceHovered(combo->itemData(index).toString()); });
    connect(combo, &DetailCombo::popupHidden, this, [this] { emit choiceHovered({}); });
    m_show = [combo](const QVariant &value) {
        if (combo->findData(value) < 0)
            combo->addItem(value.toString(), value); // a word of the file that this version has no caption for
        combo->setCurrentIndex(combo->findData(value));
    };
    return combo;
}

QWidget *FieldEditor::makeSize()
{
    auto *combo = new QComboBox(this);
    m_combo = combo;
    combo->setEditable(true);
    combo->setInsertPolicy(QComboBox::NoInsert);
    combo->setMinimumWidth(kNumberWidth);
    combo->setCompleter(nullptr);
    for (const Choice &choice : m_field.choices)
        combo->addItem(choice.caption, choice.value);
    layout()->addWidget(combo);
    connect(combo, &QComboBox::editTextChanged, this, [this](const QString &text) {
        // What is no number becomes 0, which the validation explains.
        const auto count = base::parseCount(utf8(text));
        commit(count && *count <= kLargestNumber ? static_cast<int>(std::max<std::int64_t>(*count, 0)) : 0);
    });
    connect(combo->lineEdit(), &QLineEdit::editingFinished, this, &FieldEditor::finish);
    m_show = [combo](const QVariant &value) { combo->setEditText(countText(value.toInt())); };
    return combo;
}

QWidget *FieldEditor::makeLine(bool browse)
{
    auto *line = new QLineEdit(this);
    line->setMinimumWidth(kNumberWidth);
    layout()->addWidget(line);
    connect(line, &QLineEdit::textEdited, this, [this](const QString &text) { commit(text); });
    connect(line, &QLineEdit::editingFinished, this, &FieldEditor::finish);
    m_show = [line](const QVariant &value) { line->setText(value.toString()); };
    if (browse) {
        auto *button = new QToolButton(this);
        button->setText(u"…"_s);
        button->setAccessibleName(Words::tr("Choose the file for: ") + m_field.caption);
        button->setToolTip(Words::tr("Choose a file"));
        layout()->addWidget(button);
        connect(button, &QToolButton::clicked, this, [this] {
            const QString file = QFileDialog::getOpenFileName(this, m_field.caption);
            if (!file.isEmpty())
                commit(file);
        });
    }
    return line;
}

QWidget *FieldEditor::makeFlag()
{
    auto *box = new QCheckBox(this);
    layout()->addWidget(box);
    connect(box, &QCheckBox::clicked, this, [this](bool on) {
        m_document->closeGesture();
        commit(on);
        finish();
    });
    m_show = [box](const QVariant &value) { box->setChecked(value.toBool()); };
    return box;
}

void FieldEditor::setProblem(const QString &problem)
{
    const QString tip = m_field.tip + Words::tr("\nCommand line: ") + m_field.option;
    m_control->setToolTip(plainTip(problem.isEmpty() ? tip : problem + u'\n' + tip));
    m_control->setAccessibleDescription(problem);
    m_control->setProperty(kProblem, problem);
    QPalette palette;
    if (!problem.isEmpty()) {
        const bool dark = palette.color(QPalette::Base).lightness() < 128;
        palette.setColor(QPalette::Base, dark ? QColor(0x6b1f24) : QColor(0xffd6d6));
        palette.setColor(QPalette::Button, palette.color(QPalette::Base));
        m_control->setPalette(palette);
    } else {
        m_control->setPalette({});
    }
}

void FieldEditor::setDetail(const QString &choice, const QString &detail)
{
    const int row = m_combo ? m_combo->findData(choice) : -1;
    if (row >= 0)
        m_combo->setItemData(row, detail, DetailCombo::kDetailRole);
}

void FieldEditor::clearDetails()
{
    for (int row = 0; m_combo && row < m_combo->count(); ++row)
        m_combo->setItemData(row, {}, DetailCombo::kDetailRole);
}

void FieldEditor::refresh()
{
    if (m_field.applies && !m_field.applies(m_document->experiment()))
        return;
    const QVariant value = m_field.value(m_document->experiment());
    if (value == m_shown)
        return; // so that what is being typed stays as it was typed
    m_shown = value;
    const QSignalBlocker blocker(m_control);
    m_show(value);
}

void FieldEditor::commit(const QVariant &value)
{
    if (m_document->takesLong(m_field, value)) {
        m_shown = value;
        m_document->editLater(m_field, value);
        return;
    }
    model::Experiment next = m_document->experiment();
    m_field.setValue(next, value);
    m_shown = m_field.value(next);
    m_document->edit(m_field.id, m_field.caption, std::move(next));
}

void FieldEditor::finish()
{
    m_document->closeGesture();
    const QSignalBlocker blocker(m_control);
    if (m_shown.isValid())
        m_show(m_shown); // "8192" becomes "8,192"
    emit left();
}

bool FieldEditor::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Wheel && !m_control->hasFocus() && m_look == Look::Form) {
        event->ignore(); // scrolling past a field must not change it
        return true;
    }
    if (event->type() == QEvent::ShortcutOverride) {
        // Undo belongs to the experiment, not to the letters of one line.
        const auto *key = static_cast<QKeyEvent *>(event);
        if (key->matches(QKeySequence::Undo) || key->matches(QKeySequence::Redo)) {
            event->ignore();
            return true;
        }
    }
    if (event->type() == QEvent::KeyPress && static_cast<QKeyEvent *>(event)->key() == Qt::Key_Escape && revert()) {
        emit left();
        return true;
    }
    return QWidget::eventFilter(watched, event);
}

bool FieldEditor::revert()
{
    const bool isWrong = !m_control->property(kProblem).toString().isEmpty();
    if (m_document->revertGesture(m_field.id) || (isWrong && m_document->revertField(m_field.id)))
        return true;
    // Nothing was edited yet, but what was typed may not be a number.
    auto *line = m_control->findChild<QLineEdit *>();
    if (!line || !m_shown.isValid())
        return false;
    const QString before = line->text();
    const QSignalBlocker blocker(m_control);
    m_show(m_shown);
    return line->text() != before;
}

} // namespace stagelens::ui
