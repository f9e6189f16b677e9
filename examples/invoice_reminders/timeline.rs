//! The timeline in the terminal: a row for each instance, time from left to right.

use std::io::IsTerminal as _;

use crate::history::{Ending, History};
use crate::instance::micros;
use crate::plan::TICK;

/// What a cell shows; a later kind covers an earlier one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Cell {
    Gone,
    Idle,
    Skip,
    Run,
    Takeover,
    Failed,
    Kill,
}

impl Cell {
    fn glyph(self) -> char {
        match self {
            Cell::Gone => ' ',
            Cell::Idle => '─',
            Cell::Skip => '○',
            Cell::Run => '█',
            Cell::Takeover => '▓',
            Cell::Failed => '!',
            Cell::Kill => '✗',
        }
    }

    /// The SGR parameters of a terminal.
    fn color(self) -> &'static str {
        match self {
            Cell::Gone | Cell::Idle | Cell::Skip => "90",
            Cell::Run => "34",
            Cell::Takeover => "33",
            Cell::Failed | Cell::Kill => "1;31",
        }
    }
}

/// The timeline as lines of text.
#[derive(Debug)]
pub(crate) struct Timeline<'a> {
    history: &'a History,
    ticks: u32,
    cells_per_tick: u32,
    in_color: bool,
}

impl<'a> Timeline<'a> {
    /// In color on a terminal, unless `NO_COLOR` is set.
    pub(crate) fn new(history: &'a History, ticks: u32) -> Self {
        const WIDTH: u32 = 80;
        let in_color = std::io::stdout().is_terminal() && std::env::var_os("NO_COLOR").is_none();
        Self { history, ticks, cells_per_tick: (WIDTH / ticks).clamp(2, 8), in_color }
    }

    pub(crate) fn print(&self) {
        println!("{}", self.scale("tick", |tick| (tick + 1).to_string()));
        for name in self.history.lives.keys() {
            let row: String = self.row(name).into_iter().map(|cell| self.paint(cell, 1)).collect();
            println!("  {name:<4}  {row}");
        }
        let seconds = |tick: u32| format!("{:.1} s", f64::from(tick) * TICK.as_secs_f64());
        println!("{}", self.scale("time", seconds));
        let sample = |cell, width, meaning| format!("{} {meaning}", self.paint(cell, width));
        let mut legend = vec![
            sample(Cell::Run, 2, "ran"),
            sample(Cell::Skip, 1, "got None: skipped"),
            sample(Cell::Kill, 1, "killed (SIGKILL)"),
            sample(Cell::Takeover, 2, "took over"),
        ];
        if !self.history.failures.is_empty() {
            legend.push(sample(Cell::Failed, 1, "failed"));
        }
        println!("\n        {}", legend.join("    "));
    }

    /// A label at the column of a tick, wherever there is room for one.
    fn scale(&self, name: &str, label: impl Fn(u32) -> String) -> String {
        let mut labels = String::new();
        for tick in 0..self.ticks {
            let column = (tick * self.cells_per_tick) as usize;
            if labels.is_empty() || labels.len() + 1 < column {
                labels = format!("{labels:<column$}{}", label(tick));
            }
        }
        format!("  {name:<4}  {labels}")
    }

    fn row(&self, name: &str) -> Vec<Cell> {
        let mut row = vec![Cell::Gone; (self.ticks * self.cells_per_tick) as usize];
        let is_mine = |instance: &str| instance == name;
        let mut draw = |from: usize, width: usize, cell: Cell| {
            for shown in row.iter_mut().skip(from).take(width) {
                *shown = cell.max(*shown);
            }
        };
        if let Some(&(first, last)) = self.history.lives.get(name) {
            draw(self.column(first), self.column(last) + 1 - self.column(first), Cell::Idle);
        }
        for (_, at) in self.history.skips.iter().filter(|(instance, _)| is_mine(instance)) {
            draw(self.column(*at), 1, Cell::Skip);
        }
        for run in self.history.runs.iter().filter(|run| is_mine(&run.instance)) {
            let cell = if run.takes_over_from.is_some() { Cell::Takeover } else { Cell::Run };
            // As wide as it was long, wherever it began in its first column.
            let width = self.cells(run.end.saturating_sub(run.start) + self.cell_us() / 2).max(1);
            draw(self.column(run.start), width, cell);
            if matches!(run.ending, Ending::Failed | Ending::Open) {
                draw(self.column(run.end), 1, Cell::Failed);
            }
        }
        for (_, at) in self.history.kills.iter().filter(|(instance, _)| is_mine(instance)) {
            draw(self.column(*at), 1, Cell::Kill);
        }
        row
    }

    fn cell_us(&self) -> u64 {
        micros(TICK) / u64::from(self.cells_per_tick)
    }

    fn cells(&self, micros: u64) -> usize {
        usize::try_from(micros / self.cell_us()).unwrap_or(usize::MAX)
    }

    fn column(&self, at: u64) -> usize {
        let last = (self.ticks * self.cells_per_tick - 1) as usize;
        self.cells(at.saturating_sub(self.history.begin)).min(last)
    }

    fn paint(&self, cell: Cell, width: usize) -> String {
        let glyphs = String::from(cell.glyph()).repeat(width);
        if self.in_color { format!("\u{1b}[{}m{glyphs}\u{1b}[0m", cell.color()) } else { glyphs }
    }
}
