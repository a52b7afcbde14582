#include "ui/sweep/sweep_multiples.h"

#include "ui/canvas/design.h"

#include <QGridLayout>

#include <algorithm>
#include <cmath>

namespace stagelens::ui {

using namespace Qt::StringLiterals;

SweepMultiples::SweepMultiples(const QString &name, QWidget *parent)
    : QWidget(parent), m_name(name), m_grid(new QGridLayout(this))
{
    m_grid->setContentsMargins(0, 0, 0, 0);
    m_grid->setSpacing(kControlSpacing);
    setContents({SweepContent()});
}

void SweepMultiples::setContents(std::vector<SweepContent> contents)
{
    const std::size_t before = m_plots.size();
    while (m_plots.size() < contents.size()) {
        auto *plot = new SweepPlot(m_plots.empty() ? m_name : u"%1.%2"_s.arg(m_name).arg(m_plots.size()), this);
        connect(plot, &SweepPlot::pointed, this, &SweepMultiples::pointed);
        connect(plot, &SweepPlot::chosen, this, &SweepMultiples::chosen);
        connect(plot, &SweepPlot::opened, this, &SweepMultiples::opened);
        m_plots.push_back(plot);
    }
    while (m_plots.size() > contents.size()) {
        m_plots.back()->hide();
        m_plots.back()->deleteLater();
        m_grid->removeWidget(m_plots.back());
        m_plots.pop_back();
    }
    double most = 0;
    for (const SweepContent &content : contents)
        for (const SweepMark &mark : content.marks)
            most = std::max(most, mark.y.value_or(0));
    for (std::size_t i = 0; i < contents.size(); ++i) {
        if (contents.size() > 1 && most > 0)
            contents[i].y.reaches = most;
        m_plots[i]->setContent(std::move(contents[i]));
    }
    if (m_plots.size() != before)
        arrange();
}

void SweepMultiples::setHighlighted(int id)
{
    for (SweepPlot *plot : m_plots)
        plot->setHighlighted(id);
}

void SweepMultiples::arrange()
{
    const auto columns = std::max(1, static_cast<int>(std::ceil(std::sqrt(static_cast<double>(m_plots.size())))));
    for (int i = 0; i < static_cast<int>(m_plots.size()); ++i) {
        SweepPlot *plot = m_plots[static_cast<std::size_t>(i)];
        m_grid->removeWidget(plot);
        m_grid->addWidget(plot, i / columns, i % columns);
        plot->show();
    }
}

} // namespace stagelens::ui
