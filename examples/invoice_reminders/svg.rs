//! The timeline as a picture: the same rows as in the terminal, as SVG.

use crate::canvas::{BAR_HEIGHT, Canvas, KILL, LINE, PALE, RUN, Style, TAKEOVER};
use crate::history::{Ending, History, Run};
use crate::instance::micros;
use crate::plan::{LATE, TICK, clock_error};

pub(crate) const LEFT: f64 = 170.0;
const WIDTH: f64 = 1180.0;
const RIGHT: f64 = 30.0;
pub(crate) const TOP: f64 = 120.0;
const ROW: f64 = 62.0;

/// What is written around the timeline.
pub(crate) struct Words {
    pub(crate) heading: &'static str,
    pub(crate) about: String,
    /// The lines below.
    pub(crate) text: Vec<String>,
}

/// Draws the timeline with its heading, the rows, a legend, and the words around it.
pub(crate) fn draw(history: &History, ticks: u32, words: &Words) -> String {
    let Words { heading, about, text } = words;
    let bottom = TOP + history.lives.len() as f64 * ROW;
    let canvas = Canvas::new(WIDTH, bottom + 92.0 + 22.0 * text.len() as f64);
    let mut picture = Picture { history, ticks, bottom, canvas };
    picture.title(heading, about);
    picture.grid();
    for (row, name) in history.lives.keys().enumerate() {
        picture.row(name, TOP + ROW * (row as f64 + 0.5));
    }
    picture.legend(bottom + 52.0);
    for (line, content) in text.iter().enumerate() {
        let y = bottom + 96.0 + 22.0 * line as f64;
        picture.canvas.text(20.0, y, Style::PLAIN.size(13), content);
    }
    picture.canvas.finish()
}

pub(crate) struct Picture<'a> {
    history: &'a History,
    pub(crate) ticks: u32,
    /// Below the last row.
    pub(crate) bottom: f64,
    pub(crate) canvas: Canvas,
}

impl Picture<'_> {
    pub(crate) fn tick_width(&self) -> f64 {
        (WIDTH - LEFT - RIGHT) / f64::from(self.ticks)
    }

    fn x(&self, at: u64) -> f64 {
        let ticks = at.saturating_sub(self.history.begin) as f64 / micros(TICK) as f64;
        LEFT + ticks.min(f64::from(self.ticks)) * self.tick_width()
    }

    fn row(&mut self, name: &str, y: f64) {
        let history = self.history;
        let Some(&(first, last)) = history.lives.get(name) else {
            return;
        };
        let about = match name {
            _ if first > history.begin => "the replacement",
            _ if clock_error(name, 1) >= LATE => "its clock is late",
            _ => "clock within 50 ms",
        };
        self.canvas.text(20.0, y + 6.0, Style::BOLD.size(18), name);
        self.canvas.text(46.0, y + 5.0, Style::PLAIN.size(11).color(PALE), about);
        let (from, to) = (self.x(first), self.x(last));
        self.canvas.line((from, y), (to, y), LINE, 2);
        for (_, at) in history.skips.iter().filter(|(instance, _)| instance == name) {
            let x = self.x(*at);
            self.canvas.skip_mark(x, y);
        }
        for run in history.runs.iter().filter(|run| run.instance == name) {
            self.run(run, y);
        }
        for (_, at) in history.kills.iter().filter(|(instance, _)| instance == name) {
            let x = self.x(*at);
            self.canvas.kill_mark(x, y);
            self.canvas.text(x + 24.0, y + 5.0, Style::BOLD.color(KILL), "SIGKILL");
        }
    }

    fn run(&mut self, run: &Run, y: f64) {
        let (from, to) = (self.x(run.start), self.x(run.end));
        let width = (to - from).max(2.0);
        let middle = from + width / 2.0;
        let color = match run.ending {
            Ending::Failed | Ending::Open => KILL,
            Ending::Whole | Ending::Killed if run.takes_over_from.is_some() => TAKEOVER,
            Ending::Whole | Ending::Killed => RUN,
        };
        self.canvas.bar(from, y, width, color);
        if let Some(killed) = &run.takes_over_from {
            let style = Style::MIDDLE.color(TAKEOVER).bold();
            self.canvas.text(middle, y - BAR_HEIGHT / 2.0 - 6.0, style, &format!("takes over from {killed}"));
        }
        // Only where the number fits.
        if width > 16.0 {
            let style = Style::MIDDLE.size(11).color("#ffffff");
            self.canvas.text(middle, y + 4.0, style, &run.mails.to_string());
        }
    }
}
